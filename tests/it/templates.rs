//! The sandbox: what a template may see and do, and how far it may go.

use std::time::Instant;

use context_packer::templates::Isolation;
use context_packer::{Note, Request, Roles, Templates};
use insta::assert_snapshot;

use crate::project::{Output, Project, words};

/// Renders a template of an operator's for the role `r`.
fn render(template: &str) -> Output {
    render_with(template, &[])
}

fn render_with(template: &str, more: &[&str]) -> Output {
    let project = Project::new()
        .file("prompts/t.j2", template)
        .file("a.rs", "fn a() {}\n")
        .role("r", "context: {include: [a.rs]}");
    let arguments =
        "--prompts-dir prompts --allow-template t.j2 render t.j2 --role r --task 'Say {{ 7*7 }}'";
    project.run(words(arguments).chain(more.iter().copied()))
}

#[test]
fn values_are_never_parsed_as_templates() {
    let output = render("{{ task }} {{ role.name }} {{ sections.files | length > 0 }}").succeeds();
    // No line break follows that the template has not: it would not have been counted.
    assert_eq!(output.stdout, "Say {{ 7*7 }} r True");
    let output =
        render("{{ role.flags }} {{ role.gates }} {{ role.config }} {{ role.cli }}|").succeeds();
    assert_eq!(output.stdout, "[] [] {} |");
    let output = render("{{ role.template }} {{ role.extends }}").succeeds();
    assert_eq!(output.stdout, "None None");
}

#[test]
fn the_filters_do_what_they_say() {
    let output = render(
        "{{ 'a\nb\nc' | truncate_lines(1) }}|{{ 'x\n```' | format_diff }}|{{ 'y' | fence('rust') }}|{{ ('word ' ~ 'word ') | truncate_tokens(1) }}|{{ 'a`b' | in_ticks }}",
    );
    assert_snapshot!(output.succeeds().stdout);
}

#[test]
fn line_ends_of_a_template_stay() {
    let template = "a\r\n{% if true %}\r\nb\r\n{% endif %}\r\n{% raw %}\n{{c}}{% endraw %}\r\nd";
    let output = render_with(template, &["--strict"]).succeeds();
    assert_eq!(output.stdout, "a\r\nb\r\n{{c}}d");
}

#[test]
fn arguments_of_filters_have_their_names_and_defaults() {
    for (template, written) in [
        (
            "{{ 'a\nb\nc' | truncate_lines(max_lines=2) }}",
            "a\nb\n\n[Truncated 1 lines]",
        ),
        (
            "{{ 'word word' | truncate_tokens(max_tokens=9) }}",
            "word word",
        ),
        ("{{ 'a\nb' | indent }}", "a\n    b"),
        ("{{ 'a\n\nb' | indent(width=2, first=true) }}", "  a\n\n  b"),
        ("{{ 'a\n\nb' | indent(1, blank=true) }}", "a\n \n b"),
        ("{{ '' | default('y', boolean=true) }}", "y"),
        ("{{ nope | default(default_value='y') }}{{ '' | d }}", "y"),
        (
            "{{ 'x' | int }}{{ 'x' | int(7) }}{{ 'x' | int(default=8) }}{{ '2f' | int(base=16) }}",
            "07847",
        ),
        ("{{ 'x' | float }}{{ '1.5' | float }}", "0.01.5"),
        ("{{ none | format_diff }}", "```diff\nNone\n```"),
    ] {
        let output = render_with(template, &["--strict"]).succeeds();
        assert_eq!(output.stdout, written, "{template}");
    }
    for wrong in [
        "{{ 'a' | truncate_lines }}",
        "{{ 'a' | truncate_lines(lines=1) }}",
        "{{ 'a' | truncate_lines(1, max_lines=1) }}",
        "{{ 'a' | indent(4, width=4) }}",
        "{{ 'a' | default('y', lax=true) }}",
        "{{ nope | int }}",
        "{{ nope | format_diff }}",
        "{{ sections.nope | format_diff }}",
    ] {
        render_with(wrong, &["--strict"]).fails(1);
    }
}

