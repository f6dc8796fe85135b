//! Finds where a task points to files and declarations indirectly: the lines of a traceback,
//! `package.module.function`, a type that has a file of its own, a name written as words.

use std::collections::{HashMap, HashSet};

use crate::index::paths::{stem, without_ending};
use crate::index::words::{each_word, names, versions};
use crate::split::{beginning, folder, name};

/// The most places that count; a log has thousands.
const MAX_PLACES: usize = 100;

/// How many lines away from a named line something may be, because the text has changed since.
const NEAR: usize = 20;

/// What a task points to.
#[derive(Default)]
pub(super) struct Mentions {
    /// Files of which it names a line or a function.
    places: Vec<Place>,
    /// For names such as `a.b.c`: what follows each `a`, each `a.b` (as `a/b`) and so on.
    behind: HashMap<String, HashSet<String>>,
    /// Words that are meant as names, only letters and digits.
    called: HashSet<String>,
    /// Pairs of consecutive words of the task, by their stems.
    pairs: HashSet<(String, String)>,
}

/// A line of a file, as a traceback has it.
struct Place {
    path: String,
    /// From 0.
    line: Option<usize>,
    /// The function that it is in.
    function: Option<String>,
    /// How many files share this many of its last folders and its name; index 0 counts those with
    /// only its name. Empty if nobody counted them.
    as_near: Vec<usize>,
}

impl Place {
    /// Returns how surely it is in this file.
    fn is(&self, path: &str) -> f64 {
        if path == self.path {
            return 1.0;
        }
        let depth = in_common(path, &self.path).checked_sub(1);
        let others = depth.and_then(|depth| self.as_near.get(depth));
        likeness(path, &self.path) / others.map_or(1.0, |files| *files as f64)
    }
}

impl Mentions {
    pub(super) fn of(task: &str) -> Mentions {
        let mut all = Mentions::default();
        for line in task.lines() {
            all.add_places(line);
            all.add_chains(line);
            all.add_pairs(line);
            let telling = names(line).filter(|(at, name)| is_telling(line, *at, name));
            all.called.extend(telling.map(|(_, name)| plain(name)));
        }
        all
    }

