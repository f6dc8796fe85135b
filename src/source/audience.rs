//! Whom the headings of a convention file address: people who change code, or others.

use crate::index::words::{each_word, is_common};
use crate::rank::Words;
use crate::split;

/// Stems of words in headings of sections for people who do not change code.
const FOR_OTHERS: [&str; 6] = [
    "report", "question", "conduct", "sponsor", "donation", "thank",
];

/// Stems of words in headings about how a change is submitted to the project, which someone who
/// only changes code does not do. A contributor guide has such sections among those about code.
const WAY_IN: [&str; 35] = [
    "commit",
    "discus",
    "discuss",
    "fork",
    "clone",
    "clon",
    "branch",
    "rebase",
    "rebas",
    "push",
    "merge",
    "merg",
    "release",
    "releas",
    "cla",
    "dco",
    "sign",
    "patch",
    "patche",
    "ticket",
    "credit",
    "chat",
    "slack",
    "irc",
    "forum",
    "gitter",
    "discord",
    "contact",
    "communit",
    "communication",
    "translat",
    "translation",
    "translator",
    "localiz",
    "localization",
];

/// Someone who asks for these does not change code, but someone who adds them does.
const ASKED: [&str; 4] = ["feature", "featur", "issue", "issu"];
const ASKS: [&str; 8] = [
    "request", "suggest", "propos", "describ", "open", "fil", "submit", "submiss",
];

/// Stems of words in headings about who belongs to the project, and what they get or give, unless
/// the heading mentions code.
const BELONGING: [&str; 19] = [
    "certificate",
    "certificat",
    "license",
    "licens",
    "onboard",
    "offboard",
    "collaborator",
    "organization",
    "organisation",
    "governance",
    "governanc",
    "backer",
    "bount",
    "bounty",
    "triage",
    "triag",
    "financial",
    "help",
    "committer",
];
/// A list of these is where people write to each other.
const LISTED: [&str; 2] = ["mail", "developer"];
/// Stems of the words of headings that name what is reported to a project, and nothing else.
const TOLD: [&str; 3] = ["issue", "issu", "bug"];
/// Stems of words of such headings that say where and how it is reported: `GitHub` is two words.
const TOLD_WHERE: [&str; 10] = [
    "tracker", "track", "git", "hub", "github", "lab", "gitlab", "jira", "using", "use",
];
/// Stems of other words in such headings that a task may have without asking for them.
const ORDINARY: [&str; 4] = ["report", "project", "support", "work"];
/// Stems of words that make such a heading one about code after all, or about what a program
/// reports.
const OF_CODE: [&str; 19] = [
    "code", "cod", "file", "fil", "header", "source", "sourc", "module", "modul", "import", "test",
    "text", "message", "messag", "output", "option", "command", "page", "pag",
];

/// Stems of words in headings of sections that say how to change code: with which commands, and in
/// which style.
const COMMANDS: [&str; 16] = [
    "build",
    "built",
    "test",
    "check",
    "lint",
    "format",
    "run",
    "command",
    "verif",
    "valid",
    "develop",
    "setup",
    "styl",
    "convention",
    "guidelin",
    "cod",
];

/// Stems of words that make a heading or a text one about the requirements on code, even below a
/// heading about submitting a change.
const OF_CHECKS: [&str; 6] = ["build", "test", "lint", "linter", "format", "styl"];

/// Stems of words that welcome somebody.
const OF_WELCOME: [&str; 8] = [
    "thank",
    "welcom",
    "appreciat",
    "lov",
    "glad",
    "excit",
    "awesome",
    "awesom",
];

/// Stems of words in tasks about what files say of their licence.
const LICENCES: [&str; 6] = [
    "license",
    "licens",
    "licence",
    "licenc",
    "copyright",
    "spdx",
];

/// Whether a convention file is a document for contributors.
pub(super) fn is_for_people(path: &str) -> bool {
    split::name(path)
        .to_ascii_lowercase()
        .starts_with("contributing")
}