#[test]
fn an_undefined_variable_falls_back_and_says_where() {
    let output = render("first line\n{{ sections.git_diff }}\n").succeeds();
    assert_snapshot!(output.stderr);
    output
        .stdout_contains("You test.")
        .stdout_contains("## Task")
        .stdout_contains("fn a()");
    render_with("{{ nope }}", &["--strict"])
        .fails(1)
        .stdout_lacks("You test.");
}

#[test]
fn a_template_that_does_not_parse_falls_back() {
    render("{% if %}")
        .succeeds()
        .stderr_contains("the template failed")
        .stdout_contains("fn a()");
}

#[test]
fn what_of_a_template_is_never_written_is_told() {
    let lost = "{% extends \"_base.j2\" %}\nBeside.\n{% block contents %}Lost.{% endblock %}";
    render(lost)
        .succeeds()
        .stderr_contains("no parent template has a block `contents` (")
        .stderr_contains("did you mean `content`?")
        .stderr_contains("this is outside all blocks, so it is never rendered");
    let output = render("{% extends \"_base.j2\" %}{% block content %}There.{% endblock %}");
    assert_eq!(output.succeeds().stderr, "");
}

#[test]
fn nothing_of_the_machine_can_be_seen() {
    for template in [
        "{% include '/etc/passwd' %}",
        "{% include '../secret.j2' %}",
        "{% include 'a.rs' %}",
        "{{ debug() }}",
        "{{ ''.__class__ }}",
        "{{ env('HOME') }}",
        "{{ role.system_prompt.__init__ }}",
        "{{ task | pprint }}",
        "{{ task | attr('x') }}",
        "{{ task.split() }}",
    ] {
        render_with(template, &["--strict"]).fails(1);
    }
}

#[test]
fn what_grows_without_end_ends_in_an_error_within_bounds() {
    let doubling = "{% set n = namespace(a='xxxxxxxx') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a | length }}";
    let captured = "{% set n = namespace(a='xxxxxxxx') %}{% for i in range(60) %}{% set b %}{{ n.a }}{{ n.a }}{% endset %}{% set n.a = b %}{% endfor %}{{ n.a | length }}";
    let lists = "{% set n = namespace(a=[1]) %}{% for i in range(60) %}{% set n.a = (n.a + n.a) | list %}{% endfor %}{{ n.a | length }}";
    let replaced = "{% set n = namespace(a='xx') %}{% for i in range(60) %}{% set n.a = n.a | replace('x', n.a) %}{% endfor %}{{ n.a | length }}";
    let folded =
        "{{ ('x' * 10**8) | length }}{{ ('y' * 10**8) | length }}{{ ('z' * 10**8) | length }}";
    let nested = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}";
    let recursive = "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}";
    let includes = "{% include 't.j2' %}";
    let brackets = format!("{{{{ {}1{} }}}}", "(".repeat(50_000), ")".repeat(50_000));
    let huge = "{{ 'x' | indent(10**12) }}";
    let long =
        "{% for i in range(9000) %}{{ 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' * 1000 }}{% endfor %}";
    for template in [
        doubling, captured, lists, replaced, folded, nested, recursive, includes, &brackets, huge,
        long,
    ] {
        let started = Instant::now();
        let output = render_with(template, &["--strict"]);
        let shown = &template[..template.len().min(60)];
        assert_eq!(output.code, 1, "{shown}: {}", output.stderr);
        assert!(
            output.stderr.starts_with("error: "),
            "{shown}: {}",
            output.stderr
        );
        assert!(started.elapsed().as_secs() < 8, "{shown}");
    }
}

/// What grows inside single steps, and what takes the stack.
const HOSTILE: [&str; 5] = [
    "{% set n = namespace(a='xxxxxxxx') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a | length }}",
    "{{ ('x' * 10**8) | length }}{{ ('y' * 10**8) | length }}",
    "{% set n = namespace(a=['x']) %}{% for i in range(40) %}{% set n.a = [n.a, n.a] %}{% endfor %}{% set b %}{{ n.a }}{% endset %}{{ b | length }}",
    "{% set n = namespace(a=[1], b=[1]) %}{% for i in range(40) %}{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}",
    "{% set n = namespace() %}{% set n.a = n %}{{ n }}",
];

