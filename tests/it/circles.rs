//! Which file names which, and where that leads back to.
//!
//! Files and folders that lie in one folder may not know one another in a circle. What is
//! written at the head of a folder, in its `mod.rs`, is the vocabulary of everything in it:
//! to use that ties a file to nothing. A name that the head only passes on, by a `use` of
//! its own, ties to the file that it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A module by the names on the way to it; the crate itself has none.
type Module = Vec<String>;

/// How many heads may pass on a name before it is no longer followed.
const MAX_PASSED_ON: usize = 8;

/// What ties the entries of a folder: from which one to which one, and by which words.
type Ties = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The circles among these files, given by their paths below `src` with their texts: for each
/// the folder, what lies in it that is tied, and what ties it.
pub fn find(files: &[(String, String)]) -> Vec<String> {
    let tree = Tree::of(files);
    let arrows = tree.arrows();
    let folders: BTreeSet<&[String]> = tree
        .files
        .keys()
        .flat_map(|module| (0..module.len()).map(|depth| &module[..depth]))
        .collect();
    let in_folder = |folder: &&[String]| {
        let ties = ties_in(folder, &arrows);
        let circles = circles_of(&ties);
        let shown = move |circle: &BTreeSet<String>| show(folder, circle, &ties);
        circles.iter().map(shown).collect::<Vec<_>>()
    };
    folders.iter().flat_map(in_folder).collect()
}

/// A file that names another, and how.
struct Arrow {
    from: Module,
    to: Module,
    words: String,
}

/// What a file names.
#[derive(Default)]
struct File {
    shown: String,
    /// The paths of its `use` lines, by the names that they bring.
    uses: BTreeMap<String, String>,
    /// All paths that it writes out.
    paths: Vec<String>,
}

#[derive(Default)]
struct Tree {
    files: BTreeMap<Module, File>,
}

impl Tree {
    fn of(files: &[(String, String)]) -> Tree {
        let module = |path: &str| {
            let path = path.strip_suffix(".rs")?;
            let mut names: Module = path.split('/').map(str::to_owned).collect();
            if ["mod", "lib"].contains(&names.last()?.as_str()) {
                names.pop();
            }
            let is_read = !["main", "tests"].contains(&names.last().map_or("", String::as_str));
            is_read.then_some(names)
        };
        let read = |(path, text): &(String, String)| Some((module(path)?, File::of(path, text)));
        Tree {
            files: files.iter().filter_map(read).collect(),
        }
    }

    /// Every way in which a file names another one that is not the head of a folder around it.
    fn arrows(&self) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        for (from, file) in &self.files {
            for path in &file.paths {
                let to = self.target(from, path, 0);
                arrows.extend(to.filter(|to| !from.starts_with(to)).map(|to| Arrow {
                    from: from.clone(),
                    to,
                    words: format!("{} uses {path}", file.shown),
                }));
            }
        }
        arrows
    }

    /// The file that holds what a path means in the file of this module.
    fn target(&self, here: &Module, path: &str, passed_on: usize) -> Option<Module> {
        let full = self.absolute(here, path)?;
        let known = (0..=full.len())
            .rev()
            .find(|len| self.files.contains_key(&full[..*len]))?;
        let (module, rest) = full.split_at(known);
        let next = rest
            .first()
            .and_then(|name| self.files[module].uses.get(name));
        let followed = next
            .filter(|_| passed_on < MAX_PASSED_ON)
            .and_then(|next| self.target(&module.to_vec(), next, passed_on + 1));
        followed.or_else(|| (known > 0).then(|| module.to_vec()))
    }

    /// The names of a path from the crate on; `None` for one that leads into a library.
    fn absolute(&self, here: &Module, path: &str) -> Option<Module> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let mut full = here.clone();
        match first {
            "self" => {}
            "crate" => full.clear(),
            "super" => full.truncate(here.len().checked_sub(1)?),
            child => {
                full.push(child.to_owned());
                self.files.get(&full)?;
            }
        }
        for name in rest.split("::") {
            match name {
                "" | "self" => {}
                "super" => full.truncate(full.len().checked_sub(1)?),
                name => full.push(name.to_owned()),
            }
        }
        Some(full)
    }
}

