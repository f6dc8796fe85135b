//! `packer dump`.

use std::fs;

use context_packer::tokens::Tokenizer;

use crate::project::Project;

fn project() -> Project {
    Project::new()
        .file("src/main.rs", "mod a;\n\nfn main() {}\n")
        .file("src/a.rs", "pub fn a() {}")
        .file("README.md", "# Title\n\n```sh\nmake\n```\n")
        .file("logo.png", b"\x89PNG\0\0")
        .file("out/made.rs", "fn made() {}\n")
        .file(".gitignore", "out/\n")
}

/// The role that packs the same, with a budget that has room for it.
fn wide(project: Project, include: &str, exclude: &str) -> Project {
    let fields =
        format!("context:\n  token_budget: 4000000\n  include: {include}\n  exclude: {exclude}\n");
    project.role("wide", &fields)
}

#[test]
fn a_dump_is_what_pack_writes_when_there_is_room_for_all() {
    let project = wide(project(), "['**']", "['*.md', .packer]");
    for style in ["markdown", "xml"] {
        let packed = project.run(["pack", "--role", "wide", "--style", style]);
        let dumped = project.run([
            "dump",
            "--exclude",
            "*.md",
            "--exclude",
            ".packer",
            "--style",
            style,
        ]);
        assert_eq!(
            dumped.succeeds().stdout,
            packed.succeeds().stdout + "\n",
            "{style}"
        );
    }
    let packed = wide(project, "[src, '*.md']", "[]").run(["pack", "--role", "wide"]);
    assert!(packed.stdout.contains("### src/a.rs"), "{}", packed.stdout);
}

#[test]
fn what_is_left_out_is_told_and_the_tokens_are_counted() {
    let project = project().file("large.txt", "x".repeat(1024 * 1024 + 1));
    let dumped = project.run(["dump"]).succeeds();
    assert!(
        dumped
            .stdout
            .contains("[Skipped 1 files over 1024 KiB, 0 files over the total limit]")
    );
    assert!(!dumped.stdout.contains("made.rs"));
    let characters = dumped.stdout.trim_end_matches('\n').chars().count();
    let tokens = characters.div_ceil(4);
    dumped
        .stderr_contains("binary and left out: logo.png")
        .stderr_contains("larger than the limit of a file and left out: large.txt")
        .stderr_contains(&format!("4 files, {tokens} tokens (chars)"));
    let told = project.run(["dump", "-q"]).succeeds();
    assert_eq!(told.stderr, "");
    // By its own name a binary file is asked for.
    project
        .run(["dump", "logo.png"])
        .succeeds()
        .stdout_contains("[Binary file, 6 bytes]");
}

#[test]
fn every_tokenizer_counts_near_what_it_counts_of_the_whole() {
    // So many that several threads count.
    let project = (0..60).fold(project(), |project, at| {
        project.file(
            &format!("more/f{at}.rs"),
            format!("fn f{at}() -> u8 {{\n    {at}\n}}\n"),
        )
    });
    let is_there = |tokenizer: &&Tokenizer| tokenizer.is_available();
    for tokenizer in Tokenizer::ALL.iter().filter(is_there).map(|t| t.name()) {
        let dumped = project.run(["dump", "--tokenizer", tokenizer]).succeeds();
        fs::write(project.outside().join("whole.md"), dumped.stdout.trim_end()).unwrap();
        let whole = project.outside().join("whole.md");
        let counted = project.json(["tokens", "--tokenizer", tokenizer, whole.to_str().unwrap()]);
        let whole = counted[0]["tokens"].as_u64().unwrap();
        let told = dumped.stderr.split(' ').find_map(|word| {
            word.replace(',', "")
                .parse::<u64>()
                .ok()
                .filter(|n| *n > 100)
        });
        let told = told.unwrap_or_else(|| panic!("{}", dumped.stderr));
        assert!(
            told.abs_diff(whole) <= 70,
            "{tokenizer}: {told} for {whole}"
        );
    }
}

