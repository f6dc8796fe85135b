//! Which commands that check a change a document quotes.

use super::commands::{Commands, Place, is_program_of_tests};

/// The languages of blocks in documents that have commands.
pub const SHELL_BLOCKS: [&str; 8] = [
    "",
    "sh",
    "bash",
    "shell",
    "zsh",
    "console",
    "text",
    "powershell",
];

/// Whether a block of commands has one that checks a change.
pub fn has_commands(block: &[&str]) -> bool {
    Commands::of(block, Place::Shell).count() > 0
}

/// Whether a document quotes a command that checks a change: `make test` inside a line, in a block,
/// or on a line of its own that is indented as code.
pub fn quotes_commands(text: &str) -> bool {
    quotes(text, |text, place| {
        let is_told = place != Place::Ticks || text.contains(' ');
        is_told && Commands::of(&[text], place).count() > 0
    })
}

/// Whether a document quotes a command that runs tests, in a code block or between backticks.
pub fn tells_how_to_test(text: &str) -> bool {
    quotes(text, |text, place| {
        let is_told = place != Place::Ticks || text.contains(' ');
        is_program_of_tests(text.trim()) || is_told && Commands::of(&[text], place).run_tests()
    })
}

/// Whether what a document quotes somewhere is this.
fn quotes(text: &str, is: impl Fn(&str, Place) -> bool) -> bool {
    let mut block = None;
    text.lines().any(|line| {
        if let Some(language) = fence(line.trim_start()) {
            let is_shell = SHELL_BLOCKS.contains(&language.trim());
            let place = if is_shell { Place::Shell } else { Place::Line };
            block = if block.is_some() { None } else { Some(place) };
            return false;
        }
        let place = block.or_else(|| line.starts_with("    ").then_some(Place::Line));
        let mut quoted = line.split('`').skip(1).step_by(2);
        place.is_some_and(|place| is(line, place)) || quoted.any(|text| is(text, Place::Ticks))
    })
}

/// Returns the language of a block if a line is a fence of one: `sh` of three backticks and `sh`.
fn fence(line: &str) -> Option<&str> {
    let sign = ["```", "~~~"].into_iter().find(|it| line.starts_with(it))?;
    let language = line.trim_start_matches(&sign[..1]);
    // Three backticks may also quote something inside a line.
    (sign == "~~~" || !language.contains('`')).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_quotes_commands_between_ticks_and_in_code() {
        for text in [
            "- **Test**: `pnpm run test` - compiles and runs all",
            "| Tests | `go test -race ./...` |",
            "Run it:\n\n    cargo test --doc\n",
            "`test.unit.sh all`",
            "Do:\n\n```sh\nnx lint\nls\n```\n",
            "- Do:\n  ```\n  pytest\n  ```\n",
        ] {
            assert!(quotes_commands(text), "{text}");
        }
        for text in [
            "Write `tests` first.",
            "Run the tests with care.",
            "`format.c` is long",
            "See `mod tests`.",
            "Commit as `test: cover it`.",
            "Of `src tests docs` all.",
            "```js\nnx test\n```",
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
            "```bash\nmelos run format   # or format:fix\nmelos run test     # or test:vm\n```",
            "Run `bin/rails test`, and `nx lint`.",
            "```\n$ docker compose exec web pytest\n```",
            "```sh\n./run_tests.sh\n```",
        ] {
            assert!(tells_how_to_test(text), "{text}");
        }
        for text in [
            "make sure the tests pass",
            "Run `make lint`.",
            "```rust\nfn test() {}\n```\nnpm test",
            "```a``` is inline\nnpm test",
            "Write a `test`.",
            "Run `nx fmt`, `nx lint` and `nx check`.",
            "```sh\ncargo fmt && cargo clippy && make lint\n```",
            "```sh\ncd tests\n```",
            "Of the tests:\n\n    to run test\n",
        ] {
            assert!(!tells_how_to_test(text), "{text}");
        }
    }
}
