//! `packer batch`: many requests in one process, one per line.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context as _;
use context_packer::command::{masked, reason, show, write_with};
use context_packer::diagnostics::Place;
use context_packer::memory::make_room_for;
use context_packer::report::Report;
use context_packer::{ContextPacker, Error, ErrorKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::config::Config;
use super::report::Terminal;
use super::request::{Delivery, Order, PromptFormat};
use super::trust::Rendered;
use super::{Global, fields, output};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer batch requests.jsonl > reports.jsonl
  packer batch requests.jsonl -o reports.jsonl
  echo '{\"id\": 1, \"role\": \"planner\", \"task\": \"Split the parser\"}' | packer batch

A line is a request as for --request, with two more fields: `id`, which its report repeats,
and `repo`, the repository. The schemas: packer schema batch-request, packer schema batch-report";

/// The longest line, in bytes; the same as for a request.
const MAX_LINE: usize = 10 * 1024 * 1024;

/// The most lines that wait…
const MAX_WAITING: usize = 256;

/// …and the most bytes of them, unless a single one has more.
const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;

/// The number of repositories, the most recently asked about, whose findings are kept.
const MAX_REPOSITORIES: usize = 4;

/// The stack that the reading thread needs, in bytes.
const STACK: usize = 256 * 1024;

#[derive(Debug, clap::Args)]
pub(super) struct BatchArgs {
    /// The file of requests, one JSON object per line; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    requests: PathBuf,

    /// Write to this file, completely or not at all; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The answer to a line of a batch.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "A line that `packer batch` prints")]
pub(super) enum Answer {
    /// The prompt, with all that is known about it.
    Built(Box<Built>),
    /// Why there is no prompt.
    Failed(Box<Failed>),
}

/// The report of a request that a prompt could be built for.
#[derive(Serialize, JsonSchema)]
pub(super) struct Built {
    /// The `id` of the request; null if it has none.
    id: Json,
    /// The number of its line, from 1. Empty lines count.
    line: usize,
    #[serde(flatten)]
    report: Report,
}

/// A request that no prompt could be built for.
#[derive(Serialize, JsonSchema)]
pub(super) struct Failed {
    /// The `id` of the request; null if it has none or it cannot be read.
    id: Json,
    /// The number of its line, from 1. Empty lines count.
    line: usize,
    /// What is wrong.
    error: Failure,
}

/// Why there is no prompt.
#[derive(Debug, Serialize, JsonSchema)]
struct Failure {
    /// Where to look for the mistake.
    kind: FailureKind,
    /// What is wrong, in a sentence.
    message: String,
    /// What to do about it.
    help: Option<String>,
    /// Where in a role or a template it is.
    place: Option<Place>,
}

/// What a failure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FailureKind {
    /// The line, or what it asks for.
    Request,
    /// The role.
    Role,
    /// The template.
    Template,
    /// The folder to build a prompt from.
    Repository,
    /// A file that the request names.
    File,
    /// A bug in packer.
    Internal,
}

pub(super) fn run(global: &Global, args: &BatchArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let input: Box<dyn BufRead + Send> = if args.requests == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(open(&args.requests)?))
    };
    make_room_for(MAX_REPOSITORIES);
    let mut batch = Batch::new(global);
    let lines = Lines::of(input, &batch.looks)?;
    let answered = match output::file(args.output.as_ref()) {
        Some(path) => write_with(path, |out| batch.answer(&lines, out)).map_err(Into::into),
        None => batch.answer(&lines, &mut io::stdout()).map_err(Into::into),
    };
    terminal.warn(batch.end());
    answered
}

fn open(path: &Path) -> anyhow::Result<std::fs::File> {
    let opened = std::fs::File::open(path).and_then(|file| {
        if file.metadata()?.is_dir() {
            return Err(io::Error::other("it is a folder"));
        }
        Ok(file)
    });
    opened.map_err(|e| {
        let (path, why) = (show::path(path), reason(&e));
        anyhow::anyhow!("cannot read the requests `{path}`: {why}")
    })
}

/// Answers one line after the other.
struct Batch<'a> {
    global: &'a Global,
    /// The fields of a request.
    known: Vec<String>,
    /// The repositories that were asked about most recently, the latest at the end.
    kept: Vec<KeptRepository>,
    /// How many looks at the disk were begun.
    looks: Arc<AtomicUsize>,
    /// Why something could not be kept.
    lost: Vec<String>,
}

/// A repository and what is known of it.
struct KeptRepository {
    /// Its path as the request gave it.
    root: PathBuf,
    packer: ContextPacker,
    config: Config,
    /// The look in which the shared findings were made.
    look: usize,
}

