//! What a file is to someone who changes a program: source, or something that changes beside it.

use crate::split;
use crate::syntax::{is_program, language};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// In a programming language, or run all the same.
    Source,
    /// The list of changes that a project keeps.
    Changelog,
    /// Text for people to read.
    Document,
    /// How the project is built and checked: build files and CI files.
    Build,
    /// Other settings, pages.
    Other,
}

impl Kind {
    /// All but the source, in a fixed order.
    pub const BESIDE: [Kind; 4] = [Kind::Changelog, Kind::Document, Kind::Build, Kind::Other];

    /// Returns what the file at this path is; `None` if it is not worth reading: files in no known
    /// language, generated files, lock files, licences, test data, the forms of a forge, and the
    /// cases that test prompts. A prompt that shows its own test case contains everything that the
    /// case asks for.
    pub fn of(path: &str) -> Option<Kind> {
        let (folder, name) = split::at_last(path, b'/').unwrap_or(("", path));
        let name = name.to_ascii_lowercase();
        let is_form = path.starts_with(".github/") && !is_build(path, &name);
        let is_case = path.starts_with(".packer/tests/")
            || path.starts_with(".packer/") && name.ends_with(".schema.json");
        let language = language(path);
        // What is called so in a language of programs is no text for lawyers, and no form.
        let is_unread = (is_legal(&name) || is_form) && !is_program(language);
        if is_made(&name) || is_unread || is_case {
            return None;
        }
        let (stem, ending) = split::at_last(&name, b'.').unwrap_or((&name, ""));
        if is_changelog(&name, ending) {
            return Some(Kind::Changelog);
        }
        if is_build(path, &name) {
            return (!is_apart(folder)).then_some(Kind::Build);
        }
        if is_program(language) || is_carried_out(path, folder, language) {
            return Some(Kind::Source);
        }
        if is_document(folder, language, stem, ending) {
            return (!is_data(folder)).then_some(Kind::Document);
        }
        let is_other = !matches!(language, "" | "roff") && !is_data(folder);
        (is_other || is_surface(&name)).then_some(Kind::Other)
    }

    /// Returns the kind of a file that somebody asks for, which is always worth reading.
    pub fn of_target(path: &str) -> Kind {
        let unknown = if is_program(language(path)) {
            Kind::Source
        } else {
            Kind::Other
        };
        Kind::of(path).unwrap_or(unknown)
    }

    /// Whether a program made the file at this path, by its name.
    pub fn is_made(path: &str) -> bool {
        is_made(&split::name(path).to_ascii_lowercase())
    }

    /// Whether it is not source.
    pub fn is_beside(self) -> bool {
        self != Kind::Source
    }
}

/// Whether a file in no programming language is what runs all the same: pages that an
/// engine fills in, the templates of a chart, and the steps that set up a machine.
fn is_carried_out(path: &str, folder: &str, language: &str) -> bool {
    const PAGES: [&str; 5] = ["templates", "views", "layouts", "includes", "partials"];
    const STEPS: [&str; 4] = ["templates", "tasks", "handlers", "playbooks"];
    let is_in = |names: &[&str]| folder.split('/').any(|folder| is_called(folder, names));
    let runs = match language {
        "css" | "scss" | "less" => !is_apart(folder),
        "html" => !is_apart(folder) && (is_in(&PAGES) || path.ends_with(".component.html")),
        "yaml" => is_in(&STEPS),
        _ => false,
    };
    runs && !is_data(folder)
}

/// Whether a file of this name is generated.
fn is_made(name: &str) -> bool {
    const ENDINGS: [&str; 11] = [
        ".lock",
        "-lock.json",
        "-lock.yaml",
        "-shrinkwrap.json",
        ".sum",
        ".min.js",
        ".min.css",
        ".map",
        ".svg",
        ".snap",
        ".lockb",
    ];
    // What a checker found before, so that it need not be told again.
    let is_baseline = || {
        let stem = split::at_last(name, b'.').map_or(name, |(stem, _)| stem);
        stem.ends_with("-baseline") || stem.ends_with("_baseline")
    };
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || is_baseline() && !is_program(language(name))
}

/// Whether a file of this name is for lawyers, or lists who was involved.
fn is_legal(name: &str) -> bool {
    const LEGAL: [&str; 10] = [
        "license",
        "licence",
        "copying",
        "notice",
        "patents",
        "authors",
        "contributors",
        "maintainers",
        "code_of_conduct",
        "unlicense",
    ];
    let first = name.split(['.', '-']).next().unwrap_or_default();
    LEGAL.contains(&first)
}

