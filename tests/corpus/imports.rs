//! Project files and imports that are made to multiply: each says little that would take
//! much to write out, to remember or to go through.

use super::*;

/// A text of each of these numbers, one after another.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// A repository with these files besides what is in each.
fn with(files: &[(&str, String)]) -> Project {
    let files = files.iter();
    files.fold(plain(), |project, (path, text)| project.file(path, text))
}

/// Runs what follows the imports of a target, and what ranks all files by theirs.
fn survives_imports(name: &str, project: &Project, target: &str) {
    let of_target = format!("prompt --role implementer --task 'Mend a.' --target {target}");
    let of_all = "prompt --role planner --task 'Mend a.'";
    survives_each(name, project, &[&of_target, of_all]);
}

#[test]
fn paths_and_names_without_end() {
    let long = "a/".repeat(60_000);
    let stars = "*".repeat(4000);
    let scripts = each(1000, |n| format!("import \"x/{n}/y\";\n"));
    for (name, path, text, target, imports) in [
        (
            "stars of `imports`",
            "package.json",
            format!(
                r##"{{"name": "p", "imports": {{"#a/*": "{}"}}}}"##,
                "*".repeat(100_000)
            ),
            "a.ts",
            format!(
                "import \"#a/{}\";\nimport \"#a/{}\";\n",
                "b".repeat(3000),
                "b".repeat(900)
            ),
        ),
        (
            "stars of `exports`",
            "package.json",
            format!(
                r#"{{"name": "p", "exports": {{"./*": ["{stars}"{}]}}}}"#,
                format!(", \"{stars}\"").repeat(29)
            ),
            "a.ts",
            format!("import \"p/{}\";\n", "b".repeat(900)),
        ),
        (
            "a long `baseUrl`",
            "tsconfig.json",
            format!(r#"{{"compilerOptions": {{"baseUrl": "{long}"}}}}"#),
            "a.ts",
            scripts.clone(),
        ),
        (
            "a long place of `paths`",
            "tsconfig.json",
            format!(r#"{{"compilerOptions": {{"paths": {{"x/*": ["{long}*"]}}}}}}"#),
            "a.ts",
            scripts.clone(),
        ),
        (
            "a long `replace`",
            "go.mod",
            format!("module m\nreplace b => ./{long}\n"),
            "a.go",
            format!(
                "package a\nimport (\n{})\n",
                each(1000, |n| format!("\"b/x{n}\"\n"))
            ),
        ),
        (
            "a long folder of a namespace",
            "composer.json",
            format!(r#"{{"autoload": {{"psr-4": {{"A\\": "{long}"}}}}}}"#),
            "a.php",
            format!("<?php\n{}", each(1000, |n| format!("use A\\x{n}\\y;\n"))),
        ),
        (
            "dots",
            "pyproject.toml",
            String::new(),
            "a.py",
            format!(
                "from {} import {}\n",
                ".".repeat(200_000),
                each(1000, |n| format!("n{n}, "))
            ),
        ),
        (
            "a long module",
            "pyproject.toml",
            String::new(),
            "a.py",
            format!(
                "from {} import {}\n",
                "a".repeat(200_000),
                each(1000, |n| format!("n{n}, "))
            ),
        ),
        (
            "a long path in braces",
            "Cargo.toml",
            "[package]\nname = \"a\"\n".into(),
            "src/a.rs",
            format!(
                "use {}::{{{}}};\n",
                "a".repeat(200_000),
                each(1000, |n| format!("n{n}, "))
            ),
        ),
    ] {
        let project = with(&[(path, text), (target, imports)]);
        survives_imports(name, &project, target);
    }
}

#[test]
fn project_files_that_say_much() {
    let dependent = "use zzz::x;\nfn main() { yyy::y(); }\n";
    let package = "[package]\nname = \"a\"\n";
    let table = format!(
        "{package}[{}]\n{}",
        "a".repeat(60_000),
        "=\n".repeat(33_000)
    );
    let project = with(&[("Cargo.toml", table), ("src/a.rs", dependent.into())]);
    survives_imports("lines of a table with a long name", &project, "src/a.rs");

    let many = |text: &dyn Fn(usize) -> String| {
        let mut files = vec![("src/a.rs".to_owned(), dependent.to_owned())];
        files.push(("Cargo.toml".to_owned(), package.to_owned()));
        files.extend((0..24).map(|n| (format!("c{n}/Cargo.toml"), text(n))));
        files
    };
    let head = |n: usize| format!("[package]\nname = \"c{n}\"\n[dependencies]\n");
    let dependencies = each(21_500, |n| format!("{n:x}=\n"));
    for (name, files) in [
        ("dependencies", many(&|n| head(n) + &dependencies)),
        (
            "keys",
            many(&|n| format!("{}b={{x{}\n", head(n), "path=".repeat(25_000))),
        ),
    ] {
        let files = files.into_iter();
        let project = files.fold(plain(), |project, (path, text)| project.file(&path, text));
        survives_imports(name, &project, "src/a.rs");
    }

    let patterns = each(400, |n| format!(r#""x{n}/*": ["{}/*"], "#, "a".repeat(280)));
    let base = format!(r#"{{"compilerOptions": {{"paths": {{{patterns}}}}}}}"#);
    let mut project = with(&[("base.json", base)]);
    for n in 0..1500 {
        project = project
            .file(
                &format!("p{n}/tsconfig.json"),
                r#"{"extends": "../base.json"}"#,
            )
            .file(&format!("p{n}/a.ts"), "import 'x1/y';\n");
    }
    survives_imports("patterns that many extend", &project, "p1/a.ts");

    let folders = format!("\"a\"{}", ", \"a\"".repeat(24_000));
    let space = "A".repeat(3000);
    let composer = format!(r#"{{"autoload": {{"psr-4": {{"{space}\\": [{folders}]}}}}}}"#);
    let mut project = with(&[("a.php", each(1000, |n| format!("<?php use B\\x{n};\n")))]);
    for n in 0..24 {
        project = project.file(&format!("p{n}/composer.json"), &composer);
    }
    survives_imports("folders of a namespace", &project, "a.php");
}

#[test]
fn workspaces_and_packages_in_many_ways() {
    let patterns = format!("packages:\n{}", each(16_000, |n| format!("- {n:x}\n")));
    let mut project = plain();
    let mut folder = String::new();
    for _ in 0..20 {
        project = project.file(&format!("{folder}pnpm-workspace.yaml"), &patterns);
        folder += "d/";
    }
    for n in 0..2000 {
        let manifest = format!(r#"{{"name": "p{n}"}}"#);
        project = project.file(&format!("{folder}p{n}/package.json"), manifest);
    }
    let target = format!("{folder}a.ts");
    let project = project.file(&target, "import 'x';\n");
    survives_imports("patterns of workspaces", &project, &target);

    let spelled = |n: usize| {
        let parts = (0..10).map(|bit| if n >> bit & 1 == 0 { "/" } else { "./" });
        format!("\"m/{}x{n}/../p\"\n", parts.collect::<String>())
    };
    let imports = each(1000, spelled);
    let mut project = plain().file("go.mod", "module m\n");
    for n in 0..200 {
        project = project.file(
            &format!("p/f{n}.go"),
            format!("package p\nfunc F{n}() {{}}\n"),
        );
    }
    for n in 0..1000 {
        let text = format!("package q\nimport (\n{imports})\nfunc G{n}() {{}}\n");
        project = project.file(&format!("q/g{n}.go"), text);
    }
    survives_imports("ways of writing a package", &project, "q/g1.go");
}
