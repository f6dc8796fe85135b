//! What a larger budget would make of a prompt, found out by trying.

use crate::context::Context;
use crate::format;
use crate::packer::resolve::Effective;
use crate::packer::{ContextPacker, Shape};
use crate::prompt::{Flow, Prompt};
use crate::request::Request;
use crate::role::Role;
use crate::role::schema::MAX_BUDGET;
use crate::section::{Form, Piece, Section, Status};
use crate::settings::Prune;

/// No budget is larger.
const LARGEST: usize = MAX_BUDGET as usize;

/// So many budgets are tried for a section, each with twice as much more.
const TRIES: usize = 8;

/// With more text than this, in bytes, no other budget is tried: each try writes as much
/// of it as fits.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// What a larger budget would make of a section.
#[derive(Default)]
pub(super) struct Larger {
    /// What is there of it with the largest budget, if it is cut even then, since more of
    /// it is not worth its room: the tokens, and the form of each piece.
    pub(super) most: Option<(usize, Vec<Form>)>,
    pub(super) whole_at: Option<usize>,
    /// For each piece the budget with which it should be whole.
    pub(super) pieces: Vec<usize>,
}

/// What is missing of each piece, in tokens.
struct Prices {
    pieces: Vec<Vec<usize>>,
}

/// Whether pieces are packed one after another. Where it is known what their parts are
/// worth, the best parts of all of them come first.
fn is_in_order(section: &Section) -> bool {
    section.pieces.iter().all(|piece| piece.parts.is_empty())
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

    /// What is missing of all sections above this one.
    fn missing_above(&self, at: usize) -> usize {
        self.pieces[..at].iter().flatten().sum()
    }

    /// The same with this one.
    fn missing(&self, at: usize) -> usize {
        self.missing_above(at + 1)
    }
}

/// What a section costs as it is.
fn count(section: &Section, effective: &Effective) -> usize {
    let text = format::section(section, effective.style);
    effective.tokenizer.count(&text)
}

/// The sums of the first one, of the first two, and so on.
fn running(numbers: &[usize], start: usize) -> Vec<usize> {
    let mut sum = start;
    let add = |number: &usize| {
        sum += number;
        sum
    };
    numbers.iter().map(add).collect()
}

impl ContextPacker {
    /// For each section of the prompt, what a larger budget would make of it.
    pub(super) fn larger(
        &self,
        prompt: &Prompt,
        role: &Role,
        request: &Request,
        effective: &Effective,
    ) -> Vec<Larger> {
        let context = prompt.context();
        let is_cut = |section: &Section| section.status() != Status::Kept;
        let cut: Vec<bool> = context.sections.iter().map(is_cut).collect();
        let mut larger: Vec<Larger> = cut.iter().map(|_| Larger::default()).collect();
        let pieces = context.sections.iter().flat_map(|section| &section.pieces);
        let text: usize = pieces.map(|piece| piece.body.text().len()).sum();
        if !cut.contains(&true) || text > MAX_TEXT {
            return larger;
        }
        let mut context = context.clone();
        let mut price = Prices::of(&context, effective);
        let now: Vec<usize> = context
            .sections
            .iter()
            .map(|s| count(s, effective))
            .collect();
        let values = prompt
            .template()
            .map(|name| self.values(name, role, request, &mut Context::default()));
        let shape = match (prompt.flow(), prompt.template(), &values) {
            (Flow::Template, Some(name), Some(values)) => Shape::Template(name, values),
            (Flow::Files, ..) => Shape::Files,
            _ => Shape::Whole,
        };
        let fit = |budget: usize, context: &mut Context| {
            let effective = Effective {
                budget,
                ..*effective
            };
            // What was rendered once is rendered with another context as well.
            self.fitted(&shape, &effective, context).is_ok()
        };
        if !fit(LARGEST, &mut context) {
            return larger;
        }
        for (section, larger) in context.sections.iter().zip(&mut larger) {
            if is_cut(section) && !is_in_order(section) {
                let forms = section.pieces.iter().map(|piece| piece.form.clone());
                larger.most = Some((count(section, effective), forms.collect()));
            }
        }
        for ((pieces, larger), now) in price.pieces.iter_mut().zip(&larger).zip(now) {
            if let Some((most, _)) = &larger.most {
                *pieces = vec![most.saturating_sub(now)];
            }
        }
        for at in (0..cut.len()).filter(|at| cut[*at]) {
            if larger[at].most.is_some() {
                continue;
            }
            let mut more = price.missing(at);
            for _ in 0..TRIES {
                let budget = (effective.budget + more).min(LARGEST);
                if !fit(budget, &mut context) {
                    break;
                }
                if !is_cut(&context.sections[at]) {
                    larger[at].whole_at = Some(budget);
                    break;
                }
                more *= 2;
            }
            if is_in_order(&context.sections[at]) && effective.prune == Prune::Shrink {
                let above = effective.budget + price.missing_above(at);
                larger[at].pieces = running(&price.pieces[at], above);
                larger[at].pieces.retain(|budget| *budget <= LARGEST);
            }
        }
        larger
    }
}
