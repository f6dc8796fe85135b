//! What a caller asks for beside the role.

mod budget;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

pub use self::budget::Budget;
#[cfg(feature = "cli")]
use crate::choice::by_name;
use crate::error::{Error, ErrorKind};
use crate::json::some_whole;
use crate::models::Model;
use crate::repo::{Asker, WantedChange};
#[cfg(feature = "cli")]
use crate::role::schema::MAX_BUDGET;
use crate::section::Key;
use crate::settings::{Engine, Prune, Style};
use crate::show::{grouped, quoted};
use crate::shown::Shown;
use crate::split;
use crate::tokens::Tokenizer;

/// The longest name of an extra section, in characters.
pub const MAX_KEY: usize = 64;

/// The most extra sections.
const MAX_EXTRA: usize = 1000;

/// The most targets, and the most bytes of all of them. Each may get a message of its own.
const MAX_TARGETS: usize = 10_000;
const MAX_TARGETS_BYTES: usize = 1024 * 1024;

/// The largest diff that a caller may bring, in bytes; the same limit as for a diff from git.
const MAX_DIFF: usize = 5 * 1024 * 1024;

/// The most lines of a text that a caller brings. Each takes memory while packer chooses what to
/// show.
const MAX_LINES: usize = 1_000_000;

/// What a caller overrides of the role, however the request comes.
///
/// Each field is an option of the command, a field of its requests and an argument of its tools,
/// all described by the one comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct Overrides {
    /// The token budget of the whole prompt, instead of the role's; `auto` is an eighth of the
    /// model's context window. `pack` leaves 1,000 tokens of it for a template.
    #[cfg_attr(feature = "cli", arg(long, value_name = "TOKENS", value_parser = in_range))]
    pub budget: Option<Budget>,

    /// What to do when the sections do not fit, instead of the role's rule.
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE"))]
    pub prune: Option<Prune>,

    /// How sections are written, instead of the role's style.
    #[cfg_attr(feature = "cli", arg(long, value_name = "STYLE"))]
    pub style: Option<Style>,

    /// Fail if the template fails, the prompt is over its budget, a target cannot be read, a named
    /// change is empty or cannot be found, repomix is to list the files and cannot, or the prompt
    /// has invisible characters that can hide instructions.
    #[cfg_attr(
        feature = "cli",
        arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true",
            value_name = "true|false", hide_possible_values = true)
    )]
    pub strict: Option<bool>,

    /// Which change the prompt is about.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub change: ChangeOverrides,

    /// Whether the prompt is one of many, and how it then begins.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub turn: TurnOverrides,

    /// What every command takes.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub common: CommonOverrides,
}

/// The change that a prompt is about, instead of the role's. Its diff is shown whatever the role
/// says, and files are chosen for what it touches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct ChangeOverrides {
    /// Show what HEAD changed since it left this branch, tag or commit; with `worktree`,
    /// uncommitted changes too.
    #[cfg_attr(feature = "cli", arg(long, value_name = "REF"))]
    pub base: Option<String>,

    /// Show what differs from the last commit: staged, unstaged and new files.
    #[cfg_attr(feature = "cli", arg(long))]
    pub worktree: bool,

    /// Show this diff: its text, or as an option `@FILE`, with `@-` for standard input.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "@FILE", conflicts_with_all = ["base", "worktree"])
    )]
    pub diff: Option<String>,
}

/// A prompt as messages for a model. Providers cache the beginning that prompts share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct TurnOverrides {
    /// Build the prompt as messages, with the parts that change least first; the report has them as
    /// `messages`.
    #[cfg_attr(
        feature = "cli",
        arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true",
            value_name = "true|false", hide_possible_values = true)
    )]
    pub messages: Option<bool>,

    /// Mark up to N cache points in the messages: places up to which a provider should cache the
    /// prompt.
    #[serde(deserialize_with = "some_whole")]
    #[cfg_attr(feature = "cli", schemars(range(max = MAX_CACHE_POINTS)))]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=MAX_CACHE_POINTS))
    )]
    pub cache_points: Option<u8>,

    /// Put the role after the context instead of in the system message, so that prompts of several
    /// roles begin alike. A prompt that continues such a prompt does the same.
    #[cfg_attr(
        feature = "cli",
        arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true",
            value_name = "true|false", hide_possible_values = true)
    )]
    pub role_last: Option<bool>,

    /// The report of an earlier prompt of this run, built as messages. The new prompt begins with
    /// the same text as far as it still holds and fits.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub since: Option<Earlier>,
}

/// The most cache points: as many as there are kinds of content.
pub const MAX_CACHE_POINTS: i64 = 4;

/// The report of an earlier prompt. Only these fields of it are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Earlier {
    /// What that prompt showed.
    pub shown: Shown,
    /// Its text. Without it, the next prompt repeats the earlier one up to the first file that
    /// changed since. With it, outdated text of such a file stays in place and is marked as
    /// outdated.
    #[serde(default)]
    pub prompt: String,
}

