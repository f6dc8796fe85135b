//! What is written around the context, and the context fitted to it.

use super::TEMPLATE_RESERVE;
use super::measure::fit_until_true;
use super::resolve::Effective;
use crate::context::Context;
use crate::error::Diagnostic;
use crate::format;
use crate::section::Section;
use crate::settings::Style;
use crate::template::{Packed, Prepared};

/// What is written around the context.
pub(super) enum Shape {
    /// A template.
    Template(Prepared),
    /// The system prompt and the task, as sections.
    Whole,
    /// Nothing; room is left for a template.
    Files,
}

impl Shape {
    /// Makes the context fit the budget and writes the text.
    pub(super) fn fit(
        &mut self,
        context: &mut Context,
        effective: &Effective,
    ) -> Result<String, Box<Diagnostic>> {
        let Effective {
            budget,
            style,
            tokenizer,
            ..
        } = *effective;
        let alone = |context: &Context| Ok(format::sections(&context.sections, style));
        match self {
            Shape::Template(template) => {
                let bare = template.render(placeholder(context))?;
                let overhead = tokenizer.units(&bare).saturating_sub(1);
                let room = tokenizer.room(budget);
                fit_until_true(context, effective, room, overhead, |context| {
                    template.render(packed(context, style))
                })
            }
            Shape::Whole => fit_until_true(context, effective, tokenizer.room(budget), 0, alone),
            Shape::Files => {
                let room = tokenizer.room(budget.saturating_sub(TEMPLATE_RESERVE));
                fit_until_true(context, effective, room, 0, alone)
            }
        }
    }
}

/// Writes the sections for a template.
pub(super) fn packed(context: &Context, style: Style) -> Packed {
    let (text, sections) = format::sections_with_places(&context.sections, style);
    Packed { text, sections }
}

/// The same sections with next to no text, to measure what the template itself takes.
/// One character each, so that what the template writes around a text that is there is
/// measured too.
fn placeholder(context: &Context) -> Packed {
    let text = if context.sections.is_empty() { "" } else { "-" };
    let key = |section: &Section| section.key.name().to_owned();
    let sections = context.sections.iter();
    Packed {
        text: text.to_owned(),
        sections: sections.map(|s| (key(s), 0..text.len())).collect(),
    }
}
