//! Hostile repositories, and every command on each of them: no panic, no hang, no
//! escape, no program started, and bounded memory.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git2::{ObjectType, Oid, Repository};
use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};

use crate::project::Project;

/// No command may take more memory, in bytes.
const MEMORY: u64 = 100_000_000;

/// No command may take more processor time, built without optimisation. One that waits
/// hangs after [`DEADLINE`](super::project).
const TIME: Duration = Duration::from_secs(20);

/// What lies outside and must not come out.
const CANARY: &str = "CANARY";

/// Where a program could be started, it would make a file of this name.
const STARTED: &str = "STARTED";

/// A role that asks for everything.
const ROLE: &str = "\
context:
  include: ['**', $TARGET_IMPORTS, $CHANGED_FILES, src/, '*.rs']
  always_include: [always.md, src/always.rs]
  git_diff: true
  related: true
  conventions: true
  project_context: true
  tree: true
  token_budget: 200000
";

const ISSUE: &str =
    r#"{"number": 1, "title": "x", "body": "see src/a.rs:1, src/b.rs and ../secret.rs"}"#;

const ERRORS: &str = r#"{"stages": [{"name": "check", "errors": [
  {"file": "src/a.rs", "line": 1, "message": "m"}, {"file": "src/b.rs", "line": 2, "message": "m"},
  {"file": "../secret.rs", "line": 1, "message": "m"}, {"file": "/etc/passwd", "line": 1, "message": "m"}]}]}"#;

const COMMANDS: [&[&str]; 19] = [
    &[
        "render",
        "implement.j2",
        "--role",
        "implementer",
        "--task",
        "Mend a.",
        "--target",
        "src/a.rs",
        "--target",
        "src/b.rs",
    ],
    &[
        "render",
        "review_strict.j2",
        "--role",
        "everything",
        "--task",
        "Review a.",
        "--target",
        "src/b.rs",
    ],
    &[
        "render",
        "planning.j2",
        "--role",
        "planner",
        "--task",
        "Plan `src/b.rs`.",
        "--format",
        "json",
    ],
    &[
        "prompt",
        "--role",
        "reviewer",
        "--task",
        "Review a.",
        "--target",
        "src/a.rs",
        "--budget",
        "2000",
    ],
    &[
        "pack",
        "--role",
        "everything",
        "--style",
        "xml",
        "--explain",
    ],
    &[
        "pack",
        "--role",
        "everything",
        "--engine",
        "repomix",
        "--target",
        "src",
    ],
    &[
        "read",
        "src/a.rs",
        "src/b.rs",
        "b.rs",
        "../secret.rs",
        "src/b.rs/c",
        ".git/config",
        "--style",
        "xml",
    ],
    &[
        "read",
        "src/b.rs",
        "AGENTS.md",
        "--include",
        "../tasks.md",
        "--filter",
        "*.rs,*.md",
        "--style",
        "json",
    ],
    &["read", "src/b.rs", "--style", "assign"],
    &["dump"],
    &["dump", "--style", "xml", "src", "*.md", "**/*.rs"],
    &["context"],
    &["context", "--format", "json", "--budget", "300"],
    &["build", "implementation", "--task-file", "../tasks.md"],
    &["build", "review", "--base", "base"],
    &["build", "review", "--base", "HEAD", "--worktree"],
    &["build", "fix", "--errors", "../errors.json"],
    &["build", "issue", "--issue", "../issue.json"],
    &["roles", "check"],
];

/// A repository with a commit on a branch `base`, staged changes and a role, before
/// anything hostile is in it.
fn plain() -> Project {
    let project = Project::new()
        .file("src/a.rs", "use crate::b;\n\nfn a() {}\n")
        .file("src/b.rs", "fn b() {}\n")
        .file("always.md", "# Always\n")
        .file("AGENTS.md", "# Conventions\n")
        .file(".context/TASKS.md", "# Tasks\n\n- [ ] one\n")
        .role("everything", ROLE)
        .commit();
    let repository = Repository::open(project.root()).unwrap();
    let head = repository.head().unwrap().peel_to_commit().unwrap();
    repository.branch("base", &head, true).unwrap();
    let project = project
        .file("src/a.rs", "use crate::b;\n\nfn a2() {}\n")
        .commit();
    let project = project.file("src/a.rs", "use crate::b;\n\nfn a3() {}\n");
    project.stage();
    for (name, text) in [
        ("secret.rs", CANARY),
        ("tasks.md", "# Tasks\n"),
        ("issue.json", ISSUE),
        ("errors.json", ERRORS),
    ] {
        fs::write(project.outside().join(name), text).unwrap();
    }
    project
}

