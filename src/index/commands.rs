//! Which commands that check a change a build file or a CI file names.

use super::words::names;

/// The names of what checks a change, where a project runs them.
const NAMES: [&str; 29] = [
    "test",
    "tests",
    "runtests",
    "spec",
    "lint",
    "fmt",
    "format",
    "check",
    "pytest",
    "unittest",
    "tox",
    "nox",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "ctest",
    "nextest",
    "bats",
    "clippy",
    "rubocop",
    "ruff",
    "eslint",
    "mypy",
    "phpunit",
    "pest",
    "flake8",
    "phpstan",
    "standardrb",
];

/// The names of commands that run tests: what a worker most wants to run.
const OF_TESTS: [&str; 17] = [
    "test", "tests", "runtests", "spec", "pytest", "unittest", "tox", "nox", "jest", "vitest",
    "mocha", "rspec", "ctest", "nextest", "bats", "phpunit", "pest",
];

/// Those of them that are also ordinary words, so that they identify no program.
const GENERAL: [&str; 3] = ["test", "tests", "spec"];

/// What separates two commands of a line: `&&`, `||`, `;` and `|`.
const BETWEEN_COMMANDS: [char; 3] = ['&', '|', ';'];

/// What may stand before a command: spaces, a quote, the beginning of a list or `@`.
const BEFORE_COMMAND: [char; 6] = [' ', '\t', '"', '\'', '[', '@'];

/// What separates two words of a script's name.
const BETWEEN_WORDS: [char; 3] = ['_', '-', '.'];

/// A command that runs tests counts as this many more.
const TESTS_COUNT: usize = 2;

/// The programs that begin the commands which projects run, up to a `-` or a dot.
const PROGRAMS: [&str; 44] = [
    "bazel", "bun", "bundle", "cabal", "cargo", "cmake", "composer", "coverage", "dart", "deno",
    "dotnet", "flutter", "go", "gradle", "gradlew", "hatch", "invoke", "just", "lein", "make",
    "meson", "mix", "mvn", "mvnw", "ninja", "node", "npm", "npx", "pdm", "php", "pnpm", "poetry",
    "pre", "prove", "python", "python3", "rake", "sbt", "stack", "swift", "task", "uv", "yarn",
    "zig",
];

/// Those of them that make what they are asked for.
const MAKERS: [&str; 10] = [
    "gradle", "gradlew", "just", "make", "mvn", "mvnw", "ninja", "rake", "sbt", "task",
];

/// What runs the program behind it: `bash script/test`.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// What runs the program behind it in a container.
const CONTAINERS: [&str; 3] = ["docker", "docker-compose", "podman"];

/// What is followed by the name of a folder or of a declaration, and runs nothing of that name:
/// `cd test`, `mod tests`.
const TAKERS: [&str; 16] = [
    "cat", "cd", "class", "cp", "def", "echo", "fn", "import", "ls", "mkdir", "mod", "mv", "new",
    "rm", "rmdir", "use",
];

/// The names of settings whose value is run, whatever it begins with.
const SCRIPTS: [&str; 2] = ["run", "script"];

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

/// Returns how many different commands that check a change the lines of a build file or a CI file
/// name, plus [`TESTS_COUNT`] if one of them runs tests.
pub fn commands(lines: &[&str]) -> u8 {
    Commands::of(lines, Place::Line).count()
}

/// Where a text stands that may be a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a block of commands, or where a setting says what to run.
    Shell,
    /// Between the backticks of a document.
    Ticks,
    /// On a line that may say anything.
    Line,
}

/// The commands that check a change.
#[derive(Default)]
pub(super) struct Commands {
    /// Which of [`NAMES`] are among them.
    found: [bool; NAMES.len()],
    /// Whether one of them runs the tests without naming them.
    runs_unnamed: bool,
}

impl Commands {
    /// Finds those in these lines. What stands below `run: |` is a command wherever the line is.
    pub(super) fn of(lines: &[&str], place: Place) -> Commands {
        let mut all = Commands::default();
        let mut script = None;
        for line in lines {
            let begins = line.trim_start();
            let indent = line.len() - begins.len();
            script = script.filter(|above| begins.is_empty() || indent > *above);
            if script.is_none() && is_script(begins) {
                script = Some(indent);
            }
            all.take(
                line,
                if script.is_some() {
                    Place::Shell
                } else {
                    place
                },
            );
        }
        all
    }

    /// Adds those of a line.
    fn take(&mut self, line: &str, place: Place) {
        let runs = command(line, place).into_iter();
        for run in runs.flat_map(|run| run.split(BETWEEN_COMMANDS)).map(inside) {
            if is_run(run, place) && !only_installs(run) && !skips_tests(run) {
                self.runs_unnamed |= runs_all(run);
                asked(run).for_each(|name| self.add(name));
            }
        }
        // `test: more cases` is how a commit is called.
        if let Some(name) = target(line).filter(|_| place != Place::Ticks) {
            self.add(name);
        }
    }

