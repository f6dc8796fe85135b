//! All sections of a prompt, in the order in which they are written.

use std::collections::HashSet;
use std::ops::Range;

use crate::ranges::{first_of, joined};
use crate::secrets::{self, Secret};
use crate::section::{Body, Form, Key, Note, NoteKind, Pace, Piece, Section, Status};
use crate::show::{counted, quoted};
use crate::syntax::{language, purpose};
use crate::unseen::{self, Unseen};

/// The ordered sections, and what happened while they were gathered.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The sections: protected ones first, then by priority.
    pub sections: Vec<Section>,
    /// Notes that are about no section in particular.
    pub notes: Vec<Note>,
    /// Whether it is written for messages, where what changes least comes first.
    pub for_messages: bool,
    /// What an earlier prompt showed and is unchanged, until packer has decided how much of it this
    /// prompt begins with.
    pub earlier: Vec<Section>,
}

impl Context {
    /// Adds a section. An empty one leaves only its notes.
    pub fn push(&mut self, section: Section) {
        if section.pieces.is_empty() {
            let key = section.key;
            self.notes.extend(section.notes.into_iter().map(|note| {
                if note.kind == NoteKind::Reason {
                    let message = format!("{key}: {}", note.message);
                    Note { message, ..note }
                } else {
                    note
                }
            }));
        } else {
            self.sections.push(section);
        }
    }

    /// Returns the sections in the order in which they are written: by priority, or for messages
    /// those that change least first. Among those that change with every prompt, the more important
    /// ones come closer to the task.
    pub fn in_order(&self) -> Vec<&Section> {
        let mut sections: Vec<(usize, &Section)> = self.sections.iter().enumerate().collect();
        if self.for_messages {
            sections.sort_by_key(|(at, section)| {
                let group = group(section);
                let is_last_first = !matches!(group, Group::First | Group::Earlier | Group::Rarely);
                (group, if is_last_first { usize::MAX - at } else { *at })
            });
        }
        sections.into_iter().map(|(_, section)| section).collect()
    }

    /// Returns every note that the caller should be warned about, in the order of the prompt, each
    /// once.
    pub fn warnings(&self) -> Vec<&Note> {
        let mut seen = HashSet::new();
        let sections = self.sections.iter();
        let notes =
            sections.flat_map(|s| s.notes.iter().chain(s.pieces.iter().flat_map(|p| &p.notes)));
        let all = self.notes.iter().chain(notes);
        all.filter(|note| note.kind.is_warning() && seen.insert(*note))
            .collect()
    }
}

/// Which sections stand together in messages, the first ones first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    First,
    Earlier,
    Rarely,
    WithTask,
    Files,
    Always,
    LeftOut,
}

fn group(section: &Section) -> Group {
    match (section.key.pace(), section.earlier) {
        _ if section.key == Key::SystemPrompt => Group::First,
        (_, Some(_)) => Group::Earlier,
        _ if section.status() == Status::Dropped => Group::LeftOut,
        (Pace::Rarely, None) => Group::Rarely,
        (Pace::WithTask, None) => Group::WithTask,
        (Pace::Always, None) if section.pieces.iter().any(is_file) => Group::Files,
        (Pace::Always, None) => Group::Always,
    }
}

fn is_file(piece: &Piece) -> bool {
    piece.path.is_some() && !matches!(piece.body, Body::Diff(_))
}

/// The most likely secrets of one text that are listed one by one; more are only counted.
const MAX_SECRETS: usize = 10;

/// Warns of likely secrets and of invisible characters in a text, or only in those of its lines
/// (from 0) that are shown, in order. A warning says where a secret is and what it resembles, but
/// never quotes it. `source` names the text; a file is named by its path, which is searched too.
pub fn warnings_of(
    text: &str,
    source: &str,
    path: Option<&str>,
    shown: Option<&[Range<usize>]>,
) -> Vec<Note> {
    let mut notes = notes_of(&secrets_in(text, path, shown), source, path);
    notes.extend(path.and_then(warning_of_name));
    notes.extend(unseen(unseen::find(text, shown), source, path));
    notes
}

