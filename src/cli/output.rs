//! Where results go if the operator names a place for them.

use std::path::{Path, PathBuf};

/// Returns the file to write to; `None` for standard output, which is also written `-` and
/// `/dev/stdout`.
pub(super) fn file(output: Option<&PathBuf>) -> Option<&Path> {
    let path = output?.as_path();
    let is_standard = path == Path::new("-") || path == Path::new("/dev/stdout");
    (!is_standard).then_some(path)
}