    /// Takes in which files there are. In a repository with forty files that `src/main.rs` may
    /// mean, it hardly means any of them.
    pub(super) fn among<'a>(mut self, paths: impl Iterator<Item = &'a str>) -> Mentions {
        for path in paths {
            for place in &mut self.places {
                if let Some(depth) = in_common(path, &place.path).checked_sub(1) {
                    let depths = place.as_near.len().max(depth + 1);
                    place.as_near.resize(depths, 0);
                    place.as_near[depth] += 1;
                }
            }
        }
        self
    }

    /// Adds the files that a line names, if it also names one of their lines.
    fn add_places(&mut self, line: &str) {
        let is_path = |c: char| c.is_alphanumeric() || "_-./\\+@".contains(c);
        let mut rest = line;
        while let Some(start) = rest
            .find(is_path)
            .filter(|_| self.places.len() < MAX_PLACES)
        {
            let from = &rest[start..];
            let end = from.find(|c| !is_path(c)).unwrap_or(from.len());
            let (path, behind) = from.split_at(end);
            rest = behind;
            let number = number_behind(behind);
            if stem(path).len() < name(path).len() && number.is_some() {
                self.places.push(Place {
                    path: path.replace('\\', "/"),
                    line: number.and_then(|number| number.checked_sub(1)),
                    function: function_of(line),
                    as_near: Vec::new(),
                });
            }
        }
    }

    /// Adds names such as `a.b.c`, `a::b::c` and `a#b`.
    fn add_chains(&mut self, line: &str) {
        let mut chain: Vec<&str> = Vec::new();
        let mut end = 0;
        for (at, name) in names(line) {
            let between = &line[end..at];
            if chain.is_empty() || !matches!(between, "." | "::" | "#" | "->" | "\\") {
                chain.clear();
            }
            let mut key = String::new();
            for before in chain.iter().rev().take(3) {
                key = match key.as_str() {
                    "" => (*before).to_owned(),
                    inner => format!("{before}/{inner}"),
                };
                let behind = self.behind.entry(key.clone()).or_default();
                behind.insert(name.to_owned());
            }
            chain.push(name);
            end = at + name.len();
        }
    }

    /// Adds the pairs of consecutive words.
    fn add_pairs(&mut self, line: &str) {
        let mut before = String::new();
        each_word(line, |word| {
            let first = std::mem::replace(&mut before, word.to_owned());
            if !first.is_empty() {
                self.pairs.insert((first, word.to_owned()));
            }
        });
    }

    /// Returns how surely a line of this file is named.
    pub(super) fn placed(&self, path: &str) -> f64 {
        let places = self.places.iter();
        places.map(|place| place.is(path)).fold(0.0, f64::max)
    }

    /// Returns how surely this file is the module in a name such as `package.module.function`: what
    /// follows it should be in the file.
    pub(super) fn module(&self, path: &str, declares: impl Fn(&str) -> bool) -> f64 {
        if self.behind.is_empty() {
            return 0.0;
        }
        let module = module(path);
        let (parent, own) = (name(folder(module)), name(module));
        let whole = self.behind.contains_key(&format!("{parent}/{own}"));
        let behind = self.behind.get(own).into_iter().flatten();
        match behind.into_iter().any(|name| declares(name)) {
            _ if whole && !parent.is_empty() => 1.0,
            true => 0.7,
            false => 0.0,
        }
    }

    /// Whether a file is named like a word that is meant as a name: `Or` and `or.rs`,
    /// `JSONProvider` and `json/provider.py`.
    pub(super) fn calls_file(&self, path: &str) -> bool {
        if self.called.is_empty() {
            return false;
        }
        let own = plain(stem(path));
        own.len() > 1 && self.called.contains(&own)
            || self.called.contains(&(plain(name(folder(path))) + &own))
    }

    /// Returns how surely one of these lines is named, relative to how surely the file is.
    pub(super) fn lines(&self, path: &str, lines: &std::ops::Range<usize>) -> f64 {
        let here = |place: &Place| {
            // What it was made of has its lines elsewhere.
            let is_itself = path.ends_with(name(&place.path));
            let line = place.line.filter(|_| is_itself)?;
            let distance = lines
                .start
                .saturating_sub(line)
                .max((line + 1).saturating_sub(lines.end));
            let near = match distance {
                0 => 1.0,
                1..=NEAR => 0.5,
                _ => 0.0,
            };
            Some(near * place.is(path))
        };
        self.places.iter().filter_map(here).fold(0.0, f64::max)
    }

    /// Returns how surely a traceback names this function of a file.
    pub(super) fn function(&self, path: &str, own: &str) -> f64 {
        let here = self.places.iter();
        let here = here.filter(|place| place.function.as_deref() == Some(own));
        here.map(|place| place.is(path).max(0.3))
            .fold(0.0, f64::max)
    }

    /// Returns how surely the task has this name together with what encloses it: `Type.method`,
    /// `module.function`.
    pub(super) fn qualified(&self, path: &str, names: &[String]) -> f64 {
        let Some((own, outer)) = names.split_last() else {
            return 0.0;
        };
        let outer = outer.last().map_or(name(module(path)), String::as_str);
        let behind = self.behind.get(outer);
        f64::from(u8::from(behind.is_some_and(|behind| behind.contains(own))))
    }

    /// Whether the task writes a name of several words as words: `set_cookie` as "set cookie".
    pub(super) fn says(&self, own: &str) -> bool {
        // Most names are a single word.
        if own.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return false;
        }
        let mut words: Vec<String> = Vec::new();
        each_word(own, |word| words.push(word.to_owned()));
        let mut pairs = words.windows(2);
        words.len() > 1
            && pairs.all(|pair| self.pairs.contains(&(pair[0].clone(), pair[1].clone())))
    }
}

/// Whether a word of the task is meant as a name, by its form or by its quotes.
pub(super) fn is_telling(line: &str, at: usize, name: &str) -> bool {
    let inner = name.trim_matches('_');
    let has_hump = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let mut earlier = line[..at].chars().rev();
    let before = earlier.next();
    // `they're`; of `f'name'` the quote opens.
    let is_apostrophe =
        before == Some('\'') && earlier.take(2).filter(|c| c.is_alphanumeric()).count() == 2;
    let behind = &line[at + name.len()..];
    let after = behind.chars().next();
    // `Python 3.14` is no file `python.py`.
    if after == Some(' ') && starts_with_version(behind.trim_start()) {
        return false;
    }
    has_hump
        || name.contains('_')
        || name.bytes().any(|b| b.is_ascii_digit())
        || name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase())
        || matches!(
            before,
            Some('`' | '.' | '$' | '@' | ':' | '\'' | '"' | '/' | '#')
        ) && !is_apostrophe
        || matches!(after, Some('`' | '(' | '/' | ':'))
        || at > 0 && name.starts_with(|c: char| c.is_uppercase())
}