/// Warns of a likely secret in the name of a file, which is written with its text.
pub fn warning_of_name(path: &str) -> Option<Note> {
    let secret = secrets::find(path).into_iter().next()?;
    let shown = secrets::masked(path.to_owned());
    let message = format!(
        "the name `{}` looks like a secret: {}",
        quoted(&shown),
        secret.kind
    );
    Some(Note::new(NoteKind::Secret, message).on(path))
}

/// Returns a note about the invisible characters of a text.
fn unseen(found: Unseen, source: &str, path: Option<&str>) -> Option<Note> {
    let source = called(source, path);
    let count = |number| {
        let verb = if number == 1 { "is" } else { "are" };
        format!("{} that {verb} invisible", counted(number, "character"))
    };
    let (kind, message, line) = match found.first {
        Some((letter, line)) => {
            let (code, count) = (u32::from(letter), count(found.suspects));
            let what = "and can hide instructions";
            let message =
                format!("{source} has {count} {what}, the first (U+{code:04X}) on line {line}");
            (NoteKind::Unseen, message, Some(line))
        }
        None if found.others > 0 => {
            let message = format!("{source} has {}", count(found.others));
            (NoteKind::Reason, message, None)
        }
        None => return None,
    };
    Some(Note {
        path: path.map(str::to_owned),
        line,
        ..Note::new(kind, message)
    })
}

/// Returns what to call a text: a file's path, or else its source.
fn called(source: &str, path: Option<&str>) -> String {
    path.map_or_else(|| source.to_owned(), |path| format!("`{}`", quoted(path)))
}

/// Finds the invisible characters in those lines of a piece that are written.
fn unseen_in(piece: &Piece) -> Unseen {
    let text = piece.body.text();
    match (&piece.body, &piece.form) {
        (Body::Marker(_), _) | (_, Form::Name | Form::Omitted | Form::Described) => {
            Unseen::default()
        }
        (_, Form::Excerpt { kept, .. }) => unseen::find(text, Some(kept)),
        (_, Form::Outline(lines)) => unseen::find(text, Some(lines)),
        (_, Form::Full) => unseen::find(text, None),
    }
}

/// Finds the secrets of which anything is in the `shown` lines, each on the first that is.
fn secrets_in(text: &str, path: Option<&str>, shown: Option<&[Range<usize>]>) -> Vec<Secret> {
    let mut found = match path {
        Some(path) => secrets::find_in(path, text),
        None => secrets::find(text),
    };
    if let Some(shown) = shown {
        found.retain_mut(|secret| {
            let first = first_of(secret.line - 1..secret.last, shown);
            secret.line = first.map_or(secret.line, |first| first + 1);
            first.is_some()
        });
    }
    found
}

/// Looks for secrets and invisible characters in everything that is written: the pieces in their
/// forms, these named texts, and then the whole, for what the template added.
pub fn find_secrets(context: &mut Context, named: &[(&str, &str)], whole: &str) {
    let mut known: HashSet<String> = HashSet::new();
    let mut remember = |text: &str, found: &[Secret]| {
        known.extend(found.iter().map(|s| text[s.place.clone()].to_owned()));
    };
    let is_named = |key: &Key| matches!(key, Key::SystemPrompt | Key::Task);
    for section in context.sections.iter_mut().filter(|s| !is_named(&s.key)) {
        let source = format!("the section `{}`", quoted(section.key.name()));
        for piece in &mut section.pieces {
            let found = shown_secrets(piece);
            remember(piece.body.text(), &found);
            let mut notes = notes_of(&found, &source, piece.path.as_deref());
            let other = match &piece.body {
                Body::Diff(_) => Some("the diff"),
                Body::Before(_) => Some("what an earlier prompt showed"),
                _ => None,
            };
            if let (Some(what), Some(path)) = (other, &piece.path) {
                // A line of these is no line of the file.
                notes = notes_of(&found, &format!("{what} of `{}`", quoted(path)), None);
                for note in &mut notes {
                    note.path = Some(path.clone());
                }
            }
            piece.notes.extend(notes);
            let path = piece.path.as_deref();
            piece.notes.extend(unseen(unseen_in(piece), &source, path));
        }
    }
    for (name, text) in named {
        let found = secrets::find(text);
        remember(text, &found);
        context.notes.extend(notes_of(&found, name, None));
        context
            .notes
            .extend(unseen(unseen::find(text, None), name, None));
    }
    let mut others = secrets::find(whole);
    others.retain(|s| !known.contains(&whole[s.place.clone()]));
    context.notes.extend(notes_of(&others, "the prompt", None));
}

