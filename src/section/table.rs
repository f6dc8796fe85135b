//! The table of sources: one row for each section that is gathered.

/// Passes the rows to another macro, starting with the section of the highest default priority.
///
/// To add a source, write its file in `src/source` and its row here. `key.rs` derives from the rows
/// what every module knows of a section; only `source` reads the last column, which names the
/// function that gathers it.
macro_rules! sources {
    ($reader:ident) => {
        $reader! {
            /// The files that the task is about.
            TargetFile {
                name: "target_file",
                heading: "Target Files",
                sentinel: Some("$TARGET"),
                setting: None,
                may_be_brought: false,
                changes: Pace::Always,
                gather: files::targets,
            }
            /// The change as a diff: what is staged, unless another change is asked for.
            GitDiff {
                name: "git_diff",
                heading: "Git Diff (Staged)",
                sentinel: Some("git diff --cached"),
                setting: Some("git_diff"),
                may_be_brought: true,
                changes: Pace::Always,
                gather: diff::of_change,
            }
            /// The changed files themselves.
            ChangedFiles {
                name: "changed_files",
                heading: "Changed Files",
                sentinel: Some("$CHANGED_FILES"),
                setting: None,
                may_be_brought: false,
                changes: Pace::Always,
                gather: files::changed,
            }
            /// What the target files import from this repository.
            Imports {
                name: "imports",
                heading: "Imports",
                sentinel: Some("$TARGET_IMPORTS"),
                setting: None,
                may_be_brought: true,
                changes: Pace::WithTask,
                gather: imports::of_targets,
            }
            /// Files that are likely to matter for the task.
            Related {
                name: "related",
                heading: "Related Files",
                sentinel: Some("$RELATED"),
                setting: Some("related"),
                may_be_brought: true,
                changes: Pace::WithTask,
                gather: related::likeliest,
            }
            /// The files that the role's plain patterns match.
            Files {
                name: "files",
                heading: "Repository Context",
                sentinel: None,
                setting: None,
                may_be_brought: false,
                changes: Pace::Rarely,
                gather: files::matched,
            }
            /// The repository's conventions for people and agents.
            Conventions {
                name: "conventions",
                heading: "Conventions",
                sentinel: None,
                setting: Some("conventions"),
                may_be_brought: false,
                changes: Pace::Rarely,
                gather: conventions::that_hold,
            }
            /// The assembled `.context/` directory.
            ProjectContext {
                name: "project_context",
                heading: "Project Context",
                sentinel: None,
                setting: Some("project_context"),
                may_be_brought: false,
                changes: Pace::Rarely,
                gather: context_dir::assembled,
            }
            /// The most central declarations of the repository.
            RepoMap {
                name: "repo_map",
                heading: "Repository Map",
                sentinel: Some("$REPO_MAP"),
                setting: None,
                may_be_brought: true,
                changes: Pace::Always,
                gather: repo_map::draw,
            }
            /// The directory tree.
            Tree {
                name: "tree",
                heading: "File Tree",
                sentinel: None,
                setting: Some("tree"),
                may_be_brought: true,
                changes: Pace::Always,
                gather: tree::draw,
            }
            /// The last commits that touched what the prompt is about.
            RecentCommits {
                name: "recent_commits",
                heading: "Recent Commits",
                sentinel: None,
                setting: Some("recent_commits"),
                may_be_brought: true,
                changes: Pace::Always,
                gather: recent_commits::last,
            }
        }
    };
}

pub(crate) use sources;
