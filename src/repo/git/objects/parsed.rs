//! The content of commits, trees and tags.

use std::cmp::Ordering;
use std::ops::Range;

use git2::Oid;

use super::{Content, Fault};

/// The most parents of a commit that are read.
const MAX_PARENTS: usize = 256;

/// The most bytes that are kept of the name of a commit's author, and of its message.
const MAX_AUTHOR: usize = 1024;
const MAX_MESSAGE: usize = 1100;

/// A commit, with as much as anybody asks for.
#[derive(Clone)]
pub(in super::super) struct Commit {
    pub(in super::super) id: Oid,
    pub(in super::super) tree: Oid,
    pub(in super::super) parents: Vec<Oid>,
    /// When it was made, in seconds since 1970.
    pub(in super::super) time: i64,
    author: Box<[u8]>,
    message: Box<[u8]>,
}

impl Commit {
    pub(super) fn of(id: Oid, content: &[u8]) -> Result<Commit, Fault> {
        let mut commit = Commit {
            id,
            tree: Oid::ZERO_SHA1,
            parents: Vec::new(),
            time: 0,
            author: Box::default(),
            message: Box::default(),
        };
        let mut at = 0;
        let mut tree = None;
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            at += line.len();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            if line.is_empty() {
                let message = &content[at..];
                commit.message = message[..message.len().min(MAX_MESSAGE)].into();
                break;
            }
            if let Some(id) = line.strip_prefix(b"tree ") {
                tree = tree.or(named(id));
            } else if let Some(id) = line.strip_prefix(b"parent ") {
                let is_few = commit.parents.len() < MAX_PARENTS;
                commit.parents.extend(named(id).filter(|_| is_few));
            } else if let Some(who) = line.strip_prefix(b"author ")
                && commit.author.is_empty()
            {
                commit.author = who[who.len().saturating_sub(MAX_AUTHOR)..].into();
            } else if let Some(who) = line.strip_prefix(b"committer ") {
                commit.time = moment(who).0;
            }
        }
        commit.tree = tree.ok_or(Fault::Damaged("it is not a commit"))?;
        Ok(commit)
    }

    /// Returns the beginning of its message, with the empty lines before it.
    pub(in super::super) fn message(&self) -> &[u8] {
        &self.message
    }

    /// Returns who wrote it.
    pub(in super::super) fn author(&self) -> &[u8] {
        let end = self.author.iter().rposition(|byte| *byte == b'<');
        let is_crud = |byte: &u8| *byte <= b' ' || b",:;<>\"\\'".contains(byte);
        let mut name = &self.author[..end.unwrap_or(self.author.len())];
        while name.first().is_some_and(is_crud) {
            name = &name[1..];
        }
        while name.last().is_some_and(is_crud) {
            name = &name[..name.len() - 1];
        }
        name
    }

    /// Returns when it was written, in seconds since 1970, and the offset of the local time from
    /// UTC, in minutes.
    pub(in super::super) fn written(&self) -> (i64, i32) {
        moment(&self.author)
    }
}

/// Parses the name of an object, in hexadecimal.
fn named(name: &[u8]) -> Option<Oid> {
    let name = str::from_utf8(name).ok().filter(|name| name.len() == 40)?;
    Oid::from_str(name).ok()
}

/// Returns the moment after a name and an address: `Somebody <a@b> 1700000000 +0100`.
fn moment(who: &[u8]) -> (i64, i32) {
    let behind = who
        .iter()
        .rposition(|byte| *byte == b'>')
        .map_or(0, |at| at + 1);
    let behind = String::from_utf8_lossy(&who[behind..]);
    let mut words = behind.split_whitespace();
    let seconds = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let offset: i32 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let offset = offset.clamp(-9999, 9999);
    (seconds, offset / 100 * 60 + offset % 100)
}

/// Returns what a tag is about.
pub(super) fn tagged(content: &[u8]) -> Result<Oid, Fault> {
    let first = content.split(|byte| *byte == b'\n').next();
    let id = first.and_then(|line| named(line.strip_prefix(b"object ")?));
    id.ok_or(Fault::Damaged("it is not a tag"))
}

