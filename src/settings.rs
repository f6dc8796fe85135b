//! The settings that a role chooses and a request may override.

use crate::choice::choices;

choices! {
    /// What happens when the sections do not fit.
    pub enum Prune {
        /// Shrink the section at the boundary to the room that is left.
        Shrink = "shrink",
        /// Remove whole sections, the least important first.
        Drop = "drop",
    }
}

choices! {
    /// Which change a prompt is about, if it shows one.
    pub enum Change {
        /// The staged changes.
        Staged = "staged",
        /// What differs from the last commit: staged, unstaged and new files.
        WorkTree = "worktree",
        /// The staged changes; if there are none, the work tree; if that is clean, what HEAD
        /// changed since it left its upstream.
        Latest = "latest",
    }
}

choices! {
    /// How sections are written.
    pub enum Style {
        /// Markdown headings and code fences.
        Markdown = "markdown",
        /// XML elements.
        Xml = "xml",
    }
}

choices! {
    /// How a reader's files are written.
    pub enum FilesStyle {
        /// A `<context>` with an element for each file, for models to read and not for parsers.
        Xml = "xml",
        /// Two assignments for each file: its path, and its text between lines that it does not have.
        Assign = "assign",
        /// Markdown headings and code fences.
        Markdown = "markdown",
        /// A JSON array of objects.
        Json = "json",
    }
}

choices! {
    /// Which engine packs the files that plain patterns match.
    pub enum Engine {
        /// Repomix if the pinned version is installed, otherwise packer itself.
        Auto = "auto",
        /// packer itself.
        Native = "native",
        /// Repomix, fetched if necessary.
        Repomix = "repomix",
    }
}
