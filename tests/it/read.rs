//! The guarded readers.

use std::collections::HashSet;
use std::fs;

use context_packer::readers::{NameFilter, ReadFiles, ReadOptions};
use context_packer::settings::FilesStyle;
use proptest::prelude::*;

use crate::project::{Project, words};

fn project() -> Project {
    let project = Project::new()
        .file("src/main.rs", "fn main() {\n    println!(\"<&>\");\n}\n")
        .file("src/util.rs", "pub fn util() {}\n")
        .file("notes.md", "Some notes.\n")
        .file("logo.png", b"\x89PNG\0\0")
        .file("latin.txt", b"caf\xe9\n")
        .file("large.rs", "x".repeat(2000));
    fs::write(project.outside().join("secret.rs"), "CANARY\n").unwrap();
    project
}

#[test]
fn each_style_shows_files_and_messages() {
    let project = project();
    for style in ["xml", "assign", "markdown", "json"] {
        let output = project
            .run([
                "read",
                "src/main.rs",
                "nope.rs",
                "src",
                "logo.png",
                "--style",
                style,
            ])
            .succeeds();
        insta::assert_snapshot!(format!("read_{style}"), output.stdout);
        insta::assert_snapshot!("read_warnings", output.stderr);
    }
}

#[test]
fn nothing_read_is_an_empty_text_in_each_style() {
    let project = project();
    let empty = |style| {
        project
            .run(["read", "--style", style])
            .succeeds()
            .says_nothing()
            .stdout
    };
    assert_eq!(empty("xml"), "<context>\n</context>\n");
    assert_eq!(empty("assign"), "");
    assert_eq!(empty("markdown"), "");
    assert_eq!(empty("json"), "[]\n");
}

#[test]
fn a_model_gets_only_what_the_guards_let_through() {
    let project = project();
    let read = |arguments: &[&str]| {
        let all = ["read", "--style", "json"].iter().chain(arguments).copied();
        let output = project.run(all).succeeds().stdout_lacks("CANARY");
        let files = output.json();
        files.as_array().unwrap().clone()
    };
    let paths = |files: &[serde_json::Value]| -> Vec<String> {
        files
            .iter()
            .map(|f| f["path"].as_str().unwrap().to_owned())
            .collect()
    };
    // Names that the filter does not take are passed over in silence.
    project
        .run(words("read --filter *.md src/main.rs notes.md gone.rs"))
        .succeeds()
        .says_nothing();
    let files = read(&[
        "--filter",
        "*.md,u*.rs",
        "src/main.rs",
        "src/util.rs",
        "notes.md",
    ]);
    assert_eq!(paths(&files), ["src/util.rs", "notes.md"]);
    // The number counts what is there, whoever asked for it; included files come first.
    let files = read(&[
        "--max-files",
        "2",
        "src/main.rs",
        "src/util.rs",
        "--include",
        "notes.md",
        "--include",
        "gone.md",
    ]);
    assert_eq!(paths(&files), ["notes.md", "gone.md"]);
    let files = read(&["--max-file-size", "100", "large.rs"]);
    assert_eq!(
        files[0]["error"],
        "[Skipped: file size 2000 bytes exceeds maxFileSize 100]"
    );
    let outside = project.outside().join("secret.rs");
    for path in [
        "../secret.rs",
        "src/../../secret.rs",
        outside.to_str().unwrap(),
        "/etc/passwd",
    ] {
        let files = read(&[path]);
        assert_eq!(
            files[0]["error"], "[Error reading file: outside the allowed directory]",
            "{path}"
        );
    }
    // The same file under another name is the same file.
    let files = read(&["src/main.rs", "./src/main.rs", "src/../src/main.rs"]);
    assert_eq!(paths(&files), ["src/main.rs"]);
    let files = read(&["--dir", "src", "main.rs", "../notes.md"]);
    assert_eq!(paths(&files), ["src/main.rs", "notes.md"]);
    assert!(files[1]["error"].is_string());
}

#[test]
fn an_operator_may_include_files_from_anywhere() {
    let project = project();
    let output = project.run(["read", "--include", "../secret.rs", "--style", "markdown"]);
    output
        .succeeds()
        .stdout_contains("### ../secret.rs\n\n```rust\nCANARY\n```");
}

#[test]
fn a_filter_that_does_not_parse_is_an_error() {
    let project = project();
    let output = project.run(["read", "--filter", "[", "notes.md"]).fails(2);
    insta::assert_snapshot!(output.stderr);
}

