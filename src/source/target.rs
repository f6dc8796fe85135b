//! What a target names: a file or a folder, a part of a file, or what a glob matches.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use super::find::{Asked, Pick, below, matched};
use super::{Placer, unreadable};
use crate::line_numbers::{behind_colon, in_anchor};
use crate::parse::Parser;
use crate::ranges::joined;
use crate::repo::{Asker, Kind, PathError, Readable, Refusal, Repo, RepoPath};
use crate::role::pattern::{Globs, Pattern, PatternError, WILDCARDS, Wild};
use crate::section::{Body, Note, NoteKind, Piece};
use crate::show::{counted, grouped, quoted};
use crate::syntax::symbols::{self, NoSymbol};
use crate::syntax::{Wanted, language};

/// The most files of a glob or a folder that are targets.
const MAX_MATCHED: usize = 1000;

/// The longest target, in bytes: as long as a path can be, and as much after it. Each character in
/// it that may end a path gives one more way to read it.
const MAX_TARGET: usize = 8192;

/// What one target names.
#[derive(Debug, Clone)]
pub enum Target {
    /// A file, or a folder with all files below it.
    Path(RepoPath),
    /// A part of a file.
    Part(RepoPath, FilePart),
    /// Every file whose path matches.
    Glob(Wild),
}

/// Which part of a file is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilePart {
    /// These lines, counted from 1.
    Lines(RangeInclusive<usize>),
    /// The declaration with this name.
    Symbol(String),
}

/// Why a text names no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is not a path of the repository.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It is longer than anything that can be named.
    #[error("it is longer than {MAX_TARGET} bytes")]
    TooLong,
    /// Its line numbers are not a range.
    #[error("lines are counted from 1, and the last line must not come before the first")]
    Lines,
    /// It is a glob that does not parse.
    #[error("the glob does not parse: {0}; to match a wildcard character itself, write `[*]`")]
    Glob(String),
}

impl Target {
    /// Reads what the caller wrote: a path, relative to the root or absolute; `src/a.rs:120-180`,
    /// `src/a.rs:12` and `src/a.rs#L12-L20`; `src/a.rs::Config::load`; `src/*.py`. A file or folder
    /// with exactly that name wins over every other reading.
    ///
    /// # Errors
    ///
    /// See [`TargetError`].
    pub fn parse(repo: &Repo, given: &str) -> Result<Target, TargetError> {
        if given.trim().is_empty() {
            return Err(PathError::Empty.into());
        }
        if given.len() > MAX_TARGET {
            return Err(TargetError::TooLong);
        }
        let whole = repo.path(given);
        if let Ok(path) = &whole
            && repo.kind(path) != Kind::Missing
        {
            return Ok(Target::Path(path.clone()));
        }
        let some = parts_of(given);
        for (path, some) in &some {
            if let Ok(path) = repo.path(path)
                && matches!(repo.kind(&path), Kind::File(_))
            {
                return Ok(Target::Part(path, some.read()?));
            }
        }
        if given.contains(WILDCARDS) {
            return glob(repo, given);
        }
        // Nothing is there; what is missing is told by the name of the file.
        match some.into_iter().next_back() {
            Some((path, some)) => Ok(Target::Part(repo.path(path)?, some.read()?)),
            None => Ok(Target::Path(whole?)),
        }
    }

    /// Returns the file or folder, unless it is a glob.
    pub fn path(&self) -> Option<&RepoPath> {
        match self {
            Target::Path(path) | Target::Part(path, _) => Some(path),
            Target::Glob(_) => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Path(path) => path.fmt(f),
            Target::Part(path, some) => write!(f, "{path}{some}"),
            Target::Glob(wild) => f.write_str(wild.text()),
        }
    }
}

