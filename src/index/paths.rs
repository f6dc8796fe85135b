//! What the path of a file says about it.

use std::ops::Range;

use super::kind::{Kind, is_called};
use super::vocabulary::Numbers;
use super::words::each_word;
use crate::split::{self, folder, name};

/// What the path of a file says about it, for every question that is asked about the file.
pub struct PathFacts {
    /// The numbers of the words in it, sorted, each once; `None` if no numbers are left.
    pub words: Option<Box<[u32]>>,
    /// Its name and its stem in lower case.
    pub name: Box<str>,
    pub small_stem: Box<str>,
    stem: Range<usize>,
    folder: usize,
    pub is_test: bool,
    pub is_aside: bool,
    /// A target may be one that is not otherwise worth reading.
    pub kind: Kind,
}

impl PathFacts {
    /// Makes the facts of a path. `numbers` are those of all words in paths.
    pub fn of(path: &str, numbers: &mut Numbers) -> PathFacts {
        let stem = stem(path);
        let start = split::place_in(path, stem);
        PathFacts {
            words: words(path, numbers),
            name: name(path).to_lowercase().into(),
            small_stem: stem.to_lowercase().into(),
            stem: start..start + stem.len(),
            folder: folder(path).len(),
            is_test: is_test(path),
            is_aside: is_aside(path),
            kind: Kind::of_target(path),
        }
    }

    /// Returns what [`folder`] returns for the path that these belong to.
    pub fn folder<'a>(&self, path: &'a str) -> &'a str {
        &path[..self.folder]
    }

    /// Returns what [`stem`] returns for the path that these belong to.
    pub fn stem<'a>(&self, path: &'a str) -> &'a str {
        &path[self.stem.clone()]
    }

    /// Whether this file and another one are named alike: they have the same stem, or one tests the
    /// other and leaves out its role.
    pub fn is_named_like(&self, path: &str, other: &PathFacts, its: &str) -> bool {
        let (own, theirs) = ((self.stem(path), path), (other.stem(its), its));
        match (self.is_test, other.is_test) {
            _ if own.0 == theirs.0 => true,
            (true, false) => leaves_out_role(own, theirs),
            (false, true) => leaves_out_role(theirs, own),
            _ => false,
        }
    }

    /// Returns about how many bytes of memory they take.
    pub fn weight(&self) -> usize {
        let words = self.words.as_deref().map_or(0, size_of_val);
        size_of::<PathFacts>() + words + self.name.len() + self.small_stem.len()
    }
}

/// Returns the numbers of the words in a path.
fn words(path: &str, numbers: &mut Numbers) -> Option<Box<[u32]>> {
    let mut words = Vec::new();
    let mut has_room = true;
    each_word(telling(path), |word| match numbers.number(word) {
        Some(number) => words.push(number),
        None => has_room = false,
    });
    words.sort_unstable();
    words.dedup();
    has_room.then(|| words.into())
}

/// Returns a path without its file extension.
pub fn without_ending(path: &str) -> &str {
    split::at_last(path, b'.').map_or(path, |(before, _)| before)
}

/// Returns what of a path tells what the file is about: all but its file extension, to which belongs
/// the `.config` of a tool's settings such as `vite.config.ts`.
pub fn telling(path: &str) -> &str {
    let path = without_ending(path);
    let tool = path.strip_suffix(".config");
    tool.filter(|tool| !name(tool).is_empty()).unwrap_or(path)
}

/// Returns what a file is named after, without the marks of a test.
pub fn stem(path: &str) -> &str {
    let name = name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = ["test_", "test-", "-", "_"]
        .iter()
        .find_map(|beginning| stem.strip_prefix(beginning).filter(|rest| !rest.is_empty()))
        .unwrap_or(stem);
    [
        "_test", "-test", "_tests", "_spec", "-spec", "Tests", "Test", "Specs", "Spec",
    ]
    .iter()
    .find_map(|ending| stem.strip_suffix(ending).filter(|rest| !rest.is_empty()))
    .unwrap_or(stem)
}

/// Whether a test is named after a source file but for its role, which the folder of the test says:
/// `spec/requests/mod/users_spec.rb` of `app/controllers/mod/users_controller.rb`. Both are given by
/// their stems and paths. Below the folders that say so, they lie in the same place.
fn leaves_out_role(test: (&str, &str), source: (&str, &str)) -> bool {
    /// The folders of tests that ask a controller.
    const OF_REQUESTS: [&str; 6] = [
        "feature",
        "features",
        "integration",
        "request",
        "requests",
        "system",
    ];
    let Some(role) = source.0.strip_prefix(test.0) else {
        return false;
    };
    let word = role.strip_prefix('_').unwrap_or(role);
    let is_word = word.bytes().skip(1).all(|b| b.is_ascii_lowercase());
    if !is_word || !role.starts_with(|c: char| c == '_' || c.is_ascii_uppercase()) {
        return false;
    }
    let word = word.to_ascii_lowercase();
    let is_kind = |folder: &str| matches!(folder.strip_prefix(&*word), Some("" | "s"));
    let is_asked = |folder: &str| word == "controller" && OF_REQUESTS.contains(&folder);
    let place = folders_below(test.1, |folder| is_kind(folder) || is_asked(folder));
    place.is_some() && place == folders_below(source.1, is_kind)
}

/// Returns the folders of a path below the last one of this kind, in lower case.
fn folders_below(path: &str, is_kind: impl Fn(&str) -> bool) -> Option<String> {
    let folders = folder(path).to_ascii_lowercase();
    let parts = folders.split('/');
    let at = parts.clone().rev().position(is_kind)?;
    let below: Vec<&str> = parts.rev().take(at).collect();
    Some(below.join("/"))
}

