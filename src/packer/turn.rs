//! Builds a prompt that begins as an earlier one did, and cuts it where providers cache it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::measure::Written;
use super::resolve::{Effective, Turn};
use crate::budget;
use crate::context::Context;
use crate::format;
use crate::message::Layout;
use crate::ranges::count;
use crate::request::Earlier;
use crate::section::{Body, Form, Key, Note, NoteKind, Pace, Piece, Section, Status};
use crate::settings::Style;
use crate::shown::{Shown, ShownForm, ShownPiece, ShownSection};
use crate::split;
use crate::truncate::last_that;

/// A file is not shown once more for less than this share of what it is worth.
const REST: f64 = 0.2;

/// Finds what the earlier prompt showed, in its order, up to the first text that has changed. For a
/// changed file, the old text stays. `again` are the files that no section has any more.
pub(super) fn as_before(
    since: &Earlier,
    context: &Context,
    again: &[Piece],
    style: Style,
) -> Vec<Section> {
    let mut still = Vec::new();
    for section in &since.shown.sections {
        let key = section.key();
        let mut texts = own_texts(context, &key);
        let mut pieces = Vec::new();
        let mut is_whole = true;
        for piece in &section.pieces {
            let found = match &piece.path {
                Some(path) => find(context, again, &key, path),
                None => texts.next(),
            };
            let found = found.and_then(|found| as_it_was(found, piece, style));
            match found.or_else(|| that_was(piece, &since.prompt)) {
                Some(mut piece) => {
                    if !is_guessed(context, piece.path.as_deref()) {
                        piece.parts.clear();
                    }
                    pieces.push(piece);
                }
                None => {
                    is_whole = false;
                    break;
                }
            }
        }
        if !is_whole {
            pieces.retain(|piece| piece.form != Form::Omitted);
        }
        if pieces.iter().any(|piece| piece.form != Form::Omitted) {
            still.push(rebuilt(section, pieces));
        }
        if !is_whole {
            break;
        }
    }
    still
}

fn rebuilt(section: &ShownSection, pieces: Vec<Piece>) -> Section {
    Section {
        title: section.title.clone(),
        earlier: Some(section.turn),
        ..Section::new(section.key(), pieces)
    }
}

/// Returns the pieces of a section that are not files.
fn own_texts<'a>(context: &'a Context, key: &Key) -> impl Iterator<Item = &'a Piece> {
    let sections = context.sections.iter().find(|section| section.key == *key);
    let pieces = sections.map_or(&[][..], |section| &section.pieces);
    pieces.iter().filter(|piece| piece.path.is_none())
}

/// Finds a file in the same section, or in any other, or among those in no section.
fn find<'a>(context: &'a Context, again: &'a [Piece], key: &Key, path: &str) -> Option<&'a Piece> {
    let is_it = |piece: &&Piece| piece.path.as_deref() == Some(path);
    let own = context
        .sections
        .iter()
        .filter(|section| section.key == *key);
    let all = own
        .chain(&context.sections)
        .flat_map(|section| &section.pieces);
    let is_file = |piece: &&Piece| !matches!(piece.body, Body::Marker(_) | Body::Diff(_));
    all.chain(again)
        .find(|piece| is_it(piece) && is_file(piece))
}

/// Whether the parts of a file are valued as a share of everything that must change. The parts of
/// files that somebody asked for are valued for themselves.
fn is_guessed(context: &Context, path: Option<&str>) -> bool {
    let asked = context
        .sections
        .iter()
        .filter(|it| !budget::is_guess(&it.key));
    let mut asked = asked.flat_map(|section| &section.pieces);
    asked.all(|piece| piece.path.is_none() || piece.path.as_deref() != path)
}

/// Returns the piece in the form that it had, if it is written as it was.
fn as_it_was(piece: &Piece, shown: &ShownPiece, style: Style) -> Option<Piece> {
    let form = shown.form(split::count_lines(piece.body.text()))?;
    let piece = Piece {
        form,
        ..piece.clone()
    };
    shown.is(&format::block(&piece, style)).then_some(piece)
}

/// Returns what was said of a file that has since changed or gone. One that was not shown is
/// counted as before.
fn that_was(shown: &ShownPiece, prompt: &str) -> Option<Piece> {
    let path = shown.path.clone()?;
    let (form, written) = match shown.form {
        ShownForm::Omitted => (Form::Omitted, ""),
        ShownForm::Described => (Form::Described, shown.written(prompt)?),
        ShownForm::Name => (Form::Name, shown.written(prompt)?),
        ShownForm::Full | ShownForm::Excerpt | ShownForm::Outline => {
            (Form::Full, shown.written(prompt)?)
        }
    };
    Some(Piece {
        form,
        ..Piece::file(path, Body::Before(written.to_owned()))
    })
}

