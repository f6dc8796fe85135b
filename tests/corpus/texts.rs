//! Roles, templates, errors and issues that are made to harm.

use super::*;

#[test]
fn roles_and_templates() {
    let head = "name: everything\ndescription: d\nsystem_prompt: p\n";
    let deep = format!("{head}context: {}", "[".repeat(100_000));
    let bomb: String = (1..30)
        .map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1))
        .collect();
    let bomb = format!("a0: &a0 [x, x, x, x]\n{bomb}{head}");
    let patterns = |pattern: &str| {
        format!(
            "{head}context:\n  include: [{}]\n",
            format!("'{pattern}', ").repeat(5000)
        )
    };
    let lists = |patterns: usize, pattern: &str| {
        let list = format!(
            "['{pattern}'{}]",
            format!(", '{pattern}'").repeat(patterns - 1)
        );
        let lists =
            ["include", "exclude", "always_include"].map(|key| format!("  {key}: {list}\n"));
        format!("{head}context:\n{}", lists.concat())
    };
    for (name, role) in [
        ("a deep role", deep),
        ("an alias bomb", bomb),
        ("stars", patterns(&"**/*a".repeat(50))),
        ("braces", patterns(&"{a,b}".repeat(40))),
        ("classes", patterns("[!a-z][[:alpha:]][")),
        ("wildcards", lists(1500, &"?".repeat(75))),
        (
            "as many wildcards as are taken",
            lists(100, &"*?".repeat(20)),
        ),
        (
            "as much text as is taken",
            lists(30, &format!("?{}", "a".repeat(1000))),
        ),
        ("paths out", patterns("../../secret.rs")),
        ("absolute paths", patterns("/etc/passwd")),
        ("extends itself", format!("{head}extends: everything\n")),
        (
            "extends out",
            format!("{head}extends: ../../../secret.rs\n"),
        ),
        (
            "large numbers",
            format!("{head}context: {{token_budget: 99999999999999999999999999}}\n"),
        ),
        (
            "a megabyte of text",
            format!("{head}rules: |\n  {}\n", "x ".repeat(500_000)),
        ),
        (
            "markup",
            format!("{head}rules: ['{{{{ 10 ** 10 }}}}', '</file>', '````']\n"),
        ),
        (
            "tags",
            format!("{head}x: !!python/object/apply:os.system ['touch {STARTED}']\n"),
        ),
        ("garbage", "\u{0}\u{1}: {[".into()),
    ] {
        let project = plain().file(".packer/roles/everything.yaml", role);
        survives(name, &project);
        if name == "wildcards" {
            project
                .run(["pack", "--role", "everything"])
                .fails(1)
                .stderr_contains("cannot use the role's `context.exclude`")
                .stderr_contains("at most 4,000 wildcards");
        }
        if name.starts_with("as m") {
            let output = project.run(["pack", "--role", "everything"]);
            assert_eq!(output.code, 0, "{name}: {}", output.stderr);
        }
    }
    // Each glob that ends in an extension could have an automaton of its own, and each of
    // these files makes it grow.
    let grows = |n| format!("*a{}b{n}.rs", "?".repeat(20));
    let globs: Vec<String> = (0..20).map(|n| format!("'{}'", grows(n))).collect();
    let grown = format!("{head}context:\n  include: [{}]\n", globs.join(", "));
    let mut project = plain().file(".packer/roles/everything.yaml", grown);
    let mut seed = 1u32;
    for n in 0..300 {
        let mut name = format!("long/{n}");
        for _ in 0..150 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            name.push(if seed >> 31 == 0 { 'a' } else { 'x' });
        }
        project = project.file(&format!("{name}.rs"), "x");
    }
    survives("automata that grow", &project);
    let mut project = plain();
    for n in 0..16 {
        let patterns: Vec<String> = (0..1500).map(|n| format!("'*a?{n}.rs'")).collect();
        let list = patterns.join(", ");
        let lists =
            ["include", "exclude", "always_include"].map(|key| format!("  {key}: [{list}]\n"));
        let role = format!(
            "name: r{n}\ndescription: d\nsystem_prompt: p\ncontext:\n{}",
            lists.concat()
        );
        project = project.file(&format!(".packer/roles/r{n}.yaml"), role);
    }
    survives("many roles with many patterns", &project);
    let project = plain();
    for template in [
        "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
        "{% set a = 'x' %}{% for i in range(60) %}{% set a = a ~ a %}{% endfor %}",
        "{% set n = namespace(a='x') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}{{ n.a }}",
        "{% set n = namespace(a=[1]) %}{% for i in range(60) %}{% set n.a = n.a + n.a %}{% endfor %}{{ n.a }}",
        "{{ 'x' * 1000000000 }}",
        "{{ 'A' | indent(1000000000) }}",
        "{{ 10 ** 10 ** 10 }}",
        "{% include 'evil.j2' %}",
        "{% extends 'evil.j2' %}",
        "{% include '../../secret.rs' %}",
        "{% include '/etc/passwd' %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ self.__class__.__mro__ }}",
        "{{ context.x.y }}",
        "{{ role.items() | list }}",
        "{{ range(1000000000) | list }}",
        "{{ '%1000000000s' | format('x') }}",
        "{{ ''.join([]) }}",
        "{{ data | tojson(indent=1000000000) }}",
        "{{ debug() }}",
    ] {
        let deep = "(".repeat(5000);
        for text in [
            template.to_owned(),
            format!("{{{{ {deep} }}}}"),
            "{% if x %}".repeat(5000),
        ] {
            fs::create_dir_all(project.outside().join("templates")).unwrap();
            fs::write(project.outside().join("templates/evil.j2"), &text).unwrap();
            let output = measured(|| {
                project.run([
                    "render",
                    "evil.j2",
                    "--role",
                    "everything",
                    "--task",
                    "t",
                    "--prompts-dir",
                    "../templates",
                    "--allow-template",
                    "evil.j2",
                ])
            });
            let what = format!("{}: {}", &text[..text.len().min(80)], output.stderr);
            assert!((0..=1).contains(&output.code), "{what}");
            assert!(
                !output.stdout.contains(CANARY) && !output.stderr.contains("panicked"),
                "{what}"
            );
            assert!(output.peak < MEMORY, "{} bytes for {what}", output.peak);
            assert!(output.took < TIME, "{:?} for {what}", output.took);
        }
    }
}

