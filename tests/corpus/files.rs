//! Files and folders that are made to harm.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use super::*;

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

/// What some take for the ends of lines, as much as is read of a file in `.context/`.
#[test]
fn ends_of_lines_without_end() {
    for item in ["\u{2028}", "\u{85}", "\u{b}", "\u{b}# "] {
        let text = item.repeat(510_000 / item.len());
        let project = plain().file(".context/TASKS.md", &text);
        project.stage();
        survives(item, &project);
    }
}

/// Blocks of a few bytes, each of which takes many times the memory of its text: in what a
/// project remembers, and in new files that a reviewer is shown.
#[test]
fn blocks_of_next_to_nothing() {
    for block in ["#\n", "## a\n- b\n", "a\n=\n"] {
        let text = block.repeat(510_000 / block.len());
        let mut project = plain();
        for name in ["TASKS", "DECISIONS", "notes"] {
            project = project.file(&format!(".context/{name}.md"), &text);
        }
        project.stage();
        survives(block, &project);
    }
    for (line, files) in [("a\n\n", 3), ("x\n", 9)] {
        let text = line.repeat(990_000 / line.len());
        let mut project = plain();
        for number in 0..files {
            let ending = ["csv", "txt", "md"][number % 3];
            project = project.file(&format!("d/f{number}.{ending}"), &text);
        }
        survives(line, &project);
        project.stage();
        survives(line, &project);
    }
}

/// The largest budget, and files that take all of it, also written with what escapes them.
#[test]
fn a_budget_without_end() {
    for item in ["hello world, all is fine\n", "a ]]> <file "] {
        let mut project = plain().file(".packer/config.toml", "budget = 4000000\n");
        for number in 0..10 {
            let text = item.repeat(975_000 / item.len());
            project = project.file(&format!("d/p{number}.txt"), text);
        }
        let prompt = "prompt --role implementer --task x --target d";
        for more in [
            &["--format", "json"][..],
            &["--style", "xml", "--messages", "--format", "json"],
        ] {
            for to in [&[][..], &["-o", "../prompt.json"]] {
                let parts = words(prompt).chain(more.iter().chain(to).copied());
                sane(item, &project.run(parts));
            }
        }
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

/// The system looks at every part of a path each time, so what asks it about each folder of a
/// path takes time with the square of its depth.
#[test]
fn conventions_of_two_hundred_and_fifty_folders() {
    let mut project = plain();
    let mut folder = String::new();
    for depth in 0..250 {
        folder.push_str("d/");
        let path = format!("{folder}AGENTS.md");
        project = project.file(&path, format!("# Rules of {depth}\n"));
    }
    let deep = format!("{folder}AGENTS.md");
    let deeper = "d/".repeat(1000) + "a.rs";
    for target in [&deep, &deeper] {
        let command = format!("prompt --role implementer --task b --target {target}");
        survives_each("a deep target", &project, &[&command]);
    }
}

/// Whether git would list a new file depends on every folder above it.
#[test]
fn new_files_below_two_hundred_and_fifty_folders() {
    let project = plain();
    let folder = project.root().join("deep/".repeat(250));
    fs::create_dir_all(&folder).unwrap();
    for number in 0..2000 {
        fs::write(folder.join(format!("{number}.rs")), "fn a() {}\n").unwrap();
    }
    let prompt = "prompt --role reviewer --task b --worktree";
    let everything = "pack --role everything";
    survives_each("new files", &project, &[prompt, everything]);
}

/// Files that declare something on each line: the map of all would be larger than they are.
#[test]
fn five_hundred_files_of_nine_thousand_declarations() {
    let project = plain();
    for file in 0..500 {
        let lines =
            (0..9000).map(|line| format!("x{file}_{:015x} = 1\n", line * 0x9e37_79b9_7f4a_u64));
        fs::write(
            project.root().join(format!("f{file}.py")),
            lines.collect::<String>(),
        )
        .unwrap();
    }
    let prompt = "prompt --role planner --task 'Mend x1.'";
    let warnings = survives_each("declarations", &project, &[prompt]);
    assert!(
        warnings[0].contains("were not read for the map"),
        "{}",
        warnings[0]
    );
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

/// Every prompt of a repository that is too large says what it leaves out.
fn survives_in_part(name: &str, project: &Project) {
    let warnings = survives_each(name, project, &WALKS);
    for (command, warnings) in WALKS.iter().zip(warnings) {
        let tells = warnings.contains("left out") || warnings.contains("not searched");
        assert!(
            tells || command.starts_with("read "),
            "{name}: {command:?}: {warnings}"
        );
    }
}

fn with_many(count: usize, name: impl Fn(usize) -> String) -> Project {
    let project = plain();
    let folder = project.root().join("many");
    fs::create_dir(&folder).unwrap();
    let folder = openat(CWD, &folder, OFlags::DIRECTORY, Mode::empty()).unwrap();
    let flags = OFlags::CREATE | OFlags::WRONLY;
    for number in 0..count {
        openat(&folder, name(number), flags, Mode::RWXU).unwrap();
    }
    project
}

#[test]
fn a_folder_with_a_million_files() {
    survives_in_part(
        "a million",
        &with_many(1_000_000, |number| format!("f{number}.py")),
    );
}

#[test]
fn a_folder_with_fifty_megabytes_of_names() {
    let name = |number| format!("{number:06}{}.py", "n".repeat(241));
    survives_in_part("long names", &with_many(200_000, name));
}

#[test]
fn a_folder_with_names_that_are_no_text() {
    let project = plain();
    let folder = openat(CWD, project.root(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for number in 0..20_000 {
        let name = [b"\xff".as_slice(), format!("{number}").as_bytes()].concat();
        let name = std::ffi::OsStr::from_bytes(&name);
        openat(&folder, name, OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
    }
    survives("names that are no text", &project);
    let output = project.run(["dump"]).succeeds();
    output.stderr_contains("warning: 20,000 names in the root left out: not UTF-8\n");
}

#[test]
fn three_hundred_megabytes_of_paths() {
    let project = plain();
    let long = |letter: &str| letter.repeat(200);
    for number in 0..300 {
        let folder = format!("many/{number:04}{}/{}/{}", long("a"), long("b"), long("c"));
        let folder = project.root().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let folder = openat(CWD, &folder, OFlags::DIRECTORY, Mode::empty()).unwrap();
        for number in 0..1000 {
            let name = format!("{number}{}.py", "d".repeat(230));
            openat(&folder, name, OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
        }
    }
    survives_in_part("long paths", &project);
}

#[test]
fn a_hundred_thousand_folders_with_ignore_files() {
    let project = plain();
    for number in 0..100_000 {
        let folder = project
            .root()
            .join(format!("many/{}/{number}", number / 1000));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(".gitignore"), "*.log\n").unwrap();
        File::create(folder.join("a.py")).unwrap();
    }
    survives_in_part("ignore files", &project);
}

#[test]
fn three_hundred_folders_with_long_ignore_files() {
    let mut project = plain();
    for number in 0..300 {
        let rule = |line| format!("{line}-{number}*a\n");
        let rules: String = (0..8000).map(rule).collect();
        project = project
            .file(&format!("{number:03}/.gitignore"), &rules[..64_000])
            .file(&format!("{number:03}/a.rs"), "fn a() {}\n");
    }
    survives("long ignore files", &project);
    let output = project.run(["dump"]);
    assert!(
        output.stderr.contains("folders left out"),
        "{}",
        output.stderr
    );
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