/// Whether a text begins with a version: `3.14`, `v2.0`.
fn starts_with_version(text: &str) -> bool {
    let number = beginning(text, 12);
    let number = number.strip_prefix('v').unwrap_or(number);
    versions(number).next().is_some_and(|(at, _)| at == 0)
}

/// Returns a path without its extension, or the folder that a file stands for.
fn module(path: &str) -> &str {
    match stem(path) {
        "__init__" | "mod" | "index" | "lib" => folder(path),
        _ => without_ending(path),
    }
}

/// Returns how alike two paths are from the end: 1 if one is the end of the other.
fn likeness(path: &str, mentioned: &str) -> f64 {
    let parts = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    match in_common(path, mentioned) {
        0 => 0.0,
        common if common >= parts(path).min(parts(mentioned)) => 1.0,
        1 => 0.2,
        _ => 0.7,
    }
}

/// Returns how many of their last parts two paths have in common.
fn in_common(path: &str, mentioned: &str) -> usize {
    let theirs = mentioned.trim_start_matches("./").rsplit('/');
    let mut parts = path.rsplit('/').zip(theirs);
    match parts.next() {
        Some((own, theirs)) if own == theirs || is_made_of(theirs, own) => {
            1 + parts.take_while(|(a, b)| a == b).count()
        }
        _ => 0,
    }
}

/// Whether a file that ran was compiled from this one: a traceback of `a.ts` has `a.js`.
fn is_made_of(ran: &str, source: &str) -> bool {
    let both = ran.rsplit_once('.').zip(source.rsplit_once('.'));
    both.is_some_and(|((ran, of_ran), (own, ending))| {
        ran == own
            && matches!(of_ran, "js" | "mjs" | "cjs")
            && matches!(ending, "ts" | "tsx" | "mts" | "cts" | "jsx")
    })
}

/// Returns the line number directly after a path: `:12`, `", line 12`, `(12`, `#L12`.
fn number_behind(text: &str) -> Option<usize> {
    let text = text.trim_start_matches(['"', '\'', '`', ')']);
    let signs = [":line ", ", line ", " line ", "#L", ":", "(", " on line "];
    let digits = signs.iter().find_map(|sign| {
        let digits = text.strip_prefix(sign)?;
        digits
            .starts_with(|c: char| c.is_ascii_digit())
            .then_some(digits)
    })?;
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())].parse().ok()
}

/// Returns the function that a line of a traceback is about: `…, in parse`, `at Parser.parse (…`,
/// ``in `parse'``.
fn function_of(line: &str) -> Option<String> {
    let from = |sign: &str| line.split_once(sign).map(|(_, behind)| behind);
    let told = match line.trim_start().strip_prefix("at ") {
        Some(at) => at.split(['(', ' ']).next(),
        None => from(", in ")
            .or_else(|| from("in `"))
            .or_else(|| from("in '")),
    }?;
    let told = told.split(['(', ' ', '\'', '`']).next()?;
    let own = names(told).last().map(|(_, name)| name.to_owned());
    own.filter(|own| told.ends_with(own.as_str()))
}