/// Runs every command and looks at what came of it.
fn survives(name: &str, project: &Project) {
    for command in COMMANDS {
        let output = project.run_with(command.iter().copied(), "", &[("PACKER_CANARY", CANARY)]);
        let what = format!("{name}: {}: {}", command.join(" "), output.stderr);
        assert!(
            (0..=2).contains(&output.code),
            "{} from {what}",
            output.code
        );
        assert!(!output.stderr.contains("panicked"), "{what}");
        assert!(!output.stdout.contains(CANARY), "{what}\n{}", output.stdout);
        assert!(!output.stderr.contains(CANARY), "{what}");
        assert!(output.peak < MEMORY, "{} bytes for {what}", output.peak);
        assert!(output.took < TIME, "{:?} for {what}", output.took);
    }
    assert!(
        !project.outside().join(STARTED).exists(),
        "{name}: a program was started"
    );
    assert!(
        !project.root().join(STARTED).exists(),
        "{name}: a program was started"
    );
}

/// Replaces what the commands read by something that `make` puts there.
fn replaced(make: impl Fn(&Path)) -> Project {
    let project = plain();
    for path in [
        "src/b.rs",
        "always.md",
        "AGENTS.md",
        ".context/TASKS.md",
        ".context/x.md",
        ".gitignore",
        "src/.gitignore",
        ".gitattributes",
        ".ignore",
        "Cargo.toml",
        "package.json",
        "tsconfig.json",
        "go.mod",
        ".packer/roles/other.yaml",
        "repomix.config.json",
    ] {
        let path = project.root().join(path);
        let _ = fs::remove_file(&path);
        make(&path);
    }
    project
}