    fn add(&mut self, name: &str) {
        if let Some(at) = NAMES.iter().position(|known| *known == name) {
            self.found[at] = true;
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let names = NAMES.iter().zip(self.found);
        names.filter(|(_, found)| *found).map(|(name, _)| *name)
    }

    pub(super) fn run_tests(&self) -> bool {
        self.runs_unnamed || self.names().any(|name| OF_TESTS.contains(&name))
    }

    pub(super) fn count(&self) -> u8 {
        let tests = if self.names().any(|name| OF_TESTS.contains(&name)) {
            TESTS_COUNT
        } else if self.runs_unnamed {
            1 + TESTS_COUNT
        } else {
            0
        };
        u8::try_from(self.names().count() + tests).unwrap_or(u8::MAX)
    }
}

/// Whether a name is that of a program that runs tests, and no ordinary word.
pub(super) fn is_program_of_tests(name: &str) -> bool {
    OF_TESTS.contains(&name) && !GENERAL.contains(&name)
}

/// Whether a line of settings has a value that is run: `run: make test`, `- script: |`.
fn is_script(line: &str) -> bool {
    let line = line.trim_start_matches("- ");
    let name = line.split_once(':').map(|(name, _)| name);
    name.is_some_and(|name| SCRIPTS.contains(&name))
}

/// Returns the command that a container runs: `make test` of `docker compose exec web make test`.
/// Any other command is returned as it is.
fn inside(run: &str) -> &str {
    let text = run.trim_start_matches(BEFORE_COMMAND);
    let program = text.trim_start_matches(['$', ' ']).split(' ').next();
    if !program.is_some_and(|program| CONTAINERS.contains(&program)) {
        return run;
    }
    let starts = [" run ", " exec "].into_iter();
    let starts = starts.filter_map(|what| text.find(what).map(|at| at + what.len()));
    let mut rest = starts.min().map_or("", |at| &text[at..]);
    while let Some((option, behind)) = rest.trim_start().split_once(' ') {
        rest = behind;
        if !option.starts_with('-') {
            return rest;
        }
    }
    ""
}

/// Returns the names of what a command runs. `-Wformat=2` and `--lint` say how something is run,
/// not what, and `make a/test` makes a file.
fn asked(run: &str) -> impl Iterator<Item = &str> {
    let path = program(run).unwrap_or_default();
    let script = Some(path).filter(|path| is_script_of_checks(path));
    let script = script.into_iter();
    let script = script.flat_map(|path| path.split(BETWEEN_WORDS));
    let makes = MAKERS.contains(&path.rsplit('/').next().unwrap_or_default());
    let is_no_name = move |word: &str| word.starts_with('-') || makes && word.contains('/');
    let words = run.split_whitespace().filter(move |word| !is_no_name(word));
    let words = words.map(move |word| if is_all(path, word) { "test" } else { word });
    words.flat_map(names).map(|(_, name)| name).chain(script)
}

/// Whether what a program is asked for is called a check and runs the tests, as `make check` does
/// by convention and `gradle check` by default.
fn is_all(program: &str, asked: &str) -> bool {
    let program = program.rsplit('/').next().unwrap_or_default();
    let is_one = ["make", "(MAKE)", "{MAKE}"].contains(&program) || program.starts_with("gradle");
    let asked = asked.trim_matches(['"', '\'']).rsplit(':').next();
    is_one && matches!(asked, Some("check" | "distcheck"))
}

/// Returns what a line runs, if anything: all of it, or what follows a name, as in `run: make test`
/// and `"unit": "jest --ci"`.
fn command(line: &str, place: Place) -> Option<&str> {
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
        None if place != Place::Shell && !line.trim().contains([' ', '/']) => None,
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
        Some("prove") => asked.next().is_none_or(|of| of.contains('/') || of == "t"),
        Some("npm" | "pnpm" | "yarn" | "bun") => {
            asked.next() == Some("run") && asked.next() == Some("ci")
        }
        Some("make" | "just" | "task") => asked.next() == Some("ci"),
        _ => false,
    }
}

/// Whether a text begins like a command that a project runs.
fn is_run(text: &str, place: Place) -> bool {
    let path = program(text).unwrap_or_default();
    let program = path.rsplit('/').next().unwrap_or_default();
    let (name, ending) = program.rsplit_once('.').unwrap_or((program, ""));
    // `format.c` is no program, and `test.sh` and `python3.12` are.
    let is_program = ending.chars().all(|c| c.is_ascii_digit()) || ENDINGS.contains(&ending);
    let name = name.split(['-', '.']).next().unwrap_or_default();
    // `test-main` is what something is called, unless it lies somewhere to be run.
    let is_called = GENERAL.contains(&name) && ending.is_empty() && !path.contains('/');
    let is_known = PROGRAMS.contains(&name) || NAMES.contains(&name);
    is_variable(text.trim_start_matches(BEFORE_COMMAND))
        || is_program && !is_called && (is_known || is_script_of_checks(path))
        || place != Place::Line && only_asks_for_check(text, place)
}

