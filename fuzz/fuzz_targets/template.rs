//! An operator's template, rendered in this process.
//!
//! A process of its own is what bounds a template that doubles a text, so here such
//! templates are passed over; `template_worker` has them.
#![no_main]

use context_packer::tokens::Tokenizer;
use context_packer::fuzz::{TEMPLATE, check_templates, operator_template, packed};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::json;

fuzz_target!(|text: &str| -> Corpus {
    if text.contains(['*', '~', '+']) {
        return Corpus::Reject;
    }
    let values = json!({
        "task": "Say {{ what }} a <role> is.\n",
        "files": [{"path": "src/a.rs", "text": "fn a() {}\n"}, {"path": "größe.md", "text": ""}],
        "numbers": [3, 1, -2.5, 9_007_199_254_740_993_u64],
        "nothing": null,
    });
    let templates = operator_template(text);
    let rendered = templates.render(TEMPLATE, &values, packed(), Tokenizer::Chars);
    assert_eq!(
        rendered,
        templates.render(TEMPLATE, &values, packed(), Tokenizer::Chars)
    );
    if let Err(problem) = rendered {
        assert!(!problem.message.contains("broke the renderer"), "{problem}");
    }
    let names = ["task", "files", "numbers", "nothing"];
    for problem in check_templates(&templates, &values, &names) {
        assert!(!problem.message.is_empty());
    }
    Corpus::Keep
});
