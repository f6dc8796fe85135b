//! The names of everything that a check can find.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What kind of mistake a [`Diagnostic`](super::Diagnostic) describes, under a name that
/// stays, so that an editor or a CI can be made to pass over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Not YAML, or more of it than a role may be.
    InvalidYaml,
    /// A key that stands twice in one map.
    DuplicateKey,
    /// A file that cannot be read as text.
    UnreadableFile,
    /// A key that means nothing.
    UnknownKey,
    /// A value of another type, or out of range.
    WrongType,
    /// A name that cannot be a role's.
    InvalidName,
    /// A field that every role needs.
    MissingField,
    /// A role that is called otherwise than its file.
    NameDiffers,
    /// Additions to a prompt that is not there.
    AdditionsWithoutExtends,
    /// A role that is nowhere to be found.
    UnknownRole,
    /// Roles that extend one another in a circle.
    ExtendsCircle,
    /// Too many roles that extend one another.
    ChainTooLong,
    /// A role that is no different with the one it extends, or from it.
    ExtendsAddsNothing,
    /// A key of `priority_order` that is probably a slip.
    UnknownSection,
    /// A key of `priority_order` for a section that cannot be there.
    AbsentSection,
    /// A pattern that does not parse or may not be.
    InvalidPattern,
    /// A pattern for which there is no file.
    PatternMatchesNothing,
    /// A template that is not allowed.
    UnknownTemplate,
    /// A template that does not parse.
    TemplateSyntax,
    /// Templates that extend or include one another in a circle.
    TemplateCircle,
    /// A variable that nothing provides.
    UndefinedVariable,
    /// A filter that there is not.
    UnknownFilter,
    /// A test that there is not.
    UnknownTest,
    /// A function that there is not.
    UnknownFunction,
    /// A block that no parent has.
    UnknownBlock,
    /// What stands beside the blocks of a template with a parent.
    OutsideBlocks,
    /// A template that fails in another way.
    RenderFailed,
    /// Everything else.
    Other,
}

impl Rule {
    /// Every rule with its name and what it says, in one line.
    const TABLE: [(Rule, &'static str, &'static str); 28] = [
        (
            Rule::InvalidYaml,
            "invalid-yaml",
            "The file is not YAML, uses tags, or is larger or deeper than a role may be.",
        ),
        (
            Rule::DuplicateKey,
            "duplicate-key",
            "A key stands twice in one map.",
        ),
        (
            Rule::UnreadableFile,
            "unreadable-file",
            "The file cannot be read, or is not UTF-8.",
        ),
        (
            Rule::UnknownKey,
            "unknown-key",
            "A role or a map in it has a key that means nothing.",
        ),
        (
            Rule::WrongType,
            "wrong-type",
            "A value has another type than its key needs, or is out of range.",
        ),
        (
            Rule::InvalidName,
            "invalid-name",
            "A role's name has letters, digits, `_` and `-`, and starts with a letter.",
        ),
        (
            Rule::MissingField,
            "missing-field",
            "A role, once merged, lacks a field that every role needs, or a gate its name.",
        ),
        (
            Rule::NameDiffers,
            "name-differs",
            "A role is named otherwise than its file.",
        ),
        (
            Rule::AdditionsWithoutExtends,
            "additions-without-extends",
            "`system_prompt_additions` stands in a role that extends none.",
        ),
        (
            Rule::UnknownRole,
            "unknown-role",
            "There is no role of this name to load or to extend.",
        ),
        (
            Rule::ExtendsCircle,
            "extends-circle",
            "Roles extend one another in a circle.",
        ),
        (
            Rule::ChainTooLong,
            "chain-too-long",
            "More than 32 roles extend one another, or they have too many values together.",
        ),
        (
            Rule::ExtendsAddsNothing,
            "extends-adds-nothing",
            "A role takes nothing from the role that it extends, or adds nothing to it.",
        ),
        (
            Rule::UnknownSection,
            "unknown-section",
            "A key of `priority_order` is nearly the name of a section.",
        ),
        (
            Rule::AbsentSection,
            "absent-section",
            "A key of `priority_order` names a section that the role does not ask for and that no caller can bring.",
        ),
        (
            Rule::InvalidPattern,
            "invalid-pattern",
            "A pattern does not parse, leads out of the repository, or stands in the wrong list.",
        ),
        (
            Rule::PatternMatchesNothing,
            "pattern-matches-nothing",
            "No file of this repository matches a pattern of `include` or `always_include`.",
        ),
        (
            Rule::UnknownTemplate,
            "unknown-template",
            "A template is named that is not allowed.",
        ),
        (
            Rule::TemplateSyntax,
            "template-syntax",
            "A template does not parse.",
        ),
        (
            Rule::TemplateCircle,
            "template-circle",
            "Templates extend or include one another in a circle.",
        ),
        (
            Rule::UndefinedVariable,
            "undefined-variable",
            "A template uses a variable, or a member of one, that nothing provides.",
        ),
        (
            Rule::UnknownFilter,
            "unknown-filter",
            "A template uses a filter that there is not.",
        ),
        (
            Rule::UnknownTest,
            "unknown-test",
            "A template uses a test that there is not.",
        ),
        (
            Rule::UnknownFunction,
            "unknown-function",
            "A template calls a function that there is not.",
        ),
        (
            Rule::UnknownBlock,
            "unknown-block",
            "A template fills a block that no template above has, so that it is never written.",
        ),
        (
            Rule::OutsideBlocks,
            "outside-blocks",
            "A template that extends another one has text beside its blocks, which is never written.",
        ),
        (
            Rule::RenderFailed,
            "render-failed",
            "A template fails with sample values in another way than these.",
        ),
        (Rule::Other, "other", "What has no rule of its own."),
    ];

    /// Every rule, in the order in which the documents list them.
    pub fn all() -> impl Iterator<Item = Rule> {
        Self::TABLE.iter().map(|(rule, ..)| *rule)
    }

    /// Its name, for example `unknown-key`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What it says, in one sentence.
    pub fn meaning(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Rule, &'static str, &'static str) {
        let row = Self::TABLE.iter().find(|(rule, ..)| *rule == self);
        row.unwrap_or(&Self::TABLE[Self::TABLE.len() - 1])
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_called_the_same_in_json_and_every_rule_has_a_row() {
        for (at, rule) in Rule::all().enumerate() {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
            assert_eq!(rule as usize, at);
        }
        assert_eq!(Rule::Other as usize + 1, Rule::TABLE.len());
    }
}
