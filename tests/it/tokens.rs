//! `packer tokens`.

use insta::assert_snapshot;

use crate::project::Project;

#[test]
fn files_are_counted_in_a_table() {
    let project = Project::new()
        .file("a.txt", "größe\nx")
        .file("b.txt", "hello world\n".repeat(200));
    assert_snapshot!(project.run(["tokens", "a.txt", "b.txt"]).succeeds().stdout);
}

#[cfg(feature = "exact-tokens")]
#[test]
fn an_exact_tokenizer_counts_standard_input() {
    let output = Project::new().run_with_input(
        ["tokens", "--tokenizer", "o200k", "--format", "json", "-"],
        "tiktoken is great!",
    );
    let counts = output.succeeds().json();
    assert_eq!(counts[0]["tokens"], 6);
}

#[cfg(not(feature = "exact-tokens"))]
#[test]
fn an_exact_tokenizer_that_is_not_built_in_is_refused_with_a_way_out() {
    let project = Project::new()
        .role("exact", "context: {include: [a.txt], tokenizer: o200k}")
        .file("a.txt", "hello\n");
    let way_out = "build packer with `--features exact-tokens`, or use `calibrated`";
    project
        .run(["tokens", "--tokenizer", "o200k", "a.txt"])
        .fails(2)
        .stderr_contains(way_out);
    project.run(["roles", "check"]).succeeds();
    project
        .run(["pack", "--role", "exact"])
        .fails(1)
        .stderr_contains("error: this build lacks `o200k`, the tokenizer of the role `exact`")
        .stderr_contains(way_out);
    let request = r#"{"role": "exact", "tokenizer": "cl100k"}"#;
    project
        .run_with_input(["pack", "--request", "-"], request)
        .fails(1)
        .stderr_contains("this build lacks `cl100k`, the tokenizer of the request");
    project
        .run(["pack", "--role", "exact", "--tokenizer", "calibrated"])
        .succeeds()
        .stdout_contains("hello");
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    Project::new()
        .run(["tokens", "nope"])
        .fails(1)
        .stderr_contains("error: cannot read `nope`: no such file");
}
