//! For a worker that takes up an issue.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use super::{Built, Files, Gathering, Texts, WHOLE_FILE_LINES, Workspace};
use crate::context::warn_of_secrets;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::repo::{Commit, Kind, RepoPath};
use crate::section::NoteKind;
use crate::show::{counted, visible};
use crate::truncate::{CONTEXT_LINES, Kept};

/// So many commits are told.
const RECENT_CHANGES: usize = 5;

/// So many files of those that the issue names are shown.
const MAX_RELATED: usize = 10;

/// So many words of an issue that could be paths are looked up.
const MAX_MENTIONS: usize = 2000;

/// An issue of a tracker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// What it says.
    pub body: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// `OPEN` or `CLOSED`.
    pub state: String,
    /// Where it is.
    pub url: String,
}

/// What a worker that takes up an issue needs.
#[derive(Debug, Clone, Default, Serialize)]
pub struct IssueContext {
    /// The issue.
    pub issue: Issue,
    /// The files that it names, at most ten, in the order of mention.
    pub related_files: Files,
    /// The last five commits, the newest first.
    pub recent_changes: Vec<Commit>,
}

impl Texts for IssueContext {
    fn texts(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.issue.body];
        texts.extend(self.related_files.texts());
        texts
    }
}

impl Issue {
    /// Reads what `gh issue view --json number,title,body,labels,state,assignees,url`
    /// prints. What is not there is empty; labels may be texts or objects.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] if it is no JSON object.
    pub fn parse(text: &str) -> Result<Issue, Error> {
        let fail = |why: String| {
            let help = "print it with `gh issue view NUMBER --json number,title,body,labels,state,assignees,url`";
            let problem = Diagnostic::error(format!("the issue cannot be used: {why}"));
            Error::new(ErrorKind::Request, problem.help(Some(help.into())))
        };
        let json: Value = serde_json::from_str(text).map_err(|e| fail(e.to_string()))?;
        if !json.is_object() {
            return Err(fail("it is no JSON object".into()));
        }
        let string = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        let labels = json["labels"].as_array().into_iter().flatten();
        let label = |label: &Value| {
            let name = label.as_str().or_else(|| label["name"].as_str());
            name.map(str::to_owned)
        };
        let number = &json["number"];
        let number = number.as_u64().or_else(|| number.as_str()?.parse().ok());
        Ok(Issue {
            number: number.unwrap_or_default(),
            title: string("title"),
            body: string("body"),
            labels: labels.filter_map(label).collect(),
            state: string("state"),
            url: string("url"),
        })
    }
}

/// Gathers the issue, the files that its body names, and the last five commits.
///
/// Whoever wrote the issue may be a stranger, so an ignored file is not shown, whoever
/// names it: it often holds secrets.
pub fn build_issue_context(issue: &Issue, workspace: &Workspace) -> Built<IssueContext> {
    let mut gathering = Gathering::new(workspace);
    let mut told = issue.clone();
    gathering
        .notes
        .extend(warn_of_secrets(&issue.title, "the issue's title", None));
    told.body = gathering.text("issue", None, "the issue", &issue.body, Kept::all);
    let mut related_files = Files::default();
    for (path, lines) in gathering.mentioned(&issue.body) {
        let read = |limit| workspace.repo.read_visible(&path, limit);
        gathering.file(
            &mut related_files,
            "related_files",
            path.as_str(),
            read,
            |total| {
                let around: Vec<usize> = lines
                    .iter()
                    .flat_map(|lines| *lines.start()..=(*lines.end()).min(total))
                    .collect();
                Kept::choose(total, WHOLE_FILE_LINES - 1, &around, CONTEXT_LINES)
            },
        );
    }
    let git = gathering.git();
    let recent_changes = gathering.recent_commits(git, RECENT_CHANGES);
    gathering.finish(IssueContext {
        issue: told,
        related_files,
        recent_changes,
    })
}

