//! What a template names: variables, filters, tests, functions, blocks and other
//! templates, each with where it stands.

use std::collections::HashSet;
use std::ops::Range;

/// A name and where it stands, in bytes.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) at: Range<usize>,
}

/// A variable, or a member of one: `role.name`.
#[derive(Debug)]
pub(super) struct Variable {
    /// The variable, then its members.
    pub(super) path: Vec<Named>,
    /// Whether a function is called by this name.
    pub(super) called: bool,
}

impl Variable {
    /// The first `parts` parts with dots between.
    pub(super) fn shown(&self, parts: usize) -> String {
        let names: Vec<&str> = self.path[..parts].iter().map(|p| p.name.as_str()).collect();
        names.join(".")
    }
}

/// How a template speaks of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// It is always there, above this one.
    Extends,
    /// It is always written.
    Includes,
    /// It is written, or its macros are taken, under some condition.
    May,
}

/// Everything that one template names.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Variables that the template itself does not set where it uses them.
    pub(super) variables: Vec<Variable>,
    /// Members of the variable `loop` inside loops.
    pub(super) of_loops: Vec<Variable>,
    /// What is tested or replaced where it is not there, as in `x is defined`.
    pub(super) guarded: HashSet<String>,
    /// Every name that the template gives a value somewhere.
    pub(super) set: HashSet<String>,
    pub(super) filters: Vec<Named>,
    pub(super) tests: Vec<Named>,
    /// The outermost blocks, and those inside other blocks.
    pub(super) blocks: Vec<Named>,
    pub(super) inner_blocks: Vec<Named>,
    /// What is written first outside of every block: nowhere, if there is a parent.
    pub(super) outside: Option<Range<usize>>,
    /// Other templates; one of several names suffices.
    pub(super) templates: Vec<(Link, Vec<Named>)>,
}

impl Names {
    /// The templates that this one names.
    pub(super) fn linked(&self) -> impl Iterator<Item = (Link, &Named)> {
        self.templates
            .iter()
            .flat_map(|(link, names)| names.iter().map(|named| (*link, named)))
    }

    /// The template that this one extends.
    pub(super) fn parent(&self) -> Option<&str> {
        let mut linked = self.linked();
        let (_, named) = linked.find(|(link, _)| *link == Link::Extends)?;
        Some(&named.name)
    }
}
