//! Where a secret may begin: a table of three bytes of each beginning finds the places of all rules
//! in one pass.

use std::ops::Range;
use std::sync::LazyLock;

use super::rules::RULES;

/// A place where a secret may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) start: usize,
    /// The index of the rule.
    pub(super) rule: usize,
}

/// Finds where secrets may begin in a stretch of a text, in order. At one place, rules come in the
/// order in which they are listed.
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
    let Range { start, end } = stretch;
    marks.check_dots(
        text,
        start.saturating_sub(FURTHEST)..end.min(text.len()),
        found,
    );
    found.retain(|candidate| stretch.contains(&candidate.start));
    found.sort_unstable();
}

/// How many positions of three bytes in a row eight bytes have.
const AT_ONCE: usize = 6;

/// The last bytes of a text, at most seven.
fn last(bytes: &[u8]) -> u64 {
    let later = bytes.iter().rev();
    later.fold(0, |eight, byte| eight << 8 | u64::from(*byte))
}

/// Three bytes of the beginning of each rule, by which it is found: a table says for each three
/// bytes of a text whether they may belong to a rule. An automaton takes about twice as long. A
/// search with vector instructions is hardly faster than that, since much of a program looks like a
/// beginning.
struct Marks {
    /// For each hash the number of its group of rules, from 1; 0 if it has none.
    table: [u8; 1 << HASH_BITS],
    /// Where each group begins in `rules`, and where the last one ends.
    groups: Vec<usize>,
    rules: Vec<Mark>,
    /// The length of the longest beginning.
    longest: usize,
    /// The rules that begin with a dot: Discord's and Airtable's.
    between: Option<usize>,
    behind: Option<usize>,
}

/// How many positions are searched for dots together.
const BLOCK: usize = 32;

/// How far a dot is from the character that must stand before it.
const FURTHEST: usize = 17;

/// Whether a token with dots may begin in a block: a loop without branches, which the compiler
/// vectorises.
fn has_dots(ahead: &[u8; BLOCK + FURTHEST]) -> bool {
    let mut any = 0;
    for at in 0..BLOCK {
        let between = (ahead[at] ^ b'.') | (ahead[at + 7] ^ b'.');
        let behind = (ahead[at] ^ b'p') | (ahead[at + 2] ^ b't') | (ahead[at + FURTHEST] ^ b'.');
        any |= u8::from(between == 0) | u8::from(behind == 0);
    }
    any != 0
}

/// Whether this dot may be the first one of a Discord token.
fn is_between(text: &[u8], at: usize) -> bool {
    text[at] == b'.' && text.get(at + 7) == Some(&b'.')
}

/// Whether this dot may be that of an Airtable token, which begins with `pat`.
fn is_behind(text: &[u8], dot: usize) -> bool {
    let first = || dot.checked_sub(FURTHEST).map(|at| (text[at], text[at + 2]));
    text.get(dot) == Some(&b'.') && first() == Some((b'p', b't'))
}

/// Three bytes of a rule's beginning, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    hash: u32,
    three: u32,
    rule: usize,
    /// Their offset in the beginning.
    at: usize,
}

/// With 15 bits the table takes 32 KiB and stays in the nearest cache.
const HASH_BITS: u32 = 15;

/// Turns capital letters into small ones.
fn small(three: u32) -> u32 {
    three | 0x0020_2020
}

fn hash(three: u32) -> u32 {
    // Of some thousand numbers the one with which the fewest letters of real programs have
    // the hash of a rule.
    small(three).wrapping_mul(0xeebc_a2b5) >> (32 - HASH_BITS)
}

