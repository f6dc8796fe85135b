//! A finished prompt and the report of what is in it.

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::format;
use crate::message::{Layout, Message};
use crate::role::Role;
use crate::section::{Body, Form, Key, Note, NoteKind, Piece, Section, Status};
use crate::settings::Style;
use crate::shown::Shown;
use crate::tokens::{Counter, Tokenizer};

/// How a prompt was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Flow {
    /// Rendered from a template.
    Template,
    /// System prompt, task and context as sections.
    Whole,
    /// The file context alone.
    Files,
}

/// A text to hand to a worker, with everything that is known about it.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The text.
    pub text: String,
    context: Context,
    role: RoleReport,
    flow: Flow,
    template: Option<String>,
    budget: usize,
    tokenizer: Counter,
    style: Style,
    messages: Option<(Layout, Shown)>,
}

/// The bytes from which a section is counted piece by piece.
const LARGE: usize = 2 * 1024 * 1024;

/// What is said of a section that the template leaves out.
pub(crate) const UNWRITTEN: &str = "the template does not write it";

impl Prompt {
    pub(crate) fn new(
        text: String,
        context: Context,
        role: &Role,
        flow: Flow,
        budget: usize,
        tokenizer: Counter,
        style: Style,
    ) -> Prompt {
        Prompt {
            text,
            context,
            role: RoleReport {
                name: role.name().to_owned(),
                base_role: role.base_role().map(str::to_owned),
                source: role.source().to_owned(),
            },
            flow,
            template: None,
            budget,
            tokenizer,
            style,
            messages: None,
        }
    }

    /// Makes a prompt of a text without a role and without a budget.
    pub(crate) fn bare(text: String, context: Context) -> Prompt {
        Prompt {
            text,
            context,
            role: RoleReport::default(),
            flow: Flow::Files,
            template: None,
            budget: usize::MAX,
            tokenizer: Counter::Chars,
            style: Style::Markdown,
            messages: None,
        }
    }

    pub(crate) fn with_messages(mut self, layout: Layout, shown: Shown) -> Prompt {
        self.messages = Some((layout, shown));
        self
    }

    pub(crate) fn with_template(mut self, name: &str) -> Prompt {
        self.template = Some(name.to_owned());
        self
    }

    /// Adds warnings about things that happened before the prompt was built.
    #[doc(hidden)]
    #[must_use]
    pub fn with_remarks(mut self, remarks: &[String]) -> Prompt {
        let notes = remarks
            .iter()
            .map(|remark| Note::new(NoteKind::Unreadable, remark.clone()));
        self.context.notes.extend(notes);
        self
    }

    /// Returns the sections, and what happened to them.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the template that was rendered.
    pub fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    /// Returns the text as messages, in its order; as one message of the user if none were asked
    /// for.
    pub fn messages(&self) -> Vec<Message> {
        match &self.messages {
            Some((layout, _)) => layout.cut(&self.text),
            None => Layout::default().cut(&self.text),
        }
    }

    /// Returns how it was built. [`Flow::Whole`] with a warning of the kind `template` is a
    /// fallback.
    pub fn flow(&self) -> Flow {
        self.flow
    }

    /// Returns the tokens of the text, counted with the role's tokenizer.
    pub fn tokens(&self) -> usize {
        self.tokenizer.count(&self.text)
    }

    /// Returns what the caller should know, in the order of the prompt.
    pub fn warnings(&self) -> Vec<&Note> {
        self.context.warnings()
    }

    /// Returns the remarks about sections that came out empty, which are not warnings.
    pub fn remarks(&self) -> impl Iterator<Item = &Note> {
        let notes = self.context.notes.iter();
        notes.filter(|note| !note.kind.is_warning())
    }

    /// Whether a note is about a target file, or about a target that cannot be one.
    pub(crate) fn is_about_target(&self, note: &Note) -> bool {
        let sections = self.context.sections.iter();
        let mut targets = sections.filter(|s| s.key == Key::TargetFile && s.earlier.is_none());
        let of_section = |section: &Section| {
            section.notes.contains(note) || section.pieces.iter().any(|p| p.notes.contains(note))
        };
        targets.any(of_section) || self.context.notes.contains(note)
    }

    /// Returns everything about it, as data.
    ///
    /// This counts the tokens of the parts, so it costs about as much as writing the prompt again.
    pub fn report(&self) -> Report {
        let tokens = self.tokens();
        Report {
            prompt: self.text.clone(),
            flow: self.flow,
            template: self.template.clone(),
            role: self.role.clone(),
            tokenizer: self.tokenizer.tokenizer(),
            budget: self.budget,
            tokens,
            over_budget: self
                .warnings()
                .iter()
                .any(|n| n.kind == NoteKind::OverBudget),
            expected_recall: self.expected_recall(),
            sections: self
                .context
                .sections
                .iter()
                .map(|s| self.section(s))
                .collect(),
            warnings: self.warnings().into_iter().cloned().collect(),
            messages: self.messages.is_some().then(|| self.messages()),
            shown: self.messages.as_ref().map(|(_, shown)| shown.clone()),
        }
    }

