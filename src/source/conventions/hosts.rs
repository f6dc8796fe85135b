//! Which files the hosts of agents read: the table of `docs/conventions.md`.

/// Files that apply to the folder that they are in and everything below it; in each folder the
/// first that exists. At the root, [`CONVENTION_FILES`](crate::role::CONVENTION_FILES) follow.
pub(super) const IN_FOLDERS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Folders at the root with a folder for each skill.
pub(super) const SKILLS: [&str; 4] = [
    ".claude/skills",
    ".agents/skills",
    ".github/skills",
    ".cursor/skills",
];

/// A folder of rules, each with a head that says which files it applies to.
pub(super) struct RuleFolder {
    /// Where it is.
    pub(super) path: &'static str,
    /// How the names of its rules end.
    pub(super) ending: &'static str,
    /// The field of the head that has the globs.
    pub(super) globs: &'static str,
    /// Whether a rule without globs applies to everything.
    pub(super) holds_without: bool,
    /// Whether there may be one in every folder, for what is below that.
    pub(super) is_nested: bool,
}

/// The folders of rules, in the order in which they are shown.
pub(super) const RULES: [RuleFolder; 4] = [
    RuleFolder {
        path: ".cursor/rules",
        ending: ".mdc",
        globs: "globs",
        holds_without: false,
        is_nested: true,
    },
    RuleFolder {
        path: ".github/instructions",
        ending: ".instructions.md",
        globs: "applyTo",
        holds_without: false,
        is_nested: false,
    },
    RuleFolder {
        path: ".claude/rules",
        ending: ".md",
        globs: "paths",
        holds_without: true,
        is_nested: false,
    },
    RuleFolder {
        path: ".clinerules",
        ending: ".md",
        globs: "paths",
        holds_without: true,
        is_nested: false,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::CONVENTION_FILES;

    #[test]
    fn the_documents_have_every_file() {
        let text = include_str!("../../../docs/conventions.md");
        let rules = RULES
            .iter()
            .map(|rules| format!("`{}/**/*{}`", rules.path, rules.ending));
        let files = CONVENTION_FILES.iter().chain(&IN_FOLDERS);
        let files = files.map(|name| format!("`{name}`"));
        let skills = SKILLS.iter().map(|folder| format!("`{folder}"));
        for name in rules.chain(files).chain(skills) {
            assert!(text.contains(&name), "{name}");
        }
    }
}
