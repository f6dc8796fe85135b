//! Folders of rules, each for some files.

use super::super::Gathering;
use super::super::find::{Asked, below};
use super::Found;
use super::hosts::{RULES, RuleFolder};
use super::matter::Matter;
use super::skills::{Described, tell};
use crate::repo::{Asker, Kind, RepoPath};
use crate::role::pattern::{Globs, Pattern};
use crate::show::quoted;

/// The most rules of one folder that are read.
const MAX_RULES: usize = 200;

/// Packs the rules in the hosts' folders below this folder that apply to what the prompt is about.
pub(super) fn of_folder(found: &mut Found, all: &mut Gathering<'_>, folder: &RepoPath) {
    for host in &RULES {
        if folder.is_root() || host.is_nested {
            in_folder(found, all, folder, host);
        }
    }
}

fn in_folder(found: &mut Found, all: &mut Gathering<'_>, folder: &RepoPath, host: &RuleFolder) {
    let rules = folder.entry(host.path);
    if !matches!(all.placer.repo.kind(&rules), Kind::Folder(_)) {
        return;
    }
    let rules = match all.placer.repo.admit_folder(&rules, Asker::Repository) {
        Ok(rules) => rules,
        Err(why) => return found.warn(format!("cannot read the rules in `{rules}`: {why}")),
    };
    let mut notes = Vec::new();
    let files = below(&all.placer, &mut notes, &rules, &|_| false);
    found.section.notes.extend(notes);
    let mut files: Vec<RepoPath> = files.iter().map(|pick| pick.path().clone()).collect();
    files.retain(|path| path.name().ends_with(host.ending));
    found.keep_first(&mut files, MAX_RULES, &format!("rules in `{rules}`"));
    for path in files {
        one(found, all, folder, host, &path);
    }
}

/// Packs one rule, or says why not.
fn one(
    found: &mut Found,
    all: &mut Gathering<'_>,
    folder: &RepoPath,
    host: &RuleFolder,
    path: &RepoPath,
) {
    let Some(text) = found.read(all, path, "rule") else {
        return;
    };
    let shown = quoted(path.as_str());
    let matter = Matter::of(&text);
    match holds(&matter, host, folder, &all.about) {
        Holds::Yes(why) => {
            found.place(all, path, Asked::ByName, Asker::Repository, &why);
        }
        Holds::If(description) => {
            let name = path.name().trim_end_matches(host.ending);
            tell(
                found,
                all,
                &Described {
                    name,
                    description: &description,
                    path,
                },
            );
        }
        Holds::No(why) => found.left_out(format!("`{shown}`: {why}")),
    }
}

/// Whether a rule applies to a prompt.
enum Holds {
    /// It does, for this reason.
    Yes(String),
    /// If this fits the task.
    If(String),
    /// It does not, for this reason.
    No(String),
}

fn holds(matter: &Matter<'_>, host: &RuleFolder, folder: &RepoPath, about: &[RepoPath]) -> Holds {
    if matter.is_true("alwaysApply") {
        return Holds::Yes("`alwaysApply: true`".into());
    }
    let globs = matter.items(host.globs);
    if !globs.is_empty() {
        let said = format!("`{}: {}`", host.globs, quoted(&globs.join(", ")));
        return match matched(&globs, folder, about) {
            Some(path) => Holds::Yes(format!("{said} matches `{}`", quoted(path.as_str()))),
            None if about.is_empty() => Holds::No(format!("there is no target for {said}")),
            None => Holds::No(format!("{said} matches no target")),
        };
    }
    match matter.text("description") {
        _ if host.holds_without => Holds::Yes("a rule for every file".into()),
        Some(description) => Holds::If(description),
        None => Holds::No("it says neither globs nor when it holds".into()),
    }
}

/// Returns the first file that one of the globs matches, by its path from the root or from the
/// folder whose rule it is.
fn matched<'a>(globs: &[&str], folder: &RepoPath, about: &'a [RepoPath]) -> Option<&'a RepoPath> {
    let mut wild = Vec::new();
    let mut plain = Vec::new();
    for glob in globs {
        match Pattern::parse(glob.trim_start_matches('/')) {
            Ok(Pattern::Wild(glob)) if glob.problem().is_none() => wild.push(glob),
            Ok(Pattern::Path(path)) => plain.push(path),
            _ => {}
        }
    }
    let wild = Globs::new(wild).ok();
    let matches = |path: &str| {
        wild.as_ref().is_some_and(|wild| wild.is_match(path))
            || RepoPath::parse(path)
                .is_ok_and(|path| plain.iter().any(|glob| path.is_below(glob.as_str())))
    };
    about.iter().find(|path| {
        let inner = path.as_str().strip_prefix(folder.as_str());
        let inner = inner.map(|inner| inner.trim_start_matches('/'));
        let is_here = folder.is_root() || path.is_below(folder.as_str());
        is_here && (matches(path.as_str()) || inner.is_some_and(matches))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_from_the_root_and_from_their_folder() {
        let path = |text: &str| RepoPath::parse(text).unwrap();
        let about = [path("docs/a.md"), path("web/src/b.tsx")];
        let first = |glob: &str, folder: &str| {
            matched(&[glob], &path(folder), &about).map(RepoPath::as_str)
        };
        assert_eq!(first("*.tsx", ""), Some("web/src/b.tsx"));
        assert_eq!(first("**/*.{ts,tsx}", ""), Some("web/src/b.tsx"));
        assert_eq!(first("/web/**", ""), Some("web/src/b.tsx"));
        assert_eq!(first("web", ""), Some("web/src/b.tsx"));
        assert_eq!(first("src/**", ""), None);
        assert_eq!(first("src/**", "web"), Some("web/src/b.tsx"));
        assert_eq!(first("**", "web"), Some("web/src/b.tsx"));
        assert_eq!(first("[", ""), None);
        assert_eq!(first("$TARGET", ""), None);
    }
}
