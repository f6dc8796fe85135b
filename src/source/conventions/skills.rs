//! Skills: a folder each, with a file whose head says what it is for.

use std::collections::HashSet;

use super::super::Gathering;
use super::super::find::Asked;
use super::super::related::beginning;
use super::Found;
use super::hosts::SKILLS;
use super::imported;
use super::matter::Matter;
use crate::fence::listed;
use crate::index::words::{each_word, is_common};
use crate::repo::{Asker, Kind, RepoPath};
use crate::show::{quoted, visible};
use crate::tokens::Counter;

/// The line above the descriptions.
pub(super) const HEAD: &str = "For work of these kinds, read the file first:";

/// The most skills of one folder that are read.
const MAX_SKILLS: usize = 200;

/// How much of a description is shown, in characters.
const MAX_DESCRIPTION: usize = 256;

/// At least this many words of a description must be in the task.
const MIN_SHARED: usize = 2;

/// Something whose head says what it is for.
pub(super) struct Described<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) path: &'a RepoPath,
}

/// Describes the skills that fit the task, and packs those that it asks for by name.
pub(super) fn that_fit(found: &mut Found, all: &mut Gathering<'_>) {
    for folder in SKILLS {
        let Ok(folder) = RepoPath::parse(folder) else {
            continue;
        };
        if !matches!(all.placer.repo.kind(&folder), Kind::Folder(_)) {
            continue;
        }
        let mut names = all.placer.repo.all_names(&folder);
        found.keep_first(&mut names, MAX_SKILLS, &format!("skills in `{folder}`"));
        for name in names {
            let path = folder.entry(&name).entry("SKILL.md");
            if all.placer.repo.kind(&path) != Kind::Missing {
                one(found, all, &name, &path);
            }
        }
    }
}

fn one(found: &mut Found, all: &mut Gathering<'_>, folder: &str, path: &RepoPath) {
    let Some(text) = found.read(all, path, "skill") else {
        return;
    };
    let matter = Matter::of(&text);
    let name = matter.text("name").unwrap_or_else(|| folder.to_owned());
    if is_asked_for(&name, all.ask.task) {
        let why = format!("the task asks for the skill `{}`", quoted(&name));
        if let Some(at) = found.place(all, path, Asked::ByName, Asker::Repository, &why) {
            imported::follow(found, all, at);
        }
        return;
    }
    match matter.text("description") {
        Some(description) => {
            let (name, description) = (&name, &description);
            tell(
                found,
                all,
                &Described {
                    name,
                    description,
                    path,
                },
            );
        }
        None => {
            let shown = quoted(path.as_str());
            found.left_out(format!("`{shown}`: it does not say what it is for"));
        }
    }
}

/// Whether a task names a skill the way hosts do: `/name` or `$name`.
fn is_asked_for(name: &str, task: &str) -> bool {
    let words = task.split(|sign: char| sign.is_whitespace() || "`\"'().,;:!?".contains(sign));
    let mut named = words.filter_map(|word| word.strip_prefix(['/', '$']));
    named.any(|word| word == name)
}

/// Adds a description if it fits the task: enough of its words must be in it.
pub(super) fn tell(found: &mut Found, all: &Gathering<'_>, what: &Described<'_>) {
    if !fits(what, beginning(all.ask.task)) {
        let shown = quoted(what.path.as_str());
        found.left_out(format!("`{shown}`: its description does not fit the task"));
        return;
    }
    let (name, shown) = (visible(what.name), visible(what.path.as_str()));
    let description = visible(what.description);
    let description = Counter::Chars.cut(&description, MAX_DESCRIPTION);
    found
        .told
        .push(format!("- {} ({shown}): {description}", listed(&name)));
}

fn fits(what: &Described<'_>, task: &str) -> bool {
    let task = stems(task);
    let name = stems(what.name);
    let shared = stems(what.description);
    let shared = shared.union(&name).filter(|word| task.contains(*word));
    !name.is_empty() && name.is_subset(&task) || shared.count() >= MIN_SHARED
}

fn stems(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    each_word(text, |word| {
        if !is_common(word) {
            found.insert(word.to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_fits_by_its_words_or_by_its_name() {
        let path = RepoPath::root();
        let (name, description) = (
            "pdf-forms",
            "Fills in PDF forms. Use it when the user has a form.",
        );
        let what = Described {
            name,
            description,
            path: &path,
        };
        assert!(fits(&what, "Fill the tax form of the customer"));
        assert!(fits(&what, "New PDF forms"));
        assert!(!fits(&what, "Use a faster hash"));
        assert!(!fits(&what, ""));
    }

    #[test]
    fn a_skill_is_asked_for_by_its_sign() {
        assert!(is_asked_for("deploy", "Run /deploy."));
        assert!(is_asked_for("deploy", "`$deploy` to staging"));
        assert!(!is_asked_for("deploy", "deploy src/deploy and /deploy-all"));
    }
}
