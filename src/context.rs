//! All sections of a prompt, in the order in which they are written.

use std::collections::HashSet;

use crate::section::{Key, Note, Section};

/// The ordered sections and what happened while they were gathered.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The sections: protected ones first, then by priority.
    pub sections: Vec<Section>,
    /// What happened to no section in particular.
    pub notes: Vec<Note>,
}

impl Context {
    /// Adds a section; an empty one only leaves its notes.
    pub fn push(&mut self, section: Section) {
        if section.pieces.is_empty() {
            self.notes.extend(section.notes);
        } else {
            self.sections.push(section);
        }
    }

    /// Every note that the caller should be warned about, in the order of the
    /// prompt, each once.
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

/// Sorts section keys as they are pruned and written: the role's own order, then
/// the default order, then keys that neither has, in the order given.
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
        .chain(&Key::DEFAULT_ORDER)
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
