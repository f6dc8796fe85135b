//! `packer test`: checks what prompts contain.

mod case;
mod junit;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use context_packer::command::{read_operator_file, read_regular_file, show, write_whole};
use context_packer::report::Flow;
use context_packer::requests::Asker;
use context_packer::{ContextPacker, Note, NoteKind, Roles};
use serde::Serialize;

pub(super) use self::case::schema;
use super::config::Config;
use super::difference::{Most, difference};
use super::report::{Table, Terminal, advice, print, print_json};
use super::request::Order;
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

/// The most bytes of a case, and of a snapshot.
const MAX_CASE: u64 = 1024 * 1024;
const MAX_SNAPSHOT: u64 = 16 * 1024 * 1024;

/// The most bytes of a prompt and its snapshot that are compared line by line.
const MAX_COMPARED: usize = 8 * 1024 * 1024;

/// The most cases of a folder.
const MAX_CASES: usize = 1000;

#[derive(Debug, clap::Args)]
pub(super) struct TestArgs {
    /// Cases, or folders of cases [default: `.packer/tests` in the repository]
    #[arg(value_name = "CASE")]
    cases: Vec<PathBuf>,

    /// Update the snapshots of cases that have one to the current prompts
    #[arg(long)]
    accept: bool,

    /// Also write the results to this file, as XML for CI systems (`JUnit`)
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// How results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The result of a case.
#[derive(Debug, Serialize)]
struct Outcome {
    /// The case's file, as it was named or found.
    case: String,
    passed: bool,
    /// The prompt's tokens, and its budget; null if there is no prompt.
    tokens: Option<usize>,
    budget: Option<usize>,
    /// What is not as it must be, a sentence each.
    failures: Vec<String>,
    /// Where the prompt differs from its snapshot, as lines with `-` and `+`.
    difference: Option<String>,
    /// What the prompt warns of.
    warnings: Vec<String>,
}

/// A case to run.
struct Found {
    /// Its file, as it was named or found.
    path: PathBuf,
    /// Where it is in the repository, if it is there.
    inside: Option<String>,
    /// Whether it was named itself; it may then be a pipe.
    is_named: bool,
    /// Who wrote it: the caller, if it was named or its folder is the caller's own.
    asker: Asker,
}

pub(super) fn run(global: &Global, args: &TestArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let root = global.root()?;
    let packer = global.packer()?;
    let cases = if args.cases.is_empty() {
        listed(&packer, FOLDER, &root.join(FOLDER))?
    } else {
        named(&packer, &args.cases)?
    };
    let bench = Bench {
        config: Config::of_repository(global, &packer),
        packer,
        roles: global.roles()?,
        global,
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

/// Returns the cases in a folder, by name: `inside` is its place in the repository, and `folder`
/// how it is shown. Links are not followed, and the repository counts as the author of the cases.
fn listed(packer: &ContextPacker, inside: &str, folder: &Path) -> anyhow::Result<Vec<Found>> {
    // One that is no file is a case that cannot be read.
    let names = packer.own_files(inside)?.into_iter().map(|(name, _)| name);
    let names: Vec<String> = names
        .filter(|name| name.ends_with(".yaml") || name.ends_with(".yml"))
        .collect();
    let shown = show::path(folder);
    anyhow::ensure!(
        !names.is_empty(),
        "there are no cases in `{shown}`: write one, or name a file (see `packer test --help`)"
    );
    anyhow::ensure!(
        names.len() <= MAX_CASES,
        "`{shown}` has {} cases, and the limit is {MAX_CASES}",
        names.len()
    );
    let above = if inside.is_empty() {
        String::new()
    } else {
        format!("{inside}/")
    };
    let found = names.iter().map(|name| Found {
        path: folder.join(name),
        inside: Some(format!("{above}{name}")),
        is_named: false,
        asker: Asker::Repository,
    });
    Ok(found.collect())
}

/// Returns the cases that were named, and those in folders that were.
fn named(packer: &ContextPacker, paths: &[PathBuf]) -> anyhow::Result<Vec<Found>> {
    let mut cases = Vec::new();
    for path in paths {
        let inside = packer.own_path(path);
        match (inside, path.is_dir()) {
            (Some(inside), true) => cases.extend(listed(packer, &inside, path)?),
            (None, true) => {
                let found = listed(&ContextPacker::open(path)?, "", path)?;
                // A folder that is no part of the repository is the caller's own.
                cases.extend(found.into_iter().map(|found| Found {
                    inside: None,
                    asker: Asker::Caller,
                    ..found
                }));
            }
            (inside, false) => cases.push(Found {
                path: path.clone(),
                inside,
                is_named: true,
                asker: Asker::Caller,
            }),
        }
    }
    Ok(cases)
}

/// What all cases are run with.
struct Bench<'a> {
    packer: ContextPacker,
    config: Config,
    roles: Roles,
    global: &'a Global,
    accept: bool,
}

impl Bench<'_> {
    /// Runs a case. A mistake in the case is a failure like any other.
    fn run(&self, case: &Found, root: &Path) -> Outcome {
        let name = case
            .path
            .strip_prefix(root)
            .ok()
            .and(case.inside.as_deref());
        let mut outcome = Outcome {
            case: name.map_or_else(|| show::path(&case.path), |name| show::visible(name).into()),
            passed: false,
            tokens: None,
            budget: None,
            failures: Vec::new(),
            difference: None,
            warnings: Vec::new(),
        };
        if let Err(error) = self.try_case(case, &mut outcome) {
            outcome.failures.push(advice(&error));
        }
        outcome.passed = outcome.failures.is_empty();
        outcome
    }

    fn try_case(&self, found: &Found, outcome: &mut Outcome) -> anyhow::Result<()> {
        let text = match &found.inside {
            Some(inside) => self.packer.read_own(inside, MAX_CASE)?,
            None if found.is_named => Some(read_operator_file(&found.path, MAX_CASE)?.text),
            // One that is no regular file would be waited for.
            None => Some(read_regular_file(&found.path, MAX_CASE)?.text),
        };
        let text = text.with_context(|| format!("there is no `{}`", show::path(&found.path)))?;
        let (mut order, expect) = case::parse(&outcome.case, &text)?;
        if found.asker == Asker::Repository {
            of_the_repository(&order)?;
        }
        self.global.lay_over(&mut order);
        self.config.lay_under(&mut order);
        let mut job = order.prepare(&self.roles)?;
        job.request.asker = found.asker;
        let prompt = job.build(&self.packer)?;
        let is_whole = prompt.flow() == Flow::Whole;
        let report = prompt.report();
        outcome.tokens = Some(report.tokens);
        outcome.budget = Some(report.budget);
        outcome.warnings = report
            .warnings
            .iter()
            .map(|note| note.message.clone())
            .collect();
        outcome.failures = expect.failures(&report, &self.packer);
        // A prompt without its template is not the one that the case is about.
        let has_failed = |note: &&Note| is_whole && note.kind == NoteKind::Template;
        let failed = report.warnings.iter().filter(has_failed);
        outcome
            .failures
            .extend(failed.map(|note| note.message.clone()));
        if expect.snapshot {
            self.snapshot(found, &report.prompt, outcome)?;
        }
        Ok(())
    }

    /// Compares a prompt with the one beside its case, or writes it there. Whoever named the case
    /// did not name that file, so it may not be a link.
    fn snapshot(&self, case: &Found, prompt: &str, outcome: &mut Outcome) -> anyhow::Result<()> {
        let path = case.path.with_extension("prompt.md");
        let shown = show::path(&path);
        let elsewhere;
        let (packer, inside) = if let Some(inside) = &case.inside {
            (&self.packer, Path::new(inside).with_extension("prompt.md"))
        } else {
            let folder = case.path.parent().filter(|it| !it.as_os_str().is_empty());
            elsewhere = ContextPacker::open(folder.unwrap_or(Path::new(".")))?;
            (&elsewhere, path.file_name().unwrap_or_default().into())
        };
        let inside = inside
            .to_str()
            .with_context(|| format!("the name of `{shown}` is not valid UTF-8"))?;
        if self.accept {
            packer.write_own(inside, prompt)?;
            return Ok(());
        }
        let failure = match packer.read_own(inside, MAX_SNAPSHOT)? {
            None => format!("there is no `{shown}` yet: use `--accept` to write it"),
            Some(kept) if kept == prompt => return Ok(()),
            Some(kept) => {
                outcome.difference = changed(&kept, prompt);
                format!("the prompt differs from `{shown}`; use `--accept` to update it")
            }
        };
        outcome.failures.push(failure);
        Ok(())
    }
}

/// Returns the lines in which a prompt differs from its snapshot; `None` if there is no room to
/// compare them.
fn changed(kept: &str, prompt: &str) -> Option<String> {
    let is_small = kept.len() + prompt.len() <= MAX_COMPARED;
    let lines = is_small.then(|| difference(kept, prompt, Most::SOME));
    lines?.ok()
}

/// Checks that a request asks for no more than a role of the repository may.
fn of_the_repository(order: &Order) -> anyhow::Result<()> {
    let is_path = |role: &str| role.contains(['/', '\\']) || Path::new(role).extension().is_some();
    let role = order.role.as_ref();
    let refused = match role {
        Some(role) if role.as_str().is_none_or(is_path) => "role",
        _ if order.overrides.common.engine.is_some() => "engine",
        _ => return Ok(()),
    };
    anyhow::bail!(
        "`{refused}` is not allowed: a case found in the repository names a role by its name and \
         leaves the engine to it; pass the case's own path to allow more"
    )
}

fn table(outcomes: &[Outcome]) -> String {
    let mut table = Table::new(&["case", "result", "tokens", "budget"]);
    let number = |of: Option<usize>| of.map_or_else(String::new, show::grouped);
    for outcome in outcomes {
        let result = if outcome.passed { "passed" } else { "FAILED" };
        let (tokens, budget) = (number(outcome.tokens), number(outcome.budget));
        table.row([outcome.case.clone(), result.to_owned(), tokens, budget]);
    }
    let mut text = table.print("<<>>");
    let has_more = |outcome: &&Outcome| !outcome.passed || !outcome.warnings.is_empty();
    for outcome in outcomes.iter().filter(has_more) {
        text.push_str(&format!("\n{}\n", outcome.case));
        for failure in &outcome.failures {
            text.push_str(&format!("  {failure}\n"));
        }
        for line in outcome.difference.iter().flat_map(|lines| lines.lines()) {
            text.push_str(&format!("  {line}\n"));
        }
        for warning in &outcome.warnings {
            text.push_str(&format!("  warning: {}\n", show::visible(warning)));
        }
    }
    text
}
