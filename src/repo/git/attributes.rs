//! What matching the patterns of attributes may cost. libgit2 tries every way in which the stars of
//! a pattern can divide a path among themselves, so one short line may take it years.

use std::path::Path;

use crate::repo::{Refusal, read_regular_bytes};

/// The most bytes of the file of a git folder.
pub(super) const MAX_OWN: u64 = 256 * 1024;

/// The most ways that are tried for one file.
const MAX_WAYS: u64 = 50_000_000;

/// The most runs of stars in a pattern. The library recurses once for each.
const MAX_RUNS: usize = 64;

/// How many lines of files with attributes have how many runs of stars.
#[derive(Debug, Default)]
pub(super) struct Stars {
    /// The bytes of all lines, each of which may be compared.
    bytes: u64,
    lines: Vec<u64>,
    /// Whether a file cannot be read, or a line has more runs than anybody writes.
    is_beyond: bool,
}

impl Stars {
    /// Counts the stars of `info/attributes`, which a git folder also has.
    pub(super) fn of_git_folder(folder: &Path) -> Stars {
        let mut stars = Stars::default();
        match read_regular_bytes(&folder.join("info/attributes"), MAX_OWN) {
            Ok(content) => stars.add(&content),
            Err(Refusal::Missing) => {}
            // Who knows what it says.
            Err(_) => stars.is_beyond = true,
        }
        stars
    }

    /// Adds those of one more file.
    pub(super) fn add(&mut self, content: &[u8]) {
        self.bytes = self.bytes.saturating_add(content.len() as u64);
        for line in content.split(|byte| *byte == b'\n') {
            let pattern = pattern_of(line);
            let runs = pattern.chunk_by(|a, b| a == b);
            let runs = runs.filter(|run| run[0] == b'*').count();
            if runs > MAX_RUNS {
                self.is_beyond = true;
                return;
            }
            if self.lines.len() <= runs {
                self.lines.resize(runs + 1, 0);
            }
            self.lines[runs] += 1;
        }
    }

    /// Whether all of them can be matched with a path of this length.
    pub(super) fn can_match(&self, length: usize) -> bool {
        let mut ways = self.bytes;
        // The ways in which this number of runs of stars can end in the path, and those of all
        // smaller numbers: the library goes on from each of them before it finds that the rest
        // does not match.
        let (mut placed, mut tried) = (1_u64, 1_u64);
        for (runs, lines) in (1_u64..).zip(&self.lines) {
            ways = ways.saturating_add(tried.saturating_mul(*lines));
            placed = placed.saturating_mul(length as u64 + runs) / runs;
            tried = tried.saturating_add(placed);
        }
        !self.is_beyond && ways <= MAX_WAYS
    }
}

/// Returns the pattern of a line: what comes before its attributes. A quoted pattern may contain
/// blanks.
fn pattern_of(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_start();
    if line.starts_with(b"#") {
        return &[];
    }
    if line.starts_with(b"\"") {
        return line;
    }
    line.split(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &str) -> Stars {
        let mut stars = Stars::default();
        stars.add(lines.as_bytes());
        stars
    }

    #[test]
    fn what_projects_write_can_be_matched_and_what_takes_years_cannot() {
        let ordinary = "* text=auto\n*.png binary\n**/*.snap -diff\nsrc/**/gen/*.rs -diff\n";
        assert!(of(&ordinary.repeat(100)).can_match(300));
        assert!(of(&"*.png binary\n".repeat(20_000)).can_match(1_000));
        assert!(of("# * * * * * * * * *\n\"a b*\" -diff\n").can_match(4_000));
        assert!(!of("**/*a*a*a*a*a*a*a*a/b -diff").can_match(1_000));
        assert!(of("**/*a*a*a*a*a*a*a*a/b -diff").can_match(20));
        // Nearly as many stars as letters: most ways end before the last of them.
        assert!(!of(&format!("{}/b -diff", "*a".repeat(28))).can_match(36));
        assert!(!of(&format!("{}b -diff", "**/".repeat(300_000))).can_match(3));
        assert!(!of("a/**/b/**/c/**/d/**/e -diff").can_match(4_000));
        assert!(!of(&"*/* -diff\n".repeat(100_000)).can_match(100));
        assert!(!of(&"*".repeat(60_000_000)).can_match(1));
        assert!(!of("\"*a*a*a*a*a*a*a*a\" -diff").can_match(255));
    }
}
