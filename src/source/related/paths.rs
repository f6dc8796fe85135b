//! What the path of a file says of it.

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// All but the last part of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What a file is named after, without the marks of a test.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    [
        "_test", "-test", "_tests", "_spec", "-spec", "Tests", "Test", "Specs", "Spec",
    ]
    .iter()
    .find_map(|ending| stem.strip_suffix(ending).filter(|rest| !rest.is_empty()))
    .unwrap_or(stem)
}

/// Whether a file tests others, by its folders and its name.
pub(super) fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_tests = folders.split('/').any(|folder| {
        let words = [
            "test",
            "tests",
            "spec",
            "specs",
            "__tests__",
            "testing",
            "e2e",
        ];
        let folder = folder.as_bytes();
        let is = |part: Option<&[u8]>, text: &str| {
            part.is_some_and(|part| part.eq_ignore_ascii_case(text.as_bytes()))
        };
        let begins = |text: &str| is(folder.get(..text.len()), text);
        let ends = |text: &str| {
            let start = folder.len().checked_sub(text.len());
            is(start.map(|start| &folder[start..]), text)
        };
        words.iter().any(|word| is(Some(folder), word))
            || ["tests", "-test", ".specs"].into_iter().any(ends)
            || begins("test_")
    });
    let lower = name.to_ascii_lowercase();
    in_tests
        || lower.contains(".test.")
        || lower.contains(".spec.")
        || lower.contains("_test.")
        || lower.contains("-test.")
        || lower.starts_with("test_")
        || lower.starts_with("test-")
        || lower.starts_with("test.")
        || lower.starts_with("tests.")
        || lower.starts_with("conftest.")
        || ["Test.", "Tests.", "Spec.", "Specs."]
            .iter()
            .any(|end| name.contains(end))
}

/// Whether a file stands beside the code: examples, documents, data of tests.
pub(super) fn is_aside(path: &str) -> bool {
    const ASIDE: [&str; 20] = [
        "fixture",
        "fixtures",
        "testdata",
        "__snapshots__",
        "snapshots",
        "samples",
        "sample",
        "docs",
        "doc",
        "website",
        "examples",
        "example",
        "benchmarks",
        "bench",
        "benches",
        "vendor",
        "third_party",
        "node_modules",
        "dist",
        "generated",
    ];
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| ASIDE.contains(&folder))
}

/// Whether a language is one that programs are written in.
pub(super) fn is_program(language: &str) -> bool {
    !matches!(
        language,
        "" | "markdown"
            | "json"
            | "jsonc"
            | "yaml"
            | "toml"
            | "ini"
            | "xml"
            | "html"
            | "css"
            | "scss"
            | "less"
            | "rst"
            | "latex"
            | "diff"
            | "dockerfile"
            | "makefile"
            | "cmake"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_have_the_stem_of_what_they_test() {
        for path in [
            "tests/parser.rs",
            "parser_test.go",
            "a/test_parser.py",
            "parser.spec.ts",
        ] {
            assert_eq!(stem(path), "parser", "{path}");
            assert!(is_test(path), "{path}");
        }
        assert_eq!(stem("src/ParserTest.java"), "Parser");
        assert!(!is_test("src/parser.rs") && !is_test("src/contest.rs"));
    }
}