impl Gathering<'_> {
    /// The files of the repository that a text names, each once, with the lines that it
    /// names of them.
    fn mentioned(&mut self, text: &str) -> Vec<(RepoPath, Vec<RangeInclusive<usize>>)> {
        let mut files: Vec<(RepoPath, Vec<RangeInclusive<usize>>)> = Vec::new();
        let mut by_name = None;
        let mut more = HashSet::new();
        for mention in mentions(text).into_iter().take(MAX_MENTIONS) {
            let Some(path) = self.existing(&mention.path, &mut by_name) else {
                continue;
            };
            if let Some((_, lines)) = files.iter_mut().find(|(have, _)| *have == path) {
                lines.extend(mention.lines);
            } else if files.len() < MAX_RELATED {
                files.push((path, mention.lines.into_iter().collect()));
            } else {
                more.insert(path);
            }
        }
        if !more.is_empty() {
            let count = counted(more.len(), "more file");
            let message =
                format!("{count} named by the issue not shown: {MAX_RELATED} is the limit");
            self.warn(NoteKind::Skipped, message);
        }
        files
    }

    /// The file at this path, or the only one that git knows whose path ends so.
    fn existing(
        &mut self,
        path: &str,
        by_name: &mut Option<HashMap<String, Vec<String>>>,
    ) -> Option<RepoPath> {
        let repo = &self.workspace.repo;
        let direct = repo.path(path).ok().filter(|path| !path.is_root())?;
        let found = match repo.kind(&direct) {
            Kind::File(real) => (direct, real),
            Kind::Missing => {
                let known = by_name.get_or_insert_with(|| {
                    names(
                        &repo
                            .git()
                            .ok()
                            .map_or_else(Vec::new, crate::repo::Git::tracked),
                    )
                });
                let same = known.get(direct.name())?;
                let ends =
                    |file: &&String| RepoPath::parse(file).is_ok_and(|f| ends_with(&f, &direct));
                let mut ending = same.iter().filter(ends);
                let (Some(only), None) = (ending.next(), ending.next()) else {
                    return None;
                };
                let path = RepoPath::parse(only).ok()?;
                match repo.kind(&path) {
                    Kind::File(real) => (path, real),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let (path, real) = found;
        if repo.is_ignored(&real) {
            let message = format!(
                "`{}` is named by the issue and not shown: it is ignored by git",
                visible(path.as_str())
            );
            if !self.notes.iter().any(|note| note.message == message) {
                self.warn(NoteKind::Skipped, message);
            }
            return None;
        }
        Some(path)
    }
}

/// Paths by the name of the file.
fn names(paths: &[String]) -> HashMap<String, Vec<String>> {
    let mut names: HashMap<String, Vec<String>> = HashMap::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        names.entry(name.to_owned()).or_default().push(path.clone());
    }
    names
}

/// Whether a path ends in the parts of another.
fn ends_with(path: &RepoPath, end: &RepoPath) -> bool {
    let before = path.as_str().strip_suffix(end.as_str());
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// A word that could be a path.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    path: String,
    lines: Option<RangeInclusive<usize>>,
}

/// The words of a text that could be paths, in order, each with the lines behind it.
fn mentions(text: &str) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for line in text.lines() {
        // A name with spaces stands between backticks or quotes.
        for quote in ['`', '"'] {
            let quoted = line.split(quote).skip(1).step_by(2);
            let spaced = quoted.filter(|part| part.contains(' ') && part.contains('.'));
            mentions.extend(spaced.filter_map(|part| mention(part.trim())));
        }
        let is_edge = |c: char| c.is_whitespace() || "`\"'()[]<>{}|,;*".contains(c);
        mentions.extend(line.split(is_edge).filter_map(mention));
        // Brackets and the like can be a part of a name: `app/[id]/page.tsx`.
        let plain = |c: char| c.is_whitespace() || "`\"',;|".contains(c);
        let odd = line
            .split(plain)
            .filter(|word| word.contains(['(', '[', '{', '*']) && word.contains('/'));
        mentions.extend(odd.filter_map(mention));
    }
    mentions
}

