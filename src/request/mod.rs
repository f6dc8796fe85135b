//! What a caller asks for beside the role.

mod budget;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

pub use self::budget::Budget;
#[cfg(feature = "cli")]
use crate::choice::by_name;
use crate::error::{Error, ErrorKind};
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
const MAX_KEY: usize = 64;

/// The most extra sections.
const MAX_EXTRA: usize = 1000;

/// The most targets, and the most bytes that they have together: there may be something to say
/// of each of them.
const MAX_TARGETS: usize = 10_000;
const MAX_TARGETS_BYTES: usize = 1024 * 1024;

/// The largest diff that a caller may bring, in bytes; as much as is made of any.
const MAX_DIFF: usize = 5 * 1024 * 1024;

/// The most lines of a text that a caller brings: each takes room of its own while it is
/// decided what of it is shown.
const MAX_LINES: usize = 1_000_000;

/// What may be asked for otherwise than the role says, in whichever way a request comes.
///
/// A field is an option of the command, a field of its requests and an argument of its
/// tools at once, described by its one comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct Overrides {
    /// The token budget of the whole prompt, in place of the role's; `auto` for an eighth of
    /// the model's context window. `pack` leaves 1,000 tokens of it for a template.
    #[cfg_attr(feature = "cli", arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = in_range))]
    pub budget: Option<Budget>,

    /// What happens when it does not fit, in place of the role's.
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE"))]
    pub prune: Option<Prune>,

    /// How sections are written, in place of the role's.
    #[cfg_attr(feature = "cli", arg(long, value_name = "STYLE"))]
    pub style: Option<Style>,

    /// Fail on a fallback, a prompt over its budget, a target that cannot be read, a change
    /// that was named and is empty or cannot be found, or characters in the prompt that do not
    /// show and can hide instructions.
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

    /// Whether the prompt is one of many, and how it begins then.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub turn: TurnOverrides,

    /// What every command takes.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub common: CommonOverrides,
}

/// The change that a prompt is about, in place of the role's. Its diff is shown whatever the
/// role says, and files are related to what it touches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct ChangeOverrides {
    /// Show what HEAD changed since it left this branch, tag or commit; with `worktree`,
    /// what is not committed as well.
    #[cfg_attr(feature = "cli", arg(long, value_name = "REF"))]
    pub base: Option<String>,

    /// Show what differs from the last commit: staged, not staged, and new files.
    #[cfg_attr(feature = "cli", arg(long))]
    pub worktree: bool,

    /// Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "@FILE", conflicts_with_all = ["base", "worktree"])
    )]
    pub diff: Option<String>,
}

/// A prompt as messages for a model, of which providers remember how they begin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::Args))]
#[serde(default)]
#[non_exhaustive]
pub struct TurnOverrides {
    /// Build the prompt as messages, with what changes least first; the report has them as
    /// `messages`.
    #[cfg_attr(
        feature = "cli",
        arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true",
            value_name = "true|false", hide_possible_values = true)
    )]
    pub messages: Option<bool>,

    /// Mark at most so many places in the messages up to which a provider is to remember them.
    #[cfg_attr(feature = "cli", schemars(range(max = MAX_CACHE_POINTS)))]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=MAX_CACHE_POINTS))
    )]
    pub cache_points: Option<u8>,

    /// Have the role behind the context instead of in the system message, so that the prompts
    /// of several roles begin alike. What goes on from such a prompt does so too.
    #[cfg_attr(
        feature = "cli",
        arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true",
            value_name = "true|false", hide_possible_values = true)
    )]
    pub role_last: Option<bool>,

    /// The report of an earlier prompt of this run, built as messages: this one begins as that
    /// one did, as far as it still holds and there is room.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub since: Option<Earlier>,
}

/// The most places that may be marked: as many as there are kinds of content.
pub const MAX_CACHE_POINTS: i64 = 4;

/// The report of an earlier prompt, of which only this is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Earlier {
    /// What that prompt showed.
    pub shown: Shown,
    /// Its text. Without it the next one begins as it did up to the first file that changed
    /// since; with it, what it said of such a file stays where it was, and is said to be old.
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
            let help = "a report does if its prompt was built with `--messages --format json`";
            Error::advise(ErrorKind::Request, message, help)
        })
    }
}

