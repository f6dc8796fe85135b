//! Where Python modules are: beside the file, and below the folders that imports start from.

use std::cell::OnceCell;
use std::rc::Rc;

use super::files::Files;
use super::memo::Memo;
use super::path::{folder, join, upwards};
use super::{Answer, Importer};
use crate::repo::RepoPath;

/// Folders of a project that hold its packages.
const SOURCE_FOLDERS: [&str; 4] = ["", "src", "lib", "python"];

/// Files that make a folder a project.
const PROJECT_FILES: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// The most other projects of the repository that are looked into.
const MAX_PROJECTS: usize = 200;

/// The bytes that are remembered of where first names are: of thirty thousand names.
const MAX_ROOTS: usize = 4 * 1024 * 1024;

/// Modules of the standard library. A local file of the same name does not replace one: which of
/// them is imported depends on how the program is started.
const STANDARD: &str = "__future__ abc aifc argparse array ast asynchat asyncio asyncore atexit \
base64 bdb binascii bisect builtins bz2 calendar cgi cgitb chunk cmath cmd codecs codeop \
collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg \
cProfile crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest \
email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions \
ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http \
imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache \
locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msvcrt \
multiprocessing netrc nntplib ntpath numbers operator optparse os ossaudiodev pathlib pdb pickle \
pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd \
py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched \
secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket \
socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string \
stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib \
tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback \
tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave \
weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib \
zoneinfo _thread";

/// The folders that absolute imports start from; those that contain the first name count.
pub(super) struct Roots {
    with: Memo<Rc<[String]>>,
    /// The folders of all projects.
    projects: OnceCell<Vec<String>>,
}

impl Importer<'_> {
    /// `from ..a import b`, `import a.b`
    pub(super) fn python(&self, dots: usize, module: &[String], name: Option<&str>) -> Answer {
        let here = folder(self.file.as_str());
        if dots > 0 {
            let mut base = here;
            for _ in 1..dots {
                if base.is_empty() {
                    return Answer::Missing;
                }
                base = folder(base);
            }
            return self.python_in(base, module, name);
        }
        let Some(first) = module.first() else {
            return Answer::Outside;
        };
        if STANDARD
            .split_ascii_whitespace()
            .any(|known| known == first)
        {
            return Answer::Outside;
        }
        let roots = self.resolver.roots.with(self.files(), here, first);
        let mut answer = Answer::Outside;
        for root in roots.iter() {
            match self.python_in(root, module, name) {
                Answer::Missing => answer = Answer::Missing,
                found => return found,
            }
        }
        answer
    }

    /// Resolves a module whose last name may be a module or something in it.
    fn python_in(&self, base: &str, module: &[String], name: Option<&str>) -> Answer {
        let module = join(base, &module.join("/"));
        if let Some(name) = name {
            let inside = join(&module, name);
            if let Some(found) = file_of(self.files(), &inside) {
                return Answer::Found(vec![found]);
            }
            let is_module = |name: &str| name.ends_with(".py");
            if self.files().is_folder(&inside) && self.files().has_name(&inside, is_module) {
                return Answer::Found(Vec::new());
            }
        }
        match file_of(self.files(), &module) {
            Some(found) => Answer::Found(vec![found]),
            // A folder without `__init__.py` is a package too, and has no file.
            None if name.is_none() && self.files().is_folder(&module) => Answer::Found(Vec::new()),
            None => Answer::Missing,
        }
    }
}

/// Returns the file of a module: `a.py`, `a/__init__.py`, or a file with only its types.
fn file_of(files: &Files<'_>, module: &str) -> Option<RepoPath> {
    if module.is_empty() {
        return files.file("__init__.py");
    }
    let endings = [".py", "/__init__.py", ".pyi", "/__init__.pyi"];
    files.first(endings.map(|ending| format!("{module}{ending}")))
}

impl Default for Roots {
    fn default() -> Roots {
        Roots {
            with: Memo::with_room(MAX_ROOTS),
            projects: OnceCell::new(),
        }
    }
}

impl Roots {
    /// Returns the folders in which an absolute import from a file in `here` finds its first name,
    /// in the order in which they are searched: the folder above the package that the file belongs
    /// to, those above it, each with its source folders, and those of the repository's other
    /// projects.
    fn with(&self, files: &Files<'_>, here: &str, first: &str) -> Rc<[String]> {
        // No name has a break.
        let key = format!("{here}\n{first}");
        let of_root = |root: &String| size_of::<String>() + root.len();
        let bytes = |found: &Rc<[String]>| found.iter().map(of_root).sum();
        self.with
            .weighed(&key, || self.find(files, here, first), bytes)
    }

    fn find(&self, files: &Files<'_>, here: &str, first: &str) -> Rc<[String]> {
        let has = |root: &String| {
            let path = join(root, first);
            file_of(files, &path).is_some() || files.is_folder(&path)
        };
        let mut top = here;
        while !top.is_empty() && files.file(&join(top, "__init__.py")).is_some() {
            top = folder(top);
        }
        let beside = join(top, "x");
        let near = upwards(&beside)
            .flat_map(|folder| SOURCE_FOLDERS.map(|source| join(folder, source)))
            .filter(has);
        let mut found: Vec<String> = near.collect();
        if found.is_empty() && has_neighbours(files, here) {
            let projects = self.projects.get_or_init(|| projects(files));
            found = projects.iter().filter(|root| has(root)).cloned().collect();
        }
        found.into()
    }
}

/// Whether the repository may hold other projects than the one that a folder belongs to.
fn has_neighbours(files: &Files<'_>, here: &str) -> bool {
    let beside = join(here, "x");
    let is_project = |folder: &&str| {
        PROJECT_FILES
            .iter()
            .any(|name| files.text(folder, name).is_some())
    };
    match upwards(&beside).find(is_project) {
        Some("") => {
            let manifest = files.text("", PROJECT_FILES[0]);
            manifest.is_some_and(|text| files.search(&text) && text.contains("workspace"))
        }
        _ => true,
    }
}

/// Returns the source folders of all projects, in order.
fn projects(files: &Files<'_>) -> Vec<String> {
    let mut folders: Vec<&str> = PROJECT_FILES
        .iter()
        .flat_map(|name| files.listing().named(name))
        .map(folder)
        .collect();
    folders.sort_unstable();
    folders.dedup();
    folders
        .into_iter()
        .take(MAX_PROJECTS)
        .flat_map(|folder| SOURCE_FOLDERS.map(|source| join(folder, source)))
        .collect()
}
