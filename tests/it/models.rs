//! Prompts for a model: how tokens are counted, and how large it may be.

use serde_json::{Value as Json, json};

use crate::project::Project;

fn project() -> Project {
    Project::new()
        .role("plain", "context: {token_budget: 20000}")
        .file("a.rs", "fn a() {}\n")
        .commit()
}

const PACK: [&str; 5] = ["pack", "--role", "plain", "--target", "a.rs"];

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PACK.iter().chain(more).copied().collect()
}

fn of(report: &Json) -> (Json, Json) {
    (report["tokenizer"].clone(), report["budget"].clone())
}

#[test]
fn a_model_says_how_tokens_are_counted_and_how_large_auto_is() {
    let project = project();
    let report = |more: &[&str]| of(&project.json(asked(more)));
    let opus = ["--model", "anthropic/claude-opus-4.8"];
    assert_eq!(report(&opus), (json!("claude"), json!(20000)));
    let auto = [&opus[..], &["--budget", "auto"]].concat();
    assert_eq!(report(&auto), (json!("claude"), json!(125_000)));
    let own = [&auto[..], &["--tokenizer", "chars"]].concat();
    assert_eq!(report(&own), (json!("chars"), json!(125_000)));
    let gemini = ["--model", "gemini-2.5-pro", "--budget", "9000"];
    assert_eq!(report(&gemini), (json!("gemini"), json!(9000)));
}

#[test]
fn a_request_names_a_model_too() {
    let project = project();
    let request = |fields: Json| {
        let mut all = json!({"role": "plain", "flow": "files", "target": ["a.rs"]});
        all.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let output = project.run_with_input(["batch"], &format!("{all}\n"));
        serde_json::from_str::<Json>(&output.succeeds().stdout).unwrap()
    };
    let built = request(json!({"model": "claude-sonnet-4-5", "budget": "auto"}));
    assert_eq!(of(&built), (json!("claude-3"), json!(25_000)));
    let message = |fields| request(fields)["error"]["message"].clone();
    let budget = message(json!({"budget": "much"}));
    assert_eq!(
        budget,
        "`budget`: invalid type: string \"much\", expected a whole number or `auto`"
    );
    let model = message(json!({"model": "claude-opus-9"}));
    let told = model.as_str().unwrap();
    assert!(
        told.starts_with("`model`: unknown model `claude-opus-9`"),
        "{told}"
    );
}

#[test]
fn what_a_model_cannot_take_is_an_error() {
    let project = project();
    let fails = |more: &[&str], code| project.run(asked(more)).fails(code);
    fails(&["--budget", "auto"], 1)
        .stderr_contains("needs a model")
        .stderr_contains("help: name it with `--model`");
    fails(&["--model", "gpt-4"], 1).stderr_contains(
        "20,000 tokens is larger than the context window of `gpt-4`, which is 8,192",
    );
    fails(&["--model", "gpt-7"], 2).stderr_contains("did you mean `gpt-");
    fails(&["--budget", "0"], 2).stderr_contains("0 is not in 1..=4000000");
    fails(&["--budget", "few"], 2).stderr_contains("neither a whole number nor `auto`");
}

#[test]
fn texts_are_counted_for_a_model() {
    let project = project();
    let count = |more: [&str; 2]| project.json(["tokens", "a.rs"].iter().chain(&more).copied());
    let by_model = count(["--model", "claude-opus-5"]);
    assert_eq!(by_model, count(["--tokenizer", "claude"]));
}
