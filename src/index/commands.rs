//! Which commands that check a change a build file or a CI file names.

use super::words::names;

/// The names of what checks a change, where a project runs them.
const NAMES: [&str; 24] = [
    "test",
    "tests",
    "spec",
    "lint",
    "fmt",
    "format",
    "check",
    "pytest",
    "tox",
    "nox",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "ctest",
    "clippy",
    "rubocop",
    "ruff",
    "eslint",
    "mypy",
    "phpunit",
    "flake8",
    "phpstan",
    "standardrb",
];

/// The names of commands that run tests: what a worker most wants to run.
const OF_TESTS: [&str; 12] = [
    "test", "tests", "spec", "pytest", "tox", "nox", "jest", "vitest", "mocha", "rspec", "ctest",
    "phpunit",
];

/// Those of them that are also ordinary words, so that they identify no program.
const GENERAL: [&str; 3] = ["test", "tests", "spec"];

/// What separates two commands of a line: `&&`, `||`, `;` and `|`.
const BETWEEN_COMMANDS: [char; 3] = ['&', '|', ';'];

/// A command that runs tests counts as this many more.
const TESTS_COUNT: usize = 2;

/// The programs that begin the commands which projects run, up to a `-` or a dot.
const PROGRAMS: [&str; 43] = [
    "bazel", "bun", "bundle", "cabal", "cargo", "cmake", "composer", "coverage", "dart", "deno",
    "dotnet", "flutter", "go", "gradle", "gradlew", "hatch", "invoke", "just", "lein", "make",
    "meson", "mix", "mvn", "mvnw", "ninja", "node", "npm", "npx", "pdm", "php", "pnpm", "poetry",
    "pre", "python", "python3", "rake", "sbt", "stack", "swift", "task", "uv", "yarn", "zig",
];

/// What runs the program behind it: `bash script/test`.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// What else the name of a variable says that runs a command: `$(DOCKER_RUN) pytest`.
const RUNNERS: [&str; 5] = ["compose", "docker", "exec", "podman", "run"];

/// The extensions of programs that have one.
const ENDINGS: [&str; 9] = ["sh", "py", "js", "mjs", "rb", "pl", "ps1", "bat", "exe"];

/// What begins a line of settings that only labels a step, or says what it takes and when: a step
/// named `check` need not check anything.
const LABELS: [&str; 20] = [
    "branches",
    "container",
    "deps",
    "desc",
    "description",
    "env_list",
    "envlist",
    "extras",
    "files",
    "id",
    "if",
    "image",
    "key",
    "name",
    "needs",
    "on",
    "path",
    "paths",
    "select",
    "uses",
];

/// The values that turn a setting on or off: `test: off` of a service runs nothing.
const SWITCHES: [&str; 6] = ["on", "off", "true", "false", "yes", "no"];

