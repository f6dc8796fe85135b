//! A repository, and everything that is read from it. A line each, of which `\n` in a text is a
//! line break and `@` in a link the folder above the repository:
//!
//! ```text
//! file PATH TEXT     a file
//! hidden PATH TEXT   one that is ignored
//! link PATH TARGET   a link
//! git PATH           a folder that has the form of git's own
//! commit             everything so far that is not hidden
//! role TEXT          the role, as YAML
//! task TEXT
//! target PATH
//! ```
//!
//! What is hidden, what lies outside and what is in a git folder holds a word that no other
//! text has. Whatever the repository says, that word comes out nowhere.
#![no_main]

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use context_packer::builders::{
    Issue, Validation, ValidationError, Workspace, build_fix_context, build_issue_context,
    build_review_context,
};
use context_packer::context_dir::{LoaderOptions, load_context};
use context_packer::explain::Question;
use context_packer::readers::{ReadFiles, ReadOptions};
use context_packer::requests::Asker;
use context_packer::settings::{FilesStyle, Style};
use context_packer::tokens::Counter;
use context_packer::{ContextPacker, Request, Role, Roles};
use libfuzzer_sys::fuzz_target;

/// The word. It is another one in each process, so that no input can have learned it.
static CANARY: LazyLock<String> = LazyLock::new(|| {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let number = now.map_or(7, |now| now.as_nanos() ^ u128::from(std::process::id()));
    format!("canary{number:x}")
});

/// What is asked for where the repository has no role, or one that cannot be used.
const ROLE: &str = "name: fuzzed\ndescription: d\nsystem_prompt: s\ncontext:\n  token_budget: 20000\n  \
    include: ['**/*', '*', $TARGET, $TARGET_IMPORTS, $RELATED, $REPO_MAP, $CHANGED_FILES]\n  \
    conventions: true\n  project_context: true\n  git_diff: true\n  recent_commits: true\n  \
    tree: true\n  change: worktree\n";

struct Made {
    _folder: tempfile::TempDir,
    root: PathBuf,
    names: Vec<String>,
    hidden: HashSet<String>,
    role: Option<String>,
    task: String,
    targets: Vec<String>,
}

/// Whether a path may be made: it lies in the repository and decides nothing of what git
/// ignores.
fn is_plain(path: &str) -> bool {
    let decides = |name: &OsStr| {
        let name = name.to_string_lossy().to_ascii_lowercase();
        name == ".gitignore" || name == ".ignore"
    };
    let parts = Path::new(path).components();
    path.len() < 200
        && !path.contains('\0')
        // No rule can end in one: git takes it for a part of the line's end.
        && !path.ends_with('\r')
        // As it will be written into the ignore rules.
        && parts.clone().collect::<PathBuf>().as_os_str() == path
        && parts
            .into_iter()
            .all(|part| matches!(part, Component::Normal(name) if !decides(name)))
        && !path.is_empty()
}

/// Makes the folders above a path; nothing if there is a link among them.
fn above(root: &Path, path: &str) -> Option<PathBuf> {
    let full = root.join(path);
    let folder = full.parent()?;
    for part in folder.ancestors().take_while(|part| *part != root) {
        if fs::symlink_metadata(part).is_ok_and(|meta| meta.is_symlink()) {
            return None;
        }
    }
    fs::create_dir_all(folder).ok()?;
    (fs::symlink_metadata(&full).is_err()).then_some(full)
}

impl Made {
    fn from(text: &str) -> Option<Made> {
        let folder = tempfile::tempdir().ok()?;
        let root = folder.path().join("repository");
        fs::create_dir_all(folder.path().join("outside")).ok()?;
        fs::write(folder.path().join("outside/secret.md"), &*CANARY).ok()?;
        let git = git2::Repository::init(&root).ok()?;
        fs::write(root.join(".git/secret"), &*CANARY).ok()?;
        let mut made = Made {
            root,
            names: Vec::new(),
            hidden: HashSet::new(),
            role: None,
            task: "Mend it".into(),
            targets: Vec::new(),
            _folder: folder,
        };
        for line in text.lines().take(24) {
            made.step(line, &git);
        }
        Some(made)
    }

