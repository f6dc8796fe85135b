//! What the README says is true.

use std::fs;
use std::path::Path;

use crate::project::{Project, words};

/// A document of the project.
pub fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn readme() -> String {
    read("README.md")
}

/// The text of a document's blocks in this language.
pub fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        if ticks.len() < 3 {
            continue;
        }
        let inner: Vec<&str> = lines.by_ref().take_while(|line| *line != ticks).collect();
        if line[ticks.len()..] == *language {
            blocks.push(inner.join("\n"));
        }
    }
    blocks
}

/// The commands of the README's `console` blocks, each with what it prints.
fn sessions(text: &str) -> Vec<(String, String)> {
    let mut sessions: Vec<(String, String)> = Vec::new();
    for block in blocks(text, "console") {
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => sessions.push((command.to_owned(), String::new())),
                None => {
                    let output = &mut sessions.last_mut().unwrap().1;
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    sessions
}

/// The README's example repository.
pub fn example() -> Project {
    Project::new()
        .file(
            "src/greet.rs",
            "pub fn greet(name: &str) -> String {\n    format!(\"Hello, {name}\")\n}\n",
        )
        .file(
            "src/main.rs",
            "mod greet;\n\nfn main() {\n    println!(\"{}\", greet::greet(\"world\"));\n}\n",
        )
        .file("CLAUDE.md", "Every public function has a test.\n")
        .commit()
}

/// The same with what the other commands are shown with.
fn larger_example() -> Project {
    example()
        .file(
            ".context/CONSTITUTION.md",
            "# Constitution\n\n- A greeting never shouts.\n",
        )
        .file(
            ".context/TASKS.md",
            "# Tasks\n\n## Done\n\n- [x] Greet the world\n- [x] Print to standard output\n- [x] End with a line break\n\n## Next\n\n- [ ] Greet people by name #cli\n",
        )
        .file(
            "errors.json",
            "{\"stages\": [{\"name\": \"types\", \"errors\": [{\"file\": \"./src/main.rs\", \"line\": 4, \"message\": \"expected `String`\", \"severity\": \"error\", \"code\": \"E0308\"}]}]}\n",
        )
}

#[test]
#[cfg_attr(not(feature = "exact-tokens"), ignore = "needs an exact tokenizer")]
fn the_sessions_in_the_readme_print_what_they_say() {
    let (small, large) = (example(), larger_example());
    let sessions = sessions(&readme());
    assert!(sessions.len() >= 3, "{sessions:?}");
    for (command, expected) in sessions {
        let arguments = shell_words(&command);
        assert_eq!(arguments[0], "packer", "{command}");
        let project = match arguments[1].as_str() {
            "render" | "pack" => &small,
            _ => &large,
        };
        let output = project.run(arguments[1..].iter().map(String::as_str));
        let printed = format!("{}{}", output.stderr, output.stdout);
        assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
    }
}

/// Splits at spaces that stand in no quotes.
pub fn shell_words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (' ', None) => words.push(String::new()),
            (letter, _) => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_roles_and_templates_in_the_readme_work() {
    let mut project = example();
    for yaml in blocks(&readme(), "yaml") {
        project = project.file("role.yaml", &yaml);
        project
            .run(["roles", "check", "role.yaml"])
            .succeeds()
            .stdout_contains("0 errors");
    }
    for template in blocks(&readme(), "jinja") {
        project = project.file("prompts/audit.j2", &template);
        let arguments = "render audit.j2 --prompts-dir prompts --allow-template audit.j2";
        let more = ["--role", "role.yaml", "--task", "t", "--strict"];
        project
            .run(words(arguments).chain(more))
            .succeeds()
            .stdout_contains("# Task");
    }
}

/// A constant of the code, the text in the docs that tells it, and where.
const LIMITS: &[(&str, &str, &str, &str)] = &[
    (
        "source/mod.rs",
        "MAX_FILE: u64 = 1024 * 1024;",
        "| a file | 1 MiB",
        "README.md",
    ),
    (
        "source/mod.rs",
        "MAX_TOTAL: u64 = 10 * 1024 * 1024;",
        "| all files of a prompt | 10 MiB, where each counts at least 512 bytes",
        "README.md",
    ),
    (
        "source/mod.rs",
        "MAX_ALWAYS_INCLUDE: u64 = 2 * 1024 * 1024;",
        "`always_include` | 2 MiB",
        "README.md",
    ),
    (
        "repo/git/mod.rs",
        "MAX_DIFF_BLOB: i64 = 1024 * 1024;",
        "| a file in a diff | 1 MiB",
        "README.md",
    ),
    (
        "role/yaml.rs",
        "MAX_FILE: u64 = 1024 * 1024;",
        "| a role file | 1 MiB",
        "README.md",
    ),
    (
        "role/load.rs",
        "MAX_CHAIN: usize = 32;",
        "32 roles in a chain",
        "README.md",
    ),
    (
        "template/source.rs",
        "MAX_TEMPLATE: u64 = 256 * 1024;",
        "| a template | 256 KiB",
        "README.md",
    ),
    (
        "template/worker.rs",
        "MEMORY: u64 = 128 * 1024 * 1024;",
        "with 128 MiB and 2 s",
        "README.md",
    ),
    (
        "template/bounds.rs",
        "MAX_OUTPUT: usize = 16 * 1024 * 1024;",
        "| a prompt | 16 MiB",
        "README.md",
    ),
    (
        "repo/path.rs",
        "MAX_DEPTH: usize = 256;",
        "| folders | 256 levels",
        "README.md",
    ),
    (
        "builder/mod.rs",
        "MAX_FILE: u64 = 8 * 1024 * 1024;",
        "| a file in a builder | 8 MiB",
        "README.md",
    ),
    (
        "builder/mod.rs",
        "MAX_FILE_LINES: usize = 50_000;",
        "8 MiB and 50,000 lines",
        "README.md",
    ),
    (
        "builder/mod.rs",
        "WHOLE_FILE_LINES: usize = 500;",
        "fewer than 500 lines are whole",
        "docs/builders.md",
    ),
    (
        "builder/gathering.rs",
        "MAX_CONVENTION_LINES: usize = 1000;",
        "more than 1,000 lines",
        "docs/builders.md",
    ),
    (
        "truncate/mod.rs",
        "MAX_LINE: usize = 2000;",
        "lines of more than 2,000 characters",
        "README.md",
    ),
    (
        "source/context_dir/directory.rs",
        "MAX_FILES: usize = 500;",
        "| a `.context/` | 500 files",
        "README.md",
    ),
    (
        "source/context_dir/mod.rs",
        "MAX_FILE: u64 = 512 * 1024;",
        "500 files of 512 KiB",
        "README.md",
    ),
    (
        "source/context_dir/mod.rs",
        "MAX_TOTAL: u64 = 4 * 1024 * 1024;",
        "512 KiB, 4 MiB together",
        "README.md",
    ),
    (
        "source/context_dir/parse.rs",
        "MAX_PARTS: usize = 50_000;",
        "At most 50,000 sections and items",
        "docs/context-directory.md",
    ),
    (
        "source/context_dir/mod.rs",
        "CONTEXT_BUDGET: usize = 8000;",
        "`--budget` tokens (8,000)",
        "docs/context-directory.md",
    ),
    (
        "cli/input.rs",
        "MAX_INPUT: u64 = 10 * 1024 * 1024;",
        "| standard input and each file named by options | 10 MiB",
        "README.md",
    ),
    (
        "cli/input.rs",
        "MAX_TOGETHER: u64 = 16 * 1024 * 1024;",
        "10 MiB, 16 MiB together",
        "README.md",
    ),
    (
        "source/files.rs",
        "LEAST: u64 = 512;",
        "each counts at least 512 bytes",
        "README.md",
    ),
    (
        "repo/git/mod.rs",
        "MAX_DIFF_FILES: usize = 10_000;",
        "| a diff | 10,000 files",
        "README.md",
    ),
    (
        "repo/git/worktree.rs",
        "MAX_CHANGED: u64 = 4 * 1024 * 1024;",
        "more than 4 MiB, or over 12 MiB together",
        "docs/packing.md",
    ),
    (
        "memory.rs",
        "MEMORY: u64 = 80 * 1024 * 1024;",
        "| memory | 80 MiB",
        "README.md",
    ),
    (
        "builder/account.rs",
        "MAX_TEXT: usize = 8 * 1024 * 1024;",
        "8 MiB together",
        "docs/builders.md",
    ),
    (
        "builder/finding.rs",
        "MAX_MESSAGE: usize = 32 * 1024;",
        "a message has 32 KiB",
        "docs/builders.md",
    ),
    (
        "builder/account.rs",
        "MAX_PATHS: usize = 1024 * 1024;",
        "paths 1 MiB",
        "docs/builders.md",
    ),
    (
        "repo/path.rs",
        "MAX_PATH: usize = 4096;",
        "| a path | 4,096 bytes |",
        "README.md",
    ),
    (
        "template/bounds.rs",
        "FUEL: u64 = 2_000_000;",
        "2,000,000 instructions",
        "docs/templates.md",
    ),
    (
        "role/mod.rs",
        "DEFAULT_BUDGET: usize = 20_000;",
        "| 20000 |",
        "docs/roles.md",
    ),
    (
        "role/mod.rs",
        "DEFAULT_RELATED_FILES: usize = 60;",
        "packs at most 60",
        "docs/roles.md",
    ),
    (
        "source/repomix.rs",
        "PIN: &str = \"1.14.0\";",
        "version 1.14.0",
        "docs/packing.md",
    ),
    (
        "index/imports/mod.rs",
        "MAX_LED_TO: usize = 200;",
        "at most 200 of its files",
        "docs/imports.md",
    ),
    (
        "syntax/imports/mod.rs",
        "MAX_IMPORTS: usize = 1000;",
        "at most 1,000 imports",
        "docs/imports.md",
    ),
    (
        "index/imports/listing.rs",
        "MAX_LISTED: usize = 50_000;",
        "the first 50,000 of the repository",
        "docs/imports.md",
    ),
    (
        "index/imports/files.rs",
        "MAX_MANIFEST: u64 = 128 * 1024;",
        "more than 128 KiB, or over 3 MiB together",
        "docs/imports.md",
    ),
    (
        "index/imports/path.rs",
        "MAX_UP: usize = 32;",
        "at most 32 folders upwards",
        "docs/imports.md",
    ),
    (
        "index/imports/declared.rs",
        "MAX_FILES: usize = 5000;",
        "at most 5,000 files and 20 MiB",
        "docs/imports.md",
    ),
    (
        "role/pattern.rs",
        "MAX_GLOBS: usize = 2000;",
        "2,000 with wildcards",
        "README.md",
    ),
    (
        "role/pattern.rs",
        "MAX_GLOB_TEXT: usize = 32 * 1024;",
        "of 32 KiB",
        "README.md",
    ),
    (
        "role/pattern.rs",
        "MAX_WILDCARDS: usize = 4000;",
        "4,000 wildcards together",
        "README.md",
    ),
    (
        "packer/mod.rs",
        "TEMPLATE_RESERVE: usize = 1000;",
        "leaves 1,000 tokens",
        "docs/packing.md",
    ),
];

#[test]
fn limits_in_the_readme_and_the_docs_are_those_of_the_code() {
    for (source, constant, told, place) in LIMITS {
        assert!(
            read(&format!("src/{source}")).contains(constant),
            "{source}: {constant}"
        );
        assert!(read(place).contains(told), "{place}: {told}");
    }
}
