//! Long inputs made of short ones, to find what takes time with the square of a text.
//!
//! The first line names a reader. Behind it stand what comes first, what is repeated,
//! and what comes last, with a line `%%` between.
#![no_main]

use context_packer::fuzz::{Issue, find_secrets, load_context, mentions};
use context_packer::Roles;
use context_packer::builders::Validation;
use context_packer::shorten::{LinesToKeep, truncate_file};
use libfuzzer_sys::{Corpus, fuzz_target};

/// The text that is made has about this many bytes.
const LENGTH: usize = 64 * 1024;

fuzz_target!(|text: &str| -> Corpus {
    let Some((reader, rest)) = text.split_once('\n') else {
        return Corpus::Reject;
    };
    let mut parts = rest.split("\n%%\n");
    let head = parts.next().unwrap_or_default();
    let unit = parts.next().filter(|unit| !unit.is_empty()).unwrap_or(" ");
    let tail = parts.next().unwrap_or_default();
    let text = format!("{head}{}{tail}", unit.repeat(LENGTH / unit.len()));
    match reader {
        "role" => drop(Roles::built_in().load_yaml("fuzzed.yaml", text)),
        "context" => drop(load_context(&[("TASKS", &text)], 1000)),
        "decisions" => drop(load_context(&[("DECISIONS", &text)], 1000)),
        "fix" => drop(Validation::parse(&text)),
        "issue" => drop(Issue::parse(&text).map(|issue| mentions(&issue))),
        "body" => drop(mentions(&Issue {
            body: text,
            ..Issue::default()
        })),
        "secrets" => drop(find_secrets(&text)),
        "truncate" => drop(truncate_file(&text, LinesToKeep::at_most(20).around(&[7, 70, 700], 10))),
        _ => return Corpus::Reject,
    }
    Corpus::Keep
});
