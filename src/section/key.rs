//! What a section is about, and what is known of each kind of section.

use std::fmt;

use super::table::sources;

/// Generates the keys, and what is known of them, from the rows of [`sources`].
macro_rules! keys {
    ($(
        $(#[$doc:meta])*
        $key:ident {
            name: $name:expr,
            heading: $heading:expr,
            sentinel: $sentinel:expr,
            setting: $setting:expr,
            may_be_brought: $may_be_brought:expr,
            changes: $changes:expr,
            gather: $gather:path,
        }
    )*) => {
        /// What a section is about. It decides the heading, the default rank and whether the
        /// section may be pruned.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Key {
            /// The role's instructions; only in the whole-prompt flow.
            SystemPrompt,
            /// The task description; only in the whole-prompt flow.
            Task,
            /// Files that the role always includes.
            AlwaysInclude,
            $($(#[$doc])* $key,)*
            /// Text that the caller brought, under the caller's own name.
            Extra(String),
        }

        static SOURCES: &[Source] = &[$(Source {
            key: Key::$key,
            sentinel: $sentinel,
            setting: $setting,
            may_be_brought: $may_be_brought,
            changes: $changes,
        }),*];

        impl Key {
            /// The sections that may be pruned, the most important first.
            pub const DEFAULT_ORDER: &'static [Key] = &[$(Key::$key),*];

            /// Returns the name used in roles, reports and templates.
            pub fn name(&self) -> &str {
                match self {
                    Key::SystemPrompt => "system_prompt",
                    Key::Task => "task",
                    Key::AlwaysInclude => "always_include",
                    $(Key::$key => $name,)*
                    Key::Extra(name) => name,
                }
            }

            /// Returns the heading in the prompt.
            pub fn heading(&self) -> String {
                match self {
                    Key::SystemPrompt => "System Prompt".into(),
                    Key::Task => "Task".into(),
                    Key::AlwaysInclude => "Required Context".into(),
                    $(Key::$key => $heading.into(),)*
                    Key::Extra(name) => title_case(name),
                }
            }
        }
    };
}

sources!(keys);

/// What is known of a gathered section, whatever gathers it.
#[derive(Debug)]
pub struct Source {
    /// The section's key.
    pub key: Key,
    /// The pattern in `include` that asks for it.
    pub sentinel: Option<&'static str>,
    /// The setting below `context` that asks for it.
    pub setting: Option<&'static str>,
    may_be_brought: bool,
    changes: Pace,
}

/// How often a section changes from one prompt about a repository to the next. Messages put the
/// slowest first, so that the next prompt begins the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// When somebody changes what the repository says about itself.
    Rarely,
    /// When the task changes, or a file of it.
    WithTask,
    /// With every prompt: it shows what is being worked on.
    Always,
}

impl Source {
    /// Returns the source of a section; `None` for protected sections and the caller's own.
    pub fn of(key: &Key) -> Option<&'static Source> {
        SOURCES.iter().find(|source| source.key == *key)
    }

    /// Returns the source that this pattern of `include` asks for.
    pub fn asked_by(pattern: &str) -> Option<&'static Source> {
        SOURCES
            .iter()
            .find(|source| source.sentinel == Some(pattern))
    }

    /// Lists the sections that a caller may bring, for use in a sentence.
    pub fn brought() -> String {
        let brought = SOURCES.iter().filter(|source| source.may_be_brought);
        let names: Vec<String> = brought.map(|source| format!("`{}`", source.key)).collect();
        match names.split_last() {
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Returns every pattern that asks for a section, in the order in which messages and the schema
    /// list them: those about the targets first.
    pub fn sentinels() -> Vec<&'static str> {
        const FIRST: [Key; 3] = [Key::TargetFile, Key::Imports, Key::ChangedFiles];
        let place = |key: &Key| FIRST.iter().position(|first| first == key);
        let mut sources: Vec<&Source> = SOURCES.iter().collect();
        sources.sort_by_key(|source| place(&source.key).unwrap_or(FIRST.len()));
        let sentinels = sources.into_iter().filter_map(|source| source.sentinel);
        sentinels.collect()
    }
}

impl Key {
    /// The sections that are never pruned, in the order in which they are written.
    pub const PROTECTED: [Key; 3] = [Key::SystemPrompt, Key::Task, Key::AlwaysInclude];

    /// Returns the built-in key of this name, or else the caller's own.
    pub fn from_name(name: &str) -> Key {
        Key::PROTECTED
            .iter()
            .chain(Key::DEFAULT_ORDER)
            .find(|key| key.name() == name)
            .cloned()
            .unwrap_or_else(|| Key::Extra(name.to_owned()))
    }

    /// Whether a request may bring the section's text instead of what packer would gather.
    pub fn may_be_brought(&self) -> bool {
        match self {
            Key::Extra(_) => true,
            key => Source::of(key).is_some_and(|source| source.may_be_brought),
        }
    }