impl Marks {
    #[expect(clippy::large_stack_arrays, reason = "it is made once")]
    fn new() -> Marks {
        let mut marks = Marks {
            table: [0; 1 << HASH_BITS],
            groups: Vec::new(),
            rules: Vec::new(),
            longest: 0,
            between: of_kind("Discord token"),
            behind: of_kind("Airtable token"),
        };
        for (number, rule) in RULES.iter().enumerate() {
            let beginning = rule.beginning.as_bytes();
            marks.longest = marks.longest.max(beginning.len());
            let mut add = |three: [u8; 3], at: usize| {
                let three = small(u32::from_le_bytes([three[0], three[1], three[2], 0]));
                marks.rules.push(Mark {
                    hash: hash(three),
                    three,
                    rule: number,
                    at,
                });
            };
            if let [first, second] = *beginning {
                // What is so short is followed by hexadecimal digits.
                for third in *b"0123456789abcdef" {
                    add([first, second, third], 0);
                }
            }
            let threes = beginning.windows(3).enumerate();
            let common = |three: &[u8]| {
                three
                    .iter()
                    .map(|b| COMMONNESS[usize::from(*b)])
                    .sum::<usize>()
            };
            if let Some((at, [a, b, c])) =
                threes.min_by_key(|(_, three)| (is_common(three), common(three)))
            {
                add([*a, *b, *c], at);
            }
        }
        marks.rules.sort_unstable();
        marks.group();
        marks
    }

    /// Numbers the rules by their hashes. If there are more hashes than numbers, some consecutive
    /// ones share a number.
    fn group(&mut self) {
        let hashes = self.rules.chunk_by(|one, next| one.hash == next.hash);
        let share = hashes.clone().count().div_ceil(usize::from(u8::MAX));
        let mut at = 0;
        for (number, marks) in hashes.enumerate() {
            if number % share == 0 {
                self.groups.push(at);
            }
            let group = u8::try_from(self.groups.len()).unwrap_or(u8::MAX);
            self.table[marks[0].hash as usize] = group;
            at += marks.len();
        }
        self.groups.push(at);
    }

    /// Adds candidates for the dots that have the other fixed character of such a token in its
    /// place. Nothing else in these tokens stays the same.
    fn check_dots(&self, text: &[u8], stretch: Range<usize>, found: &mut Vec<Candidate>) {
        for from in stretch.clone().step_by(BLOCK) {
            let ahead = text[from..].first_chunk::<{ BLOCK + FURTHEST }>();
            if ahead.is_none_or(has_dots) {
                for at in from..text.len().min(from + BLOCK) {
                    self.check_dot(text, at, found);
                }
            }
        }
    }

    fn check_dot(&self, text: &[u8], at: usize, found: &mut Vec<Candidate>) {
        if is_between(text, at) {
            let of_rule = |rule| Candidate { start: at, rule };
            found.extend(self.between.map(of_rule));
        }
        if is_behind(text, at + FURTHEST) {
            let start = at + FURTHEST;
            found.extend(self.behind.map(|rule| Candidate { start, rule }));
        }
    }

    /// Whether some of these bytes may belong to a rule.
    fn has_any(&self, threes: [u32; AT_ONCE]) -> bool {
        let has = threes.map(|three| self.table[hash(three) as usize]);
        has.into_iter().fold(0, |any, has| any | has) != 0
    }

    /// Adds a candidate for every rule whose beginning has these bytes at `at`.
    fn check(&self, text: &[u8], at: usize, three: u32, found: &mut Vec<Candidate>) {
        let group = usize::from(self.table[hash(three) as usize]);
        if group == 0 {
            return;
        }
        let three = small(three);
        let marks = &self.rules[self.groups[group - 1]..self.groups[group]];
        for mark in marks.iter().filter(|mark| mark.three == three) {
            let Some(start) = at.checked_sub(mark.at) else {
                continue;
            };
            let wanted = RULES[mark.rule].beginning.as_bytes();
            let there = text.get(start..start + wanted.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(wanted)) {
                found.push(Candidate {
                    start,
                    rule: mark.rule,
                });
            }
        }
    }
}

/// Returns the index of the first rule of a kind.
fn of_kind(kind: &str) -> Option<usize> {
    RULES.iter().position(|rule| rule.kind == kind)
}

/// Whether these three bytes are frequent in programs.
fn is_common(three: &[u8]) -> bool {
    let three: Result<[u8; 3], _> = three.try_into();
    three.is_ok_and(|three| {
        COMMON
            .binary_search(&&three.map(|b| b.to_ascii_lowercase()))
            .is_ok()
    })
}

