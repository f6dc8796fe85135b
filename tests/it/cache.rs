//! What is kept for the next prompt saves time and changes nothing.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use context_packer::{ContextPacker, Request, Roles};

use crate::project::{Project, words};

/// A file that changed a moment ago is not kept.
pub const SETTLED: Duration = Duration::from_millis(3100);

fn project() -> Project {
    let mut project = Project::new();
    for (name, other) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")] {
        let text =
            format!("use crate::{other};\n\npub fn make_{name}() {{\n    make_{other}();\n}}\n");
        project = project.file(&format!("src/{name}.rs"), text);
    }
    project
        .role("related", "context:\n  include: [$TARGET, $RELATED]\n")
        .commit()
}

/// The same, of which everything may be kept.
fn settled() -> Project {
    let project = project();
    thread::sleep(SETTLED);
    project
}

/// Writes a file of which everything may be kept.
fn write(project: &Project, path: &str, text: &str) {
    fs::write(project.root().join(path), text).unwrap();
    thread::sleep(SETTLED);
}

fn folder(project: &Project) -> PathBuf {
    project.outside().join("cache")
}

fn prompt(project: &Project, more: &[&str], target: &str) -> String {
    let folder = folder(project);
    let environment = [("XDG_CACHE_HOME", folder.to_str().unwrap())];
    let command = "prompt --role related --task make_c --target";
    let arguments = command.split(' ').chain([target]);
    let arguments = arguments.chain(more.iter().copied());
    let output = project.run_with_variables(arguments, &environment);
    output.succeeds().stdout
}

/// The only entry of a repository.
fn entry(project: &Project) -> Option<PathBuf> {
    let mut entries = kept(project);
    entries.retain(|path| !is_pieces(path) && !is_of_folders(path));
    assert!(entries.len() <= 1, "{entries:?}");
    entries.pop()
}

/// What files say and how they were cut, which lies beside the entry.
fn pieces(project: &Project) -> PathBuf {
    let mut pieces = kept(project);
    pieces.retain(|path| is_pieces(path));
    assert_eq!(pieces.len(), 1, "{pieces:?}");
    pieces.remove(0)
}

fn kept(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(project).join("packer/repositories"));
    let entries = entries.into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn is_pieces(path: &Path) -> bool {
    path.to_str().unwrap().ends_with("-pieces.packed")
}

fn is_of_folders(path: &Path) -> bool {
    path.to_str().unwrap().ends_with("-folders.packed")
}

fn changed(path: &Path) -> SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn a_prompt_is_the_same_with_and_without_what_was_kept() {
    let project = settled();
    let without = |target| prompt(&project, &["--no-cache"], target);
    let plain = without("src/a.rs");
    assert!(plain.contains("make_c"), "{plain}");
    assert_eq!(entry(&project), None);

    assert_eq!(prompt(&project, &[], "src/a.rs"), plain);
    let entry = entry(&project).unwrap();
    let written = changed(&entry);
    assert_eq!(prompt(&project, &[], "src/a.rs"), plain);
    // Everything was known, so nothing was written.
    assert_eq!(changed(&entry), written);
    // Whatever the target, whatever else is known.
    assert_eq!(prompt(&project, &[], "src/d.rs"), without("src/d.rs"));

    // A change of the same size that pretends to be old.
    let path = project.root().join("src/c.rs");
    let time = changed(&path);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("make_c", "take_q")).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    assert_eq!(prompt(&project, &[], "src/a.rs"), without("src/a.rs"));
    // Its names are known from now on, the old ones are nobody's.
    thread::sleep(SETTLED);
    assert_eq!(prompt(&project, &[], "src/a.rs"), without("src/a.rs"));
    assert_eq!(prompt(&project, &[], "src/a.rs"), without("src/a.rs"));

    fs::remove_file(project.root().join("src/b.rs")).unwrap();
    assert_eq!(prompt(&project, &[], "src/a.rs"), without("src/a.rs"));

    // A damaged entry is as good as none.
    fs::write(&entry, "nothing of the kind").unwrap();
    assert_eq!(prompt(&project, &[], "src/a.rs"), without("src/a.rs"));
    assert_ne!(fs::read(&entry).unwrap(), b"nothing of the kind");
}

