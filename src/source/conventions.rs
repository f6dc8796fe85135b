//! The repository's conventions: the first convention file that is there.

use super::Gathering;
use super::files::place;
use super::find::{Asked, Pick};
use crate::error::Error;
use crate::repo::{Kind, RepoPath};
use crate::section::{Key, Note, NoteKind, Section};

/// Packs the first of the role's convention files that exists.
pub(super) fn first_found(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let (placer, settings) = (&mut all.placer, all.ask.role.context());
    let asker = all.ask.role.asker_of_conventions();
    let mut section = Section::new(Key::Conventions, Vec::new());
    for name in settings.conventions.files() {
        let path = match RepoPath::parse(name) {
            Ok(path) => path,
            Err(why) => {
                let message = format!("convention file `{name}` is ignored: {why}");
                section.notes.push(Note::new(NoteKind::Pattern, message));
                continue;
            }
        };
        if placer.repo.kind(&path) != Kind::Missing {
            let pick = Pick::new(placer, &path, Asked::ByName, asker);
            place(placer, &mut section, &pick);
        }
        if !section.pieces.is_empty() {
            break;
        }
    }
    Ok(section)
}
