//! Which files each file imports, and what is kept of that for the next run.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, File};
use super::imports::{Effort, Resolver};
use super::packed::Packed;
use super::reading::Imports;
use super::scope::Scope;
use crate::repo::{Repo, RepoPath, Stamp, WalkNumber};

/// The most links that are kept; hand-written files have about ten each.
const MAX_LINKS: usize = 500_000;

/// The most files outside the corpus that may have been asked for.
const MAX_CONSULTED: usize = 20_000;

/// For each file, the files that it imports.
pub type Links = Vec<Vec<usize>>;

/// The links of a corpus.
pub struct FoundLinks {
    pub links: Rc<Links>,
    /// How many files' links were not known from earlier.
    fresh: usize,
    /// Everything that is now known; `None` if there was too much to find all.
    known: Option<KeptLinks>,
}

/// What the links depend on, beside the imports of each file.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Basis {
    /// Identifies the files among which imports were looked for, and what they export.
    mark: u64,
    /// What was asked for on disk.
    consulted: BTreeMap<String, Option<Stamp>>,
    effort: Effort,
}

/// Links as they are kept.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct KeptLinks {
    basis: Basis,
    /// What is known of files, by their positions in the scope.
    of: BTreeMap<u32, Known>,
    /// The look in which they were seen to hold.
    #[serde(skip)]
    look: Option<u64>,
    /// Whether they hold only in this look, because something was about to change.
    #[serde(skip)]
    is_passing: bool,
}

/// The links of a file.
#[derive(Clone, Serialize, Deserialize)]
struct Known {
    /// Identifies the imports that the file declares.
    says: u64,
    /// The positions of the files that it imports, in order.
    to: Box<[u32]>,
}

impl Basis {
    /// Whether something may not have been found.
    fn is_too_much(&self) -> bool {
        let paths = self.consulted.keys().map(String::len).sum();
        self.effort.is_too_much(paths)
    }
}

impl KeptLinks {
    /// Whether what was found out holds in this scope, whose files a walk found.
    fn holds(&self, repo: &Repo, walk: WalkNumber, mark: u64) -> bool {
        let is_same = |(path, stamp): (&String, &Option<Stamp>)| {
            stamp.is_none() && repo.lacks(path, walk)
                || RepoPath::parse(path).is_ok_and(|path| repo.stamp(&path) == *stamp)
        };
        let is_seen = self.look.is_some() && self.look == repo.look();
        self.basis.mark == mark
            && (is_seen || !self.is_passing && self.basis.consulted.iter().all(is_same))
    }

    /// Whether they also hold for another run.
    pub fn may_be_kept(&self) -> bool {
        !self.is_passing
    }

    /// Whether it is too much to be kept.
    fn is_too_much(&self) -> bool {
        let links: usize = self.of.values().map(|known| known.to.len()).sum();
        links > MAX_LINKS || self.basis.consulted.len() > MAX_CONSULTED
    }
}

impl FoundLinks {
    /// Finds what each file of a corpus imports. If no file of the scope was added, removed or
    /// changed its exports, only files with changed imports are looked at.
    pub fn of(
        repo: &Repo,
        walk: WalkNumber,
        corpus: &Corpus,
        scope: &Scope<'_>,
        kept: &mut Vec<KeptLinks>,
    ) -> FoundLinks {
        let mark = scope.mark();
        let at = kept.iter().position(|kept| kept.basis.mark == mark);
        let known = at.map(|at| kept.remove(at));
        let known = known.filter(|known| known.holds(repo, walk, mark));
        let had_known = known.is_some();
        let mut known = known.unwrap_or_default();
        known.basis.mark = mark;
        let fresh = find(repo, corpus, scope, &mut known);
        if known.basis.is_too_much() && had_known {
            // Without what was kept it might not have been too much.
            return FoundLinks::of(repo, walk, corpus, scope, &mut Vec::new());
        }
        let places = (0..corpus.files.len()).map(|at| scope.place_of(at));
        let links = places.map(|place| match known.of.get(&place) {
            Some(known) => scope.in_corpus(&known.to),
            None => Vec::new(),
        });
        FoundLinks {
            links: Rc::new(links.collect()),
            fresh,
            known: (!known.basis.is_too_much() && !known.is_too_much()).then_some(known),
        }
    }

    /// Returns what is worth keeping, if all of it can be relied upon.
    pub fn kept(&self) -> Option<&KeptLinks> {
        self.known.as_ref().filter(|known| known.may_be_kept())
    }

    /// Returns for how many files the links are new and worth keeping.
    pub fn fresh(&self) -> usize {
        self.kept().map_or(0, |_| self.fresh)
    }

    /// Returns what is kept for the next prompt of a look.
    pub fn kept_in(self, look: u64) -> Option<KeptLinks> {
        let look = Some(look);
        self.known.map(|known| KeptLinks { look, ..known })
    }
}

/// Finds the links of those files of a corpus for which they are not known, or belong to another
/// text. Returns how many these are.
fn find(repo: &Repo, corpus: &Corpus, scope: &Scope<'_>, known: &mut KeptLinks) -> usize {
    let is_known = |at: usize, file: &File| {
        let known = known.of.get(&scope.place_of(at));
        known.is_some_and(|known| known.says == file.read.imports_mark)
    };
    let files = corpus.files.iter().enumerate();
    let unknown: Vec<(usize, &File)> = files.filter(|(at, file)| !is_known(*at, file)).collect();
    if unknown.is_empty() {
        return 0;
    }
    let others = scope.exports_of_others();
    let resolver = Resolver::among(repo, scope.exports(corpus, &others));
    for (at, file) in &unknown {
        let place = scope.place_of(*at);
        let to = imported(&resolver, scope, file);
        let says = file.read.imports_mark;
        known.of.insert(place, Known { says, to });
    }
    known.basis.effort.add(resolver.effort());
    known.basis.consulted.extend(resolver.consulted());
    // What was changed a moment before it was read may have changed unseen.
    let is_settled = |stamp: &Option<Stamp>| stamp.as_ref().is_none_or(Stamp::is_settled);
    known.is_passing = !known.basis.consulted.values().all(is_settled);
    unknown.len()
}