/// Decides how much of what the earlier prompt showed this one begins with: as much as leaves room
/// for everything that would be shown without it and was asked for. What stands there is not shown
/// twice.
///
/// It takes room from what is likely to matter. If that fits anyway this costs nothing, because
/// what mattered for the last task of a run matters for the next; `docs/messages.md` says what it
/// costs otherwise.
pub(super) fn begin_as_before(context: &mut Context, room: usize, effective: &Effective) {
    let earlier = std::mem::take(&mut context.earlier);
    if earlier.is_empty() {
        return;
    }
    let price = Written {
        style: effective.style,
        tokenizer: effective.tokenizer,
    };
    let fit = |mut sections: Vec<Section>| {
        budget::fit(&mut sections, room, effective.prune, &price);
        sections
    };
    let alone = Asked::of(&fit(context.sections.clone()));
    let ends = ends(&earlier);
    let with = |count: usize| fit(joined(cut(&earlier, ends[count - 1]), &context.sections));
    let takes_nothing = |count: usize| count == 0 || Asked::of(&with(count)).is_as_much_as(&alone);
    // The most of it that takes nothing away, as if more always took more.
    let most = match ends.len() {
        all if takes_nothing(all) => all,
        all => last_that(0, all - 1, takes_nothing),
    };
    if most > 0 {
        let mut sections = with(most);
        named_once(&mut sections);
        context.sections = sections;
    }
}

/// Removes files that would only be named, if they already stand above by name or more.
fn named_once(sections: &mut Vec<Section>) {
    let (above, fresh): (Vec<Section>, Vec<Section>) = sections
        .drain(..)
        .partition(|section| section.earlier.is_some());
    let paths = |section: &Section| {
        let written = section
            .pieces
            .iter()
            .filter(|piece| piece.form != Form::Omitted);
        written
            .filter_map(|piece| piece.path.clone())
            .collect::<Vec<_>>()
    };
    let known: HashSet<String> = above.iter().flat_map(paths).collect();
    sections.extend(above);
    for mut section in fresh {
        if budget::is_guess(&section.key) {
            section.pieces.retain(|piece| {
                let is_shown = !piece.form.is_line() && piece.form != Form::Omitted;
                is_shown || piece.path.as_ref().is_none_or(|path| !known.contains(path))
            });
        }
        if !section.pieces.is_empty() {
            sections.push(section);
        }
    }
}

/// Returns where the earlier text may end: after each piece, as the number of its section and of
/// its pieces.
fn ends(sections: &[Section]) -> Vec<(usize, usize)> {
    let mut ends = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        let pieces = section.pieces.iter().enumerate();
        let written = pieces.filter(|(_, piece)| piece.form != Form::Omitted);
        ends.extend(written.map(|(number, _)| (at, number + 1)));
        // With the remark on what is omitted.
        if let Some(last) = ends.last_mut().filter(|(of, _)| *of == at) {
            last.1 = section.pieces.len();
        }
    }
    ends
}

fn cut(sections: &[Section], (last, pieces): (usize, usize)) -> Vec<Section> {
    let mut kept = sections[..=last].to_vec();
    if let Some(section) = kept.last_mut().filter(|it| pieces < it.pieces.len()) {
        section.pieces.truncate(pieces);
        section.pieces.retain(|piece| piece.form != Form::Omitted);
    }
    kept
}

/// Returns what was shown before, followed by those parts of the rest that it does not show.
fn joined(mut kept: Vec<Section>, fresh: &[Section]) -> Vec<Section> {
    let mut above: HashMap<String, Vec<Piece>> = HashMap::new();
    let mut texts: Vec<(Key, Body)> = Vec::new();
    for section in &kept {
        for piece in &section.pieces {
            match &piece.path {
                Some(path) => above.entry(path.clone()).or_default().push(piece.clone()),
                None => texts.push((section.key.clone(), piece.body.clone())),
            }
        }
    }
    for section in fresh {
        let mut section = section.clone();
        let key = section.key.clone();
        let pieces = std::mem::take(&mut section.pieces).into_iter();
        let pieces = pieces.filter_map(|piece| match &piece.path {
            Some(path) => match above.get(path) {
                Some(shown) => rest(piece, shown, &key),
                None => Some(piece),
            },
            None => {
                let is_above = texts.contains(&(key.clone(), piece.body.clone()));
                (!is_above).then_some(piece)
            }
        });
        section.pieces = pieces.collect();
        if !section.pieces.is_empty() {
            kept.push(section);
        }
    }
    kept
}

