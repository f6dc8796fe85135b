//! A path that cannot climb out of the repository by its name.

use std::borrow::Borrow;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::split;

/// No system opens a longer path, in bytes. Looking at every folder of a path takes time and memory
/// by the square of its length.
pub const MAX_PATH: usize = 4096;

/// The most folders above a file, and so the depth of a walk; the deepest real trees (of
/// `node_modules`) have about 40 levels. The system looks at each part of a path every time, so
/// asking it about each folder of a path takes time by the square of its depth.
pub(super) const MAX_DEPTH: usize = 256;

/// A path from the repository's root, with `/` between its parts, without `.`, `..`, empty parts or
/// a leading `/`. The root itself is the empty path.
///
/// The name proves that it is inside; whether a link leads out is checked when the file is opened.
/// A clone shares the text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<str>);

/// Why a text is not a [`RepoPath`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It starts at the file system's root or names a drive.
    #[error("it is absolute, and paths are relative to the repository's root")]
    Absolute,
    /// It has a `..` part.
    #[error("it has a `..` part")]
    Parent,
    /// It has a colon, on Windows.
    #[error("it has a colon, which names a drive or a hidden part of a file")]
    Colon,
    /// It has a NUL character.
    #[error("it has a NUL character")]
    Nul,
    /// It goes up further than it went down.
    #[error("its `..` leads out of the repository")]
    Above,
    /// It is absolute and is not in the repository.
    #[error("it is outside the repository")]
    Outside,
    /// It is in a git folder, where that is reported separately from what is outside.
    #[error("git's own folder is never read")]
    Git,
    /// It is longer than a file's path can be.
    #[error("it is longer than {MAX_PATH} bytes")]
    TooLong,
    /// It has more parts than a walk goes down.
    #[error("it lies more than {MAX_DEPTH} folders deep")]
    TooDeep,
    /// It is not valid UTF-8.
    #[error("its name is not valid UTF-8")]
    NotUtf8,
}

impl RepoPath {
    /// Reads a path relative to the repository's root.
    ///
    /// # Errors
    ///
    /// Absolute paths, drive letters, `..` and NUL are refused on every platform, and so is what is
    /// longer than a path can be, or deeper than a walk goes.
    pub fn parse(text: &str) -> Result<RepoPath, PathError> {
        RepoPath::parse_on(text, cfg!(windows))
    }

    /// Reads a path as on Windows, or as elsewhere, where a backslash is an ordinary letter.
    fn parse_on(text: &str, is_windows: bool) -> Result<RepoPath, PathError> {
        if text.len() > MAX_PATH {
            return Err(PathError::TooLong);
        }
        let text = if is_windows {
            &text.replace('\\', "/")
        } else {
            text
        };
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        if text.starts_with('/') || has_drive(text) {
            return Err(PathError::Absolute);
        }
        // `c:a` lies on another drive, and `a::$DATA` is `a` by a name that no rule knows.
        if is_windows && text.contains(':') {
            return Err(PathError::Colon);
        }
        if text.split('/').any(|part| part == "..") {
            return Err(PathError::Parent);
        }
        let counts = |part: &&str| !part.is_empty() && *part != ".";
        if text.split('/').filter(counts).nth(MAX_DEPTH + 1).is_some() {
            return Err(PathError::TooDeep);
        }
        if text.split('/').all(|part| counts(&part)) {
            return Ok(RepoPath(text.into()));
        }
        let parts: Vec<&str> = text.split('/').filter(counts).collect();
        let path = parts.join("/");
        // `./C:\a` names a drive once what says nothing is gone.
        if has_drive(&path) {
            return Err(PathError::Absolute);
        }
        Ok(RepoPath(path.into()))
    }

    /// Returns the path that a relative one means, from the repository's root, once every `..` has
    /// removed the part before it.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse), and an error for what leads out.
    pub(super) fn resolved(text: &str) -> Result<RepoPath, PathError> {
        RepoPath::resolved_on(text, cfg!(windows))
    }

