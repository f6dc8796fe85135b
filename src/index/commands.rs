//! Which commands that check a change a build file names, or one of CI.

use super::words::names;

/// The names of what checks a change, where a project runs them.
const NAMES: [&str; 16] = [
    "test", "tests", "lint", "fmt", "format", "check", "pytest", "tox", "nox", "jest", "vitest",
    "mocha", "clippy", "eslint", "mypy", "phpunit",
];

/// What a line of CI's settings begins with that only labels a step, or says what it takes and
/// when: one that is called `check` need not check anything.
const LABELS: [&str; 12] = [
    "branches",
    "description",
    "files",
    "id",
    "if",
    "key",
    "name",
    "needs",
    "on",
    "path",
    "paths",
    "uses",
];

/// How many different commands that check a change these lines name.
pub fn commands(lines: &[&str]) -> u8 {
    let mut found = [false; NAMES.len()];
    for line in lines.iter().filter(|line| !is_label(line)) {
        for (_, name) in names(line) {
            if let Some(at) = NAMES.iter().position(|known| *known == name) {
                found[at] = true;
            }
        }
    }
    u8::try_from(found.into_iter().filter(|found| *found).count()).unwrap_or(u8::MAX)
}

fn is_label(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    let key = line.split_once(':').map(|(key, _)| key.trim());
    line.starts_with('#') || key.is_some_and(|key| LABELS.contains(&key))
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
            commands(&["  run: |", "    make lint", "    make lint test"]),
            2
        );
        assert_eq!(commands(&["test:", "\tcargo test && cargo clippy"]), 2);
    }
}
