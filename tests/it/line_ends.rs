//! A repository whose every line ends as lines do on Windows is the same repository.

use crate::project::Project;

/// What a repository says to `packer`, and code that is about it.
const FILES: &[(&str, &str)] = &[
    (
        "src/main.rs",
        "mod greet;\n\n/// Greets.\nfn main() {\n    println!(\"{}\", greet::greet(\"world\"));\n}\n",
    ),
    (
        "src/greet.rs",
        "/// A greeting.\npub fn greet(name: &str) -> String {\n    format!(\"Hello, {name}\")\n}\n",
    ),
    ("private/notes.md", "Nobody reads this.\n"),
    (".gitignore", "private/\n*.log\n"),
    ("AGENTS.md", "# Rules\n\nSee @docs/style.md\n"),
    ("docs/style.md", "Four spaces.\n"),
    (
        ".cursor/rules/rs.mdc",
        "---\nglobs: *.rs\nalwaysApply: false\n---\nNo unwrap.\n",
    ),
    (
        ".claude/rules/py.md",
        "---\npaths:\n  - \"**/*.py\"\n---\nType hints.\n",
    ),
    (
        ".claude/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: >\n  Brings the site\n  online\n---\nPush the button.\n",
    ),
    (
        ".context/CONSTITUTION.md",
        "# Constitution\n\n- A greeting never shouts.\n\n## Status: kept\n\n- [x] Greet\n- [ ] Wave\n",
    ),
    (
        ".packer/roles/greeter.yaml",
        "name: greeter\ndescription: Greets.\nextends: implementer\ntemplate: own.j2\n\
         system_prompt_additions: |\n  You greet.\n  Politely.\ncontext:\n  include:\n    - docs/*.md\n",
    ),
    (
        ".packer/templates/own.j2",
        "{% extends \"_base.j2\" %}\n{% block content %}\n# Task\n\n{{ task | trim }}\n{% endblock %}\n",
    ),
    (".packer/config.toml", "role = \"greeter\"\nbudget = 9000\n"),
    (
        ".packer/tests/greeter.yaml",
        "request:\n  role: greeter\n  task: Greet in capital letters, /deploy\n  target: [src/main.rs]\n\
         expect:\n  shows: [src/greet.rs]\n  holds: [Four spaces., No unwrap.]\n  lacks: [Type hints.]\n",
    ),
];

fn project(line_end: &str) -> Project {
    let mut project = Project::new();
    for (path, text) in FILES {
        project = project.file(path, text.replace('\n', line_end));
    }
    project.commit()
}

#[test]
fn line_ends_of_windows_change_nothing_but_line_ends() {
    let (unix, windows) = (project("\n"), project("\r\n"));
    for project in [&unix, &windows] {
        project.run(["trust", "--yes"]).succeeds();
    }
    let task = ["--task", "Greet in capital letters, /deploy", "--target"];
    let target = [&task[..], &["src/main.rs"]].concat();
    let lines = [&task[..], &["src/greet.rs:2-3"]].concat();
    let symbol = [&task[..], &["src/greet.rs::greet"]].concat();
    for command in [
        [&["prompt", "--strict"][..], &target].concat(),
        [&["prompt", "--strict", "--style", "xml"][..], &target].concat(),
        [&["prompt"][..], &lines].concat(),
        [&["prompt"][..], &symbol].concat(),
        [&["explain"][..], &target].concat(),
        vec!["roles", "check"],
        vec!["roles", "show", "greeter"],
        vec!["templates", "check"],
        vec!["test"],
        vec!["config"],
        vec!["context"],
        vec!["dump"],
        vec!["read", "src/main.rs", "private/notes.md"],
    ] {
        let there = unix.run(command.iter().copied());
        let here = windows.run(command.iter().copied());
        let plain = |text: &str| text.replace("&#13;", "").replace('\r', "");
        let figures = |text: &str| {
            let digit = |letter: char| letter.is_ascii_digit() || letter == ',';
            plain(text)
                .lines()
                .map(|line| line.split(digit).collect::<String>())
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (here.code, there.code),
            (0, 0),
            "{command:?}: {}",
            here.stderr
        );
        // A line end counts, so figures are others.
        assert_eq!(figures(&here.stdout), figures(&there.stdout), "{command:?}");
        assert_eq!(figures(&here.stderr), figures(&there.stderr), "{command:?}");
    }
}
