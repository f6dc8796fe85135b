//! Files of `.context/`. The first line is the budget; a line `@@ NAME` begins a file.
#![no_main]

use context_packer::NoteKind;
use context_packer::fuzz::load_context;
use context_packer::fuzz::is_hidden;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (first, rest) = text.split_once('\n').unwrap_or(("60", text));
    let budget = first.trim().parse().unwrap_or(60);
    let files: Vec<(&str, &str)> = match rest.strip_prefix("@@ ") {
        Some(files) => files
            .split("\n@@ ")
            .take(8)
            .map(|file| file.split_once('\n').unwrap_or((file, "")))
            .collect(),
        None => vec![("NOTES", rest)],
    };
    let loaded = load_context(&files, budget);
    assert_eq!(loaded, load_context(&files, budget));

    let is_over = |note: &context_packer::Note| note.kind == NoteKind::OverBudget;
    assert!(loaded.token_count <= budget || loaded.warnings.iter().any(is_over));
    assert_eq!(loaded.files.len(), files.len());
    if !loaded.truncated {
        // The constitution may stand alone, without what tells where it is from.
        let plain = |name: &str| name != "CONSTITUTION" && !name.chars().any(is_hidden);
        // A name that a reader would take for something else stands in ticks.
        let bare = |name: &str| name.trim_start_matches(['`', ' ']).to_owned();
        let lines = loaded.summary.split('\n');
        let told = lines.filter_map(|line| line.strip_prefix("Source: "));
        let told: Vec<String> = told.map(bare).collect();
        let is_told = |name: &str| told.iter().any(|told| told.starts_with(&bare(name)));
        let names = files.iter().map(|(name, _)| *name);
        assert!(names.filter(|name| plain(name)).all(is_told));
    }
});
