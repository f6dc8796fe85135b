//! Finds roles, follows what they extend, and merges them into one role.

use std::path::{Path, PathBuf};

use super::faults::{
    circle, idle_extends, role_error, stop_at_errors, too_long, unreadable, valid,
};
use super::node::{BUILT_IN_PLACE, Node, SourceFile};
use super::raw::{Raw, name_of};
use super::reading::Reading;
use super::schema::{check_whole, is_role_name};
use super::yaml::{MAX_FILE, Size, read};
use super::{Role, RoleValue, merge};
use crate::error::{Diagnostic, Error, ErrorKind, Rule};
use crate::nearest::did_you_mean;
use crate::repo::{Asker, Kind, Repo, RepoPath, read_regular_file};
use crate::show::quoted;

/// The most roles in a chain of `extends`.
const MAX_CHAIN: usize = 32;

/// The most names that a wrong one is compared with to suggest what was meant.
const MAX_COMPARED: usize = 1000;

/// Where a repository keeps its own roles.
pub const ROLES_FOLDER: &str = ".packer/roles";

/// The roles that are part of the program.
const BUILT_IN: [(&str, &str); 3] = [
    ("planner", include_str!("../../roles/planner.yaml")),
    ("implementer", include_str!("../../roles/implementer.yaml")),
    ("reviewer", include_str!("../../roles/reviewer.yaml")),
];

/// The places in which roles are looked for. The first that has a role wins.
///
/// A role that extends its own name extends the next role of that name further down the list, so
/// that a repository can adjust `implementer` under that name.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    places: Vec<Place>,
}

#[derive(Debug, Clone)]
struct Place {
    /// The folder that is opened; everything is read beneath it.
    root: PathBuf,
    /// The folder of the roles in it.
    folder: String,
    /// Who wrote them.
    asker: Asker,
}

impl Place {
    /// Returns the opened root and the folder in it; `None` without an error if it does not exist.
    fn open(&self) -> Option<(Repo, RepoPath)> {
        let repo = self.root.is_dir().then(|| Repo::open(&self.root).ok())??;
        Some((repo, RepoPath::parse(&self.folder).ok()?))
    }

    fn shown(&self) -> String {
        if self.folder.is_empty() {
            return self.root.display().to_string();
        }
        self.root.join(&self.folder).display().to_string()
    }
}

/// A role that can be loaded by its name.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ListedRole {
    /// Its name.
    pub name: String,
    /// What it does; empty if it cannot be loaded.
    pub description: String,
    /// Where it comes from.
    pub source: String,
    /// Why it cannot be loaded.
    pub error: Option<String>,
}

impl Roles {
    /// Knows only the built-in roles.
    pub fn built_in() -> Roles {
        Roles::default()
    }

