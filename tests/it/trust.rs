//! The templates that a repository brings: rendered once somebody has read them.

use std::fs;

use crate::project::{Output, Project};

const AUDIT: &str = "{% extends \"_base.j2\" %}{% block content %}AUDIT {{ task }}{% endblock %}";
const RENDER: [&str; 6] = ["render", "audit.j2", "--role", "worker", "--task", "Look"];
/// The same with a shipped template.
const SHIPPED: [&str; 6] = [
    "render",
    "implement.j2",
    "--role",
    "worker",
    "--task",
    "Look",
];

fn project() -> Project {
    Project::new()
        .role("worker", "template: audit.j2")
        .file(".packer/templates/audit.j2", AUDIT)
        .commit()
}

/// The same with a copy of its templates beside it.
fn with_copy() -> Project {
    project()
        .file("../copy/.packer/templates/audit.j2", AUDIT)
        .file("../copy/a.txt", "a")
}

/// Runs a command in the copy.
fn in_copy(project: &Project, words: &[&str]) -> Output {
    let all = [&["-C", "../copy", "--roles-dir", ".packer/roles"], words].concat();
    project.run(all)
}

fn hash(project: &Project) -> String {
    let told = project.json(["trust"]);
    told["hash"].as_str().unwrap().to_owned()
}

#[test]
fn a_template_of_the_repository_is_rendered_once_it_is_trusted() {
    let project = project();
    let refused = project.run(RENDER).fails(1);
    refused
        .stderr_contains("the template `audit.j2` of `.packer/templates` is not trusted")
        .stderr_contains("`packer trust`");
    project
        .run(["trust"])
        .fails(1)
        .stderr_contains("nothing was trusted");
    project.run(RENDER).fails(1);
    project
        .run(["trust", "--yes"])
        .succeeds()
        .stdout_contains(".packer/templates/audit.j2: new\n  | {% extends")
        .stdout_contains("hash: sha256:");
    project.run(RENDER).succeeds().stdout_contains("AUDIT Look");
    project
        .run(["prompt", "--role", "worker", "--task", "Look"])
        .stdout_contains("AUDIT Look");
    project
        .run(["trust"])
        .succeeds()
        .stdout_contains("as it was trusted");
    project.run(["trust", "--forget"]).succeeds();
    project.run(RENDER).fails(1);
}

#[test]
fn a_changed_template_asks_again() {
    let project = project().file(".packer/templates/part.j2", "part");
    project.run(["trust", "--yes"]).succeeds();
    let project = project.file(".packer/templates/audit.j2", format!("{AUDIT} and more"));
    project
        .run(RENDER)
        .fails(1)
        .stderr_contains("of `.packer/templates` has changed since it was trusted");
    project
        .run(["trust", "--yes"])
        .succeeds()
        .stdout_contains("audit.j2: changed\n  line 1:\n  - {% extends")
        .stdout_contains("part.j2: as it was trusted\n");
    project.run(RENDER).succeeds();
    // One that comes is a change of the whole.
    let project = project.file(".packer/templates/_base.j2", "ALL {{ task }}");
    project.run(RENDER).fails(1);
    project
        .run(["render", "_base.j2", "--role", "worker", "--task", "Look"])
        .fails(1)
        .stderr_contains("has changed since it was trusted");
    project
        .run(["trust", "-y"])
        .stdout_contains("_base.j2: new");
    project
        .run(["render", "_base.j2", "--role", "worker", "--task", "Look"])
        .succeeds()
        .stdout_contains("ALL Look");
}

#[test]
fn the_same_templates_are_trusted_wherever_they_lie() {
    let project = with_copy();
    in_copy(&project, &RENDER).fails(1);
    project.run(["trust", "--yes"]).succeeds();
    in_copy(&project, &RENDER)
        .succeeds()
        .stdout_contains("AUDIT Look");
}

#[test]
fn what_was_trusted_is_replaced_by_nothing_else() {
    let refused = |project: &Project| {
        project
            .run(SHIPPED)
            .fails(1)
            .stderr_contains("of `.packer/templates` ");
    };
    let templates = || project().file(".packer/templates/implement.j2", "OURS {{ task }}");
    // It is gone, as is the whole folder; there is too much; the folder is a link.
    let project = templates();
    project.run(["trust", "--yes"]).succeeds();
    project.run(SHIPPED).stdout_contains("OURS Look");
    fs::remove_file(project.root().join(".packer/templates/implement.j2")).unwrap();
    refused(&project);
    fs::remove_dir_all(project.root().join(".packer/templates")).unwrap();
    refused(&project);
    let project = project.link("../../elsewhere", ".packer/templates");
    refused(&project);
    let project = templates();
    project.run(["trust", "--yes"]).succeeds();
    let project = project.file(".packer/templates/z.j2", "x".repeat(300_000));
    refused(&project);
    // What a shipped one takes in was trusted, and changed.
    let project = self::project().file(".packer/templates/_base.j2", "{{ task }}");
    project.run(["trust", "--yes"]).succeeds();
    let project = project.file(".packer/templates/_base.j2", "OTHER {{ task }}");
    refused(&project);
    // Whoever names the folder is not asked about it.
    let own = [
        "--prompts-dir",
        ".packer/templates",
        "--allow-template",
        "audit.j2",
    ];
    project
        .run([&RENDER[..], &own].concat())
        .succeeds()
        .stdout_contains("OTHER Look");
}

