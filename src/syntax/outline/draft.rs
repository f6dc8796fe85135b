//! Declarations before it is known what else the file declares.

use std::collections::{HashMap, HashSet};

use super::Entry;

/// How many functions of one name are shown.
const MAX_OVERLOADS: usize = 3;

/// An entry before it is known whether it is shown.
pub(super) struct Draft {
    pub(super) entry: Entry,
    pub(super) is_hidden: bool,
    /// Whether nobody would write it down, private or not.
    pub(super) is_detail: bool,
    /// Whether it is a function that has its body here.
    pub(super) is_body: bool,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It says something on its own.
    Declared,
    /// It says something only together with its members: a namespace.
    Frame,
    /// It only says that a type has a trait, and is as private as the type: `impl A for B`.
    OfType,
    /// It holds what a type can do, and says nothing when empty: `impl B`.
    Members,
    /// It is for files that include this one, if that is what the file is for.
    Macro,
    /// It says what the whole file is for.
    Title,
}

/// Leaves out what is private, if there is anything else.
pub(super) fn finish(mut drafts: Vec<Draft>, exported: &HashSet<&str>) -> Vec<Entry> {
    export(&mut drafts, exported);
    hide(&mut drafts);
    let entries = kept(drafts);
    let is_loose = |entry: &Entry| entry.name.is_empty() && entry.owner.is_none();
    if entries.len() < 2 && entries.iter().all(is_loose) {
        return Vec::new();
    }
    entries
}

/// Hides what belongs to something private, and what there is too much of.
fn hide(drafts: &mut [Draft]) {
    let private: HashSet<String> = drafts
        .iter()
        .filter(|draft| draft.is_hidden && draft.kind == Kind::Declared)
        .map(|draft| draft.entry.name.clone())
        .collect();
    let is_code = drafts.iter().any(|draft| draft.is_body && !draft.is_hidden);
    let mut times: HashMap<(Option<usize>, String), usize> = HashMap::new();
    for at in 0..drafts.len() {
        let draft = &drafts[at];
        let owner = draft.entry.owner;
        let is_about_type = matches!(draft.kind, Kind::OfType | Kind::Members);
        let is_hidden = is_about_type && private.contains(&draft.entry.name)
            || draft.kind == Kind::Macro && is_code
            || owner.is_some_and(|owner| drafts[owner].is_hidden);
        let draft = &mut drafts[at];
        draft.is_hidden |= is_hidden;
        if draft.kind == Kind::Declared && !draft.entry.name.is_empty() {
            let times = times.entry((owner, draft.entry.name.clone())).or_default();
            *times += 1;
            draft.is_detail |= *times > MAX_OVERLOADS;
        }
    }
}

/// Returns the entries that are shown, with what encloses them.
fn kept(drafts: Vec<Draft>) -> Vec<Entry> {
    let is_shown =
        |draft: &Draft| !draft.is_hidden && matches!(draft.kind, Kind::Declared | Kind::Macro);
    let any = drafts.iter().any(is_shown);
    let mut kept = vec![false; drafts.len()];
    for at in (0..drafts.len()).rev() {
        let draft = &drafts[at];
        let is_frame = matches!(draft.kind, Kind::Frame | Kind::Members);
        kept[at] |= (!any || !draft.is_hidden) && !is_frame && !draft.is_detail;
        if let Some(owner) = draft.entry.owner.filter(|_| kept[at]) {
            kept[owner] = true;
        }
    }
    let mut place = vec![None; drafts.len()];
    let mut entries: Vec<Entry> = Vec::new();
    for (at, draft) in drafts.into_iter().enumerate().filter(|(at, _)| kept[*at]) {
        place[at] = Some(entries.len());
        let owner = draft.entry.owner.and_then(|owner| place[owner]);
        entries.push(Entry {
            owner,
            ..draft.entry
        });
    }
    entries
}

/// Shows what is exported by a list elsewhere in the file.
fn export(drafts: &mut [Draft], exported: &HashSet<&str>) {
    for draft in drafts {
        let is_free = draft.entry.owner.is_none();
        if is_free && exported.contains(draft.entry.name.as_str()) {
            draft.is_hidden = false;
        }
    }
}