    fn resolved_on(text: &str, is_windows: bool) -> Result<RepoPath, PathError> {
        let is_slash = |letter| letter == '/' || is_windows && letter == '\\';
        let mut parts: Vec<&str> = Vec::new();
        let given = text.split(is_slash);
        for part in given.filter(|part| !matches!(*part, "" | ".")) {
            if part != ".." {
                parts.push(part);
            } else if parts.pop().is_none() {
                return Err(PathError::Above);
            }
        }
        RepoPath::parse_on(&parts.join("/"), is_windows)
    }

    /// Returns the repository's root.
    pub fn root() -> RepoPath {
        RepoPath("".into())
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the repository's root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the path of an entry of this folder. `name` is one part, as a folder lists it.
    pub(crate) fn entry(&self, name: &str) -> RepoPath {
        if self.is_root() {
            RepoPath(name.into())
        } else {
            RepoPath([&*self.0, "/", name].concat().into())
        }
    }

    /// Turns a text into the path of an [`entry`](Self::entry), for code that looks at many.
    pub(super) fn write_entry(&self, name: &str, path: &mut String) {
        path.clear();
        path.push_str(&self.0);
        if !self.is_root() {
            path.push('/');
        }
        path.push_str(name);
    }

    /// Returns a path that is relative to this folder.
    pub(super) fn below(&self, path: &RepoPath) -> RepoPath {
        if path.is_root() {
            self.clone()
        } else {
            self.entry(path.as_str())
        }
    }

    /// Returns the last part.
    pub fn name(&self) -> &str {
        split::name(&self.0)
    }

    /// Returns this path, then its folder, and so on up to, but without, the root.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        let mut rest = Some(self.as_str()).filter(|path| !path.is_empty());
        std::iter::from_fn(move || {
            let path = rest?;
            rest = path.rfind('/').map(|at| &path[..at]);
            Some(path)
        })
    }

    /// Returns this path, then its folder, and so on up to and including the root.
    pub fn upwards(&self) -> impl Iterator<Item = RepoPath> {
        let above = self.ancestors().map(|path| RepoPath(path.into()));
        above.chain([RepoPath::root()])
    }

    /// Whether this path is `folder` or is below it.
    pub fn is_below(&self, folder: &str) -> bool {
        folder.is_empty()
            || self
                .0
                .strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> String {
        path.as_str().to_owned()
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the absolute path that `path` means in the folder `dir`, judged only by its name: `.`
/// and `..` are removed, links are not looked at. An empty `dir` is the current folder.
pub fn resolve(dir: &Path, path: &Path) -> PathBuf {
    let path = dir.join(path);
    let absolute = if path.as_os_str().is_empty() {
        std::env::current_dir()
    } else {
        std::path::absolute(&path)
    };
    let mut resolved = PathBuf::new();
    // Without a current folder a relative path stays one.
    for part in absolute.unwrap_or(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            part => resolved.push(part),
        }
    }
    resolved
}

/// Returns the path from the folder `base` to `path`, both as [`resolve`] makes them, with `/`
/// between its parts.
pub fn relative(base: &Path, path: &Path) -> String {
    let (base, parts): (Vec<_>, Vec<_>) =
        (base.components().collect(), path.components().collect());
    let common = base.iter().zip(&parts).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), base.len() - common);
    let down = parts[common..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let way: Vec<String> = up.chain(down).collect();
    if way.is_empty() {
        return ".".into();
    }
    way.join("/")
}

fn has_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\')
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_of_windows_are_read_as_windows_does() {
        let on = |text: &str| RepoPath::parse_on(text, true).map(|path| path.to_string());
        let here = |text: &str| RepoPath::parse_on(text, false).map(|path| path.to_string());
        assert_eq!(on("src\\a.rs").as_deref(), Ok("src/a.rs"));
        assert_eq!(on(".\\src\\\\a.rs").as_deref(), Ok("src/a.rs"));
        assert_eq!(here("src\\a.rs").as_deref(), Ok("src\\a.rs"));
        assert_eq!(on("..\\a.rs"), Err(PathError::Parent));
        assert_eq!(on("a\\..\\..\\b"), Err(PathError::Parent));
        for colon in ["c:a.rs", "a.rs:hidden", "a\\b.rs::$DATA"] {
            assert_eq!(on(colon), Err(PathError::Colon), "{colon}");
            assert!(here(colon).is_ok());
        }
        for absolute in [
            "C:\\a.rs",
            "\\a.rs",
            "\\\\server\\share\\a.rs",
            "\\\\?\\C:\\a",
        ] {
            assert_eq!(on(absolute), Err(PathError::Absolute), "{absolute}");
        }
        let resolved = |text: &str| RepoPath::resolved_on(text, true).map(|path| path.to_string());
        assert_eq!(resolved("a\\..\\b\\c").as_deref(), Ok("b/c"));
        assert_eq!(resolved("a\\..\\..\\c"), Err(PathError::Above));
    }

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_is_brought_into_one_form() {
        assert_eq!(RepoPath::parse("./a//b/./c/").unwrap().as_str(), "a/b/c");
        assert!(RepoPath::parse(".").unwrap().is_root());
    }

