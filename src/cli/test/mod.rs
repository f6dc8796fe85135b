//! `packer test`: whether prompts hold what they have to.

mod case;
mod junit;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use context_packer::command::{read_operator_file, show, write_whole};
use context_packer::requests::Asker;
use context_packer::{ContextPacker, Roles};
use serde::Serialize;

pub(super) use self::case::schema;
use super::report::{Table, Terminal, print, print_json};
use super::{CheckFailed, Format, Global};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer test
  packer test --junit report.xml
  packer test --accept .packer/tests/new-flag.yaml

A case, .packer/tests/new-flag.yaml:
  request: {role: implementer, task: Add a --json flag, target: [src/main.rs]}
  expect:
    shows: [src/main.rs, src/options.rs]
    holds: [Every function has a test]
    lacks: [internal-host]
    budget: 20000

Its fields: packer schema case";

/// Where cases are, below the repository.
const FOLDER: &str = ".packer/tests";

/// A case is at most this large, in bytes, and so is a snapshot.
const MAX_CASE: u64 = 1024 * 1024;
const MAX_SNAPSHOT: u64 = 16 * 1024 * 1024;

/// The most cases of a folder.
const MAX_CASES: usize = 1000;

#[derive(Debug, clap::Args)]
pub(super) struct TestArgs {
    /// Cases, or folders of cases [default: `.packer/tests` in the repository]
    #[arg(value_name = "CASE")]
    cases: Vec<PathBuf>,

    /// Write the snapshots of cases that have one, as the prompts are now
    #[arg(long)]
    accept: bool,

    /// Write the results here as well, as XML that CI systems read (`JUnit`)
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// How results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// What came of a case.
#[derive(Debug, Serialize)]
struct Outcome {
    /// The case's file, as it was named or found.
    case: String,
    passed: bool,
    /// The prompt's tokens, and its budget; nothing if there is no prompt.
    tokens: Option<usize>,
    budget: Option<usize>,
    /// What is not as it has to be, a sentence each.
    failures: Vec<String>,
}

pub(super) fn run(global: &Global, args: &TestArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let root = global.root()?;
    let (cases, asker) = if args.cases.is_empty() {
        (listed(&root.join(FOLDER))?, Asker::Repository)
    } else {
        (named(&args.cases)?, Asker::Caller)
    };
    let bench = Bench {
        packer: global.packer()?,
        roles: global.roles()?,
        global,
        asker,
        accept: args.accept,
    };
    let outcomes: Vec<Outcome> = cases.iter().map(|case| bench.run(case, &root)).collect();
    if let Some(path) = &args.junit {
        write_whole(path, &junit::report(&outcomes))?;
    }
    match args.format {
        Format::Json => print_json(&outcomes)?,
        Format::Text => print(&table(&outcomes))?,
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
    let all = show::counted(outcomes.len(), "case");
    terminal.summary(&format!("{all}, {failed} failed"));
    if failed > 0 {
        return Err(CheckFailed.into());
    }
    Ok(())
}

/// The cases in a folder, by name. Links are not followed: the repository says what is there.
fn listed(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let shown = show::path(folder);
    let entries = fs::read_dir(folder).with_context(|| {
        format!("there are no cases in `{shown}`: write one, or name it (`packer test --help`)")
    })?;
    let mut cases = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list `{shown}`"))?;
        let path = entry.path();
        let is_yaml = path
            .extension()
            .is_some_and(|it| it == "yaml" || it == "yml");
        if is_yaml && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            cases.push(path);
        }
    }
    anyhow::ensure!(!cases.is_empty(), "there are no cases in `{shown}`");
    anyhow::ensure!(
        cases.len() <= MAX_CASES,
        "`{shown}` has {} cases, and the limit is {MAX_CASES}",
        cases.len()
    );
    cases.sort();
    Ok(cases)
}

/// The cases that were named, and those in folders that were.
fn named(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut cases = Vec::new();
    for path in paths {
        if path.is_dir() {
            cases.extend(listed(path)?);
        } else {
            cases.push(path.clone());
        }
    }
    Ok(cases)
}

/// What all cases are tried with.
struct Bench<'a> {
    packer: ContextPacker,
    roles: Roles,
    global: &'a Global,
    asker: Asker,
    accept: bool,
}

impl Bench<'_> {
    /// Tries a case. What is wrong with it is a failure like any other.
    fn run(&self, path: &Path, root: &Path) -> Outcome {
        let name = path.strip_prefix(root).unwrap_or(path);
        let mut outcome = Outcome {
            case: show::path(name),
            passed: false,
            tokens: None,
            budget: None,
            failures: Vec::new(),
        };
        if let Err(error) = self.try_case(path, &mut outcome) {
            outcome.failures.push(super::report::sentence(&error));
        }
        outcome.passed = outcome.failures.is_empty();
        outcome
    }

    fn try_case(&self, path: &Path, outcome: &mut Outcome) -> anyhow::Result<()> {
        let text = read_operator_file(path, MAX_CASE)?.text;
        let (mut order, expect) = case::parse(&outcome.case, &text)?;
        if self.asker == Asker::Repository {
            let is_path =
                |role: &str| role.contains(['/', '\\']) || Path::new(role).extension().is_some();
            let role = order.role.as_ref().and_then(|role| role.as_str());
            anyhow::ensure!(
                !role.is_some_and(is_path),
                "`role`: a case of the repository names a role of its own, not a path; name \
                 the case itself to allow that"
            );
        }
        self.global.lay_over(&mut order);
        let mut job = order.prepare(&self.roles)?;
        job.request.asker = self.asker;
        let report = job.build(&self.packer)?.report();
        outcome.tokens = Some(report.tokens);
        outcome.budget = Some(report.budget);
        outcome.failures = expect.failures(&report, self.packer.root());
        if expect.snapshot {
            outcome
                .failures
                .extend(self.snapshot(path, &report.prompt)?);
        }
        Ok(())
    }

    /// Compares a prompt with the one beside its case, or writes it there.
    fn snapshot(&self, case: &Path, prompt: &str) -> anyhow::Result<Option<String>> {
        let path = case.with_extension("prompt.md");
        let shown = show::path(&path);
        if self.accept {
            write_whole(&path, prompt)?;
            return Ok(None);
        }
        if !path.exists() {
            return Ok(Some(format!(
                "there is no `{shown}` yet: `--accept` writes it"
            )));
        }
        let kept = read_operator_file(&path, MAX_SNAPSHOT)?.text;
        Ok(case::first_difference(&kept, prompt).map(|difference| {
            format!("the prompt is not that of `{shown}`: {difference}; `--accept` takes it")
        }))
    }
}

fn table(outcomes: &[Outcome]) -> String {
    let mut table = Table::new(&["case", "result", "tokens", "budget"]);
    let number = |of: Option<usize>| of.map_or_else(String::new, show::grouped);
    for outcome in outcomes {
        let result = if outcome.passed { "passed" } else { "FAILED" };
        let cells = [outcome.case.clone(), result.to_owned()];
        table.row(
            cells
                .into_iter()
                .chain([number(outcome.tokens), number(outcome.budget)]),
        );
    }
    let mut text = table.print("<<>>");
    for outcome in outcomes.iter().filter(|outcome| !outcome.passed) {
        text.push_str(&format!("\n{}\n", outcome.case));
        for failure in &outcome.failures {
            text.push_str(&format!("  {failure}\n"));
        }
    }
    text
}
