//! Guarded reading for loops in which a model asks for files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{MAX_FILE, MAX_TOTAL};
use crate::context::{warning_of_name, warnings_of};
use crate::error::{Error, ErrorKind};
use crate::format;
use crate::repo::{
    Asker, FileText, Kind, PathError, Refusal, Repo, RepoPath, read_anywhere, relative, resolve,
};
use crate::role::automaton::{Automaton, compiled};
use crate::role::pattern::{Room, WILDCARDS};
use crate::section::{Body, Note, NoteKind, Piece};
use crate::settings::FilesStyle;
use crate::show::{counted, quoted};
use crate::split::at_commas;

/// What a file may begin with. Here it is part of the text: a program that writes the file back
/// writes it too.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// How far a reader may go.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Where relative paths start and what a model may read; empty for the current folder.
    pub dir: PathBuf,
    /// Which file names a model may read; all, if there is none.
    pub filter: Option<NameFilter>,
    /// The number of files at which reading of a model's files stops, whoever asked for the files.
    pub max_files: Option<usize>,
    /// The largest file that is read, in bytes; 1 MiB if there is none. With 0, no single file is
    /// too large as long as all of them together have at most 10 MiB.
    pub max_file_size: Option<u64>,
}

/// Globs for names of files.
#[derive(Debug, Clone)]
pub struct NameFilter(Automaton);

impl NameFilter {
    /// Reads globs separated by commas, such as `*.rs,*.{ts,js},Makefile`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`], which names the glob that does not parse, has a `/`, begins with `!`,
    /// or is one too many: globs with wildcards have the limits of a role's list of patterns.
    pub fn parse(text: &str) -> Result<NameFilter, Error> {
        let fail = |glob: &str, why: &str| {
            let message = format!("the filter `{}` does not parse: {why}", quoted(glob));
            let help = "a filter is one or more globs for file names: `*.rs,*.md`";
            Error::advise(ErrorKind::Request, message, help)
        };
        let mut all = Vec::new();
        let globs: Vec<&str> = at_commas(text).into_iter().map(str::trim).collect();
        let mut room = Room::default();
        for glob in globs.iter().filter(|glob| !glob.is_empty()) {
            if let Some(why) = never_matches(glob) {
                return Err(fail(glob, why));
            }
            if glob.contains(WILDCARDS) {
                room.take(glob).map_err(|why| fail(glob, &why))?;
            }
            all.push(compiled(glob).map_err(|e| fail(glob, &e.kind().to_string()).caused_by(e))?);
        }
        if globs.iter().all(|glob| glob.is_empty()) {
            return Err(fail(text, "it is empty"));
        }
        let automaton = Automaton::new(&all);
        automaton.map(NameFilter).map_err(|why| fail(text, &why))
    }

    fn takes(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

/// Returns why a glob matches no name as it was meant.
fn never_matches(glob: &str) -> Option<&'static str> {
    if glob.contains('/') {
        return Some("a name has no `/`, so leave out the folder");
    }
    let excludes = glob.starts_with('!');
    excludes.then_some("`!` does not exclude, so name what may be read")
}

/// The files that have been read so far, in the order in which they were asked for, each once: its
/// text, or a message in brackets that says why there is none.
///
/// Reading never fails. Only regular files are opened. All files together have at most 10 MiB.
#[derive(Debug)]
pub struct ReadFiles {
    /// What paths are shown relative to.
    base: PathBuf,
    known: HashSet<PathBuf>,
    pieces: Vec<Piece>,
    notes: Vec<Note>,
    left: u64,
}

impl Default for ReadFiles {
    fn default() -> Self {
        ReadFiles::new("")
    }
}

impl ReadFiles {
    /// Starts with no files. Paths are shown relative to `base`; empty for the current folder.
    pub fn new(base: impl AsRef<Path>) -> ReadFiles {
        ReadFiles {
            base: resolve(Path::new(""), base.as_ref()),
            known: HashSet::new(),
            pieces: Vec::new(),
            notes: Vec::new(),
            left: MAX_TOTAL,
        }
    }

