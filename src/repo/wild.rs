//! Patterns with wildcards, matched as git does it: many at once, in one pass over a path.
//!
//! Every pattern is a row of states, and all rows are bits of one long number that advances with
//! each byte. So the time for a path is its length times the number of these words, whatever the
//! patterns are.

/// The most states of all patterns of a file: more than in any file in use.
pub(super) const MAX_STATES: usize = 8 * 1024;

/// The bytes that one place of a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bytes {
    set: [u64; 4],
    /// Whether it matches what nobody mentions, including the byte 0.
    others: bool,
}

impl Bytes {
    const NONE: Bytes = Bytes {
        set: [0; 4],
        others: false,
    };

    fn one(byte: u8) -> Bytes {
        let mut bytes = Bytes::NONE;
        bytes.add(byte, byte);
        bytes
    }

    fn add(&mut self, from: u8, to: u8) {
        for byte in from..=to {
            self.set[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }

    fn remove(&mut self, byte: u8) {
        self.set[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    fn inverted(self) -> Bytes {
        Bytes {
            set: self.set.map(|word| !word),
            others: true,
        }
    }

    fn has(&self, byte: u8) -> bool {
        self.set[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

/// What a state does with bytes that do not lead on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stays {
    Never,
    /// It stays if the byte is not a slash: after `*`.
    InName,
    /// It stays with any byte: after `**`.
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    stays: Stays,
    /// Whether whoever gets here from before is in the next state as well: `**/` also stands for no
    /// folder.
    skips: bool,
    /// What leads to the next state.
    takes: Bytes,
}

/// The states of a pattern; the last one takes nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row(Vec<State>);

impl Row {
    /// Reads a pattern, of which the first `literal` bytes are not wildcards; `None` if nothing can
    /// match it. If it is one for `names`, a star stands for anything.
    pub(super) fn parse(pattern: &[u8], literal: usize, names: bool) -> Option<Row> {
        let mut row = Reader {
            rest: pattern.get(literal..)?,
            states: Vec::new(),
            stays: Stays::Never,
            skips: false,
            before: None,
            names,
        };
        for byte in &pattern[..literal] {
            row.take(*byte);
        }
        // Git compares what stands before the first wildcard by itself, so what follows is a
        // beginning to it: in `a**/b` the stars stand behind nothing.
        row.before = None;
        while let Some((first, rest)) = row.rest.split_first() {
            row.rest = rest;
            match first {
                b'*' => row.stars(),
                b'?' => row.take_of(Bytes::NONE.inverted()),
                b'[' => {
                    let class = row.class()?;
                    row.take_of(class);
                }
                b'\\' => {
                    let byte = row.pop()?;
                    row.take(byte);
                }
                byte => row.take(*byte),
            }
        }
        row.take_of(Bytes::NONE);
        Some(Row(row.states))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// What looked like the name of a class.
enum Named {
    Class,
    /// It was not one, and the bracket stands for itself.
    Bracket,
}

/// What has been read of a pattern.
struct Reader<'a> {
    rest: &'a [u8],
    states: Vec<State>,
    stays: Stays,
    skips: bool,
    /// The byte before, of what git takes for the pattern.
    before: Option<u8>,
    names: bool,
}

impl Reader<'_> {
    /// Takes a byte that stands for itself.
    fn take(&mut self, byte: u8) {
        self.push(Bytes::one(byte));
        self.before = Some(byte);
    }

    /// Takes one of several bytes, never a slash.
    fn take_of(&mut self, mut takes: Bytes) {
        takes.remove(b'/');
        self.push(takes);
        self.before = Some(b']');
    }

    fn push(&mut self, takes: Bytes) {
        self.states.push(State {
            stays: self.stays,
            skips: self.skips,
            takes,
        });
        self.stays = Stays::Never;
        self.skips = false;
    }

    /// Reads on after a first star.
    fn stars(&mut self) {
        let more = self.rest.iter().take_while(|byte| **byte == b'*').count();
        self.rest = &self.rest[more..];
        let is_apart = matches!(self.before, None | Some(b'/'));
        let ends = self.rest.is_empty() || self.rest.starts_with(b"\\/");
        if self.names || more > 0 && is_apart && ends {
            self.stays = Stays::Always;
        } else if more > 0 && is_apart && self.rest.starts_with(b"/") {
            self.rest = &self.rest[1..];
            self.folders();
        } else if self.stays == Stays::Never {
            self.stays = Stays::InName;
        }
        if self.before.is_none() {
            self.before = Some(b'*');
        }
    }

    /// Takes any number of folders. One such state is as good as several in a row.
    fn folders(&mut self) {
        let are_there = self.states.last().is_some_and(|last| last.skips);
        if !are_there {
            self.stays = Stays::Always;
            self.skips = true;
            self.take(b'/');
        }
        self.before = Some(b'/');
    }

    /// Reads a class of bytes up to its end; `None` where git gives up.
    fn class(&mut self) -> Option<Bytes> {
        let mut bytes = Bytes::NONE;
        let mut next = self.pop()?;
        let is_inverted = matches!(next, b'!' | b'^');
        if is_inverted {
            next = self.pop()?;
        }
        // The byte before, from which a range goes.
        let mut from = None;
        loop {
            let is_range = next == b'-' && !matches!(self.rest.first(), None | Some(b']'));
            from = match (next, from) {
                (b'\\', _) => {
                    let byte = self.pop()?;
                    bytes.add(byte, byte);
                    Some(byte)
                }
                (b'-', Some(from)) if is_range => {
                    let to = match self.pop()? {
                        b'\\' => self.pop()?,
                        to => to,
                    };
                    bytes.add(from, to);
                    None
                }
                (b'[', _) if self.rest.first() == Some(&b':') => match self.named(&mut bytes)? {
                    Named::Class => None,
                    Named::Bracket => Some(b'['),
                },
                (byte, _) => {
                    bytes.add(byte, byte);
                    Some(byte)
                }
            };
            next = self.pop()?;
            if next == b']' {
                return Some(if is_inverted { bytes.inverted() } else { bytes });
            }
        }
    }

    /// Adds a class by its name, `[:alpha:]`, after its first bracket; if it is not one, only the
    /// bracket counts.
    fn named(&mut self, bytes: &mut Bytes) -> Option<Named> {
        let end = self.rest.iter().position(|byte| *byte == b']')?;
        let name = self.rest[1..].get(..end.saturating_sub(2));
        let is_name = end >= 2 && self.rest[end - 1] == b':';
        let Some(name) = name.filter(|_| is_name) else {
            bytes.add(b'[', b'[');
            return Some(Named::Bracket);
        };
        let has: fn(&u8) -> bool = match name {
            b"alnum" => u8::is_ascii_alphanumeric,
            b"alpha" => u8::is_ascii_alphabetic,
            b"blank" => |byte| matches!(byte, b' ' | b'\t'),
            b"cntrl" => u8::is_ascii_control,
            b"digit" => u8::is_ascii_digit,
            b"graph" => u8::is_ascii_graphic,
            b"lower" => u8::is_ascii_lowercase,
            b"print" => |byte| matches!(byte, b' '..=b'~'),
            b"punct" => u8::is_ascii_punctuation,
            b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
            b"upper" => u8::is_ascii_uppercase,
            b"xdigit" => u8::is_ascii_hexdigit,
            _ => return None,
        };
        for byte in (1..=u8::MAX).filter(has) {
            bytes.add(byte, byte);
        }
        self.rest = &self.rest[end + 1..];
        Some(Named::Class)
    }

    fn pop(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }
}

/// Patterns that are matched together.
#[derive(Debug, Default)]
pub(super) struct Wild {
    words: usize,
    /// For each byte, which row of `takes` is its own.
    rows: Vec<u8>,
    /// Which states lead on: as many words for each kind of byte as there are for all states.
    takes: Vec<u64>,
    /// Which states stay with a byte that is not a slash, and which with any.
    in_name: Vec<u64>,
    always: Vec<u64>,
    skips: Vec<u64>,
    first: Vec<u64>,
    /// The last state of each pattern, in order, with the number that it was given.
    ends: Vec<(usize, u32)>,
    is_end: Vec<u64>,
}

impl Wild {
    /// Takes patterns with their numbers, in order.
    pub(super) fn new(patterns: &[(Row, u32)]) -> Wild {
        let states: usize = patterns.iter().map(|(row, _)| row.len()).sum();
        let words = states.div_ceil(64);
        let none = || vec![0; words];
        let mut wild = Wild {
            words,
            rows: Vec::new(),
            takes: Vec::new(),
            in_name: none(),
            always: none(),
            skips: none(),
            first: none(),
            ends: Vec::with_capacity(patterns.len()),
            is_end: none(),
        };
        if words == 0 {
            return wild;
        }
        let kinds = wild.kinds(patterns);
        wild.takes = vec![0; kinds.len() * words];
        let mut at = 0;
        for (row, number) in patterns {
            set(&mut wild.first, at);
            if row.0.first().is_some_and(|state| state.skips) {
                set(&mut wild.first, at + 1);
            }
            for state in &row.0 {
                for (kind, byte) in kinds.iter().enumerate() {
                    let takes = match byte {
                        Some(byte) => state.takes.has(*byte),
                        None => state.takes.others,
                    };
                    if takes {
                        set(&mut wild.takes[kind * words..], at);
                    }
                }
                match state.stays {
                    Stays::Never => {}
                    Stays::InName => set(&mut wild.in_name, at),
                    Stays::Always => {
                        set(&mut wild.in_name, at);
                        set(&mut wild.always, at);
                    }
                }
                if state.skips {
                    set(&mut wild.skips, at);
                }
                at += 1;
            }
            wild.ends.push((at - 1, *number));
            set(&mut wild.is_end, at - 1);
        }
        wild
    }

    /// Gives each byte its row: those that nobody mentions share the first.
    fn kinds(&mut self, patterns: &[(Row, u32)]) -> Vec<Option<u8>> {
        let mut mentioned = [0; 4];
        for state in patterns.iter().flat_map(|(row, _)| &row.0) {
            let Bytes { set, others } = state.takes;
            let usual = if others { u64::MAX } else { 0 };
            for (all, word) in mentioned.iter_mut().zip(set) {
                *all |= word ^ usual;
            }
        }
        let mentioned = Bytes {
            set: mentioned,
            others: false,
        };
        let mut kinds = vec![None];
        self.rows = (0..=u8::MAX)
            .map(|byte| {
                if !mentioned.has(byte) {
                    return 0;
                }
                // No path has the byte 0, so there are 255 of them at most.
                kinds.push(Some(byte));
                u8::try_from(kinds.len() - 1).unwrap_or_default()
            })
            .collect();
        kinds
    }

    /// Returns about how many bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.takes.len() + 5 * self.words) + self.rows.len() + 16 * self.ends.len()
    }

    /// Returns the highest number of a pattern that matches `text` and that `counts`. The cost is
    /// added to `steps`.
    pub(super) fn last(
        &self,
        text: &[u8],
        steps: &mut u64,
        counts: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        if self.words == 0 {
            return None;
        }
        let mut now = self.first.clone();
        for byte in text {
            *steps += self.words as u64;
            if !self.step(&mut now, *byte) {
                return None;
            }
        }
        let hits = (0..self.words).rev().flat_map(|word| {
            let mut bits = now[word] & self.is_end[word];
            std::iter::from_fn(move || {
                let bit = 63_usize.checked_sub(bits.leading_zeros() as usize)?;
                bits &= !(1 << bit);
                Some(word * 64 + bit)
            })
        });
        let numbers = hits.filter_map(|state| {
            let at = self.ends.binary_search_by_key(&state, |(end, _)| *end);
            at.ok().map(|at| self.ends[at].1)
        });
        numbers.into_iter().find(|number| counts(*number))
    }

    /// Advances by a byte. Returns whether anything can still match.
    fn step(&self, now: &mut [u64], byte: u8) -> bool {
        let kind = usize::from(self.rows[usize::from(byte)]) * self.words;
        let takes = &self.takes[kind..kind + self.words];
        let stays = if byte == b'/' {
            &self.always
        } else {
            &self.in_name
        };
        let (mut led, mut skipped, mut any) = (0, 0, 0);
        for (word, now) in now.iter_mut().enumerate() {
            let leads = *now & takes[word];
            let here = leads << 1 | led;
            led = leads >> 63;
            let skips = here & self.skips[word];
            *now = *now & stays[word] | here | skips << 1 | skipped;
            skipped = skips >> 63;
            any |= *now;
        }
        any != 0
    }
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}
