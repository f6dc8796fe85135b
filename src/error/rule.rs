//! The names of everything that a check can find.

use std::fmt;

use crate::choice::choices;

choices! {
    /// What kind of mistake a [`Diagnostic`](super::Diagnostic) describes. The names are stable, so
    /// that editors and CI can ignore a rule.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Rule {
        /// The file is not YAML, uses tags, or is larger or deeper than a role may be.
        InvalidYaml = "invalid-yaml",
        /// A key appears twice in one map.
        DuplicateKey = "duplicate-key",
        /// The file cannot be read, or is not UTF-8.
        UnreadableFile = "unreadable-file",
        /// A role or a map in it has a key without a meaning.
        UnknownKey = "unknown-key",
        /// A value has the wrong type for its key, or is out of range.
        WrongType = "wrong-type",
        /// A role's name must have letters, digits, `_` and `-`, and start with a letter.
        InvalidName = "invalid-name",
        /// A role, once merged, lacks a field that every role needs, or a gate lacks its name.
        MissingField = "missing-field",
        /// A role has another name than its file.
        NameDiffers = "name-differs",
        /// `system_prompt_additions` is in a role that extends none.
        AdditionsWithoutExtends = "additions-without-extends",
        /// There is no role of this name to load or to extend.
        UnknownRole = "unknown-role",
        /// Roles extend each other in a circle.
        ExtendsCircle = "extends-circle",
        /// More than 32 roles extend each other, or they have too many values together.
        ChainTooLong = "chain-too-long",
        /// A role takes nothing from the role that it extends, or adds nothing to it.
        ExtendsAddsNothing = "extends-adds-nothing",
        /// A key of `priority_order` is nearly the name of a section.
        UnknownSection = "unknown-section",
        /// A key of `priority_order` names a section that the role does not ask for and that no
        /// caller can bring.
        AbsentSection = "absent-section",
        /// A pattern does not parse, leads out of the repository, or is in the wrong list.
        InvalidPattern = "invalid-pattern",
        /// No file of this repository matches a pattern of `include` or `always_include`, or is one of
        /// those that `conventions` lists.
        PatternMatchesNothing = "pattern-matches-nothing",
        /// A template is not allowed.
        UnknownTemplate = "unknown-template",
        /// A template does not parse.
        TemplateSyntax = "template-syntax",
        /// Templates extend or include each other in a circle.
        TemplateCircle = "template-circle",
        /// A template uses a variable, or a member of one, that nothing provides.
        UndefinedVariable = "undefined-variable",
        /// A template uses a filter that does not exist.
        UnknownFilter = "unknown-filter",
        /// A template uses a test that does not exist.
        UnknownTest = "unknown-test",
        /// A template calls a function that does not exist.
        UnknownFunction = "unknown-function",
        /// A template fills a block that no parent template has, so it is never rendered.
        UnknownBlock = "unknown-block",
        /// A template that extends another one has text outside its blocks, which is never
        /// rendered.
        OutsideBlocks = "outside-blocks",
        /// A template fails with sample values in some other way.
        RenderFailed = "render-failed",
        /// Anything without a rule of its own.
        Other = "other",
    }
    default Other
}

impl Rule {
    /// Returns every rule, in the order in which the documents list them.
    pub fn all() -> impl Iterator<Item = Rule> {
        Self::ALL.iter().copied()
    }

    /// Returns what it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        Self::CHOICES[self as usize].1
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
        assert_eq!(Rule::Other as usize + 1, Rule::CHOICES.len());
        assert_eq!(Rule::default(), Rule::Other);
    }
}