/// Returns how many different commands that check a change these lines name, plus [`TESTS_COUNT`]
/// if one of them runs tests.
pub fn commands(lines: &[&str]) -> u8 {
    let mut found = [false; NAMES.len()];
    let mut runs_unnamed = false;
    for line in lines {
        let runs = command(line).into_iter();
        let runs = runs.flat_map(|run| run.split(BETWEEN_COMMANDS));
        let runs = runs.filter(|run| is_run(run) && !only_installs(run) && !skips_tests(run));
        // `-Wformat=2` and `--lint` say how something is run, not what.
        let words = runs.flat_map(|run| {
            runs_unnamed |= runs_all(run);
            run.split_whitespace().filter(|word| !word.starts_with('-'))
        });
        let words = words.flat_map(names).map(|(_, name)| name);
        for name in words.chain(target(line)) {
            if let Some(at) = NAMES.iter().position(|known| *known == name) {
                found[at] = true;
            }
        }
    }
    let found = NAMES.iter().zip(found).filter(|(_, found)| *found);
    let tests = if found.clone().any(|(name, _)| OF_TESTS.contains(name)) {
        TESTS_COUNT
    } else if runs_unnamed {
        1 + TESTS_COUNT
    } else {
        0
    };
    let count = found.count() + tests;
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// Whether a document quotes a command that checks a change: `make test` inside a line, or on a
/// line of its own that is indented as code.
pub fn quotes_commands(text: &str) -> bool {
    let quoted = text.split('`').skip(1).step_by(2);
    let quoted = quoted.filter(|quoted| quoted.contains(' ') && !quoted.contains('\n'));
    let own = text.lines().filter(|line| line.starts_with("    "));
    let own = own.filter(|line| line.trim().contains(' '));
    quoted.chain(own).any(|text| commands(&[text]) > 0)
}

/// Whether a document quotes a command that runs tests, in a code block or between backticks.
pub fn tells_how_to_test(text: &str) -> bool {
    let is_program = |text: &str| OF_TESTS.contains(&text) && !GENERAL.contains(&text);
    let runs_tests =
        |text: &str| is_program(text.trim()) || usize::from(commands(&[text])) > TESTS_COUNT;
    let mut is_code = false;
    text.lines().any(|line| {
        let begins = line.trim_start();
        let is_fence = begins.starts_with("```") && !begins.trim_start_matches('`').contains('`');
        if is_fence || begins.starts_with("~~~") {
            is_code = !is_code;
            return false;
        }
        let mut quoted = line.split('`').skip(1).step_by(2);
        let is_own = is_code || line.starts_with("    ");
        is_own && runs_tests(line)
            || quoted.any(|it| (it.contains(' ') || is_program(it)) && runs_tests(it))
    })
}

/// Returns what a line runs, if anything: all of it, or what follows a name, as in `run: make test`
/// and `"unit": "jest --ci"`.
fn command(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("- ");
    // `test {` begins a block of settings.
    if line.starts_with('#') || line.trim_end().ends_with('{') {
        return None;
    }
    if is_requirement(line) {
        return None;
    }
    let is_name = |name: &str| {
        let name = name.trim().trim_matches(['"', '\'']);
        let is_part = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
        !name.is_empty() && !name.starts_with('-') && name.chars().all(is_part)
    };
    let named = line.split_once(": ").or_else(|| line.split_once('='));
    match named.filter(|(name, _)| is_name(name)) {
        Some((name, _)) if LABELS.contains(&name.trim()) => None,
        Some((_, run)) => Some(run),
        // A name alone is one of a list of what there is.
        None if !line.trim().contains([' ', '/']) => None,
        None => Some(line),
    }
}

/// Whether a line only requires another package: `"phpunit/phpunit": "^10.0",` and
/// `"pytest >= 7",`.
fn is_requirement(line: &str) -> bool {
    /// How a requirement on a package begins if it is not a number.
    const ASKED: [&str; 14] = [
        "^",
        "~",
        "<",
        ">",
        "=",
        "*",
        "!=",
        "workspace:",
        "catalog:",
        "npm:",
        "link:",
        "file:",
        "latest",
        "dev-",
    ];
    let Some(line) = line.trim_start().strip_prefix(['"', '\'']) else {
        return false;
    };
    let is_asked = |asked: &str| ASKED.iter().any(|begins| asked.starts_with(begins));
    let named = line.split_once("\":").or_else(|| line.split_once("':"));
    if let Some((_, asked)) = named {
        let asked = asked.trim().trim_end_matches(',').trim_matches(['"', '\'']);
        // `~/bin/check` is no version.
        let is_path = asked.starts_with("~/");
        let is_version = |c: char| c.is_ascii_digit() || ".x*-^~<>=| ".contains(c);
        return is_asked(asked) && !is_path || !asked.is_empty() && asked.chars().all(is_version);
    }
    line.split_once(' ')
        .is_some_and(|(_, asked)| is_asked(asked))
}

/// Whether a command only installs what checks something: `pip install tox`, `yarn add jest`,
/// `./phpunit install`. `make install check` does more than that.
fn only_installs(run: &str) -> bool {
    const MAKERS: [&str; 10] = [
        "gradle", "gradlew", "just", "make", "mvn", "mvnw", "ninja", "rake", "sbt", "task",
    ];
    let words = run.split(|c: char| c.is_whitespace() || "\"',[@".contains(c));
    let mut words =
        words.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('='));
    let program = words.next().and_then(|word| word.rsplit('/').next());
    if program.is_none_or(|program| MAKERS.contains(&program) || program.starts_with('$')) {
        return false;
    }
    let what = words.find(|word| !["pip", "tool", "global"].contains(word));
    what.is_some_and(|what| ["install", "i", "add", "require"].contains(&what))
}

/// Whether a command says that it does not run the tests, as Maven and Gradle are told.
fn skips_tests(run: &str) -> bool {
    let mut without = ["skipTests", "maven.test.skip", "-x test"].into_iter();
    without.any(|without| run.contains(without))
}

/// Whether a command runs the tests without naming them: `rake` alone, `gradlew build`,
/// `mvn verify`, `npm run ci`.
fn runs_all(run: &str) -> bool {
    let words = run.split(|c: char| c.is_whitespace() || "\"',[@".contains(c));
    let mut words =
        words.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('='));
    let program = words.find(|word| !["bundle", "exec"].contains(word));
    let program = program.and_then(|path| path.rsplit('/').next());
    let mut asked = words;
    match program {
        Some("rake") => asked.next().is_none(),
        Some("gradle" | "gradlew" | "gradlew.bat") => {
            asked.any(|task| task.rsplit(':').next() == Some("build") || task.starts_with("${{"))
        }
        Some("mvn" | "mvnw" | "mvnw.cmd") => {
            asked.any(|phase| ["verify", "package", "install"].contains(&phase))
        }
        Some("npm" | "pnpm" | "yarn" | "bun") => {
            asked.next() == Some("run") && asked.next() == Some("ci")
        }
        Some("make" | "just" | "task") => asked.next() == Some("ci"),
        _ => false,
    }
}

