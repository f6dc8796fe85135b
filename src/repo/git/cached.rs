//! The trees that an index remembers, one folder inside another.
//!
//! A folder whose tree is that of a commit has nothing staged in it, as git itself assumes: neither
//! must be looked through.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use git2::Oid;

/// The deepest nesting of folders.
const MAX_DEPTH: usize = 1024;

/// The length of an object's name, in bytes.
pub(super) const OID: usize = 20;

/// The most folders whose trees are remembered, and the most bytes of their paths.
const MAX_FOLDERS: usize = 30_000;
const MAX_PATHS: usize = 2 * 1024 * 1024;

/// The trees of folders, as an index remembers them.
#[derive(Default)]
pub(super) struct Remembered(HashMap<Vec<u8>, Oid, RandomState>);

impl Remembered {
    /// Reads the trees of an index from the part of it that has them, as far as that can be
    /// understood.
    pub(super) fn of(text: &[u8]) -> Remembered {
        let mut trees = HashMap::default();
        remember(text, &mut trees);
        Remembered(trees)
    }

    /// Whether a folder, given without a slash at its end, has this tree. The root is an empty
    /// path.
    pub(super) fn is(&self, folder: &[u8], tree: Oid) -> bool {
        self.0.get(folder) == Some(&tree)
    }
}

/// Takes in the trees that are written here, one folder inside another.
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

/// A folder of an index.
struct Folder<'a> {
    name: &'a [u8],
    /// How many folders it has.
    folders: u64,
    /// The name of its tree, if that is known.
    tree: Option<&'a [u8]>,
}

/// Reads the record of one folder: its name and a zero, how many entries it has, how many folders,
/// and the name of its tree unless the first number is negative.
fn folder<'a>(rest: &mut &'a [u8]) -> Option<Folder<'a>> {
    let (name, behind) = rest.split_at_checked(memchr::memchr(0, rest)?)?;
    let (numbers, behind) = behind.split_at_checked(memchr::memchr(b'\n', behind)?)?;
    let (entries, folders) = str::from_utf8(&numbers[1..]).ok()?.split_once(' ')?;
    let is_known = entries.parse::<i64>().ok()? >= 0;
    let (tree, behind) = behind[1..].split_at_checked(if is_known { OID } else { 0 })?;
    *rest = behind;
    Some(Folder {
        name,
        folders: folders.parse().ok()?,
        tree: is_known.then_some(tree),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &[u8; OID] = b"01234567890123456789";

    fn known(text: &[u8], folder: &str) -> bool {
        Remembered::of(text).is(folder.as_bytes(), Oid::from_bytes(TREE).unwrap())
    }

    #[test]
    fn folders_lie_in_one_another_and_beside_one_another() {
        let text = [
            b"\x00-1 2\na\x002 1\n",
            &TREE[..],
            b"b\x00-1 1\nc\x001 0\n",
            TREE,
            b"d\x001 0\n",
            TREE,
        ];
        let text = text.concat();
        assert!(known(&text, "a") && known(&text, "a/b/c") && known(&text, "d"));
        assert!(!known(&text, "") && !known(&text, "a/b") && !known(&text, "a/d"));
        // What cannot be understood ends it.
        for damage in ["a\x00x 0\n", "a\x001\n", "a\x001 0", "a", "a\x001 -1\n"] {
            let text = [b"\x00-1 2\n", damage.as_bytes(), TREE].concat();
            assert!(!known(&text, "a"), "{damage:?}");
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_remembered() {
        let nested = |depth: usize| {
            let inner = b"a\x00-1 1\n".repeat(depth - 1);
            let text = [b"\x00-1 1\n", &inner[..], b"a\x001 0\n", TREE].concat();
            known(&text, &vec!["a"; depth].join("/"))
        };
        assert!(nested(MAX_DEPTH - 1) && !nested(MAX_DEPTH + 1));
        let one = |number: usize| [format!("{number}\x001 0\n").as_bytes(), TREE].concat();
        let beside: Vec<u8> = (0..MAX_FOLDERS + 9).flat_map(one).collect();
        let text = [b"\x00-1 99999\n", &beside[..]].concat();
        assert_eq!(Remembered::of(&text).0.len(), MAX_FOLDERS);
    }
}