/// A folder as a commit has it.
pub(in super::super) struct Tree {
    content: Content,
    /// For each entry its mode, and where its name is, followed by its object's name.
    entries: Vec<(u32, Range<u32>)>,
}

/// An entry of such a folder.
#[derive(Clone, Copy)]
pub(in super::super) struct Entry<'a> {
    pub(in super::super) mode: u32,
    pub(in super::super) name: &'a [u8],
    pub(in super::super) id: Oid,
}

impl Entry<'_> {
    /// Whether it is a folder.
    pub(in super::super) fn is_tree(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

/// Returns the entries of two folders, side by side: what is in both comes together.
pub(in super::super) fn pairs<'a>(
    old: Option<&'a Tree>,
    new: Option<&'a Tree>,
) -> impl Iterator<Item = (Option<Entry<'a>>, Option<Entry<'a>>)> {
    let (mut at_old, mut at_new) = (0, 0);
    std::iter::from_fn(move || {
        let before = old.and_then(|tree| tree.get(at_old));
        let after = new.and_then(|tree| tree.get(at_new));
        let order = match (&before, &after) {
            (None, None) => return None,
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
            (Some(before), Some(after)) => order(before, after),
        };
        let before = before.filter(|_| order.is_le());
        let after = after.filter(|_| order.is_ge());
        at_old += usize::from(before.is_some());
        at_new += usize::from(after.is_some());
        Some((before, after))
    })
}

/// Compares the entries of a tree as git sorts them: by name, a folder as if it ended with a slash.
fn order(a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    let ending = |entry: &Entry<'_>| entry.is_tree().then_some(b'/');
    let common = a.name.len().min(b.name.len());
    let rest = |entry: &Entry<'_>| entry.name.get(common).copied().or(ending(entry));
    let first = a.name[..common].cmp(&b.name[..common]);
    first.then_with(|| rest(a).cmp(&rest(b)))
}

/// Returns the mode that git takes one for: old trees have others.
fn canonical(mode: u32) -> u32 {
    match mode & 0o170_000 {
        0o100_000 if mode & 0o100 != 0 => 0o100_755,
        0o100_000 => 0o100_644,
        0o120_000 => 0o120_000,
        0o040_000 => 0o040_000,
        _ => 0o160_000,
    }
}

/// The most bytes of the name of an entry; a path has no more.
const MAX_NAME: usize = 4096;

/// How many bytes the name of an object has.
const ID: usize = 20;

impl Tree {
    pub(super) fn of(content: Content) -> Result<Tree, Fault> {
        let damaged = || Fault::Damaged("it is not a tree");
        let mut entries = Vec::new();
        let mut at = 0;
        while at < content.len() {
            let rest = &content[at..];
            let space = rest.iter().take(8).position(|byte| *byte == b' ');
            let space = space.ok_or_else(damaged)?;
            let mode = str::from_utf8(&rest[..space]).ok();
            let mode = mode.and_then(|mode| u32::from_str_radix(mode, 8).ok());
            let length = memchr::memchr(0, &rest[space..]).ok_or_else(damaged)?;
            let (from, to) = (at + space + 1, at + space + length);
            at = to + 1 + ID;
            if from >= to || at > content.len() {
                return Err(damaged());
            }
            if to - from > MAX_NAME {
                return Err(Fault::Damaged("a name in it is too long"));
            }
            let place = |at: usize| u32::try_from(at).map_err(|_| damaged());
            let mode = canonical(mode.ok_or_else(damaged)?);
            entries.try_reserve(1).map_err(|_| Fault::TooMuch)?;
            entries.push((mode, place(from)?..place(to)?));
        }
        Ok(Tree { content, entries })
    }

    pub(in super::super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(in super::super) fn get(&self, at: usize) -> Option<Entry<'_>> {
        let (mode, Range { start, end }) = self.entries.get(at)?;
        let (start, end) = (*start as usize, *end as usize);
        let id = &self.content[end + 1..end + 1 + ID];
        Some(Entry {
            mode: *mode,
            name: &self.content[start..end],
            id: Oid::from_bytes(id).ok()?,
        })
    }
}