impl fmt::Display for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilePart::Lines(lines) if lines.start() == lines.end() => {
                write!(f, ":{}", lines.start())
            }
            FilePart::Lines(lines) => write!(f, ":{}-{}", lines.start(), lines.end()),
            FilePart::Symbol(name) => write!(f, "::{name}"),
        }
    }
}

/// What a text says about a file besides its path. There may be thousands of ways to read one, so
/// nothing is copied before one of them is chosen.
#[derive(Clone, Copy)]
enum Named<'a> {
    Lines((usize, Option<usize>)),
    Symbol(&'a str),
}

impl Named<'_> {
    fn read(self) -> Result<FilePart, TargetError> {
        match self {
            Named::Lines(lines) => range(lines),
            Named::Symbol(name) => Ok(FilePart::Symbol(name.to_owned())),
        }
    }
}

/// Stands for a range that is invalid.
const NO_RANGE: (usize, Option<usize>) = (1, Some(0));

/// Returns the ways to read a text as a file and a part of it, the longest path first.
fn parts_of(given: &str) -> Vec<(&str, Named<'_>)> {
    let mut ways = Vec::new();
    if let Some((path, anchor)) = given.rsplit_once('#')
        && let Some(lines) = in_anchor(anchor)
    {
        ways.push((path, Named::Lines(lines)));
    }
    for (at, _) in given.match_indices(':') {
        let rest = &given[at + 1..];
        if is_place(rest)
            && let Some(lines) = behind_colon(rest)
        {
            // Where the last line is missing nobody knows which is meant.
            let is_open = rest.ends_with('-');
            let lines = if is_open { NO_RANGE } else { lines };
            ways.push((&given[..at], Named::Lines(lines)));
        }
    }
    for (at, sign) in given.match_indices("::") {
        let name = &given[at + sign.len()..];
        if !name.is_empty() {
            ways.push((&given[..at], Named::Symbol(name)));
        }
    }
    ways.retain(|(path, _)| !path.is_empty());
    ways.sort_by_key(|(path, _)| Reverse(path.len()));
    ways
}

/// Whether a text is only line numbers: `12`, `12-20`, `12:5`.
fn is_place(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    text.starts_with(is_digit) && text.chars().all(|c| is_digit(c) || c == '-' || c == ':')
}

fn range((first, last): (usize, Option<usize>)) -> Result<FilePart, TargetError> {
    let last = last.unwrap_or(first);
    let is_range = 0 < first && first <= last;
    is_range
        .then_some(FilePart::Lines(first..=last))
        .ok_or(TargetError::Lines)
}

fn glob(repo: &Repo, given: &str) -> Result<Target, TargetError> {
    let resolved;
    let comes_back = given.split('/').any(|part| part == "..");
    let text = if comes_back || std::path::Path::new(given).is_absolute() {
        resolved = format!("./{}", repo.path(given)?);
        &resolved
    } else {
        given
    };
    match Pattern::parse(text) {
        Ok(Pattern::Wild(wild)) => match wild.problem() {
            Some(why) => Err(TargetError::Glob(why.to_owned())),
            None => Ok(Target::Glob(wild)),
        },
        // A text with a wildcard is nothing else.
        Ok(Pattern::Path(_) | Pattern::Sentinel(_)) | Err(PatternError::Empty) => {
            Err(PathError::Empty.into())
        }
        Err(PatternError::Rejected(why)) => Err(why.into()),
        Err(why @ PatternError::UnknownSentinel) => Err(TargetError::Glob(why.to_string())),
    }
}

/// The target files, with folders and globs expanded.
pub(super) struct Targets {
    files: Vec<TargetFile>,
    /// The index of each path among them.
    places: HashMap<RepoPath, usize>,
    pub(super) notes: Vec<Note>,
}

/// A file that is a target.
pub(super) struct TargetFile {
    pub(super) pick: Pick,
    /// Which parts of it were asked for; empty for the whole file.
    some: Vec<FilePart>,
    /// Whether it was named itself, and not by a folder or a glob.
    is_named: bool,
}