impl<'a> Batch<'a> {
    fn new(global: &'a Global) -> Batch<'a> {
        Batch {
            global,
            known: fields::names::<Order>(&[]),
            kept: Vec::new(),
            looks: Arc::default(),
            lost: Vec::new(),
        }
    }

    fn answer(&mut self, lines: &Lines, out: &mut dyn Write) -> io::Result<()> {
        while let Some(line) = lines.next() {
            let line = line?;
            // What came before the last look began may share it, all else wants a new one.
            if line.seen == self.looks.load(Ordering::SeqCst) {
                self.looks.fetch_add(1, Ordering::SeqCst);
            }
            let mut text = serde_json::to_vec(&self.answer_to(line))?;
            text.push(b'\n');
            out.write_all(&text)?;
            out.flush()?;
        }
        Ok(())
    }

    /// Drops all repositories. Returns why their findings could not be kept.
    fn end(mut self) -> Vec<String> {
        for kept in std::mem::take(&mut self.kept) {
            self.let_go(&kept);
        }
        self.lost
    }

    /// Keeps what was learned about a repository for the next run.
    fn let_go(&mut self, kept: &KeptRepository) {
        let lost = kept.packer.keep().err();
        self.lost.extend(lost.map(|error| error.to_string()));
        self.lost.dedup();
    }

    fn answer_to(&mut self, line: Line) -> Answer {
        let (number, mut id) = (line.number, Json::Null);
        let built = catch_unwind(AssertUnwindSafe(|| self.report(line, &mut id)));
        let failure = match built {
            Ok(Ok(report)) => {
                let line = number;
                return Answer::Built(Box::new(Built { id, line, report }));
            }
            Ok(Err(error)) => Failure::of(&error),
            Err(_) => {
                // Whatever was being done to them is not done.
                self.kept.clear();
                Failure::internal()
            }
        };
        Answer::Failed(Box::new(Failed {
            id,
            line: number,
            error: failure,
        }))
    }

    /// Builds the report that a line asks for, and sets the line's `id`.
    fn report(&mut self, line: Line, id: &mut Json) -> anyhow::Result<Report> {
        let text = line.text.map_err(anyhow::Error::msg)?;
        let mut fields = parse(&text)?;
        *id = fields.shift_remove("id").unwrap_or_default();
        let root = match fields.shift_remove("repo") {
            None | Some(Json::Null) => self.global.root()?,
            Some(Json::String(folder)) => PathBuf::from(folder),
            Some(_) => anyhow::bail!("`repo` is not a string"),
        };
        let mut order: Order = fields::read(fields, &self.known)?;
        check(&order.delivery)?;
        let global = self.global;
        global.lay_over(&mut order);
        let kept = self.kept(root.clone())?;
        kept.config.lay_under(&mut order);
        let job = order.prepare(&global.roles_of(&root)?)?;
        Ok(job.build(&kept.packer)?.report())
    }

    /// Returns what is kept of a repository, with a look that is recent enough.
    fn kept(&mut self, root: PathBuf) -> anyhow::Result<&KeptRepository> {
        let look = self.looks.load(Ordering::SeqCst);
        let known = self.kept.iter().position(|kept| kept.root == root);
        let known = known.map(|at| self.kept.remove(at));
        let mut kept = match known {
            Some(kept) => kept,
            None => KeptRepository {
                packer: self.global.packer_of(&root)?,
                config: Config::default(),
                root,
                look: 0,
            },
        };
        if kept.look != look {
            let templates = self.global.templates(&kept.packer, Rendered::Trusted)?;
            kept.packer = kept.packer.with_templates(templates);
            kept.config = Config::of(self.global, &kept.packer)?;
            kept.packer.look_again()?;
            kept.look = look;
        }
        if self.kept.len() == MAX_REPOSITORIES {
            let first = self.kept.remove(0);
            self.let_go(&first);
        }
        self.kept.push(kept);
        self.kept.last().context("no repository is kept")
    }
}

/// Parses the fields of a line.
fn parse(text: &str) -> anyhow::Result<Map<String, Json>> {
    match context_packer::command::parse_request(text) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(_) => anyhow::bail!("the line is not a JSON object"),
        Err(error) => anyhow::bail!("the line is not JSON: {error}"),
    }
}

/// The fields of a request that say what a single run prints, and where.
pub(super) const REFUSED: [&str; 3] = ["output", "explain", "format"];

/// Refuses those fields, unless they ask for what is done anyway.
fn check(delivery: &Delivery) -> anyhow::Result<()> {
    let is_asked = [
        delivery.output.is_some(),
        delivery.explain,
        delivery
            .format
            .is_some_and(|format| format != PromptFormat::Json),
    ];
    let mut refused = REFUSED.into_iter().zip(is_asked);
    match refused.find(|(_, is_asked)| *is_asked) {
        None => Ok(()),
        Some((field, _)) => anyhow::bail!(
            "`{field}` is not allowed in a batch: each line is answered by a report and nothing \
             else"
        ),
    }
}

