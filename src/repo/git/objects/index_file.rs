//! The bytes of a pack's index, read once or on demand.

use std::fs::File;
use std::io;

/// An index, or its content.
pub(super) enum IndexFile {
    Open(File),
    Read(Vec<u8>),
}

impl IndexFile {
    pub(super) fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        match self {
            IndexFile::Open(file) => read_at(file, into, at),
            IndexFile::Read(bytes) => {
                let from = usize::try_from(at).unwrap_or(usize::MAX);
                let rest = bytes.get(from..).and_then(|rest| rest.get(..into.len()));
                into.copy_from_slice(rest.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

pub(super) fn number(four: &[u8]) -> u32 {
    four.iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Fills `into` from a place of a file.
#[cfg(unix)]
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(into, at)
}

#[cfg(not(unix))]
pub(super) fn read_at(mut file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(into)
}
