//! An operator's template, rendered in this process.
//!
//! A process of its own is what bounds a template that doubles a text, so here such
//! templates are passed over; `template_worker` has them.
#![no_main]

use context_packer::fuzz::{check_templates, operator_template, render_twice};
use context_packer::templates::Isolation;
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::json;

fuzz_target!(|text: &str| -> Corpus {
    // In a slice the smallest number overflows in the engine, where that is checked: a prompt
    // comes out without the template then, and a note.
    let is_known = text.contains("9223372036854775808");
    if is_known || text.contains(['*', '~', '+']) {
        return Corpus::Reject;
    }
    let values = json!({
        "task": "Say {{ what }} a <role> is.\n",
        "files": [{"path": "src/a.rs", "text": "fn a() {}\n"}, {"path": "größe.md", "text": ""}],
        "numbers": [3, 1, -2.5, 9_007_199_254_740_993_u64],
        "nothing": null,
    });
    let templates = operator_template(text, &Isolation::TrustedInProcess);
    match render_twice(&templates, &values) {
        Ok((first, second)) => assert_eq!(first, second),
        Err(problem) => {
            assert!(!problem.message.contains("broke the renderer"), "{problem}");
            assert_eq!(render_twice(&templates, &values), Err(problem));
        }
    }
    let names = ["task", "files", "numbers", "nothing"];
    for problem in check_templates(&templates, &values, &names) {
        assert!(!problem.message.is_empty());
    }
    Corpus::Keep
});