/// Whether a text begins like a command that a project runs.
fn is_run(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t', '"', '\'', '[', '@']);
    if is_variable(text) {
        return true;
    }
    let text = text.trim_start_matches('$');
    let mut words = text.split(|c: char| c.is_whitespace() || "\"',".contains(c));
    // `CI=1 npm test`
    let program = words.find(|word| {
        let is_word = !word.contains('=') && word.contains(char::is_alphabetic);
        is_word && !SHELLS.contains(word)
    });
    // `test -d folder` asks the shell, and `stage: test` names something.
    let program = program.filter(|word| !GENERAL.contains(word));
    let path = program.unwrap_or_default();
    let program = path.rsplit('/').next().unwrap_or_default();
    let (name, ending) = program.rsplit_once('.').unwrap_or((program, ""));
    // `format.c` is no program, and `test.sh` and `python3.12` are.
    let is_program = ending.chars().all(|c| c.is_ascii_digit()) || ENDINGS.contains(&ending);
    let name = name.split(['-', '.']).next().unwrap_or_default();
    // `test-main` is what something is called, unless it lies somewhere to be run.
    let is_called = GENERAL.contains(&name) && ending.is_empty() && !path.contains('/');
    is_program && !is_called && (PROGRAMS.contains(&name) || NAMES.contains(&name))
}

/// Whether a text begins with a variable in brackets and continues, if the variable is called like
/// something that runs or checks: `$(MAKE) test` and `${{ env.CARGO }} test`, but not
/// `$(SYMLINK) test`.
fn is_variable(text: &str) -> bool {
    let variable = ["${{", "${", "$("].iter().find_map(|open| {
        let close = if *open == "$(" { ')' } else { '}' };
        text.strip_prefix(open)?.split_once(close)
    });
    variable.is_some_and(|(name, behind)| {
        behind.trim_start_matches('}').starts_with(' ') && is_runner(name)
    })
}

/// Whether one of the words of a variable's name is a program that runs or checks.
fn is_runner(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| "_-. ".contains(c));
    let mut words = words.map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
    let known = [&PROGRAMS[..], &NAMES, &RUNNERS];
    words.any(|word| known.iter().any(|names| names.contains(&word)))
}

