//! The guides are true: their files are written and their commands run, from top to
//! bottom, in one repository, and every command prints what stands below it.

use std::collections::VecDeque;
use std::fs;
use std::process::{Command, Stdio};

use crate::documents;
use crate::project::Project;
use crate::readme::{self, read, shell_words};
use crate::running::Running;

/// A line that stands for any number of lines.
const ANY: &str = "…";

/// What a reader of a guide does next.
enum Step {
    /// Writes a file.
    Write(String, String),
    /// Runs a command that prints this.
    Run(String, String),
}

/// What a guide has its reader do.
fn steps(guide: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut file = None;
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        if ticks.len() >= 3 {
            let language = &line[ticks.len()..];
            let inner: Vec<&str> = lines.by_ref().take_while(|line| *line != ticks).collect();
            match (language, file.take()) {
                ("console", None) => steps.extend(commands(&inner)),
                (_, Some(path)) => steps.push(Step::Write(path, inner.join("\n") + "\n")),
                (_, None) => {}
            }
        } else if !line.trim().is_empty() {
            let named = line
                .strip_suffix("`:")
                .and_then(|line| line.rsplit('`').next());
            file = named.map(str::to_owned);
        }
    }
    steps
}

fn commands(block: &[&str]) -> Vec<Step> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => panic!("a block starts with {line:?}"),
        }
    }
    let run = commands.into_iter();
    run.map(|(command, output)| Step::Run(command, output))
        .collect()
}

/// The folder of the Python package.
fn package() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("python/src")
}

/// Runs a command in the repository and returns what it prints, errors first.
fn run(project: &Project, command: &str) -> String {
    let mut words: VecDeque<String> = shell_words(command).into();
    let mut from = String::new();
    let mut to = None;
    while words.len() >= 2 && [">", "<"].contains(&words[words.len() - 2].as_str()) {
        let path = project.root().join(words.pop_back().unwrap());
        match words.pop_back().unwrap().as_str() {
            ">" => to = Some(path),
            _ => from = fs::read_to_string(path).unwrap(),
        }
    }
    let program = words.pop_front().unwrap();
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_packer"));
    let inherited = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{inherited}", built.parent().unwrap().display());
    let mut child = project
        .in_repository(&program)
        .args(&words)
        .env("PATH", path)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONPATH", package())
        .envs(["AUTHOR", "COMMITTER"].into_iter().flat_map(|who| {
            [
                (format!("GIT_{who}_NAME"), "A. Tester"),
                (format!("GIT_{who}_EMAIL"), "a@example.org"),
            ]
        }))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{command}: {e}"));
    // A command that does not read its input closes the pipe.
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), from.as_bytes());
    let output = child.wait_with_output().unwrap();
    let mut printed = String::from_utf8(output.stderr).unwrap();
    let result = String::from_utf8(output.stdout).unwrap();
    match to {
        Some(path) => fs::write(path, result).unwrap(),
        None => printed.push_str(&result),
    }
    let root = project.root();
    printed.replace(root.to_str().unwrap(), "/repo")
}

/// Whether a text is the expected one, in which a line may stand for any number of lines.
fn is_like(printed: &[&str], expected: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&ANY, rest)) => (0..=printed.len()).any(|skipped| is_like(&printed[skipped..], rest)),
        Some((line, rest)) => printed.first() == Some(line) && is_like(&printed[1..], rest),
    }
}

#[track_caller]
fn follow(guide: &str) {
    let steps = steps(&read(guide));
    assert!(
        steps.len() > 10,
        "{guide} has its reader do next to nothing"
    );
    follow_in(&Project::new(), guide, steps);
}

