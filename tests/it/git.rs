//! What git tells, and what a hostile or odd repository does.

use std::fs;
use std::path::Path;

use context_packer::{ContextPacker, NoteKind, Request};

use crate::project::{Project, words};

const ROLE: &str = "context: {include: [$CHANGED_FILES], git_diff: true}";

#[test]
fn staged_changes_are_a_diff_and_files() {
    let project = Project::new()
        .role("r", ROLE)
        .file("kept.rs", "fn kept() {}\n")
        .file("gone.rs", "fn gone() {}\n")
        .file(
            "old name.rs",
            "fn renamed() {\n    // a body\n    // long enough\n    // to be recognised\n}\n",
        )
        .commit()
        .file("kept.rs", "fn kept() { new() }\n")
        .file("unstaged.rs", "");
    fs::remove_file(project.root().join("gone.rs")).unwrap();
    fs::rename(
        project.root().join("old name.rs"),
        project.root().join("new name.rs"),
    )
    .unwrap();
    project.stage();
    let project = project.file("kept.rs", "fn kept() { newer() }\n");
    let report = project.json(["pack", "--role", "r"]);
    let prompt = report["prompt"].as_str().unwrap();
    assert!(prompt.contains("## Git Diff (Staged)") && prompt.contains("+fn kept() { new() }"));
    assert!(prompt.contains("rename from old name.rs\nrename to new name.rs"));
    let paths = |key: &str| {
        let section = report["sections"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["key"] == key)
            .unwrap();
        section["pieces"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        paths("git_diff"),
        ["gone.rs", "kept.rs", "new name.rs", "unstaged.rs"]
    );
    assert_eq!(
        paths("changed_files"),
        ["kept.rs", "new name.rs", "unstaged.rs"]
    );
    // The files are shown as they are now, the diff as it is staged.
    assert!(prompt.contains("fn kept() { newer() }"));
}

#[test]
fn before_the_first_commit_every_staged_file_counts() {
    let project = Project::new().role("r", ROLE).file("a.rs", "fn a() {}\n");
    project.stage();
    let report = project.json(["pack", "--role", "r"]);
    assert!(report["prompt"].as_str().unwrap().contains("new file mode"));
    assert_eq!(report["warnings"], serde_json::json!([]));
}

#[test]
fn without_git_there_are_warnings_and_a_prompt() {
    let project = Project::new()
        .role("r", &format!("{ROLE}\n"))
        .file("a.rs", "x");
    let output = project
        .run(["pack", "--role", "r", "--target", "a.rs"])
        .succeeds();
    output
        .stdout_contains("### a.rs")
        .stderr_contains("this is not a git repository");
}

/// Who names a folder of a repository gets that folder alone, and is told where its history is.
#[test]
fn a_folder_of_a_repository_is_told_from_one_without_git() {
    let project = Project::new()
        .file(
            "one/two/.packer/roles/r.yaml",
            format!("name: r\ndescription: d\nsystem_prompt: s\n{ROLE}\n"),
        )
        .file("one/two/a.rs", "x")
        .commit();
    let command = ["pack", "-C", "one/two", "--role", "r", "--target", "a.rs"];
    project
        .run(command)
        .succeeds()
        .stderr_contains("only a part of the git repository at `../..`");
}

#[test]
fn odd_repositories_are_warnings_too() {
    let detached = Project::new().role("r", ROLE).file("a.rs", "x\n").commit();
    let repository = detached.repository();
    let head = repository.head().unwrap().target().unwrap();
    repository.set_head_detached(head).unwrap();
    let output = detached.run(["pack", "--role", "r"]).succeeds();
    assert_eq!(
        output.stderr,
        "warning: nothing is staged, so there are no changed files
"
    );

    let damaged = Project::new().role("r", ROLE).file("a.rs", "x\n").commit();
    fs::write(damaged.root().join(".git/index"), "garbage").unwrap();
    damaged
        .run(["pack", "--role", "r"])
        .succeeds()
        .stderr_contains("warning: no staged diff: cannot read the changes from git");
    fs::write(damaged.root().join(".git/HEAD"), "garbage").unwrap();
    damaged
        .run(["pack", "--role", "r"])
        .succeeds()
        .stderr_contains("warning: ");
}

#[test]
fn of_a_shallow_clone_it_is_told_that_little_is_known_of_the_past() {
    let project = Project::new()
        .role("r", "context: {related: true}")
        .file("a.rs", "fn a() {}\n")
        .commit()
        .file("b.rs", "fn b() {}\n")
        .commit();
    let warning =
        "this clone is shallow: hardly anything is known, from 1 change, of what changes together";
    let run = || project.run(["pack", "--role", "r"]).succeeds();
    assert!(!run().stderr.contains(warning));
    let repository = project.repository();
    let head = repository.head().unwrap().peel_to_commit().unwrap();
    let first = head.parent_id(0).unwrap();
    fs::write(project.root().join(".git/shallow"), format!("{first}\n")).unwrap();
    run().stderr_contains(warning);
}

#[test]
fn configuration_that_names_programs_runs_none() {
    let project = Project::new()
        .role("r", ROLE)
        .file("a.rs", "x\n")
        .file(".gitattributes", "*.rs diff=evil filter=evil\n")
        .commit();
    let canary = project.outside().join("canary");
    let touch = format!("touch {}", canary.display());
    let config = format!(
        "[core]\n\tfsmonitor = \"{touch}\"\n\thooksPath = /tmp\n\tsshCommand = \"{touch}\"\n[diff]\n\texternal = \"{touch}\"\n\
         [diff \"evil\"]\n\ttextconv = \"{touch}\"\n\tcommand = \"{touch}\"\n[filter \"evil\"]\n\tclean = \"{touch}\"\n\tsmudge = \"{touch}\"\n\trequired = true\n"
    );
    let path = project.root().join(".git/config");
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&path, before + &config).unwrap();
    let project = project.file("a.rs", "y\n");
    project.run(["pack", "--role", "r"]).succeeds();
    project
        .run(words("prompt --role implementer --task t --target a.rs"))
        .succeeds();
    project.packer().get_git_diff(false);
    assert!(!canary.exists());
}