    /// Reads what a model asks for: only in `dir`, only names that the filter accepts (others are
    /// skipped silently), and only until there are `max_files`.
    pub fn read_requested<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
        options: &ReadOptions,
    ) {
        let dir = resolve(Path::new(""), &options.dir);
        let folder = Repo::open(&dir);
        let filter = options.filter.as_ref();
        let takes = |name: &str| filter.is_none_or(|filter| filter.takes(name));
        let mut unread = HashSet::new();
        for path in paths {
            let full = resolve(&dir, path.as_ref());
            if self.known.contains(&full) {
                continue;
            }
            let name = full.file_name().unwrap_or_default().to_string_lossy();
            if !takes(&name) {
                continue;
            }
            if options
                .max_files
                .is_some_and(|most| self.pieces.len() >= most)
            {
                unread.insert(full);
                continue;
            }
            let found = match &folder {
                Err(_) if !dir.exists() => Err(Refused::Error(
                    "the allowed directory does not exist".into(),
                )),
                Err(_) => Err(Refused::Error(
                    "the allowed directory cannot be opened".into(),
                )),
                Ok(folder) => inside(folder, &dir, &full).map(|path| (folder, path)),
            };
            // The folder, or what leads to it, may have been reached through a link.
            let usual = found.as_ref().map(|(_, path)| dir.join(path.as_str()));
            if usual.as_ref().is_ok_and(|usual| self.known.contains(usual)) {
                continue;
            }
            let usual = usual.ok();
            let result = match found {
                Err(refused) => Err(refused),
                // A link must not give a file a name that the filter takes.
                Ok((folder, path)) if !takes(&real_name(folder, &path)) => continue,
                Ok((folder, path)) => {
                    self.read(options, |limit| folder.read_for(Asker::Model, &path, limit))
                }
            };
            self.known.extend(usual);
            self.add(full, result);
        }
        if !unread.is_empty() {
            let most = options.max_files.unwrap_or_default();
            let message = format!(
                "{} not read: there are {} already, and a model gets at most {most} in all",
                counted(unread.len(), "requested file"),
                self.pieces.len()
            );
            self.notes.push(Note::new(NoteKind::Skipped, message));
        }
    }

    /// Reads what the operator asks for, wherever it is. The filter and `max_files` apply only to
    /// models.
    pub fn read_include<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
        options: &ReadOptions,
    ) {
        let dir = resolve(Path::new(""), &options.dir);
        for path in paths {
            let full = resolve(&dir, path.as_ref());
            if !self.known.contains(&full) {
                let result = self.read(options, |limit| read_anywhere(&full, limit));
                self.add(full, result);
            }
        }
    }

    /// Returns how many files were asked for and not skipped, including unreadable ones.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether no file was asked for, or all were skipped.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns each path as it is shown, with its text or message.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pieces.iter().map(|p| (path_of(p), p.body.text()))
    }

    /// Writes all files.
    pub fn write(&self, style: FilesStyle) -> String {
        self.parts(style).collect()
    }

    /// Returns what [`write`](Self::write) returns, in consecutive parts, each of a file or two
    /// lines.
    pub fn parts(&self, style: FilesStyle) -> impl Iterator<Item = String> {
        format::files(&self.pieces, style)
    }

    /// Returns what the caller should know about the files.
    pub fn warnings(&self) -> Vec<Note> {
        let mut notes: Vec<Note> = self.pieces.iter().flat_map(|p| p.notes.clone()).collect();
        notes.extend(self.notes.iter().cloned());
        notes
    }

    /// Reads a file of at most the allowed size, within what is left for all.
    fn read(
        &mut self,
        options: &ReadOptions,
        read: impl FnOnce(u64) -> Result<FileText, Refusal>,
    ) -> Result<FileText, Refused> {
        let most = match options.max_file_size {
            None => MAX_FILE,
            Some(0) => u64::MAX,
            Some(most) => most,
        };
        let file = read(most.min(self.left)).map_err(|refusal| match refusal {
            Refusal::TooLarge(size) | Refusal::Binary(size) if size > most => {
                Refused::Size { size, most }
            }
            Refusal::TooLarge(size) => Refused::Total(size),
            Refusal::Binary(size) => Refused::Binary(size),
            Refusal::Outside => Refused::outside(),
            refusal => Refused::Error(refusal.to_string()),
        })?;
        // Replaced characters take more than what they replace.
        let taken = file.bytes.max(file.text.len() as u64);
        self.left = self.left.saturating_sub(taken);
        Ok(file)
    }

    fn add(&mut self, full: PathBuf, result: Result<FileText, Refused>) {
        let path = relative(&self.base, &full);
        let shown = quoted(&path).into_owned();
        let piece = match result {
            Ok(file) => {
                let mut notes = warnings_of(&file.text, "", Some(&path), None);
                if file.replaced {
                    notes.push(Note::replaced(&path));
                }
                let text = if file.marked {
                    format!("{BYTE_ORDER_MARK}{}", file.text)
                } else {
                    file.text
                };
                let piece = Piece::file(&path, Body::Source(text));
                Piece { notes, ..piece }
            }
            Err(refused) => {
                let (kind, message) = match &refused {
                    Refused::Error(why) => (
                        NoteKind::Unreadable,
                        format!("`{shown}` was not read: {why}"),
                    ),
                    other => (NoteKind::Skipped, format!("`{shown}`: {other}")),
                };
                let mut notes = vec![Note::new(kind, message).on(&path)];
                notes.extend(warning_of_name(&path));
                let piece = Piece::file(&path, Body::Marker(format!("[{refused}]")));
                Piece { notes, ..piece }
            }
        };
        self.known.insert(full);
        self.pieces.push(piece);
    }
}

