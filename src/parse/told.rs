//! Notes on texts that are not parsed.

use std::collections::BTreeMap;

use super::verdicts::Verdict;
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};

/// The most files that are named.
const MAX_NAMED: usize = 10;

/// Returns notes on files that could not be parsed, and on how many were not tried and why.
pub fn told(failed: &BTreeMap<String, Verdict>, untried: usize, why: &str) -> Vec<Note> {
    let named = failed.iter().take(MAX_NAMED).map(|(path, verdict)| {
        let message = format!("`{}` has no parts: {}", quoted(path), verdict.why());
        Note::new(NoteKind::Unparsed, message).on(path)
    });
    let more = failed.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| {
        let message = format!("{} more cannot be parsed", counted(more, "file"));
        Note::new(NoteKind::Unparsed, message)
    });
    let untried = (untried > 0).then(|| {
        let message = format!("{} not parsed: {why}", counted(untried, "file"));
        Note::new(NoteKind::Unparsed, message)
    });
    named.chain(more).chain(untried).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_named_and_the_rest_counted() {
        let path = |number| (format!("{number:02}.kt"), Verdict::Late);
        let told = told(&(0..13).map(path).collect(), 1, "it is gone");
        let messages: Vec<&str> = told.iter().map(|note| note.message.as_str()).collect();
        assert_eq!(
            messages[0],
            "`00.kt` has no parts: parsing it takes too long"
        );
        assert_eq!(told[9].path.as_deref(), Some("09.kt"));
        let rest = [
            "3 files more cannot be parsed",
            "1 file not parsed: it is gone",
        ];
        assert_eq!(messages[10..], rest);
    }
}
