//! A file as readers print it. The first line is its path.
#![no_main]

use context_packer::settings::FilesStyle;
use context_packer::fuzz::write_files;
use context_packer::fuzz::visible;
use libfuzzer_sys::fuzz_target;

/// XML has no way to write some characters.
fn possible(text: &str) -> String {
    let is_possible =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..) && !matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars()
        .map(|c| if is_possible(c) { c } else { '\u{fffd}' })
        .collect()
}

fuzz_target!(|text: &str| {
    let (path, text) = text.split_once('\n').unwrap_or(("a.rs", text));
    let files = [(path, text)];

    let xml = write_files(&files, FilesStyle::Xml);
    let document = roxmltree::Document::parse(&xml).expect("it is well-formed");
    let nodes = document.descendants();
    let found: Vec<_> = nodes.filter(|node| node.has_tag_name("file")).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].attribute("path"),
        Some(possible(&visible(path)).as_str())
    );
    let content = found[0]
        .children()
        .find(|node| node.has_tag_name("content"));
    let content = content.expect("a file has a content").descendants();
    let read: String = content
        .filter(|n| n.is_text())
        .filter_map(|n| n.text())
        .collect();
    let read = read
        .strip_prefix('\n')
        .and_then(|read| read.strip_suffix("\n    "));
    let lines = read.expect("its lines are inside").split('\n');
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix("      ").expect("an indent"))
        .collect();
    assert_eq!(lines.join("\n"), possible(text));

    let json = write_files(&files, FilesStyle::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json[0]["content"], text);

    // The lines around a text do not stand in it.
    let assigned = write_files(&files, FilesStyle::Assign);
    let begin = assigned.lines().find(|line| line.starts_with("--begin-"));
    let end = begin.expect("a text begins").replacen("begin", "end", 1);
    assert_eq!(assigned.split('\n').filter(|line| *line == end).count(), 1);

    write_files(&files, FilesStyle::Markdown);
});