    /// Looks in a folder of the operator's, after those added before.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Roles {
        self.places.push(Place {
            root: folder.into(),
            folder: String::new(),
            asker: Asker::Operator,
        });
        self
    }

    /// Looks in a repository's own folders, `.packer/roles` and `.supervisor/roles`, after those
    /// added before. Links that lead out of the repository are not followed.
    pub fn repository(mut self, root: &Path) -> Roles {
        for folder in [ROLES_FOLDER, ".supervisor/roles"] {
            self.places.push(Place {
                root: root.to_owned(),
                folder: folder.into(),
                asker: Asker::Repository,
            });
        }
        self
    }

    /// Checks that a role can have this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Role`], which says what a valid name is.
    pub fn check_name(name: &str) -> Result<(), Error> {
        if is_role_name(name) {
            return Ok(());
        }
        let message = format!("`{}` is not a role's name", quoted(name));
        let help = "a name has letters, digits, `_` and `-`; the path of a role file has a `/` or \
                    ends in `.yaml`";
        let problem = Diagnostic::error(message).rule(Rule::InvalidName);
        Err(role_error(problem.help(Some(help.into()))))
    }

    /// Loads a role by its name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Role`]: there is no such role, or it or one that it extends is
    /// malformed, with everything that is wrong in the file.
    pub fn load(&self, name: &str) -> Result<Role, Error> {
        self.all().load(name)
    }

    /// Returns all of them, to be loaded one after the other. Together they may have 60,000 values
    /// and 8 MiB of files, each counted with everything that it extends and as at least 4 KiB.
    /// Roles beyond that are refused.
    pub fn all(&self) -> AllRoles<'_> {
        AllRoles {
            roles: self,
            reading: Reading::new(),
        }
    }

    fn open(&self, name: &str, reading: &Reading) -> Result<Raw, Error> {
        Roles::check_name(name)?;
        self.find(name, 0, reading)?
            .ok_or_else(|| self.missing(name, None, reading))
    }

    /// Loads a role from a file, which may extend roles of the places.
    ///
    /// # Errors
    ///
    /// The errors of [`Roles::load`]; [`ErrorKind::File`] if the file cannot be read.
    pub fn load_file(&self, path: &Path) -> Result<Role, Error> {
        let reading = Reading::new();
        let (raw, stem) = self.open_file(path, &reading)?;
        self.finish(raw, stem.as_deref(), &reading)
    }

    /// Returns what can be checked of a role file that cannot be loaded, like
    /// [`patterns_of`](AllRoles::patterns_of).
    pub fn patterns_of_file(&self, path: &Path) -> Option<Role> {
        let (raw, stem) = self.open_file(path, &Reading::new()).ok()?;
        raw.patterns(stem.as_deref())
    }

    /// Reads a role's file, and returns it with its name without the extension.
    fn open_file(&self, path: &Path, reading: &Reading) -> Result<(Raw, Option<String>), Error> {
        let shown = path.display().to_string();
        let file = read_regular_file(path, MAX_FILE);
        let text = valid(&shown, file.map_err(|e| e.with_rule(Rule::UnreadableFile))?)?;
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        let place = self.place_of(path);
        Ok((self.raw(&shown, text, place, reading)?, stem))
    }

    /// Returns the place whose folder holds this file, so that a role that extends its own name
    /// does not find itself again.
    fn place_of(&self, file: &Path) -> Option<usize> {
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let here = Repo::open(folder.unwrap_or(Path::new("."))).ok()?;
        self.places.iter().position(|place| {
            Repo::open(place.root.join(&place.folder)).is_ok_and(|at| at.root() == here.root())
        })
    }

    /// Makes a role from YAML text. `name` is how messages refer to the text.
    ///
    /// # Errors
    ///
    /// The errors of [`Roles::load`].
    pub fn load_yaml(&self, name: &str, text: impl Into<String>) -> Result<Role, Error> {
        let reading = Reading::new();
        let raw = self.raw(name, text.into(), None, &reading)?;
        self.finish(raw, None, &reading)
    }

    /// Makes a role from a JSON object with the same fields.
    ///
    /// # Errors
    ///
    /// The errors of [`Roles::load`].
    pub fn load_json(&self, json: &serde_json::Value) -> Result<Role, Error> {
        let raw = Raw {
            node: Node::from_json(json),
            problems: Vec::new(),
            is_whole: true,
            size: Size::default(),
            source: "request".into(),
            place: None,
        };
        self.finish(raw, None, &Reading::new())
    }

    /// Returns every role that can be loaded by its name, sorted by name.
    pub fn list(&self) -> Vec<ListedRole> {
        let all = self.all();
        all.names()
            .into_iter()
            .map(|name| match all.load(&name) {
                Ok(role) => ListedRole {
                    name,
                    description: role.description,
                    source: role.source,
                    error: None,
                },
                Err(error) => ListedRole {
                    name,
                    description: String::new(),
                    source: String::new(),
                    error: Some(error.to_string()),
                },
            })
            .collect()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).into()).collect();
        for (repo, folder) in self.places.iter().filter_map(Place::open) {
            let stems = repo.names(&folder).into_iter().filter_map(|name| {
                let stem = name
                    .strip_suffix(".yaml")
                    .or_else(|| name.strip_suffix(".yml"))?;
                is_role_name(stem).then(|| stem.to_owned())
            });
            names.extend(stems);
        }
        names
    }

    /// Finds the file of a role, from the given place on.
    fn find(&self, name: &str, from: usize, reading: &Reading) -> Result<Option<Raw>, Error> {
        for (index, place) in self.places.iter().enumerate().skip(from) {
            let Some((repo, folder)) = place.open() else {
                continue;
            };
            for ending in ["yaml", "yml"] {
                let path = folder.entry(&format!("{name}.{ending}"));
                if repo.kind(&path) == Kind::Missing {
                    continue;
                }
                let shown = place.root.join(path.as_str()).display().to_string();
                // Whoever names a role names its file.
                let text = match repo.read_for(Asker::Caller, &path, MAX_FILE) {
                    Ok(file) => valid(&shown, file)?,
                    Err(refusal) => return Err(unreadable(&shown, &refusal)),
                };
                return self.raw(&shown, text, Some(index), reading).map(Some);
            }
        }
        let built_in = BUILT_IN.iter().find(|(built_in, _)| *built_in == name);
        match built_in {
            Some((_, text)) if from <= self.places.len() => {
                let shown = format!("{BUILT_IN_PLACE} {name}.yaml");
                let place = Some(self.places.len());
                let mut raw = self.raw(&shown, (*text).to_owned(), place, reading)?;
                raw.source = BUILT_IN_PLACE.into();
                Ok(Some(raw))
            }
            _ => Ok(None),
        }
    }

    /// Reads a role's text, which comes from this place.
    fn raw(
        &self,
        name: &str,
        text: String,
        place: Option<usize>,
        reading: &Reading,
    ) -> Result<Raw, Error> {
        let place_of = place.and_then(|place| self.places.get(place));
        let asker = place_of.map_or(Asker::Operator, |place| place.asker);
        let file = SourceFile::by(asker, name, text);
        let read = read(&file);
        reading.charge(read.size, file.text().len());
        let Some(node) = read.node else {
            return Err(Error::all(ErrorKind::Role, read.problems));
        };
        Ok(Raw {
            node,
            problems: read.problems,
            is_whole: read.is_whole,
            size: read.size,
            source: name.to_owned(),
            place,
        })
    }

    fn missing(&self, name: &str, extends: Option<&Raw>, reading: &Reading) -> Error {
        // A role that extends its own name is there, but none behind it.
        let names = reading.names.get_or_init(|| self.names()).iter();
        let names = names.filter(|known| *known != name);
        let mut places: Vec<String> = self.places.iter().map(Place::shown).collect();
        places.push("the built-in roles".into());
        let searched = places.join(", ");
        let at = extends.and_then(|child| child.node.get("extends")?.at.place());
        let wanted = if extends.is_some() { " to extend" } else { "" };
        let message = format!("there is no role `{name}`{wanted}; searched: {searched}");
        let help = did_you_mean(name, names.take(MAX_COMPARED).map(String::as_str))
            .unwrap_or_else(|| "run `packer roles list` to see all of them".into());
        let problem = Diagnostic::error(message).rule(Rule::UnknownRole).at(at);
        role_error(problem.help(Some(help)))
    }

    /// Follows the chain of `extends`, merges it, and checks the whole.
    fn finish(&self, first: Raw, stem: Option<&str>, reading: &Reading) -> Result<Role, Error> {
        let mut problems = first.check();
        stop_at_errors(&mut problems)?;
        let start = name_of(&first.node).or(stem).unwrap_or("?").to_owned();
        let (chain, last) = self.chain_of(first, start, reading, &mut problems)?;

        let root = name_of(&chain[chain.len() - 1].node).unwrap_or(&last);
        let base_role = (chain.len() > 1).then(|| root.to_owned());
        let source = chain[0].source.clone();
        let files = chain.iter().map(|raw| raw.node.at.file().to_owned());
        let files: Vec<String> = files.filter(|file| !file.is_empty()).collect();
        let prompt = prompt_of(chain.iter().rev().map(|raw| &raw.node));
        let mut nodes = chain.into_iter().map(|raw| raw.node);
        let Some(child) = nodes.next() else {
            return Err(role_error(Diagnostic::error("a role has no file")));
        };
        let parent = nodes
            .rev()
            .reduce(|parent, child| merge::over(&parent, &child));
        let merged = match &parent {
            Some(parent) => merge::over(parent, &child),
            None => child.clone(),
        };
        check_whole(&merged, &mut problems);
        stop_at_errors(&mut problems)?;
        let idle = parent.and_then(|parent| {
            let base = base_role.as_deref().unwrap_or_default();
            idle_extends(&parent, &child, &merged, base)
        });

        let mut role: Role = serde_json::from_value(merged.to_json())
            .map_err(|e| role_error(Diagnostic::error(format!("cannot use the role: {e}"))))?;
        if let Some(stem) = stem.filter(|stem| *stem != role.name) {
            let at = merged.get("name").and_then(|node| node.at.place());
            let message = format!(
                "the role is named `{}`, but its file is named `{stem}`",
                role.name
            );
            let problem = Diagnostic::warning(message).rule(Rule::NameDiffers);
            problems.push(problem.at(at));
        }
        role.base = base_role;
        role.source = source;
        role.warnings = problems;
        role.remarks = idle.into_iter().collect();
        if let Some(context) = merged.get("context") {
            role.context.locate(context);
        }
        role.node = Some(merged);
        role.chain = files;
        role.prompt = prompt;
        Ok(role)
    }

    /// Returns the role `start`, the role that it extends, and so on, with the name by which the
    /// last of them was found.
    fn chain_of(
        &self,
        first: Raw,
        start: String,
        reading: &Reading,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<(Vec<Raw>, String), Error> {
        let mut size = first.size;
        let mut chain = vec![first];
        let mut names = vec![start];
        while let Some(parent) = text_of(&chain[chain.len() - 1].node, "extends") {
            let child = &chain[chain.len() - 1];
            let here = &names[names.len() - 1];
            let raw = if parent == *here {
                // The next role of the same name further down the list.
                let from = child.place.map_or(0, |place| place + 1);
                self.find(&parent, from, reading)?
            } else if names.contains(&parent) {
                return Err(circle(&names, &parent, child));
            } else {
                self.find(&parent, 0, reading)?
            };
            let Some(raw) = raw else {
                return Err(self.missing(&parent, Some(child), reading));
            };
            if chain.len() >= MAX_CHAIN {
                let message = format!("more than {MAX_CHAIN} roles extend each other");
                return Err(too_long(message, child));
            }
            size = size
                .and(raw.size)
                .map_err(|why| too_long(format!("{why}, counting what the role extends"), child))?;
            problems.extend(raw.check());
            stop_at_errors(problems)?;
            names.push(parent);
            chain.push(raw);
        }
        let last = names.swap_remove(names.len() - 1);
        Ok((chain, last))
    }
}