#[test]
fn a_program_that_uses_the_library_outlives_an_operators_template() {
    let project = Project::new().file("a.rs", "fn a() {}\n");
    let folder = project.outside().join("prompts");
    let role = Roles::built_in().load("implementer").unwrap();
    let request = Request::new("Say it.");
    std::fs::create_dir_all(&folder).unwrap();
    for template in HOSTILE {
        std::fs::write(folder.join("t.j2"), template).unwrap();
        let worker = Isolation::Worker(env!("CARGO_BIN_EXE_packer").into());
        let templates = Templates::shipped()
            .folder(&folder, &["t.j2".into()], worker)
            .unwrap();
        let packer = project.packer();
        let packer = packer.with_templates(templates);
        // The context is not lost.
        let prompt = packer.build_full_prompt("t.j2", &role, &request).unwrap();
        assert!(prompt.text.contains("Say it."), "{template}");
        let warnings = prompt.warnings();
        let is_told = |note: &&Note| note.message.contains("the template failed");
        assert!(warnings.iter().any(is_told), "{template}");
    }
}

#[test]
fn templates_come_from_the_operator_never_from_the_repository() {
    let project = Project::new()
        .file("prompts/implement.j2", "Mine: {{ task }}")
        .file("prompts/extra.j2", "Extra: {{ task }}");
    let render = |template: &str| {
        let command = format!("render {template} --role implementer --task t");
        project.run(words(&command))
    };
    render("implement.j2").succeeds().stdout_lacks("Mine");
    render("implement.j2 --prompts-dir prompts")
        .succeeds()
        .stdout_contains("Mine: t");
    render("extra.j2 --prompts-dir prompts")
        .fails(1)
        .stderr_contains("not allowed");
    render("extra.j2 --prompts-dir prompts --allow-template extra.j2")
        .succeeds()
        .stdout_contains("Extra: t");
    render("implement.j2 --prompts-dir prompts --allow-template ../x.j2")
        .fails(1)
        .stderr_contains("plain file name");
    let environment = [
        ("PACKER_PROMPTS_DIR", "prompts"),
        ("PACKER_ALLOW_TEMPLATES", "extra.j2"),
    ];
    let arguments = ["render", "extra.j2", "--role", "implementer", "--task", "t"];
    project
        .run_with_variables(arguments, &environment)
        .succeeds()
        .stdout_contains("Extra: t");
}

#[cfg(unix)]
#[test]
fn a_template_that_leads_out_of_its_folder_is_not_read() {
    let project = Project::new()
        .file("secret.j2", "secret")
        .link("../secret.j2", "prompts/t.j2");
    project
        .run(words(
            "--prompts-dir prompts --allow-template t.j2 templates list",
        ))
        .fails(1)
        .stderr_contains("cannot read the template");
}

#[test]
fn check_finds_mistakes_with_their_place() {
    let project = Project::new()
        .file(
            "prompts/planning.j2",
            "{% extends '_base.j2' %}\n{% block content %}\n  {{ task | shout }}\n{% endblock %}\n",
        )
        .file("prompts/implement.j2", "{{ sections.git_diff }}\n")
        .file(
            "prompts/review_strict.j2",
            "{% extends '_base.j2' %}{% block contnt %}{% endblock %}\n",
        )
        .file(
            "prompts/_output_schema.j2",
            "{% if task == 'never' %}{{ tsak }}\n{{ task | shuot('a|b') }}{% endif %}{{ also | default('x|y') }}",
        );
    let output = project
        .run(["--prompts-dir", "prompts", "templates", "check"])
        .fails(1);
    assert_snapshot!(output.stdout);
}

#[test]
fn the_shipped_templates_are_listed_and_shown() {
    let project = Project::new();
    assert_snapshot!(project.run(["templates", "list"]).succeeds().stdout);
    project
        .run(["templates", "show", "implement.j2"])
        .succeeds()
        .stdout_contains("{% extends \"_base.j2\" %}");
    project.run(["templates", "check"]).succeeds();
}