/// Sequences that are frequent in programs, though their letters are not among the most common; in
/// order and in lower case.
const COMMON: &[&[u8; 3]] = &[
    b"\n  ", b"   ", b"  d", b"  s", b" \"m", b" --", b" = ", b" a ", b" ad", b" by", b" cr",
    b" da", b" in", b" lo", b" pu", b" se", b" st", b" up", b" us", b" wr", b"\": ", b"-- ",
    b"-pr", b".ba", b".be", b".cl", b".ge", b".lo", b"16.", b": \"", b": {", b"::s", b"= \"",
    b"= '", b"_de", b"_pa", b"_pr", b"aaa", b"abi", b"abl", b"acc", b"ad ", b"als", b"amb", b"app",
    b"ar ", b"arg", b"arm", b"asi", b"att", b"bit", b"bsc", b"ch ", b"ck-", b"ck.", b"ck_", b"cke",
    b"con", b"cre", b"cti", b"cur", b"d b", b"de_", b"den", b"dep", b"dp_", b"duc", b"e u", b"e_p",
    b"ect", b"equ", b"er ", b"ert", b"erv", b"et(", b"etg", b"eyp", b"fff", b"fig", b"get", b"gin",
    b"glo", b"go ", b"gor", b"h i", b"hub", b"ial", b"il ", b"in_", b"ing", b"ink", b"ins", b"int",
    b"io_", b"ion", b"iva", b"ive", b"ker", b"key", b"ks ", b"liv", b"ll ", b"log", b"ls(", b"mak",
    b"mas", b"n p", b"n: ", b"n_o", b"nd_", b"nec", b"ng(", b"nne", b"nse", b"ock", b"on(", b"ong",
    b"pep", b"pin", b"ppl", b"pri", b"qui", b"r a", b"r l", b"r.g", b"r_p", b"ral", b"rch", b"red",
    b"rem", b"req", b"rg/", b"riv", b"rt ", b"rvi", b"ryp", b"s i", b"s p", b"s s", b"s: ", b"ser",
    b"sh ", b"sk ", b"ss ", b"st-", b"sub", b"sum", b"t i", b"t s", b"t: ", b"t_d", b"t_p",
    b"th\"", b"tio", b"to ", b"twi", b"ubs", b"uff", b"uir", b"unk", b"unr", b"up ", b"upl",
    b"url", b"val", b"vat", b"ve.", b"ve_", b"vic", b"w p", b"web", b"win", b"xec", b"xpr", b"xt(",
    b"y()", b"y: ", b"y_p", b"y_t", b"ypa", b"yst", b"zur",
];

/// How common each byte is in programs, relative to the others.
const COMMONNESS: [usize; 256] = {
    const RARE_FIRST: &[u8; 26] = b"zqjxkvwbyghfmupdclrsniaote";
    let mut common = [RARE_FIRST.len() / 2; 256];
    let mut place = 0;
    while place < RARE_FIRST.len() {
        let letter = RARE_FIRST[place];
        common[letter as usize] = place;
        common[letter.to_ascii_uppercase() as usize] = place;
        place += 1;
    }
    common
};

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

    /// One of two letters is only a candidate where a hexadecimal digit follows, and a dot
    /// where another one does.
    fn is_followed(text: &str, candidate: &Candidate) -> bool {
        let beginning = RULES[candidate.rule].beginning;
        let letter = |ahead: usize| text.as_bytes().get(candidate.start + ahead);
        match beginning.len() {
            1 if RULES[candidate.rule].kind == "Discord token" => {
                is_between(text.as_bytes(), candidate.start)
            }
            1 => is_behind(text.as_bytes(), candidate.start),
            2 => letter(2).is_some_and(u8::is_ascii_hexdigit),
            _ => true,
        }
    }

    #[test]
    fn what_is_common_is_found_among_all() {
        assert!(COMMON.is_sorted() && is_common(b" -- ".first_chunk::<3>().unwrap()));
        assert!(
            COMMON
                .iter()
                .all(|three| is_common(&three.to_ascii_uppercase()))
        );
        assert!(!is_common(b"zzz") && !is_common(b"zz"));
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
