//! Why a prompt is as it is: what asked for each part, what it costs, and what it would take to
//! have more of it.

mod larger;
mod segments;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use self::larger::Larger;
pub use self::segments::Segment;
use self::segments::segments;
use self::words::{Stop, WHOLE, form_in, why_empty, why_piece, why_section};
use super::ContextPacker;
use super::resolve::Brief;
use crate::context::Context;
use crate::error::Error;
use crate::parse::{Parser, Parsing};
use crate::prompt::{Flow, PieceReport, Prompt, RoleReport, SectionReport};
use crate::request::Request;
use crate::role::{Role, RoleValue};
use crate::section::{Form, Key, Note, Section, Status};
use crate::settings::{Prune, Style};
use crate::show::visible;
use crate::source::{Ask, Origin, Origins, Target, short, wanted};
use crate::tokens::Tokenizer;

/// Why a prompt is as it is; the JSON of `packer explain --format json`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// How the prompt was built.
    pub flow: Flow,
    /// The template that was rendered.
    pub template: Option<String>,
    /// The role that the prompt is for.
    pub role: RoleReport,
    /// What the worker is to do.
    pub task: String,
    /// The targets, as they were asked for.
    pub targets: Vec<String>,
    /// How tokens were counted.
    pub tokenizer: Tokenizer,
    /// What happens when the sections do not fit.
    pub prune: Prune,
    /// How sections are written.
    pub style: Style,
    /// The budget in tokens.
    pub budget: usize,
    /// The tokens of the prompt.
    pub tokens: usize,
    /// Whether the parts that are never pruned were over the budget by themselves.
    pub over_budget: bool,
    /// The tokens outside all sections: the template's own text, with the system prompt and the
    /// task in it.
    pub template_tokens: usize,
    /// Everything that was asked for, in the order of priority.
    pub sections: Vec<ExplainedSection>,
    /// What one pattern asks for and another excludes; the first two hundred. A folder ends in `/`
    /// and stands for everything below it.
    pub excluded: Vec<ExcludedPath>,
    /// The answers about the files that were asked about.
    pub files: Vec<FileAnswer>,
    /// What the caller should know.
    pub warnings: Vec<Note>,
    /// The prompt in consecutive parts.
    pub prompt: Vec<Segment>,
    /// Every value of the role, in the order of its fields.
    pub role_values: Vec<RoleValue>,
    /// The files that the role is made of: its own, then those that it extends.
    pub role_chain: Vec<String>,
}

/// What became of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// All of it is there.
    Kept,
    /// Some of it is there.
    Shrunk,
    /// None of it is there.
    Dropped,
    /// It is empty in this repository.
    Empty,
}

/// A section that was asked for. Tokens are those of the section as it is written.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExplainedSection {
    /// Its key.
    pub key: String,
    /// Its heading in the prompt.
    pub heading: String,
    /// What became of it.
    pub status: Fate,
    /// Whether the budget had to leave it alone.
    pub protected: bool,
    /// The tokens that it takes.
    pub tokens: usize,
    /// The tokens that it would take whole.
    pub original_tokens: usize,
    /// Why it has this status.
    pub why: String,
    /// What asks for it.
    pub asked_by: Vec<Origin>,
    /// A budget with which it is whole, found by trying; null if it is whole already, or if no
    /// budget does it.
    pub whole_at: Option<usize>,
    /// What happened to the section as a whole.
    pub note: Option<String>,
    /// Its pieces in the order in which they are written.
    pub pieces: Vec<ExplainedPiece>,
}

/// A piece of a section.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExplainedPiece {
    /// The path; null for text that is not a file.
    pub path: Option<String>,
    /// `full`, `excerpt`, `outline`, `name` or `omitted`.
    #[cfg_attr(feature = "cli", schemars(extend("enum" = Form::NAMES)))]
    pub form: &'static str,
    /// The tokens that it takes.
    pub tokens: usize,
    /// The tokens that it would take whole.
    pub original_tokens: usize,
    /// Why it is there, or why there is no more of it.
    pub why: String,
    /// The patterns that ask for it, where the section has patterns.
    pub asked_by: Vec<Origin>,
    /// The approximate budget with which it is whole, given what comes before it; null if it is
    /// whole already, if no budget does it, or if the best parts of all files come first.
    pub whole_at: Option<usize>,
    /// What happened to it.
    pub note: Option<String>,
}

