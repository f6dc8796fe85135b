//! Asks repomix, an external packer, which files the globs match.
//!
//! It runs in a temporary folder with an empty configuration and takes the
//! repository as an argument: where it runs, repomix and npm look for configuration
//! and for programs, and a repository could name some. Nothing is written into the
//! repository. Only the list of files is taken from its output, and the files are
//! read here: repomix trims texts, and leaves out what is not UTF-8 without a word.
//! Whatever goes wrong is a reason to pack natively, never to fail.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::repo::command::{Run, find_program, installed_version, path_and_home, run};
use crate::repo::{Repo, RepoPath, read_operator_file, scratch_folder};
use crate::settings::Engine;

/// The version of repomix that is used: the newest that the tests pass with and
/// that runs on Node.js 20.
pub(super) const PIN: &str = "1.14.0";

/// It is ended after this time.
const TIME: Duration = Duration::from_secs(60);

/// Its output is read up to this many bytes.
const MAX_OUTPUT: u64 = 20 * 1024 * 1024;

/// What it says on the way is kept up to this many bytes.
const MAX_CHATTER: usize = 1024 * 1024;

/// How to start repomix.
pub(super) struct Program {
    run: Run,
}

/// Finds the program for an engine; `Ok(None)` if this program is to pack. npx may
/// download, so it is started only if the caller itself, not a role, asks for
/// repomix.
///
/// # Errors
///
/// Says why the repomix that was asked for cannot be had.
pub(super) fn find(
    engine: Engine,
    by_caller: bool,
    repo: &Repo,
) -> Result<Option<Program>, String> {
    if engine == Engine::Native {
        return Ok(None);
    }
    let prepare = |program, arguments: &[String]| Program {
        run: Run {
            program,
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: PathBuf::new(),
            environment: Vec::new(),
            input: Vec::new(),
            time: TIME,
            output: MAX_CHATTER,
        },
    };
    let installed = find_program("repomix", repo);
    let version = installed.as_deref().and_then(installed_version);
    if let Some(program) = installed.filter(|_| version.as_deref() == Some(PIN)) {
        return Ok(Some(prepare(program, &[])));
    }
    if engine == Engine::Auto {
        return Ok(None);
    }
    match find_program("npx", repo).filter(|_| by_caller) {
        Some(npx) => Ok(Some(prepare(
            npx,
            &["--yes".into(), format!("repomix@{PIN}")],
        ))),
        None => {
            let there = version.map_or_else(
                || "it is not installed".to_owned(),
                |version| format!("version {version} is installed"),
            );
            let npx = if by_caller {
                "there is no npx to fetch it"
            } else {
                "a role cannot have it fetched, only `--engine repomix` can"
            };
            Err(format!("version {PIN} is needed, {there}, and {npx}"))
        }
    }
}

/// Whether repomix can be asked for this glob: its lists are separated by commas,
/// and it reads classes in brackets in another way.
pub(super) fn can_pass(glob: &str) -> bool {
    !glob.contains([',', '\n', '\r', '['])
}

impl Program {
    /// Lists what the globs match and `exclude` does not.
    ///
    /// # Errors
    ///
    /// Says in one line what went wrong.
    pub(super) fn list(
        mut self,
        repo: &Repo,
        globs: &[&str],
        exclude: &[&str],
    ) -> Result<HashSet<RepoPath>, String> {
        let scratch = scratch_folder()?;
        let output = scratch.path().join("packed.xml");
        let configuration = scratch.path().join("repomix.config.json");
        // npm takes the nearest folder with a `package.json` for its project.
        for file in [&configuration, &scratch.path().join("package.json")] {
            crate::repo::write_whole(file, "{}").map_err(|e| e.to_string())?;
        }
        let mut arguments: Vec<OsString> = [
            "--style",
            "xml",
            "--parsable-style",
            "--no-file-summary",
            "--no-directory-structure",
            "--no-default-patterns",
            "--no-git-sort-by-changes",
            "--no-security-check",
            "--quiet",
        ]
        .map(OsString::from)
        .to_vec();
        arguments.extend(["--config".into(), configuration.into_os_string()]);
        arguments.extend(["--output".into(), output.clone().into_os_string()]);
        arguments.push(format!("--include={}", globs.join(",")).into());
        if !exclude.is_empty() {
            arguments.push(format!("--ignore={}", exclude.join(",")).into());
        }
        arguments.push(repo.root().into());
        self.run.arguments.append(&mut arguments);
        scratch.path().clone_into(&mut self.run.folder);
        self.run.environment = path_and_home(scratch.path());
        let ran = run(self.run)?;
        if !ran.status.success() {
            let complaint = String::from_utf8_lossy(&ran.stderr);
            let first = complaint.lines().find(|line| !line.trim().is_empty());
            let why = first.unwrap_or("without a word").trim().to_owned();
            return Err(format!("it failed: {}", crate::show::visible(&why)));
        }
        let file = read_operator_file(&output, MAX_OUTPUT)
            .map_err(|_| "it left no readable output of an acceptable size".to_owned())?;
        parse(&file.text)
    }
}

/// Takes the paths of the `<file path="…">` elements. With `--parsable-style` a
/// text cannot hold a `<` of its own, so nothing but repomix can have written a tag.
fn parse(xml: &str) -> Result<HashSet<RepoPath>, String> {
    let unexpected = |what: &str| format!("its output cannot be read: {what}");
    if !xml.trim_end().ends_with("</repomix>") {
        return Err(unexpected("its end is missing"));
    }
    let mut files = HashSet::new();
    let mut rest = xml;
    while let Some(at) = rest.find("<file path=\"") {
        rest = &rest[at + "<file path=\"".len()..];
        let (path, after) = rest
            .split_once("\">")
            .ok_or_else(|| unexpected("a tag is open"))?;
        let end = after
            .find('<')
            .ok_or_else(|| unexpected("an element is open"))?;
        if !after[end..].starts_with("</file>") {
            return Err(unexpected("an element stands inside a file"));
        }
        let path = unescape(path).ok_or_else(|| unexpected("an unknown entity"))?;
        files.insert(RepoPath::parse(&path).map_err(|why| unexpected(&why.to_string()))?);
        rest = &after[end..];
    }
    Ok(files)
}

/// Resolves the entities of XML; `None` for one that it does not have.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';')?;
        plain.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = after;
    }
    plain.push_str(rest);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_name_files() {
        let xml = "<repomix><files>Intro<file path=\"a&amp;b.rs\">if a &lt; b {&#10;}</file>\
                   <file path=\"c.rs\"></file></files></repomix>";
        let path = |text| RepoPath::parse(text).unwrap();
        assert_eq!(
            parse(xml),
            Ok(HashSet::from([path("a&b.rs"), path("c.rs")]))
        );
    }

    #[test]
    fn damaged_output_is_refused() {
        for xml in [
            "<repomix><file path=\"a\">x</file>",
            "<repomix><file path=\"a\">x<b></file></repomix>",
            "<repomix><file path=\"../a\">x</file></repomix>",
            "<repomix><file path=\"a&nope;\">x</file></repomix>",
        ] {
            assert!(parse(xml).is_err(), "{xml}");
        }
    }
}
