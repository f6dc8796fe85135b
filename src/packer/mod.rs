//! The pipeline in one sentence: gather, fit, write, render.

mod check;
mod complete;
mod dump;
mod explain;
#[cfg(unix)]
mod faults;
mod long_lines;
mod measure;
mod own;
mod resolve;
mod shape;
mod turn;
mod values;
mod warn;

use std::sync::Arc;

use serde_json::Value as Json;

pub use self::dump::{Dump, Dumped};
pub use self::explain::{
    ExcludedPath, ExplainedPiece, ExplainedSection, Explanation, Fate, FileAnswer, Question,
    Segment,
};
#[cfg(feature = "bench")]
pub(crate) use self::measure::Written;
use self::measure::cut_protected;
use self::resolve::Brief;
use self::shape::{Shape, Text, packed, with_system};
use self::warn::{
    accept, lost_sections, lost_task, role_notes, template_notes, warn, warn_left_out,
};
use crate::context::{Context, find_secrets};
use crate::error::{Error, ErrorKind};
use crate::index::Index;
use crate::parse::{Parser, Parsing};
use crate::prompt::{Flow, Prompt};
use crate::rank::searched;
use crate::repo::{Asker, Cache, Hidden, PathError, Progress, Refusal, Repo, RepoPath};
use crate::request::Request;
use crate::role::Role;
use crate::section::{Body, Key, Note, NoteKind, Pace, Piece, Section};
use crate::show::quoted;
use crate::source::diff::{pieces, remark};
use crate::source::{Ask, Gathered, Target, TargetError, gather};
use crate::template::Templates;

/// The tokens that `pack_file_context` leaves for a template that it cannot measure: 4,000
/// characters.
pub const TEMPLATE_RESERVE: usize = 1000;

/// The last line of a whole prompt whose protected text had to be cut.
pub const CUT_MARKER: &str = "[Context truncated due to token limit]";

/// Builds prompts from one repository.
///
/// Every method gathers what the role asks for, fits it to the role's token budget and returns a
/// [`Prompt`]: the text, and a report of what is in it. Problems in the repository are reported by
/// [`Prompt::warnings`]. An [`Error`] is always the caller's mistake and says what to do about it.
///
/// It is `Send` but not `Sync`: threads that build prompts at the same time need one each.
pub struct ContextPacker {
    repo: Repo,
    templates: Templates,
    parsing: Parsing,
}

impl ContextPacker {
    /// Opens the repository at `root`, with the shipped templates.
    ///
    /// It need not be a git repository. If it is not, everything that comes from git is empty.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Repository`] when there is no such folder.
    pub fn open(root: impl AsRef<std::path::Path>) -> Result<ContextPacker, Error> {
        Ok(ContextPacker {
            repo: Repo::open(root)?,
            templates: Templates::shipped(),
            parsing: Parsing::Never,
        })
    }

    /// Renders these templates instead of the shipped ones.
    pub fn with_templates(mut self, templates: Templates) -> ContextPacker {
        self.templates = templates;
        self
    }

    /// Sets where source is parsed to find the parts of files, their outlines and the map. Without
    /// this there are none, and files are cut into paragraphs.
    pub fn with_parsing(mut self, parsing: Parsing) -> ContextPacker {
        self.parsing = parsing;
        self
    }

    /// Keeps what is learned about the repository's files and history in `folder`, so that the next
    /// prompt takes less time. The prompt is the same with and without it.
    ///
    /// Entries belong to the repository's path. They take at most 12 MiB each, except one of 96 MiB
    /// or slightly more, and 256 MiB together. The folder may be deleted at any time.
    pub fn with_cache(mut self, folder: impl Into<std::path::PathBuf>) -> ContextPacker {
        self.repo.set_cache(Cache::new(folder));
        self
    }

    /// Tells `listener` how many files have been read while all files of a repository of more than
    /// 2,000 are searched: after every few hundred, never from two threads at once, and once more
    /// at the end. Reading waits until it returns. By default nobody is told.
    pub fn with_progress(
        mut self,
        listener: impl Fn(Progress) + Send + Sync + 'static,
    ) -> ContextPacker {
        self.repo.set_listener(Arc::new(listener));
        self
    }

