//! Which folders are git's own.

use std::fs;
use std::path::Path;

/// Whether a file system could take this name for `.git`: by case, by the short name of Windows, by
/// dots, blanks and streams at the end, which Windows ignores, or by letters that macOS ignores.
/// Git itself refuses all of them.
pub fn is_git_name(name: &str) -> bool {
    // Nearly all names begin otherwise, and with nothing that could be passed over.
    let first = name.bytes().next();
    if first.is_none_or(|first| first.is_ascii() && !matches!(first, b'.' | b'g' | b'G')) {
        return false;
    }
    let plain: String = name.chars().filter(|c| !is_passed_over(*c)).collect();
    let plain = plain.split(':').next().unwrap_or_default();
    let plain = plain.trim_end_matches(['.', ' ']);
    plain.eq_ignore_ascii_case(".git") || plain.eq_ignore_ascii_case("git~1")
}

/// Whether a path names something in a git folder, whatever is there.
pub fn names_git(path: &str) -> bool {
    path.split('/').any(is_git_name)
}

/// Whether the file system of macOS removes a letter from names before it compares them.
fn is_passed_over(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Whether a folder has the form by which git itself recognises a git folder: it has objects and
/// refs, or says where they are.
pub fn has_form(folder: &Path) -> bool {
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    is_there("HEAD") && (is_there("objects") && is_there("refs") || is_there("commondir"))
}

/// Whether a folder, given by its real path, is a git folder or is in one, with no work tree
/// between.
pub fn is_in_git_folder(folder: &Path) -> bool {
    for folder in folder.ancestors() {
        let name = folder.file_name().unwrap_or_default();
        if is_git_name(&name.to_string_lossy()) {
            return true;
        }
        if fs::symlink_metadata(folder.join(".git")).is_ok() {
            return false;
        }
        if has_form(folder) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_file_system_takes_for_gits_name_is_one() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            "git~1",
            "GIT~1",
            ".git.",
            ".git ",
            ".git . .",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            "\u{feff}.git",
        ] {
            assert!(is_git_name(name), "{name}");
        }
        for name in [
            "git",
            ".github",
            ".gitignore",
            ".gitmodules",
            "a.git",
            "git~2",
            "..git",
            "",
        ] {
            assert!(!is_git_name(name), "{name}");
        }
    }

    #[test]
    fn a_folder_in_a_git_folder_is_told_from_a_work_tree_in_it() {
        let outer = tempfile::tempdir().unwrap();
        let at = |path: &str| outer.path().join(path);
        for folder in [
            ".git/hooks",
            ".git/tree/.git",
            "bare/objects",
            "bare/refs",
            "bare/x",
            "plain/x",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("bare/HEAD"), "").unwrap();
        for (path, is_in) in [
            (".git", true),
            (".git/hooks", true),
            (".git/tree", false),
            ("plain/x", false),
            ("bare", true),
            ("bare/x", true),
        ] {
            assert_eq!(is_in_git_folder(&at(path)), is_in, "{path}");
        }
    }
}