#[test]
fn damaged_pieces_are_as_good_as_none() {
    let project = settled();
    let without = prompt(&project, &["--no-cache"], "src/a.rs");
    assert_eq!(prompt(&project, &[], "src/a.rs"), without);
    let pieces = pieces(&project);
    let whole = fs::read(&pieces).unwrap();
    let other: Vec<u8> = whole.iter().map(|byte| byte ^ 1).collect();
    let moved: Vec<u8> = [b"x", &whole[..]].concat();
    let half = whole[..whole.len() / 2].to_vec();
    for damaged in [other, moved, half, Vec::new()] {
        fs::write(&pieces, &damaged).unwrap();
        assert_eq!(prompt(&project, &[], "src/a.rs"), without);
        // What was lost lies there again.
        assert!(fs::metadata(&pieces).unwrap().len() > damaged.len() as u64);
        assert_eq!(prompt(&project, &[], "src/a.rs"), without);
    }
    fs::remove_file(&pieces).unwrap();
    assert_eq!(prompt(&project, &[], "src/a.rs"), without);
    assert_eq!(fs::read(&pieces).unwrap().len(), whole.len());
}

#[test]
fn damaged_names_of_folders_are_as_good_as_none() {
    let project = settled();
    let without = prompt(&project, &["--no-cache"], "src/a.rs");
    assert_eq!(prompt(&project, &[], "src/a.rs"), without);
    let of_folders = kept(&project).into_iter().find(|path| is_of_folders(path));
    // Not every file system tells when a name comes or goes.
    let Some(of_folders) = of_folders else { return };
    let whole = fs::read(&of_folders).unwrap();
    let gone = whole.len() - 3;
    let other = [&whole[..gone], b"???"].concat();
    for damaged in [other, whole[..gone].to_vec(), Vec::new()] {
        fs::write(&of_folders, damaged).unwrap();
        assert_eq!(prompt(&project, &[], "src/a.rs"), without);
        assert_eq!(fs::read(&of_folders).unwrap().len(), whole.len());
    }
    // A file that comes is seen at once, though the names of its folder are kept.
    fs::write(project.root().join("src/e.rs"), "pub fn make_c() {}\n").unwrap();
    let with = prompt(&project, &[], "src/a.rs");
    assert!(with.contains("src/e.rs"), "{with}");
    assert_eq!(with, prompt(&project, &["--no-cache"], "src/a.rs"));
}

#[test]
fn pieces_are_begun_anew_once_most_of_them_are_of_no_use() {
    let project = settled();
    let without = prompt(&project, &["--no-cache"], "src/a.rs");
    assert_eq!(prompt(&project, &[], "src/a.rs"), without);
    let pieces = pieces(&project);
    let used = fs::metadata(&pieces).unwrap().len();
    let file = File::options().append(true).open(&pieces).unwrap();
    file.set_len(used + 9 * 1024 * 1024).unwrap();
    // Each reads a file anew, which is what makes it write.
    for name in ["one", "two"] {
        write(&project, "src/b.rs", &format!("fn {name}() {{}}\n"));
        let without = prompt(&project, &["--no-cache"], "src/a.rs");
        for _ in 0..3 {
            assert_eq!(prompt(&project, &[], "src/a.rs"), without);
        }
        assert!(fs::metadata(&pieces).unwrap().len() < 2 * used);
    }
}

/// They would take the room of what is kept of files: here names and their words have 12 MB.
#[test]
fn names_that_are_gone_are_not_kept_for_ever() {
    let mut project = project();
    for file in 0..300 {
        let letter = |digit: u8| char::from(b'a' + digit - b'0');
        let word = |at: usize| format!("{:020}", file * 900 + at);
        let word = |at: usize| word(at).bytes().map(letter).collect::<String>() + "\n";
        let text: String = (0..900).map(word).collect();
        project = project.file(&format!("data/f{file}.py"), text);
    }
    let project = project.commit();
    thread::sleep(SETTLED);
    prompt(&project, &[], "src/a.rs");
    let size = |project: &Project| fs::metadata(entry(project).unwrap()).unwrap().len();
    fs::remove_dir_all(project.root().join("data")).unwrap();
    let without = prompt(&project, &["--no-cache"], "src/a.rs");
    for name in ["one", "two"] {
        write(&project, "src/new.rs", &format!("fn {name}() {{}}\n"));
        prompt(&project, &[], "src/a.rs");
    }
    assert!(size(&project) < 64 * 1024, "{}", size(&project));
    fs::remove_file(project.root().join("src/new.rs")).unwrap();
    assert_eq!(prompt(&project, &[], "src/a.rs"), without);
}