    /// Takes a new look at the repository. All prompts share its findings until the next look.
    /// Without this, every prompt looks for itself.
    ///
    /// A prompt then shows the repository as it was when the look began, or later, so call this
    /// whenever a prompt must show what has changed since. Findings of earlier looks are reused as
    /// far as the new look shows that they still hold. A packer that is kept therefore saves most
    /// of the work; in a repository of 10,000 files it takes about 60 MB of memory for that.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Repository`] when the folder is gone.
    pub fn look_again(&mut self) -> Result<(), Error> {
        self.repo.look_again()
    }

    /// Writes to the [cache](Self::with_cache) what prompts have found out and not written yet. A
    /// long-lived packer writes from time to time; call this after the last of many prompts.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::File`] when it cannot be written.
    pub fn keep(&self) -> Result<(), Error> {
        let fail =
            |why: String| Error::say(ErrorKind::File, format!("cannot write the cache: {why}"));
        Index::commit_rest(&self.repo).map_err(fail)
    }

    /// Returns the folder that prompts are built from, with links resolved.
    pub fn root(&self) -> &std::path::Path {
        self.repo.root()
    }

    /// Builds the whole prompt: packs the context and renders the template.
    ///
    /// The template is measured first, and the context gets the rest of the budget. The text is
    /// never over the budget, unless the template with the task and the protected files alone is;
    /// then there is a warning. If a template fails to render, the prompt is built with
    /// [`pack_context`](Self::pack_context), with a warning.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`] if the template is not allowed; [`ErrorKind::Role`] for a pattern
    /// that does not parse; [`ErrorKind::Request`] for an impossible extra key, for a tokenizer
    /// that this build lacks, for two changes at once, and for everything that
    /// [`Overrides::strict`](crate::requests::Overrides::strict) does not accept.
    pub fn build_full_prompt(
        &self,
        template: &str,
        role: &Role,
        request: &Request,
    ) -> Result<Prompt, Error> {
        self.templates.get(template)?;
        let brief = Brief::of(role, request)?;
        let parser = self.parser();
        let mut context = self.gather(&brief, &parser)?;
        context
            .notes
            .extend(template_notes(&self.templates, template));
        let mut shape = self.template_shape(template, &brief, &mut context.notes);
        match shape.fit(&mut context, &brief.effective) {
            Ok(text) => {
                context.notes.extend(parser.close(&self.repo));
                context
                    .notes
                    .extend(lost_task(template, &request.task, &text.text));
                let lost = lost_sections(template, &context);
                context.notes.extend(lost);
                warn(&mut context, &text.text, &brief.effective);
                finished(text, context, &brief, Flow::Template)
                    .map(|prompt| prompt.with_template(template))
            }
            Err(problem) if brief.effective.strict => {
                Err(Error::new(ErrorKind::Template, *problem))
            }
            Err(problem) => {
                let line = problem.place.as_ref().map(|place| place.text.trim());
                let line = line.map_or(String::new(), |line| format!(" in `{}`", quoted(line)));
                let message = format!(
                    "the template failed, so the prompt is built without it: {problem}{line}"
                );
                context.notes.push(Note::new(NoteKind::Template, message));
                self.whole(context, &brief, &parser)
            }
        }
    }

    /// Packs only the file context, without instructions and task, and leaves [`TEMPLATE_RESERVE`]
    /// tokens of the budget for a template.
    ///
    /// # Errors
    ///
    /// The errors of [`build_full_prompt`](Self::build_full_prompt), except those about templates.
    pub fn pack_file_context(&self, role: &Role, request: &Request) -> Result<Prompt, Error> {
        let brief = Brief::of(role, request)?;
        let parser = self.parser();
        let mut context = self.gather(&brief, &parser)?;
        let text = Shape::Files
            .fit(&mut context, &brief.effective)
            .map_err(|problem| Error::new(ErrorKind::Request, *problem))?;
        context.notes.extend(parser.close(&self.repo));
        warn(&mut context, &text.text, &brief.effective);
        finished(text, context, &brief, Flow::Files)
    }

    /// Builds the whole prompt without a template: the system prompt, the task and the context as
    /// sections.
    ///
    /// The text is never over the budget: if the system prompt, the task and the protected files
    /// alone are, they are cut and end in [`CUT_MARKER`].
    ///
    /// # Errors
    ///
    /// The errors of [`build_full_prompt`](Self::build_full_prompt), except those about templates.
    pub fn pack_context(&self, role: &Role, request: &Request) -> Result<Prompt, Error> {
        let brief = Brief::of(role, request)?;
        let parser = self.parser();
        let context = self.gather(&brief, &parser)?;
        self.whole(context, &brief, &parser)
    }

