//! The trees that an index remembers, one folder in another.
//!
//! libgit2 reads them one inside another, each with some of the stack, and cannot be told how
//! deep it may go. A folder whose tree is that of a commit has nothing staged in it, as git
//! says too: neither has to be looked through.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use git2::Oid;

/// How deep folders may lie in one another.
const MAX_DEPTH: usize = 1024;

/// How the part of an index begins that has them.
const SIGNATURE: &[u8] = b"TREE";

/// A name of an object, in bytes.
const OID: usize = 20;

/// So many times the bytes of an index are looked at.
const MOST: usize = 16;

/// The most folders whose trees are remembered, and the most bytes of their paths.
const MAX_FOLDERS: usize = 30_000;
const MAX_PATHS: usize = 2 * 1024 * 1024;

/// The trees of folders, as an index remembers them.
#[derive(Default)]
pub(super) struct Remembered(HashMap<Vec<u8>, Oid, RandomState>);

impl Remembered {
    /// Those of an index, as far as it can be understood.
    pub(super) fn of(index: &[u8]) -> Remembered {
        let mut trees = HashMap::default();
        if let Some(text) = extensions(index).and_then(|rest| extension(rest, SIGNATURE)) {
            remember(text, &mut trees);
        }
        Remembered(trees)
    }

    /// Whether a folder, with no slash at its end, has this tree. The root is an empty path.
    pub(super) fn is(&self, folder: &[u8], tree: Oid) -> bool {
        self.0.get(folder) == Some(&tree)
    }
}

/// What stands behind the entries of an index, without the checksum at its end.
fn extensions(index: &[u8]) -> Option<&[u8]> {
    /// What is known of an entry's file, its object, and its flags.
    const ENTRY: usize = 62;
    const EXTENDED: u16 = 0x4000;
    const LENGTH: u16 = 0x0fff;
    let end = index.len().checked_sub(OID)?;
    let rest = index[..end].strip_prefix(b"DIRC")?;
    let (version, rest) = number_of(rest)?;
    let (count, mut rest) = number_of(rest)?;
    for _ in 0..count {
        let flags = u16::from_be_bytes(*rest.get(ENTRY - 2..)?.first_chunk()?);
        let fixed = ENTRY + if flags & EXTENDED == 0 { 0 } else { 2 };
        let name = rest.get(fixed..)?;
        let length = match flags & LENGTH {
            // Version 4 writes a number, and what differs from the name before.
            _ if version == 4 => {
                let number = name.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
                number + memchr::memchr(0, name.get(number..)?)? + 1
            }
            LENGTH => (fixed + memchr::memchr(0, name)? + 8) / 8 * 8 - fixed,
            length => (fixed + usize::from(length) + 8) / 8 * 8 - fixed,
        };
        rest = name.get(length..)?;
    }
    (2..=4).contains(&version).then_some(rest)
}

/// The one that begins with this signature.
fn extension<'a>(mut rest: &'a [u8], signature: &[u8]) -> Option<&'a [u8]> {
    loop {
        let (own, behind) = rest.split_at_checked(signature.len())?;
        let (length, behind) = number_of(behind)?;
        let (text, behind) = behind.split_at_checked(length as usize)?;
        if own == signature {
            return Some(text);
        }
        rest = behind;
    }
}

fn number_of(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*number), rest))
}

/// Takes in the trees that are written here, one folder in another.
fn remember(text: &[u8], trees: &mut HashMap<Vec<u8>, Oid, RandomState>) {
    let mut rest = text;
    let mut path = Vec::new();
    // How many folders are still to come in each that is open, and how long its path is.
    let mut open = vec![(1, 0)];
    let mut left = MAX_PATHS;
    while let Some((folders, length)) = open.last_mut() {
        path.truncate(*length);
        if *folders == 0 {
            open.pop();
            continue;
        }
        *folders -= 1;
        let Some(folder) = folder(&mut rest) else {
            return;
        };
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(folder.name);
        if let Some(tree) = folder.tree.and_then(|tree| Oid::from_bytes(tree).ok()) {
            let Some(less) = left.checked_sub(path.len()) else {
                return;
            };
            left = less;
            trees.insert(path.clone(), tree);
        }
        if trees.len() == MAX_FOLDERS || open.len() > MAX_DEPTH {
            return;
        }
        open.push((folder.folders, path.len()));
    }
}