impl File {
    fn of(path: &str, text: &str) -> File {
        let lines = text.lines().map(without_comment);
        let code = lines.collect::<Vec<_>>().join("\n");
        let mut file = File {
            shown: path.to_owned(),
            ..File::default()
        };
        let mut rest = String::new();
        let mut last = 0;
        for (start, body) in use_lines(&code) {
            rest += &code[last..start];
            last = body.end;
            for path in expanded(&code[body]) {
                let (path, name) = path.split_once(" as ").unwrap_or((&path, &path));
                let path = path.trim().trim_end_matches("::self");
                let name = name.trim().trim_end_matches("::self").rsplit("::").next();
                file.uses
                    .insert(name.unwrap_or_default().to_owned(), path.to_owned());
                file.paths.push(path.to_owned());
            }
        }
        rest += &code[last..];
        file.paths.extend(written_out(&rest));
        file
    }
}

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    let starts = |at: &usize| line[..*at].trim().is_empty() || line[..*at].ends_with(' ');
    let at = line.match_indices("//").map(|(at, _)| at).find(starts);
    &line[..at.unwrap_or(line.len())]
}

/// Where the words `use` stand that begin a line, and what stands between each and its `;`.
fn use_lines(code: &str) -> Vec<(usize, Range<usize>)> {
    let is_use = |(at, _): &(usize, &str)| {
        let line = &code[code[..*at].rfind('\n').map_or(0, |at| at + 1)..*at];
        let words = line.trim();
        words.is_empty() || words == "pub" || words.starts_with("pub(") && words.ends_with(')')
    };
    let found = code.match_indices("use ").filter(is_use);
    found
        .filter_map(|(at, word)| {
            let start = at + word.len();
            let end = start + code[start..].find(';')?;
            Some((at, start..end))
        })
        .collect()
}

/// The paths of a tree of names: `a::{b, c::{self, d}}` has three.
fn expanded(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let inside = |open: usize| tree[open + 1..].strip_suffix('}');
    let Some((open, list)) = tree.find('{').and_then(|open| Some((open, inside(open)?))) else {
        return vec![tree.to_owned()];
    };
    let mut depth = 0;
    let parts = list.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts
        .flat_map(expanded)
        .map(|path| format!("{}{path}", &tree[..open]))
        .collect()
}

/// The paths that stand in a text, of two names or more.
fn written_out(code: &str) -> impl Iterator<Item = String> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let words = words.map(|word| word.trim_end_matches(':'));
    words.filter(|word| word.contains("::")).map(str::to_owned)
}

/// What ties the entries of a folder to one another.
fn ties_in(folder: &[String], arrows: &[Arrow]) -> Ties {
    let entry = |module: &Module| Some(module.strip_prefix(folder)?.first()?.clone());
    let mut ties = Ties::new();
    for arrow in arrows {
        let (Some(from), Some(to)) = (entry(&arrow.from), entry(&arrow.to)) else {
            continue;
        };
        if from != to {
            let words = ties.entry(from).or_default().entry(to).or_default();
            words.insert(arrow.words.clone());
        }
    }
    ties
}