/// Whether a file tests others, by its folders and its name.
pub fn is_test(path: &str) -> bool {
    let (folders, name) = split::at_last(path, b'/').unwrap_or(("", path));
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

/// Whether a file is beside the code: examples, documents, test data, the code of others.
pub fn is_aside(path: &str) -> bool {
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
        "demo",
        "demos",
        "playground",
        "benchmarks",
        "bench",
        "benches",
        "dist",
        "generated",
    ];
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| is_called(folder, &ASIDE)) || is_vendored(path)
}

/// Whether a file is code of others that a project keeps a copy of, by its folders: they say so, or
/// have the name of a release.
pub fn is_vendored(path: &str) -> bool {
    const OF_OTHERS: [&str; 11] = [
        "vendor",
        "vendored",
        "third_party",
        "third-party",
        "thirdparty",
        "3rdparty",
        "3rd_party",
        "3rd-party",
        "node_modules",
        "subprojects",
        "googletest",
    ];
    let is_release = |folder: &str| {
        let (name, version) = folder.rsplit_once('-').unwrap_or(("", folder));
        let mut numbers = version.split('.');
        let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty();
        name.contains(char::is_alphabetic) && numbers.clone().count() > 1 && numbers.all(is_number)
    };
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folders = folders.split('/');
    folders.any(|folder| is_called(folder, &OF_OTHERS) || is_release(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tools_settings_are_not_about_what_is_called_config() {
        let has = |path: &str, word: &str| {
            let mut numbers = Numbers::default();
            let words = PathFacts::of(path, &mut numbers).words.unwrap();
            numbers.get(word).is_some_and(|word| words.contains(&word))
        };
        for path in ["vite.config.ts", "packages/a/vite.config.ts"] {
            assert!(!has(path, "config") && has(path, "vit"), "{path}");
        }
        for path in [
            "packages/config/src/index.ts",
            "packages/config/vite.config.ts",
            "src/config.ts",
            "src/.config.ts",
            "src/read-config.ts",
            "src/config.test.ts",
        ] {
            assert!(has(path, "config"), "{path}");
        }
    }

    #[test]
    fn code_of_others_is_known_by_its_folders() {
        for path in [
            "vendor/a/b.go",
            "src/ThirdParty/zlib/inflate.c",
            "test/googletest-1.16.0/src/gtest.cc",
            "lib/lua-5.4/lapi.c",
        ] {
            assert!(is_vendored(path) && is_aside(path), "{path}");
        }
        for path in [
            "src/v1.2/api.go",
            "docs/2.0/a.py",
            "a-b/c.rs",
            "vendor.c",
            "api-1/a.ts",
        ] {
            assert!(!is_vendored(path), "{path}");
        }
    }

    #[test]
    fn tests_have_the_stem_of_what_they_test() {
        for path in [
            "tests/parser.rs",
            "parser_test.go",
            "a/test_parser.py",
            "parser.spec.ts",
            "tests/test-parser.cpp",
            "tests/-parser.kt",
        ] {
            assert_eq!(stem(path), "parser", "{path}");
            assert!(is_test(path), "{path}");
        }
        assert_eq!(stem("src/ParserTest.java"), "Parser");
        assert!(!is_test("src/parser.rs") && !is_test("src/contest.rs"));
    }

    #[test]
    fn a_test_may_leave_out_the_role_that_its_folder_says() {
        let are_alike = |one: &str, other: &str| {
            let mut numbers = Numbers::default();
            let [own, its] = [one, other].map(|path| PathFacts::of(path, &mut numbers));
            let is = own.is_named_like(one, &its, other);
            assert_eq!(is, its.is_named_like(other, &own, one), "{one} {other}");
            is
        };
        for (test, source) in [
            ("spec/requests/x_spec.rb", "app/controllers/x_controller.rb"),
            ("spec/system/x_spec.rb", "app/controllers/x_controller.rb"),
            (
                "spec/controllers/x_controller_spec.rb",
                "app/controllers/x_controller.rb",
            ),
            (
                "spec/requests/mod/x_spec.rb",
                "app/controllers/mod/x_controller.rb",
            ),
            ("spec/models/x_spec.rb", "app/models/x.rb"),
            ("spec/helpers/x_spec.rb", "app/helpers/x_helper.rb"),
            (
                "tests/Feature/Auth/LoginTest.php",
                "app/Http/Controllers/Auth/LoginController.php",
            ),
            (
                "tests/Unit/Services/BillTest.php",
                "app/Services/BillService.php",
            ),
            (
                "test/app_web/controllers/page_controller_test.exs",
                "lib/app_web/controllers/page_controller.ex",
            ),
        ] {
            assert!(are_alike(test, source), "{test} {source}");
        }
        for (test, source) in [
            // In another place, or of another kind.
            (
                "spec/requests/x_spec.rb",
                "app/controllers/mod/x_controller.rb",
            ),
            ("spec/models/x_spec.rb", "app/controllers/x_controller.rb"),
            ("spec/requests/x_spec.rb", "app/helpers/x_helper.rb"),
            (
                "spec/requests/x_spec.rb",
                "app/controllers/xs_controller.rb",
            ),
            (
                "spec/requests/x_spec.rb",
                "app/controllers/x_api_controller.rb",
            ),
            ("app/requests/x.rb", "app/controllers/x_controller.rb"),
        ] {
            assert!(!are_alike(test, source), "{test} {source}");
        }
    }
}