    /// Returns how often the section changes.
    pub fn pace(&self) -> Pace {
        match self {
            Key::SystemPrompt | Key::AlwaysInclude => Pace::Rarely,
            key => Source::of(key).map_or(Pace::Always, |source| source.changes),
        }
    }

    /// Returns the names of all built-in sections.
    #[cfg(feature = "cli")]
    pub fn names() -> Vec<&'static str> {
        let keys = Key::PROTECTED.iter().chain(Key::DEFAULT_ORDER);
        keys.map(Key::name).collect()
    }

    /// Whether the budget must leave this section alone.
    pub fn is_protected(&self) -> bool {
        Key::PROTECTED.contains(self)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Capitalises each letter of a word that does not follow a letter: `e2e` becomes `E2E`.
fn capitalized(word: &str) -> String {
    let is_letter = |c: char| c.is_lowercase() || c.is_uppercase();
    let mut written = String::new();
    let mut follows = false;
    for letter in word.chars() {
        if follows {
            written.push(letter);
        } else {
            written.extend(letter.to_uppercase());
        }
        follows = is_letter(letter);
    }
    written
}

fn title_case(name: &str) -> String {
    let words: Vec<String> = name
        .split(['_', '-', ' '])
        .filter(|word| !word.is_empty())
        .map(capitalized)
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_key_comes_back_from_its_name() {
        for key in Key::PROTECTED.iter().chain(Key::DEFAULT_ORDER) {
            assert_eq!(&Key::from_name(key.name()), key);
        }
    }

    /// Returns the keys in the first column of the table with this head, each in backticks.
    fn listed(document: &str, head: &str) -> Vec<String> {
        let (_, table) = document.split_once(head).unwrap();
        let rows = table.lines().skip(1).take_while(|row| row.starts_with('|'));
        let cells = rows.map(|row| row.split('|').nth(1).unwrap());
        let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        names.map(str::to_owned).collect()
    }

    #[test]
    fn the_documents_list_every_section() {
        let keys = || Key::PROTECTED.iter().chain(Key::DEFAULT_ORDER);
        let packing = include_str!("../../docs/packing.md");
        let names: Vec<&str> = keys().map(Key::name).collect();
        assert_eq!(listed(packing, "| key | heading | holds |\n"), names);
        for key in keys().filter(|key| **key != Key::SystemPrompt) {
            let heading = key.heading();
            assert!(packing.contains(&format!("| {heading} |")) || *key == Key::Task);
        }
        let readme = include_str!("../../README.md");
        let asked_for = "| section | asked for by | what it holds |\n";
        // What every prompt has, no role asks for.
        assert_eq!(listed(readme, asked_for), names[2..]);
    }

    #[test]
    fn the_documents_list_what_asks_for_a_section_and_what_may_be_brought() {
        let brought = Source::brought();
        let packing = include_str!("../../docs/packing.md");
        assert!(
            packing.contains(&format!("{brought} given with `--extra`")),
            "{brought}"
        );
        let (_, words) = packing
            .split_once("some words ask for a section instead:")
            .unwrap();
        let words = words.split_once(". ").unwrap().0;
        let mut listed: Vec<&str> = words.split('`').skip(1).step_by(2).collect();
        let mut sentinels = Source::sentinels();
        listed.sort_unstable();
        sentinels.sort_unstable();
        assert_eq!(listed, sentinels);
    }

    #[test]
    fn the_example_of_a_new_source_has_the_columns_of_the_table() {
        let columns = |text: &str, row: &str| -> Vec<String> {
            let (_, row) = text.split_once(&format!("{row} {{\n")).unwrap();
            let (row, _) = row.split_once('}').unwrap();
            let column = |line: &str| line.trim().split_once(':').unwrap().0.to_owned();
            row.trim().lines().map(column).collect()
        };
        let table = include_str!("table.rs");
        let architecture = include_str!("../../docs/architecture.md");
        assert_eq!(columns(architecture, "TodoList"), columns(table, "Tree"));
        let signature = "(all: &mut Gathering<'_>) -> Result<Section, Error> {\n";
        assert!(architecture.contains(signature));
        assert!(include_str!("../source/tree.rs").contains(signature));
    }

    #[test]
    fn an_extra_key_is_headed_in_title_case() {
        let key = Key::from_name("test_output");
        assert_eq!(key, Key::Extra("test_output".into()));
        assert_eq!(key.heading(), "Test Output");
        for (name, heading) in [
            ("e2e_tests", "E2E Tests"),
            ("2nd_run", "2Nd Run"),
            ("a.b/c-d", "A.B/C D"),
            ("myKey", "MyKey"),
            ("élan_日a", "Élan 日A"),
        ] {
            assert_eq!(Key::from_name(name).heading(), heading);
        }
    }
}
