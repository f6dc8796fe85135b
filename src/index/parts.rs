//! The parts of a file as they are kept, in the cache and from one prompt to the next: most
//! of them are of files that the next prompt is not about.

use std::fmt;
use std::ops::Range;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::reading::Counts;
use crate::syntax::parts::Part;

/// A part of a file with the names that are in it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReadPart {
    /// Where it is and what it declares.
    pub part: Part,
    /// The names in it.
    pub uses: Counts,
    /// How much of it is comment and documentation, in percent of its lines.
    pub prose: u8,
    /// How many commands it names that check a change, in a build file or one of CI.
    pub commands: u8,
    /// How lately it was changed, from 0 to 1: the shorter ago and the fewer parts with it, the
    /// more.
    #[serde(skip)]
    pub recency: f64,
}

impl ReadPart {
    /// A part of a text with these lines and names.
    pub fn new(part: Part, lines: &[&str], uses: Counts) -> ReadPart {
        ReadPart {
            part,
            uses,
            prose: prose(lines),
            commands: 0,
            recency: 0.0,
        }
    }

    /// Lines of which nothing is known.
    pub fn of_lines(lines: Range<usize>) -> ReadPart {
        ReadPart {
            part: Part::rest(lines),
            uses: Vec::new(),
            prose: 0,
            commands: 0,
            recency: 0.0,
        }
    }
}

/// How many of the lines that are not empty are prose, in percent.
fn prose(lines: &[&str]) -> u8 {
    let lines = lines.iter().map(|line| line.trim());
    let lines = lines.filter(|line| !line.is_empty());
    let (mut all, mut prose) = (0, 0);
    for line in lines {
        all += 1;
        prose += usize::from(is_prose(line));
    }
    u8::try_from(prose * 100 / all.max(1)).unwrap_or(100)
}

/// Whether a line is a comment, or looks as if it stood in one: words and none of the signs
/// that code has.
fn is_prose(line: &str) -> bool {
    const COMMENTS: [&str; 9] = [
        "//", "# ", "/*", "* ", "*/", "--", "\"\"\"", ":param", "<!--",
    ];
    let is_code = |sign: u8| matches!(sign, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'=' | b';');
    COMMENTS.iter().any(|sign| line.starts_with(sign))
        || line.contains(' ') && !line.bytes().any(is_code)
}

/// The bytes that the parts of a file are packed in until somebody asks for them.
#[derive(Clone)]
pub struct Packed(Box<[u8]>);

impl Packed {
    pub fn of(parts: &[ReadPart]) -> Option<Packed> {
        Some(Packed(postcard::to_allocvec(parts).ok()?.into()))
    }

    /// The parts, if all names in them have a number below `names`.
    pub fn parts(&self, names: usize) -> Option<Vec<ReadPart>> {
        let parts: Vec<ReadPart> = postcard::from_bytes(&self.0).ok()?;
        let mut uses = parts.iter().flat_map(|part| &part.uses);
        let is_sound = uses.all(|(name, _)| (*name as usize) < names);
        is_sound.then_some(parts)
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Packed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Packed, E> {
                Ok(Packed(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::syntax::parts::{Part, Role};

    #[test]
    fn prose_is_told_from_code() {
        let code = ["def draw(circle):", "    return circle.plot()", "", "}"];
        assert_eq!(prose(&code), 0);
        let told = [
            "\"\"\"Draws a circle.",
            "",
            "It is round, as circles are.",
            "draw(circle)",
        ];
        assert_eq!(prose(&told), 66);
        assert_eq!(prose(&[]), 0);
    }

    #[test]
    fn parts_come_back_unless_a_name_has_no_such_number() {
        let part = Part {
            lines: 2..7,
            role: Role::Function,
            names: vec!["a".into()],
            owners: vec![Range { start: 1, end: 2 }],
            ..Part::rest(2..7)
        };
        let seen = ReadPart {
            part,
            uses: vec![(3, 2)],
            prose: 40,
            commands: 2,
            recency: 0.0,
        };
        let packed = Packed::of(std::slice::from_ref(&seen)).unwrap();
        let back = packed.parts(4).unwrap();
        assert_eq!((&back[0].part, &back[0].uses), (&seen.part, &vec![(3, 2)]));
        assert_eq!((back[0].prose, back[0].commands), (40, 2));
        assert!(packed.parts(3).is_none());
    }
}