/// A megabyte that a message asks for a hundred times.
fn repeated_argument() -> String {
    let (template, argument) = ("{0}".repeat(100), "z".repeat(1_000_000));
    format!(
        r#"{{"runs":[{{"tool":{{"driver":{{"rules":[{{"id":"r","messageStrings":{{"m":{{"text":"{template}"}}}}}}]}}}},"results":[{{"ruleId":"r","message":{{"id":"m","arguments":["{argument}"]}}}}]}}]}}"#
    )
}

/// An address that stands before itself.
fn repeated_base() -> String {
    let base = "z".repeat(70_000);
    let place = r#"{"physicalLocation":{"artifactLocation":{"uri":"a","uriBaseId":"A"}}}"#;
    let results: Vec<String> = (0..100)
        .map(|n| format!(r#"{{"message":{{"text":"m{n}"}},"locations":[{place}]}}"#))
        .collect();
    format!(
        r#"{{"runs":[{{"originalUriBaseIds":{{"A":{{"uri":"{base}","uriBaseId":"A"}}}},"results":[{}]}}]}}"#,
        results.join(",")
    )
}

/// Nine megabytes of paths that are as long as there can be.
fn long_paths() -> String {
    let errors: Vec<String> = (0..2_200)
        .map(|n| format!(r#"{{"file":"/{}/{n:04}","line":1}}"#, "a/".repeat(2045)))
        .collect();
    format!(r#"{{"stages":[{{"errors":[{}]}}]}}"#, errors.join(","))
}

/// As many errors with something to warn about as there is room for, in files with long names.
fn secrets_without_end() -> String {
    let (name, token) = ("a".repeat(2000), ["AKIA", "IOSFODNN7EXAMPLE"].concat());
    let message = format!("{token}\\n").repeat(12);
    let errors: Vec<String> = (0..4_000)
        .map(|n| format!(r#"{{"file":"{name}{}","message":"{message}"}}"#, n % 200))
        .collect();
    format!(r#"{{"stages":[{{"errors":[{}]}}]}}"#, errors.join(","))
}

/// What a build and a stranger's issue say, as large as it is read.
#[test]
fn errors_and_issues() {
    let project = plain();
    let (open, close) = (r#"{"stages": [{"name": "n", "errors": ["#, "{}]}]}");
    let message = r#"{"reason":"compiler-message","message":{"level":"error","message":"m","spans":[{"file_name":"src/a.rs","line_start":1,"is_primary":true}],"children":[]}}"#;
    let sarif = r#"{"ruleIndex": 0, "message": {"id": "a", "arguments": ["{0}{0}{0}{0}{0}{0}{0}{0}"]}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "x", "uriBaseId": "B"}, "region": {"startLine": 1}}}]},"#;
    let rules = r#"{"runs": [{"originalUriBaseIds": {"B": {"uri": "y", "uriBaseId": "B"}}, "tool": {"driver": {"rules": [{"id": "r", "messageStrings": {"a": {"text": "{0}{0}{0}{0}"}}}]}}, "results": ["#;
    let full = |open: &str, item: &str, close: &str| {
        format!("{open}{}{close}", item.repeat(9_000_000 / item.len()))
    };
    let small = |open: &str, item: &str, close: &str| {
        format!("{open}{}{close}", item.repeat(1_000_000 / item.len()))
    };
    for (name, errors) in [
        ("many empty errors", full(open, "{},", close)),
        ("many numbers", full(open, "0,", close)),
        (
            "many small errors",
            small(open, r#"{"file":"src/a.rs","line":1},"#, close),
        ),
        (
            "many files",
            [
                open,
                &(0..30_000)
                    .map(|n| format!(r#"{{"file":"f{n}.rs","line":{n}}},"#))
                    .collect::<String>(),
                close,
            ]
            .concat(),
        ),
        (
            "one message",
            full(r#"{"stages":[{"errors":[{"message":""#, "m ", r#""}]}]}"#),
        ),
        ("cargo lines", full("", &format!("{message}\n"), "")),
        (
            "one cargo line",
            full(
                "{\"reason\":\"compiler-message\",\"message\":{\"children\":[",
                "{\"level\":\"note\",\"message\":\"m\"},",
                "0]}}",
            ),
        ),
        ("SARIF", small(rules, sarif, "{}]}]}")),
        ("SARIF that repeats an argument", repeated_argument()),
        ("SARIF with a base of itself", repeated_base()),
        (
            "one file",
            full(
                r#"{"stages":[{"errors":[{"message":"m","line":1,"file":""#,
                "a",
                r#""}]}]}"#,
            ),
        ),
        ("files with long paths", long_paths()),
        ("secrets without end", secrets_without_end()),
        ("deep JSON", full("", "[", "")),
        ("deep objects", full("", "{\"a\":", "")),
        ("no JSON", full("", "\u{0}\u{1}", "")),
        ("braces", full("", "{\n", "")),
    ] {
        fs::write(project.outside().join("errors.json"), errors).unwrap();
        let output = project.run(["build", "fix", "--errors", "../errors.json"]);
        sane(name, &output);
    }
    for (name, issue) in [
        ("many labels", full(r#"{"labels": ["#, "{},", "0]}")),
        (
            "many paths",
            full(r#"{"body": ""#, "src/a.rs:1-2 ../b ", "\"}"),
        ),
        ("many slashes", full(r#"{"body": ""#, "/a", "\"}")),
        ("many dots", full(r#"{"body": ""#, "a.", "\"}")),
        ("many fences", full(r#"{"body": ""#, "```", "\"}")),
        (
            "different paths",
            format!(
                r#"{{"body": "{}"}}"#,
                (0..200_000)
                    .map(|n| format!("d{n}/f{n}.rs:{n} "))
                    .collect::<String>()
            ),
        ),
    ] {
        fs::write(project.outside().join("issue.json"), issue).unwrap();
        let output = project.run(["build", "issue", "--issue", "../issue.json"]);
        sane(name, &output);
    }
}