#[test]
fn what_the_caller_asks_for_is_done_or_refused() {
    let project = project();
    project
        .run(["dump", "nothing/*.rs"])
        .succeeds()
        .stderr_contains("pattern `nothing/*.rs` matches no file");
    for pattern in ["../x", "/etc/passwd", "a{b", "$RELATED"] {
        project
            .run(["dump", "--", pattern])
            .fails(1)
            .stderr_contains(&format!("cannot use the pattern `{pattern}`"));
    }
    let empty = project.run(["dump", "--exclude", "**"]).succeeds();
    assert_eq!(empty.stdout, "");
}

#[test]
fn a_dump_goes_into_a_file_whole_or_not_at_all() {
    let project = project();
    let out = project.outside().join("out.xml");
    let path = out.to_str().unwrap();
    project
        .run(["dump", "src", "--style", "xml", "-o", path])
        .succeeds();
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.starts_with("<section name=\"files\"") && text.ends_with("</section>"),
        "{text}"
    );
    project
        .run(["dump", "-o", "src"])
        .fails(1)
        .stderr_contains("it exists and is not a regular file");
}

/// Many threads, many files, large ones among them: always the same bytes.
#[test]
fn the_order_is_that_of_the_paths_whoever_reads_first() {
    let mut project = Project::new();
    for at in 0..600 {
        let lines = if at % 97 == 0 { 40_000 } else { at % 50 };
        project = project.file(
            &format!("f{at:03}.txt"),
            format!("line of {at}\n").repeat(lines),
        );
    }
    let first = project.run(["dump"]).succeeds().stdout;
    let paths: Vec<&str> = first
        .lines()
        .filter(|line| line.starts_with("### "))
        .collect();
    assert_eq!(paths.len(), 600);
    assert!(paths.is_sorted());
    for _ in 0..5 {
        assert!(project.run(["dump"]).succeeds().stdout == first);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_links_lead_to_is_written_once_and_none_outside() {
    let project = project()
        .link("main.rs", "src/again.rs")
        .link("/etc/passwd", "src/passwd")
        .link("../out/made.rs", "src/hidden.rs");
    let dumped = project.run(["dump", "src"]).succeeds();
    assert_eq!(dumped.stdout.matches("fn main()").count(), 1);
    assert!(!dumped.stdout.contains("root:") && !dumped.stdout.contains("fn made()"));
    dumped.stderr_contains("left out as links");
}

#[cfg(unix)]
#[test]
fn a_dump_does_not_contain_itself() {
    let project = project();
    let path = project.root().join("all.md");
    let to_file = || {
        let output = project
            .run(["dump", "-o", path.to_str().unwrap()])
            .succeeds();
        (output.stderr, fs::read_to_string(&path).unwrap())
    };
    let (told, first) = to_file();
    assert!(!told.contains("all.md"), "{told}");
    let (told, second) = to_file();
    assert!(
        told.contains("`all.md` is left out: it is the output file"),
        "{told}"
    );
    assert_eq!(first, second);
    let out = fs::File::create(&path).unwrap();
    let status = project.command().arg("dump").stdout(out).status();
    assert!(status.unwrap().success());
    assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), first);
}

/// What has to stand in CDATA takes five times its size.
#[cfg(target_os = "linux")]
#[test]
fn files_that_grow_when_they_are_written_take_little_memory() {
    let mut project = Project::new();
    for at in 0..24 {
        project = project.file(
            &format!("f{at}.txt"),
            format!("</file>{}", "]]>".repeat(340_000)),
        );
    }
    let out = project.outside().join("out.xml");
    let dumped = project.run(["dump", "--style", "xml", "-o", out.to_str().unwrap()]);
    let dumped = dumped.succeeds();
    assert!(dumped.peak < 60_000_000, "{}", dumped.peak);
    assert!(fs::metadata(&out).unwrap().len() > 100_000_000);
}
