//! The files of this repository that the target files import directly.

use super::files::place;
use super::find::{Asked, Pick};
use super::first_names::FirstNames;
use super::{Gathering, MAX_FILE};
use crate::error::Error;
use crate::index::Index;
use crate::index::imports::{MAX_LED_TO, MAX_LISTED, Misses, Resolver};
use crate::repo::Asker;
use crate::section::{Key, Note, NoteKind, Section};
use crate::show::{counted, grouped, quoted};

/// Packs what the target files import, in the order of import. If it is known what files export, it
/// is not read again, and if the files are known, the repository is not listed again.
pub(super) fn of_targets(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::Imports, Vec::new());
    let (placer, targets) = (&mut all.placer, &all.targets);
    let known = all.index.as_ref().filter(|_| all.ranking.is_some());
    let exports = known.map(Index::exports).unwrap_or_default();
    let mut resolver = Resolver::new(placer.repo, exports);
    if let Some(listed) = known.and_then(Index::listed) {
        resolver = resolver.listed(listed);
    }
    let mut misses = Misses::default();
    // A target that cannot be read has a note where it is packed.
    for target in targets.readable() {
        let path = target.path();
        let Ok(file) = placer.repo.read(target, MAX_FILE) else {
            continue;
        };
        for import in resolver.imported(path, &file.text, &mut misses) {
            let pick = Pick::new(placer, &import, Asked::ByGlob, Asker::Repository);
            if let Some(piece) = place(placer, &mut section, &pick) {
                let why = format!("imported by {}", quoted(path.as_str()));
                piece
                    .notes
                    .push(Note::new(NoteKind::Reason, why).on(import.as_str()));
            }
        }
    }
    section.notes.extend(notes(&misses, &resolver));
    Ok(section)
}

/// Notes what was not found, or not looked for.
fn notes(misses: &Misses, resolver: &Resolver<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |message: String| notes.push(Note::new(NoteKind::Reason, message));
    let missing = misses.missing;
    if misses.outside + missing > 0 {
        let imports = counted(misses.outside, "import");
        let leads = if misses.outside == 1 { "leads" } else { "lead" };
        let mut message = format!("{imports} {leads} out of this repository");
        if missing > 0 {
            let names = FirstNames::of(missing, misses.names.iter().map(String::as_str));
            message += &format!(", {} to nothing in it: {names}", grouped(missing));
        }
        note(message);
    }
    if misses.cut > 0 {
        let files = counted(misses.cut, "file");
        note(format!(
            "{files} of imported packages left out: the limit is {MAX_LED_TO} for a package"
        ));
    }
    if misses.unasked > 0 {
        let imports = counted(misses.unasked, "import");
        note(format!("{imports} not looked up: there are too many"));
    }
    if resolver.has_unread() {
        note("some project files were not read for imports: there are too many".into());
    }
    if resolver.has_more() {
        let files = grouped(MAX_LISTED);
        note(format!(
            "imports were searched only among the first {files} files or fewer"
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{Repo, RepoPath, with_files};

    #[test]
    fn what_leads_nowhere_is_told_apart() {
        let told = |file: &str, text: &str, others: &[(&str, &str)]| {
            let folder = with_files(others.iter().copied().chain([(file, text)]));
            let repo = Repo::open(folder.path()).unwrap();
            let resolver = Resolver::new(&repo, []);
            let mut misses = Misses::default();
            let path = RepoPath::parse(file).unwrap();
            resolver.imported(&path, text, &mut misses);
            let notes = notes(&misses, &resolver).into_iter();
            notes.map(|note| note.message).collect::<Vec<_>>()
        };
        let text =
            "import os\nimport requests\nfrom . import gone\nfrom p import lost\nimport p.no\n";
        assert_eq!(
            told("p/a.py", text, &[("p/__init__.py", "")]),
            ["2 imports lead out of this repository, 1 to nothing in it: p.no"]
        );
        assert_eq!(
            told("a.rs", "mod b;\n", &[("b.rs", "")]),
            Vec::<String>::new()
        );
        assert_eq!(
            told("a.ts", "import './b';\nimport 'c';\n", &[]),
            ["1 import leads out of this repository, 1 to nothing in it: ./b"]
        );
    }
}
