//! For a worker that takes on an issue.

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use super::endings::{Endings, ends};
use super::gathering::Gathering;
use super::mention::{Mention, mentions};
use super::place::{Place, is_digits};
use super::{Built, Files, Texts, WHOLE_FILE_LINES, Workspace, call, plain};
use crate::context::warnings_of;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::repo::{Asker, Commit, Kind, RepoPath};
use crate::section::NoteKind;
use crate::show::counted;
use crate::truncate::KeptLines;

/// How many commits are listed.
const RECENT_CHANGES: usize = 5;

/// The most words of an issue that are looked up as paths.
const MAX_MENTIONS: usize = 2000;

/// The most line ranges of a file that are looked at.
const MAX_RANGES: usize = 1000;

/// An issue of a tracker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// `OPEN` or `CLOSED`.
    pub state: String,
    /// Where it is.
    pub url: String,
}

/// What a worker that takes on an issue needs.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct IssueContext {
    /// The issue.
    pub issue: Issue,
    /// The files that it names, at most ten unless the workspace says otherwise, in the order of
    /// mention.
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
    /// Reads what `gh issue view --json number,title,body,labels,state,assignees,url` prints.
    /// Missing fields are empty; labels may be texts or objects. Of an event of GitHub's the issue
    /// or the pull request in it is read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] if it is not a JSON object.
    pub fn parse(text: &str) -> Result<Issue, Error> {
        let fail = |why: String| {
            let help = "print it with `gh issue view NUMBER --json number,title,body,labels,state,assignees,url`";
            let message = format!("cannot use the issue: {why}");
            Error::advise(ErrorKind::Request, message, help)
        };
        let json = parse_json(text).map_err(|e| fail(e.to_string()).caused_by(e))?;
        if !json.is_object() {
            return Err(fail("it is not a JSON object".into()));
        }
        let json = in_event(&json);
        let string = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
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
            labels: labels_of(json).iter().filter_map(label).collect(),
            state: string("state"),
            // The other one is for programs.
            url: string(if json["html_url"].is_string() {
                "html_url"
            } else {
                "url"
            }),
        })
    }
}

/// Returns the issue or the pull request of an event; anything else may be one itself.
fn in_event(json: &Value) -> &Value {
    if json["title"].is_string() || json["body"].is_string() {
        return json;
    }
    let mut members = ["issue", "pull_request"].iter().map(|key| &json[*key]);
    members.find(|it| it.is_object()).unwrap_or(json)
}

/// Returns the labels: a list, a single one, or what GraphQL has.
fn labels_of(issue: &Value) -> &[Value] {
    let labels = match &issue["labels"] {
        Value::Object(labels) => labels.get("nodes").unwrap_or(&Value::Null),
        labels => labels,
    };
    match labels {
        Value::Array(labels) => labels,
        Value::String(_) => std::slice::from_ref(labels),
        _ => &[],
    }
}