    /// Renders a template with the role, the task and these variables, and gathers nothing. These
    /// variables win over built-in ones of the same name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`] if the template is not allowed or fails; [`ErrorKind::Request`] for
    /// a tokenizer that this build lacks.
    pub fn render_prompt(
        &self,
        template: &str,
        role: &Role,
        request: &Request,
        variables: impl IntoIterator<Item = (String, Json)>,
    ) -> Result<Prompt, Error> {
        self.templates.get(template)?;
        let brief = Brief::of(role, request)?;
        let mut context = Context {
            notes: role_notes(role),
            ..Context::default()
        };
        context
            .notes
            .extend(template_notes(&self.templates, template));
        let mut values = self.values(template, &brief, &mut context.notes);
        for (name, value) in variables {
            values[name] = value;
        }
        let packed = packed(&context, brief.effective.style);
        let rendered = self
            .templates
            .prepare(template, &values, brief.effective.tokenizer)
            .render(packed)
            .map_err(|problem| Error::new(ErrorKind::Template, *problem))?;
        let text = with_system(rendered, brief.system());
        warn(&mut context, &text.text, &brief.effective);
        finished(text, context, &brief, Flow::Template).map(|prompt| prompt.with_template(template))
    }

    /// Returns the diff of staged or of unstaged changes, as git prints it. It is empty, with a
    /// warning, if git cannot tell.
    pub fn get_git_diff(&self, staged: bool) -> Prompt {
        let mut section = Section::new(Key::GitDiff, Vec::new());
        let git = self.repo.git().map_err(str::to_owned);
        match git.and_then(|git| if staged { git.staged() } else { git.unstaged() }) {
            Ok(files) => {
                section.notes.extend(remark(&files));
                section.pieces = pieces(files.items);
            }
            Err(why) => section.notes.push(Note::new(NoteKind::Git, why)),
        }
        let text: String = section.pieces.iter().map(|p| p.body.text()).collect();
        let mut context = Context::default();
        context.push(section);
        find_secrets(&mut context, &[], &text);
        Prompt::bare(text, context)
    }

    /// Checks that every target lies in the repository, and none in a git folder.
    ///
    /// The library itself only warns about such targets; a program that got the paths from a person
    /// may prefer an error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`], naming the first path that does not.
    pub fn check_targets(&self, request: &Request) -> Result<(), Error> {
        request.check_targets()?;
        for target in &request.targets {
            self.target(target).map_err(|why| {
                let message = format!("the target `{}` cannot be packed: {why}", quoted(target));
                Error::say(ErrorKind::Request, message)
            })?;
        }
        Ok(())
    }

    /// Returns what a target names inside the repository. A path whose links lead out counts as
    /// outside, and nothing in a git folder is a target.
    fn target(&self, target: &str) -> Result<Target, TargetError> {
        let target = Target::parse(&self.repo, target)?;
        let admitted = target
            .path()
            .map(|path| self.repo.admit(path, Asker::Caller));
        match admitted {
            Some(Err(Refusal::Hidden(Hidden::Git))) => Err(PathError::Git.into()),
            Some(Err(Refusal::Outside)) => Err(PathError::Outside.into()),
            _ => Ok(target),
        }
    }

    /// Returns what speaks for each file, and for the parts of these files, as numbers.
    ///
    /// # Errors
    ///
    /// The error if this build lacks the tokenizer that counts the parts.
    #[doc(hidden)]
    pub fn signals(
        &self,
        request: &Request,
        with_parts: &[String],
    ) -> Result<crate::Signals, Error> {
        let targets = request.targets.iter();
        let targets = targets.filter_map(|t| self.target(t).ok()?.path().cloned());
        let targets: Vec<RepoPath> = targets.collect();
        let parser = Parser::of(&self.repo, &self.parsing);
        let task = searched(&request.task);
        crate::Signals::of(&self.repo, &parser, &task, &targets, with_parts)
    }

    /// Returns git's own files that change when something is staged or committed; none where there
    /// is no git repository.
    pub fn git_files(&self) -> Vec<std::path::PathBuf> {
        let git = self.repo.git();
        git.map_or_else(|_| Vec::new(), |git| git.own_files().into())
    }