/// Returns the program that a text runs, if it begins like a command: `a/b` of `CI=1 sh a/b c`.
fn program(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(BEFORE_COMMAND);
    let text = text.trim_start_matches('$');
    let mut words = text.split(|c: char| c.is_whitespace() || "\"',".contains(c));
    // `CI=1 npm test`
    let program = words.find(|word| {
        let is_word = !word.contains('=') && word.contains(char::is_alphabetic);
        is_word && !SHELLS.contains(word)
    });
    // `test -d folder` asks the shell, and `stage: test` names something.
    program.filter(|word| !GENERAL.contains(word))
}

/// Whether a program is called like one that runs checks: `run_tests.sh`, but not `test_a.py`.
fn is_script_of_checks(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (name, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_program = ENDINGS.contains(&ending) || ending.is_empty() && path.contains('/');
    let mut words = name.split(BETWEEN_WORDS);
    let runs = words.next() == Some("run");
    is_program && runs && words.next_back().is_some_and(|last| NAMES.contains(&last))
}

/// Whether a text has a program and what it is asked for, and this is a check: `melos run test`,
/// `bin/rails test` and `./build.sh test -v`, but not `cd test` and `unit tests with care`. Between
/// ticks, two words are as often the name of something.
fn only_asks_for_check(text: &str, place: Place) -> bool {
    let text = text.trim_start_matches(BEFORE_COMMAND);
    let words = text.split(|c: char| c.is_whitespace() || "\"'".contains(c));
    let mut words = words.filter(|word| !word.is_empty() && *word != "$" && !word.contains('='));
    let program = words.next().unwrap_or_default();
    let is_path = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let is_program = program.starts_with(|c: char| c.is_ascii_lowercase() || "./".contains(c))
        && program.chars().all(is_path)
        && !TAKERS.contains(&program)
        && !GENERAL.contains(&program);
    let mut asked = words.next();
    let is_run = asked == Some("run");
    if is_run {
        asked = words.next();
    }
    let is_sure = place != Place::Ticks || is_run || program.contains('/');
    let goes_on = words
        .next()
        .is_some_and(|word| word.starts_with(char::is_alphabetic));
    is_program && is_sure && asked.is_some_and(|asked| NAMES.contains(&asked)) && !goes_on
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
            commands(&["  run: |", "    make lint", "    just lint check"]),
            2
        );
    }

    #[test]
    fn what_runs_tests_outweighs_what_only_looks() {
        assert_eq!(commands(&["test:", "\tcargo test && cargo clippy"]), 4);
        assert!(commands(&["run: pytest"]) > commands(&["run: make lint fmt"]));
        for line in [
            "make check VERBOSE=yes",
            "\t$(MAKE) -C src check",
            "run: make distcheck",
            "run: ./gradlew :core:check",
        ] {
            assert_eq!(commands(&[line]), 3, "{line}");
        }
        assert_eq!(commands(&["make lint check"]), 4);
        for line in ["make check-format", "just check", "cargo check"] {
            assert!(commands(&[line]) < 3, "{line}");
        }
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
            "run: melos run test",
            "      - run: pixi run -q test && nx test",
            "- script: xcodebuild test -scheme App",
            "  run: \"bin/rails test\"",
            "run: ./manage.py test --parallel",
            "run: ./build.sh test",
            "run: cargo nextest run",
            "run: python -m unittest discover",
            "  - vendor/bin/pest",
            "  - prove -lr t",
            "run: bats tests/unit.bats",
            "run: docker compose exec -T web pytest",
            "run: docker exec -i web pytest",
            "\tdocker-compose -f ci.yml run --rm web make test",
            "  - ./run_tests.sh",
            "  - script/run-all-tests",
            "\t./runtests.py",
        ] {
            assert!(commands(&[line]) > 0, "{line}");
        }
    }

    #[test]
    fn what_stands_below_run_is_a_command_up_to_the_next_setting() {
        let step = ["  - run: |", "      set -e", "", "      nx test"];
        assert_eq!(commands(&step), 3);
        assert_eq!(commands(&["  - run: |", "      pytest"]), 3);
        assert_eq!(commands(&["  - run: ls", "  - suite", "    unit test"]), 0);
        assert_eq!(
            commands(&["  - run: ls", "    with: |", "      nx a", "  nx test"]),
            0
        );
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
            "nx test",
            "run: cd test",
            "run: mkdir -p tests",
            "run: docker compose up test",
            "run: docker compose exec test psql",
            "run: docker run",
            "  test_client.py",
            "  - ./update_tests.sh",
            "run: prove it all",
            "run: unit tests with care",
            "run: src tests docs",
            "make jq.1.prebuilt tests/man.test tests/manonig.test",
            "\tninja -C out lib/test/format.o",
        ] {
            assert_eq!(commands(&[line]), 0, "{line}");
        }
    }
}