    fn step(&mut self, line: &str, git: &git2::Repository) -> Option<()> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let text = text.replace("\\n", "\n");
        match verb {
            "role" => self.role = Some(rest.replace("\\n", "\n")),
            "task" => self.task = rest.to_owned(),
            "target" => self.targets.push(rest.to_owned()),
            "commit" => self.commit(git)?,
            "file" | "hidden" | "link" | "git" if !is_plain(path) => {}
            "file" => {
                fs::write(above(&self.root, path)?, text).ok()?;
                self.names.push(path.to_owned());
            }
            "hidden" => {
                let full = above(&self.root, path)?;
                self.hidden.insert(path.to_owned());
                self.ignore();
                fs::write(full, format!("{text}\n{}\n", *CANARY)).ok()?;
                self.names.push(path.to_owned());
            }
            "git" => {
                let full = above(&self.root, path)?;
                for folder in ["objects", "refs"] {
                    fs::create_dir_all(full.join(folder)).ok()?;
                }
                self.hidden.insert(path.to_owned());
                self.ignore();
                fs::write(full.join("HEAD"), "ref: refs/heads/main\n").ok()?;
                fs::write(full.join("config"), &*CANARY).ok()?;
                self.names.push(format!("{path}/config"));
            }
            #[cfg(unix)]
            "link" => {
                let above_root = self.root.parent()?.to_str()?;
                let target = text.trim_end().replace('@', above_root);
                std::os::unix::fs::symlink(target, above(&self.root, path)?).ok()?;
                self.names.push(path.to_owned());
            }
            _ => {}
        }
        Some(())
    }

    /// Has git ignore what is hidden, and nothing else.
    fn ignore(&self) {
        let mut rules = String::new();
        for path in &self.hidden {
            rules.push('/');
            for letter in path.chars() {
                if !letter.is_alphanumeric() && letter != '/' {
                    rules.push('\\');
                }
                rules.push(letter);
            }
            rules.push('\n');
        }
        let _ = fs::write(self.root.join(".gitignore"), rules);
    }

    fn commit(&self, git: &git2::Repository) -> Option<()> {
        let mut index = git.index().ok()?;
        let hidden = |path: &Path| {
            let is = |folder: &Path| folder.to_str().is_some_and(|it| self.hidden.contains(it));
            path.ancestors().any(is)
        };
        let mut skip = |path: &Path, _: &[u8]| i32::from(hidden(path));
        index
            .add_all(["*"], git2::IndexAddOption::DEFAULT, Some(&mut skip))
            .ok()?;
        index.write().ok()?;
        let tree = git.find_tree(index.write_tree().ok()?).ok()?;
        let who = git2::Signature::new("a", "a@example.org", &git2::Time::new(1, 0)).ok()?;
        let parent = git.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        git.commit(Some("HEAD"), &who, &who, "Change it", &tree, &parents)
            .ok()?;
        Some(())
    }

    fn role(&self) -> Option<Role> {
        let roles = Roles::built_in().repository(&self.root);
        let own = self.role.as_ref().and_then(|text| {
            let place = above(&self.root, ".packer/roles/fuzzed.yaml")?;
            fs::write(place, text).ok()?;
            roles.load("fuzzed").ok()
        });
        own.or_else(|| roles.load_yaml("fuzzed", ROLE).ok())
    }
}

fn check(what: &str, text: &str) {
    assert!(!text.contains(&*CANARY), "{what} shows what is hidden");
}

fuzz_target!(|text: &str| {
    let Some(made) = Made::from(text) else {
        return;
    };
    let (Some(role), Ok(packer)) = (made.role(), ContextPacker::open(&made.root)) else {
        return;
    };
    let mut request = Request::new(&made.task);
    request.targets.clone_from(&made.targets);
    request.asker = Asker::Repository;
    if let Ok(prompt) = packer.pack_context(&role, &request) {
        check("the report", &serde_json::to_string(&prompt.report()).unwrap());
        let question = Question {
            files: &made.names,
            with_prompt: true,
        };
        if let Ok(told) = packer.explain(&prompt, &role, &request, &question) {
            check("the explanation", &serde_json::to_string(&told).unwrap());
        }
    }
    if let Ok(dump) = packer.dump(&[], &[]) {
        let mut out = Vec::new();
        let _ = dump.write(&mut out, Style::Markdown, Counter::Chars);
        check("a dump", &String::from_utf8_lossy(&out));
    }
    let mut files = ReadFiles::new(&made.root);
    files.read_requested(&made.names, &ReadOptions::default());
    check("what a model reads", &files.write(FilesStyle::Markdown));
    let options = LoaderOptions {
        root_dir: made.root.clone(),
        ..LoaderOptions::default()
    };
    if let Ok(loaded) = load_context(&options) {
        check("`.context`", &format!("{loaded:?}"));
    }
    let Ok(workspace) = Workspace::open(&made.root) else {
        return;
    };
    let mut body = String::new();
    let mut errors = Vec::new();
    for name in made.names.iter().chain(&made.targets) {
        let _ = writeln!(body, "See `{name}:1`.");
        errors.push(ValidationError {
            file: Some(name.clone()),
            line: Some(1),
            message: "wrong".into(),
            severity: "error".into(),
            ..ValidationError::default()
        });
    }
    let validation = Validation {
        errors,
        failed: true,
        ..Validation::default()
    };
    let none: [&str; 0] = [];
    let fix = build_fix_context(&validation, &none, &workspace);
    check("`build fix`", &serde_json::to_string(&fix).unwrap());
    let issue = Issue {
        number: 1,
        title: made.task.clone(),
        body,
        labels: Vec::new(),
        state: "OPEN".into(),
        url: String::new(),
    };
    let issue = build_issue_context(&issue, &workspace);
    check("`build issue`", &serde_json::to_string(&issue).unwrap());
    let review = build_review_context(&workspace, "HEAD", true);
    check("`build review`", &serde_json::to_string(&review).unwrap());
});