/// Returns only letters and digits, in lower case.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two computed numbers are the same.
    fn same(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_lines_of_tracebacks_name_files_and_functions() {
        let cases = [
            (
                "  File \"/usr/lib/sphinx/util/misc.py\", line 530, in inherit",
                "sphinx/util/misc.py",
            ),
            (
                "    at Router.inherit (/app/src/router.js:530:7)",
                "src/router.js",
            ),
            (
                "\tat org.a.Router.inherit(Router.java:530)",
                "src/org/a/Router.java",
            ),
            ("lib/a.rb:530:in `inherit'", "lib/a.rb"),
        ];
        for (line, path) in cases {
            let all = Mentions::of(line);
            assert!(same(all.placed(path), 1.0), "{line}");
            assert!(same(all.lines(path, &(520..540)), 1.0), "{line}");
            assert!(same(all.lines(path, &(540..550)), 0.5), "{line}");
            assert!(same(all.lines(path, &(0..10)), 0.0), "{line}");
            assert!(same(all.function(path, "inherit"), 1.0), "{line}");
            assert!(same(all.function(path, "other"), 0.0), "{line}");
            assert!(same(all.placed("other/file.py"), 0.0), "{line}");
        }
        assert!(same(
            Mentions::of("version 1.2.3 of a.py").placed("a.py"),
            0.0
        ));
    }

    #[test]
    fn a_place_that_many_files_may_be_is_hardly_any_of_them() {
        let all =
            Mentions::of("   --> src/main.rs:3:9\n--> /home/a/axum-0.5/src/routing/mod.rs:305");
        let paths = ["a/src/main.rs", "b/src/main.rs", "axum/src/routing/mod.rs"];
        let all = all.among(paths.into_iter().chain(["main.rs", "src/mod.rs"]));
        for path in &paths[..2] {
            assert!(same(all.placed(path), 0.5), "{path}");
            assert!(same(all.lines(path, &(0..9)), 0.5), "{path}");
        }
        assert!(same(all.placed("axum/src/routing/mod.rs"), 0.7));
        assert!(same(all.placed("src/mod.rs"), 0.2));
        let all = Mentions::of("src/main.rs:3").among(["src/main.rs", "a/src/main.rs"].into_iter());
        assert!(same(all.placed("src/main.rs"), 1.0) && same(all.placed("a/src/main.rs"), 0.5));
    }

    #[test]
    fn what_ran_points_to_what_it_was_made_of_and_not_to_a_line() {
        let all = Mentions::of("at Container.load (/app/dist/engine/container.js:68:28)");
        let paths = [
            "src/engine/container.ts",
            "src/container.py",
            "src/engine/index.ts",
        ];
        let all = all.among(paths.into_iter());
        assert!(same(all.placed("src/engine/container.ts"), 0.7));
        assert!(same(all.placed("src/container.py"), 0.0));
        assert!(same(all.function("src/engine/container.ts", "load"), 0.7));
        assert!(same(all.lines("src/engine/container.ts", &(60..70)), 0.0));
    }

    #[test]
    fn names_with_dots_point_to_modules_and_what_is_in_them() {
        let all = Mentions::of("It is in flask.cli.load_dotenv and Type::method.");
        let none = |_: &str| false;
        assert!(same(all.module("src/flask/cli.py", none), 1.0));
        assert!(same(all.module("src/other/cli.py", none), 0.0));
        assert!(same(
            all.module("cli.py", |name| name == "load_dotenv"),
            0.7
        ));
        let name = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        assert!(same(
            all.qualified("src/flask/cli.py", &name(&["load_dotenv"])),
            1.0
        ));
        assert!(same(all.qualified("a.rs", &name(&["Type", "method"])), 1.0));
        assert!(same(
            all.qualified("a.rs", &name(&["Other", "method"])),
            0.0
        ));
    }

    #[test]
    fn a_type_points_to_its_file_and_words_to_a_name() {
        let all = Mentions::of("The `Or` of a JSONProvider does not set headers twice");
        assert!(all.calls_file("src/or.rs"));
        assert!(all.calls_file("flask/json/provider.py"));
        assert!(all.calls_file("flask/json_provider.py"));
        assert!(!all.calls_file("src/twice.rs"));
        let prose = Mentions::of("They're in f'or'.");
        assert!(!prose.calls_file("src/re.py") && prose.calls_file("src/or.rs"));
        assert!(all.says("set_header"));
        assert!(all.says("setHeaders"));
        assert!(!all.says("get_header"));
        assert!(!all.says("header"));
    }

    #[test]
    fn a_log_costs_no_more_than_its_length() {
        let all = Mentions::of(&"a/b.py:12: in c.d.e\n".repeat(5000));
        assert_eq!(all.places.len(), MAX_PLACES);
        let all = Mentions::of(&"a.".repeat(60_000));
        assert!(all.behind.len() <= 3);
    }
}
