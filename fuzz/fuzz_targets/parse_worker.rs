//! Source of every grammar, parsed by the worker: whatever becomes of that one, an answer
//! comes that is about this text, or a note. The first line has the ending of the file's
//! name and how often the rest is repeated.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use context_packer::fuzz::parsed_apart;
use context_packer::parsing::{PARSE_WORKER, serve_parse_worker};
use libfuzzer_sys::fuzz_target;

static PROGRAM: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::current_exe().expect("this program has a path"));

/// The longest text.
const MOST: usize = 64 * 1024;

/// How long the host waits for a worker at most, with what starting one takes, each of three
/// times: for parts, an outline, and declarations.
const TIME: Duration = Duration::from_secs(25);

/// This program is its own worker, as `packer` is.
fn serve_if_asked() {
    if std::env::args()
        .nth(1)
        .is_some_and(|arg| arg == PARSE_WORKER)
    {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout());
        serve_parse_worker(input, output).expect("questions are read, and answers taken");
        std::process::exit(0);
    }
}

fuzz_target!(init: serve_if_asked(), |text: &str| {
    let (head, text) = text.split_once('\n').unwrap_or(("rs", text));
    let (ending, times) = head.split_once(' ').unwrap_or((head, "1"));
    let most = MOST / text.len().max(1);
    let text = text.repeat(times.parse().unwrap_or(1).min(most.max(1)));
    let start = Instant::now();
    let total = text.lines().count();
    match parsed_apart(&PROGRAM, &format!("a.{ending}"), &text) {
        Some((parts, outline)) => {
            let ends: Vec<usize> = parts.iter().map(|lines| lines.end).collect();
            assert_eq!(ends.last().copied().unwrap_or(0), total);
            assert!(outline.iter().all(|lines| lines.end <= total));
        }
        // What is said then is a note, and it says why.
        None => assert!(start.elapsed() < TIME),
    }
});