impl Failure {
    fn of(error: &anyhow::Error) -> Failure {
        let Some(known) = error.downcast_ref::<Error>() else {
            return Failure {
                kind: FailureKind::Request,
                message: masked(format!("{error:#}")),
                help: None,
                place: None,
            };
        };
        let kind = match known.kind() {
            ErrorKind::Role => FailureKind::Role,
            ErrorKind::Template => FailureKind::Template,
            ErrorKind::Repository => FailureKind::Repository,
            ErrorKind::File => FailureKind::File,
            _ => FailureKind::Request,
        };
        let first = &known.diagnostics()[0];
        let more = match known.diagnostics().len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Failure {
            kind,
            message: masked(format!("{}{more}", first.message)),
            help: first.help.clone().map(masked),
            place: first.place.clone(),
        }
    }

    fn internal() -> Failure {
        Failure {
            kind: FailureKind::Internal,
            message: "a bug in packer; standard error says where".into(),
            help: None,
            place: None,
        }
    }
}

/// A line that was read.
struct Line {
    number: usize,
    /// The text, or why it cannot be used.
    text: Result<String, String>,
    /// How many looks at the disk had begun when it was read.
    seen: usize,
}

/// Lines on their way from the thread that reads them to the one that answers them.
struct Lines(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<io::Result<Line>>,
    bytes: usize,
    is_closed: bool,
}

impl Lines {
    /// Begins to read lines.
    fn of(input: Box<dyn BufRead + Send>, looks: &Arc<AtomicUsize>) -> io::Result<Lines> {
        let shared = Arc::<Shared>::default();
        let (sender, looks) = (Arc::clone(&shared), Arc::clone(looks));
        let read = move || {
            each_line(input, |number, text| {
                let seen = looks.load(Ordering::SeqCst);
                sender.send(text.map(|text| Line { number, text, seen }));
            });
            sender.lock().is_closed = true;
            sender.changed.notify_all();
        };
        // It ends with the input, or with the process.
        thread::Builder::new().stack_size(STACK).spawn(read)?;
        Ok(Lines(shared))
    }

    /// Waits for the next line; `None` at the end.
    fn next(&self) -> Option<io::Result<Line>> {
        let mut waiting = self.0.lock();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.bytes -= size(&line);
                self.0.changed.notify_all();
                return Some(line);
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self.0.wait(waiting);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, waiting: MutexGuard<'a, Waiting>) -> MutexGuard<'a, Waiting> {
        let waiting = self.changed.wait(waiting);
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on a line once there is room for it.
    fn send(&self, line: io::Result<Line>) {
        let mut waiting = self.lock();
        let is_full = |waiting: &Waiting| {
            waiting.lines.len() >= MAX_WAITING
                || waiting.bytes > 0 && waiting.bytes + size(&line) > MAX_WAITING_BYTES
        };
        while is_full(&waiting) {
            waiting = self.wait(waiting);
        }
        waiting.bytes += size(&line);
        waiting.lines.push_back(line);
        self.changed.notify_all();
    }
}

fn size(line: &io::Result<Line>) -> usize {
    let text = line.as_ref().ok().map(|line| &line.text);
    text.and_then(|text| text.as_ref().ok())
        .map_or(0, String::len)
}

/// Passes on the lines of a text that are not empty, each with its number and its text, or why it
/// cannot be used.
fn each_line(
    mut input: impl BufRead,
    mut take: impl FnMut(usize, io::Result<Result<String, String>>),
) {
    for number in 1.. {
        let mut bytes = Vec::new();
        let most = MAX_LINE as u64 + 1;
        let read = (&mut input).take(most).read_until(b'\n', &mut bytes);
        match read {
            Err(error) => return take(number, Err(error)),
            Ok(0) => return,
            Ok(_) => {}
        }
        if bytes.len() > MAX_LINE && !bytes.ends_with(b"\n") {
            drop(bytes);
            let why = format!("the line has more than {} MiB", MAX_LINE >> 20);
            let skipped = input.skip_until(b'\n');
            take(number, skipped.map(|_| Err(why)));
            continue;
        }
        match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => take(
                number,
                Ok(Ok(text.trim_start_matches('\u{feff}').to_owned())),
            ),
            Err(_) => take(number, Ok(Err("the line is not valid UTF-8".into()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<(usize, Result<String, String>)> {
        let mut lines = Vec::new();
        each_line(input, |number, text| lines.push((number, text.unwrap())));
        lines
    }

    #[test]
    fn empty_lines_are_passed_over_and_counted() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(
            lines(b"\n \r\na\r\n\nb"),
            [(3, text("a\r\n")), (5, text("b"))]
        );
    }

    #[test]
    fn a_line_that_is_no_text_is_one_that_fails() {
        let said = lines(b"\xff\nb\n");
        assert!(said[0].1.is_err());
        assert_eq!(said[1], (2, Ok("b\n".into())));
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_to_its_end() {
        let mut input = vec![b'a'; MAX_LINE];
        input.extend(b"\nb");
        assert!(lines(&input)[0].1.is_ok());
        input.insert(0, b'a');
        let said = lines(&input);
        assert!(said[0].1.as_ref().is_err_and(|why| why.contains("10 MiB")));
        assert_eq!(said[1], (2, Ok("b".into())));
    }
}
