//! Earlier results, in the user's cache folder.
//!
//! An entry is a file that may be deleted at any time. One that is damaged, or that another program
//! wrote, counts as missing.

use std::fs::{self, File};
use std::hash::BuildHasher as _;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use foldhash::quality::FixedState;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::read::reason;

/// A larger entry is neither written nor read, in bytes.
const MAX_ENTRY: u64 = 12 * 1024 * 1024;

/// The most bytes that all entries take together; the oldest go first.
const MAX_FOLDER: u64 = 256 * 1024 * 1024;

/// The extension of an entry's name. Other files in the folder are left alone.
const ENDING: &str = "packed";

/// The beginning of the name of an entry that is not completely written yet.
const UNFINISHED: &str = ".packer-";

/// What an entry holds.
#[derive(Debug)]
pub struct Entry {
    bytes: Vec<u8>,
    /// Where it begins.
    start: usize,
}

impl Entry {
    /// Makes an entry that is not written yet.
    pub fn new(bytes: Vec<u8>) -> Entry {
        Entry { bytes, start: 0 }
    }

    /// Returns its bytes.
    pub fn body(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// A folder of entries.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    /// Which program writes: another one may find out things differently.
    build: String,
}

impl Cache {
    /// Keeps entries in this folder, which is created when the first is written.
    pub fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: folder.into(),
            build: build(),
        }
    }

    /// Returns where the entry of this name is.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension(ENDING)
    }

    /// Returns the entry of this name that this program wrote for `key`.
    pub fn read<T: DeserializeOwned>(&self, name: &str, key: &str) -> Option<T> {
        postcard::from_bytes(self.entry(name, key)?.body()).ok()
    }

    /// Returns the entry of this name that this program wrote for `key`, as bytes that are read in
    /// place.
    pub fn entry(&self, name: &str, key: &str) -> Option<Entry> {
        let path = self.path(name);
        // To open a FIFO would wait for somebody who writes.
        let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let (file, size) = (File::open(path).ok()?, meta.len());
        if size > MAX_ENTRY {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).ok()?);
        file.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        let (sum, rest) = bytes.split_first_chunk()?;
        if u64::from_le_bytes(*sum) != checksum(rest) {
            return None;
        }
        let ((build, made_for), rest): ((&str, &str), _) = postcard::take_from_bytes(rest).ok()?;
        if build != self.build || made_for != key {
            return None;
        }
        let start = bytes.len() - rest.len();
        Some(Entry { bytes, start })
    }

    /// Returns how many bytes a value takes in an entry.
    ///
    /// # Errors
    ///
    /// Says why it cannot be written at all.
    pub fn size<T: Serialize>(value: &T) -> Result<usize, String> {
        postcard::experimental::serialized_size(value).map_err(|e| e.to_string())
    }

    /// Writes an entry.
    ///
    /// # Errors
    ///
    /// Says why it could not be written, for example because it would be too large.
    pub fn write<T: Serialize>(&self, name: &str, key: &str, value: &T) -> Result<(), String> {
        let bytes = self.head(key, Cache::size(value)?)?;
        let bytes = postcard::to_extend(value, bytes).map_err(|e| e.to_string())?;
        self.put(name, bytes)
    }

    /// Writes an entry of these bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`write`](Cache::write).
    pub fn write_entry(&self, name: &str, key: &str, entry: &Entry) -> Result<(), String> {
        let mut bytes = self.head(key, entry.body().len())?;
        bytes.extend_from_slice(entry.body());
        self.put(name, bytes)
    }

    /// Returns what precedes the value of an entry, with room for this many more bytes.
    fn head(&self, key: &str, room: usize) -> Result<Vec<u8>, String> {
        let head = (&self.build, key);
        let size = size_of::<u64>() + Cache::size(&head)? + room;
        if size as u64 > MAX_ENTRY {
            return Err(format!("it would have over {} MiB", MAX_ENTRY >> 20));
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|e| e.to_string())?;
        bytes.extend([0; size_of::<u64>()]);
        postcard::to_extend(&head, bytes).map_err(|e| e.to_string())
    }

    fn put(&self, name: &str, mut bytes: Vec<u8>) -> Result<(), String> {
        let (head, rest) = bytes.split_at_mut(size_of::<u64>());
        head.copy_from_slice(&checksum(rest).to_le_bytes());
        let written = self.replace(&self.path(name), &bytes);
        written.map_err(|e| reason(&e))
    }

    /// Creates the folder, if there is none.
    pub(super) fn make_folder(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// Puts a file into the folder, completely or not at all, and removes the oldest ones for which
    /// there is no room.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.make_folder()?;
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&self.folder)?;
        file.write_all(bytes)?;
        file.persist(path).map_err(|e| e.error)?;
        trim(&self.folder, MAX_FOLDER)
    }
}

/// Distinguishes one program from another: its version, its place, its size and its age.
fn build() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let meta = fs::metadata(&program).ok();
    let meta = meta.map(|meta| (meta.len(), meta.modified().ok()));
    format!(
        "{} {} {meta:?}",
        env!("CARGO_PKG_VERSION"),
        program.display()
    )
}

/// Returns a checksum of bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Removes the oldest entries of a folder until the rest have at most `most` bytes.
fn trim(folder: &Path, most: u64) -> io::Result<()> {
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(folder)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let (name, path) = (entry.file_name(), entry.path());
            let is_entry = path.extension().is_some_and(|ending| ending == ENDING)
                || name.to_string_lossy().starts_with(UNFINISHED);
            let meta = fs::symlink_metadata(&path).ok()?;
            is_entry.then_some((meta.modified().ok()?, meta.len(), path))
        })
        .collect();
    entries.sort();
    let mut used: u64 = entries.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in entries {
        if used <= most {
            break;
        }
        match fs::remove_file(path) {
            // Another run was quicker.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed?,
        }
        used -= size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_by_the_program_and_for_the_key_that_it_was_written_for() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("new/one"));
        let value = vec![("a".to_owned(), 1u32)];
        cache.write("x", "key", &value).unwrap();
        let read = |cache: &Cache, key| cache.read::<Vec<(String, u32)>>("x", key);
        assert_eq!(read(&cache, "key"), Some(value));
        assert_eq!(read(&cache, "other"), None);
        let other = Cache {
            build: "another".into(),
            ..cache
        };
        assert_eq!(read(&other, "key"), None);
    }

    #[test]
    fn a_damaged_entry_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        cache.write("x", "key", &"a text").unwrap();
        let path = cache.path("x");
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.read::<String>("x", "key"), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.read::<String>("x", "key"), None, "{at} bytes");
        }
    }

    #[test]
    fn the_oldest_entries_go_and_other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let hour = std::time::Duration::from_secs(3600);
        for (age, name) in [(3, "a.packed"), (2, "b.txt"), (1, "c.packed")] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - age * hour).unwrap();
        }
        trim(folder.path(), 150).unwrap();
        let left = |name: &str| folder.path().join(name).exists();
        assert!(!left("a.packed") && left("b.txt") && left("c.packed"));
    }
}