/// A file or folder that is excluded.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExcludedPath {
    /// Its path.
    pub path: String,
    /// The pattern that excludes it.
    pub excluded_by: Origin,
}

/// The answer to a question about a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FileAnswer {
    /// The file, as it was asked about.
    pub path: String,
    /// The section that it is in, if there is one.
    pub section: Option<String>,
    /// Why it is in the prompt, or not.
    pub why: String,
}

/// What an explanation tells beyond what it always does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    /// Files to ask about: why is each in the prompt, or not?
    pub files: &'a [String],
    /// Whether it includes the prompt itself, in parts.
    pub with_prompt: bool,
}

impl ContextPacker {
    /// Explains a prompt that was just built for this role and this request.
    ///
    /// Nothing is gathered again. But the prompt is fitted to other budgets to see with which of
    /// them a section is whole, and excluded files are looked for, so this costs several times as
    /// much as the prompt.
    ///
    /// # Errors
    ///
    /// The errors of the method that built the prompt.
    pub fn explain(
        &self,
        prompt: &Prompt,
        role: &Role,
        request: &Request,
        question: &Question<'_>,
    ) -> Result<Explanation, Error> {
        let brief = Brief::of(role, request)?;
        let effective = &brief.effective;
        let report = prompt.report();
        let context = prompt.context();
        let origins = Origins::of(&self.repo, role);
        let larger = self.larger(prompt, &brief);
        let how = How {
            prune: effective.prune,
            stop: Stop::of(&report),
        };
        let all = context.sections.iter().zip(report.sections).zip(&larger);
        let mut sections: Vec<ExplainedSection> = all
            .map(|((section, report), larger)| explained(section, report, larger, &how, &origins))
            .collect();
        let parts = if question.with_prompt {
            segments(&prompt.text, context, effective.style)
        } else {
            Vec::new()
        };
        sections.extend(self.empty(context, &brief, &origins)?);
        let of_sections: usize = sections.iter().map(|section| section.tokens).sum();
        Ok(Explanation {
            flow: report.flow,
            template: report.template,
            role: report.role,
            task: request.task.clone(),
            targets: request.targets.clone(),
            tokenizer: report.tokenizer,
            prune: effective.prune,
            style: effective.style,
            budget: report.budget,
            tokens: report.tokens,
            over_budget: report.over_budget,
            template_tokens: report.tokens.saturating_sub(of_sections),
            files: question
                .files
                .iter()
                .map(|given| self.answer(given, &sections, &origins))
                .collect(),
            excluded: excluded(&sections, &origins),
            sections,
            warnings: report.warnings,
            prompt: parts,
            role_values: self.values_of(role),
            role_chain: self.chain_of(role),
        })
    }

    /// Returns every value of the role, with the file that sets it.
    fn values_of(&self, role: &Role) -> Vec<RoleValue> {
        let mut values = role.values();
        for value in &mut values {
            value.file = value.file.take().map(|file| short(&self.repo, file));
        }
        values
    }

    fn chain_of(&self, role: &Role) -> Vec<String> {
        let files = role.chain().iter().cloned();
        files.map(|file| short(&self.repo, file)).collect()
    }

    /// Returns the sections that were asked for and came out empty.
    fn empty(
        &self,
        context: &Context,
        brief: &Brief<'_>,
        origins: &Origins<'_>,
    ) -> Result<Vec<ExplainedSection>, Error> {
        let (request, effective) = (brief.request, &brief.effective);
        let targets = request.targets.iter();
        let targets: Vec<Target> = targets.filter_map(|t| self.target(t).ok()).collect();
        let parser = Arc::new(Parser::of(&self.repo, &Parsing::Never));
        let asked = wanted(&Ask {
            parser: &parser,
            repo: &self.repo,
            role: brief.role,
            engine: effective.engine,
            change: &effective.change,
            task: &request.task,
            targets: &targets,
            asker: request.asker,
            also: &[],
            extra: &request.extra_sections()?,
        })?;
        let is_there = |key: &Key| context.sections.iter().any(|section| section.key == *key);
        let absent = asked.iter().filter(|key| !is_there(key));
        Ok(absent
            .map(|key| ExplainedSection {
                key: key.to_string(),
                heading: key.heading(),
                status: Fate::Empty,
                protected: key.is_protected(),
                tokens: 0,
                original_tokens: 0,
                why: why_empty(key, context),
                asked_by: origins.of_section(key),
                whole_at: None,
                note: None,
                pieces: Vec::new(),
            })
            .collect())
    }