/// Whether the section below these headings of a convention file, each on a line, is irrelevant to
/// someone who changes code, unless the task mentions it.
pub(super) fn is_for_others(words: &Words, path: &str, titles: &str) -> bool {
    let titles = &*without_addresses(titles);
    let is_headed = |titles: &str| {
        let has = |words: &[&str]| has_any(titles, words);
        let belongs = || has(&BELONGING) && !has(&OF_CODE);
        let asks = || has(&ASKED) && has(&ASKS) && !has(&["pull"]);
        let leads = || titles.lines().any(leads_to_people);
        let leads_in = || has(&WAY_IN) || asks() || belongs() || leads();
        has(&FOR_OTHERS) || is_for_people(path) && leads_in()
    };
    // How the tests are run may be said below how a patch is submitted.
    let innermost = titles.rsplit('\n').next().unwrap_or_default();
    let is_of_checks = || speaks_of_checks(innermost) && !is_headed(innermost);
    is_headed(titles) && !is_of_checks() && !are_asked_for(words, own(titles))
}

/// Whether the section below these headings of a file for agents is about what a contributor guide
/// says only to others, such as how a change is committed. The title of the file does not count.
pub(super) fn is_of_way_in(words: &Words, path: &str, titles: &str) -> bool {
    let below = titles.split_once('\n').map_or(titles, |(_, below)| below);
    !is_for_people(path) && is_for_others(words, "CONTRIBUTING.md", below)
}

/// Whether a task has a telling word of these headings, or all words of the last one. `Feature
/// requests` are for those who ask, and a task about a request is not about them.
fn are_asked_for(words: &Words, titles: &str) -> bool {
    let lists: [&[&str]; 5] = [&ASKED, &ASKS, &TOLD, &TOLD_WHERE, &ORDINARY];
    let is_listed = |word: &str| lists.iter().any(|list| list.contains(&word));
    let mut one = false;
    each_word(&without_off(titles), |word| {
        one |= !is_listed(word) && !is_common(word) && words.have(word);
    });
    let (mut some, mut all) = (false, true);
    let innermost = titles.rsplit('\n').next().unwrap_or_default();
    each_word(&without_off(innermost), |word| {
        let is_said = is_listed(word) || !is_common(word);
        some |= is_said;
        all &= !is_said || words.have(word);
    });
    one || some && all
}

/// Whether a heading on its own is about where people write to each other, where they may begin,
/// how they support a project, or what they report to it.
fn leads_to_people(title: &str) -> bool {
    let has = |words: &[&str]| has_any(title, words);
    let is_list = has(&["list"]) && has(&LISTED);
    let starts = has(&["where", "wher"]) && has(&["start"]);
    let supports = has(&["support"]) && has(&["project", "us"]);
    let is_offer = title.to_ascii_lowercase().contains("to work on");
    let leads = is_list || starts || supports || is_offer;
    leads && !has(&OF_CODE) || only_names_what_is_told(title)
}

/// Whether a heading says no more than `Issues`, `Issue tracker` or `Using GitHub issues`.
fn only_names_what_is_told(title: &str) -> bool {
    let (mut some, mut all) = (false, true);
    each_word(title, |word| {
        let is_told = TOLD.contains(&word);
        some |= is_told;
        all &= is_told || TOLD_WHERE.contains(&word);
    });
    some && all
}

/// Returns these headings without the addresses of their links and without their images: the words
/// of a badge are not those of the section below it.
fn without_addresses(titles: &str) -> String {
    let mut said = String::new();
    let mut rest = titles;
    while let Some(at) = rest.find("](") {
        let (before, behind) = rest.split_at(at);
        let shown = before.rfind("![").map_or(before, |at| &before[..at]);
        said.push_str(shown);
        let end = behind.find([')', '\n']).unwrap_or(behind.len());
        rest = behind[end..].trim_start_matches(')');
    }
    said + rest
}

