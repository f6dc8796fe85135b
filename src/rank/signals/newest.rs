//! Finds the parts of a changelog about the newest version.

use std::ops::Range;

use crate::index::parts::ReadPart;

/// Returns the parts of a changelog in which the next entry belongs: those of its first version, or
/// the first part if no heading looks like a version.
pub fn newest(parts: &[ReadPart]) -> Range<usize> {
    let of_any = first_run(parts, 0);
    // The title of the whole may have a number in it too.
    let of_inner = if of_any.end == parts.len() {
        first_run(parts, 1)
    } else {
        of_any.clone()
    };
    match (of_any.is_empty(), of_inner.is_empty()) {
        (true, _) => 0..parts.len().min(1),
        (false, true) => of_any,
        (false, false) => of_inner,
    }
}

/// Returns the first parts that belong to one version, by their titles except the outermost ones.
fn first_run(parts: &[ReadPart], outermost: usize) -> Range<usize> {
    let version = |read: &ReadPart| {
        let mut names = read.part.names.iter().skip(outermost);
        names.find(|name| is_version(name)).cloned()
    };
    let start = parts.iter().position(|read| version(read).is_some());
    let start = start.unwrap_or(parts.len());
    let first = parts.get(start).and_then(version);
    let run = parts[start..].iter();
    start..start + run.take_while(|read| version(read) == first).count()
}

/// Whether a title may be that of a version, or of what comes before the next one.
fn is_version(title: &str) -> bool {
    const COMING: [&str; 10] = [
        "unreleased",
        "upcoming",
        "next",
        "tbd",
        "tba",
        "dev",
        "head",
        "main",
        "master",
        "development",
    ];
    let is_coming = |word: &str| {
        COMING
            .iter()
            .any(|coming| word.eq_ignore_ascii_case(coming))
    };
    title.bytes().any(|byte| byte.is_ascii_digit())
        || title.split(|c: char| !c.is_alphanumeric()).any(is_coming)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::cut;

    fn told(language: &str, text: &str) -> Vec<String> {
        let parts = cut(language, text).into_iter();
        let parts: Vec<ReadPart> = parts
            .map(|part| ReadPart::new(part, &[], Vec::new()))
            .collect();
        let lines: Vec<&str> = text.lines().collect();
        let newest = parts[newest(&parts)].iter();
        newest
            .map(|read| lines[read.part.lines.start].to_owned())
            .collect()
    }

    #[test]
    fn the_newest_version_is_the_first_one_with_all_its_parts() {
        let many = "- entry\n".repeat(30);
        let text = format!(
            "# Changelog\n\nAll of it.\n\n## [Unreleased]\n\n### Added\n\n{many}\n### Fixed\n\n{many}\n## 1.0.0\n\n{many}"
        );
        assert_eq!(
            told("markdown", &text),
            ["## [Unreleased]", "### Added", "### Fixed"]
        );
        let text = format!(
            "Changes in Python 3\n===================\n\nVersion 2\n---------\n\n{many}\nVersion 1\n---------\n\n{many}"
        );
        assert_eq!(told("rst", &text), ["Version 2"]);
    }

    #[test]
    fn without_a_version_it_is_the_first_part() {
        let text = "- entry\n".repeat(90);
        assert_eq!(told("text", &text), ["- entry"]);
        assert_eq!(newest(&[]), 0..0);
    }
}
