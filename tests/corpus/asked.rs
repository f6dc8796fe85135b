//! Repositories that ask for what is hidden: what git ignores, what lies in a git folder,
//! what belongs to another repository.

use std::os::unix::fs::symlink;

use super::*;

/// A repository with a secret that git ignores, and one in git's configuration.
fn with_secrets() -> Project {
    let project = plain().file(".gitignore", ".env\n").file(".env", CANARY);
    let config = project.root().join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(
        config,
        format!("{text}[remote \"o\"]\n\turl = https://u:{CANARY}@h/\n"),
    )
    .unwrap();
    project
}

fn hides(name: &str, project: &Project, command: &[&str]) {
    let output = project.run(["--no-cache"].iter().chain(command).copied());
    sane(name, &output);
    assert!(!output.stdout.contains(CANARY), "{name}: {}", output.stdout);
    assert!(!output.stderr.contains(CANARY), "{name}: {}", output.stderr);
}

const SECRETS: [&str; 2] = [".git/config", ".env"];

#[test]
fn nothing_hidden_comes_out_whoever_names_it() {
    for secret in SECRETS {
        let project = with_secrets();
        fs::remove_dir_all(project.root().join(".context")).unwrap();
        survives(
            "a context that is the root",
            &project.link(".", ".context").link(secret, "TASKS.md"),
        );
        let up = format!("../{secret}");
        survives(
            "links in a context",
            &with_secrets().link(&up, ".context/DECISIONS.md"),
        );
        let role = format!(
            "context: {{include: [{secret}, './{secret}'], always_include: [{secret}], conventions: [{secret}]}}"
        );
        let project = with_secrets().role("own", &role);
        hides("a role", &project, &["pack", "--role", "own"]);
        let up = format!("../../{secret}");
        let project = with_secrets().link(&up, ".packer/roles/x.yaml");
        for command in [
            &["roles", "list"][..],
            &["roles", "show", "x"],
            &["roles", "check"],
        ] {
            hides("a linked role", &project, command);
        }
    }
    for target in [
        ".git/config",
        ".GIT/config",
        ".git/../.git/config",
        "src/../.git/config",
    ] {
        let project = with_secrets();
        hides(
            target,
            &project,
            &["pack", "--role", "implementer", "--target", target],
        );
        hides(
            target,
            &project,
            &["build", "fix", "--errors", "../errors.json", target],
        );
        hides(target, &project, &["dump", target]);
        hides(target, &project, &["read", "--include", target]);
        hides(target, &project, &["tokens", target]);
    }
    for command in [
        &["dump", "-C", ".git"][..],
        &["read", "--dir", ".git", "config"],
    ] {
        hides("the git folder itself", &with_secrets(), command);
    }
    hides("a model", &with_secrets(), &["read", ".env", ".git/config"]);
}

#[test]
fn no_import_leads_to_what_is_hidden() {
    for (file, text) in [
        (
            "src/t.js",
            "import a from '../.git/config'\nimport b from '../.env'\nrequire('../.env')\nexport * from '../.git/config'\n",
        ),
        (
            "src/t.ts",
            "/// <reference path=\"../.env\" />\nimport a = require('../.git/config')\n",
        ),
        (
            "src/t.c",
            "#include \"../.git/config\"\n#include \"../.env\"\n",
        ),
        (
            "src/t.rs",
            "#[path = \"../.git/config\"]\nmod a;\n#[path = \"../.env\"]\nmod b;\nconst C: &str = include_str!(\"../.env\");\n",
        ),
        ("src/t.py", "from . import linked\nimport linked\n"),
        (
            "src/t.rb",
            "require_relative '../.env'\nrequire_relative 'linked'\nload '../.git/config'\n",
        ),
        (
            "src/t.php",
            "<?php require '../.env'; include __DIR__ . '/../.git/config';\n",
        ),
        ("src/t.go", "package t\n\nimport \"linked\"\n"),
    ] {
        let project = with_secrets().file(file, text);
        for ending in ["py", "rb", "js", "go"] {
            symlink(
                "../.env",
                project.root().join(format!("src/linked.{ending}")),
            )
            .unwrap();
        }
        let command = [
            "prompt",
            "--role",
            "implementer",
            "--task",
            "t",
            "--target",
            file,
        ];
        hides(file, &project, &command);
    }
}

/// An index may name what no commit can hold.
#[test]
fn an_index_that_names_the_git_folder() {
    let project = with_secrets();
    // As long as the name that is wanted, which the library would refuse.
    project.stage_as_it_is("agit/config", "x\n");
    let path = project.root().join(".git/index");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(11).position(|w| w == b"agit/config").unwrap();
    bytes[at] = b'.';
    let end = bytes.len() - 20;
    bytes[end..].fill(0);
    fs::write(&path, bytes).unwrap();
    survives("an index that names git's configuration", &project);
}

/// A folder beside the repository that names it in turn, and leads on to another one's.
#[test]
fn a_git_folder_beside_the_repository() {
    let victim = Project::new().file("secret.txt", CANARY).commit();
    fs::write(victim.root().join("secret.txt"), format!("{CANARY} again")).unwrap();
    victim.stage();
    let theirs = victim.root().join(".git");
    for what in [
        "commondir",
        "alternates",
        "links",
        "config",
        "ref",
        "object",
        "packed-refs",
        "alternates that wait",
    ] {
        let project = plain();
        fs::remove_dir_all(project.root().join(".git")).unwrap();
        let side = project.outside().join("side");
        for folder in ["refs/heads", "objects/info", "objects/aa"] {
            fs::create_dir_all(side.join(folder)).unwrap();
        }
        let head = fs::read_to_string(theirs.join("HEAD")).unwrap();
        let branch = head.trim().trim_start_matches("ref: ").to_owned();
        fs::write(side.join("HEAD"), &head).unwrap();
        fs::copy(theirs.join("index"), side.join("index")).unwrap();
        fs::copy(theirs.join(&branch), side.join(&branch)).unwrap();
        let root = project.root();
        fs::write(side.join("gitdir"), format!("{}/.git\n", root.display())).unwrap();
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n\tworktree = {}\n",
            root.display()
        );
        fs::write(side.join("config"), config).unwrap();
        let object = side.join(format!("objects/aa/{}", "1".repeat(38)));
        match what {
            "commondir" => {
                fs::write(side.join("commondir"), format!("{}\n", theirs.display())).unwrap();
            }
            "alternates" => {
                let line = format!("{}/objects\n", theirs.display());
                fs::write(side.join("objects/info/alternates"), line).unwrap();
            }
            "links" => {
                for folder in ["refs", "objects"] {
                    fs::remove_dir_all(side.join(folder)).unwrap();
                    symlink(theirs.join(folder), side.join(folder)).unwrap();
                }
            }
            "ref" => {
                fs::remove_file(side.join(&branch)).unwrap();
                fifo(&side.join(&branch));
            }
            "object" => {
                fs::write(side.join(&branch), format!("aa{}\n", "1".repeat(38))).unwrap();
                fifo(&object);
            }
            "alternates that wait" => fifo(&side.join("objects/info/alternates")),
            file => {
                let _ = fs::remove_file(side.join(file));
                fifo(&side.join(file));
            }
        }
        survives(what, &project.file(".git", "gitdir: ../side\n"));
    }
}
