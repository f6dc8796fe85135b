//! An operator's template, rendered by the worker: whatever it does, an answer comes.
#![no_main]

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use context_packer::fuzz::{TEMPLATE, operator_template, packed};
use context_packer::templates::{TEMPLATE_WORKER, serve_template_worker};
use context_packer::tokens::Tokenizer;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static PROGRAM: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::current_exe().expect("this program has a path"));

/// The worker's two seconds, and what starting and ending it takes.
const TIME: Duration = Duration::from_secs(4);

/// This program is its own worker, as `packer` is.
fn serve_if_asked() {
    if std::env::args()
        .nth(1)
        .is_some_and(|arg| arg == TEMPLATE_WORKER)
    {
        let answer = serve_template_worker(std::io::stdin().lock()).expect("a job is read");
        std::io::stdout()
            .write_all(&answer)
            .expect("an answer is taken");
        std::process::exit(0);
    }
}

fuzz_target!(init: serve_if_asked(), |text: &str| {
    let values = json!({"task": "Say what a role is.", "list": [1, 2, 3]});
    let templates = operator_template(text).worker(PROGRAM.as_path());
    let start = Instant::now();
    let rendered = templates.render(TEMPLATE, &values, packed(), Tokenizer::Chars);
    assert!(start.elapsed() < TIME);
    match rendered {
        Ok(text) => assert!(text.len() <= 64 * 1024 * 1024),
        Err(problem) => assert!(!problem.message.contains("broke the renderer"), "{problem}"),
    }
});