/// The same with the files of git.
fn with_git_replaced(file: &str, make: impl Fn(&Path)) -> Project {
    let project = plain();
    let path = project.root().join(".git").join(file);
    if path.is_dir() {
        fs::remove_dir_all(&path).unwrap();
    } else {
        let _ = fs::remove_file(&path);
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    make(&path);
    project
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

fn sparse(path: &Path) {
    File::create(path).unwrap().set_len(3 << 30).unwrap();
}

#[test]
fn links_of_every_kind() {
    let outside = |path: &Path| symlink("../secret.rs", path).unwrap();
    survives("link out", &replaced(outside));
    survives(
        "link to a folder",
        &replaced(|path| symlink("/", path).unwrap()),
    );
    survives(
        "link to itself",
        &replaced(|path| symlink(path, path).unwrap()),
    );
    survives(
        "broken link",
        &replaced(|path| symlink("nowhere", path).unwrap()),
    );
    survives(
        "link to a device",
        &replaced(|path| symlink("/dev/zero", path).unwrap()),
    );
    survives(
        "link to the environment",
        &replaced(|path| symlink("/proc/self/environ", path).unwrap()),
    );
    let absolute = plain();
    let secret = absolute.outside().join("secret.rs");
    for path in ["src/b.rs", "AGENTS.md", ".context/TASKS.md", "chain2.rs"] {
        let path = absolute.root().join(path);
        let _ = fs::remove_file(&path);
        symlink(&secret, path).unwrap();
    }
    let absolute = absolute
        .link("chain2.rs", "chain1.rs")
        .link("chain1.rs", "chain.rs")
        .link("../..", "src/up")
        .link("src/up/secret.rs", "by-folder.rs");
    survives("absolute links and chains", &absolute);
    let project = plain();
    fs::remove_dir_all(project.root().join(".context")).unwrap();
    fs::create_dir(project.outside().join("notes")).unwrap();
    fs::write(project.outside().join("notes/TASKS.md"), CANARY).unwrap();
    survives(
        "a linked directory",
        &project
            .link("../notes", ".context")
            .link("../notes", "src/notes"),
    );
}

#[test]
fn what_is_no_regular_file() {
    survives("FIFOs", &replaced(fifo));
    survives(
        "sockets",
        &replaced(|path| {
            // A socket's path is short; it is bound elsewhere and moved.
            let short = tempfile::tempdir().unwrap();
            drop(UnixListener::bind(short.path().join("s")).unwrap());
            fs::rename(short.path().join("s"), path).unwrap();
        }),
    );
    survives("folders", &replaced(|path| fs::create_dir(path).unwrap()));
    for file in [
        "index",
        "HEAD",
        "config",
        "packed-refs",
        "info/attributes",
        "objects",
        "refs",
    ] {
        survives(file, &with_git_replaced(file, fifo));
    }
}

#[test]
fn files_of_three_gigabytes() {
    survives("sparse files", &replaced(sparse));
    for file in [
        "index",
        "HEAD",
        "config",
        "packed-refs",
        "info/attributes",
        "info/exclude",
        "refs/heads/base",
        "shallow",
        "COMMIT_EDITMSG",
    ] {
        survives(file, &with_git_replaced(file, sparse));
    }
}

#[test]
fn long_lines_and_much_structure() {
    survives(
        "50 MB in a line",
        &replaced(|path| fs::write(path, "x ".repeat(25_000_000)).unwrap()),
    );
    for item in [
        "a",
        "(",
        "[",
        "`",
        "- ",
        "> ",
        "*a",
        "<",
        "&",
        "import a;",
        "use a::{",
        "{%",
        "# ",
        "\u{feff}",
        "\r",
        "\u{202e}",
        "``````\n",
        "\n",
        "!a\n",
        "a*",
        "{\"a\":",
    ] {
        // As much as is read of a file.
        let text = item.repeat(1_000_000 / item.len());
        let project = replaced(|path| fs::write(path, &text).unwrap());
        project.stage();
        survives(item, &project);
    }
}

#[test]
fn a_folder_five_thousand_deep() {
    let project = plain();
    let mut folder = openat(CWD, project.root(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..5000 {
        mkdirat(&folder, "d", Mode::RWXU).unwrap();
        folder = openat(&folder, "d", OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let file = openat(
        &folder,
        "end.rs",
        OFlags::CREATE | OFlags::WRONLY,
        Mode::RWXU,
    )
    .unwrap();
    drop((file, folder));
    survives("deep", &project);
    // The standard library removes folders by recursion, and runs out of files.
    let (root, mut top) = (project.root(), project.root().join("d"));
    for number in 0..5000 {
        let lower = root.join(format!("d{number}"));
        if fs::rename(top.join("d"), &lower).is_err() {
            break;
        }
        fs::remove_dir(&top).unwrap();
        top = lower;
    }
}

#[test]
fn a_folder_with_a_hundred_thousand_files() {
    let project = plain();
    let folder = project.root().join("wide");
    fs::create_dir(&folder).unwrap();
    for number in 0..100_000 {
        File::create(folder.join(format!("{number}.rs"))).unwrap();
    }
    survives("wide", &project);
    project.stage();
    survives("wide and staged", &project);
}

#[test]
fn odd_names() {
    let project = plain();
    let long = "n".repeat(255);
    let names: [&[u8]; 16] = [
        b"a\n## Task\n.rs",
        b"\x1b[31mred.rs",
        "\u{202e}sr.txt".as_bytes(),
        b"\xff\xfe.rs",
        b"-rf",
        b"--include=x.rs",
        b"$TARGET",
        b"a\"b'c.rs",
        b"<file>.rs",
        b"{{x}}.rs",
        b"a,b.rs",
        b" .rs",
        b"a\\b.rs",
        b"~",
        b"C:\\a.rs",
        long.as_bytes(),
    ];
    for name in names {
        for folder in ["", "src", ".context", ".packer/roles"] {
            let path = project
                .root()
                .join(folder)
                .join(std::ffi::OsStr::from_bytes(name));
            fs::write(path, "text\n").unwrap();
        }
    }
    project.stage();
    survives("odd names", &project);
}

#[test]
fn bytes_that_are_no_text() {
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("fn b() {}\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let late_nul = [&b"a\n".repeat(10_000)[..], b"\0"].concat();
    for (name, bytes) in [
        ("invalid UTF-8", b"fn b() { \xff\xc3\x28 }\n".repeat(1000)),
        ("UTF-16", utf16),
        ("UTF-16 of one byte", vec![0xff, 0xfe, b'a']),
        ("lone surrogates", b"\xff\xfe\x00\xd8".repeat(1000)),
        ("a NUL late", late_nul),
        ("control characters", (1..32).collect()),
        ("only a mark", b"\xef\xbb\xbf".to_vec()),
    ] {
        let project = replaced(|path| fs::write(path, &bytes).unwrap());
        // libgit2, which stages here, turns in a circle on a `.gitignore` like this one.
        if name != "control characters" {
            project.stage();
        }
        survives(name, &project);
    }
}

#[test]
fn damaged_git() {
    let garbage = |path: &Path| fs::write(path, b"\x00\xffgarbage \n".repeat(100)).unwrap();
    for file in [
        "index",
        "HEAD",
        "config",
        "packed-refs",
        "objects",
        "refs/heads/base",
        "info/attributes",
        "shallow",
        "commondir",
        "objects/info/alternates",
    ] {
        survives(file, &with_git_replaced(file, garbage));
        survives(
            file,
            &with_git_replaced(file, |path| fs::write(path, "").unwrap()),
        );
    }
    // Every object is damaged, or gone.
    for damage in [&b"x"[..], b""] {
        let project = plain();
        for object in objects(&project) {
            fs::set_permissions(&object, std::os::unix::fs::PermissionsExt::from_mode(0o644))
                .unwrap();
            fs::write(object, damage).unwrap();
        }
        survives("damaged objects", &project);
    }
    let project = plain();
    for object in objects(&project) {
        fs::remove_file(object).unwrap();
    }
    survives("no objects", &project);
    // An index that was cut off, at every length.
    let project = plain();
    let path = project.root().join(".git/index");
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(61) {
        fs::write(&path, &whole[..length]).unwrap();
        let output = project.run(COMMANDS[0].iter().copied());
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
    for (name, text) in [
        ("itself", "gitdir: .git\n"),
        ("elsewhere", "gitdir: /\n"),
        ("a loop", "ref: refs/heads/base\n"),
    ] {
        let project = plain();
        fs::remove_dir_all(project.root().join(".git")).unwrap();
        survives(name, &project.file(".git", text));
    }
    let looped = |path: &Path| fs::write(path, "ref: refs/heads/base\n").unwrap();
    survives(
        "a reference to itself",
        &with_git_replaced("refs/heads/base", looped),
    );
}

fn objects(project: &Project) -> Vec<PathBuf> {
    let folders = fs::read_dir(project.root().join(".git/objects")).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    folders
        .flat_map(|folder| {
            fs::read_dir(folder)
                .unwrap()
                .map(|file| file.unwrap().path())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Writes an object of any content, which git's own commands would refuse to make.
fn object(repository: &Repository, kind: ObjectType, content: &[u8]) -> Oid {
    repository.odb().unwrap().write(kind, content).unwrap()
}

/// The same, the content so many times over, without having it in memory: a child is
/// counted what its parent has.
fn large_object(repository: &Repository, kind: ObjectType, parts: &[(&[u8], usize)]) -> Oid {
    let size = parts.iter().map(|(part, times)| part.len() * times).sum();
    let odb = repository.odb().unwrap();
    let mut writer = odb.writer(size, kind).unwrap();
    for (part, times) in parts {
        for _ in 0..*times {
            writer.write_all(part).unwrap();
        }
    }
    writer.finalize().unwrap()
}

/// Makes HEAD a commit of this tree, with a message of so many MiB.
fn head_with(repository: &Repository, tree: Oid, message: usize) {
    let parent = repository.head().unwrap().target().unwrap();
    let who = "A <a@example.org> 1700000000 +0000";
    let head = format!("tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n");
    let mebibyte = vec![b'm'; 1 << 20];
    let parts = [(head.as_bytes(), 1), (&mebibyte[..], message)];
    let commit = large_object(repository, ObjectType::Commit, &parts);
    let branch = repository.head().unwrap().name().unwrap().to_owned();
    repository.reference(&branch, commit, true, "").unwrap();
}

fn entry(name: &str, mode: &str, id: Oid) -> Vec<u8> {
    [format!("{mode} {name}\0").as_bytes(), id.as_bytes()].concat()
}

/// Objects of a kilobyte that are gigabytes once they are read.
#[test]
fn objects_that_inflate() {
    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let tree = repository.head().unwrap().peel_to_tree().unwrap().id();
    head_with(&repository, tree, 300);
    survives("a commit message of 300 MiB", &project);

    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let blob = object(&repository, ObjectType::Blob, b"x\n");
    let many: Vec<u8> = (0..20_000)
        .flat_map(|n| entry(&format!("f{n:07}"), "100644", blob))
        .collect();
    let tree = large_object(&repository, ObjectType::Tree, &[(&many, 100)]);
    head_with(&repository, tree, 0);
    survives("a tree of two million files", &project);

    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let mut tree = object(&repository, ObjectType::Tree, &entry("f", "100644", blob));
    for _ in 0..12 {
        let same: Vec<u8> = (0..10)
            .flat_map(|n| entry(&format!("d{n}"), "40000", tree))
            .collect();
        tree = object(&repository, ObjectType::Tree, &same);
    }
    head_with(&repository, tree, 0);
    survives("a tree that holds itself a billion times", &project);

    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let mut tree = object(&repository, ObjectType::Tree, &entry("f", "100644", blob));
    for _ in 0..20_000 {
        tree = object(&repository, ObjectType::Tree, &entry("d", "40000", tree));
    }
    head_with(&repository, tree, 0);
    survives("a tree 20,000 deep", &project);

    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let mebibyte = vec![b'a'; 1 << 20];
    let parts = [(&mebibyte[..], 300)];
    let large = large_object(&repository, ObjectType::Blob, &parts);
    let mut index = repository.index().unwrap();
    for (path, id) in [
        ("src/b.rs", large),
        ("src/new.rs", large),
        ("AGENTS.md", large),
    ] {
        let mut entry = index.get_path(Path::new("src/a.rs"), 0).unwrap();
        (entry.path, entry.id, entry.file_size) = (path.into(), id, 0);
        index.add(&entry).unwrap();
    }
    index.write().unwrap();
    let tree = index.write_tree().unwrap();
    survives("staged files of 300 MiB", &project);
    head_with(&repository, tree, 0);
    survives("committed files of 300 MiB", &project);
}

/// An index whose paths share a beginning of 60 KB takes a gigabyte once it is read.
#[test]
fn an_index_that_inflates() {
    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let blob = object(&repository, ObjectType::Blob, b"x\n");
    let mut index: Vec<u8> = [&b"DIRC"[..], &4u32.to_be_bytes(), &20_000u32.to_be_bytes()].concat();
    for number in 0..20_000 {
        index.extend([0; 24]);
        index.extend(0o100_644u32.to_be_bytes());
        index.extend([0; 12]);
        index.extend(blob.as_bytes());
        index.extend(0x0fffu16.to_be_bytes());
        if number == 0 {
            index.push(0);
            index.extend(format!("{}000000\0", "p".repeat(60_000)).into_bytes());
        } else {
            index.push(6);
            index.extend(format!("{number:06}\0").into_bytes());
        }
    }
    // Git's last word is a hash of what stands before it; nothing is asked of it here.
    index.extend([0; 20]);
    fs::write(project.root().join(".git/index"), index).unwrap();
    survives("a compressed index", &project);
}

/// The parts of git that are looked for in other places than `.git` itself.
#[test]
fn git_in_other_places() {
    let write = |path: PathBuf, text: &str| {
        let _ = fs::remove_file(&path);
        fs::write(path, text).unwrap();
    };
    // A FIFO where HEAD leads, where objects are, and what speeds git up.
    let project = plain();
    fifo(&project.root().join(".git/QUEUE"));
    write(project.root().join(".git/HEAD"), "ref: QUEUE\n");
    survives("HEAD leads to a FIFO", &project);
    survives(
        "a FIFO of commits",
        &with_git_replaced("objects/info/commit-graph", fifo),
    );
    let project = plain();
    for object in objects(&project) {
        fs::remove_file(&object).unwrap();
        fifo(&object);
    }
    survives("objects that are FIFOs", &project);
    // The configuration includes what is waited for, in every way of writing it.
    for include in [
        "[include]\n\tpath = fifo\n",
        "[include]\n\tpath = fifo # x\n",
        "[include]\n\tpath = fi\"fo\"\n",
        "[core] [include] path = fifo\n",
        "[ include]\npath = fifo\n",
        "[includeIf \"gitdir:/\"]\n\tpath = fifo\n",
        "[INCLUDE]\n\tpath = /etc/passwd\n",
    ] {
        let project = plain();
        fifo(&project.root().join(".git/fifo"));
        let config = project.root().join(".git/config");
        let text = fs::read_to_string(&config).unwrap() + include;
        fs::write(config, text).unwrap();
        let output = project
            .run(["build", "review", "--base", "base"])
            .succeeds();
        output
            .stdout_lacks("root:")
            .stderr_contains("includes other files");
    }
    // The git folder is elsewhere in the repository, and shares another one.
    for file in ["config", "index", "packed-refs", "info/attributes"] {
        for shared in [false, true] {
            let project = plain();
            let (git, moved) = (project.root().join(".git"), project.root().join("g"));
            if shared {
                let all = fs::read_dir(&git)
                    .unwrap()
                    .map(|entry| entry.unwrap().path());
                fs::create_dir(&moved).unwrap();
                for path in all.filter(|path| !path.ends_with("HEAD")) {
                    fs::rename(&path, moved.join(path.file_name().unwrap())).unwrap();
                }
                fs::copy(git.join("HEAD"), moved.join("HEAD")).unwrap();
                write(git.join("commondir"), "../g\n");
            } else {
                fs::rename(&git, &moved).unwrap();
                write(git.clone(), "gitdir: g\n");
            }
            let _ = fs::remove_file(moved.join(file));
            fifo(&moved.join(file));
            survives(file, &project);
        }
    }
    // An index of another repository, linked where only a worktree has one.
    let other = Project::new().file("CANARY.txt", "x\n").commit();
    let project = plain();
    let (git, common) = (project.root().join(".git"), project.root().join("c"));
    fs::create_dir(&common).unwrap();
    for name in ["objects", "refs", "config", "HEAD"] {
        fs::rename(git.join(name), common.join(name)).unwrap();
    }
    fs::copy(common.join("HEAD"), git.join("HEAD")).unwrap();
    write(git.join("commondir"), "../c\n");
    fs::remove_file(git.join("index")).unwrap();
    symlink(other.root().join(".git/index"), git.join("index")).unwrap();
    survives("a linked index", &project);
    // A folder of the working tree became a link to attributes elsewhere.
    let project = plain().file("d/f.rs", "x\n").commit();
    let project = project.file("d/f.rs", "y\n").commit();
    fs::remove_dir_all(project.root().join("d")).unwrap();
    fs::create_dir(project.outside().join("d")).unwrap();
    fifo(&project.outside().join("d/.gitattributes"));
    survives("attributes outside", &project.link("../d", "d"));
}

/// As large as it is read: an index of many files that are gone, and long titles.
#[test]
fn much_history_and_many_files() {
    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let blob = object(&repository, ObjectType::Blob, b"x\n");
    for (count, length) in [(100_000, 20), (30_000, 250), (4_500, 2000), (200_000, 20)] {
        let mut index: Vec<u8> =
            [&b"DIRC"[..], &2u32.to_be_bytes(), &u32::to_be_bytes(count)].concat();
        for number in 0..count {
            index.extend([0; 24]);
            index.extend(0o100_644u32.to_be_bytes());
            index.extend([0; 12]);
            index.extend(blob.as_bytes());
            let path = format!("{number:07}{}", "p".repeat(length));
            index.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
            index.extend(path.as_bytes());
            // An entry ends in zeros, at least one, at a multiple of eight.
            index.extend(&[0; 8][..8 - (62 + path.len()) % 8]);
        }
        index.extend([0; 20]);
        fs::write(project.root().join(".git/index"), index).unwrap();
        survives("a large index", &project);
    }
    let project = plain();
    let repository = Repository::open(project.root()).unwrap();
    let tree = repository.head().unwrap().peel_to_tree().unwrap().id();
    for _ in 0..5 {
        head_with(&repository, tree, 8);
    }
    survives("long titles", &project);
    for text in ["x".repeat(79) + "\n", "\u{1}".into()] {
        let mut project = plain();
        for number in 0..3 {
            project = project.file(
                &format!("{number}.txt"),
                text.repeat(7_000_000 / text.len()),
            );
        }
        let project = project.commit();
        survives("large changes", &project);
        for number in 0..3 {
            fs::write(project.root().join(format!("{number}.txt")), "y\n").unwrap();
        }
        survives("large changes on disk", &project);
    }
    let mut project = plain();
    let names: Vec<String> = (0..10).map(|n| format!("{n}.txt")).collect();
    for (n, name) in names.iter().enumerate() {
        project = project.file(
            name,
            if n % 2 == 0 { "a\n" } else { "\u{1}\r" }.repeat(520_000),
        );
    }
    for style in ["xml", "json", "assign", "markdown"] {
        let mut command = vec!["read", "--style", style];
        command.extend(names.iter().map(String::as_str));
        sane(style, &project.run(command));
    }
}

/// What a repository can configure and name, each with a command that leaves a trace.
#[test]
#[expect(clippy::print_stderr, reason = "what could not be checked is said")]
fn configuration_that_names_programs() {
    let project = plain();
    let canary = format!("touch {}", project.outside().join(STARTED).display());
    let script = format!("#!/bin/sh\n{canary}\n");
    let config = format!(
        "\n[core]\n\tfsmonitor = {canary}\n\tpager = {canary}\n\teditor = {canary}\n\tsshCommand = {canary}\n\thooksPath = hooks\n\
         [diff]\n\texternal = {canary}\n[diff \"evil\"]\n\tcommand = {canary}\n\ttextconv = {canary}\n\
         [filter \"evil\"]\n\tclean = {canary}\n\tsmudge = {canary}\n\tprocess = {canary}\n\trequired = true\n\
         [merge \"evil\"]\n\tdriver = {canary}\n[credential]\n\thelper = !{canary}\n[gpg]\n\tprogram = {canary}\n\
         [log]\n\tshowSignature = true\n[alias]\n\tdiff = !{canary}\n\tstatus = !{canary}\n\
         [remote \"origin\"]\n\turl = ext::{canary}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialclone = origin\n"
    );
    let path = project.root().join(".git/config");
    let text = fs::read_to_string(&path).unwrap() + &config;
    fs::write(path, text).unwrap();
    let mut project = project.file(".gitattributes", "* diff=evil filter=evil merge=evil\n");
    for file in [
        ".git/hooks/post-index-change",
        ".git/hooks/fsmonitor-watchman",
        ".git/hooks/pre-commit",
        "hooks/post-checkout",
        "node_modules/.bin/repomix",
        "node_modules/.bin/npx",
        "repomix",
        "npx",
        "node",
        "git",
    ] {
        project = project.file(file, &script);
        let path = project.root().join(file);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let js = format!("require('child_process').execSync('{canary}')\n");
    let project = project
        .file("repomix.config.js", &js)
        .file("repomix.config.ts", &js)
        .file("repomix.config.json", format!("{{\"output\": {{\"instructionFilePath\": \"../secret.rs\"}}, \"input\": {{\"processors\": [{{\"pattern\": \"**\", \"command\": \"{canary}\"}}]}}}}"))
        .file("package.json", format!("{{\"scripts\": {{\"preinstall\": \"{canary}\"}}, \"bin\": {{\"repomix\": \"repomix\"}}}}"))
        .file(".npmrc", "node-options=--require ./repomix.config.js\nscript-shell=./git\n")
        .file(".pnp.cjs", &js);
    survives("configuration", &project);
    // The trap works: git itself starts what is configured.
    let started = std::process::Command::new("git")
        .arg("diff")
        .current_dir(project.root())
        .output();
    if started.is_ok() {
        assert!(
            project.outside().join(STARTED).exists(),
            "git started nothing"
        );
    } else {
        eprintln!("not checked that git would start the programs: there is no git");
    }
}

#[test]
fn roles_and_templates() {
    let head = "name: everything\ndescription: d\nsystem_prompt: p\n";
    let deep = format!("{head}context: {}", "[".repeat(100_000));
    let bomb: String = (1..30)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1))
        .collect();
    let bomb = format!("a0: &a0 [x, x, x, x]\n{bomb}{head}");
    let patterns = |pattern: &str| {
        format!(
            "{head}context:\n  include: [{}]\n",
            format!("'{pattern}', ").repeat(5000)
        )
    };
    let lists = |patterns: usize, pattern: &str| {
        let list = format!(
            "['{pattern}'{}]",
            format!(", '{pattern}'").repeat(patterns - 1)
        );
        let lists =
            ["include", "exclude", "always_include"].map(|key| format!("  {key}: {list}\n"));
        format!("{head}context:\n{}", lists.concat())
    };
    for (name, role) in [
        ("a deep role", deep),
        ("an alias bomb", bomb),
        ("stars", patterns(&"**/*a".repeat(50))),
        ("braces", patterns(&"{a,b}".repeat(40))),
        ("classes", patterns("[!a-z][[:alpha:]][")),
        ("wildcards", lists(1500, &"?".repeat(75))),
        (
            "as many wildcards as are taken",
            lists(100, &"*?".repeat(20)),
        ),
        (
            "as much text as is taken",
            lists(30, &format!("?{}", "a".repeat(1000))),
        ),
        ("paths out", patterns("../../secret.rs")),
        ("absolute paths", patterns("/etc/passwd")),
        ("extends itself", format!("{head}extends: everything\n")),
        (
            "extends out",
            format!("{head}extends: ../../../secret.rs\n"),
        ),
        (
            "large numbers",
            format!("{head}context: {{token_budget: 99999999999999999999999999}}\n"),
        ),
        (
            "a megabyte of text",
            format!("{head}rules: |\n  {}\n", "x ".repeat(500_000)),
        ),
        (
            "markup",
            format!("{head}rules: ['{{{{ 10 ** 10 }}}}', '</file>', '````']\n"),
        ),
        (
            "tags",
            format!("{head}x: !!python/object/apply:os.system ['touch {STARTED}']\n"),
        ),
        ("garbage", "\u{0}\u{1}: {[".into()),
    ] {
        let project = plain().file(".packer/roles/everything.yaml", role);
        survives(name, &project);
        if name == "wildcards" {
            project
                .run(["pack", "--role", "everything"])
                .fails(1)
                .stderr_contains("`context.exclude` cannot be used")
                .stderr_contains("at most 4,000 wildcards");
        }
        if name.starts_with("as m") {
            let output = project.run(["pack", "--role", "everything"]);
            assert_eq!(output.code, 0, "{name}: {}", output.stderr);
        }
    }
    // Each glob that ends in an extension could have an automaton of its own, and each of
    // these files makes it grow.
    let grows = |n| format!("*a{}b{n}.rs", "?".repeat(20));
    let globs: Vec<String> = (0..20).map(|n| format!("'{}'", grows(n))).collect();
    let grown = format!("{head}context:\n  include: [{}]\n", globs.join(", "));
    let mut project = plain().file(".packer/roles/everything.yaml", grown);
    let mut seed = 1u32;
    for n in 0..300 {
        let mut name = format!("long/{n}");
        for _ in 0..150 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            name.push(if seed >> 31 == 0 { 'a' } else { 'x' });
        }
        project = project.file(&format!("{name}.rs"), "x");
    }
    survives("automata that grow", &project);
    let mut project = plain();
    for n in 0..16 {
        let patterns: Vec<String> = (0..1500).map(|n| format!("'*a?{n}.rs'")).collect();
        let list = patterns.join(", ");
        let lists =
            ["include", "exclude", "always_include"].map(|key| format!("  {key}: [{list}]\n"));
        let role = format!(
            "name: r{n}\ndescription: d\nsystem_prompt: p\ncontext:\n{}",
            lists.concat()
        );
        project = project.file(&format!(".packer/roles/r{n}.yaml"), role);
    }
    survives("many roles with many patterns", &project);
    let project = plain();
    for template in [
        "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
        "{% set a = 'x' %}{% for i in range(60) %}{% set a = a ~ a %}{% endfor %}",
        "{% set n = namespace(a='x') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a }}",
        "{% set n = namespace(a=[1]) %}{% for i in range(60) %}{% set n.a = n.a + n.a %}{% endfor %}{{ n.a }}",
        "{{ 'x' * 1000000000 }}",
        "{{ 'A' | indent(1000000000) }}",
        "{{ 10 ** 10 ** 10 }}",
        "{% include 'evil.j2' %}",
        "{% extends 'evil.j2' %}",
        "{% include '../../secret.rs' %}",
        "{% include '/etc/passwd' %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ self.__class__.__mro__ }}",
        "{{ context.x.y }}",
        "{{ role.items() | list }}",
        "{{ range(1000000000) | list }}",
        "{{ '%1000000000s' | format('x') }}",
        "{{ ''.join([]) }}",
        "{{ data | tojson(indent=1000000000) }}",
        "{{ debug() }}",
    ] {
        let deep = "(".repeat(5000);
        for text in [
            template.to_owned(),
            format!("{{{{ {deep} }}}}"),
            "{% if x %}".repeat(5000),
        ] {
            fs::create_dir_all(project.outside().join("templates")).unwrap();
            fs::write(project.outside().join("templates/evil.j2"), &text).unwrap();
            let output = project.run([
                "render",
                "evil.j2",
                "--role",
                "everything",
                "--task",
                "t",
                "--prompts-dir",
                "../templates",
                "--allow-template",
                "evil.j2",
            ]);
            let what = format!("{}: {}", &text[..text.len().min(80)], output.stderr);
            assert!((0..=1).contains(&output.code), "{what}");
            assert!(
                !output.stdout.contains(CANARY) && !output.stderr.contains("panicked"),
                "{what}"
            );
            assert!(output.peak < MEMORY, "{} bytes for {what}", output.peak);
            assert!(output.took < TIME, "{:?} for {what}", output.took);
        }
    }
}

/// What a build and a stranger's issue say, as large as it is read.
#[test]
fn errors_and_issues() {
    let project = plain();
    let (open, close) = (r#"{"stages": [{"name": "n", "errors": ["#, "{}]}]}");
    let message = r#"{"reason":"compiler-message","message":{"level":"error","message":"m","spans":[{"file_name":"src/a.rs","line_start":1,"is_primary":true}],"children":[]}}"#;
    let sarif = r#"{"ruleIndex": 0, "message": {"id": "a", "arguments": ["{0}{0}{0}{0}{0}{0}{0}{0}"]}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "x", "uriBaseId": "B"}, "region": {"startLine": 1}}}]},"#;
    let rules = r#"{"runs": [{"originalUriBaseIds": {"B": {"uri": "y", "uriBaseId": "B"}}, "tool": {"driver": {"rules": [{"id": "r", "messageStrings": {"a": {"text": "{0}{0}{0}{0}"}}}]}}, "results": ["#;
    let full = |open: &str, item: &str, close: &str| {
        format!("{open}{}{close}", item.repeat(9_000_000 / item.len()))
    };
    let small = |open: &str, item: &str, close: &str| {
        format!("{open}{}{close}", item.repeat(1_000_000 / item.len()))
    };
    for (name, errors) in [
        ("many empty errors", full(open, "{},", close)),
        ("many numbers", full(open, "0,", close)),
        (
            "many small errors",
            small(open, r#"{"file":"src/a.rs","line":1},"#, close),
        ),
        (
            "many files",
            [
                open,
                &(0..30_000)
                    .map(|n| format!(r#"{{"file":"f{n}.rs","line":{n}}},"#))
                    .collect::<String>(),
                close,
            ]
            .concat(),
        ),
        (
            "one message",
            full(r#"{"stages":[{"errors":[{"message":""#, "m ", r#""}]}]}"#),
        ),
        ("cargo lines", full("", &format!("{message}\n"), "")),
        (
            "one cargo line",
            full(
                "{\"reason\":\"compiler-message\",\"message\":{\"children\":[",
                "{\"level\":\"note\",\"message\":\"m\"},",
                "0]}}",
            ),
        ),
        ("SARIF", small(rules, sarif, "{}]}]}")),
        ("deep JSON", full("", "[", "")),
        ("deep objects", full("", "{\"a\":", "")),
        ("no JSON", full("", "\u{0}\u{1}", "")),
        ("braces", full("", "{\n", "")),
    ] {
        fs::write(project.outside().join("errors.json"), errors).unwrap();
        let output = project.run(["build", "fix", "--errors", "../errors.json"]);
        sane(name, &output);
    }
    for (name, issue) in [
        ("many labels", full(r#"{"labels": ["#, "{},", "0]}")),
        (
            "many paths",
            full(r#"{"body": ""#, "src/a.rs:1-2 ../b ", "\"}"),
        ),
        ("many slashes", full(r#"{"body": ""#, "/a", "\"}")),
        ("many dots", full(r#"{"body": ""#, "a.", "\"}")),
        ("many fences", full(r#"{"body": ""#, "```", "\"}")),
        (
            "different paths",
            format!(
                r#"{{"body": "{}"}}"#,
                (0..200_000)
                    .map(|n| format!("d{n}/f{n}.rs:{n} "))
                    .collect::<String>()
            ),
        ),
    ] {
        fs::write(project.outside().join("issue.json"), issue).unwrap();
        let output = project.run(["build", "issue", "--issue", "../issue.json"]);
        sane(name, &output);
    }
}

fn sane(name: &str, output: &crate::project::Output) {
    let shown: String = output.stderr.chars().take(2000).collect();
    assert!(
        (0..=1).contains(&output.code) && !output.stderr.contains("panicked"),
        "{name}: {shown}"
    );
    assert!(output.peak < MEMORY, "{name}: {} bytes", output.peak);
    assert!(output.took < TIME, "{name}: {:?}", output.took);
}