#[test]
fn a_git_file_that_points_elsewhere_is_not_followed() {
    let other = Project::new()
        .role("r", ROLE)
        .file("secret.txt", "top secret\n");
    other.stage();
    let victim = other.root().join(".git").display().to_string();
    let hostile = Project::new()
        .role("r", ROLE)
        .file(".git", format!("gitdir: {victim}\n"));
    let output = hostile
        .run(["pack", "--role", "r", "--budget", "9000"])
        .succeeds();
    output
        .stdout_lacks("top secret")
        .stderr_contains("does not belong to this folder");
}

#[cfg(unix)]
#[test]
fn a_git_folder_that_borrows_from_another_repository_is_not_followed() {
    let victim = Project::new().file("secret.txt", "top secret\n").commit();
    let theirs = victim.root().join(".git");
    let borrowed = |what: &str| {
        let hostile = Project::new().role("r", ROLE);
        let git = hostile.root().join(".git");
        fs::create_dir(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/master\n").unwrap();
        match what {
            "commondir" => {
                fs::write(git.join("commondir"), format!("{}\n", theirs.display())).unwrap();
            }
            "deep links" => {
                fs::create_dir_all(git.join("refs/heads")).unwrap();
                fs::create_dir_all(git.join("objects")).unwrap();
                for entry in fs::read_dir(theirs.join("objects")).unwrap() {
                    let entry = entry.unwrap();
                    let here = git.join("objects").join(entry.file_name());
                    std::os::unix::fs::symlink(entry.path(), here).unwrap();
                }
                let head = fs::read_dir(theirs.join("refs/heads"))
                    .unwrap()
                    .next()
                    .unwrap()
                    .unwrap();
                std::os::unix::fs::symlink(head.path(), git.join("refs/heads/master")).unwrap();
            }
            "links" => {
                for part in ["objects", "refs"] {
                    std::os::unix::fs::symlink(theirs.join(part), git.join(part)).unwrap();
                }
            }
            _ => {
                fs::create_dir_all(git.join("refs/heads")).unwrap();
                fs::create_dir_all(git.join("objects/info")).unwrap();
                let head = fs::read_dir(theirs.join("refs/heads"))
                    .unwrap()
                    .next()
                    .unwrap()
                    .unwrap();
                fs::copy(head.path(), git.join("refs/heads/master")).unwrap();
                let line = format!("{}\n", theirs.join("objects").display());
                fs::write(git.join("objects/info/alternates"), line).unwrap();
            }
        }
        hostile
    };
    for what in ["commondir", "links", "deep links", "alternates"] {
        let output = borrowed(what).run(["pack", "--role", "r"]).succeeds();
        output
            .stdout_lacks("top secret")
            .stderr_contains("warning: no staged diff");
    }
}

/// As `git clone --shared` makes it: the history is used, but no text of it is shown.
#[test]
fn of_borrowed_objects_only_history_is_told() {
    let mut owner = Project::new();
    for round in 0..3 {
        owner = owner
            .file("src/a.rs", format!("fn apple() -> u8 {{ {round} }}\n"))
            .file("src/b.rs", format!("fn banana() -> u8 {{ {round} }}\n"))
            .file("src/c.rs", "fn cherry() {}\n")
            .commit();
    }
    let borrower = Project::new()
        .role(
            "r",
            "context: {git_diff: true, include: [$TARGET, $RELATED]}",
        )
        .file("src/a.rs", "fn apple() -> u8 { 2 }\n")
        .file("src/b.rs", "fn banana() -> u8 { 2 }\n")
        .file("src/c.rs", "fn cherry() {}\n")
        .commit();
    let (theirs, own) = (owner.root().join(".git"), borrower.root().join(".git"));
    let repository = owner.repository();
    let head = repository.head().unwrap();
    let line = format!("{}\n", theirs.join("objects").display());
    fs::create_dir_all(own.join("objects/info")).unwrap();
    fs::write(own.join("objects/info/alternates"), line).unwrap();
    let branch = fs::read_to_string(own.join("HEAD")).unwrap();
    let branch = branch.trim().trim_start_matches("ref: ");
    fs::write(own.join(branch), format!("{}\n", head.target().unwrap())).unwrap();
    let output = borrower.run(["pack", "--role", "r", "--target", "src/a.rs", "--explain"]);
    output
        .succeeds()
        .stdout_contains("fn banana")
        .stdout_lacks("fn cherry")
        .stderr_contains("changed together 2 times")
        .stderr_contains("no staged diff: the git repository borrows objects");
}

#[test]
fn a_worktree_is_a_repository_like_any_other() {
    let project = Project::new().role("r", ROLE).file("a.rs", "x\n").commit();
    let repository = project.repository();
    let path = project.outside().join("tree");
    repository.worktree("tree", &path, None).unwrap();
    let packer = ContextPacker::open(&path).unwrap();
    let prompt = packer
        .pack_file_context(&project.load("r"), &Request::default())
        .unwrap();
    let warnings: Vec<_> = prompt
        .warnings()
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert_eq!(
        warnings,
        ["nothing is staged, so there are no changed files"]
    );
}

/// What is ignored there and in no commit lies in the repository that a worktree shares.
#[test]
fn a_worktree_ignores_what_its_repository_does() {
    let project = Project::new().file("a.rs", "x\n").commit();
    let repository = project.repository();
    let path = project.outside().join("tree");
    repository.worktree("tree", &path, None).unwrap();
    fs::write(project.root().join(".git/info/exclude"), "*.log\n").unwrap();
    fs::write(path.join("b.log"), "hidden\n").unwrap();
    let path = path.to_str().unwrap();
    let dumped = project.run(["dump", "-C", path]).succeeds();
    dumped.stdout_contains("a.rs").stdout_lacks("hidden");
    let read = project.run(["read", "--dir", path, "b.log"]).succeeds();
    read.stdout_contains("git ignores it");
}

/// As `git submodule` makes it: its git folder lies in that of the repository around it.
#[test]
fn a_submodule_is_a_repository_like_any_other() {
    let project = Project::new().file("a.rs", "x\n").commit();
    let inner = Project::new().file("b.rs", "old\n").commit();
    let (root, modules) = (project.root(), project.root().join(".git/modules"));
    fs::create_dir(&modules).unwrap();
    fs::rename(inner.root().join(".git"), modules.join("sub")).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    fs::write(root.join("sub/b.rs"), "new\n").unwrap();
    let config = modules.join("sub/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(config, format!("{text}[core]\n\tworktree = ../../../sub\n")).unwrap();
    let packer = ContextPacker::open(root.join("sub")).unwrap();
    let diff = packer.get_git_diff(false);
    assert!(diff.text.contains("-old\n+new\n"), "{:?}", diff.warnings());
    let dumped = project.run(["dump", "-C", "sub"]).succeeds();
    dumped.stdout_contains("new").stdout_lacks("[core]");
}

/// In a damaged repository an object has any content, so a tag may be about itself.
#[test]
fn a_tag_that_is_about_itself_has_an_end() {
    let project = Project::new()
        .role(
            "r",
            "context: {git_diff: true, recent_commits: true, related: true}",
        )
        .file("a.rs", "fn a() {}\n")
        .commit()
        .file("a.rs", "fn b() {}\n");
    let id = "1".repeat(40);
    let tag = format!("object {id}\ntype tag\ntag t\ntagger A <a@example.org> 1 +0000\n\nt\n");
    let repository = project.repository();
    let written = repository.odb().unwrap();
    let written = written
        .write(git2::ObjectType::Tag, tag.as_bytes())
        .unwrap();
    let objects = project.root().join(".git/objects");
    let (folder, file) = (&written.to_string()[..2], &written.to_string()[2..]);
    fs::create_dir(objects.join("11")).unwrap();
    fs::rename(
        objects.join(folder).join(file),
        objects.join("11").join(&id[2..]),
    )
    .unwrap();
    let refs = project.root().join(".git/refs");
    fs::write(refs.join("tags/t"), format!("{id}\n")).unwrap();
    for base in ["t", "t~1", "t^0"] {
        let output = project.run(["build", "review", "--base", base]).succeeds();
        output.stderr_contains("there is no branch or commit");
    }
    fs::create_dir_all(refs.join("remotes/origin")).unwrap();
    fs::write(refs.join("remotes/origin/main"), format!("{id}\n")).unwrap();
    let reviewed = ["prompt", "--role", "reviewer", "--task", "t"];
    project.run(reviewed).succeeds();
    let head = fs::read_to_string(project.root().join(".git/HEAD")).unwrap();
    let branch = head.trim().trim_start_matches("ref: ");
    fs::write(project.root().join(".git").join(branch), format!("{id}\n")).unwrap();
    project.run(reviewed).succeeds();
    let output = project.run(["pack", "--role", "r", "--target", "a.rs", "--task", "t"]);
    output
        .succeeds()
        .stdout_contains("fn b() {}")
        .stderr_contains("more than 16 tags lead from one to the next");
}

/// What a repository within this one ignores by rules that are in no commit, wherever they lie.
#[test]
fn what_a_repository_within_hides_is_hidden_from_above() {
    let project = Project::new()
        .file(".gitignore", "!private.rs\n")
        .file("a.rs", "mod private;\n")
        .commit()
        .file("whole/private.rs", "hidden\n")
        .file("whole/open.rs", "shown\n")
        .file("sub/private.rs", "hidden\n")
        .file("sub/open.rs", "shown\n")
        .file("tree/private.rs", "hidden\n")
        .file("tree/open.rs", "shown\n");
    let root = project.root();
    let exclude = |git: &str| {
        fs::create_dir_all(root.join(git).join("info")).unwrap();
        fs::write(root.join(git).join("info/exclude"), "private.rs\n").unwrap();
    };
    for git in ["whole/.git", ".git/modules/sub"] {
        git2::Repository::init_bare(root.join(git)).unwrap();
        exclude(git);
    }
    fs::write(root.join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    fs::write(
        root.join(".git/modules/sub/config"),
        "[core]\n\tworktree = ../../../sub\n",
    )
    .unwrap();
    let other = Project::new().file("b.rs", "b\n").commit();
    let theirs = other.root().join(".git/worktrees/tree");
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join("commondir"), "../..\n").unwrap();
    fs::write(theirs.join("HEAD"), "ref: refs/heads/tree\n").unwrap();
    let back = root.join("tree/.git");
    fs::write(theirs.join("gitdir"), format!("{}\n", back.display())).unwrap();
    fs::write(&back, format!("gitdir: {}\n", theirs.display())).unwrap();
    fs::create_dir_all(other.root().join(".git/info")).unwrap();
    fs::write(other.root().join(".git/info/exclude"), "private.rs\n").unwrap();
    for folder in ["whole", "sub", "tree"] {
        let file = format!("{folder}/private.rs");
        project
            .run(["dump"])
            .stdout_contains("shown")
            .stdout_lacks("hidden");
        let output = project.run(["read", &file]).succeeds();
        output
            .stdout_lacks("hidden")
            .stderr_contains("git ignores it");
    }
    // The rules hold where nothing else of a worktree is read.
    fs::write(theirs.join("config"), "[include]\n\tpath = /etc/x\n").unwrap();
    let index = fs::File::create(theirs.join("index")).unwrap();
    index.set_len(11 << 20).unwrap();
    let output = project.run(["dump", "-C", "tree"]).succeeds();
    output.stdout_contains("shown").stdout_lacks("hidden");
}

/// A git folder beside a repository that names it in turn, but takes what it shows from
/// somebody else's.
#[cfg(unix)]
#[test]
fn a_git_folder_elsewhere_has_to_own_what_it_shows() {
    let victim = Project::new().file("secret.txt", "top secret\n");
    victim.stage();
    let theirs = victim.root().join(".git");
    for what in ["commondir", "alternates", "links"] {
        let hostile = Project::new()
            .role("r", ROLE)
            .file(".git", "gitdir: ../side\n");
        let side = hostile.outside().join("side");
        for folder in ["refs", "objects/info"] {
            fs::create_dir_all(side.join(folder)).unwrap();
        }
        fs::copy(theirs.join("HEAD"), side.join("HEAD")).unwrap();
        fs::copy(theirs.join("index"), side.join("index")).unwrap();
        let root = hostile.root();
        fs::write(side.join("gitdir"), root.join(".git").to_str().unwrap()).unwrap();
        let config = format!("[core]\n\tworktree = {}\n", root.display());
        fs::write(side.join("config"), config).unwrap();
        match what {
            "commondir" => fs::write(side.join(what), theirs.to_str().unwrap()).unwrap(),
            "alternates" => {
                let line = format!("{}\n", theirs.join("objects").display());
                fs::write(side.join("objects/info/alternates"), line).unwrap();
            }
            _ => {
                fs::remove_dir_all(side.join("objects")).unwrap();
                std::os::unix::fs::symlink(theirs.join("objects"), side.join("objects")).unwrap();
            }
        }
        let output = hostile.run(["pack", "--role", "r"]).succeeds();
        output
            .stdout_lacks("top secret")
            .stderr_contains("warning: no staged diff");
    }
}

#[test]
fn a_diff_that_is_not_utf8_is_decoded_with_a_warning() {
    let project = Project::new()
        .role("r", "context: {git_diff: true}")
        .file("a.txt", b"caf\xe9\n");
    project.stage();
    let output = project.run(["pack", "--role", "r"]).succeeds();
    output
        .stdout_contains("caf\u{fffd}")
        .stderr_contains("not valid UTF-8");
}

#[test]
fn a_base_is_named_as_git_names_commits_and_nothing_else_is_one() {
    let project = Project::new().file("a.rs", "1\n").commit();
    let project = project
        .file("a.rs", "2\n")
        .commit()
        .file("a.rs", "3\n")
        .commit();
    let repository = project.repository();
    let id = repository.head().unwrap().target().unwrap().to_string();
    let described = format!("v1-2-g{}", &id[..9]);
    for (base, is_one) in [
        ("HEAD", true),
        ("@", true),
        ("HEAD~2", true),
        ("HEAD~1^0~", true),
        (&id[..7], true),
        (described.as_str(), true),
        ("HEAD~3", false),
        ("HEAD^2", false),
        ("HEAD~1\u{e9}", false),
        ("HEAD~1x", false),
        ("HEAD^x", false),
        ("~", false),
        ("^", false),
        ("HEAD~99999999999999999999", false),
    ] {
        let output = project.run(["build", "review", "--base", base]).succeeds();
        let is_unknown = output.stderr.contains("there is no branch or commit");
        assert_eq!(is_unknown, !is_one, "{base}: {}", output.stderr);
    }
}

/// What is in conflict has no staged text: it is said, and what lies on disk is shown.
#[test]
fn a_file_in_conflict_is_shown_as_it_lies_there() {
    let project = Project::new()
        .role("r", "context: {git_diff: true, include: [$CHANGED_FILES]}")
        .file("a.rs", "one\n")
        .file("b.rs", "b\n")
        .commit();
    let repository = project.repository();
    let mut index = repository.index().unwrap();
    let ours = index.get_path(Path::new("a.rs"), 0).unwrap();
    let other = repository.blob(b"other\n").unwrap();
    index.remove(Path::new("a.rs"), 0).unwrap();
    for (stage, id) in [(1, ours.id), (2, ours.id), (3, other)] {
        let mut side = index.get_path(Path::new("b.rs"), 0).unwrap();
        (side.path, side.id, side.flags) = (b"a.rs".to_vec(), id, stage << 12 | 4);
        index.add(&side).unwrap();
    }
    index.write().unwrap();
    let project = project.file("a.rs", "<<<<<<< HEAD\none\n=======\nother\n>>>>>>> b\n");
    let output = project
        .run(["pack", "--role", "r", "--task", "t"])
        .succeeds();
    output
        .stdout_contains("[Diff left out: it is in conflict]")
        .stdout_contains("=======\nother\n")
        .stdout_lacks("deleted file");
}

#[cfg(unix)]
#[test]
fn what_has_no_lines_to_compare_is_written_as_git_does() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;
    let project = Project::new()
        .file("image.bin", b"\0\x01")
        .file("moved.bin", b"\0\x02")
        .role("r", "context: {git_diff: true}")
        .commit();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(project.root()).args(arguments);
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(project.root().join("image.bin"), executable).unwrap();
    fs::rename(
        project.root().join("moved.bin"),
        project.root().join("x.bin"),
    )
    .unwrap();
    fs::write(project.root().join("new.txt"), "").unwrap();
    git(&["add", "-A"]);
    let packed = project.run(["pack", "--role", "r"]).succeeds().stdout;
    let told = git(&["diff", "--cached", "--no-ext-diff", "--abbrev=7"]);
    assert_eq!(told.matches("diff --git").count(), 3);
    for file in told.split("diff --git ").skip(1) {
        assert!(packed.contains(file.trim_end()), "{file}: {packed}");
    }
    assert!(!packed.contains("Binary files") && !packed.contains("/dev/null"));
}

#[test]
fn a_git_diff_is_to_be_had_alone() {
    let project = Project::new()
        .file("a.rs", "a\n")
        .commit()
        .file("a.rs", "b\n");
    let packer = project.packer();
    assert_eq!(packer.get_git_diff(true).text, "");
    assert!(packer.get_git_diff(false).text.contains("-a\n+b\n"));
    let none = ContextPacker::open(project.outside())
        .unwrap()
        .get_git_diff(true);
    assert_eq!(none.text, "");
    assert_eq!(none.warnings()[0].kind, NoteKind::Git);
}

/// Files on disk are compared without git's help, and the result is git's all the same.
#[cfg(unix)]
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_working_tree_is_compared_as_git_compares_it() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Command;

    let lines = |n: usize| -> String { (0..n).map(|n| format!("line {n}\n")).collect() };
    let project = Project::new()
        .file("changed.rs", lines(30))
        .file("gone.rs", "gone\n")
        .file("folder/inside.rs", "inside\n")
        .file("mode.sh", "echo\n")
        .file("becomes-link", "text\n")
        .file("becomes-folder", "text\n")
        .file("touched.rs", "same\n")
        .file("old.rs", lines(20))
        .file("crlf.txt", "a\nb\n")
        .file("binary.bin", b"\0\x01")
        .file("assumed.rs", "a\n")
        .file("name with space", "a\n")
        .link("changed.rs", "link")
        .commit();
    let root = project.root();
    let at = |name: &str| root.join(name);
    let git = |arguments: &[&str]| {
        let ran = Command::new("git")
            .args(arguments)
            .current_dir(&root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output();
        ran.ok().filter(|output| output.status.success())
    };
    if git(&["--version"]).is_none() {
        eprintln!("skipped: there is no git to compare with");
        return;
    }
    let write = |name: &str, text: &[u8]| fs::write(at(name), text).unwrap();
    write("changed.rs", lines(30).replace("line 7\n", "").as_bytes());
    for name in [
        "gone.rs",
        "folder/inside.rs",
        "becomes-link",
        "becomes-folder",
        "link",
    ] {
        fs::remove_file(at(name)).unwrap();
    }
    fs::remove_dir(at("folder")).unwrap();
    symlink("changed.rs", at("becomes-link")).unwrap();
    symlink("crlf.txt", at("link")).unwrap();
    fs::create_dir(at("becomes-folder")).unwrap();
    write("becomes-folder/untracked", b"u\n");
    fs::set_permissions(at("mode.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    write("touched.rs", b"same\n");
    write("crlf.txt", b"a\r\nb\r\n");
    write("binary.bin", b"\0\x02");
    write("name with space", b"b\n");
    write("untracked", b"u\n");
    fs::rename(at("old.rs"), at("new.rs")).unwrap();
    write("staged.rs", b"staged\n");
    git(&["add", "new.rs", "old.rs", "staged.rs"]).unwrap();
    write("staged.rs", b"and changed\n");
    git(&["update-index", "--assume-unchanged", "assumed.rs"]).unwrap();
    write("assumed.rs", b"b\n");
    write("intended.rs", b"i\n");
    git(&["add", "-N", "intended.rs"]).unwrap();

    let diff = |more: &str| {
        let ran = git(&["diff", "--abbrev=7", "-M", more]).unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    let ours = project
        .run(["build", "review", "--base", "HEAD", "--worktree"])
        .succeeds()
        .json();
    assert_eq!(ours["diff"], diff("HEAD"));
    let packer = ContextPacker::open(&root).unwrap();
    assert_eq!(packer.get_git_diff(false).text, diff("--"));
    assert_eq!(packer.get_git_diff(true).text, diff("--cached"));
}

#[test]
fn the_last_commits_that_touched_a_target_are_listed_where_a_role_asks() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .file("b.rs", "fn b() {}\n")
        .role("own", "context: {recent_commits: true}")
        .role("less", "extends: own\ncontext: {recent_commits: false}")
        .commit();
    let packed = project.run(["pack", "--role", "own", "--target", "a.rs"]);
    let commits = packed
        .stdout
        .split_once("## Recent Commits")
        .map(|(_, below)| below);
    let commits = commits.unwrap_or_default().to_owned();
    packed.succeeds();
    // The first commit has nothing to be compared with.
    assert_eq!(commits, "");
    let project = project.file("a.rs", "fn a() {} // now\n").commit();
    let project = project.file("b.rs", "fn b() {} // now\n").commit();
    let packed = project.run(["pack", "--role", "own", "--target", "a.rs"]);
    let (_, commits) = packed.stdout.split_once("## Recent Commits").unwrap();
    let lines: Vec<&str> = commits
        .lines()
        .filter(|line| line.contains(" 20"))
        .collect();
    assert_eq!(lines.len(), 1, "{commits}");
    project
        .run(["pack", "--role", "less", "--target", "a.rs"])
        .succeeds()
        .stdout_lacks("Recent Commits");
    // What is changed is asked for too, wherever the section stands.
    let order = "[recent_commits, changed_files, related]";
    let asks = "related: true, recent_commits: true, include: [$CHANGED_FILES]";
    let role = format!("context: {{{asks}, priority_order: {order}}}");
    let project = project
        .role("first", &role)
        .file("b.rs", "fn b() {} // once more\n");
    project.stage();
    let packed = project.run(["pack", "--role", "first"]).succeeds().stdout;
    let (_, commits) = packed.split_once("## Recent Commits").unwrap();
    let (commits, _) = commits.split_once("\n## ").unwrap();
    assert_eq!(commits.matches(" 20").count(), 1, "{commits}");
}

#[test]
fn the_commits_of_a_branch_under_review_are_none_of_its_recent_ones() {
    let project = Project::new().file("a.rs", "fn a() {}\n").commit();
    let project = project.file("a.rs", "fn a() {} // before\n").commit();
    let project = project.file("a.rs", "fn a() {} // one\n").commit();
    let project = project.file("a.rs", "fn a() {} // two\n").commit();
    let packed = project.run(["pack", "--role", "reviewer", "--base", "HEAD~2"]);
    let packed = packed.succeeds().stdout;
    let (_, commits) = packed.split_once("## Recent Commits").unwrap();
    let (commits, _) = commits.split_once("\n## ").unwrap_or((commits, ""));
    assert_eq!(commits.matches(" 20").count(), 1, "{commits}");
}