impl Earlier {
    /// Reads a report.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`]: it is no JSON, or not the report of a prompt that was built as
    /// messages.
    pub fn parse(report: &str) -> Result<Earlier, Error> {
        serde_json::from_str(report).map_err(|why| {
            let message = format!("it does not say what was shown: {why}");
            let help = "use the report of a prompt built with `--messages --format json`";
            Error::advise(ErrorKind::Request, message, help)
        })
    }
}

impl TurnOverrides {
    /// Refuses more cache points than a provider takes.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), Error> {
        let points = self.cache_points.map_or(0, i64::from);
        if points > MAX_CACHE_POINTS {
            let message = format!("`cache_points` must be at most {MAX_CACHE_POINTS}");
            return Err(Error::say(ErrorKind::Request, message));
        }
        Ok(())
    }

    /// Returns these overrides, filled in from `others` where they say nothing. If they turn
    /// messages off, they take nothing about messages from `others`.
    #[must_use]
    pub fn or(self, others: TurnOverrides) -> TurnOverrides {
        let wants_some = self.wants_messages();
        if self.messages == Some(false) && !wants_some {
            return self;
        }
        TurnOverrides {
            messages: wants_some.then_some(true).or(others.messages),
            cache_points: self.cache_points.or(others.cache_points),
            role_last: self.role_last.or(others.role_last),
            since: self.since.or(others.since),
        }
    }

    /// Whether messages are wanted: a setting that shapes messages implies them.
    pub(crate) fn wants_messages(&self) -> bool {
        let has_points = self.cache_points.is_some();
        [self.messages, self.role_last].contains(&Some(true)) || has_points || self.since.is_some()
    }
}

/// The overrides that every command takes, whether it builds a prompt or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct CommonOverrides {
    /// How tokens are counted, instead of the role's tokenizer.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "NAME", global = true, value_parser = built_in())
    )]
    pub tokenizer: Option<Tokenizer>,

    /// The model that the prompt is for. It decides how tokens are counted, unless `tokenizer`
    /// does, and how large the budget `auto` is.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "NAME", global = true, value_parser = str::parse::<Model>)
    )]
    pub model: Option<Model>,

    /// Which engine packs the files that plain patterns match, instead of the role's.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "ENGINE", global = true, value_parser = by_name::<Engine>())
    )]
    pub engine: Option<Engine>,
}

#[cfg(feature = "cli")]
fn in_range(text: &str) -> Result<Budget, String> {
    match text.parse::<Budget>()? {
        budget @ Budget::Tokens(tokens) if !budget.is_allowed() => {
            Err(format!("{tokens} is not in 1..={MAX_BUDGET}"))
        }
        budget => Ok(budget),
    }
}

#[cfg(feature = "cli")]
fn built_in() -> impl clap::builder::TypedValueParser<Value = Tokenizer> {
    use clap::builder::TypedValueParser as _;
    by_name::<Tokenizer>().try_map(Tokenizer::or_instead)
}

impl Overrides {
    /// Returns these overrides, filled in from `others` where they say nothing.
    #[must_use]
    pub fn or(self, others: Overrides) -> Overrides {
        Overrides {
            budget: self.budget.or(others.budget),
            prune: self.prune.or(others.prune),
            style: self.style.or(others.style),
            strict: self.strict.or(others.strict),
            change: self.change.or(others.change),
            turn: self.turn.or(others.turn),
            common: self.common.or(others.common),
        }
    }
}

impl ChangeOverrides {
    /// Returns these, or `others` if these name no change.
    #[must_use]
    pub fn or(self, others: ChangeOverrides) -> ChangeOverrides {
        if self == ChangeOverrides::default() {
            others
        } else {
            self
        }
    }

    /// Returns the change that is asked for, if there is one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] for two changes at once, and for a diff that is too large.
    pub(crate) fn which(&self) -> Result<Option<WantedChange>, Error> {
        let refuse = |message: String| Err(Error::say(ErrorKind::Request, message));
        let ChangeOverrides {
            base,
            worktree,
            diff,
        } = self;
        match (base, diff) {
            (Some(_), Some(_)) => {
                refuse("`diff` and `base` name different changes: give only one of them".into())
            }
            (None, Some(_)) if *worktree => {
                refuse("`diff` and `worktree` name different changes: give only one of them".into())
            }
            (None, Some(text)) => {
                let bytes = over(text.len(), MAX_DIFF, "bytes");
                match bytes.or_else(|| too_many_lines(text)) {
                    Some(why) => {
                        refuse(format!("the diff has {why}: pass the diff of fewer files"))
                    }
                    None => Ok(Some(WantedChange::Given(text.as_str().into()))),
                }
            }
            (Some(base), None) => Ok(Some(WantedChange::Since {
                base: base.clone(),
                work_tree: *worktree,
            })),
            (None, None) => Ok(worktree.then_some(WantedChange::WorkTree)),
        }
    }
}

impl CommonOverrides {
    /// Returns the tokenizer: the one that is named, or else the model's.
    pub fn tokenizer(self) -> Option<Tokenizer> {
        self.tokenizer.or(self.model.map(Model::tokenizer))
    }