    /// Answers a question about a file.
    fn answer(
        &self,
        given: &str,
        sections: &[ExplainedSection],
        origins: &Origins<'_>,
    ) -> FileAnswer {
        let path = self.repo.path(given).map(|path| path.to_string());
        let path = path.as_deref().unwrap_or(given);
        let is_it = |piece: &&ExplainedPiece| piece.path.as_deref() == Some(path);
        let found = sections
            .iter()
            .find_map(|section| Some((section, section.pieces.iter().find(is_it)?)));
        FileAnswer {
            path: given.to_owned(),
            section: found.map(|(section, _)| section.key.clone()),
            why: found.map_or_else(
                || origins.why_not(given),
                |(section, piece)| why_there(section, piece),
            ),
        }
    }
}

fn why_there(section: &ExplainedSection, piece: &ExplainedPiece) -> String {
    let mut why = format!("{} `{}`", form_in(piece.form), section.key);
    if piece.why != WHOLE {
        why = format!("{why}: {}", piece.why);
    }
    if let Some(by) = piece.asked_by.first() {
        why = format!("{why}; asked by {}", by.text);
    }
    why
}

/// Returns what the role excludes. Such a file may still be there, as a target.
fn excluded(sections: &[ExplainedSection], origins: &Origins<'_>) -> Vec<ExcludedPath> {
    let pieces = sections.iter().flat_map(|section| &section.pieces);
    let there: HashSet<&str> = pieces.filter_map(|piece| piece.path.as_deref()).collect();
    let excluded = origins.excluded().into_iter();
    excluded
        .filter(|(path, _)| !there.contains(path.as_str()))
        .map(|(path, by)| ExcludedPath {
            path: visible(&path).into_owned(),
            excluded_by: by,
        })
        .collect()
}

/// What decided how much of a section is there.
struct How {
    prune: Prune,
    stop: Stop,
}

fn explained(
    section: &Section,
    report: SectionReport,
    larger: &Larger,
    how: &How,
    origins: &Origins<'_>,
) -> ExplainedSection {
    let status = match section.status() {
        Status::Kept => Fate::Kept,
        Status::Shrunk => Fate::Shrunk,
        Status::Dropped => Fate::Dropped,
    };
    let asked_by = |path: Option<&str>| {
        let found = path.map(|path| origins.of_file(&section.key, path));
        found.unwrap_or_default()
    };
    let pieces = section.in_order().into_iter().zip(report.pieces);
    let pieces = pieces.map(|((at, piece), report)| ExplainedPiece {
        why: why_piece(section, at, larger, how.stop),
        asked_by: asked_by(piece.path.as_deref()),
        whole_at: larger
            .pieces
            .get(at)
            .copied()
            .filter(|_| piece.form != Form::Full),
        ..ExplainedPiece::of(report)
    });
    ExplainedSection {
        pieces: pieces.collect(),
        key: report.key,
        heading: section.heading(),
        status,
        protected: report.protected,
        tokens: report.tokens,
        original_tokens: report.original_tokens,
        why: why_section(section, report.tokens, larger, how.prune, how.stop),
        asked_by: origins.of_section(&section.key),
        whole_at: larger.whole_at,
        // Of what is not written, `why` says so already.
        note: report.note.filter(|_| !section.unwritten),
    }
}

impl ExplainedPiece {
    fn of(report: PieceReport) -> ExplainedPiece {
        ExplainedPiece {
            path: report.path,
            form: report.form,
            tokens: report.tokens,
            original_tokens: report.original_tokens,
            why: String::new(),
            asked_by: Vec::new(),
            whole_at: None,
            note: report.note,
        }
    }
}