/// What another run has thrown away is put there again.
#[test]
fn pieces_that_are_gone_are_not_believed_to_be_there() {
    let project = settled();
    let open = || {
        let cache = folder(&project).join("packer/repositories");
        project.packer().with_cache(cache)
    };
    let role = Roles::built_in().load("implementer").unwrap();
    let request = Request::new("make_c").target("src/a.rs");
    let prompt = |packer: &ContextPacker| {
        let prompt = packer.build_full_prompt("implement.j2", &role, &request);
        prompt.unwrap().text
    };
    let mut packer = open();
    packer.look_again().unwrap();
    prompt(&packer);
    fs::remove_file(pieces(&project)).unwrap();
    write(&project, "src/b.rs", "fn other() {}\n");
    packer.look_again().unwrap();
    let text = prompt(&packer);
    packer.keep().unwrap();
    let kept = (
        fs::read(entry(&project).unwrap()).unwrap(),
        fs::read(pieces(&project)).unwrap(),
    );
    // Whoever comes next knows everything, and writes nothing.
    assert_eq!(prompt(&open()), text);
    assert_eq!(fs::read(entry(&project).unwrap()).unwrap(), kept.0);
    assert_eq!(fs::read(pieces(&project)).unwrap(), kept.1);
}

/// A packer that goes on for long does not write for each file that changes.
#[test]
fn what_was_not_written_yet_is_written_when_asked_for() {
    let project = settled();
    let cache = folder(&project).join("packer/repositories");
    let mut packer = project.packer().with_cache(cache);
    let role = Roles::built_in().load("implementer").unwrap();
    let request = Request::new("make_c").target("src/a.rs");
    let prompt = |packer: &mut ContextPacker| {
        packer.look_again().unwrap();
        packer
            .build_full_prompt("implement.j2", &role, &request)
            .unwrap()
    };
    // There is nothing yet, which is no mistake.
    packer.keep().unwrap();
    assert_eq!(entry(&project), None);
    prompt(&mut packer);
    let entry = entry(&project).unwrap();
    let first = fs::read(&entry).unwrap();
    write(&project, "src/b.rs", "fn other() {}\n");
    prompt(&mut packer);
    assert_eq!(fs::read(&entry).unwrap(), first);
    packer.keep().unwrap();
    let second = fs::read(&entry).unwrap();
    assert_ne!(second, first);
    packer.keep().unwrap();
    assert_eq!(fs::read(&entry).unwrap(), second);
    fs::remove_dir_all(folder(&project)).unwrap();
    fs::write(folder(&project), "a file where the folder should be").unwrap();
    write(&project, "src/b.rs", "fn third() {}\n");
    prompt(&mut packer);
    let error = packer.keep().unwrap_err().to_string();
    assert!(error.contains("cannot write the cache"), "{error}");
}