    /// Returns the templates that may be rendered.
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Writes the system prompt, the task and the context as sections.
    fn whole(
        &self,
        mut context: Context,
        brief: &Brief<'_>,
        parser: &Parser,
    ) -> Result<Prompt, Error> {
        let effective = &brief.effective;
        for (key, text) in [
            (Key::Task, brief.request.task.as_str()),
            (Key::SystemPrompt, brief.role.system_prompt()),
        ] {
            if !text.trim().is_empty() {
                let piece = Piece::text(Body::Prose(text.to_owned()));
                context.sections.insert(0, Section::new(key, vec![piece]));
            }
        }
        let text = Shape::Whole
            .fit(&mut context, effective)
            .map_err(|problem| Error::new(ErrorKind::Request, *problem))?;
        context.notes.extend(parser.close(&self.repo));
        warn_left_out(&mut context, effective);
        let tokenizer = effective.tokenizer;
        let text = if tokenizer.units(&text.text) <= tokenizer.room(effective.budget) {
            text
        } else {
            let cut = cut_protected(&mut context, &text.text, effective);
            Text {
                system: text.system.min(cut.len()),
                text: cut,
            }
        };
        finished(text, context, brief, Flow::Whole)
    }

    /// Returns the parser for one prompt.
    fn parser(&self) -> Arc<Parser> {
        Arc::new(Parser::of(&self.repo, &self.parsing))
    }

    fn gather(&self, brief: &Brief<'_>, parser: &Arc<Parser>) -> Result<Context, Error> {
        let (request, effective) = (brief.request, &brief.effective);
        request.check_targets()?;
        let extra = request.extra_sections()?;
        let mut notes = role_notes(brief.role);
        let mut targets = Vec::new();
        for target in &request.targets {
            match self.target(target) {
                Ok(target) => targets.push(target),
                Err(why) => {
                    let message = format!("the target `{}` is left out: {why}", quoted(target));
                    notes.push(Note::new(NoteKind::Unreadable, message));
                }
            }
        }
        let since = effective.turn.as_ref().and_then(|turn| turn.since.as_ref());
        let also = since
            .map_or(Vec::new(), |since| since.shown.paths())
            .into_iter();
        let also: Vec<RepoPath> = also.filter_map(|path| RepoPath::parse(path).ok()).collect();
        let Gathered { mut context, again } = gather(&Ask {
            repo: &self.repo,
            parser,
            role: brief.role,
            engine: effective.engine,
            change: &effective.change,
            task: &searched(&request.task),
            targets: &targets,
            asker: request.asker,
            also: &also,
            extra: &extra,
        })?;
        if let Some(turn) = &effective.turn {
            context.for_messages = true;
            for section in &mut context.sections {
                section.backwards = section.key.pace() == Pace::WithTask;
                // What a prompt of a run shows, those after it have read.
                section.fill |= turn.is_of_run() && section.key == Key::Related;
            }
        }
        if effective.turn.is_some() {
            long_lines::cut_all(&mut context, effective);
        }
        if let Some(since) = since {
            context.earlier = turn::as_before(since, &context, &again, effective.style);
        }
        notes.append(&mut context.notes);
        context.notes = notes;
        Ok(context)
    }
}

/// Finishes a prompt. Everything that enters a prompt passes here and is searched for secrets and
/// invisible characters.
fn finished(
    text: Text,
    mut context: Context,
    brief: &Brief<'_>,
    flow: Flow,
) -> Result<Prompt, Error> {
    let effective = &brief.effective;
    let named = [
        ("the task", brief.request.task.as_str()),
        ("the role's system prompt", brief.role.system_prompt()),
    ];
    let Text { text, system } = text;
    find_secrets(&mut context, &named, &text);
    let messages = effective.turn.as_ref().map(|turn| {
        let layout = turn::layout(&text, system, &context, effective, turn);
        let shown = turn::shown(&text, layout.places(&text), &context, effective, turn);
        (layout, shown)
    });
    let prompt = Prompt::new(
        text,
        context,
        brief.role,
        flow,
        effective.budget,
        effective.tokenizer,
        effective.style,
    );
    let prompt = match messages {
        Some((layout, shown)) => prompt.with_messages(layout, shown),
        None => prompt,
    };
    accept(effective, prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packer_can_be_handed_to_another_thread() {
        fn is_send<T: Send>() {}
        is_send::<ContextPacker>();
        is_send::<Prompt>();
    }
}