/// What `packer templates check` prints for operator's templates of these names.
fn check(project: &Project, allow: &[&str]) -> Output {
    let mut arguments = vec!["--prompts-dir", "prompts"];
    for name in allow {
        arguments.extend(["--allow-template", name]);
    }
    arguments.extend(["templates", "check"]);
    arguments.extend(allow);
    project.run(arguments)
}

#[test]
fn what_only_looks_like_a_mistake_is_none() {
    let template = "{# {{ task | nofilter }} {% block x %} #}
{% raw %}{{ nope | nofilter }}{% include 'nope.j2' %}{% endraw %}
{{ '{{ nope | nofilter }}' }} {{ \"| nofilter\" | upper }}
{% set mine = task %}{{ mine | replace('|', 'a | b') }}
{% for n, item in [[1, 'a']] %}{{ loop.index }}{{ n }}{{ item }}{% else %}{{ mine }}{% endfor %}
{% macro m(a, b=task) %}{{ a }}{{ b }}{{ later }}{% endmacro %}{% set later = 1 %}{{ m('x') }}
{% with w = task %}{{ w }}{% endwith %}
{% set ns = namespace(total=0) %}{% for i in range(3) %}{% set ns.total = ns.total + i %}{% endfor %}{{ ns.total }}
{% if role.extends is defined %}{{ role.extends }}{% endif %}{{ role['x-team'] | default('') }}
{{ role.config.anything | default('none') }}{% if data.fix is defined %}{{ data.fix.errors }}{% endif %}
{% if sections.mine is defined %}{{ sections.mine }}{% endif %}{{ later is not undefined and role.context.token_budget }}
{% include ['nope.j2', '_output_schema.j2'] %}{% include 'nope.j2' ignore missing %}
{{ 'a' if task is startingwith 'A' else 'b' }}
";
    let project = Project::new().file("prompts/t.j2", template);
    let output = check(&project, &["t.j2"]).succeeds();
    assert_eq!(output.stdout, "1 template checked: 0 errors, 0 warnings\n");
}

#[test]
fn what_no_sample_reaches_is_found() {
    let template = "{% if task == 'never' %}
{{ role.nmae }} {{ repo.brnch }} {{ role.context.tokn_budget }} {{ tsak }}
{% if task is strting %}{{ rnge(3) }}{{ debug() }}{% endif %}
{% include 'implemnt.j2' %}{% import '_bse.j2' as b %}
{% filter uper %}x{% endfilter %}{% set x | trimm %}y{% endset %}{{ x }}
{% endif %}
";
    let project = Project::new().file("prompts/t.j2", template);
    assert_snapshot!(check(&project, &["t.j2"]).fails(1).stdout);
}

#[test]
fn templates_that_do_not_parse_or_go_in_circles_are_told_in_one_run() {
    let project = Project::new()
        .file("prompts/a.j2", "{% if %}")
        .file("prompts/b.j2", "text\n  {{ task | }}")
        .file("prompts/self.j2", "{% extends 'self.j2' %}")
        .file("prompts/one.j2", "{% include 'two.j2' %}")
        .file("prompts/two.j2", "{% include 'one.j2' %}")
        .file(
            "prompts/deep.j2",
            format!("{{{{ {}1 }}}}", "1 + ".repeat(30_000)),
        )
        .file("prompts/fine.j2", "{{ task }}");
    let names = [
        "a.j2", "b.j2", "self.j2", "one.j2", "two.j2", "deep.j2", "fine.j2",
    ];
    let output = check(&project, &names).fails(1);
    assert_snapshot!(output.stdout);
}

#[test]
fn a_template_is_checked_with_the_roles_that_use_it() {
    let project = Project::new()
        .role("plain", "template: outer.j2")
        .role("teamed", "template: outer.j2\nconfig: {team: a}")
        .role("apart", "template: other.j2")
        .file("prompts/outer.j2", "{% include 'inner.j2' %}")
        .file("prompts/inner.j2", "{{ role.config.team }}")
        .file("prompts/other.j2", "{{ role.name }}")
        .file("prompts/nobody.j2", "{{ role.base_role | upper }}");
    let names = ["outer.j2", "inner.j2", "other.j2", "nobody.j2"];
    assert_snapshot!(check(&project, &names).fails(1).stdout);
}

#[test]
fn the_templates_to_check_can_be_named() {
    let project = Project::new().file("prompts/implement.j2", "{{ nope }}");
    let arguments = ["--prompts-dir", "prompts", "templates", "check"];
    let named = |name| project.run(arguments.into_iter().chain([name]));
    named("planning.j2")
        .succeeds()
        .stdout_contains("1 template checked");
    named("implement.j2").fails(1);
    named("implemnt.j2")
        .fails(1)
        .stderr_contains("did you mean `implement.j2`?");
    let sarif = project
        .run(arguments.into_iter().chain(["--format", "sarif"]))
        .fails(1)
        .json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "undefined-variable");
    let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "prompts/implement.j2");
}

