//! For a worker that takes on an issue.

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use super::endings::{Endings, ends};
use super::gathering::Gathering;
use super::place::{Place, is_digits};
use super::{Built, Files, Texts, WHOLE_FILE_LINES, Workspace, call, plain};
use crate::context::warnings_of;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::line_numbers::{before_path, behind_colon, in_anchor, in_words};
use crate::repo::{Asker, Commit, Kind, RepoPath};
use crate::section::NoteKind;
use crate::show::counted;
use crate::split::place_in;
use crate::truncate::KeptLines;

/// How many commits are listed.
const RECENT_CHANGES: usize = 5;

/// The most words of an issue that are looked up as paths.
const MAX_MENTIONS: usize = 2000;

/// The most words that could be paths before the rest of an issue is not read. It is far above
/// [`MAX_MENTIONS`], so that a warning can say how many are left out.
const MAX_WORDS: usize = 100_000;

/// The most parts of a word that are looked up if it is not a path itself.
const MAX_PARTS: usize = 16;

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
    /// Missing fields are empty; labels may be texts or objects.
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
/// The author of the issue may be a stranger, so an ignored file, which often holds secrets, is not
/// shown even if the issue names it.
pub fn build_issue_context(issue: &Issue, workspace: &Workspace) -> Built<IssueContext> {
    let mut gathering = Gathering::new(workspace);
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

/// A word that could be a path, and the parts of it that could be if it is not: other characters
/// may be beside them, and in them.
#[derive(Debug)]
struct Word {
    whole: Option<Mention>,
    parts: Vec<Mention>,
}

/// Something that could be a path.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    path: String,
    lines: Option<RangeInclusive<usize>>,
}

impl Mention {
    /// Returns it with the lines that follow in words, or stand before it, if it has none itself.
    fn or_in(mut self, before: &str, behind: &str) -> Mention {
        let told = || in_words(behind).or_else(|| before_path(before));
        self.lines = self.lines.or_else(|| told().and_then(range));
        self
    }
}

/// Returns the words of a text that could be paths, in order, each with the lines after it. `url`
/// is where the text itself is.
fn mentions(text: &str, url: &str) -> Vec<Word> {
    let project = url.split_once("/issues/").map(|(project, _)| project);
    let mut mentions = Vec::new();
    for line in text.lines() {
        for (at, word) in words(line) {
            if mentions.len() > MAX_WORDS {
                return mentions;
            }
            let quoted = line[..at].ends_with('`') && !word.contains(' ');
            let whole = mention(word, project, quoted);
            let behind = &line[at + word.trim_end_matches(":line").len()..];
            let whole = whole.map(|it| it.or_in(&line[..at], behind));
            let parts = parts(word, whole.as_ref());
            if whole.is_some() || !parts.is_empty() {
                mentions.push(Word { whole, parts });
            }
        }
    }
    mentions
}

/// Whether this character may directly follow a path, and may also be in one: symbols, emoji, and
/// characters without width.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !is_edge(c) && !"./_-:".contains(c)
}

/// Returns what could be a path in a word between other characters. An address is a single item.
fn parts(word: &str, whole: Option<&Mention>) -> Vec<Mention> {
    if !word.contains(is_sign) || word.contains("://") {
        return Vec::new();
    }
    let is_new = |path: &str| whole.is_none_or(|whole| whole.path != path);
    let parts = word
        .split(is_sign)
        .filter_map(|part| mention(part, None, false));
    parts
        .filter(|part| part.path.contains(['/', '.']) && is_new(&part.path))
        .take(MAX_PARTS)
        .collect()
}