/// Gathers the issue, the files that its body names, and the last five commits.
///
/// The author of the issue may be a stranger, so an ignored file, which often holds secrets, is not
/// shown even if the issue names it.
pub fn build_issue_context(issue: &Issue, workspace: &Workspace) -> Built<IssueContext> {
    let mut gathering = Gathering::new(workspace);
    if issue.title.is_empty() && issue.body.is_empty() {
        let message = "the issue is empty: neither `title` nor `body` is a text, at the top or in \
                       `issue` or `pull_request`";
        gathering.warn(NoteKind::Skipped, message);
    }
    let mut told = issue.clone();
    let others = std::iter::once(&issue.title)
        .chain(&issue.labels)
        .chain([&issue.url]);
    for text in others {
        let secrets = warnings_of(text, "the issue's title, labels or address", None, None);
        gathering.notes.extend(secrets);
        gathering.searched.add(text);
    }
    told.body = gathering.text("issue", None, "the issue", &issue.body, KeptLines::all);
    let mut related_files = Files::default();
    for (path, lines) in gathering.mentioned(issue) {
        let read = |limit| workspace.repo.read_for(Asker::Repository, &path, limit);
        gathering.file(
            &mut related_files,
            "related_files",
            path.as_str(),
            read,
            |total| {
                let around = lines_of(&lines, total);
                if around.is_empty() {
                    return KeptLines::beginning(total, WHOLE_FILE_LINES - 1);
                }
                workspace.around(total, &around)
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

/// Returns the lines of these ranges that a text of `total` lines has, each once.
fn lines_of(ranges: &[RangeInclusive<usize>], total: usize) -> Vec<usize> {
    let mut ranges: Vec<_> = ranges.iter().collect();
    ranges.sort_by_key(|range| *range.start());
    let mut lines = Vec::new();
    for range in ranges {
        let next = lines.last().map_or(1, |last| last + 1);
        lines.extend((*range.start()).max(next)..=(*range.end()).min(total));
    }
    lines
}

/// Which words of an issue were looked up, and what was found.
#[derive(Default)]
struct Found {
    files: Vec<(RepoPath, Vec<RangeInclusive<usize>>)>,
    looked_up: HashMap<String, Option<RepoPath>>,
    by_name: Option<Endings>,
    more: HashSet<RepoPath>,
    not_looked_up: usize,
}

impl Gathering<'_> {
    /// Returns the files of the repository that an issue names, each once, with the lines that it
    /// names.
    fn mentioned(&mut self, issue: &Issue) -> Vec<(RepoPath, Vec<RangeInclusive<usize>>)> {
        let mut found = Found::default();
        for word in mentions(&issue.body, &issue.url) {
            let whole = word.whole.is_some_and(|it| self.look_up(it, &mut found));
            if !whole {
                for part in word.parts {
                    self.look_up(part, &mut found);
                }
            }
        }
        let Found {
            files,
            more,
            not_looked_up,
            ..
        } = found;
        if !more.is_empty() {
            let count = counted(more.len(), "more file");
            let most = self.workspace.max_related;
            let message = format!("{count} named by the issue not shown: the limit is {most}");
            self.warn(NoteKind::Skipped, message);
        }
        if not_looked_up > 0 {
            let count = counted(not_looked_up, "word");
            let message =
                format!("{count} of the issue not looked up as paths: the limit is {MAX_MENTIONS}");
            self.warn(NoteKind::Skipped, message);
        }
        files
    }

    /// Looks up a mention, and keeps the file if there is one. Returns whether there is.
    fn look_up(&mut self, mention: Mention, found: &mut Found) -> bool {
        let path = match found.looked_up.get(&mention.path) {
            Some(known) => known.clone(),
            None if found.looked_up.len() < MAX_MENTIONS => {
                let path = self.meant(&mention.path, &mut found.by_name);
                found.looked_up.insert(mention.path, path.clone());
                path
            }
            None => {
                found.not_looked_up += 1;
                None
            }
        };
        let Some(path) = path else {
            return false;
        };
        let files = &mut found.files;
        if let Some((_, lines)) = files.iter_mut().find(|(have, _)| *have == path) {
            if lines.len() < MAX_RANGES {
                lines.extend(mention.lines);
            }
        } else if files.len() < self.workspace.max_related {
            files.push((path, mention.lines.into_iter().collect()));
        } else {
            found.more.insert(path);
        }
        true
    }

    /// Returns the file that a word means: as written, or else without what does not belong to a
    /// path, or else as another machine has it.
    fn meant(&mut self, word: &str, by_name: &mut Option<Endings>) -> Option<RepoPath> {
        let forms = || std::iter::once(word).chain(undressed(word));
        let here = forms().find_map(|path| self.existing(path, by_name));
        here.or_else(|| {
            let mut paths = forms().take_while(|form| !is_address(form));
            paths.find_map(|path| self.elsewhere(path, by_name))
        })
    }

    /// Returns the file whose whole path is the end of this one, if no other path that git knows
    /// has that end.
    fn elsewhere(&mut self, path: &str, by_name: &mut Option<Endings>) -> Option<RepoPath> {
        if plain::is_foreign(path) || call::is_foreign(&Place::new(path, 0)) {
            return None;
        }
        let repo = &self.workspace.repo;
        let endings = by_name.get_or_insert_with(|| Endings::of(repo));
        let found = ends(path).find(|end| endings.only(end, repo).as_ref() == Some(end))?;
        Some(found).filter(|found| !self.hides(found, found.as_str(), "the issue"))
    }

    /// Returns the file at this path, or the only one that git knows whose path ends like this.
    fn existing(&mut self, path: &str, by_name: &mut Option<Endings>) -> Option<RepoPath> {
        let repo = &self.workspace.repo;
        let direct = repo.path(path).ok().filter(|path| !path.is_root())?;
        let path = match repo.kind(&direct) {
            Kind::File(_) => direct,
            Kind::Missing => {
                let endings = by_name.get_or_insert_with(|| Endings::of(repo));
                endings.only(&direct, repo)?
            }
            _ => return None,
        };
        Some(path).filter(|path| !self.hides(path, path.as_str(), "the issue"))
    }
}

/// Returns what a word may be without a leading slash, the sides of a diff, what it is assigned to,
/// emphasis markers, and brackets around a path with brackets in it.
fn undressed(word: &str) -> impl Iterator<Item = &str> {
    let of_diff = word.strip_prefix("a/").or_else(|| word.strip_prefix("b/"));
    let assigned = word.rsplit_once('=').map(|(_, value)| value);
    let marked = word.trim_matches(['_', '*', '(', ')', '{', '}']);
    let forms = [word.strip_prefix('/'), of_diff, assigned, Some(marked)];
    forms
        .into_iter()
        .flatten()
        .filter(move |form| *form != word)
}

/// The ends of the names of most hosts. A folder may have a dot in its name, too.
const TOP_LEVEL: [&str; 12] = [
    "ai", "co", "com", "de", "dev", "edu", "eu", "gov", "io", "net", "org", "uk",
];

/// Whether this is an address without its scheme, or the end of one: it begins with the name of a
/// host, or with a port.
fn is_address(path: &str) -> bool {
    let host = path.split('/').next().unwrap_or_default();
    let end = host.rsplit_once('.').map(|(_, end)| end);
    let is_host = host.starts_with("www.")
        || end.is_some_and(|end| TOP_LEVEL.contains(&end))
        || host.parse::<Ipv4Addr>().is_ok();
    let is_port = !host.is_empty() && is_digits(host);
    path.starts_with("//") || is_host || is_port
}

/// Returns the words of an issue that could be paths, each with the first and last line after it.
#[cfg(fuzzing)]
pub(crate) fn mentioned(issue: &Issue) -> Vec<(String, Option<(usize, usize)>)> {
    mentions(&issue.body, &issue.url)
        .into_iter()
        .flat_map(|word| word.whole.into_iter().chain(word.parts))
        .map(|it| (it.path, it.lines.map(RangeInclusive::into_inner)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_told_once() {
        assert_eq!(lines_of(&[5..=7, 1..=2, 6..=900], 9), [1, 2, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn what_does_not_belong_to_a_path_is_taken_off() {
        for word in [
            "/src/a.rs",
            "a/src/a.rs",
            "b/src/a.rs",
            "file=src/a.rs",
            "_src/a.rs_",
            "(*src/a.rs*)",
        ] {
            assert_eq!(undressed(word).next(), Some("src/a.rs"), "{word}");
        }
        assert_eq!(undressed("src/a.rs").next(), None);
    }
}