    #[test]
    fn a_path_that_comes_back_is_resolved_by_name() {
        let resolved = |text| RepoPath::resolved(text).map(String::from);
        assert_eq!(resolved("src/../README.md"), Ok("README.md".into()));
        assert_eq!(resolved("./a/b//../../c/"), Ok("c".into()));
        assert_eq!(resolved("a/.."), Ok(String::new()));
        for outside in ["..", "../a", "a/../../repo/a"] {
            assert_eq!(resolved(outside), Err(PathError::Above), "{outside}");
        }
    }

    #[test]
    fn what_could_lie_outside_is_refused() {
        assert_eq!(RepoPath::parse("/etc/passwd"), Err(PathError::Absolute));
        for drive in ["C:\\x", "./C:\\x", ".//C:/x", "a:/\\", "./a:/\\"] {
            assert_eq!(RepoPath::parse(drive), Err(PathError::Absolute), "{drive}");
        }
        assert_eq!(RepoPath::parse("a/../../b"), Err(PathError::Parent));
        assert_eq!(RepoPath::parse("a\0"), Err(PathError::Nul));
        let long = "a/".repeat(3000);
        assert_eq!(RepoPath::parse(&long), Err(PathError::TooLong));
        let deep = "a/".repeat(MAX_DEPTH);
        assert!(RepoPath::parse(&format!("./{deep}/b")).is_ok());
        let deeper = RepoPath::parse(&format!("{deep}a/b"));
        assert_eq!(deeper, Err(PathError::TooDeep));
    }

    #[test]
    fn ancestors_go_up_to_the_root() {
        let path = RepoPath::parse("a/b/c").unwrap();
        assert_eq!(path.ancestors().collect::<Vec<_>>(), ["a/b/c", "a/b", "a"]);
        assert!(path.is_below("a/b") && !path.is_below("a/bb"));
    }

    #[test]
    fn the_way_to_a_file_goes_up_and_down() {
        let way = |base: &str, path: &str| relative(Path::new(base), Path::new(path));
        assert_eq!(way("/a/b", "/a/b/c/d.rs"), "c/d.rs");
        assert_eq!(way("/a/b", "/a/x.rs"), "../x.rs");
        assert_eq!(way("/a", "/a"), ".");
        assert_eq!(
            resolve(Path::new("/a/b"), Path::new("../c/./d")),
            Path::new("/a/c/d")
        );
        assert_eq!(
            resolve(Path::new("/"), Path::new("../../x")),
            Path::new("/x")
        );
    }

    proptest! {
        #[test]
        fn a_path_never_climbs_out(text in "[a-z./\\\\:\0]{0,24}") {
            if let Ok(path) = RepoPath::parse(&text) {
                prop_assert!(!path.as_str().starts_with('/'));
                prop_assert!(path.as_str().split('/').all(|part| part != ".." && part != "."));
                prop_assert_eq!(RepoPath::parse(path.as_str()), Ok(path));
            }
        }
    }
}