#[test]
fn a_missing_folder_is_a_message_in_place_of_each_file() {
    let project = project();
    let output = project
        .run(words(
            "read --dir nowhere --include notes.md src/main.rs ../notes.md",
        ))
        .succeeds();
    output
        .stdout_contains("<file path=\"nowhere/notes.md\"")
        .stdout_contains("<file path=\"nowhere/src/main.rs\"")
        .stdout_contains("[Error reading file: the allowed directory does not exist]")
        .stderr_contains("the folder to read from, `nowhere`, does not exist");
    // What lies elsewhere is read for the operator all the same.
    let notes = project.root().join("notes.md");
    let of_nowhere = words("read --dir nowhere --include");
    project
        .run(of_nowhere.chain([notes.to_str().unwrap()]))
        .succeeds()
        .stdout_contains("Some notes.");
    let output = project
        .run(["read", "--dir", "notes.md", "src/main.rs"])
        .succeeds();
    output.stdout_contains("[Error reading file: the allowed directory cannot be opened]");
}

#[test]
fn a_byte_order_mark_and_carriage_returns_come_back() {
    let text = "\u{feff}if a && b {\r\n}\r\n";
    let project = Project::new()
        .file("a.rs", text)
        .file("b.rs", "fn b() {}\n");
    let written = project.run(["read", "a.rs", "b.rs"]).succeeds().stdout;
    let lines = text.replace('\n', "\n      ");
    assert!(written.contains(&format!("<content>\n      {lines}\n    </content>")));
    let json = project
        .run(["read", "a.rs", "--style", "json"])
        .succeeds()
        .json();
    assert_eq!(json[0]["content"], text);
}

#[test]
fn what_is_odd_about_a_file_is_a_warning() {
    let project = project().file("key.rs", format!("let k = \"ghp_{}\";\n", "a1B2".repeat(9)));
    let output = project.run(["read", "latin.txt", "key.rs"]).succeeds();
    output
        .stdout_contains("caf\u{fffd}")
        .stderr_contains("`latin.txt` is not valid UTF-8")
        .stderr_contains("line 1 of `key.rs` looks like a secret: GitHub token");
    let project = project.file("bell.txt", "ding\x07\n");
    let output = project.run(["read", "bell.txt"]).succeeds();
    output.stdout_contains("ding\x07").says_nothing();
    project
        .run(["read", "bell.txt", "--style", "json"])
        .succeeds()
        .says_nothing();
}

