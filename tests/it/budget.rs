//! The budget guarantee, for sections, budgets, rules, flows, styles and
//! tokenizers of every kind.

use context_packer::parsing::Parsing;
use context_packer::report::Flow;
use context_packer::settings::{Prune, Style};
use context_packer::tokens::Tokenizer;
use context_packer::{ContextPacker, NoteKind, Prompt, Request, Role, Roles};
use proptest::prelude::*;

use crate::project::Project;

/// A repository with a few files of random text, and a request for all of them.
#[derive(Debug, Clone)]
struct World {
    files: Vec<(String, String)>,
    extra: Vec<(String, String)>,
    always: usize,
    targets: usize,
    order: Vec<String>,
    task: String,
}

/// The most tokens of a line of [`text`], with the remarks around two of them.
const LINE: usize = 61;

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[ -~]{0,60}",
        1 => "`{1,8}[a-z]{0,4}",
        1 => "(</file>|<file path=\"x\">|]]>|<!\\[CDATA\\[|</section>|## Task|日本語|🦀)",
    ];
    prop::collection::vec(line, 0..60).prop_map(|lines| lines.join("\n"))
}

fn world() -> impl Strategy<Value = World> {
    let keys = [
        "target_file",
        "files",
        "tree",
        "git_diff",
        "logs",
        "nothing",
        "changed_files",
    ];
    (
        prop::collection::vec(text(), 1..8),
        prop::collection::vec(text(), 0..3),
        0usize..3,
        0usize..3,
        prop::sample::subsequence(keys.to_vec(), 0..keys.len()).prop_shuffle(),
        "[ -~]{0,80}",
    )
        .prop_map(|(files, extra, always, targets, order, task)| World {
            files: files
                .into_iter()
                .enumerate()
                .map(|(i, text)| (format!("f{i}.rs"), text))
                .collect(),
            extra: extra
                .into_iter()
                .enumerate()
                .map(|(i, text)| (format!("logs{i}"), text))
                .collect(),
            always,
            targets,
            order: order.into_iter().map(str::to_owned).collect(),
            task,
        })
}

impl World {
    fn build(&self) -> (Project, ContextPacker, Role, Request) {
        let mut project = Project::new();
        for (path, text) in &self.files {
            project = project.file(path, text);
        }
        project.stage();
        let always: Vec<_> = self
            .files
            .iter()
            .take(self.always)
            .map(|(path, _)| path)
            .collect();
        let role = serde_json::json!({
            "name": "r", "description": "d", "system_prompt": "You test.",
            "context": {
                "include": ["*.rs", "$CHANGED_FILES"], "git_diff": true, "tree": true,
                "always_include": always, "priority_order": self.order,
            },
        });
        let role = Roles::built_in().load_json(&role).unwrap();
        let packer = project.packer();
        let packer = packer.with_parsing(Parsing::TrustedInProcess);
        let mut request = Request::new(&self.task);
        request.targets = self
            .files
            .iter()
            .rev()
            .take(self.targets)
            .map(|(path, _)| path.clone())
            .collect();
        request.extra.clone_from(&self.extra);
        (project, packer, role, request)
    }
}

fn is_over(prompt: &Prompt) -> bool {
    prompt
        .warnings()
        .iter()
        .any(|note| note.kind == NoteKind::OverBudget)
}

const FLOWS: [Flow; 3] = [Flow::Template, Flow::Whole, Flow::Files];

