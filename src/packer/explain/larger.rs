//! Finds out by trying what a larger budget would make of a prompt.

use crate::context::Context;
use crate::format;
use crate::packer::ContextPacker;
use crate::packer::resolve::{Brief, Effective};
use crate::packer::shape::Shape;
use crate::prompt::{Flow, Prompt};
use crate::role::schema::MAX_BUDGET;
use crate::section::{Form, Piece, Section, Status};
use crate::settings::Prune;

/// The largest budget.
const LARGEST: usize = MAX_BUDGET as usize;

/// How many budgets are tried for a section, doubling the addition each time.
const TRIES: usize = 8;

/// The most text, in bytes, with which other budgets are tried: each try writes as much of it as
/// fits.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// The most files with which they are tried, because all are copied for that.
const MAX_PIECES: usize = 20_000;

/// What a larger budget would make of a section.
#[derive(Default)]
pub(super) struct Larger {
    /// What the largest budget shows of it, if it is cut even then because more of it is not worth
    /// the room: the tokens, and the form of each piece.
    pub(super) most: Option<(usize, Vec<Form>)>,
    pub(super) whole_at: Option<usize>,
    /// For each piece, the budget with which it should be whole.
    pub(super) pieces: Vec<usize>,
}

/// What is missing of each piece, in tokens.
struct Prices {
    pieces: Vec<Vec<usize>>,
}

/// Whether pieces are packed one after another. Where the worth of their parts is known, the best
/// parts of all of them come first.
fn is_in_order(section: &Section) -> bool {
    let is_alone = section.fill && section.pieces.len() == 1;
    let is_compared = !is_alone && section.pieces.iter().any(|piece| !piece.parts.is_empty());
    !is_compared && !section.names_files()
}

impl Prices {
    fn of(context: &Context, effective: &Effective) -> Prices {
        let Effective {
            tokenizer, style, ..
        } = *effective;
        let missing = |piece: &Piece| match piece.form {
            Form::Full => 0,
            _ => {
                let whole = tokenizer.count(&format::block_in(piece, &Form::Full, style));
                whole.saturating_sub(tokenizer.count(&format::block(piece, style)))
            }
        };
        let sections = context.sections.iter();
        let pieces = sections.map(|section| {
            // A heading, where there is only a remark.
            let head = usize::from(section.status() == Status::Dropped) * 8;
            let mut missing: Vec<usize> = section.pieces.iter().map(missing).collect();
            if let Some(first) = missing.first_mut() {
                *first += head;
            }
            missing
        });
        Prices {
            pieces: pieces.collect(),
        }
    }

    /// Returns the tokens missing of all sections above this one.
    fn missing_above(&self, at: usize) -> usize {
        self.pieces[..at].iter().flatten().sum()
    }

    /// Returns the tokens missing of this section and of all that come before it: none, if the role
    /// names its files.
    fn missing(&self, at: usize, section: &Section) -> usize {
        if section.names_files() {
            return self.pieces[at].iter().sum();
        }
        self.missing_above(at + 1)
    }
}

fn is_cut(section: &Section) -> bool {
    section.status() != Status::Kept && !section.unwritten
}

/// Returns the tokens that a section takes as it is.
fn count(section: &Section, effective: &Effective) -> usize {
    let text = format::section(section, effective.style);
    effective.tokenizer.count(&text)
}

/// Returns the sum of the first number, of the first two, and so on.
fn running(numbers: &[usize], start: usize) -> Vec<usize> {
    let mut sum = start;
    let add = |number: &usize| {
        sum += number;
        sum
    };
    numbers.iter().map(add).collect()
}

/// A prompt that is fitted to other budgets.
struct Trial<'a> {
    context: Context,
    shape: Shape,
    effective: &'a Effective,
}

impl Trial<'_> {
    /// Fits it to a budget. A template that was rendered once is rendered with another context as
    /// well.
    fn fit(&mut self, budget: usize) -> bool {
        let effective = Effective {
            budget,
            ..self.effective.clone()
        };
        self.shape.fit(&mut self.context, &effective).is_ok()
    }

    /// Returns what is shown of a section that is cut although there is room, because more of it is
    /// not worth it.
    fn most(&self, at: usize) -> Option<(usize, Vec<Form>)> {
        let section = &self.context.sections[at];
        let forms = section.pieces.iter().map(|piece| piece.form.clone());
        (is_cut(section) && !is_in_order(section))
            .then(|| (count(section, self.effective), forms.collect()))
    }

    /// Returns the first of the tried budgets with which a section is whole.
    fn whole_at(&mut self, at: usize, mut more: usize) -> Option<usize> {
        for _ in 0..TRIES {
            let budget = (self.effective.budget + more).min(LARGEST);
            if !self.fit(budget) {
                return None;
            }
            if !is_cut(&self.context.sections[at]) {
                return Some(budget);
            }
            more *= 2;
        }
        None
    }
}

impl ContextPacker {
    /// Returns, for each section of the prompt, what a larger budget would make of it.
    pub(super) fn larger(&self, prompt: &Prompt, brief: &Brief<'_>) -> Vec<Larger> {
        let effective = &brief.effective;
        let sections = &prompt.context().sections;
        let mut larger: Vec<Larger> = sections.iter().map(|_| Larger::default()).collect();
        let pieces = || sections.iter().flat_map(|section| &section.pieces);
        // A path stands in the heading of a file, and in what is remembered of it.
        let path = |piece: &Piece| piece.path.as_ref().map_or(0, |path| 3 * path.len());
        let text = pieces().map(|piece| piece.body.text().len() + path(piece));
        let is_too_much = pieces().count() > MAX_PIECES || text.sum::<usize>() > MAX_TEXT;
        if is_too_much || !sections.iter().any(is_cut) {
            return larger;
        }
        let mut trial = Trial {
            context: prompt.context().clone(),
            shape: self.shape_of(prompt, brief),
            effective,
        };
        if !trial.fit(LARGEST) {
            return larger;
        }
        let mut price = Prices::of(prompt.context(), effective);
        for (at, section) in sections.iter().enumerate() {
            larger[at].most = trial.most(at);
            if let Some((most, _)) = &larger[at].most {
                price.pieces[at] = vec![most.saturating_sub(count(section, effective))];
            }
        }
        for (at, section) in sections.iter().enumerate() {
            if !is_cut(section) || larger[at].most.is_some() {
                continue;
            }
            larger[at].whole_at = trial.whole_at(at, price.missing(at, section));
            if is_in_order(section) && effective.prune == Prune::Shrink {
                let above = effective.budget + price.missing_above(at);
                larger[at].pieces = running(&price.pieces[at], above);
                larger[at].pieces.retain(|budget| *budget <= LARGEST);
            }
        }
        larger
    }

    /// Returns what is written around the context of a prompt.
    fn shape_of(&self, prompt: &Prompt, brief: &Brief<'_>) -> Shape {
        match (prompt.flow(), prompt.template()) {
            (Flow::Template, Some(name)) => self.template_shape(name, brief, &mut Vec::new()),
            (Flow::Files, _) => Shape::Files,
            _ => Shape::Whole,
        }
    }
}