/// Returns the words of a line with where they begin, in order; a stretch of the line may be in
/// several.
fn words<'a>(line: &'a str) -> Vec<(usize, &'a str)> {
    let mut words = Vec::new();
    let mut add = |found: &mut dyn Iterator<Item = &'a str>| {
        // A line of signs alone has a word between any two.
        let found = found.filter(|word| !word.is_empty()).take(MAX_WORDS);
        words.extend(found.map(|word| (place_in(line, word), word)));
    };
    // A name with spaces, or without a dot, stands between quotes.
    for quote in ['`', '"', '\''] {
        add(&mut line.split(quote).skip(1).step_by(2).map(str::trim));
    }
    // A link's target may have brackets in it: `[page](app/[id]/page.tsx)`. It ends where
    // the next one begins, or an open one would be read again with each that follows.
    let targets = line.split("](").skip(1);
    add(&mut targets.filter_map(|rest| rest.split([')', ' ']).next()));
    add(&mut line.split(is_edge));
    let odd = line.split(|c: char| is_edge(c) && !"([{}])*".contains(c));
    add(&mut odd.filter(|word| word.contains(['(', '[', '{', '*']) && word.contains('/')));
    // Stable: of words at one place the quoted one comes first.
    words.sort_by_key(|(at, _)| *at);
    words
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

/// Whether a word ends here, whatever language surrounds it.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "`\"'()[]<>{}|,;*~…→“”‘’„«»（）「」【】，。、；：".contains(c)
}