#[cfg(unix)]
#[test]
fn a_link_gives_a_model_nothing_that_its_name_hides() {
    let project = project()
        .file(".gitignore", ".env\n")
        .file(".env", "CANARY\n")
        .link(".env", "harmless.md")
        .link("../../secret.rs", "src/alias.rs")
        .link("logo.png", "logo.md")
        .link("util.rs", "src/inside.rs");
    let output = project
        .run(words(
            "read harmless.md src/alias.rs logo.md src/inside.rs --filter *.md,*.rs --style \
             markdown",
        ))
        .succeeds();
    output
        .stdout_lacks("CANARY")
        .stdout_lacks("logo.md")
        .stdout_lacks("harmless")
        .stdout_contains("### src/alias.rs\n\n[Error reading file: outside the allowed directory]")
        .stdout_contains("pub fn util() {}");
    // Without a filter the link's name is let through, and the ignored file is not.
    let output = project.run(["read", "harmless.md"]).succeeds();
    output
        .stdout_lacks("CANARY")
        .stdout_contains("link to an ignored file");
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed_where_the_ignore_rules_cannot_be_read() {
    let project = project()
        .file(".env", "CANARY\n")
        .file(".gitignore", format!(".env\n{}", "# x\n".repeat(1_000_000)))
        .link(".env", "harmless.md");
    let output = project.run(["read", "harmless.md"]).succeeds();
    output
        .stdout_lacks("CANARY")
        .stdout_contains("link to an ignored file");
}

#[cfg(unix)]
#[test]
fn a_file_is_read_once_through_a_link_to_its_folder() {
    let project = project().file("a.txt", "once\n");
    let link = project.outside().join("linked");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    let linked = link.join("a.txt");
    let linked = linked.to_str().unwrap();
    for paths in [["a.txt", linked], [linked, "a.txt"]] {
        let arguments = ["read", "--style", "json"].into_iter().chain(paths);
        let read = project.run(arguments).succeeds().json();
        assert_eq!(read.as_array().map(Vec::len), Some(1), "{read}");
    }
}

#[test]
fn a_name_may_be_empty() {
    let output = project().run(["read", "--", ""]).succeeds();
    output.stdout_contains("[Error reading file: ");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Both readers: never fail, keep the order, read each file once, and nothing that
    /// a guard forbids.
    #[test]
    fn readers_keep_order_and_guards(
        include in prop::collection::vec(0usize..10, 0..5),
        requested in prop::collection::vec(0usize..10, 0..12),
        max_files in prop::option::of(0usize..8),
        max_file_size in prop::option::of(0u64..3000),
        filter in prop::option::of(prop::sample::select(vec!["*.rs", "*.md,*.rs", "nope", "*"])),
    ) {
        let project = project();
        let pool = ["src/main.rs", "./src/main.rs", "src/util.rs", "notes.md", "logo.png", "large.rs", "src", "gone.rs", "../secret.rs", "a\0b"];
        let options = ReadOptions {
            dir: project.root(),
            filter: filter.map(|text| NameFilter::parse(text).unwrap()),
            max_files,
            max_file_size,
        };
        let mut files = ReadFiles::new(project.root());
        files.read_include(include.iter().map(|i| pool[*i]), &options);
        let included = files.len();
        let before: Vec<String> = files.iter().map(|(path, _)| path.to_owned()).collect();
        // Whatever the guards of a model say.
        let mut known = HashSet::new();
        let all = include.iter().map(|i| pool[*i].trim_start_matches("./"));
        let all: Vec<&str> = all.filter(|path| known.insert(*path)).collect();
        prop_assert_eq!(&before, &all);
        files.read_requested(requested.iter().map(|i| pool[*i]), &options);
        let shown: Vec<(String, String)> = files.iter().map(|(p, t)| (p.to_owned(), t.to_owned())).collect();
        // What was there stays where it was.
        prop_assert_eq!(&shown[..included].iter().map(|(p, _)| p.clone()).collect::<Vec<_>>(), &before);
        let distinct: HashSet<&String> = shown.iter().map(|(p, _)| p).collect();
        prop_assert_eq!(distinct.len(), shown.len());
        if let Some(most) = max_files {
            prop_assert!(shown.len() <= most.max(included));
        }
        let takes = |name: &str| match filter {
            Some("*.rs") => name.ends_with(".rs"),
            Some("*.md,*.rs") => name.ends_with(".rs") || name.ends_with(".md"),
            Some("nope") => false,
            _ => true,
        };
        let mut asked = requested.iter().map(|i| pool[*i].trim_start_matches("./"));
        for (path, text) in &shown[included..] {
            prop_assert!(asked.any(|given| given == path), "{path} is out of order");
            prop_assert!(takes(path.rsplit('/').next().unwrap()));
            prop_assert!(!text.contains("CANARY"));
        }
        for (path, text) in &shown {
            let size = fs::metadata(project.root().join(path)).map_or(0, |meta| meta.len());
            let is_message = text.starts_with('[') && text.ends_with(']');
            let most = max_file_size.filter(|most| *most > 0);
            prop_assert!(is_message || size <= most.unwrap_or(u64::MAX));
            prop_assert!(!text.contains(project.root().to_str().unwrap()));
        }
        for style in [FilesStyle::Xml, FilesStyle::Assign, FilesStyle::Markdown, FilesStyle::Json] {
            files.write(style);
        }
        files.warnings();
    }
}

#[test]
fn a_size_of_0_or_none_is_no_limit_but_that_of_all_files() {
    let project = Project::new()
        .file("a.txt", "x".repeat(1_100_000))
        .file("b.txt", "x".repeat(9_999_999));
    let read = |arguments: &[&str]| {
        let all = ["read", "a.txt", "--style", "json"];
        let all = all.into_iter().chain(arguments.iter().copied());
        project.run(all).succeeds().stdout
    };
    assert!(read(&[]).contains("exceeds maxFileSize 1048576"));
    let whole = read(&["--max-file-size", "0"]);
    assert!(whole.len() > 1_100_000);
    assert_eq!(read(&["--max-file-size", "none"]), whole);
    project
        .run(["read", "b.txt", "a.txt", "--max-file-size", "none"])
        .succeeds()
        .stdout_contains("exceeds what is left of 10485760 bytes");
}

#[test]
fn an_include_of_nothing_asks_for_nothing() {
    let project = project();
    let read = |arguments: &[&str]| {
        let all = std::iter::once("read").chain(arguments.iter().copied());
        project.run(all).succeeds().says_nothing().stdout
    };
    let without = read(&["src/util.rs"]);
    assert_eq!(read(&["src/util.rs", "--include"]), without);
    assert_eq!(
        read(&["--include", "--style", "xml", "src/util.rs"]),
        without
    );
    assert_eq!(read(&["--include", "", "src/util.rs"]), without);
    assert_eq!(read(&["--include="]), "<context>\n</context>\n");
}
