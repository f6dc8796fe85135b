//! Fits the context to what is written around it.

use std::cell::Cell;
use std::collections::HashSet;

use super::TEMPLATE_RESERVE;
use super::long_lines;
use super::measure::fit_until_true;
use super::resolve::Effective;
use super::turn::begin_as_before;
use crate::context::Context;
use crate::error::Diagnostic;
use crate::format;
use crate::section::{Form, Key, Section};
use crate::settings::Style;
use crate::template::{Packed, Prepared, Rendered};

/// What is written around the context.
pub(super) enum Shape {
    /// A template. For messages it comes with what the role says, which is the system message
    /// unless the template has a block for that.
    Template(Prepared, Option<String>),
    /// The system prompt and the task, as sections.
    Whole,
    /// Nothing; room is left for a template.
    Files,
}

/// A prompt's text.
pub(super) struct Text {
    pub(super) text: String,
    /// Where the system message ends, in bytes; 0 if there is none.
    pub(super) system: usize,
}

impl Shape {
    /// Makes the context fit the budget and writes the text.
    pub(super) fn fit(
        &mut self,
        context: &mut Context,
        effective: &Effective,
    ) -> Result<Text, Box<Diagnostic>> {
        let mut text = self.fit_as_it_is(context, effective)?;
        if long_lines::cut(context, effective) {
            text = self.fit_as_it_is(context, effective)?;
        }
        long_lines::tell(context);
        Ok(text)
    }

    fn fit_as_it_is(
        &mut self,
        context: &mut Context,
        effective: &Effective,
    ) -> Result<Text, Box<Diagnostic>> {
        let Effective {
            budget,
            style,
            tokenizer,
            ..
        } = *effective;
        for section in &mut context.sections {
            section.unwritten = false;
        }
        let alone = |context: &Context| Ok(format::sections(context.in_order(), style));
        let system = Cell::new(0);
        let text = match self {
            Shape::Template(template, role) => {
                let mut render = |context| {
                    let text = with_system(template.render(context)?, role.as_deref());
                    system.set(text.system);
                    Ok::<String, Box<Diagnostic>>(text.text)
                };
                let bare = render(placeholder(context))?;
                let overhead = tokenizer.units(&bare).saturating_sub(1);
                let room = tokenizer.room(budget);
                find_unwritten(context, &render(marks(context))?);
                begin_as_before(context, room.saturating_sub(overhead), effective);
                let mut write = |context: &Context| render(packed(context, style));
                let mut text = fit_until_true(context, effective, room, overhead, &mut write)?;
                if tokenizer.units(&text) > room && forget_unwritten(context) {
                    text = fit_until_true(context, effective, room, overhead, &mut write)?;
                }
                leave_out_unwritten(context, &text, style);
                Ok(text)
            }
            Shape::Whole | Shape::Files => {
                let reserve = match self {
                    Shape::Files => TEMPLATE_RESERVE,
                    _ => 0,
                };
                let room = tokenizer.room(budget.saturating_sub(reserve));
                begin_as_before(context, room, effective);
                fit_until_true(context, effective, room, 0, alone)
            }
        }?;
        let first = context.in_order().first().map(|section| &section.key);
        let system = match (&*self, first) {
            (Shape::Whole, Some(Key::SystemPrompt)) => {
                let sections = context.in_order();
                format::section(sections[0], style).len()
            }
            _ => system.get(),
        };
        Ok(Text { text, system })
    }
}

/// Returns what a template wrote, with the system message before everything else if messages are
/// asked for.
pub(super) fn with_system(rendered: Rendered, role: Option<&str>) -> Text {
    let Rendered { text, system } = rendered;
    let Some(role) = role else {
        return Text { text, system: 0 };
    };
    let has_block = system.is_some();
    let said = system.unwrap_or_else(|| role.to_owned());
    let said = said.trim();
    if said.is_empty() {
        return Text { text, system: 0 };
    }
    match text.find(said) {
        Some(at) if text[..at].trim().is_empty() => Text {
            system: at + said.len(),
            text,
        },
        // It is said once.
        Some(at) if has_block => {
            let rest = [&text[..at], text[at + said.len()..].trim_start()].concat();
            before(said, &rest)
        }
        _ => before(said, &text),
    }
}

fn before(system: &str, text: &str) -> Text {
    Text {
        system: system.len(),
        text: [system, "\n\n", text.trim_start()].concat(),
    }
}

/// Writes the sections for a template.
pub(super) fn packed(context: &Context, style: Style) -> Packed {
    let (text, sections) = format::sections_with_places(context.in_order(), style);
    Packed { text, sections }
}

/// Returns the sections with one character of text each, to measure what the template itself takes,
/// including what it writes around a section that is there.
fn placeholder(context: &Context) -> Packed {
    let text = if context.sections.is_empty() { "" } else { "-" };
    let key = |section: &Section| section.key.name().to_owned();
    let sections = context.sections.iter();
    Packed {
        text: text.to_owned(),
        sections: sections.map(|s| (key(s), 0..text.len())).collect(),
    }
}

/// Returns the sections with a mark of its own in place of each, after one that only the whole
/// context has. A mark stands on several lines of several words, so that a template that writes
/// only some of them is seen, too.
fn marks(context: &Context) -> Packed {
    let mut packed = Packed::default();
    if !context.sections.is_empty() {
        packed.text.push(mark(0));
    }
    for (at, section) in context.sections.iter().enumerate() {
        let start = packed.text.len();
        let line = [mark(at + 1), ' ', mark(at + 1), '\n'];
        packed.text.extend([line; 3].iter().flatten());
        let key = section.key.name().to_owned();
        packed.sections.push((key, start..packed.text.len()));
    }
    packed
}

/// Returns a character that hardly any text has. If the task has the first, every section counts as
/// written.
fn mark(number: usize) -> char {
    const PRIVATE: u32 = 0x10_0000;
    let code = u32::try_from(number).map_or(PRIVATE, |number| PRIVATE.saturating_add(number));
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Finds out which sections a template never writes, from what it makes of [`marks`]. What an
/// earlier prompt showed stays.
fn find_unwritten(context: &mut Context, text: &str) {
    let marks: HashSet<char> = text.chars().filter(|letter| !letter.is_ascii()).collect();
    if marks.contains(&mark(0)) {
        return;
    }
    for (at, section) in context.sections.iter_mut().enumerate() {
        section.unwritten = section.earlier.is_none() && !marks.contains(&mark(at + 1));
    }
}

/// Takes every section for one that is written: a template may write one for what it says. Returns
/// whether any was not.
fn forget_unwritten(context: &mut Context) -> bool {
    let unwritten = context.sections.iter_mut().filter(|it| it.unwritten);
    let mut found = false;
    for section in unwritten {
        section.unwritten = false;
        found = true;
    }
    found
}

/// Leaves out what the template turned out not to write.
fn leave_out_unwritten(context: &mut Context, text: &str, style: Style) {
    for section in context.sections.iter_mut().filter(|it| it.unwritten) {
        section.unwritten = !text.contains(&format::section(section, style));
        if section.unwritten {
            section.set_form(&Form::Omitted);
            section.mentioned = false;
        }
    }
}