/// Finds the likely secrets in those lines of a piece that are written.
fn shown_secrets(piece: &Piece) -> Vec<Secret> {
    let path = piece.path.as_deref();
    match (&piece.body, &piece.form) {
        (Body::Marker(_), _) | (_, Form::Name | Form::Omitted) => Vec::new(),
        (body, Form::Described) => {
            let language = language(path.unwrap_or_default());
            let told = purpose(language, body.text());
            told.map_or(Vec::new(), |told| {
                secrets_in(body.text(), path, Some(&[told.lines]))
            })
        }
        (body, Form::Excerpt { kept, outline }) => {
            let shown = joined([&kept[..], &outline[..]].concat());
            secrets_in(body.text(), path, Some(&shown))
        }
        (body, Form::Outline(lines)) => secrets_in(body.text(), path, Some(lines)),
        (body, Form::Full) => secrets_in(body.text(), path, None),
    }
}

fn notes_of(found: &[Secret], source: &str, path: Option<&str>) -> Vec<Note> {
    let source = called(source, path);
    let note = |message: String, line| Note {
        path: path.map(str::to_owned),
        line,
        ..Note::new(NoteKind::Secret, message)
    };
    // Whatever stands before it, no kind goes untold.
    let mut kinds = HashSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        (found.iter().enumerate()).partition(|(_, secret)| kinds.insert(secret.kind));
    let room = MAX_SECRETS.saturating_sub(first.len());
    let more = others.len().saturating_sub(room);
    let mut told = [first, others.into_iter().take(room).collect()].concat();
    told.sort_by_key(|(place, _)| *place);
    let told = told.into_iter().map(|(_, secret)| {
        let Secret { line, kind, .. } = secret;
        let message = format!("line {line} of {source} looks like a secret: {kind}");
        note(message, Some(*line))
    });
    let mut notes: Vec<Note> = told.collect();
    if more > 0 {
        let lines = counted(more, "more line");
        let message = format!("{lines} of {source} look like secrets");
        notes.push(note(message, None));
    }
    notes
}

/// Sorts section keys into the order in which they are pruned and written: the role's own order,
/// then the default one, then all other keys in the order given.
///
/// A role's order counts only if at least one of its keys is present.
pub fn rank(wanted: &[Key], present: &[Key]) -> Vec<Key> {
    let wanted: &[Key] = if wanted.iter().any(|key| present.contains(key)) {
        wanted
    } else {
        &[]
    };
    let mut ranked: Vec<Key> = Vec::new();
    let order = wanted
        .iter()
        .chain(Key::DEFAULT_ORDER)
        .chain(present.iter());
    for key in order {
        if present.contains(key) && !ranked.contains(key) {
            ranked.push(key.clone());
        }
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_is_and_several_are_invisible() {
        let told = |text| warnings_of(text, "it", None, None).remove(0).message;
        assert!(told("a\u{202e}b").starts_with("it has 1 character that is invisible and can"));
        assert!(told("\u{202e}\u{202e}").starts_with("it has 2 characters that are invisible"));
    }

    #[test]
    fn a_secret_in_what_a_file_is_for_is_told() {
        let text = "\n//! Log in with AKIAZ7QPX3MV5KRT2WBN as we do.\n";
        let told = |form| {
            let piece = Piece {
                form,
                ..Piece::file("a.rs", Body::Source(text.into()))
            };
            let lines = shown_secrets(&piece).into_iter().map(|secret| secret.line);
            lines.collect::<Vec<_>>()
        };
        assert_eq!(told(Form::Described), [2]);
        assert!(told(Form::Name).is_empty());
    }

    #[test]
    fn the_roles_order_comes_first_then_the_default_then_extras() {
        let keys = |names: &str| names.split(' ').map(Key::from_name).collect::<Vec<_>>();
        let present = keys("logs target_file tree files more");
        assert_eq!(
            rank(&keys("tree more absent"), &present),
            keys("tree more target_file files logs")
        );
        assert_eq!(
            rank(&keys("absent"), &present),
            keys("target_file files tree logs more")
        );
    }
}