/// Whether a text of a contributor guide says only how to submit a change to the project. A worker
/// in a work tree neither forks the project nor has a branch to push.
pub(super) fn only_brings_a_change(words: &Words, path: &str, text: &str) -> bool {
    const STEPS: [&str; 6] = ["branch", "push", "pull", "clone", "clon", "commit"];
    let brings = || has_any(text, &["fork"]) && has_any(text, &STEPS);
    // The words of a text cost more than its path.
    is_for_people(path)
        && brings()
        && statements(text).all(|it| is_on_the_way(&it))
        && !words.are_asked_for("fork")
}

/// Whether a statement is about how a change gets to a project, and not about what it must be.
fn is_on_the_way(statement: &str) -> bool {
    const WAY: [&str; 14] = [
        "fork",
        "branch",
        "push",
        "pull",
        "clone",
        "clon",
        "commit",
        "git",
        "github",
        "upstream",
        "repo",
        "repositor",
        "submit",
        "contribut",
    ];
    const OF_WORK: [&str; 7] = [
        "changelog",
        "document",
        "documentat",
        "docstring",
        "comment",
        "convention",
        "install",
    ];
    let makes = || has_any(statement, &["make", "mak"]) && has_any(statement, &["change", "chang"]);
    let says_something = || statement.contains(char::is_alphabetic);
    let is_of_change = speaks_of_checks(statement) || has_any(statement, &OF_WORK);
    !is_of_change && (has_any(statement, &WAY) || makes() || !says_something())
}

/// Returns the items of a text's lists and the sentences of its paragraphs, but not its headings.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let mut blocks: Vec<String> = vec![String::new()];
    for line in text.lines().map(str::trim) {
        let ends = line.is_empty() || line.starts_with('#');
        if ends || item(line).is_some() {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut().filter(|_| !ends) {
            block.push_str(line);
            block.push(' ');
        }
    }
    let sentences = |block: String| -> Vec<String> {
        // The number of an item is none.
        let block = item(&block).unwrap_or(&block);
        block.split_inclusive(". ").map(str::to_owned).collect()
    };
    blocks.into_iter().flat_map(sentences)
}

/// Returns the text of a list item: `a` of `- a` and `1. a`.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let said = if numbered.len() < line.len() {
        numbered.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    said.filter(|said| said.starts_with([' ', '\t']))
        .map(str::trim)
}

/// Returns these headings without the meaningless word of `Sign off`: a task that backs off, or is
/// off by one, does not ask how a commit is signed.
fn without_off(titles: &str) -> String {
    let words = titles.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.eq_ignore_ascii_case("off"));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns these headings without the title of a contributor guide: `Contributing to Parser` and
/// `Welcome to Parser` name the project, as a task may.
fn own(titles: &str) -> &str {
    let title = titles.split_once('\n');
    let is_title = |title: &str| is_of_contributing(title) || has_any(title, &OF_WELCOME);
    let title = title.filter(|(title, _)| is_title(title));
    title.map_or(titles, |(_, own)| own)
}

fn is_of_contributing(title: &str) -> bool {
    has_any(title, &["contribut", "contribution"])
}

/// Whether the beginning of a contributor guide does no more than attract people and tell them how
/// to treat each other.
pub(super) fn only_welcomes(path: &str, beginning: &str) -> bool {
    let welcomes = || has_any(beginning, &OF_WELCOME) || has_any(beginning, &["conduct"]);
    is_for_people(path) && welcomes() && !speaks_of_checks(beginning)
}

/// Whether a text only lists the sections below its own headings, with links to them. An item that
/// says anything beside its link may be a rule.
pub(super) fn lists_headings(text: &str) -> bool {
    const LEAST: usize = 3;
    let is_link = |said: &str| {
        let target = said.strip_prefix('[').and_then(|it| it.split_once("](#"));
        target.is_some_and(|(_, target)| {
            target
                .split_once(')')
                .is_some_and(|(_, rest)| rest.is_empty())
        })
    };
    let (mut links, mut others) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match item(line) {
            Some(said) if is_link(said) => links += 1,
            Some(_) => return false,
            None => others += 1,
        }
    }
    links >= LEAST && links >= others
}

