//! The sentences of an explanation.

use super::larger::Larger;
use crate::budget::{is_guess, worth_enough};
use crate::context::Context;
use crate::prompt::{Report, UNWRITTEN};
use crate::ranges::count;
use crate::section::{Body, Form, Key, NoteKind, Section, Status};
use crate::settings::Prune;
use crate::show::{counted, grouped};

/// The reason for a piece about which there is nothing else to say.
pub(super) const WHOLE: &str = "whole";

/// Returns what a file of this form is, to be followed by its section.
pub(super) fn form_in(form: &str) -> &'static str {
    match form {
        "omitted" => "left out of",
        "full" => "whole in",
        "name" => "only named in",
        "outline" => "an outline in",
        _ => "an excerpt in",
    }
}

/// A prompt that ends before its budget leaves at least this share of it, in hundredths. If there
/// is no room for more, what is left is smaller than anything that could be shown.
const LEFT: usize = 2;

/// How much of what is needed is likely to be there, and whether a prompt stops although there is
/// room.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// Which share of what is needed is likely to be there.
    shown: f64,
    /// The budget, if some of it is left.
    with_room: Option<usize>,
    /// As in [`Section::goes_deep`].
    goes_deep: bool,
}

impl Stop {
    /// Works out how much is likely to be there, and whether there was room.
    pub(super) fn of(report: &Report) -> Stop {
        let budget = report.budget;
        let left = budget.saturating_sub(report.tokens);
        Stop {
            shown: report.expected_recall.unwrap_or_default(),
            with_room: (left > budget * LEFT / 100).then_some(budget),
            goes_deep: false,
        }
    }

    /// Returns itself, if the stop can be the reason why there is no more of this section.
    fn at(self, section: &Section) -> Option<Stop> {
        let goes_deep = section.goes_deep;
        (is_guess(&section.key) && !section.fill).then_some(Stop { goes_deep, ..self })
    }

    /// Returns which share of what is needed a thousand more tokens must hold, if there is room for
    /// them.
    fn enough(self) -> Option<f64> {
        let budget = self.with_room?;
        Some(worth_enough(budget, self.shown, self.goes_deep))
    }
}

/// Explains the status of a section. `tokens` is what it costs.
pub(super) fn why_section(
    section: &Section,
    tokens: usize,
    larger: &Larger,
    prune: Prune,
    stop: Stop,
) -> String {
    let whole = section.pieces.iter().filter(|p| p.form == Form::Full);
    let whole = format!(
        "{} of {} whole",
        grouped(whole.count()),
        counted(section.pieces.len(), "piece")
    );
    let stop = stop.at(section);
    match (section.status(), &larger.most) {
        _ if section.unwritten => UNWRITTEN.into(),
        (Status::Kept, _) if section.key.is_protected() => "never left out".into(),
        (Status::Kept, _) => "all of it fits".into(),
        (_, _) if section.key.is_protected() => {
            "never left out; it does not fit, so its end is cut off".into()
        }
        (Status::Shrunk, Some((most, _))) if *most <= tokens => {
            format!(
                "{whole}: everything likely to be needed is there, and more room would change \
                 nothing"
            )
        }
        (Status::Shrunk, Some((most, _))) => {
            format!("{whole}: {}", why_no_more(stop, *most))
        }
        (Status::Shrunk, None) => {
            format!("{whole}: no room for more")
        }
        (Status::Dropped, _) if prune == Prune::Drop => {
            "`prune: drop` leaves out whole sections, the least important first".into()
        }
        (Status::Dropped, _) => "no room for any of it".into(),
    }
}

/// Explains why there is no more of a section that never has more than `most` tokens.
fn why_no_more(stop: Option<Stop>, most: usize) -> String {
    let most = grouped(most);
    let percent = |share: f64| 100.0 * share;
    match stop.map(|stop| (percent(stop.shown), stop.enough().map(percent))) {
        Some((shown, Some(enough))) => format!(
            "there is room, but {shown:.0} % of what is likely to be needed is shown, and a \
             thousand more tokens would add less than {enough:.2} % of it; a larger budget shows \
             more, up to {most} tokens"
        ),
        Some((shown, None)) => {
            format!("no room for more, and {shown:.0} % of what is likely to be needed is shown")
        }
        None => format!("no room for more; everything likely to be needed takes {most} tokens"),
    }
}

/// Explains why the piece with this number is there, and why there is no more of it.
pub(super) fn why_piece(section: &Section, at: usize, larger: &Larger, stop: Stop) -> String {
    let has_room = stop
        .at(section)
        .is_some_and(|stop| stop.with_room.is_some());
    let piece = &section.pieces[at];
    let of = || counted(piece.body.lines(), "line");
    let most = larger.most.as_ref().and_then(|(_, forms)| forms.get(at));
    let is_unlikely =
        most.is_some_and(|most| *most == piece.form || most.is_line() && piece.form.is_line());
    let cause = match () {
        () if section.key.is_protected() => "it does not fit the budget",
        () if is_unlikely => "the rest is not likely to be needed",
        () if has_room => "the rest is not likely enough",
        () if !piece.parts.is_empty() => "no room: other parts are worth more for their tokens",
        () => "no room for more",
    };
    let cut = match &piece.form {
        Form::Full => None,
        Form::Excerpt { kept, .. } => Some(format!("{} of {}: {cause}", count(kept), of())),
        Form::Outline(shown) => Some(format!("{} of {}: {cause}", count(shown), of())),
        Form::Described | Form::Name => Some(format!("only its name: {cause}")),
        Form::Omitted if section.unwritten => Some(UNWRITTEN.into()),
        Form::Omitted if is_unlikely => Some("not likely to be needed".into()),
        Form::Omitted if has_room => Some("not likely enough".into()),
        Form::Omitted => Some("no room for it".into()),
    };
    let said = match piece.body {
        Body::Marker(_) => Some("a remark in its place".to_owned()),
        _ => None,
    };
    let reason = piece.notes.first().map(|note| note.message.clone());
    let parts = [reason, said, cut].into_iter().flatten();
    let why = parts.collect::<Vec<_>>().join("; ");
    if why.is_empty() { WHOLE.into() } else { why }
}

/// Explains why a section is empty, in the words of its source.
pub(super) fn why_empty(key: &Key, context: &Context) -> String {
    let own = format!("{key}: ");
    let mut said = context.notes.iter().map(|note| note.message.as_str());
    // Of patterns, those of the built-in roles match nothing in most repositories.
    if let Some(own) = said
        .find_map(|m| m.strip_prefix(&own))
        .filter(|_| *key != Key::Files)
    {
        return own.to_owned();
    }
    match key {
        Key::GitDiff | Key::ChangedFiles => {
            let told = context.notes.iter().find(|note| note.kind == NoteKind::Git);
            told.map_or_else(|| "nothing is staged".into(), |note| note.message.clone())
        }
        Key::Imports => "the targets import nothing from this repository".into(),
        Key::Related => "no file is likely enough to matter".into(),
        Key::Files => "its patterns match no file outside the other sections".into(),
        Key::Conventions => "none of the files exists, or another section has it".into(),
        Key::ProjectContext => "there is no `.context` folder".into(),
        Key::Extra(_) => "its text is empty".into(),
        _ => "it is empty".into(),
    }
}
