//! Who may know whom: a module uses lower ranks only, never one of its own rank, and files
//! of one room never use one another in a circle.

use std::fs;
use std::path::Path;

use crate::circles;

/// The modules of the library by rank, the lowest first.
const RANKS: [&[&str]; 12] = [
    &["choice", "ranges", "split"],
    &["remark", "secrets"],
    &["show"],
    &[
        "error",
        "fence",
        "hash",
        "json",
        "line_numbers",
        "memory",
        "message",
        "nearest",
        "processor",
    ],
    &[
        "section", "settings", "syntax", "tokens", "truncate", "unseen",
    ],
    &["context", "metadata", "models", "repo", "shown"],
    &["parse"],
    &["budget", "format", "index", "role", "template"],
    &["prompt", "rank", "request"],
    &["source"],
    &["builder", "packer"],
    &["bench", "fuzz"],
];

/// Words that only one room may use, with the room; of Markdown's blocks two know.
const ONLY_IN: [(&str, &str); 13] = [
    ("std::fs", "repo"),
    ("fs::", "repo"),
    ("File::open", "repo"),
    ("Command::new", "repo"),
    ("tempfile::", "repo"),
    ("git2::", "repo"),
    ("which::", "repo"),
    ("rustix::fs", "repo"),
    ("minijinja::", "template"),
    ("saphyr_parser", "role"),
    ("pulldown_cmark", "source format"),
    ("regex_syntax", "show"),
    ("tree_sitter", "syntax"),
];

fn rank(module: &str) -> usize {
    RANKS
        .iter()
        .position(|modules| modules.contains(&module))
        .unwrap_or_else(|| panic!("`{module}` has no rank: give it one here"))
}

/// Every source file of the library with its module and its text up to its tests.
fn sources() -> Vec<(String, String, String)> {
    let mut found = all_sources();
    found.retain(|(_, module, _)| !["lib", "main", "cli"].contains(&module.as_str()));
    found
}

/// The same, with those of the command.
fn all_sources() -> Vec<(String, String, String)> {
    fn collect(folder: &Path, found: &mut Vec<(String, String, String)>) {
        let mut entries: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                collect(&path, found);
                continue;
            }
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
            let inside = path.strip_prefix(source).unwrap();
            let module = inside
                .components()
                .next()
                .unwrap()
                .as_os_str()
                .to_str()
                .unwrap();
            let module = module.trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let text = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap()
                .to_owned();
            found.push((inside.display().to_string(), module, text));
        }
    }
    let mut found = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    found
}

/// The modules that a text names after `crate::`, braces included.
fn used(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let first = |path: &str| {
        path.trim()
            .split(|c| !is_name(c))
            .next()
            .unwrap()
            .to_owned()
    };
    let mut modules = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => modules.extend(list.split("};").next().unwrap().split(',').map(first)),
            None => modules.push(first(rest)),
        }
    }
    modules.retain(|name| RANKS.iter().any(|modules| modules.contains(&name.as_str())));
    modules
}

#[test]
fn every_way_of_naming_a_module_is_seen() {
    let text = "use crate::packer::X;\nuse crate::{role::{A, B}, repo::C};\nlet a = crate::format::gap(b, c);";
    assert_eq!(used(text), ["packer", "role", "repo", "format"]);
}