/// The sets of entries of which each leads to all others.
fn circles_of(ties: &Ties) -> BTreeSet<BTreeSet<String>> {
    let reached = |from: &String| {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(entry) = next.pop() {
            let new = ties.get(entry).into_iter().flat_map(BTreeMap::keys);
            next.extend(new.filter(|entry| reached.insert((*entry).clone())));
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        ties.keys().map(|from| (from, reached(from))).collect();
    let circle = |(from, reach): (&&String, &BTreeSet<String>)| {
        let back = |entry: &&String| reached.get(*entry).is_some_and(|back| back.contains(*from));
        reach.iter().filter(back).cloned().collect::<BTreeSet<_>>()
    };
    let circles = reached.iter().map(circle);
    circles.filter(|circle| !circle.is_empty()).collect()
}

fn show(folder: &[String], circle: &BTreeSet<String>, ties: &Ties) -> String {
    let entries = circle.iter().cloned().collect::<Vec<_>>().join(", ");
    let mut shown = format!("src/{}: {entries}", folder.join("/"));
    for (from, targets) in ties.iter().filter(|(from, _)| circle.contains(*from)) {
        for (_, words) in targets.iter().filter(|(to, _)| circle.contains(*to)) {
            for words in words {
                shown += &format!("\n  {from}: {words}");
            }
        }
    }
    shown
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    find(&files.iter().map(owned).collect::<Vec<_>>())
}

#[test]
fn two_files_that_use_one_another_are_a_circle_and_it_says_by_what() {
    let files = [
        ("room/mod.rs", "mod a;\nmod b;\nuse self::a::One;\n"),
        ("room/a.rs", "use super::b::Two;\npub struct One;\n"),
        ("room/b.rs", "pub fn two() { super::a::one() }\n"),
    ];
    assert_eq!(
        found(&files),
        ["src/room: a, b\n  a: room/a.rs uses super::b::Two\n  b: room/b.rs uses super::a::one"]
    );
}

#[test]
fn a_circle_is_seen_however_its_paths_are_written() {
    for way in [
        "use crate::room::b::Two;",
        "use crate::{hash, room::{b::{self, Two}, c}};",
        "    use super::{\n        c,\n        b::Two as Second,\n    };",
        "pub(super) use super::b::Two;",
        "fn one(two: &mut crate::room::b::Two) {}",
        "let x = super::b::two(\"https://a.example/\");",
    ] {
        let files = [
            ("room/a.rs", way),
            ("room/b.rs", "use super::c::Three;\n"),
            ("room/c.rs", "use super::a;\n"),
            ("hash.rs", ""),
        ];
        let found = found(&files);
        assert!(
            found.len() == 1 && found[0].starts_with("src/room: a, b, c\n"),
            "{way}: {found:?}"
        );
    }
}

#[test]
fn what_the_head_of_a_folder_defines_ties_nothing() {
    let files = [
        (
            "room/mod.rs",
            "mod a;\nuse self::a::One;\npub struct Word;\n",
        ),
        (
            "room/a.rs",
            "use super::Word;\nuse crate::room::Word as Same;\nfn f() { super::f() }\n",
        ),
        ("room/deep/mod.rs", "pub mod b;\nuse super::a::One;\n"),
        ("room/deep/b.rs", "use super::super::Word;\n"),
    ];
    assert_eq!(found(&files), Vec::<String>::new());
}

#[test]
fn what_the_head_of_a_folder_passes_on_ties_to_where_it_comes_from() {
    let files = [
        (
            "room/mod.rs",
            "mod a;\nmod b;\nuse a::One;\npub use self::b::Two as Second;\n",
        ),
        ("room/a.rs", "use super::Second;\n"),
        ("room/b.rs", "use crate::room::One;\n"),
    ];
    let found = found(&files);
    assert!(
        found.len() == 1 && found[0].starts_with("src/room: a, b\n"),
        "{found:?}"
    );
}

#[test]
fn two_rooms_are_a_circle_although_no_two_files_are() {
    let files = [
        ("one/a.rs", "use crate::two::a;\n"),
        ("one/b.rs", ""),
        ("two/a.rs", ""),
        ("two/b.rs", "use crate::one::b;\n"),
    ];
    let found = found(&files);
    assert!(
        found.len() == 1 && found[0].starts_with("src/: one, two\n"),
        "{found:?}"
    );
}

#[test]
fn comments_libraries_and_a_way_in_one_direction_are_no_circle() {
    let files = [
        (
            "room/a.rs",
            "// use super::b;\n//! [two](super::b::two)\nuse b::Two;\nuse std::fs; // super::b::x\n",
        ),
        (
            "room/b.rs",
            "use super::a::One;\nfn f() { a::g(); c::h() }\n",
        ),
        ("room/c.rs", "use super::{a, b};\n"),
    ];
    assert_eq!(found(&files), Vec::<String>::new());
}