    /// Returns what the shown parts beside the targets are worth, in hundredths.
    pub(crate) fn expected_recall(&self) -> Option<f64> {
        let sections = self.context.sections.iter();
        // What was asked for has a worth too, but among its own.
        let guesses = |section: &&Section| {
            matches!(section.key, Key::Imports | Key::Related) || section.earlier.is_some()
        };
        let others = sections.filter(guesses);
        let mut valued = others
            .flat_map(|section| &section.pieces)
            .filter(|piece| !piece.parts.is_empty())
            .peekable();
        valued.peek()?;
        // The sum of nothing is -0.
        let shown = valued.map(Piece::worth_shown).sum::<f64>() + 0.0;
        Some((shown.min(1.0) * 100.0).round() / 100.0)
    }

    fn section(&self, section: &Section) -> SectionReport {
        let is_large = section
            .pieces
            .iter()
            .map(|it| it.body.text().len())
            .sum::<usize>()
            > LARGE;
        let tokens = self.count(is_large, |take| {
            format::each_part(section, self.style, take);
        });
        SectionReport {
            key: section.key.to_string(),
            status: section.status(),
            protected: section.key.is_protected(),
            tokens,
            original_tokens: match section.status() {
                Status::Kept => tokens,
                _ => {
                    let cut: usize = section.pieces.iter().map(Piece::cut_tokens).sum();
                    let rest = self.count(is_large, |take| {
                        format::each_part_of_whole(section, self.style, take);
                    });
                    rest + cut
                }
            },
            pieces: {
                let pieces = section.in_order().into_iter();
                pieces.map(|(_, piece)| self.piece(piece)).collect()
            },
            note: if section.unwritten {
                Some(UNWRITTEN.to_owned())
            } else {
                section.notes.first().map(|note| note.message.clone())
            },
        }
    }

    /// Counts the tokens of a text in parts. A large text is not held in memory for counting, so
    /// the count is less exact where a tokenizer would join the end of one part to the beginning of
    /// the next.
    fn count(&self, is_large: bool, each: impl FnOnce(&mut dyn FnMut(&str))) -> usize {
        if is_large || self.tokenizer.is_additive() {
            let mut units = 0;
            each(&mut |part| units += self.tokenizer.units(part));
            return self.tokenizer.tokens(units);
        }
        let mut text = String::new();
        each(&mut |part| text.push_str(part));
        self.tokenizer.count(&text)
    }

    fn piece(&self, piece: &Piece) -> PieceReport {
        let count = |form: &Form| {
            self.tokenizer
                .count(&format::block_in(piece, form, self.style))
        };
        let tokens = count(&piece.form);
        PieceReport {
            path: piece.path.clone(),
            // A remark in place of a file is not the file.
            form: match piece.body {
                Body::Marker(_) => Form::Omitted.name(),
                _ if piece.form == Form::Full && !piece.is_whole() => Form::EXCERPT,
                _ => piece.form.name(),
            },
            tokens,
            original_tokens: match piece.form {
                Form::Full => tokens + piece.cut_tokens(),
                _ => count(&Form::Full) + piece.cut_tokens(),
            },
            note: piece.notes.first().map(|note| note.message.clone()),
        }
    }
}

/// What is in a prompt and what is not; the JSON of `--format json`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// The text.
    pub prompt: String,
    /// How it was built.
    pub flow: Flow,
    /// The template that was rendered.
    pub template: Option<String>,
    /// The role that the prompt is for.
    pub role: RoleReport,
    /// How tokens were counted.
    pub tokenizer: Tokenizer,
    /// The budget in tokens.
    pub budget: usize,
    /// The tokens of `prompt`.
    pub tokens: usize,
    /// Whether the parts that are never pruned were over the budget by themselves.
    pub over_budget: bool,
    /// How much of the code that must change beside the targets is expected to be in the prompt,
    /// from 0 to 1, as the ranking of related files estimates it; null if the role does not ask for
    /// related files.
    pub expected_recall: Option<f64>,
    /// The sections in the order of their priority, including dropped ones.
    pub sections: Vec<SectionReport>,
    /// What the caller should know.
    pub warnings: Vec<Note>,
    /// The prompt as messages, if messages were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// What the messages show, to pass as `since` in the request for the next prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
}

/// The role of a [`Report`].
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RoleReport {
    /// Its name.
    pub name: String,
    /// The root of the chain of roles that it extends.
    pub base_role: Option<String>,
    /// Where it comes from: `built-in`, a file, or `request`.
    pub source: String,
}

/// A section of a [`Report`]. Tokens are those of the section as it is written, heading included,
/// counted on its own.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SectionReport {
    /// Its key.
    pub key: String,
    /// What the budget made of it.
    pub status: Status,
    /// Whether the budget had to leave it alone.
    pub protected: bool,
    /// The tokens that it takes.
    pub tokens: usize,
    /// The tokens that it would take whole.
    pub original_tokens: usize,
    /// Its pieces in the order in which they are written.
    pub pieces: Vec<PieceReport>,
    /// What happened to the section as a whole.
    pub note: Option<String>,
}

/// A piece of a [`SectionReport`].
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PieceReport {
    /// The path; null for text that is not a file.
    pub path: Option<String>,
    /// `full`, `excerpt`, `outline`, `name` or `omitted`.
    #[cfg_attr(feature = "cli", schemars(extend("enum" = Form::NAMES)))]
    pub form: &'static str,
    /// The tokens that it takes.
    pub tokens: usize,
    /// The tokens that it would take whole.
    pub original_tokens: usize,
    /// What happened to it.
    pub note: Option<String>,
}