/// Returns the path and the lines in a word such as `src/a.rs:12`, `./a.rs#L3-L9`, or the address
/// of a file on a code host.
fn mention(word: &str, project: Option<&str>, quoted: bool) -> Option<Mention> {
    // A dot at the beginning is a part of the name: `.github`.
    let word = word.trim_start_matches([':', '!', '?']);
    let word = word.trim_end_matches(['.', ':', '!', '?', '-']);
    let word = match word.split_once("/blob/") {
        // Behind it stand a branch and the path.
        Some((host, rest)) if host.contains("://") => {
            if !is_same_project(host, project) {
                return None;
            }
            rest.split_once('/')?.1
        }
        _ => unlabelled(word),
    };
    let (path, lines) = match word.split_once('#') {
        Some((path, anchor)) => (path, in_anchor(anchor).and_then(range)),
        None => match word.split_once(':') {
            Some((path, rest)) if !path.is_empty() => {
                let lines = behind_colon(rest).or_else(|| in_anchor(rest));
                (path, lines.and_then(range))
            }
            _ => (word, None),
        },
    };
    let path = path.split('?').next().unwrap_or(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    let could_be =
        path.len() <= 4096 && path.contains(char::is_alphanumeric) && !path.contains("://");
    let names_file = quoted || path.contains(['/', '.']) || path.starts_with(char::is_uppercase);
    (could_be && names_file).then(|| Mention {
        path: path.replace("%20", " "),
        lines,
    })
}

/// Returns a path without the label before it: `file:src/a.rs:3`.
fn unlabelled(word: &str) -> &str {
    let labelled = word.split_once(':').filter(|(label, path)| {
        !label.contains(['/', '.', '#']) && path.contains('/') && !path.starts_with("//")
    });
    labelled.map_or(word, |(_, path)| path)
}

/// Whether an address on a code host belongs to the project of the issue, as far as that is known.
fn is_same_project(address: &str, project: Option<&str>) -> bool {
    project.is_none_or(|project| project.eq_ignore_ascii_case(address.trim_end_matches("/-")))
}

/// Returns the lines of a range as written; one that ends before it begins is its first line.
fn range((first, last): (usize, Option<usize>)) -> Option<RangeInclusive<usize>> {
    (first > 0).then(|| first..=last.unwrap_or(first).max(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_told_once() {
        assert_eq!(lines_of(&[5..=7, 1..=2, 6..=900], 9), [1, 2, 5, 6, 7, 8, 9]);
    }

    fn paths(text: &str) -> Vec<String> {
        let shown = |mention: Mention| match mention.lines {
            Some(lines) => format!("{}@{}-{}", mention.path, lines.start(), lines.end()),
            None => mention.path,
        };
        let url = "https://github.com/o/r/issues/7";
        let words = mentions(text, url).into_iter();
        let all = words.flat_map(|word| word.whole.into_iter().chain(word.parts));
        all.map(shown).collect()
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
            ("~~src/a.rs~~", "src/a.rs"),
            ("src/a.rs…", "src/a.rs"),
            ("src/a.rs->x", "src/a.rs"),
            ("src/a.rs\u{200b} and", "src/a.rs"),
            ("✅src/a.rs·x", "src/a.rs"),
            ("File:src/a.rs:12", "src/a.rs@12-12"),
            ("@src/a.rs:7", "src/a.rs@7-7"),
            ("src/b.rs=>src/a.rs", "src/a.rs"),
            (
                "https://github.com/o/r/blob/main/src/a.rs#L5",
                "src/a.rs@5-5",
            ),
            ("File \"src/a.py\", line 3, in f", "src/a.py@3-3"),
            ("src/a.py(3)", "src/a.py@3-3"),
            ("a.py(3,5): error", "a.py@3-3"),
            ("a.py(x, y)", "a.py"),
            ("`src/a.py` line 3", "src/a.py@3-3"),
            ("src/a.py (lines 3-5)", "src/a.py@3-5"),
            ("no in src/a.php on line 3.", "src/a.php@3-3"),
            ("at f() in /src/a.cs:line 3", "/src/a.cs@3-3"),
            ("src/a.py:L3-L5", "src/a.py@3-5"),
            ("src/a.py:3, line 7", "src/a.py@3-3"),
            ("src/a.py, line by line", "src/a.py"),
            ("src/a.py: Line 3", "src/a.py@3-3"),
            ("Lines 3-5 of `src/a.py`", "src/a.py@3-5"),
            ("at line 3 in src/a.py", "src/a.py@3-3"),
            ("outline 3 of src/a.py", "src/a.py"),
            ("src/a.py L3", "src/a.py@3-3"),
            ("src/a.py (L3-L5).", "src/a.py@3-5"),
            ("src/a.py L2TP", "src/a.py"),
            ("src/a.py in line 3", "src/a.py@3-3"),
            ("src/a.py(3-5)", "src/a.py@3-5"),
            ("src/a.py(3 errors)", "src/a.py"),
            ("src/a.py(3, x)", "src/a.py"),
            ("src/a.py(2024-01-02)", "src/a.py"),
            ("Makefile", "Makefile"),
            ("`docs/my file.md`", "docs/my file.md"),
            ("app/[id]/page.tsx", "app/[id]/page.tsx"),
            ("[p](app/[id]/page.tsx)", "app/[id]/page.tsx"),
            ("[p](docs/my%20file.md)", "docs/my file.md"),
            ("'docs/my file.md'", "docs/my file.md"),
            ("`it's.txt`", "it's.txt"),
            ("`justfile`", "justfile"),
            ("“src/a.rs”", "src/a.rs"),
            ("（src/a.rs）", "src/a.rs"),
            ("src/a.rs，", "src/a.rs"),
            (
                "https://github.com/o/r/blob/main/a.md?plain=1#L5",
                "a.md@5-5",
            ),
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

    #[test]
    fn the_order_is_that_of_the_text_and_other_projects_are_not_meant() {
        let text = "n1.txt then `docs/my file.md` and n2.txt";
        let found = paths(text);
        let place = |path: &str| found.iter().position(|have| have == path).unwrap();
        assert!(
            place("n1.txt") < place("docs/my file.md")
                && place("docs/my file.md") < place("n2.txt")
        );
        assert!(
            paths("https://github.com/x/y/blob/main/README.md")
                .iter()
                .all(|path| !path.ends_with("README.md"))
        );
    }

    #[test]
    fn a_line_of_signs_alone_costs_no_more_than_its_length() {
        for unit in ["](", "`", "a`", "://a/blob/", "/(*"] {
            let start = std::time::Instant::now();
            let found = paths(&unit.repeat(100_000));
            assert!(found.len() <= MAX_WORDS + 1, "{unit}");
            assert!(start.elapsed().as_secs() < 10, "{unit}");
        }
    }

    #[test]
    fn a_target_ends_where_the_next_one_begins() {
        let found = paths("[a](b/c.rs](e/f.rs)");
        assert!(found.contains(&"b/c.rs".to_owned()) && found.contains(&"e/f.rs".to_owned()));
    }

    #[test]
    fn lines_of_nothing_are_no_lines() {
        assert_eq!(
            paths("a.rs:0 a.rs#L a.rs:x a.rs:9-3"),
            ["a.rs", "a.rs", "a.rs", "a.rs@9-9"]
        );
    }
}
