use super::*;

/// The outline as it is written.
fn drawn(language: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown = entries(language, text)
        .into_iter()
        .flat_map(|entry| entry.lines);
    shown
        .flat_map(|rows| lines[rows].iter().map(|line| format!("{line}\n")))
        .collect()
}

#[test]
#[ignore]
fn real_files() {
    let path = std::env::var("OUTLINE").unwrap();
    for path in path.split(':') {
        let text = std::fs::read_to_string(path).unwrap();
        let language = crate::syntax::language(path);
        let total = text.lines().count();
        let lines = outline(language, &text);
        let shown: usize = lines.iter().map(Range::len).sum();
        println!("=== {path} {shown} of {total}");
        print!("{}", drawn(language, &text));
    }
}