/// Returns the name of what a line makes or runs under that name: `test:` of a Makefile,
/// `"test": "…"` of a package.
fn target(line: &str) -> Option<&str> {
    if let Some(name) = line.trim_start().strip_prefix('"') {
        let (name, value) = name.split_once("\":")?;
        let is_script = value.trim_start().starts_with('"') && !is_requirement(line);
        // `"lint:styles"` is one of those that `"lint"` runs.
        let name = name.split(':').next().unwrap_or(name);
        return is_script.then_some(name);
    }
    let (name, behind) = line.split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let is_switch = SWITCHES.contains(&behind.trim());
    (name.chars().all(is_name) && !behind.starts_with('=') && !is_switch).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_labels_a_step_of_ci_is_no_command() {
        let labels = [
            "- name: Check who asks",
            "  id: check",
            "  uses: lint/test@v3",
            "# to test it",
        ];
        assert_eq!(commands(&labels), 0);
        assert_eq!(
            commands(&["  run: |", "    make lint", "    make lint check"]),
            2
        );
    }

    #[test]
    fn what_runs_tests_outweighs_what_only_looks() {
        assert_eq!(commands(&["test:", "\tcargo test && cargo clippy"]), 4);
        assert!(commands(&["run: pytest"]) > commands(&["run: make lint fmt"]));
    }

    #[test]
    fn commands_are_known_in_every_dress() {
        for line in [
            "      - run: bundle exec thor spec",
            "\t@./gradlew test",
            "    \"unit\": \"jest --ci\",",
            "    \"lint:styles\": \"run-p styles:*\",",
            "    \"test\": \"~/bin/check.sh\",",
            "    \"test\": \"node run.js\",",
            "test: all",
            "commands = pytest {posargs}",
            "  CI=1 npm test",
            "  - vendor/bin/phpunit",
            "run: pre-commit run ruff",
            "run: ${{ env.CARGO }} test --workspace",
            "\t$(MAKE) -C src check",
            "\t@${PHP} vendor/bin/phpunit",
            "run: npm install && npm test",
            "run: cd web; make test",
            "\ttest -d .venv && .venv/bin/pytest",
            "\t@test -n \"$(CI)\" || go test ./...",
            "run: mvn clean test install",
            "make install check",
            "poetry run pytest",
            "run: bin/test all",
            "run: bin/test-all -v",
            "  test-all.sh -v",
            "      run: bundle exec rake",
            "  - rake --trace",
            "run: ./gradlew build",
            "run: ./gradlew ${{ matrix.TASK }} --stacktrace",
            "run: ./gradlew :core:build -q",
            "run: ./mvnw -B verify",
            "script: mvn -B package",
            "run: npm run ci",
            "\tmake ci",
            "run: task test",
            "run: task py:test",
            "  - task ci",
            "\t$(GO) test ./...",
            "\t@$(PYTHON3) -m pytest",
            "\t$(NPM) test",
            "\t${DOCKER_RUN} pytest",
            "        run: bash script/test",
            "  - bundle exec standardrb",
            "    \"lint\": \"phpstan analyse\",",
        ] {
            assert!(commands(&[line]) > 0, "{line}");
        }
    }

    #[test]
    fn a_document_quotes_commands_between_ticks_and_in_code() {
        for text in [
            "- **Test**: `pnpm run test` - compiles and runs all",
            "| Tests | `go test -race ./...` |",
            "Run it:\n\n    cargo test --doc\n",
            "`test.unit.sh all`",
        ] {
            assert!(quotes_commands(text), "{text}");
        }
        for text in [
            "Write `tests` first.",
            "Run the tests with care.",
            "`format.c` is long",
        ] {
            assert!(!quotes_commands(text), "{text}");
        }
    }

    #[test]
    fn a_document_tells_how_to_test_where_it_quotes_that() {
        for text in [
            "Run `cargo test --all` first.",
            "```sh\nmake test\n```",
            "Do:\n\n    bundle exec rspec\n",
            "Then `pytest`.",
            "~~~\ntox\n~~~",
        ] {
            assert!(tells_how_to_test(text), "{text}");
        }
        for text in [
            "make sure the tests pass",
            "Run `make lint`.",
            "```rust\nfn test() {}\n```\nnpm test",
            "```a``` is inline\nnpm test",
            "Write a `test`.",
        ] {
            assert!(!tells_how_to_test(text), "{text}");
        }
    }

    #[test]
    fn what_only_has_the_name_of_a_command_is_none() {
        for line in [
            "group :test do",
            "test {",
            "    test {",
            "test-case = \"3\"",
            "  test: off",
            "pytest = \"^8.0\"",
            "tests/a_test.o \\",
            "\tformat.c \\",
            "  mypy",
            "\ttest -d $@",
            "  run: test -f Gemfile || exit 1",
            "      classifier = \"test\"",
            "  stage: test",
            "  RAILS_ENV: test",
            "          ./phpunit install",
            "    - run: python -m pip install pytest",
            "    - run: cd x && pip3 install pytest",
            "    - run: npm i -D jest",
            "    - run: yarn add jest",
            "    - run: composer require --dev phpunit/phpunit",
            "    - run: uv tool install tox",
            "    \"vitest\": \"1.6.0\",",
            "    \"eslint\": \"^8.57.0\",",
            "        \"phpunit/phpunit\": \"^9.5.11|^10.0\",",
            "    \"jest\": \"workspace:*\",",
            "    'jest': '^29.0',",
            "    \"pytest >= 7\",",
            "envlist = ruff",
            "markers = [\"check: a marker\"]",
            "[dev-dependencies.test]",
            "<testsuite name=\"Tests\">",
            "    -Wsuggest-attribute=format",
            "set(FLAGS -Wformat=2 -Wformat-nonliteral)",
            "cmake --build . --test",
            "  test-main PUBLIC $<BUILD_INTERFACE:${DIR}/include>)",
            "test: off",
            "lint: false",
            "FILES = ${TESTS}",
            "run: bundle exec rake release",
            "run: ./gradlew publish",
            "run: mvn deploy",
            "run: npm ci",
            "RUN go mod verify",
            "run: make verify-signature",
            "run: mvn install -DskipTests",
            "run: ./gradlew build -x test",
            "  gem \"rake\"",
            "run: make",
            "      image: rroemhild/test-openldap",
            "    container: me/test-all",
            "    desc: pytest as CI runs it",
            "\t$(SYMLINK) spec $(DIR)",
            "\t$(SYMLINK) test $(DIR)/",
            "\t@$(RM) tests",
            "\t${MKDIR} test",
            "run: task install",
        ] {
            assert_eq!(commands(&[line]), 0, "{line}");
        }
    }
}