/// The path and the lines in a word such as `src/a.rs:12`, `./a.rs#L3-L9`, or the
/// address of a file on a code host.
fn mention(word: &str) -> Option<Mention> {
    // A dot at the beginning is a part of the name: `.github`.
    let word = word.trim_start_matches([':', '!', '?']);
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let word = match word.split_once("/blob/") {
        // Behind it stand a branch and the path.
        Some((_, rest)) if word.contains("://") => rest.split_once('/')?.1,
        _ => word,
    };
    let (path, lines) = match word.split_once('#') {
        Some((path, anchor)) => (path, line_anchor(anchor)),
        None => match word.split_once(':') {
            Some((path, rest)) if !path.is_empty() => (path, line_suffix(rest)),
            _ => (word, None),
        },
    };
    let path = path.strip_prefix("./").unwrap_or(path);
    let could_be =
        path.len() <= 4096 && path.contains(char::is_alphanumeric) && !path.contains("://");
    let names_file = path.contains(['/', '.']) || path.starts_with(char::is_uppercase);
    (could_be && names_file).then(|| Mention {
        path: path.to_owned(),
        lines,
    })
}

/// `L12`, `L12-L20`, `L12C3-L20C9`
fn line_anchor(anchor: &str) -> Option<RangeInclusive<usize>> {
    let number = |part: &str| {
        let part = part.strip_prefix('L').unwrap_or(part);
        part.split('C').next()?.parse::<usize>().ok()
    };
    let mut parts = anchor.strip_prefix('L')?.split('-');
    range(number(parts.next()?)?, parts.next().and_then(number))
}

/// `12`, `12:5`, `12-20`
fn line_suffix(rest: &str) -> Option<RangeInclusive<usize>> {
    let lines = rest.split(':').next()?;
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (first, last.parse().ok()),
        None => (lines, None),
    };
    range(first.parse().ok()?, last)
}

fn range(first: usize, last: Option<usize>) -> Option<RangeInclusive<usize>> {
    (first > 0).then(|| first..=last.unwrap_or(first).max(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let shown = |mention: Mention| match mention.lines {
            Some(lines) => format!("{}@{}-{}", mention.path, lines.start(), lines.end()),
            None => mention.path,
        };
        mentions(text).into_iter().map(shown).collect()
    }

    #[test]
    fn paths_are_found_in_every_dress() {
        for (text, path) in [
            ("see src/a.rs.", "src/a.rs"),
            ("(./src/a.rs)", "src/a.rs"),
            ("`src/a.rs:12`", "src/a.rs@12-12"),
            ("\"src/a.rs:12:5\":", "src/a.rs@12-12"),
            ("src/a.rs:12-20,", "src/a.rs@12-20"),
            ("[the file](src/a.rs#L3-L9)", "src/a.rs@3-9"),
            ("src/a.rs#L12C3-L20C9", "src/a.rs@12-20"),
            ("**src/a.rs**", "src/a.rs"),
            (
                "https://github.com/o/r/blob/main/src/a.rs#L5",
                "src/a.rs@5-5",
            ),
            ("File \"src/a.py\", line 3", "src/a.py"),
            ("Makefile", "Makefile"),
            ("`docs/my file.md`", "docs/my file.md"),
            ("app/[id]/page.tsx", "app/[id]/page.tsx"),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ] {
            assert!(
                paths(text).contains(&path.to_owned()),
                "{text}: {:?}",
                paths(text)
            );
        }
    }

    #[test]
    fn lines_of_nothing_are_no_lines() {
        assert_eq!(
            paths("a.rs:0 a.rs#L a.rs:x a.rs:9-3"),
            ["a.rs", "a.rs", "a.rs", "a.rs@9-9"]
        );
    }
}
