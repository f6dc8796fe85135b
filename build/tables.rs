//! Makes the tables: of the vocabularies in `toktok`, and of the classes of characters that
//! `regex-syntax` knows.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use regex_syntax::hir::{Class, HirKind};

use crate::layout::{BYTES, Pair, class};

/// Writes all tables.
pub(crate) fn write() -> io::Result<()> {
    let folder =
        env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names no OUT_DIR"))?;
    let folder = PathBuf::from(folder);
    for name in ["o200k_base", "cl100k_base"] {
        vocabulary(&folder, name)?;
    }
    fs::write(folder.join("classes"), classes()?)
}

fn vocabulary(folder: &Path, name: &str) -> io::Result<()> {
    let merges = merges(name)?;
    let table =
        Table::of(&merges).ok_or_else(|| io::Error::other(format!("no table for {name}")))?;
    let pilots: Vec<u8> = table
        .pilots
        .iter()
        .flat_map(|pilot| pilot.to_le_bytes())
        .collect();
    let slots: Vec<u8> = table
        .slots
        .iter()
        .flat_map(|slot| slot.to_le_bytes())
        .collect();
    fs::write(folder.join(format!("{name}.pilots")), pilots)?;
    fs::write(folder.join(format!("{name}.slots")), slots)
}

/// Returns which two tokens each token is made of. Those of one byte are named by it.
fn merges(name: &str) -> io::Result<Vec<(Pair, u32)>> {
    let tokenizer = toktok::Tokenizer::builtin(name).map_err(io::Error::other)?;
    let vocabulary = tokenizer.vocab();
    let mut all = Vec::new();
    let mut lesser = Lesser::new(vocabulary.size());
    for token in 0..vocabulary.n {
        let bytes = vocabulary.token_bytes(token);
        if token < BYTES && bytes.len() == 1 {
            continue;
        }
        let is_new = |pair: &Pair| token >= BYTES && lesser.made(*pair).is_none();
        let Some(pair) = lesser.last_pair(bytes).filter(is_new) else {
            let wrong = format!("{name}: token {token} is not made of two lesser ones alone");
            return Err(io::Error::other(wrong));
        };
        lesser.add(pair, token);
        all.push((pair, token));
    }
    Ok(all)
}

/// The merges up to some token. It has a table of its own, because the standard one takes seconds
/// in a build script, which is not optimised.
struct Lesser {
    slots: Vec<u64>,
}

impl Lesser {
    fn new(tokens: usize) -> Lesser {
        let slots = vec![0; 2 * tokens];
        Lesser { slots }
    }

    /// Returns where a pair is, or would be.
    fn place(&self, pair: Pair) -> usize {
        let mut at = pair.slot(0, self.slots.len());
        while self.slots[at] != 0 && pair.read(self.slots[at]).is_none() {
            at = (at + 1) % self.slots.len();
        }
        at
    }

    fn made(&self, pair: Pair) -> Option<u32> {
        pair.read(self.slots[self.place(pair)])
    }

    fn add(&mut self, pair: Pair, makes: u32) {
        let at = self.place(pair);
        self.slots[at] = pair.written(makes);
    }

    /// Returns the two tokens that are left of some bytes, if two are left.
    fn last_pair(&self, bytes: &[u8]) -> Option<Pair> {
        let made = |left: u32, right: u32| self.made(Pair::new(left, right)).unwrap_or(u32::MAX);
        let mut tokens: Vec<u32> = bytes.iter().map(|byte| u32::from(*byte)).collect();
        let mut makes: Vec<u32> = (1..tokens.len())
            .map(|at| made(tokens[at - 1], tokens[at]))
            .collect();
        while makes.len() > 1 {
            let least = *makes.iter().min()?;
            let at = makes.iter().position(|token| *token == least)?;
            if least == u32::MAX {
                return None;
            }
            tokens[at] = least;
            tokens.remove(at + 1);
            makes.remove(at);
            if at < makes.len() {
                makes[at] = made(least, tokens[at + 1]);
            }
            if at > 0 {
                makes[at - 1] = made(tokens[at - 1], least);
            }
        }
        let &[left, right] = tokens.as_slice() else {
            return None;
        };
        Some(Pair::new(left, right))
    }
}

/// A perfect hash: in each bucket the first pilot with which all its pairs find a free slot.
struct Table {
    pilots: Vec<u16>,
    slots: Vec<u64>,
}

/// Pairs for each bucket. More make a smaller table and a longer search.
const IN_A_BUCKET: usize = 4;

impl Table {
    fn of(merges: &[(Pair, u32)]) -> Option<Table> {
        let mut buckets = vec![Vec::new(); merges.len() / IN_A_BUCKET];
        for merge in merges {
            let bucket = merge.0.bucket(buckets.len());
            buckets[bucket].push(merge);
        }
        // One slot in thirty stays empty, so that the last buckets find theirs.
        let size = merges.len() + merges.len() / 30;
        let mut table = Table {
            pilots: vec![0; buckets.len()],
            slots: vec![0; size],
        };
        let mut order: Vec<usize> = (0..buckets.len()).collect();
        order.sort_by_key(|bucket| std::cmp::Reverse(buckets[*bucket].len()));
        for bucket in order {
            table.place(bucket, &buckets[bucket])?;
        }
        Some(table)
    }

    fn place(&mut self, bucket: usize, merges: &[&(Pair, u32)]) -> Option<()> {
        let pilot = (0..=u16::MAX).find(|pilot| self.try_pilot(*pilot, merges))?;
        self.pilots[bucket] = pilot;
        Some(())
    }

    fn try_pilot(&mut self, pilot: u16, merges: &[&(Pair, u32)]) -> bool {
        for (placed, (pair, makes)) in merges.iter().enumerate() {
            let slot = pair.slot(pilot, self.slots.len());
            if self.slots[slot] != 0 {
                for (pair, _) in &merges[..placed] {
                    let slot = pair.slot(pilot, self.slots.len());
                    self.slots[slot] = 0;
                }
                return false;
            }
            self.slots[slot] = pair.written(*makes);
        }
        true
    }
}

/// Returns the class of each character: the number of each block's table, then the tables.
fn classes() -> io::Result<Vec<u8>> {
    let mut all = vec![class::OTHER; class::BLOCKS * class::BLOCK];
    let named = [
        (r"[\p{Lu}\p{Lt}]", class::UPPER),
        (r"\p{Ll}", class::LOWER),
        (r"[\p{Lm}\p{Lo}]", class::CASELESS),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"\s", class::SPACE),
        (r"[\r\n]", class::BREAK),
    ];
    for (pattern, class) in named {
        let parsed = regex_syntax::parse(pattern).map_err(io::Error::other)?;
        let HirKind::Class(Class::Unicode(characters)) = parsed.kind() else {
            return Err(io::Error::other(format!("{pattern} is no class")));
        };
        for range in characters.iter() {
            all[range.start() as usize..=range.end() as usize].fill(class);
        }
    }
    let mut numbers: HashMap<&[u8], u8> = HashMap::new();
    let (mut index, mut tables) = (Vec::new(), Vec::new());
    for block in all.chunks(class::BLOCK) {
        let next = u8::try_from(numbers.len()).map_err(io::Error::other)?;
        let number = *numbers.entry(block).or_insert(next);
        if number == next {
            tables.extend_from_slice(block);
        }
        index.push(number);
    }
    index.extend(tables);
    Ok(index)
}