impl TurnOverrides {
    /// Refuses more places to be remembered than a provider takes.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), Error> {
        let points = self.cache_points.map_or(0, i64::from);
        if points > MAX_CACHE_POINTS {
            let message = format!("`cache_points` has to be at most {MAX_CACHE_POINTS}");
            return Err(Error::say(ErrorKind::Request, message));
        }
        Ok(())
    }

    /// These, and those of `others` where these say nothing. Who wants no messages takes
    /// nothing of how those of `others` are to be.
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

    /// Whether there are to be messages: who says how they are to be wants some.
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
    /// How tokens are counted, in place of the role's.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "NAME", global = true, value_parser = built_in())
    )]
    pub tokenizer: Option<Tokenizer>,

    /// The model that the prompt is for: it says how tokens are counted, unless `tokenizer`
    /// does, and how large `auto` is as a budget.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "NAME", global = true, value_parser = str::parse::<Model>)
    )]
    pub model: Option<Model>,

    /// Who packs what the plain patterns match, in place of the role's.
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
    /// These, and those of `others` where these say nothing.
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
    /// These, or those of `others` if these name no change.
    #[must_use]
    pub fn or(self, others: ChangeOverrides) -> ChangeOverrides {
        if self == ChangeOverrides::default() {
            others
        } else {
            self
        }
    }

    /// The change that is asked for, if one is.
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
                refuse("`diff` is a change, and `base` another one: give one of them".into())
            }
            (None, Some(_)) if *worktree => {
                refuse("`diff` is a change, and `worktree` another one: give one of them".into())
            }
            (None, Some(text)) => {
                let bytes = over(text.len(), MAX_DIFF, "bytes");
                match bytes.or_else(|| too_many_lines(text)) {
                    Some(why) => {
                        refuse(format!("the diff has {why}: give the diff of fewer files"))
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
    /// How tokens are to be counted: as is said, or as the model does.
    pub fn tokenizer(self) -> Option<Tokenizer> {
        self.tokenizer.or(self.model.map(Model::tokenizer))
    }

    /// These, and those of `others` where these say nothing.
    #[must_use]
    pub fn or(self, others: CommonOverrides) -> CommonOverrides {
        CommonOverrides {
            tokenizer: self.tokenizer.or(others.tokenizer),
            model: self.model.or(others.model),
            engine: self.engine.or(others.engine),
        }
    }
}

/// A task, its target files, and what wins over the role's own settings.
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
    /// What the task is about, relative to the repository or absolute inside it: files,
    /// folders, lines (`src/a.rs:120-180`), symbols (`src/a.rs::Config::load`), and what globs
    /// match (`src/*.py`). What is there by that very name wins over every other reading.
    /// There are at most 10,000 of them, with 1 MiB together, each of at most 8 KiB.
    pub targets: Vec<String>,
    /// Extra sections: a key and its text, in order; at most 1,000.
    pub extra: Vec<(String, String)>,
    /// What a template finds under `data`: results of builders, for example. It is the
    /// template's own, so it is never pruned.
    pub data: Map<String, Json>,
    /// What wins over the role.
    pub overrides: Overrides,
    /// Who chose the targets, which decides what may be read as one: a model reads no file
    /// that git ignores.
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

    /// Refuses more targets than there may be: a model may name them, and each takes its time.
    pub(crate) fn check_targets(&self) -> Result<(), Error> {
        let count = self.targets.len();
        let bytes: usize = self.targets.iter().map(String::len).sum();
        let why = if count > MAX_TARGETS {
            format!("{count} targets are too many: the limit is {MAX_TARGETS}")
        } else if bytes > MAX_TARGETS_BYTES {
            format!("the targets have {bytes} bytes together, and the limit is {MAX_TARGETS_BYTES}")
        } else {
            return Ok(());
        };
        Err(Error::say(ErrorKind::Request, why))
    }

    /// The extra sections that are not empty, under their keys.
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
                let message = format!("the extra section `{name}` has {lines}: give a part of it");
                return Err(Error::say(ErrorKind::Request, message));
            }
            if !text.trim().is_empty() {
                sections.push((key, text.clone()));
            }
        }
        Ok(sections)
    }
}

/// How many lines a text has, if they are more than it may have.
fn too_many_lines(text: &str) -> Option<String> {
    over(split::count_lines(text), MAX_LINES, "lines")
}

/// Says that a number is over its limit.
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
            "a name is one line of at most {MAX_KEY} characters"
        ));
    }
    let key = Key::from_name(name);
    if key.may_be_brought() {
        Ok(key)
    } else {
        Err("it is the name of a built-in section".into())
    }
}
