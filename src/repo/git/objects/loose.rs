//! Objects with a file of their own.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use git2::Oid;

use super::inflate::{Inflater, Source};
use super::{Fault, Kind};
use crate::repo::open::anywhere;

/// The most bytes before the content: the kind of object, and its length.
const HEADER: usize = 32;

/// The most files of a folder that are looked at for an abbreviated name.
const MAX_LISTED: usize = 50_000;

/// Returns where the object of this name is.
pub(super) fn path(folder: &Path, id: Oid) -> PathBuf {
    let name = id.to_string();
    folder.join(&name[..2]).join(&name[2..])
}

pub(super) fn header(path: &Path, inflater: &mut Inflater) -> Result<(Kind, u64), Fault> {
    let beginning = inflater.beginning(&mut open(path)?, HEADER)?;
    let (kind, size, _) = said(&beginning)?;
    Ok((kind, size))
}

pub(super) fn read(
    path: &Path,
    most: u64,
    inflater: &mut Inflater,
) -> Result<(Kind, Vec<u8>), Fault> {
    let beginning = inflater.beginning(&mut open(path)?, HEADER)?;
    let (kind, size, begins) = said(&beginning)?;
    if size > most {
        return Err(Fault::TooLarge(size));
    }
    let length = usize::try_from(size)
        .unwrap_or(usize::MAX)
        .saturating_add(begins);
    let mut content = inflater.whole(&mut open(path)?, length)?;
    content.drain(..begins);
    Ok((kind, content))
}

/// Reads what comes before the content, and where the content begins.
fn said(beginning: &[u8]) -> Result<(Kind, u64, usize), Fault> {
    let parse = || {
        let end = beginning.iter().position(|byte| *byte == 0)?;
        let (kind, size) = str::from_utf8(&beginning[..end]).ok()?.split_once(' ')?;
        Some((Kind::of(kind.as_bytes())?, size.parse().ok()?, end + 1))
    };
    parse().ok_or(Fault::Damaged("it does not say what it is"))
}

struct Loose(File);

impl Source for Loose {
    fn fill(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(into)
    }
}

fn open(path: &Path) -> Result<Loose, Fault> {
    let file = match anywhere(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Fault::Missing),
        Err(error) => return Err(error.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(Fault::Damaged("it is not a file"));
    }
    Ok(Loose(file))
}

/// Finds the objects of a folder whose names begin with these letters.
pub(super) fn beginning(folder: &Path, letters: &str, most: usize, found: &mut Vec<Oid>) {
    let Some((first, rest)) = letters.split_at_checked(2) else {
        return;
    };
    let Ok(entries) = fs::read_dir(folder.join(first)) else {
        return;
    };
    let names = entries.take(MAX_LISTED).filter_map(|entry| {
        let name = entry.ok()?.file_name();
        let name = name.to_str()?.strip_prefix(rest)?.to_owned();
        Oid::from_str(&format!("{letters}{name}")).ok()
    });
    found.extend(names.take(most));
}
