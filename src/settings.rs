//! What a role chooses among and a request may choose otherwise.

use crate::choice::choices;

choices! {
    /// What happens when the sections do not fit.
    pub enum Prune {
        /// Shrink the section at the boundary into the room that is left.
        Shrink = "shrink",
        /// Remove whole sections, the least important first.
        Drop = "drop",
    }
}

choices! {
    /// Which change a prompt is about, if it shows one.
    pub enum Change {
        /// What is staged.
        Staged = "staged",
        /// What differs from the last commit: staged, not staged, and new files.
        WorkTree = "worktree",
        /// What is staged; if nothing is, the work tree; if that is clean, what HEAD changed
        /// since it left its upstream.
        Latest = "latest",
    }
}

choices! {
    /// How sections are written.
    pub enum Style {
        /// Headings and fences.
        Markdown = "markdown",
        /// Elements.
        Xml = "xml",
    }
}

choices! {
    /// How a reader's files are written.
    pub enum FilesStyle {
        /// A `<context>` with an element for each file, which models read and no parser has to.
        Xml = "xml",
        /// Two assignments for each file, the text in a here-document.
        Assign = "assign",
        /// Headings and fences.
        Markdown = "markdown",
        /// An array of objects.
        Json = "json",
    }
}

choices! {
    /// Who packs what the plain patterns match.
    pub enum Engine {
        /// Repomix where the pinned version is installed, else this program.
        Auto = "auto",
        /// This program.
        Native = "native",
        /// Repomix, fetched if need be.
        Repomix = "repomix",
    }
}