impl Targets {
    /// Finds the target files in the order given, each once.
    pub(super) fn find(placer: &Placer<'_>, targets: &[Target], asker: Asker) -> Targets {
        let mut found = Targets {
            files: Vec::new(),
            places: HashMap::new(),
            notes: Vec::new(),
        };
        for target in targets {
            match target {
                Target::Path(path) => found.add_path(placer, path, asker),
                Target::Part(path, some) => {
                    let pick = Pick::new(placer, path, Asked::Directly, asker);
                    found.add_named(pick, Some(some.clone()));
                }
                Target::Glob(wild) => found.add_glob(placer, wild),
            }
        }
        found
    }

    fn add_path(&mut self, placer: &Placer<'_>, path: &RepoPath, asker: Asker) {
        if !matches!(placer.repo.kind(path), Kind::Folder(_)) {
            return self.add_named(Pick::new(placer, path, Asked::Directly, asker), None);
        }
        let folder = match placer.repo.admit_folder(path, asker) {
            Ok(folder) => folder,
            Err(refusal) => return self.notes.push(unreadable(path, &refusal)),
        };
        let found = below(placer, &mut self.notes, &folder, &|_| false);
        let shown = match path.as_str() {
            "" => ".".into(),
            path => quoted(path),
        };
        if found.is_empty() {
            let message = format!("the target folder `{shown}` holds no files");
            self.note(NoteKind::Unreadable, message, path);
        }
        self.add_all(found, || format!("the target folder `{shown}` holds"));
    }

    /// Adds what a glob matches. It reaches what git lists or would list, whoever asks.
    fn add_glob(&mut self, placer: &Placer<'_>, wild: &Wild) {
        let shown = quoted(wild.text()).into_owned();
        let globs = match Globs::new([wild.clone()]) {
            Ok(globs) => globs,
            Err(why) => {
                let message = format!("the target `{shown}` cannot be matched: {why}");
                return self.notes.push(Note::new(NoteKind::Unreadable, message));
            }
        };
        let mut found = matched(placer, &mut self.notes, &globs, &|_| false).0;
        found.sort_by(Pick::by_path);
        if found.is_empty() {
            let message =
                format!("the target `{shown}` matches no file that git lists or would list");
            self.notes.push(Note::new(NoteKind::Unreadable, message));
        }
        self.add_all(found, || format!("the target `{shown}` matches"));
    }

    /// Adds the first files that a target leads to; `told` says what leads to them.
    fn add_all(&mut self, picks: Vec<Pick>, told: impl Fn() -> String) {
        if picks.len() > MAX_MATCHED {
            let (files, most) = (counted(picks.len(), "file"), grouped(MAX_MATCHED));
            let message = format!("{} {files}; the first {most} count", told());
            self.notes.push(Note::new(NoteKind::Skipped, message));
        }
        let asked = Asked::Directly;
        for pick in picks.into_iter().take(MAX_MATCHED) {
            self.add(Pick { asked, ..pick });
        }
    }

    /// Adds a file that was named, with the part that is asked for.
    fn add_named(&mut self, pick: Pick, some: Option<FilePart>) {
        let file = self.add(pick);
        file.some.extend(some);
        file.is_named = true;
    }

    /// Adds a file once.
    fn add(&mut self, pick: Pick) -> &mut TargetFile {
        let next = self.files.len();
        let at = *self.places.entry(pick.path().clone()).or_insert(next);
        if at == next {
            self.files.push(TargetFile {
                pick,
                some: Vec::new(),
                is_named: false,
            });
        }
        &mut self.files[at]
    }

    fn note(&mut self, kind: NoteKind, message: String, path: &RepoPath) {
        self.notes.push(Note::new(kind, message).on(path.as_str()));
    }

    /// Returns the files in order.
    pub(super) fn files(&self) -> &[TargetFile] {
        &self.files
    }