/// Whether these headings are about commands, or about the style in which code is changed.
pub(super) fn names_commands(titles: &str) -> bool {
    let own = own(titles);
    // `Contribution guidelines` stands above all that a document says.
    let is_title = !own.contains('\n') && is_of_contributing(own);
    !is_title && has_any(own, &COMMANDS)
}

/// Whether a heading or a text is about the requirements on code, or about what proves them.
pub(super) fn speaks_of_checks(text: &str) -> bool {
    has_any(text, &OF_CHECKS)
}

/// Whether a task is about what files say of their licence.
pub(super) fn speaks_of_licences(task: &str) -> bool {
    has_any(task, &LICENCES)
}

/// Whether one of these words is in a text, compared as stems.
fn has_any(text: &str, words: &[&str]) -> bool {
    let mut has = false;
    each_word(text, |word| has |= words.contains(&word));
    has
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_change_is_brought_in_is_for_others_whatever_the_form_of_its_words() {
        let words = Words::of("Mend the parser", ["src/cla/fork.rs"]);
        let is = |path: &str, title: &str| {
            is_for_others(&words, path, &format!("Contributing to Parser\n{title}"))
        };
        for title in [
            "Fork",
            "Cloning",
            "Rebase",
            "Merging",
            "Releases",
            "Sign-off",
            "How to provide a patch",
            "Patches",
            "Requesting a feature",
            "Feature requests",
            "Describe your issue",
            "Submitting an Issue",
            "Credits",
            "Community chat",
            "IRC",
            "Contact us",
            "Commit message guidelines",
            "Discuss and update",
            "The CLA",
            "Developer's Certificate of Origin 1.1",
            "License",
            "Onboarding Collaborators",
            "Offboarding Collaborators",
            "Organization Structure",
            "Governance",
            "Backers",
            "How to redeem a bounty",
            "Triage",
            "Translating the documents",
            "Translations",
            "Submitting patches\nStart coding",
            "Tests\nPush your branch",
            "Getting help",
            "Developer List",
            "Mailing lists",
            "Committers",
            "Where do I start?",
            "[Issues](docs/ISSUES.md)",
            "Issue Tracker",
            "Using GitHub issues",
            "Bug tracking",
            "Creating good tickets",
            "Supporting the project",
            "Support us",
            "Issues to work on",
            "Triage Issues [![Open Source Helpers](https://a.b/source.svg)](https://a.b/source)",
        ] {
            let people = is(".github/CONTRIBUTING.md", title);
            assert!(people && !is("AGENTS.md", title), "{title}");
        }
        let welcome = "Welcome to Parser\nDeveloper certificate of origin (DCO)";
        assert!(is_for_others(&words, "CONTRIBUTING.md", welcome));
        let off = |title| is_for_others(&Words::of("Turn it off", []), "CONTRIBUTING.md", title);
        assert!(off("Sign-off") && off("Include a Signed Off By Trailer") && !off("Turn off"));
        for title in [
            "Submitting patches\nRunning the tests",
            "Commits\nCode style",
            "Design",
            "Signals",
            "Pull requests",
            "Submitting a pull request",
            "Pull requests Adding a new feature",
            "Adding a new feature",
            "Feature flags",
            "Parser releases",
            "Code organization",
            "License headers",
            "Certificates in tests",
            "Help with failing tests",
            "Known issues in modules",
            "Use of trackers",
            "GitHub",
            "Start the server",
            "Developer guide\nList of settings",
            "Where everything is\nStart the server",
            "Where to start in the code",
            "Help texts",
            "Messages of --help",
            "Supported platforms",
            "Files to work on",
        ] {
            assert!(!is("CONTRIBUTING.md", title), "{title}");
        }
    }

    #[test]
    fn one_ordinary_word_of_a_task_asks_for_nothing() {
        let is = |task: &str, title: &str| {
            let titles = format!("Contributing to Parser\n{title}");
            is_for_others(&Words::of(task, []), "CONTRIBUTING.md", &titles)
        };
        for (task, title) in [
            ("Retry a multipart request", "Feature Requests"),
            ("See the report", "Bug Reports"),
            ("Open the file", "Open an issue"),
            ("Open the file", "Filing bug reports and feature requests"),
            ("Support another project", "Supporting a friendly project"),
            ("Make it work on Windows", "Issues to work on"),
            ("Track what a hub has", "Using GitHub issues"),
        ] {
            assert!(is(task, title), "{task}: {title}");
        }
        for (task, title) in [
            ("Mend the bug report", "Bug Reports"),
            (
                "Write a template for the request of a feature",
                "Feature requests",
            ),
            ("Hash passwords for security", "Reporting security issues"),
            ("Sign what is sent", "Ways to help\nSigning your commits"),
        ] {
            assert!(!is(task, title), "{task}: {title}");
        }
    }

    #[test]
    fn a_text_that_only_says_how_to_fork_a_project_is_for_others() {
        let words = Words::of("Mend the parser", ["src/parser.rs"]);
        let is = |text: &str| only_brings_a_change(&words, "CONTRIBUTING.md", text);
        assert!(is("1. Fork the repository\n2. Create a new branch\n"));
        assert!(is(
            "## Steps\n\n1. Fork it, then\n   clone your\n   copy of the repository.\n2. Make changes\n"
        ));
        for text in [
            "Create a branch for each feature.",
            "Do not fork the process.",
            "1. Fork it\n2. Run the tests on your branch\n",
            "Fork it, and push a branch. All errors are values.",
            "- Fork it and push a branch\n- Return errors as values\n",
            "Fork it. Each commit has its line in the changelog.",
            "1. Fork and clone it\n2. Run `pnpm i` to install what it needs\n",
        ] {
            assert!(!is(text), "{text}");
        }
        let fork = "Fork it, and push a branch.";
        assert!(is(fork) && !only_brings_a_change(&words, "AGENTS.md", fork));
        let asked = Words::of("Say how to fork it", []);
        assert!(!only_brings_a_change(&asked, "CONTRIBUTING.md", fork));
    }

    #[test]
    fn a_table_of_contents_is_told_by_its_links() {
        let table = "# Contributing\n\nOf this:\n\n- [Style](#style)\n  1. [Names](#names)\n* [Tests](#t)\n";
        assert!(lists_headings(table));
        for text in [
            "- [Style](#style)\n- [Tests](#tests)\n",
            "- [Style](STYLE.md)\n- [Tests](TESTS.md)\n- [Names](NAMES.md)\n",
            "- Test it ([how](#a))\n- Name it ([how](#b))\n- Tell it ([how](#c))\n",
            "- [a](#a): be brief\n- [b](#b): say why\n- [c](#c), always\n",
            "- [a](#a)\n- [b](#b)\n- [c](#c)\n- Always say why.\n",
            "- [a](#\n- [b](#\n- [c](#\n",
            "- [a](#a)\n- [b](#b)\n- [c](#c)\n- Always test.\n- Name it.\n- Say why.\n- Be brief.\n",
        ] {
            assert!(!lists_headings(text), "{text}");
        }
    }

    #[test]
    fn where_a_heading_leads_is_not_what_it_says() {
        let said = without_addresses("[Code](docs/CODE.md) style\nTriage [![a b](c.svg)](d/e)");
        assert_eq!(said, "[Code style\nTriage [");
        assert_eq!(without_addresses("An [open](link\nNext"), "An [open\nNext");
    }

    #[test]
    fn the_title_of_a_document_for_contributors_heads_no_commands() {
        for title in [
            "Contribution guidelines",
            "Contribution guidelines\nBranches",
        ] {
            assert!(!names_commands(title), "{title}");
        }
        for title in [
            "Contribution guidelines\nUnit tests",
            "Guidelines",
            "Building",
        ] {
            assert!(names_commands(title), "{title}");
        }
    }
}