/// Returns the positions of the files that one file imports, in order.
fn imported(resolver: &Resolver<'_>, scope: &Scope<'_>, file: &File) -> Box<[u32]> {
    let package = file.read.exports.package.clone();
    let imports = file.read.imports.as_ref().and_then(Packed::open);
    let imports: Imports = imports.unwrap_or_default();
    let importer = resolver.importer(&file.path, file.language, package, &imports.named);
    let imports = imports.all.iter();
    let mut seen: HashSet<RepoPath, RandomState> = HashSet::default();
    let mut to: Vec<u32> = imports
        .flat_map(|import| importer.resolve(import))
        // Many imports may lead to the same files, and a place is searched for.
        .filter(|path| seen.insert(path.clone()))
        .filter_map(|path| scope.place(path.as_str()))
        .collect();
    to.sort_unstable();
    to.dedup();
    to.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::candidates::Candidates;
    use super::super::corpus::tests::of_texts;
    use super::super::search::{Quest, likeliest};
    use super::super::searched::Searched;
    use super::*;
    use crate::repo::with_files;

    const USER: (&str, &str) = ("app/A.java", "package app;\nimport q.B;\nclass A { B b; }");
    const USED: (&str, &str) = ("odd/q/B.java", "package q;\nclass B {}");
    const ALIKE: (&str, &str) = ("other/q/B.java", "package z.q;\nclass B {}");

    fn searched(repo: &Repo) -> Searched {
        let candidates = Candidates::of(repo, &|_| false);
        let quest = Quest {
            repo,
            files: &candidates.found,
            all: &candidates.all,
            task: "",
            targets: &[],
            past: &[],
        };
        likeliest(&quest, 1).searched
    }

    #[test]
    fn what_was_found_for_one_corpus_holds_in_another_of_the_same_files() {
        let folder = with_files([USER, USED, ALIKE]);
        let mut repo = Repo::open(folder.path()).unwrap();
        repo.look_again().unwrap();
        let mut kept = Vec::new();
        let mut find = |files: &[(&str, &str)]| {
            let (corpus, searched) = (of_texts(files), searched(&repo));
            let scope = Scope::of(&corpus, Some(&searched));
            let found = FoundLinks::of(&repo, repo.last_walk(), &corpus, &scope, &mut kept);
            let told = (found.fresh(), found.links.to_vec());
            kept.extend(found.kept_in(repo.look().unwrap()));
            told
        };
        // What tells one `B` from the other stands in files that are not in the corpus.
        assert_eq!(find(&[USER]), (1, vec![vec![]]));
        assert_eq!(find(&[USER, USED]), (1, vec![vec![1], vec![]]));
        assert_eq!(find(&[USER, ALIKE]), (1, vec![vec![], vec![]]));
        assert_eq!(find(&[USED, USER]), (0, vec![vec![1], vec![]]));
        let other = (USER.0, "package app;\nclass A {}");
        assert_eq!(find(&[other, USED]), (1, vec![vec![], vec![]]));
        assert_eq!(find(&[("app/New.java", USER.1)]).0, 1);
    }

    #[test]
    fn a_project_file_counts_once_however_often_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let users = ["a", "b", "c"].map(|name| {
            let text = "import { x } from '#lib/x';\nimport '@/x';\n".to_owned() + name;
            (format!("pkg/{name}.ts"), text)
        });
        let manifest = r##"{"imports": {"#lib/*": "./lib/*.ts"}, "name": "pkg"}"##;
        let tsconfig = r#"{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}"#;
        fs::create_dir_all(folder.path().join("pkg/lib")).unwrap();
        for (path, text) in [
            ("pkg/package.json", manifest),
            ("pkg/tsconfig.json", tsconfig),
        ] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let mut repo = Repo::open(folder.path()).unwrap();
        repo.look_again().unwrap();
        let corpus = |users: &[(String, String)]| {
            let users = users
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str()));
            let files: Vec<_> = users
                .chain([("pkg/lib/x.ts", "export const x = 1;")])
                .collect();
            of_texts(&files)
        };
        for (path, text) in &users {
            fs::write(folder.path().join(path), text).unwrap();
        }
        fs::write(folder.path().join("pkg/lib/x.ts"), "export const x = 1;").unwrap();
        let searched = searched(&repo);
        let cost = |asked: &[&[(String, String)]]| {
            let mut kept = Vec::new();
            for users in asked {
                let corpus = corpus(users);
                let scope = Scope::of(&corpus, Some(&searched));
                let found = FoundLinks::of(&repo, repo.last_walk(), &corpus, &scope, &mut kept);
                assert!(
                    found
                        .links
                        .iter()
                        .take(users.len())
                        .all(|links| links.len() == 1)
                );
                kept.extend(found.kept_in(repo.look().unwrap()));
            }
            kept.pop().unwrap().basis.effort.of_projects()
        };
        let at_once = cost(&[&users]);
        assert!(
            at_once.0 >= manifest.len() + tsconfig.len() && at_once.1 > 0,
            "{at_once:?}"
        );
        assert_eq!(cost(&[&users[..1], &users[..2], &users]), at_once);
    }
}
