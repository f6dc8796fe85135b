//! `packer fit` and `packer truncate`.

use crate::project::{Project, words};

#[test]
fn texts_that_fit_come_back_unchanged() {
    let project = Project::new();
    let input = r#"{"b": "one\ntwo\n", "a": ""}"#;
    let output = project
        .run_with_input(["fit", "--budget", "100"], input)
        .succeeds()
        .says_nothing();
    assert_eq!(
        output.stdout,
        "{\n  \"b\": \"one\\ntwo\\n\",\n  \"a\": \"\"\n}\n"
    );
}

#[test]
fn texts_that_do_not_fit_are_cut_in_proportion_with_figures() {
    let project = Project::new();
    let log: String = (1..=200)
        .map(|n| format!("{n:>4}: something happened\n"))
        .collect();
    let sections = serde_json::json!({"log": log, "note": "short", "diff": "+a\n".repeat(100)});
    let output = project
        .run_with_input(["fit", "--budget", "400"], &sections.to_string())
        .succeeds();
    let fitted = output.json();
    let keys: Vec<&String> = fitted.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["log", "note", "diff", "_metadata"]);
    assert_eq!(fitted["note"], "short");
    assert!(
        fitted["log"]
            .as_str()
            .unwrap()
            .ends_with(" more lines truncated]")
    );
    let metadata = &fitted["_metadata"];
    assert_eq!(metadata["sections_affected"], serde_json::json!(["log"]));
    assert_eq!(metadata["original_lines"], 301);
    let kept = fitted["log"].as_str().unwrap().lines().count() - 1 + 1 + 100;
    assert_eq!(metadata["kept_lines"], kept);
    // What comes out goes in again: nothing is cut once more, and the figures stay.
    let again = project
        .run_with_input(["fit", "--budget", "400"], &output.stdout)
        .succeeds();
    assert_eq!(again.stdout, output.stdout);
}

#[test]
fn what_is_no_object_of_texts_is_an_error() {
    let project = Project::new();
    for (input, why) in [
        ("", "pass a JSON object of texts"),
        ("[]", "not a JSON object"),
        (r#"{"a": 1}"#, "`a` is not a string"),
        ("{", "line 1"),
        (
            r#"{"_metadata": "x"}"#,
            "`_metadata` is reserved for the figures",
        ),
    ] {
        let output = project.run_with_input(["fit"], input).fails(1);
        output
            .stderr_contains(why)
            .stderr_contains("cannot use the sections");
    }
}

#[test]
fn a_file_is_cut_around_the_lines_that_matter() {
    let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
    let project = Project::new().file("a.txt", &text);
    let output = project.run(words(
        "truncate a.txt --max-lines 8 --around 3,60,61 --context-lines 1",
    ));
    insta::assert_snapshot!(output.succeeds().says_nothing().stdout);
    let whole = project
        .run_with_input(["truncate", "-", "--max-lines", "100"], &text)
        .succeeds();
    assert_eq!(whole.stdout, text);
}

#[test]
fn standard_input_is_decoded_as_a_file_is() {
    for (bytes, text) in [
        (&b"\xef\xbb\xbf\xef\xbb\xbfa"[..], "\u{feff}a"),
        (b"\xef\xbb\xbf\xff", "\u{fffd}"),
        (b"\xff\xfea\0\n\0b\0", "a\nb"),
        (b"a\0b", "a\0b"),
    ] {
        let project = Project::new().file("a.txt", bytes);
        let of_file = project.run(words("truncate a.txt --max-lines 9"));
        assert_eq!(of_file.succeeds().stdout, text);
        let given = project.run_with_input(["truncate", "-", "--max-lines", "9"], bytes);
        assert_eq!(given.succeeds().stdout, text);
    }
}

#[test]
fn what_has_no_line_break_at_its_end_gets_none() {
    let project = Project::new();
    for (lines, expected) in [
        ("9", "a\nb\nc"),
        ("2", "a\nb\n...\n[1 more lines truncated]"),
    ] {
        let output = project.run_with_input(["truncate", "-", "--max-lines", lines], "a\nb\nc");
        assert_eq!(output.succeeds().stdout, expected);
    }
    let output = project.run_with_input(
        [
            "truncate",
            "-",
            "--max-lines",
            "1",
            "--around",
            "3",
            "--context-lines",
            "0",
        ],
        "a\nb\nc",
    );
    assert_eq!(output.succeeds().stdout, "... [2 lines skipped] ...\nc");
}
