//! What a template names: variables, filters, tests, functions, blocks and other templates, each
//! with its place.

use std::collections::HashSet;
use std::ops::Range;

/// A name and its place, in bytes.
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
    /// Returns the first `parts` parts separated by dots.
    pub(super) fn shown(&self, parts: usize) -> String {
        let names: Vec<&str> = self.path[..parts].iter().map(|p| p.name.as_str()).collect();
        names.join(".")
    }
}

/// How a template refers to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// It is always there, above this one.
    Extends,
    /// It is always rendered.
    Includes,
    /// It is rendered, or its macros are used, under some condition.
    May,
}

/// Everything that one template names.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Variables that the template itself does not set where it uses them.
    pub(super) variables: Vec<Variable>,
    /// Members of the variable `loop` inside loops.
    pub(super) of_loops: Vec<Variable>,
    /// What is tested or replaced if it is absent, as in `x is defined`.
    pub(super) guarded: HashSet<String>,
    /// Every name that the template gives a value somewhere.
    pub(super) set: HashSet<String>,
    pub(super) filters: Vec<Named>,
    pub(super) tests: Vec<Named>,
    /// The outermost blocks, and those inside other blocks.
    pub(super) blocks: Vec<Named>,
    pub(super) inner_blocks: Vec<Named>,
    /// The first output outside every block: `None` if there is a parent.
    pub(super) outside: Option<Range<usize>>,
    /// Other templates; of several alternative names, one is enough.
    pub(super) templates: Vec<(Link, Vec<Named>)>,
}

impl Names {
    /// Returns the templates that this one names.
    pub(super) fn linked(&self) -> impl Iterator<Item = (Link, &Named)> {
        self.templates
            .iter()
            .flat_map(|(link, names)| names.iter().map(|named| (*link, named)))
    }

    /// Returns the template that this one extends.
    pub(super) fn parent(&self) -> Option<&str> {
        let mut linked = self.linked();
        let (_, named) = linked.find(|(link, _)| *link == Link::Extends)?;
        Some(&named.name)
    }
}
