//! Git repositories that are made to harm.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use git2::{ObjectType, Oid};

use super::*;

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
        let output = project.run(words(COMMANDS[0]));
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

/// Objects that were cut short, as a crash leaves them, at every length.
#[test]
fn objects_that_end_too_soon() {
    for length in [1, 2, 3, 5, 8, 13, 20, 40, 80] {
        let project = plain();
        for object in objects(&project) {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            fs::set_permissions(&object, mode).unwrap();
            let file = File::options().write(true).open(&object).unwrap();
            file.set_len(file.metadata().unwrap().len().min(length))
                .unwrap();
        }
        if length % 2 == 1 {
            survives("cut objects", &project);
        } else {
            let output = project.run(words(COMMANDS[0]));
            assert_eq!(output.code, 0, "{}", output.stderr);
        }
    }
}

/// An index whose folders lie in one another as no folders do, and a configuration with a
/// setting on each line: the library reads each with the stack, and keeps the others.
#[test]
fn an_index_that_is_too_deep_and_settings_that_are_too_many() {
    let project = plain();
    let path = project.root().join(".git/index");
    let whole = fs::read(&path).unwrap();
    let trees = format!("\0-1 1\n{}a\0-1 0\n", "a\0-1 1\n".repeat(80_000));
    // What its checksum was computed of matters to nobody before it is read.
    let entries = &whole[..whole.len() - 20];
    let length = u32::try_from(trees.len()).unwrap().to_be_bytes();
    let parts = [entries, b"TREE", &length, trees.as_bytes(), &[0; 20]];
    fs::write(&path, parts.concat()).unwrap();
    survives("folders in one another", &project);
    let project = plain();
    let path = project.root().join(".git/config");
    let settings = format!(
        "{}[a]\n{}",
        fs::read_to_string(&path).unwrap(),
        "b\n".repeat(450_000)
    );
    fs::write(&path, settings).unwrap();
    survives("many settings", &project);
}

/// Packs whose indexes lead anywhere, and whose objects are made of one another.
#[test]
fn packs_that_lie() {
    for place in [
        "00000000", "0000000c", "00002000", "00800000", "03000000", "7fffffff", "80000000",
        "ffffffff",
    ] {
        let project = plain();
        let (_, index) = packed(&project);
        let mut bytes = fs::read(&index).unwrap();
        let count = u32::from_be_bytes(bytes[1028..1032].try_into().unwrap()) as usize;
        let offsets = 8 + 1024 + 24 * count;
        let place = u32::from_str_radix(place, 16).unwrap().to_be_bytes();
        for at in 0..count {
            bytes[offsets + 4 * at..offsets + 4 * at + 4].copy_from_slice(&place);
        }
        fs::write(&index, bytes).unwrap();
        survives("offsets that lead anywhere", &project);
    }
    // Each object is said to be a change to itself.
    let project = plain();
    let (pack, index) = packed(&project);
    let names = fs::read(&index).unwrap();
    let count = u32::from_be_bytes(names[1028..1032].try_into().unwrap()) as usize;
    let mut bytes = fs::read(&pack).unwrap();
    for at in 0..count {
        let name = &names[1032 + 20 * at..1052 + 20 * at];
        let offset = 8 + 1024 + 24 * count + 4 * at;
        let offset = u32::from_be_bytes(names[offset..offset + 4].try_into().unwrap()) as usize;
        // A change of four bytes to what has this name.
        bytes[offset] = 7 << 4 | 4;
        bytes[offset + 1..offset + 21].copy_from_slice(name);
    }
    fs::write(&pack, bytes).unwrap();
    survives("objects that are made of themselves", &project);
}

/// Puts all objects of a project into a pack; its path, and that of its index.
fn packed(project: &Project) -> (PathBuf, PathBuf) {
    let repository = project.repository();
    let files = objects(project);
    let mut builder = repository.packbuilder().unwrap();
    let mut ids = Vec::new();
    let odb = repository.odb().unwrap();
    odb.foreach(|id| {
        ids.push(*id);
        true
    })
    .unwrap();
    for id in ids {
        builder.insert_object(id, None).unwrap();
    }
    let folder = project.root().join(".git/objects/pack");
    fs::create_dir_all(&folder).unwrap();
    builder.write(&folder, 0o644).unwrap();
    for file in files {
        fs::remove_file(file).unwrap();
    }
    let written = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut written: Vec<PathBuf> = written.collect();
    for file in &written {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        fs::set_permissions(file, mode).unwrap();
    }
    written.sort_unstable();
    let ending = |end: &str| written.iter().find(|file| file.extension().unwrap() == end);
    (
        ending("pack").unwrap().clone(),
        ending("idx").unwrap().clone(),
    )
}

/// Very many files that went, and as many that came and are like them.
#[test]
fn files_that_may_all_have_been_moved() {
    let lines = |seed: usize| -> String {
        let number = |line: usize| (seed * 7919 + line * 104_729) % 97 % 50;
        (0..1500)
            .map(|line| format!("{}\n", number(line)))
            .collect()
    };
    let mut project = plain();
    for number in 0..700 {
        project = project.file(&format!("old/{number}.txt"), lines(number));
    }
    project = project.commit();
    fs::remove_dir_all(project.root().join("old")).unwrap();
    for number in 0..700 {
        project = project.file(&format!("new/{number}.txt"), lines(number + 1000));
    }
    project.stage();
    survives("files that may have been moved", &project);
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
    let repository = project.repository();
    let tree = repository.head().unwrap().peel_to_tree().unwrap().id();
    head_with(&repository, tree, 300);
    survives("a commit message of 300 MiB", &project);

    let project = plain();
    let repository = project.repository();
    let blob = object(&repository, ObjectType::Blob, b"x\n");
    let many: Vec<u8> = (0..20_000)
        .flat_map(|n| entry(&format!("f{n:07}"), "100644", blob))
        .collect();
    let tree = large_object(&repository, ObjectType::Tree, &[(&many, 100)]);
    head_with(&repository, tree, 0);
    survives("a tree of two million files", &project);

    let project = plain();
    let repository = project.repository();
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
    let repository = project.repository();
    let mut tree = object(&repository, ObjectType::Tree, &entry("f", "100644", blob));
    for _ in 0..20_000 {
        tree = object(&repository, ObjectType::Tree, &entry("d", "40000", tree));
    }
    head_with(&repository, tree, 0);
    survives("a tree 20,000 deep", &project);

    let project = plain();
    let repository = project.repository();
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
    let repository = project.repository();
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

/// A ref leads on to a FIFO, up and out of where refs are.
#[test]
fn refs_that_lead_out_of_refs() {
    let branch = fs::read_to_string(plain().root().join(".git/HEAD")).unwrap();
    let branch = branch.trim().trim_start_matches("ref: ").to_owned();
    for name in [branch.as_str(), "refs/heads/base"] {
        for target in [
            "refs/../QUEUE",
            "refs/../../queue",
            "refs/heads/../../QUEUE",
        ] {
            let project = plain();
            fifo(&project.root().join(".git/QUEUE"));
            fifo(&project.root().join("queue"));
            let file = project.root().join(".git").join(name);
            let _ = fs::remove_file(&file);
            fs::write(file, format!("ref: {target}\n")).unwrap();
            survives(&format!("{name} leads to {target}"), &project);
        }
    }
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
    let project = plain();
    fifo(&project.root().join(".git/ORIG_HEAD"));
    let output = project.run(["build", "review", "--base", "ORIG_HEAD~1"]);
    sane("a base that is a FIFO", &output);
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
    let repository = project.repository();
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
    let repository = project.repository();
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