#[test]
fn what_is_trusted_no_longer_is_so_in_every_copy() {
    let project = with_copy();
    project.run(["trust", "--yes"]).succeeds();
    in_copy(&project, &["trust"])
        .succeeds()
        .stdout_contains("as it was trusted");
    in_copy(&project, &RENDER).succeeds();
    in_copy(&project, &["trust", "--forget"]).succeeds();
    in_copy(&project, &RENDER).fails(1);
    project.run(RENDER).fails(1);
}

#[test]
fn many_templates_cost_no_more_than_their_bound() {
    let mut project = project();
    for number in 0..20 {
        let path = format!(".packer/templates/{number}.j2");
        project = project.file(&path, "word ".repeat(40_000));
    }
    project
        .run(["trust", "--yes"])
        .fails(1)
        .stderr_contains("the templates of `.packer/templates` take more than 2 MiB");
    project.run(SHIPPED).succeeds();
}

#[test]
fn ci_trusts_by_a_hash_and_by_no_other() {
    let project = project();
    let hash = hash(&project);
    let render = |more: &[&str], environment: &[(&str, &str)]| {
        project.run_with_variables([&RENDER[..], more].concat(), environment)
    };
    render(&["--trust-hash", &hash], &[]).succeeds();
    render(&[], &[("PACKER_TRUST_HASH", &hash)]).succeeds();
    let other = format!("sha256:{}", "0".repeat(64));
    render(&["--trust-hash", &other], &[])
        .fails(1)
        .stderr_contains(&format!(
            "its hash is `{hash}`, but `--trust-hash` has another"
        ));
    render(&[], &[("PACKER_TRUST_HASH", "")])
        .fails(1)
        .stderr_contains("is not trusted on this machine");
    render(&["--trust-hash", "12"], &[])
        .fails(2)
        .stderr_contains("it is not a hash as `packer trust` prints it");
    let project = project.file(".packer/templates/audit.j2", "{{ task }}!");
    project
        .run([&RENDER[..], &["--trust-hash", &hash]].concat())
        .fails(1);
}

#[test]
fn a_strangers_template_takes_the_place_of_none() {
    let project = project().file(".packer/templates/implement.j2", "HOSTILE {{ task }}");
    let output = project.run(SHIPPED).succeeds();
    assert!(!output.stdout.contains("HOSTILE"));
    output.stderr_contains(
        "the template `implement.j2` of `.packer/templates` is not trusted on this machine; \
         another of that name is rendered (built-in); run `packer trust` to review and trust it",
    );
    // Nor may one that is trusted take in one that is not.
    let listed = project.run(["templates", "list"]).succeeds();
    listed
        .stdout_contains("implement.j2       built-in")
        .stdout_contains("implement.j2       .packer/templates, not trusted");
}

#[test]
fn what_is_shown_before_it_is_trusted_is_all_there_is() {
    let hidden = "{# a\u{202e}b\u{1b}[2J #}\nhash: sha256:0\r\n\u{200b}";
    let project = project().file(".packer/templates/audit.j2", hidden);
    let output = project.run(["trust"]).fails(1);
    assert!(!output.stdout.contains(['\u{202e}', '\u{1b}', '\u{200b}']));
    assert!(!output.stdout.contains("\nhash: sha256:0"));
    output
        .stdout_contains("  | hash: sha256:0")
        .stdout_contains("\\u{202e}");
}

#[test]
fn a_link_is_no_template() {
    let project = project()
        .file("../secret.j2", "HOSTILE {{ task }}")
        .link("../../../secret.j2", ".packer/templates/linked.j2");
    let output = project.run(["trust", "--yes"]).succeeds();
    assert!(!output.stdout.contains("linked") && !output.stdout.contains("HOSTILE"));
    let render = ["render", "linked.j2", "--role", "worker", "--task", "Look"];
    project
        .run(render)
        .fails(1)
        .stderr_contains("is not allowed");

    fs::remove_dir_all(project.root().join(".packer/templates")).unwrap();
    let project = project
        .file("../theirs/audit.j2", "HOSTILE {{ task }}")
        .link("../../theirs", ".packer/templates");
    project
        .run(["trust", "--yes"])
        .fails(1)
        .stderr_contains("leads outside the repository");
    project.run(RENDER).fails(1);
    // A prompt still comes out.
    project.run(SHIPPED).succeeds();
}