/// Why there is no text of a file, in the words that stand in its place.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("Skipped: file size {size} bytes exceeds maxFileSize {most}")]
    Size { size: u64, most: u64 },
    #[error("Skipped: file size {0} bytes exceeds what is left of {MAX_TOTAL} bytes for all files")]
    Total(u64),
    #[error("Binary file, {0} bytes")]
    Binary(u64),
    #[error("Error reading file: {0}")]
    Error(String),
}

impl Refused {
    fn outside() -> Refused {
        Refused::Error("outside the allowed directory".into())
    }
}

/// Returns the path of a file in the folder that a model may read.
fn inside(folder: &Repo, dir: &Path, full: &Path) -> Result<RepoPath, Refused> {
    let Some(text) = full.to_str() else {
        return Err(Refused::Error(PathError::NotUtf8.to_string()));
    };
    let path = match full.strip_prefix(dir).ok().and_then(Path::to_str) {
        Some(inside) => RepoPath::parse(inside),
        // Either may have been reached through a link.
        None => folder.path(text),
    };
    path.map_err(|why| match why {
        PathError::Nul | PathError::NotUtf8 => Refused::Error(why.to_string()),
        _ => Refused::outside(),
    })
}

/// Returns the name of the file that a path leads to, or its own if there is none.
fn real_name(folder: &Repo, path: &RepoPath) -> String {
    match folder.kind(path) {
        Kind::File(real) => real.name().to_owned(),
        _ => path.name().to_owned(),
    }
}

fn path_of(piece: &Piece) -> &str {
    piece.path.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_globs_with_commas_between() {
        let filter = NameFilter::parse("*.{ts,js}, Makefile,[a,b].md").unwrap();
        for (name, taken) in [
            ("a.ts", true),
            ("a.js", true),
            ("Makefile", true),
            ("b.md", true),
            ("a.rs", false),
            ("c.md", false),
        ] {
            assert_eq!(filter.takes(name), taken, "{name}");
        }
        let filter = NameFilter::parse("?.py,[à-ý]{,s}.rs").unwrap();
        for (name, taken) in [
            ("é.py", true),
            ("éé.py", false),
            ("é.rs", true),
            ("és.rs", true),
            ("e.rs", false),
        ] {
            assert_eq!(filter.takes(name), taken, "{name}");
        }
        for wrong in ["[", "", " , ", "a{b"] {
            assert!(NameFilter::parse(wrong).is_err(), "{wrong}");
        }
        for (wrong, why) in [
            (
                "*.md,src/*.rs",
                "`src/*.rs` does not parse: a name has no `/`",
            ),
            ("**/a.rs", "a name has no `/`"),
            ("!*.rs", "`!` does not exclude"),
        ] {
            let told = NameFilter::parse(wrong).unwrap_err().to_string();
            assert!(told.contains(why), "{told}");
        }
    }
}