/// Whether the trees that an index remembers can be read. It is looked at every place where they
/// could begin: nothing else has to be understood for that.
pub(super) fn can_be_read(index: &[u8]) -> bool {
    let mut left = index.len().saturating_mul(MOST);
    let starts = memchr::memmem::find_iter(index, SIGNATURE);
    let mut texts = starts.map(|at| index.get(at + SIGNATURE.len() + 4..).unwrap_or_default());
    texts.all(|text| is_shallow(text, &mut left))
}

/// Whether the trees that are written here lie at most as deep as they may, as far as they are
/// trees, and whether there is an end to it all.
fn is_shallow(text: &[u8], left: &mut usize) -> bool {
    let mut rest = text;
    // How many folders are still to come in each that is open.
    let mut open = vec![1];
    while let Some(folders) = open.last_mut() {
        if *folders == 0 {
            open.pop();
            continue;
        }
        *folders -= 1;
        let before = rest.len();
        let folder = folder(&mut rest);
        match left.checked_sub(before - rest.len()) {
            Some(less) => *left = less,
            None => return false,
        }
        match folder.map(|folder| folder.folders) {
            Some(folders) if open.len() <= MAX_DEPTH => open.push(folders),
            Some(_) => return false,
            None => return true,
        }
    }
    true
}

/// A folder of an index.
struct Folder<'a> {
    name: &'a [u8],
    /// How many folders it has.
    folders: u64,
    /// The name of its tree, if that is known.
    tree: Option<&'a [u8]>,
}

/// Reads what is said of one folder: its name and a zero, how many entries it has, how many
/// folders, and the name of its tree unless the first is negative.
fn folder<'a>(rest: &mut &'a [u8]) -> Option<Folder<'a>> {
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    let name = &rest[..end];
    *rest = rest.get(end + 1..).unwrap_or_default();
    let (is_negative, _) = number(rest)?;
    *rest = rest.strip_prefix(b" ")?;
    let (_, folders) = number(rest)?;
    *rest = rest.strip_prefix(b"\n")?;
    let mut tree = None;
    if !is_negative {
        let (own, behind) = rest.split_at_checked(OID)?;
        (tree, *rest) = (Some(own), behind);
    }
    Some(Folder {
        name,
        folders,
        tree,
    })
}

/// Reads a number as libgit2 does: with white space before it, and a sign.
fn number(rest: &mut &[u8]) -> Option<(bool, u64)> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let text = &rest[rest.iter().take_while(|byte| is_space(byte)).count()..];
    let is_negative = text.first() == Some(&b'-');
    let digits = &text[usize::from(is_negative || text.first() == Some(&b'+'))..];
    let length = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (number, behind) = digits.split_at(length);
    *rest = behind;
    let number = str::from_utf8(number)
        .ok()
        .filter(|text| !text.is_empty())?;
    Some((is_negative, number.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(trees: &str) -> Vec<u8> {
        [b"DIRC\0\0\0\x02\0\0\0\0TREE\0\0\0\0", trees.as_bytes()].concat()
    }

    fn nested(depth: usize) -> Vec<u8> {
        let inner = "a\0-1 1\n".repeat(depth);
        index(&format!("\0-1 1\n{inner}a\0-1 0\n"))
    }

    #[test]
    fn folders_lie_in_one_another_up_to_a_depth() {
        assert!(can_be_read(&nested(MAX_DEPTH - 2)));
        assert!(!can_be_read(&nested(MAX_DEPTH)));
        // Whatever stands before it, and however its numbers are written.
        let odd = "a\0 +-1 \t+1\n".repeat(2) + &"a\0 7 +1\n01234567890123456789".repeat(2000);
        assert!(can_be_read(&index(&odd)), "a sign is one");
        let odd = "a\0 +7  +1\n01234567890123456789".repeat(2000);
        assert!(!can_be_read(&[b"TREE", &index(&odd)[..]].concat()));
    }

    #[test]
    fn folders_beside_one_another_may_be_many() {
        let beside = "a\0-1 0\n".repeat(50_000);
        assert!(can_be_read(&index(&format!("\0-1 50000\n{beside}"))));
        assert!(can_be_read(&index("\x001 2\n")) && can_be_read(b"TREE"));
    }

    #[test]
    fn there_is_an_end_to_what_is_looked_at() {
        // Each place is the beginning of all that follows.
        let many = "TREE\0\0\0\0 1 0\n01234567890123456789".repeat(10);
        assert!(can_be_read(many.as_bytes()));
        let many = "TREETREE\0-1 9999\n".repeat(20_000);
        assert!(!can_be_read(many.as_bytes()));
    }
}
