//! The trees that an index remembers, one folder in another.
//!
//! libgit2 reads them one inside another, each with some of the stack, and cannot be told how
//! deep it may go.

/// How deep folders may lie in one another.
const MAX_DEPTH: usize = 1024;

/// How the part of an index begins that has them.
const SIGNATURE: &[u8] = b"TREE";

/// A name of an object, in bytes.
const OID: usize = 20;

/// So many times the bytes of an index are looked at.
const MOST: usize = 16;

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
        match folder {
            Some(folders) if open.len() <= MAX_DEPTH => open.push(folders),
            Some(_) => return false,
            None => return true,
        }
    }
    true
}

/// Reads what is said of one folder: its name and a zero, how many entries it has, how many
/// folders, and the name of its tree unless the first is negative. How many folders it has.
fn folder(rest: &mut &[u8]) -> Option<u64> {
    let name = memchr::memchr(0, rest).unwrap_or(rest.len());
    *rest = rest.get(name + 1..).unwrap_or_default();
    let (is_negative, _) = number(rest)?;
    *rest = rest.strip_prefix(b" ")?;
    let (_, folders) = number(rest)?;
    *rest = rest.strip_prefix(b"\n")?;
    if !is_negative {
        *rest = rest.get(OID..)?;
    }
    Some(folders)
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
