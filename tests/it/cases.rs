//! Whole prompts: a folder is a test.
//!
//! `tests/cases/NAME/` holds `request.json`, the repository in `repo/` (committed),
//! `staged/` (laid over it and staged), and the reviewed prompt in `expected.md` and
//! warnings in `expected.stderr`. `UPDATE_CASES=1` writes what comes out now.

use std::fs;
use std::path::Path;

use crate::project::Project;

fn lay(from: &Path, mut project: Project) -> Project {
    fn collect(folder: &Path, base: &Path, files: &mut Vec<(String, Vec<u8>)>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                collect(&path, base, files);
            } else {
                let name = path
                    .strip_prefix(base)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    let mut files = Vec::new();
    collect(from, from, &mut files);
    for (path, text) in files {
        project = project.file(&path, text);
    }
    project
}

#[test]
#[cfg_attr(not(feature = "languages"), ignore = "needs the grammars")]
fn every_case_gives_its_expected_prompt() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut folders: Vec<_> = fs::read_dir(cases)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        let project = lay(&folder.join("repo"), Project::new()).commit();
        let project = lay(&folder.join("staged"), project);
        project.stage();
        let request = fs::read_to_string(folder.join("request.json")).unwrap();
        let output = project
            .run_with_input(["prompt", "--request", "-"], &request)
            .succeeds();
        for (file, found) in [
            ("expected.md", output.stdout),
            ("expected.stderr", output.stderr),
        ] {
            let path = folder.join(file);
            if std::env::var_os("UPDATE_CASES").is_some() {
                fs::write(&path, &found).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            assert!(expected == found, "{} differs:\n{found}", path.display());
        }
    }
}