    /// Returns these overrides, filled in from `others` where they say nothing.
    #[must_use]
    pub fn or(self, others: CommonOverrides) -> CommonOverrides {
        CommonOverrides {
            tokenizer: self.tokenizer.or(others.tokenizer),
            model: self.model.or(others.model),
            engine: self.engine.or(others.engine),
        }
    }
}

/// A task, its targets, and the settings that win over the role's own.
///
/// ```
/// use context_packer::Request;
/// use context_packer::settings::Style;
///
/// let mut request = Request::new("Add a --json flag")
///     .target("src/main.rs")
///     .budget(12_000);
/// request.overrides.style = Some(Style::Xml);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// The task description.
    pub task: String,
    /// What the task is about, relative to the repository or absolute inside it: files, folders,
    /// lines (`src/a.rs:120-180`), symbols (`src/a.rs::Config::load`) and globs (`src/*.py`). A
    /// file or folder with exactly that name wins over every other reading. There are at most
    /// 10,000 targets of at most 8 KiB each, with 1 MiB together.
    pub targets: Vec<String>,
    /// Extra sections: a key and its text, in order; at most 1,000.
    pub extra: Vec<(String, String)>,
    /// What a template finds under `data`, for example the results of builders. It belongs to the
    /// template, so it is never pruned.
    pub data: Map<String, Json>,
    /// The settings that win over the role's.
    pub overrides: Overrides,
    /// Who chose the targets. This decides what may be read: a model cannot read files that git
    /// ignores.
    pub asker: Asker,
}

impl Request {
    /// Asks for a prompt for this task.
    pub fn new(task: impl Into<String>) -> Request {
        Request {
            task: task.into(),
            ..Request::default()
        }
    }

    /// Adds a target: a file, a folder, lines, a symbol or a glob.
    pub fn target(mut self, path: impl Into<String>) -> Request {
        self.targets.push(path.into());
        self
    }

    /// Adds an extra section.
    pub fn extra(mut self, key: impl Into<String>, text: impl Into<String>) -> Request {
        self.extra.push((key.into(), text.into()));
        self
    }

    /// Adds a value that a template finds under `data`.
    pub fn data(mut self, key: impl Into<String>, value: impl Into<Json>) -> Request {
        self.data.insert(key.into(), value.into());
        self
    }

    /// Sets the budget in tokens.
    pub fn budget(mut self, tokens: usize) -> Request {
        self.overrides.budget = Some(tokens.into());
        self
    }

    /// Refuses more targets than the limit: a model may name them, and each takes time.
    pub(crate) fn check_targets(&self) -> Result<(), Error> {
        let count = self.targets.len();
        let bytes: usize = self.targets.iter().map(String::len).sum();
        let why = if count > MAX_TARGETS {
            format!("{count} targets are too many: the limit is {MAX_TARGETS}")
        } else if bytes > MAX_TARGETS_BYTES {
            format!("the targets take {bytes} bytes together, and the limit is {MAX_TARGETS_BYTES}")
        } else {
            return Ok(());
        };
        Err(Error::say(ErrorKind::Request, why))
    }

    /// Returns the extra sections that are not empty, under their keys.
    pub(crate) fn extra_sections(&self) -> Result<Vec<(Key, String)>, Error> {
        if self.extra.len() > MAX_EXTRA {
            let count = self.extra.len();
            let message = format!("{count} extra sections are too many: the limit is {MAX_EXTRA}");
            return Err(Error::say(ErrorKind::Request, message));
        }
        let mut sections: Vec<(Key, String)> = Vec::new();
        for (name, text) in &self.extra {
            let key = extra_key(name).map_err(|why| {
                let message = format!("`{}` cannot be an extra section: {why}", quoted(name));
                Error::say(ErrorKind::Request, message)
            })?;
            if sections.iter().any(|(have, _)| *have == key) {
                let message = format!("the extra section `{name}` is given twice");
                return Err(Error::say(ErrorKind::Request, message));
            }
            if let Some(lines) = too_many_lines(text) {
                let message =
                    format!("the extra section `{name}` has {lines}: pass only a part of it");
                return Err(Error::say(ErrorKind::Request, message));
            }
            if !text.trim().is_empty() {
                sections.push((key, text.clone()));
            }
        }
        Ok(sections)
    }
}

/// Returns the number of lines of a text, if it is over the limit.
fn too_many_lines(text: &str) -> Option<String> {
    over(split::count_lines(text), MAX_LINES, "lines")
}

/// Returns the message for a number over its limit.
fn over(number: usize, limit: usize, noun: &str) -> Option<String> {
    let told = || {
        format!(
            "{} {noun}, and the limit is {}",
            grouped(number),
            grouped(limit)
        )
    };
    (number > limit).then(told)
}

fn extra_key(name: &str) -> Result<Key, String> {
    if name.trim().is_empty() {
        return Err("it has no name".into());
    }
    if name.chars().count() > MAX_KEY || name.contains(['\n', '\r']) {
        return Err(format!(
            "a name must be one line of at most {MAX_KEY} characters"
        ));
    }
    let key = Key::from_name(name);
    if key.may_be_brought() {
        Ok(key)
    } else {
        Err("it is the name of a built-in section".into())
    }
}
