//! An operator's template, rendered by the worker: whatever it does, an answer comes.
#![no_main]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use context_packer::fuzz::{operator_template, render_twice};
use context_packer::templates::{Isolation, TEMPLATE_WORKER, serve_template_worker};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static WORKER: LazyLock<Isolation> = LazyLock::new(|| {
    Isolation::Worker(std::env::current_exe().expect("this program has a path"))
});

/// The worker's two seconds for each of two times, another try of the second one, and what
/// starting and ending it takes.
const TIME: Duration = Duration::from_secs(8);

/// This program is its own worker, as `packer` is.
fn serve_if_asked() {
    if std::env::args()
        .nth(1)
        .is_some_and(|arg| arg == TEMPLATE_WORKER)
    {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        serve_template_worker(input, output).expect("questions are read, and answers taken");
        std::process::exit(0);
    }
}

fuzz_target!(init: serve_if_asked(), |text: &str| {
    let values = json!({"task": "Say what a role is.", "list": [1, 2, 3]});
    let templates = operator_template(text, &WORKER);
    let start = Instant::now();
    let rendered = render_twice(&templates, &values);
    assert!(start.elapsed() < TIME);
    match rendered {
        Ok((first, second)) => {
            assert!(first.len() <= 64 * 1024 * 1024);
            assert_eq!(first, second);
        }
        Err(problem) => assert!(!problem.message.contains("broke the renderer"), "{problem}"),
    }
});