#[test]
fn what_cannot_be_read_is_withheld_and_said() {
    let large = "x".repeat(300_000);
    let project = project().file(".packer/templates/audit.j2", large);
    project
        .run(RENDER)
        .fails(1)
        .stderr_contains("the template `audit.j2` of `.packer/templates` is not rendered: ");
    project.run(["trust", "--yes"]).fails(1);
    let record = project.outside().join("home/.config/packer/trust.json");
    assert!(!record.exists());
    fs::create_dir_all(record.parent().unwrap()).unwrap();
    fs::write(&record, "{").unwrap();
    let project = project.file(".packer/templates/audit.j2", AUDIT);
    project
        .run(RENDER)
        .fails(1)
        .stderr_contains("trust.json`; without it, nothing is trusted");
    project.run(["dump"]).succeeds();
}

#[test]
fn roles_and_templates_are_checked_before_anybody_trusts_them() {
    let project = project().file(".packer/templates/wrong.j2", "{{ tsk }}");
    project.run(["roles", "check"]).succeeds();
    project
        .run(["templates", "check", "wrong.j2"])
        .fails(1)
        .stdout_contains("`tsk` is undefined")
        .stdout_contains("TEMP/repo/.packer/templates/wrong.j2:1:4");
    let eject = ["templates", "eject", "implement.j2", "--as", "own.j2"];
    project.run(eject).succeeds().stderr_contains(
        "wrote .packer/templates/own.j2; next:\n  packer templates check own.j2\n  packer trust\n",
    );
    project.run(["templates", "check", "own.j2"]).succeeds();
}

#[test]
fn what_stands_beside_the_blocks_is_told() {
    let text = format!("{AUDIT}\n\nRemember the tests.\n");
    let project = project().file(".packer/templates/audit.j2", text);
    project
        .run(["templates", "check", "audit.j2"])
        .stdout_contains("warning[outside-blocks]: this is outside all blocks")
        .stdout_contains("audit.j2:3:1")
        .stdout_contains("1 warning");
}

#[test]
fn what_changed_since_it_was_trusted_is_shown_and_nothing_else_of_it() {
    let lines = |changed: &str| format!("{{# {} #}}\n", "same\n".repeat(50)) + changed;
    let project = project()
        .file(".packer/templates/audit.j2", lines("Look at {{ task }}\n"))
        .file(".packer/templates/old.j2", "old");
    project.run(["trust", "--yes"]).succeeds();
    let hostile = lines("Look at {{ task }}\u{200b}\n\u{1b}[2Ahash: sha256:0\n");
    let project = project.file(".packer/templates/audit.j2", hostile);
    fs::remove_file(project.root().join(".packer/templates/old.j2")).unwrap();
    let shown = project.run(["trust"]).fails(1);
    let shown = shown
        .stdout_contains("  - Look at {{ task }}\n  + Look at {{ task }}\\u{200b}\n")
        .stdout_contains("  + \\u{1b}[2Ahash: sha256:0\n")
        .stdout_contains(".packer/templates/old.j2: gone\n");
    assert!(shown.stdout.matches("same").count() < 4, "{}", shown.stdout);
    let whole = project.run(["trust", "--whole"]).fails(1);
    assert!(whole.stdout.matches("  | same").count() >= 49);
    let told = project.json(["trust"]);
    assert_eq!(told["gone"], serde_json::json!(["old.j2"]));
    assert_eq!(
        told["templates"][0]["before"],
        lines("Look at {{ task }}\n")
    );
}

#[test]
fn what_is_known_of_trusted_texts_is_what_was_trusted() {
    let project = project();
    project.run(["trust", "--yes"]).succeeds();
    let kept = project.root().join("../home/.config/packer/trusted");
    let files = || fs::read_dir(&kept).unwrap().flatten().collect::<Vec<_>>();
    let [file] = &files()[..] else {
        panic!("one text is kept")
    };
    // Somebody wrote into it: then it is none, and the template is shown as a whole.
    fs::write(file.path(), format!("{AUDIT} and more")).unwrap();
    let project = project.file(".packer/templates/audit.j2", format!("{AUDIT} and more"));
    project
        .run(["trust", "-y"])
        .succeeds()
        .stdout_contains("audit.j2: changed\n  | {% extends");
    // What nobody trusts any more is not kept.
    assert_eq!(files().len(), 1);
    project.run(["trust", "--forget"]).succeeds();
    assert_eq!(files().len(), 0);
}
