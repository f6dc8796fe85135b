//! Reads files that the operator names, including `-`.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use context_packer::command::{FileText, decode, read_operator_file, show};

/// The most bytes of a file or of standard input.
const MAX_INPUT: u64 = 10 * 1024 * 1024;

/// The most bytes of everything that is kept at once.
const MAX_TOGETHER: u64 = 16 * 1024 * 1024;

/// Reads files, and standard input once.
pub(super) struct Input {
    taken: bool,
    /// How many bytes may still be read.
    left: u64,
    /// Warnings about what was read.
    pub(super) warnings: Vec<String>,
}

impl Default for Input {
    fn default() -> Input {
        Input {
            taken: false,
            left: MAX_TOGETHER,
            warnings: Vec::new(),
        }
    }
}

impl Input {
    /// Makes an input for texts of which only one is kept at a time.
    pub(super) fn one_by_one() -> Input {
        Input {
            left: u64::MAX,
            ..Input::default()
        }
    }

    /// Reads a file; `-` is standard input.
    pub(super) fn read(&mut self, path: &Path) -> anyhow::Result<String> {
        let text = self.read_one(path)?;
        let left = self.left.checked_sub(text.len() as u64);
        let mib = MAX_TOGETHER / (1024 * 1024);
        self.left = left.with_context(|| {
            format!("the files that were passed take more than {mib} MiB together")
        })?;
        Ok(text)
    }

    fn read_one(&mut self, path: &Path) -> anyhow::Result<String> {
        if path != Path::new("-") {
            let file = read_operator_file(path, MAX_INPUT)?;
            return Ok(self.text(file, &show::path(path)));
        }
        anyhow::ensure!(!self.taken, "standard input (`-`) can be read only once");
        self.taken = true;
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(MAX_INPUT + 1)
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
        let mib = MAX_INPUT / (1024 * 1024);
        let size = bytes.len() as u64;
        anyhow::ensure!(size <= MAX_INPUT, "standard input has more than {mib} MiB");
        Ok(self.text(decode(bytes, size), "standard input"))
    }

    /// Returns what was read, and warns if not all of it is text.
    fn text(&mut self, read: FileText, what: &str) -> String {
        if read.replaced {
            let message = format!("`{what}` is not valid UTF-8; invalid parts were replaced");
            self.warnings.push(message);
        }
        read.text
    }
}
