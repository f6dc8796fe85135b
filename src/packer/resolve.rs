//! The settings of one prompt: the request wins over the role, whose defaults are already filled
//! in.

use crate::error::{Error, ErrorKind};
use crate::models::Model;
use crate::repo::WantedChange;
use crate::request::{Budget, CommonOverrides, Earlier, Overrides, Request};
use crate::role::Role;
use crate::settings::{Change, Prune, Style};
use crate::show::{grouped, quoted};
use crate::source::{ChosenChange, ChosenEngine};
use crate::tokens::Counter;

/// The most tokens that a prompt has, whatever its budget. It is held in memory together with its
/// files, and is written several times until it fits. No model reads that much.
const MOST_TOKENS: usize = 2_700_000;

/// What one prompt is built for.
pub(super) struct Brief<'a> {
    pub(super) role: &'a Role,
    pub(super) request: &'a Request,
    pub(super) effective: Effective,
}

impl Brief<'_> {
    /// Combines what this request asks for with what the role says where the request does not.
    ///
    /// # Errors
    ///
    /// The errors of [`resolve`].
    pub(super) fn of<'a>(role: &'a Role, request: &'a Request) -> Result<Brief<'a>, Error> {
        Ok(Brief {
            role,
            request,
            effective: resolve(role, &request.overrides)?,
        })
    }

    /// Returns the system prompt, if it is a message of its own.
    pub(super) fn system(&self) -> Option<&str> {
        let turn = self.effective.turn.as_ref();
        turn.map(|_| self.role.system_prompt())
    }
}

/// The result of combining the request and the role.
#[derive(Clone)]
pub(super) struct Effective {
    pub(super) budget: usize,
    /// A larger budget that was asked for, for which there is not enough memory.
    pub(super) asked: Option<usize>,
    pub(super) prune: Prune,
    pub(super) style: Style,
    pub(super) engine: ChosenEngine,
    pub(super) tokenizer: Counter,
    /// Whether what [`Overrides::strict`] names is an error.
    pub(super) strict: bool,
    pub(super) change: ChosenChange,
    /// How the prompt is cut into messages, if it is.
    pub(super) turn: Option<Turn>,
}

/// A prompt as messages.
#[derive(Clone)]
pub(super) struct Turn {
    /// The most places that are marked.
    pub(super) cache_points: usize,
    /// Whether the role stands after the context.
    pub(super) role_last: bool,
    /// What an earlier prompt showed.
    pub(super) since: Option<Earlier>,
}

impl Turn {
    /// Whether the prompt is one of a run in which each continues the one before it.
    pub(super) fn is_of_run(&self) -> bool {
        self.role_last || self.since.is_some()
    }
}

/// # Errors
///
/// An error for a tokenizer that this build lacks, for two changes at once, and for a budget that
/// the model has no room for or that needs a model.
fn resolve(role: &Role, overrides: &Overrides) -> Result<Effective, Error> {
    // Nothing that may be asked for goes unheard: each field is named.
    let Overrides {
        budget,
        prune,
        style,
        strict,
        change,
        turn,
        common,
    } = overrides;
    let CommonOverrides { model, engine, .. } = common;
    let context = role.context();
    turn.check()?;
    let change = change.which()?;
    let budget = tokens(*budget, context.token_budget, *model)?;
    let tokenizer = match common.tokenizer() {
        Some(tokenizer) => tokenizer.counter_of("the request")?,
        None => {
            let whose = format!("the role `{}`", quoted(role.name()));
            context.tokenizer.counter_of(&whose)?
        }
    };
    Ok(Effective {
        budget: budget.min(MOST_TOKENS),
        asked: Some(budget).filter(|asked| *asked > MOST_TOKENS),
        prune: (*prune).unwrap_or(context.prune),
        style: (*style).unwrap_or(context.style),
        engine: ChosenEngine {
            engine: (*engine).unwrap_or(context.engine),
            by_caller: engine.is_some(),
        },
        tokenizer,
        strict: strict.unwrap_or(false),
        turn: turn.wants_messages().then(|| Turn {
            cache_points: turn.cache_points.unwrap_or(0).into(),
            role_last: turn.role_last == Some(true)
                || turn.since.as_ref().is_some_and(|it| it.shown.role_last),
            since: turn.since.clone(),
        }),
        change: ChosenChange::new(
            change.clone().unwrap_or(match context.change {
                Change::Staged => WantedChange::Staged,
                Change::WorkTree => WantedChange::WorkTree,
                Change::Latest => WantedChange::Latest,
            }),
            change.is_some(),
        ),
    })
}

/// Returns the budget in tokens: the one that is asked for, or the role's.
fn tokens(asked: Option<Budget>, of_role: usize, model: Option<Model>) -> Result<usize, Error> {
    let refuse =
        |message: String, help: &str| Err(Error::advise(ErrorKind::Request, message, help));
    let tokens = match (asked, model) {
        (Some(Budget::Auto), None) => {
            let message =
                "the budget `auto` needs a model: it is a share of the model's context window";
            return refuse(
                message.into(),
                "name it with `--model`, or `model` in the request",
            );
        }
        (Some(Budget::Auto), Some(model)) => model.budget(),
        (Some(Budget::Tokens(tokens)), _) => tokens,
        (None, _) => of_role,
    };
    match model.filter(|model| tokens > model.window()) {
        None => Ok(tokens),
        Some(model) => {
            let (tokens, window) = (grouped(tokens), grouped(model.window()));
            let message = format!(
                "the budget of {tokens} tokens is larger than the context window of `{model}`, \
                 which is {window}"
            );
            refuse(message, "use `--budget auto` for an eighth of the window")
        }
    }
}