#[track_caller]
fn follow_in(project: &Project, guide: &str, steps: Vec<Step>) {
    for step in steps {
        match step {
            Step::Write(path, text) => {
                let path = project.root().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Step::Run(command, _) if command.starts_with("packer preview") => {
                let words = shell_words(&command);
                let running = Running::start(project, words[1..].iter().map(String::as_str));
                let line = running.line();
                assert!(line.starts_with("http://127.0.0.1:"), "{line}");
            }
            Step::Run(command, expected) => {
                let printed = run(project, &command);
                let lines = |text: &str| -> Vec<String> {
                    text.trim_end()
                        .lines()
                        .map(|line| line.trim_end().to_owned())
                        .collect()
                };
                let (printed, expected) = (lines(&printed), lines(&expected));
                let printed: Vec<&str> = printed.iter().map(String::as_str).collect();
                let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
                assert!(
                    is_like(&printed, &expected),
                    "{guide}: {command}\nprints:\n{}\n\nnot:\n{}",
                    printed.join("\n"),
                    expected.join("\n")
                );
            }
        }
    }
}

/// Whether this program is installed.
fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn the_guide_for_authors_is_true() {
    if is_there("git") {
        follow("docs/guide-authors.md");
    }
}

#[test]
fn the_guide_for_orchestrators_is_true() {
    if is_there("git") && is_there("python3") {
        follow("docs/guide-orchestrators.md");
    }
}

#[test]
fn what_older_tools_called_has_its_new_call() {
    let guide = read("docs/coming-from.md");
    for name in [
        "ContextPacker(",
        "load_role",
        "build_full_prompt",
        "pack_context",
        "pack_file_context",
        "render_prompt",
        "get_git_diff",
        "_get_changed_files",
        "_pack_target_files",
        "_pack_always_include",
        "ContextPackerError",
        "build_implementation_context",
        "build_review_context",
        "build_fix_context",
        "build_issue_context",
        "truncate_file",
        "estimate_tokens",
        "fit_to_budget",
        "LoadContext(",
        "LoadContextFile",
        "HasContext",
        "readRequestedFiles",
        "readIncludeFiles",
        "buildContextXml",
        "buildContextAssignString",
    ] {
        assert!(guide.contains(name), "{name}");
    }
    if is_there("git") && is_there("python3") {
        follow("docs/coming-from.md");
    }
}

#[test]
fn the_first_screen_says_the_same_in_shell_and_python() {
    if !is_there("python3") {
        return;
    }
    let project = readme::example();
    let readme = read("README.md");
    let shell = readme::blocks(&readme, "sh")[0].replace("\\\n", "");
    let program = project.outside().join("first.py");
    fs::write(&program, &readme::blocks(&readme, "python")[0]).unwrap();
    let printed = run(&project, &format!("python3 {}", program.display()));
    assert!(shell.starts_with("packer render "), "{shell}");
    // `print` ends a line that has ended.
    assert_eq!(printed.trim_end(), run(&project, &shell).trim_end());
}

#[test]
fn the_other_python_in_the_readme_runs() {
    if !is_there("python3") {
        return;
    }
    let project = readme::example();
    let program = project.outside().join("more.py");
    fs::write(&program, &readme::blocks(&read("README.md"), "python")[1]).unwrap();
    let printed = run(&project, &format!("python3 {}", program.display()));
    let lines: Vec<&str> = printed.lines().collect();
    assert!(
        lines.len() == 2 && lines.iter().all(|line| line.ends_with(" []")),
        "{printed}"
    );
}

/// A page that is no guide has its session in a repository that it does not spell out.
#[test]
fn what_the_page_on_conventions_shows_is_what_comes_out() {
    let project = Project::new()
        .file("AGENTS.md", "# Working here\n\nCode: @docs/style.md\n")
        .file("docs/style.md", "Four spaces. No tabs.\n")
        .file("packages/api/AGENTS.md", "Errors are answered as JSON.\n")
        .file("packages/api/src/a.ts", "export const a = 1;\n")
        .file(
            ".cursor/rules/ts.mdc",
            "---\nglobs: *.ts\n---\nStrict mode, always.\n",
        )
        .file(
            ".cursor/rules/sql.mdc",
            "---\nglobs: db/**\n---\nNo joins.\n",
        )
        .commit();
    let page = "docs/conventions.md";
    let steps = steps(&read(page));
    assert_eq!(steps.len(), 1);
    follow_in(&project, page, steps);
}

#[test]
fn every_session_is_on_a_page_that_is_followed() {
    let pages = documents::documents();
    let with_sessions = |page: &&String| !readme::blocks(&read(page), "console").is_empty();
    let found: Vec<&String> = pages.iter().filter(with_sessions).collect();
    assert_eq!(
        found,
        [
            "README.md",
            "docs/coming-from.md",
            "docs/conventions.md",
            "docs/guide-authors.md",
            "docs/guide-orchestrators.md",
        ]
    );
}

/// What pages that are no guides say in Python, with the names that they leave to the reader.
#[test]
fn the_python_in_the_other_pages_runs() {
    if !is_there("python3") {
        return;
    }
    let project = readme::example();
    let names = "import asyncio\nimport os\nfrom packer import AsyncPacker, Packer\n\
        packer = Packer()\ntask = step = 'Greet'\ntasks = [task, step]\n";
    let try_out = |program: &str, rest: &str| {
        let path = project.outside().join("page.py");
        fs::write(&path, format!("{names}{program}\n{rest}\n")).unwrap();
        let printed = run(&project, &format!("python3 {}", path.display()));
        assert!(printed.ends_with("right\n"), "{program}\n{printed}");
    };
    let messages = readme::blocks(&read("docs/messages.md"), "python");
    assert_eq!(messages.len(), 1);
    try_out(
        &messages[0],
        "begins = len(os.path.commonprefix([first.text, second.text]))\n\
        print('right' if begins > 200 else second.text)",
    );
    let package = read("python/README.md").replace("path/to/repository", ".");
    let package = readme::blocks(&package, "python");
    assert_eq!(package.len(), 2);
    let target = package[0].replace("greet.py", "src/greet.rs");
    try_out(&target, "print('right' if not prompt.warnings else '')");
    let inside = package[1].replace('\n', "\n    ");
    let inside = format!("async def main():\n    {inside}\n    return prompts");
    try_out(
        &inside,
        "print('right' if len(asyncio.run(main())) == 2 else '')",
    );
}

#[test]
fn a_line_stands_for_any_number_of_lines() {
    assert!(is_like(&["a", "b", "c"], &["a", ANY, "c"]));
    assert!(is_like(&["a"], &["a", ANY]));
    assert!(!is_like(&["a", "b"], &["a"]));
    assert!(!is_like(&["a", "b"], &[ANY, "a"]));
}
