//! What files import, compared with lists that were made by hand.
//!
//! A folder of `tests/imports` is a repository in one language, with the traps of that
//! language in it. Its `expected.txt` has a line for each file that is asked about, and
//! below it, indented, the files that it imports, in the order of import.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Project, words};

/// A repository asks for at least so many imports.
const LEAST: usize = 15;

/// The repositories, in order.
fn repositories() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports");
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    folders
}

fn copy(project: Project, from: &Path, inside: &str) -> Project {
    fs::read_dir(from).unwrap().fold(project, |project, entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let inside = format!("{inside}{name}");
        if path.is_dir() {
            return copy(project, &path, &format!("{inside}/"));
        }
        project.file(&inside, fs::read(&path).unwrap())
    })
}

/// Files with what they should import.
fn expected(folder: &Path) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(folder.join("expected.txt")).unwrap();
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(import) => files.last_mut().unwrap().1.push(import.to_owned()),
            None => files.push((line.to_owned(), Vec::new())),
        }
    }
    files
}

/// The files in the section of a target's imports, in order.
fn imported(project: &Project, target: &str) -> Vec<String> {
    let report = project.json(["pack", "--role", "r", "--target", target]);
    let sections = report["sections"].as_array().unwrap().iter();
    let imports = sections.filter(|section| section["key"] == "imports");
    let pieces = imports.flat_map(|section| section["pieces"].as_array().unwrap());
    let paths = pieces.map(|piece| piece["path"].as_str().unwrap().to_owned());
    paths.collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn each_language_finds_what_its_files_import() {
    let mut wrong = Vec::new();
    for folder in repositories() {
        let language = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let project = Project::new().role(
            "r",
            "context: {include: [$TARGET_IMPORTS], token_budget: 1000000}",
        );
        let project = copy(project, &folder, "");
        let (mut right, mut missed, mut false_ones) = (0, 0, 0);
        for (file, expected) in expected(&folder) {
            let found = imported(&project, &file);
            let is_right = |path: &&String| expected.contains(path);
            let here = found.iter().filter(is_right).count();
            right += here;
            missed += expected.len() - here;
            false_ones += found.len() - here;
            if found != expected {
                wrong.push(format!(
                    "{language}: {file}\n  found    {found:?}\n  expected {expected:?}"
                ));
            }
        }
        println!("{language}: {right} found, {missed} missed, {false_ones} wrong");
        if right + missed < LEAST {
            wrong.push(format!("{language} asks for little"));
        }
    }
    // Ninety-five of a hundred would do for what is found; these lists know no excuse.
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_leads_nowhere_is_remarked_and_no_warning() {
    let project = Project::new()
        .role("r", "context: {include: [$TARGET_IMPORTS]}")
        .file("a.py", "import os\nfrom .gone import x\nimport b\n")
        .file("b.py", "");
    let report = project.json(["pack", "--role", "r", "--target", "a.py"]);
    let sections = report["sections"].as_array().unwrap();
    let imports = sections.iter().find(|s| s["key"] == "imports").unwrap();
    assert_eq!(
        imports["note"],
        "1 import leads out of this repository, 1 to nothing in it: .gone.x"
    );
    assert_eq!(report["warnings"].as_array().unwrap().len(), 0);
}

/// Only the parts of so many files are looked at: what is imported beyond them is likely
/// to matter least, not most.
#[test]
fn of_many_imports_the_likely_ones_are_shown() {
    let number = |at: usize| format!("m{at:02}");
    let mut imports = String::new();
    let mut project = Project::new();
    for at in 0..75 {
        imports += &format!("import {}\n", number(at));
        let body: String = (0..40)
            .map(|line| format!("    step_{line} = prepare({line})\n"))
            .collect();
        let name = if at == 30 { "greet_guests" } else { "work" };
        let text = format!("def {name}():\n{body}");
        project = project.file(&format!("{}.py", number(at)), text);
    }
    let project = project.file("a.py", imports).commit();
    let report = project.json(words(
        "pack --role implementer --target a.py --task \
         'Let greet_guests say the name of each guest' --budget 4000",
    ));
    let sections = report["sections"].as_array().unwrap();
    let imports = sections.iter().find(|s| s["key"] == "imports").unwrap();
    let shown: Vec<&str> = imports["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|piece| piece["form"] == "full" || piece["form"] == "excerpt")
        .map(|piece| piece["path"].as_str().unwrap())
        .collect();
    assert!(shown.contains(&"m30.py"), "{shown:?}");
    assert!(shown.len() < 30, "{shown:?}");
}

/// Deep folders make each look on disk long, and many imports many looks.
#[test]
fn imports_that_lead_nowhere_cost_little_in_deep_folders() {
    let deep = "d/".repeat(100);
    let lines = |line: fn(usize) -> String| (0..2000).map(line).collect::<String>();
    let project = Project::new()
        .role("r", "context: {include: [$TARGET_IMPORTS]}")
        .file(
            &format!("{deep}a.c"),
            lines(|i| format!("#include <x{i}.h>\n")),
        )
        .file(&format!("{deep}a.py"), lines(|i| format!("import x{i}\n")))
        .file(
            &format!("{deep}a.ts"),
            lines(|i| format!("import './x{i}';\n")),
        );
    for name in ["a.c", "a.py", "a.ts"] {
        let target = format!("{deep}{name}");
        let output = project.run(["pack", "--role", "r", "--target", &target]);
        let output = output.succeeds();
        assert!(output.took.as_secs() < 10, "{name}: {:?}", output.took);
    }
}