/// Every role that can be loaded by its name. All roles that are loaded count against the same
/// limits, so that their cost does not grow with their number in a repository.
pub struct AllRoles<'a> {
    roles: &'a Roles,
    reading: Reading,
}

impl AllRoles<'_> {
    /// Returns their names, in order.
    pub fn names(&self) -> Vec<String> {
        let names = self.reading.names.get_or_init(|| self.roles.names());
        let mut names = names.clone();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Loads one of them.
    ///
    /// # Errors
    ///
    /// The errors of [`Roles::load`], and an error if those loaded before are too large together.
    pub fn load(&self, name: &str) -> Result<Role, Error> {
        if !self.reading.has_room() {
            let message = format!(
                "the role `{}` is not read: the roles before it are too large together",
                quoted(name)
            );
            let help = format!(
                "run `packer roles show {}` to read it by itself",
                quoted(name)
            );
            let problem = Diagnostic::error(message).rule(Rule::UnreadableFile);
            return Err(role_error(problem.help(Some(help))));
        }
        let raw = self.roles.open(name, &self.reading)?;
        self.roles.finish(raw, Some(name), &self.reading)
    }

    /// Returns what can be checked of a role that cannot be loaded: its own patterns. `None` if not
    /// even these can be read.
    pub fn patterns_of(&self, name: &str) -> Option<Role> {
        let is_read = self.reading.has_room();
        let raw = is_read.then(|| self.roles.open(name, &self.reading).ok())??;
        raw.patterns(Some(name))
    }
}

/// Returns the parts of a role's instructions, starting at the root of its chain: the last prompt,
/// and what is added to it.
fn prompt_of<'a>(chain: impl Iterator<Item = &'a Node>) -> Vec<RoleValue> {
    let mut parts = Vec::new();
    for node in chain {
        let field = |name| Some((name, node.get(name).filter(|n| n.as_text().is_some())?));
        if let Some((name, prompt)) = field("system_prompt") {
            parts = vec![RoleValue::of(name, prompt)];
        }
        if let Some((name, added)) = field("system_prompt_additions") {
            parts.push(RoleValue::of(name, added));
        }
    }
    parts
}

fn text_of(node: &Node, field: &str) -> Option<String> {
    node.get(field).and_then(Node::as_text).map(str::to_owned)
}