    /// Returns the paths in order, except those hidden from whoever asked.
    pub(super) fn paths(&self) -> Vec<RepoPath> {
        let is_hidden = |file: &&TargetFile| match &file.pick.file {
            Ok(_) => false,
            Err(refused) => matches!(refused.1, Refusal::Hidden(_)),
        };
        let shown = self.files.iter().filter(|file| !is_hidden(file));
        shown.map(|file| file.pick.path().clone()).collect()
    }

    /// Returns the files that may be read, in order.
    pub(super) fn readable(&self) -> impl Iterator<Item = &Readable> {
        let files = self.files.iter();
        files.filter_map(|file| file.pick.file.as_ref().ok())
    }
}

impl TargetFile {
    /// Tells a piece made of the file which of its lines were asked for. If the file is too large
    /// or binary, it warns: whoever named it wanted to see it.
    pub(super) fn ask(&self, piece: &mut Piece, parser: &Parser) {
        let is_skipped = |note: &&mut Note| self.is_named && note.kind == NoteKind::Skipped;
        if let Body::Marker(_) = piece.body {
            let skipped = piece.notes.iter_mut().filter(is_skipped);
            skipped.for_each(|note| note.kind = NoteKind::Unreadable);
        }
        let (Body::Source(text), false) = (&piece.body, self.some.is_empty()) else {
            return;
        };
        let path = self.pick.path().as_str();
        let mut asked = Vec::new();
        let mut told = Vec::new();
        for some in &self.some {
            let found = some.lines(path, text, parser);
            let kind = if found.problem.is_some() {
                NoteKind::Unreadable
            } else {
                NoteKind::Reason
            };
            let ranges: Vec<String> = found.lines.iter().map(shown_range).collect();
            let message = found
                .problem
                .unwrap_or_else(|| format!("asked for: {}", ranges.join(", ")));
            told.push(Note::new(kind, message).on(path));
            asked.extend(found.lines);
        }
        piece.notes.extend(told);
        piece.asked = joined(asked).into();
    }
}

/// The lines of a text that were asked for, from 0, and what is wrong with the request.
struct Found {
    lines: Vec<Range<usize>>,
    problem: Option<String>,
}

impl FilePart {
    fn lines(&self, path: &str, text: &str, parser: &Parser) -> Found {
        match self {
            FilePart::Lines(lines) => lines_in(lines, path, text.lines().count()),
            FilePart::Symbol(name) => symbol_in(name, path, text, parser),
        }
    }
}

fn lines_in(asked: &RangeInclusive<usize>, path: &str, total: usize) -> Found {
    let (first, last) = (*asked.start(), *asked.end());
    let here = first - 1..last.min(total);
    let problem = (last > total).then(|| {
        let (shown, has) = (quoted(path), counted(total, "line"));
        let what = if here.is_empty() {
            "; none of these lines exist".to_owned()
        } else {
            let verb = if here.len() == 1 { "is" } else { "are" };
            format!(": {} {verb} shown", shown_range(&here))
        };
        let target = FilePart::Lines(asked.clone());
        format!(
            "the target `{shown}{target}` ends after the end of the file, which has {has}{what}"
        )
    });
    Found {
        lines: if here.is_empty() {
            Vec::new()
        } else {
            vec![here]
        },
        problem,
    }
}

fn symbol_in(name: &str, path: &str, text: &str, parser: &Parser) -> Found {
    let declared = parser.one(Wanted::Declared, path, text).declared;
    let problem = match symbols::find(language(path), text, &declared, name) {
        Ok(lines) => {
            return Found {
                lines,
                problem: None,
            };
        }
        Err(problem) => problem,
    };
    let (path, name) = (quoted(path), quoted(name));
    let help = match problem {
        NoSymbol::Other(Some(near)) => format!("did you mean `{path}::{}`?", quoted(&near)),
        NoSymbol::Other(None) => format!("name lines instead, as in `{path}:10-20`"),
        NoSymbol::NoNames => {
            format!(
                "packer finds no names in such a file; name lines instead, as in `{path}:10-20`"
            )
        }
    };
    Found {
        lines: Vec::new(),
        problem: Some(format!("`{path}` declares no `{name}`: {help}")),
    }
}

