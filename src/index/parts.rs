//! The parts of a file as they are kept, in the cache and from one prompt to the next.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::packed::{Packed, counts};
use super::reading::Counts;
use crate::syntax::parts::Part;

/// A part of a file with the names that are in it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReadPart {
    /// Where it is and what it declares.
    pub part: Part,
    /// The names in it.
    #[serde(with = "counts")]
    pub uses: Counts,
    /// How much of it is comment and documentation, in percent of its lines.
    pub prose: u8,
    /// How many commands that check a change it names, in a build file or a CI file.
    pub commands: u8,
    /// How recently it was changed, from 0 to 1: more if the change is newer and touched fewer
    /// other parts.
    #[serde(skip)]
    pub recency: f64,
}

impl ReadPart {
    /// Makes a part of a text with these lines and names.
    pub fn new(part: Part, lines: &[&str], uses: Counts) -> ReadPart {
        ReadPart {
            part,
            uses,
            prose: prose(lines),
            commands: 0,
            recency: 0.0,
        }
    }

    /// Makes a part of lines about which nothing is known.
    pub fn of_lines(lines: Range<usize>) -> ReadPart {
        ReadPart::new(Part::rest(lines), &[], Vec::new())
    }
}

/// Returns how many of the lines that are not empty are prose, in percent.
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

/// Whether a line is a comment, or looks as if it were in one: words and none of the signs of code.
fn is_prose(line: &str) -> bool {
    const COMMENTS: [&str; 9] = [
        "//", "# ", "/*", "* ", "*/", "--", "\"\"\"", ":param", "<!--",
    ];
    let is_code = |sign: u8| matches!(sign, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'=' | b';');
    COMMENTS.iter().any(|sign| line.starts_with(sign))
        || line.contains(' ') && !line.bytes().any(is_code)
}

impl Packed<Vec<ReadPart>> {
    /// Returns the parts, if all names in them have a number below `names`.
    pub fn parts(&self, names: usize) -> Option<Vec<ReadPart>> {
        let parts = self.open()?;
        let mut uses = parts.iter().flat_map(|part| &part.uses);
        let is_sound = uses.all(|(name, _)| (*name as usize) < names);
        is_sound.then_some(parts)
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
        let packed = Packed::<Vec<ReadPart>>::of(&vec![&seen]).unwrap();
        let back = packed.parts(4).unwrap();
        assert_eq!((&back[0].part, &back[0].uses), (&seen.part, &vec![(3, 2)]));
        assert_eq!((back[0].prose, back[0].commands), (40, 2));
        assert!(packed.parts(3).is_none());
    }
}