fn is_changelog(name: &str, ending: &str) -> bool {
    const STEMS: [&str; 9] = [
        "changelog",
        "changes",
        "change_log",
        "history",
        "news",
        "releases",
        "releasenotes",
        "release_notes",
        "whatsnew",
    ];
    let is_written = ending.is_empty() || ending == name || is_text(ending);
    let stem = || name.split('.').next().unwrap_or_default().replace('-', "_");
    is_written && STEMS.contains(&stem().as_str())
}

/// Whether files with this extension are written for people.
fn is_text(ending: &str) -> bool {
    matches!(
        ending,
        "md" | "mdx" | "markdown" | "rst" | "adoc" | "asciidoc" | "rdoc" | "txt"
    )
}

fn is_build(path: &str, name: &str) -> bool {
    const NAMES: [&str; 31] = [
        "cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        "makefile",
        "gnumakefile",
        "justfile",
        "taskfile.yml",
        "taskfile.yaml",
        "cmakelists.txt",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "go.mod",
        "gemfile",
        "composer.json",
        "dockerfile",
        "containerfile",
        "pipfile",
        "tsconfig.json",
        "deno.json",
        "jsr.json",
        "turbo.json",
        "phpunit.xml",
        "phpunit.xml.dist",
        "meson.build",
        "configure.ac",
    ];
    const ENDINGS: [&str; 8] = [
        ".csproj", ".props", ".targets", ".gemspec", ".cmake", ".mk", ".am", ".gradle",
    ];
    let is_requirements = name.starts_with("requirements") && name.ends_with(".txt");
    NAMES.contains(&name)
        || is_requirements
        || is_ci(path) && !language(path).is_empty()
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether the file at this path says what CI does.
pub fn is_ci(path: &str) -> bool {
    const FOLDERS: [&str; 4] = [
        ".github/workflows/",
        ".circleci/",
        ".buildkite/",
        ".gitlab/",
    ];
    const NAMES: [&str; 3] = [".gitlab-ci.yml", "appveyor.yml", "azure-pipelines.yml"];
    let name = split::name(path).to_ascii_lowercase();
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        || NAMES.contains(&&*name)
        || name.ends_with(".travis.yml")
}

/// Whether a folder has programs that only demonstrate something, or documents: their build files
/// say nothing about the project.
fn is_apart(folder: &str) -> bool {
    const APART: [&str; 7] = [
        "example",
        "examples",
        "sample",
        "samples",
        "doc",
        "docs",
        "documentation",
    ];
    folder.split('/').any(|folder| APART.contains(&folder))
}

fn is_document(folder: &str, language: &str, stem: &str, ending: &str) -> bool {
    const WHOLE: [&str; 6] = [
        "readme",
        "contributing",
        "install",
        "todo",
        "upgrading",
        "hacking",
    ];
    let in_docs = || {
        let mut folders = folder.split('/');
        folders.any(|folder| ["doc", "docs", "documentation"].contains(&folder))
    };
    match ending {
        "txt" => WHOLE.contains(&stem) || in_docs(),
        "" => WHOLE.contains(&stem),
        // `tmux.1`, and neither `server.log.1` nor `data/trace.2`.
        _ if language == "roff" => {
            let last = folder.rsplit('/').next().unwrap_or_default();
            !stem.contains('.') && (folder.is_empty() || last.starts_with("man") || in_docs())
        }
        _ => matches!(
            language,
            "markdown" | "mdx" | "asciidoc" | "rdoc" | "rst" | "latex"
        ),
    }
}

/// Whether a folder has one of these names, however it is written: `Fixtures`, `_examples`,
/// `Project.Benchmarks`.
pub fn is_called(folder: &str, names: &[&str]) -> bool {
    // `com.example` is a name of Java's.
    let is_project = |last: &&str| last.starts_with(|c: char| c.is_ascii_uppercase());
    let last = split::at_last(folder, b'.').map(|(_, last)| last);
    let plain = last.filter(is_project).unwrap_or(folder);
    let plain = plain.trim_start_matches('_');
    let is = |name: &&str| name.eq_ignore_ascii_case(plain) || *name == folder;
    names.iter().any(is)
}

/// Whether a file lists a library's public interface, to be changed along with it.
fn is_surface(name: &str) -> bool {
    let is_approved = name.ends_with(".approved.txt") || name.ends_with(".verified.txt");
    let is_list = name.starts_with("publicapi.") && name.ends_with(".txt");
    is_approved && name.contains("api") || is_list || name.ends_with(".api")
}

/// Whether a folder holds test data.
fn is_data(folder: &str) -> bool {
    const DATA: [&str; 7] = [
        "fixture",
        "fixtures",
        "testdata",
        "test-data",
        "test_data",
        "__snapshots__",
        "snapshots",
    ];
    folder.split('/').any(|folder| is_called(folder, &DATA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_name_says() {
        for (path, kind) in [
            ("src/lib.rs", Some(Kind::Source)),
            ("schema.sql", Some(Kind::Source)),
            ("charts/a/templates/web/route.yaml", Some(Kind::Source)),
            ("roles/web/tasks/main.yml", Some(Kind::Source)),
            ("charts/a/values.yaml", Some(Kind::Other)),
            ("web/theme/css/chrome.css", Some(Kind::Source)),
            ("src/app.scss", Some(Kind::Source)),
            ("docs/_static/custom.css", Some(Kind::Other)),
            ("static/site.min.css", None),
            ("shop/templates/shop/list.html", Some(Kind::Source)),
            ("_layouts/default.html", Some(Kind::Source)),
            ("src/app/app.component.html", Some(Kind::Source)),
            ("public/index.html", Some(Kind::Other)),
            ("tests/fixtures/templates/a.html", None),
            ("roles/web/templates/web.json", Some(Kind::Other)),
            ("fixtures/templates/a.yaml", None),
            (".github/workflows/tasks/a.yml", Some(Kind::Build)),
            ("CHANGES", Some(Kind::Changelog)),
            ("axum/CHANGELOG.md", Some(Kind::Changelog)),
            ("docs/release-notes.rst", Some(Kind::Changelog)),
            ("history.js", Some(Kind::Source)),
            ("docs/guide.adoc", Some(Kind::Document)),
            ("docs/ref/models.txt", Some(Kind::Document)),
            ("README", Some(Kind::Document)),
            ("tmux.1", Some(Kind::Document)),
            ("man/man3/a_b.3", Some(Kind::Document)),
            ("docs/curl.1", Some(Kind::Document)),
            ("server.log.1", None),
            ("data/trace.2", None),
            ("src/parser.y", Some(Kind::Source)),
            ("words.txt", None),
            ("src/PublicAPI.Unshipped.txt", Some(Kind::Other)),
            ("test/ApiTest.lists_all.approved.txt", Some(Kind::Other)),
            ("test/Render.page.approved.txt", None),
            ("okio/api/okio.api", Some(Kind::Other)),
            ("a/_Fixtures/x.json", None),
            ("Cargo.toml", Some(Kind::Build)),
            ("a/Makefile", Some(Kind::Build)),
            ("Taskfile.yml", Some(Kind::Build)),
            (".github/workflows/test.yml", Some(Kind::Build)),
            ("examples/chat/Cargo.toml", None),
            ("docs/requirements.txt", None),
            ("docs/Makefile", None),
            ("requirements/dev.txt", None),
            ("requirements-dev.txt", Some(Kind::Build)),
            (".github/ISSUE_TEMPLATE/bug.yml", None),
            (".packer/tests/flag.yaml", None),
            (".packer/case.schema.json", None),
            (".packer/roles/auditor.yaml", Some(Kind::Other)),
            ("static/site.css", Some(Kind::Source)),
            ("tests/fixtures/data.json", None),
            ("Tests/CLITests/Snapshots/testHelp().md", None),
            ("tests/fixtures/README.md", None),
            ("tests/fixtures/setup.py", Some(Kind::Source)),
            ("package-lock.json", None),
            ("Cargo.lock", None),
            ("site.min.css", None),
            ("psalm-baseline.xml", None),
            ("logo.svg", None),
            ("LICENSE-MIT.md", None),
            ("LICENSE", None),
            ("src/notice.rs", Some(Kind::Source)),
            ("site/maintainers.tsx", Some(Kind::Source)),
            (".github/scripts/check.py", Some(Kind::Source)),
            ("logo.png", None),
        ] {
            assert_eq!(Kind::of(path), kind, "{path}");
        }
    }
}