#[test]
fn thousands_of_mistakes_on_a_line_take_little_time() {
    let project = Project::new()
        .file("prompts/t.j2", "{{ a|b }}".repeat(25_000))
        .file("prompts/u.j2", "{{ role.a.b }}{% block x %}".repeat(9_000));
    let output = check(&project, &["t.j2", "u.j2"]).fails(1);
    assert!(output.took.as_secs() < 20, "{:?}", output.took);
}

#[test]
fn what_a_loop_does_not_tell_of_itself_is_answered_with_what_it_does() {
    let project = Project::new().file(
        "prompts/planning.j2",
        "{{ task }}{% for a in targets %}{{ loop.idx }}{{ loop.index0 }}{{ loop.cylce('a') }}\
         {{ loop.last }}{{ loop.cycle('a', 'b') }}{% if loop.x is defined %}{% endif %}{% endfor %}\n",
    );
    let output = project
        .run(words("templates check planning.j2 --prompts-dir prompts"))
        .fails(1);
    for (name, meant) in [
        ("loop.idx", "`first`, `index`, `index0`"),
        ("loop.cylce", "did you mean `cycle`?"),
    ] {
        assert!(
            output.stdout.contains(&format!("`{name}` is undefined")),
            "{}",
            output.stdout
        );
        assert!(output.stdout.contains(meant), "{}", output.stdout);
    }
    assert_eq!(
        output.stdout.matches("error[").count(),
        2,
        "{}",
        output.stdout
    );
}

#[test]
fn the_users_own_templates_are_allowed_everywhere() {
    let project = Project::new()
        .role("r", "context: {}")
        .file("prompts/mine.j2", "other {{ task }}\n");
    let config = project.outside().join("config");
    let folder = config.join("packer/templates");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine.j2"), "mine {{ task }}\n").unwrap();
    std::fs::write(folder.join("notes.txt"), "no template").unwrap();
    let environment = [("XDG_CONFIG_HOME", config.to_str().unwrap())];
    let task = ["--role", "r", "--task", "go"];
    let render = |before: &[&'static str]| {
        let all = before.iter().chain(&["render", "mine.j2"]).chain(&task);
        project
            .run_with_variables(all.copied(), &environment)
            .succeeds()
            .stdout
    };
    assert_eq!(render(&[]), "mine go");
    let prompts = ["--prompts-dir", "prompts", "--allow-template", "mine.j2"];
    assert_eq!(render(&prompts), "other go");
    let all = ["render", "mine.j2"].iter().chain(&task);
    let nowhere = project.run(all.copied()).fails(1);
    nowhere.stderr_contains("the template `mine.j2` is not allowed");
}

/// A service runs with a home that is none, or somebody else's.
#[test]
fn a_home_without_a_folder_has_no_templates() {
    let project = Project::new().file("a.rs", "fn a() {}\n");
    for home in ["/dev/null", "/dev/full"] {
        let args = "prompt --role implementer --task a --target a.rs";
        let output =
            project.run_with_variables(words(args), &[("HOME", home), ("XDG_CONFIG_HOME", home)]);
        output.succeeds().stdout_contains("fn a() {}");
    }
}