#[test]
fn prompts_at_once_are_the_same_as_one_after_the_other() {
    let project = settled();
    let targets = ["src/a.rs", "src/b.rs", "src/c.rs", "src/d.rs"];
    let without = targets.map(|target| prompt(&project, &["--no-cache"], target));
    for _ in 0..3 {
        thread::scope(|scope| {
            for (target, without) in targets.iter().zip(&without) {
                let project = &project;
                scope.spawn(move || assert_eq!(&prompt(project, &[], target), without));
            }
        });
        fs::remove_file(pieces(&project)).unwrap();
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_told_and_no_loss() {
    let project = settled();
    let without = prompt(&project, &["--no-cache"], "src/a.rs");
    fs::write(folder(&project), "a file where the folder should be").unwrap();
    assert_eq!(prompt(&project, &[], "src/a.rs"), without);
    let folder = folder(&project);
    let environment = [("XDG_CACHE_HOME", folder.to_str().unwrap())];
    let command = "prompt --role related --task x --target src/a.rs --explain";
    project
        .run_with_variables(words(command), &environment)
        .succeeds()
        .stderr_contains("cannot write the cache");
}

/// Of more than a mebibyte only a part is parsed; what is not is no answer for the next run.
#[test]
fn what_was_only_looked_over_is_not_kept() {
    let mut project = Project::new();
    let function = |at: usize| format!("def make_{at}():\n    return {at}\n\n\n");
    let long: String = (0..10_000).map(function).collect();
    for name in ["one", "two", "three", "four"] {
        project = project.file(&format!("src/{name}.py"), &long);
    }
    let short: String = (0..60).map(function).collect();
    let project = project
        .file("src/small.py", short)
        .role("related", "context:\n  include: [$TARGET, $RELATED]\n")
        .commit();
    thread::sleep(SETTLED);
    let large = "--target src/two.py --target src/three.py --target src/four.py";
    let large: Vec<&str> = large.split(' ').collect();
    prompt(&project, &large, "src/one.py");
    assert!(entry(&project).is_some());
    for budget in ["800", "2000", "8000"] {
        let asked = ["--budget", budget];
        let without = ["--budget", budget, "--no-cache"];
        assert_eq!(
            prompt(&project, &asked, "src/small.py"),
            prompt(&project, &without, "src/small.py"),
            "{budget}"
        );
    }
}

/// What imports lead to is kept too, until a project file or another file says otherwise.
#[test]
fn links_are_the_same_with_and_without_what_was_kept() {
    let config = |folder: &str| {
        format!("{{\"compilerOptions\": {{\"paths\": {{\"@lib/*\": [\"./{folder}/*\"]}}}}}}\n")
    };
    let thing = |name: &str| format!("export function {name}() {{\n  return 1;\n}}\n");
    let project = Project::new()
        .file("tsconfig.json", config("one"))
        .file(
            "app.ts",
            "import { thing } from '@lib/thing';\n\nthing();\n",
        )
        .file("other.ts", "import './one/thing';\nimport './three';\n")
        .file("one/thing.ts", thing("thing"))
        .file("two/thing.ts", thing("thing"))
        .role("related", "context:\n  include: [$TARGET, $RELATED]\n")
        .commit();
    let same = |what: &str, leads_to: &str| {
        // What was changed a moment ago is looked for again, and kept later.
        for wait in [Duration::ZERO, SETTLED, Duration::ZERO] {
            thread::sleep(wait);
            let without = prompt(&project, &["--no-cache", "--format", "json"], "app.ts");
            assert_eq!(
                prompt(&project, &["--format", "json"], "app.ts"),
                without,
                "{what}"
            );
            let report: serde_json::Value = serde_json::from_str(&without).unwrap();
            let sections = report["sections"].as_array().unwrap();
            let pieces = sections
                .iter()
                .flat_map(|s| s["pieces"].as_array().unwrap());
            let imported = pieces.filter(|piece| {
                let note = piece["note"].as_str().unwrap_or_default();
                note.contains("imported by app.ts")
            });
            let imported: Vec<&str> = imported
                .map(|piece| piece["path"].as_str().unwrap())
                .collect();
            assert_eq!(imported, [leads_to], "{what}");
        }
    };
    same("at first", "one/thing.ts");
    let write = |path: &str, text: &str| fs::write(project.root().join(path), text).unwrap();
    write("tsconfig.json", &config("two"));
    same("after the project file changed", "two/thing.ts");
    write("two/thing.tsx", &thing("shadow"));
    write("three.ts", &thing("three"));
    same("after files came", "two/thing.ts");
    fs::remove_file(project.root().join("two/thing.ts")).unwrap();
    same("after a file went", "two/thing.tsx");
    write("app.ts", "import './one/thing';\n");
    same("after the import changed", "one/thing.ts");
}
