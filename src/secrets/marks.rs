//! Where a secret may begin: a table of three letters of each beginning finds the
//! places of all rules in one pass.

use std::ops::Range;
use std::sync::LazyLock;

use super::rules::RULES;

/// A place where a secret may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) start: usize,
    /// The number of the rule.
    pub(super) rule: usize,
}

/// Finds where secrets may begin in a stretch of a text, in order; at one place, the rule
/// that is listed first comes first.
pub(super) fn find_candidates(text: &[u8], stretch: Range<usize>, found: &mut Vec<Candidate>) {
    let marks = &*MARKS;
    // One that begins in the stretch may end behind it.
    let end = text.len().min(stretch.end + marks.longest);
    for at in (stretch.start..end).step_by(AT_ONCE) {
        let eight = match text[at..].first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            // Behind the end there are zeros, which are in no rule.
            None => last(&text[at..]),
        };
        let threes = std::array::from_fn(|skip| {
            let three = eight >> (8 * skip) & 0x00ff_ffff;
            u32::try_from(three).unwrap_or_default()
        });
        if marks.has_any(threes) {
            for (skip, three) in threes.into_iter().enumerate() {
                marks.check(text, at + skip, three, found);
            }
        }
    }
    found.retain(|candidate| stretch.contains(&candidate.start));
    found.sort_unstable();
}

/// How many places eight bytes have for three letters in a row.
const AT_ONCE: usize = 6;

/// The last bytes of a text, at most seven.
fn last(bytes: &[u8]) -> u64 {
    let later = bytes.iter().rev();
    later.fold(0, |eight, byte| eight << 8 | u64::from(*byte))
}

/// Three letters of the beginning of each rule, by which it is found: for each three of a
/// text a table says whether they may be any rule's. An automaton takes about twice as
/// long, and a search with vector instructions hardly less than that, since much of a
/// program looks like a beginning.
struct Marks {
    /// For each hash 1 if it is that of a rule, else 0.
    table: [u8; 1 << HASH_BITS],
    /// The hash and the rule, and where in its beginning the letters are; sorted.
    rules: Vec<(u32, usize, usize)>,
    /// The bytes of the longest beginning.
    longest: usize,
}

/// With 14 bits the table has 16 KiB and stays in the nearest cache; of other letters one
/// in 200 has the hash of a rule.
const HASH_BITS: u32 = 14;

/// Capital letters hash as small ones.
fn hash(three: u32) -> u32 {
    (three | 0x0020_2020).wrapping_mul(0x27d4_eb2f) >> (32 - HASH_BITS)
}

impl Marks {
    fn new() -> Marks {
        let mut marks = Marks {
            table: [0; 1 << HASH_BITS],
            rules: Vec::new(),
            longest: 0,
        };
        for (number, rule) in RULES.iter().enumerate() {
            let beginning = rule.beginning.as_bytes();
            marks.longest = marks.longest.max(beginning.len());
            let mut add = |three: [u8; 3], at: usize| {
                let hash = hash(u32::from_le_bytes([three[0], three[1], three[2], 0]));
                marks.table[hash as usize] = 1;
                marks.rules.push((hash, number, at));
            };
            if let [first, second] = *beginning {
                // What is so short is followed by hexadecimal digits.
                for third in *b"0123456789abcdef" {
                    add([first, second, third], 0);
                }
            }
            let threes = beginning.windows(3).enumerate();
            let common = |three: &[u8]| three.iter().map(|b| commonness(*b)).sum::<usize>();
            if let Some((at, [a, b, c])) = threes.min_by_key(|(_, three)| common(three)) {
                add([*a, *b, *c], at);
            }
        }
        marks.rules.sort_unstable();
        marks
    }

    /// Whether some of these letters may be a rule's.
    fn has_any(&self, threes: [u32; AT_ONCE]) -> bool {
        let has = threes.map(|three| self.table[hash(three) as usize]);
        has.into_iter().fold(0, |any, has| any | has) != 0
    }

    /// Adds a candidate for every rule whose beginning has these letters at `at`.
    fn check(&self, text: &[u8], at: usize, three: u32, found: &mut Vec<Candidate>) {
        let hash = hash(three);
        if self.table[hash as usize] == 0 {
            return;
        }
        let first = self.rules.partition_point(|(other, ..)| *other < hash);
        let same = self.rules[first..]
            .iter()
            .take_while(|(other, ..)| *other == hash);
        for (_, rule, before) in same {
            let Some(start) = at.checked_sub(*before) else {
                continue;
            };
            let wanted = RULES[*rule].beginning.as_bytes();
            let there = text.get(start..start + wanted.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(wanted)) {
                found.push(Candidate { start, rule: *rule });
            }
        }
    }
}

/// How common a letter is in programs, compared with others.
fn commonness(letter: u8) -> usize {
    const RARE_FIRST: &[u8] = b"zqjxkvwbyghfmupdclrsniaote";
    let place = RARE_FIRST
        .iter()
        .position(|known| *known == letter.to_ascii_lowercase());
    place.unwrap_or(RARE_FIRST.len() / 2)
}

static MARKS: LazyLock<Marks> = LazyLock::new(Marks::new);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As `find_candidates`, but by looking for each beginning at each place.
    fn candidates_one_by_one(text: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        for start in 0..text.len() {
            for (rule, known) in RULES.iter().enumerate() {
                let end = start + known.beginning.len();
                let there = text.as_bytes().get(start..end);
                if there.is_some_and(|t| t.eq_ignore_ascii_case(known.beginning.as_bytes())) {
                    found.push(Candidate { start, rule });
                }
            }
        }
        found
    }

    /// One of two letters is only a candidate where a hexadecimal digit follows.
    fn is_followed(text: &str, candidate: &Candidate) -> bool {
        let beginning = RULES[candidate.rule].beginning;
        let next = text.as_bytes().get(candidate.start + beginning.len());
        beginning.len() > 2 || next.is_some_and(u8::is_ascii_hexdigit)
    }

    proptest! {
        #[test]
        fn every_beginning_is_a_candidate(
            pieces in prop::collection::vec(
                prop_oneof![
                    3 => (0..RULES.len()).prop_map(|rule| RULES[rule].beginning.to_owned()),
                    1 => (0..RULES.len()).prop_map(|rule| RULES[rule].beginning.to_uppercase()),
                    2 => "\\PC{0,9}|[a-f0-9]{1,3}|\n".prop_map(|text| text),
                ],
                0..40,
            ),
            cut in 0usize..400,
        ) {
            let text = pieces.concat();
            let mut one_by_one = candidates_one_by_one(&text);
            one_by_one.retain(|candidate| is_followed(&text, candidate));
            let cut = cut.min(text.len());
            let mut found = Vec::new();
            find_candidates(text.as_bytes(), 0..cut, &mut found);
            let mut rest = Vec::new();
            find_candidates(text.as_bytes(), cut..text.len(), &mut rest);
            found.extend(rest);
            prop_assert_eq!(found, one_by_one);
        }
    }
}
