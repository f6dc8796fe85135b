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

#[test]
fn an_exact_tokenizer_counts_standard_input() {
    let output = Project::new().run_with(
        ["tokens", "--tokenizer", "o200k", "--format", "json", "-"],
        "tiktoken is great!",
        &[],
    );
    let counts: serde_json::Value = serde_json::from_str(&output.succeeds().stdout).unwrap();
    assert_eq!(counts[0]["tokens"], 6);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    Project::new()
        .run(["tokens", "nope"])
        .fails(1)
        .stderr_contains("error: cannot read `nope`: no such file");
}
