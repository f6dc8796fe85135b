//! What the caller should know about a prompt.

use super::resolve::Effective;
use crate::context::Context;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::prompt::{Flow, Prompt};
use crate::role::Role;
use crate::section::{Key, Note, NoteKind, Piece, Section, Status};
use crate::show::{grouped, quoted};
use crate::template::{Templates, unwritten};

/// Warns if a template does not write the task: nobody would notice until the worker does something
/// else. It looks for the first lines of the task, because the first alone stands before the
/// context, too.
pub(super) fn lost_task(template: &str, task: &str, text: &str) -> Option<Note> {
    let lines = task.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut first = lines.take(2);
    first.any(|line| !text.contains(line)).then(|| {
        let message = format!(
            "the template `{}` does not print the task",
            quoted(template)
        );
        Note::new(NoteKind::Template, message)
    })
}

/// Warns of what the caller passed and a template does not write.
pub(super) fn lost_sections(template: &str, context: &Context) -> Vec<Note> {
    let lost = context.sections.iter();
    let lost = lost.filter(|section| section.unwritten && is_brought(section));
    lost.map(|section| {
        let message = format!(
            "the template `{}` does not print `{}`",
            quoted(template),
            quoted(section.key.name())
        );
        Note::new(NoteKind::Template, message)
    })
    .collect()
}

/// Whether the caller passed what is in a section.
fn is_brought(section: &Section) -> bool {
    matches!(section.key, Key::TargetFile | Key::Extra(_))
}

/// Warns if another template is rendered than the one that the repository has, and of parts of this
/// one that are never rendered. Shipped templates are complete.
pub(super) fn template_notes(templates: &Templates, name: &str) -> Vec<Note> {
    let lost = if templates.has_operators() {
        unwritten(templates, name)
    } else {
        Vec::new()
    };
    let lost = lost.iter().map(Diagnostic::sentence);
    let told = templates.remark(name).into_iter().chain(lost);
    told.map(|text| Note::new(NoteKind::Template, text))
        .collect()
}

/// Returns what the role's author should know.
pub(super) fn role_notes(role: &Role) -> Vec<Note> {
    let sentences = role.warnings().iter().map(Diagnostic::sentence);
    sentences
        .map(|text| Note::new(NoteKind::Role, text))
        .collect()
}

/// Warns of what the caller passed and the prompt leaves out, and if nothing fits at all.
pub(super) fn warn_left_out(context: &mut Context, effective: &Effective) {
    let mut notes = Vec::new();
    let written = || context.sections.iter().filter(|section| !section.unwritten);
    let is_less = |section: &Section| !section.pieces.iter().all(Piece::is_as_meant);
    if let Some(asked) = effective.asked.filter(|_| written().any(is_less)) {
        let (most, asked) = (grouped(effective.budget), grouped(asked));
        let message = format!("a prompt has at most {most} tokens, not {asked}");
        notes.push(Note::new(NoteKind::Cut, message));
    }
    for section in written().filter(|section| is_less(section)) {
        let what = match section.status() {
            Status::Dropped => "left out",
            Status::Shrunk => "cut",
            Status::Kept => continue,
        };
        if is_brought(section) {
            let message = format!(
                "`{}` was {what} to fit the budget of {} tokens",
                quoted(section.key.name()),
                effective.budget
            );
            notes.push(Note::new(NoteKind::Cut, message));
        }
    }
    let dropped = |section: &Section| section.status() == Status::Dropped;
    if written().next().is_some() && written().all(dropped) {
        let message = format!("nothing fits the budget of {} tokens", effective.budget);
        notes.push(Note::new(NoteKind::Cut, message));
    }
    context.notes.append(&mut notes);
}

/// Warns of what was left out, and of how far the text is over its budget.
pub(super) fn warn(context: &mut Context, text: &str, effective: &Effective) {
    warn_left_out(context, effective);
    let tokens = effective.tokenizer.count(text);
    let over = tokens.saturating_sub(effective.budget);
    if over > 0 {
        let message =
            format!("over budget by {over} tokens: the parts that are never pruned take {tokens}");
        context.notes.push(Note::new(NoteKind::OverBudget, message));
    }
}

/// Returns the prompt, or what [`Effective::strict`] does not accept about it.
pub(super) fn accept(effective: &Effective, prompt: Prompt) -> Result<Prompt, Error> {
    if !effective.strict {
        return Ok(prompt);
    }
    let refused = prompt.warnings().into_iter().find(|note| match note.kind {
        NoteKind::OverBudget | NoteKind::Engine | NoteKind::Unseen => true,
        NoteKind::Template => prompt.flow() == Flow::Whole,
        NoteKind::Unreadable => prompt.is_about_target(note),
        NoteKind::Git => effective.change.is_missing(),
        _ => false,
    });
    match refused {
        None => Ok(prompt),
        Some(note) => {
            let help = "without `--strict`, this is a warning";
            Err(Error::advise(ErrorKind::Request, &note.message, help))
        }
    }
}