#[test]
fn a_module_uses_lower_ranks_only() {
    let mut wrong = Vec::new();
    for (file, module, text) in sources() {
        for other in used(&text) {
            if other != module && rank(&other) >= rank(&module) {
                wrong.push(format!("{file} uses {other}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn no_files_of_a_room_use_one_another_in_a_circle() {
    let files: Vec<(String, String)> = all_sources()
        .into_iter()
        .map(|(file, _, text)| (file, text))
        .collect();
    let found = circles::find(&files);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_document_has_every_module_at_its_rank() {
    let document = fs::read_to_string("docs/architecture.md").unwrap();
    let (_, told) = document.split_once("## Who may know whom").unwrap();
    let told = told.split("```").nth(1).unwrap();
    let told: Vec<(usize, Vec<&str>)> = told
        .lines()
        .filter_map(|line| line.trim().split_once("  "))
        .map(|(rank, names)| {
            let names = names.split(" (").next().unwrap();
            let mut names: Vec<&str> = names.split(", ").collect();
            names.sort_unstable();
            (rank.parse().unwrap(), names)
        })
        .collect();
    let ranks = RANKS.iter().enumerate().rev();
    let ranks: Vec<(usize, Vec<&str>)> = ranks.map(|(at, names)| (at, names.to_vec())).collect();
    assert_eq!(told, ranks);
}

/// What a reader takes in at one go; a table that a program wrote nobody reads.
#[test]
fn no_file_has_over_five_hundred_lines_without_its_tests() {
    let is_read = |inside: &str| {
        inside.ends_with(".rs") && !inside.ends_with("tests.rs") && inside != "rank/weights.rs"
    };
    for (inside, _, text) in all_sources() {
        // Tests that others use as well begin with `pub`.
        let own = text.split("#[cfg(test)]\npub").next().unwrap();
        let lines = own.lines().count();
        assert!(
            !is_read(&inside) || lines <= 500,
            "{inside} has {lines} lines"
        );
    }
}

#[test]
fn a_library_is_known_to_one_room_only() {
    let mut wrong = Vec::new();
    for (file, module, text) in sources() {
        for (word, room) in ONLY_IN {
            let alone = |(at, _): (usize, &str)| {
                let before = text[..at].chars().next_back();
                before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
            };
            let is_its_own = room.split(' ').any(|room| module == room);
            if !is_its_own && text.match_indices(word).any(alone) {
                wrong.push(format!("{file} uses {word}, which belongs to {room}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_library_prints_nothing_and_reads_no_arguments() {
    for (file, _, text) in sources() {
        for word in [
            "println!",
            "print!(",
            "env::args",
            "process::exit",
            "stdin()",
            "stdout()",
        ] {
            assert!(!text.contains(word), "{file} uses {word}");
        }
    }
}

#[test]
fn a_grammar_runs_where_it_can_be_ended() {
    let parses = |text: &str| {
        let imports = text
            .lines()
            .filter(|line| line.starts_with("use crate::syntax::"));
        let is_it = |word: &str| word == "parse";
        let by_name = |line: &str| {
            line.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(is_it)
        };
        imports.into_iter().any(by_name) || text.contains("crate::syntax::parse(")
    };
    let known = ["parse/parser.rs", "parse/worker.rs", "bench.rs", "fuzz.rs"];
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|(file, _, text)| !file.starts_with("syntax/") && parses(text))
        .map(|(file, _, _)| file)
        .collect();
    let mut known = known.map(str::to_owned);
    known.sort();
    assert_eq!(found, known);
}

/// Words by which a file is opened or let in, with the files of `repo/` that may use them.
/// What is not in this list has to be given a `Readable`, which the policy alone makes.
const OPENERS: [(&str, &[&str]); 10] = [
    ("door.open(", &["admit.rs", "read.rs"]),
    ("door.open_plain(", &["git/worktree.rs", "read.rs"]),
    ("door.link_target(", &["git/worktree.rs"]),
    ("open::anywhere(", &["read.rs"]),
    (
        "open::anywhere;",
        &["git/objects/loose.rs", "git/objects/pack.rs"],
    ),
    (
        "File::open(",
        &["cache.rs", "open.rs", "read.rs", "shelf.rs"],
    ),
    ("fs::read(", &[]),
    ("fs::read_to_string(", &[]),
    ("Readable::admitted(", &["admit.rs", "walk.rs"]),
    ("read_rules(", &["read.rs", "rules.rs"]),
];

#[test]
fn a_file_is_opened_by_the_policy_alone() {
    let mut wrong = Vec::new();
    for (file, module, text) in sources() {
        // The door itself, and what is there only when it is asked for, or for tests.
        let is_apart = ["bench", "fuzz"].contains(&module.as_str()) || file.ends_with("/tests.rs");
        if file == "repo/open.rs" || is_apart {
            continue;
        }
        for (word, files) in OPENERS {
            let is_allowed = files.iter().any(|known| file == format!("repo/{known}"));
            if text.contains(word) && !is_allowed {
                wrong.push(format!("{file} has `{word}…)`"));
            }
        }
        let makes_one = text.contains("Readable {") && !text.contains("struct Readable {");
        if makes_one {
            wrong.push(format!("{file} makes a `Readable`"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