fn build(packer: &ContextPacker, role: &Role, request: &Request, flow: Flow) -> Prompt {
    match flow {
        Flow::Template => packer.build_full_prompt("implement.j2", role, request),
        Flow::Whole => packer.pack_context(role, request),
        Flow::Files => packer.pack_file_context(role, request),
    }
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_prompt_is_never_over_its_budget(
        world in world(),
        budget in prop_oneof![1usize..60, 60usize..900, 900usize..6000],
    ) {
        let (_project, packer, role, mut request) = world.build();
        request.overrides.budget = Some(budget.into());
        let tokenizers = [Tokenizer::Chars, Tokenizer::Calibrated, Tokenizer::O200k, Tokenizer::Cl100k];
        for tokenizer in tokenizers.into_iter().filter(|t| t.is_available()) {
            for style in [Style::Markdown, Style::Xml] {
                for prune in [Prune::Shrink, Prune::Drop] {
                    for flow in FLOWS {
                        request.overrides.common.tokenizer = Some(tokenizer);
                        request.overrides.style = Some(style);
                        request.overrides.prune = Some(prune);
                        let prompt = build(&packer, &role, &request, flow);
                        let tokens = tokenizer.counter().unwrap().count(&prompt.text);
                        prop_assert_eq!(tokens, prompt.tokens());
                        // Only the protected parts may exceed it, and only outside the whole flow.
                        if flow == Flow::Whole || !is_over(&prompt) {
                            prop_assert!(tokens <= budget, "{:?} {:?} {:?} {} > {}", flow, style, prune, tokens, budget);
                        } else {
                            prop_assert!(tokens > budget);
                            let report = prompt.report();
                            let all_omitted = report.sections.iter().all(|s| {
                                s.protected || s.pieces.iter().all(|p| p.form == "omitted")
                            });
                            prop_assert!(all_omitted);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn shrinking_keeps_more_of_what_matters_more_and_wastes_little(
        world in world(),
        budget in 1000usize..4000,
    ) {
        let (_project, packer, role, mut request) = world.build();
        request.overrides.budget = Some(budget.into());
        let tokenizers = [Tokenizer::Chars, Tokenizer::Calibrated, Tokenizer::O200k];
        for tokenizer in tokenizers.into_iter().filter(|t| t.is_available()) {
            request.overrides.common.tokenizer = Some(tokenizer);
            let report = packer.pack_context(&role, &request).unwrap().report();
            if report.over_budget {
                continue;
            }
            let open: Vec<_> = report.sections.iter().filter(|s| !s.protected).collect();
            let has = |form: &str| open.iter().flat_map(|s| &s.pieces).any(|p| p.form == form);
            // A file is begun with two lines: one alone is not worth its heading.
            let unopened = if has("name") { LINE } else { 0 };
            // Where a text was cut at a line, only a line or a remark could be missing.
            let cut = has("excerpt");
            let left = budget - report.tokens;
            prop_assert!(
                !cut || left * 100 <= budget * 5 || unopened > 0 && left < LINE + unopened,
                "{}: {} of {}", tokenizer, report.tokens, budget
            );
            // What was pruned would not have fitted in place of what came after it.
            for (index, section) in open.iter().enumerate() {
                let later: usize = open[index + 1..].iter().map(|s| s.tokens).sum();
                if section.status == context_packer::report::Status::Dropped {
                    let smallest = section.pieces.iter().map(|p| p.original_tokens).min().unwrap();
                    // It waits until all above it is there, also where the next line of that
                    // does not fit: with more budget that line needs the room.
                    prop_assert!(later + left < smallest + 60 + LINE + unopened, "{} was dropped for less: {later} and {left} left", section.key);
                }
            }
        }
    }

    #[test]
    fn dropping_removes_the_least_important_first(
        world in world(),
        budget in 100usize..4000,
    ) {
        let (_project, packer, role, mut request) = world.build();
        request.overrides.budget = Some(budget.into());
        request.overrides.prune = Some(Prune::Drop);
        let report = packer.pack_context(&role, &request).unwrap().report();
        let status: Vec<_> = report.sections.iter().filter(|s| !s.protected).map(|s| s.status).collect();
        let kept = status.iter().take_while(|s| **s == context_packer::report::Status::Kept).count();
        prop_assert!(status[kept..].iter().all(|s| *s == context_packer::report::Status::Dropped), "{:?}", status);
        // The role's order decides, if any of its keys is there.
        let keys: Vec<_> = report.sections.iter().map(|s| s.key.as_str()).collect();
        let wanted: Vec<_> = world.order.iter().map(String::as_str).filter(|key| keys.contains(key)).collect();
        let first_open = report.sections.iter().filter(|s| s.protected).count();
        if report.sections.iter().all(|s| s.protected || s.status == context_packer::report::Status::Kept) {
            prop_assert_eq!(&keys[first_open..first_open + wanted.len()], &wanted[..]);
        }
    }

    #[test]
    fn every_file_is_shown_once_and_no_content_closes_its_fence(world in world()) {
        let (_project, packer, role, mut request) = world.build();
        request.overrides.budget = Some(1_000_000.into());
        let prompt = packer.pack_context(&role, &request).unwrap();
        let report = prompt.report();
        let mut shown: Vec<_> = report.sections.iter()
            .filter(|s| s.key != "git_diff")
            .flat_map(|s| &s.pieces)
            .filter(|p| !p.note.as_deref().is_some_and(|note| note.starts_with("shown under")))
            .filter_map(|p| p.path.clone())
            .collect();
        shown.sort();
        let before = shown.len();
        shown.dedup();
        prop_assert_eq!(before, shown.len());
        prop_assert_eq!(shown.len(), world.files.len());
        // Outside fences there are only our own lines.
        let mut fence: Option<String> = None;
        for line in prompt.text.lines() {
            let ticks: String = line.chars().take_while(|c| *c == '`').collect();
            match &fence {
                None if ticks.len() >= 3 => fence = Some(ticks),
                Some(open) if *open == ticks && line.len() == ticks.len() => fence = None,
                Some(_) => {}
                None => prop_assert!(
                    line.is_empty() || line.starts_with("## ") || line.starts_with("### f")
                        || line.starts_with('[') || line == "You test." || world.task.contains(line),
                    "{}", line
                ),
            }
        }
        prop_assert!(fence.is_none());
    }

    #[test]
    fn the_same_request_gives_the_same_bytes(world in world(), budget in 50usize..3000) {
        let (_project, packer, role, mut request) = world.build();
        request.overrides.budget = Some(budget.into());
        let (_other, again, _, _) = world.build();
        for flow in FLOWS {
            let first = build(&packer, &role, &request, flow);
            let second = build(&again, &role, &request, flow);
            prop_assert_eq!(first.text, second.text);
        }
    }
}