/// Returns lines as a person counts them.
fn shown_range(lines: &Range<usize>) -> String {
    match lines.len() {
        1 => format!("line {}", lines.end),
        _ => format!("lines {}-{}", lines.start + 1, lines.end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::with_files;

    fn read(names: &[&str], given: &str) -> String {
        let folder = with_files(names.iter().map(|name| (name, "a\n")));
        let repo = Repo::open(folder.path()).unwrap();
        let given = given.replace("ROOT", repo.root().to_str().unwrap());
        match Target::parse(&repo, &given) {
            Ok(target @ Target::Path(_)) => format!("path {target}"),
            Ok(Target::Part(path, some)) => format!("{path} {some}"),
            Ok(target @ Target::Glob(_)) => format!("glob {target}"),
            Err(why) => why.to_string(),
        }
    }

    #[test]
    fn a_target_is_read_in_each_of_its_ways() {
        let read = |given| read(&["src/a.rs"], given);
        assert_eq!(read("src/a.rs"), "path src/a.rs");
        assert_eq!(read("src"), "path src");
        assert_eq!(read("ROOT/src"), "path src");
        assert_eq!(read("src/a.rs:12"), "src/a.rs :12");
        assert_eq!(read("src/a.rs:12:5"), "src/a.rs :12");
        assert_eq!(read("src/a.rs:12-20"), "src/a.rs :12-20");
        assert_eq!(read("src/a.rs#L12-L20"), "src/a.rs :12-20");
        assert_eq!(read("ROOT/src/a.rs:3"), "src/a.rs :3");
        assert_eq!(read("src/a.rs::Config::load"), "src/a.rs ::Config::load");
        assert_eq!(read("src/*.rs"), "glob src/*.rs");
        assert_eq!(read("ROOT/src/*.rs"), "glob ./src/*.rs");
        assert_eq!(read("src/../*.rs"), "glob ./*.rs");
        assert_eq!(read("src/../src/a.rs:3"), "src/a.rs :3");
        assert_eq!(read("src/b.rs"), "path src/b.rs");
        assert_eq!(read("src/b.rs:12"), "src/b.rs :12");
        assert_eq!(read("src/b.rs::Config::load"), "src/b.rs ::Config::load");
    }

    #[test]
    fn what_is_there_by_that_very_name_wins() {
        let names = ["a.rs", "a.rs:12-20", "a.rs::b", "[id]/*.rs", "[id]/b.rs"];
        for name in names {
            assert_eq!(read(&names, name), format!("path {name}"));
        }
        assert_eq!(read(&names, "a.rs:12-20:3"), "a.rs:12-20 :3");
        assert_eq!(read(&names, "a.rs::b::c"), "a.rs::b ::c");
        assert_eq!(read(&["a.rs"], "a.rs::b::c"), "a.rs ::b::c");
        assert_eq!(read(&names, "[id]/b.rs:3"), "[id]/b.rs :3");
    }

    #[test]
    fn what_names_nothing_is_an_error() {
        let read = |given| read(&["a.rs"], given);
        assert!(read("a.rs:0").contains("counted from 1"));
        assert!(read("a.rs:9-3").contains("counted from 1"));
        assert!(read("a.rs:9-").contains("counted from 1"));
        assert!(read("../*.rs").contains("leads out"));
        assert!(read("/etc/*").contains("outside"));
        assert!(read("/etc/passwd:3").contains("outside"));
        assert!(read("src/{a").contains("does not parse"));
        assert!(read(" ").contains("empty"));
        assert!(read(&"a.rs::".repeat(2000)).contains("longer than 8192 bytes"));
    }
}