/// Returns what is left to show of a piece below these, which show some of it.
fn rest(mut piece: Piece, shown: &[Piece], key: &Key) -> Option<Piece> {
    // What the file was is another text, and so are a diff of it and a remark on it.
    let is_same = |other: &&Piece| other.body == piece.body;
    let same: Vec<&Piece> = shown.iter().filter(is_same).collect();
    if same.is_empty() {
        return Some(piece);
    }
    if same.iter().any(|other| other.form == Form::Full) {
        return (*key == Key::TargetFile).then(|| pointer(&piece));
    }
    if piece.parts.is_empty() || *key == Key::TargetFile {
        return Some(piece);
    }
    let is_shown = |lines: &Range<usize>| same.iter().any(|other| other.form.shows(lines));
    let whole: f64 = piece.parts.iter().map(|part| part.value).sum();
    for part in &mut piece.parts {
        if is_shown(&part.lines) {
            part.value = 0.0;
        }
    }
    let rest: f64 = piece.parts.iter().map(|part| part.value).sum();
    (rest > whole * REST).then_some(piece)
}

/// Returns what stands in place of a target that an earlier turn showed whole.
fn pointer(piece: &Piece) -> Piece {
    let path = piece.path.clone().unwrap_or_default();
    let note = Note::new(NoteKind::Duplicate, "shown by an earlier turn").on(&path);
    Piece::file(path, Body::Marker("[See above]".into())).with_note(note)
}

/// The number of lines shown of each piece that somebody asked for and no earlier prompt showed.
struct Asked(HashMap<(Key, Option<String>), usize>);

impl Asked {
    fn of(sections: &[Section]) -> Asked {
        let mut lines = HashMap::new();
        let is_asked = |it: &&Section| it.earlier.is_none() && !budget::is_guess(&it.key);
        for section in sections.iter().filter(is_asked) {
            for piece in &section.pieces {
                let place = (section.key.clone(), piece.path.clone());
                *lines.entry(place).or_default() += lines_shown(piece);
            }
        }
        Asked(lines)
    }

    /// Whether it shows no less of anything than `other` does. What is no longer among these stands
    /// above.
    fn is_as_much_as(&self, other: &Asked) -> bool {
        let shows = |(place, lines)| self.0.get(place).is_none_or(|mine| mine >= lines);
        other.0.iter().all(shows)
    }
}

fn lines_shown(piece: &Piece) -> usize {
    match &piece.form {
        _ if matches!(piece.body, Body::Marker(_)) => usize::MAX,
        Form::Full => piece.body.lines(),
        Form::Excerpt { kept, .. } => count(kept),
        Form::Outline(lines) => count(lines),
        Form::Described | Form::Name | Form::Omitted => 0,
    }
}

/// Records what a prompt shows, for the one that is built after it.
pub(super) fn shown(
    text: &str,
    places: Vec<usize>,
    context: &Context,
    effective: &Effective,
    turn: &Turn,
) -> Shown {
    let number = turn
        .since
        .as_ref()
        .map_or(1, |since| since.shown.next_turn());
    let is_context = |section: &&Section| {
        !matches!(section.key, Key::SystemPrompt | Key::Task) && section.status() != Status::Dropped
    };
    let sections = context.in_order().into_iter().filter(is_context);
    let block = |piece: &Piece| format::block(piece, effective.style);
    let mut from = 0;
    Shown {
        role_last: turn.role_last,
        ends: places,
        sections: sections
            .map(|section| {
                let mut told = ShownSection::of(section, number, block);
                for ((_, piece), told) in section.in_order().into_iter().zip(&mut told.pieces) {
                    let written = block(piece);
                    let found = text[from..].find(&written).filter(|_| !written.is_empty());
                    if let Some(start) = found.map(|at| from + at) {
                        from = start + written.len();
                        told.at = Some((start, from));
                    }
                }
                told
            })
            .collect(),
    }
}

/// Returns where the text is cut: after what changes rarely, after what earlier turns showed, after
/// what belongs to the task, and at its end.
pub(super) fn layout(
    text: &str,
    system: usize,
    context: &Context,
    effective: &Effective,
    turn: &Turn,
) -> Layout {
    let (mut rarely, mut earlier, mut with_task) = (system, 0, 0);
    let mut from = system;
    for section in context.in_order() {
        let written = format::section(section, effective.style);
        let Some(at) = text[from..].find(&written).filter(|_| !written.is_empty()) else {
            continue;
        };
        from += at + written.len();
        match (section.key.pace(), section.earlier) {
            (_, Some(_)) => earlier = from,
            (Pace::WithTask, None) => with_task = from,
            _ => {}
        }
        if section.key.pace() == Pace::Rarely && section.earlier.is_none_or(|turn| turn == 1) {
            rarely = from;
        }
    }
    let before = turn
        .since
        .as_ref()
        .map_or(&[][..], |since| &since.shown.ends);
    let others = before.iter().copied().filter(|end| *end < earlier);
    Layout {
        others: others.collect(),
        system,
        ends: vec![rarely, earlier, with_task, text.len()],
        cache_points: turn.cache_points,
    }
}
