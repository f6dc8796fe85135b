//! Kept values stay packed until somebody asks for them, because most of them belong to files that
//! a prompt is not about.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The bytes that a value is packed in until somebody asks for it.
pub struct Packed<T> {
    bytes: Box<[u8]>,
    of: PhantomData<fn() -> T>,
}

impl<T> Packed<T> {
    /// Packs a value that is serialised like a `T`.
    pub fn of(value: &impl Serialize) -> Option<Packed<T>> {
        let bytes = postcard::to_allocvec(value).ok()?;
        Some(Packed::from(&bytes[..]))
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl<T: DeserializeOwned> Packed<T> {
    /// Returns the value; `None` if the bytes are not one.
    pub fn open(&self) -> Option<T> {
        postcard::from_bytes(&self.bytes).ok()
    }
}

impl<T> Clone for Packed<T> {
    fn clone(&self) -> Packed<T> {
        Packed::from(&*self.bytes)
    }
}

impl<T> From<&[u8]> for Packed<T> {
    fn from(bytes: &[u8]) -> Packed<T> {
        Packed {
            bytes: bytes.into(),
            of: PhantomData,
        }
    }
}

impl<T> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.bytes)
    }
}

impl<'de, T> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed<T>, D::Error> {
        deserializer.deserialize_bytes(Bytes(|bytes: &[u8]| Some(Packed::from(bytes))))
    }
}

/// Makes something of bytes, which may be invalid.
struct Bytes<F>(F);

impl<T, F: FnOnce(&[u8]) -> Option<T>> Visitor<'_> for Bytes<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<T, E> {
        (self.0)(bytes).ok_or_else(|| E::custom("bytes of something else"))
    }
}

/// Numbers, each in as few bytes as it takes: there are hundreds of thousands of them, and they are
/// read one after another very quickly.
pub mod numbers {
    use serde::{Deserializer, Serializer};

    use super::{Bytes, how_many, put, take};

    /// Writes numbers.
    pub fn serialize<S: Serializer>(
        numbers: &impl AsRef<[u32]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(2 * numbers.as_ref().len());
        numbers.as_ref().iter().for_each(|n| put(&mut bytes, *n));
        serializer.serialize_bytes(&bytes)
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
        from.deserialize_bytes(Bytes(|mut bytes: &[u8]| {
            let mut numbers = Vec::with_capacity(how_many(bytes));
            while !bytes.is_empty() {
                numbers.push(take(&mut bytes)?);
            }
            Some(numbers)
        }))
    }
}

/// Increasing numbers, each as its distance from the one before.
pub mod rising {
    use serde::{Deserializer, Serializer};

    use super::{Bytes, how_many, put, take};

    /// Writes increasing numbers.
    pub fn serialize<S: Serializer>(
        numbers: &impl AsRef<[u32]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(numbers.as_ref().len());
        let mut before = 0;
        for number in numbers.as_ref() {
            put(&mut bytes, number.wrapping_sub(before));
            before = *number;
        }
        serializer.serialize_bytes(&bytes)
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
        from.deserialize_bytes(Bytes(|mut bytes: &[u8]| {
            let mut numbers = Vec::with_capacity(how_many(bytes));
            let mut before: u32 = 0;
            while !bytes.is_empty() {
                before = before.checked_add(take(&mut bytes)?)?;
                numbers.push(before);
            }
            Some(numbers)
        }))
    }
}

/// Increasing numbers, and how often each is there.
pub mod counts {
    use serde::{Deserializer, Serializer};

    use super::{Bytes, how_many, put, take};

    /// Writes increasing numbers with their counts.
    pub fn serialize<S: Serializer>(
        counts: &[(u32, u16)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(3 * counts.len());
        let mut before = 0;
        for (number, count) in counts {
            put(&mut bytes, number.wrapping_sub(before));
            put(&mut bytes, u32::from(*count));
            before = *number;
        }
        serializer.serialize_bytes(&bytes)
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(u32, u16)>, D::Error> {
        from.deserialize_bytes(Bytes(|mut bytes: &[u8]| {
            let mut counts = Vec::with_capacity(how_many(bytes) / 2);
            let mut before: u32 = 0;
            while !bytes.is_empty() {
                before = before.checked_add(take(&mut bytes)?)?;
                let count = u16::try_from(take(&mut bytes)?).ok()?;
                counts.push((before, count));
            }
            Some(counts)
        }))
    }
}

/// The bits of a byte that are part of a number, how many they are, and the one that says that more
/// bytes follow.
const BITS: u32 = 0x7f;
const WIDTH: u32 = 7;
const MORE: u8 = 0x80;

/// Writes a number, its lowest bits first.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number > BITS {
        bytes.push(number.to_le_bytes()[0] | MORE);
        number >>= WIDTH;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Reads a number from the beginning.
#[inline]
fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first()?;
    // Most numbers are small.
    if *first & MORE == 0 {
        *bytes = rest;
        return Some(u32::from(*first));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(*byte) & BITS;
        let shifted = bits.checked_shl(shift)?;
        if shifted >> shift != bits {
            return None;
        }
        number |= shifted;
        if *byte & MORE == 0 {
            return Some(number);
        }
        shift += WIDTH;
    }
}

/// Returns how many numbers these bytes are: each has a last byte.
fn how_many(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & MORE == 0).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct All {
        #[serde(with = "numbers")]
        numbers: Vec<u32>,
        #[serde(with = "rising")]
        rising: Vec<u32>,
        #[serde(with = "counts")]
        counts: Vec<(u32, u16)>,
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_back(
            numbers: Vec<u32>,
            mut rising: Vec<u32>,
            mut counts: Vec<(u32, u16)>,
        ) {
            rising.sort_unstable();
            counts.sort_unstable();
            let all = All { numbers, rising, counts };
            let packed: Packed<All> = Packed::of(&all).unwrap();
            prop_assert_eq!(packed.open(), Some(all));
        }

        #[test]
        fn bytes_of_something_else_are_none_or_some_but_end(bytes: Vec<u8>) {
            let packed: Packed<All> = Packed::from(&bytes[..]);
            if let Some(all) = packed.open() {
                prop_assert!(all.rising.is_sorted());
                prop_assert!(all.counts.is_sorted_by_key(|(number, _)| *number));
            }
        }
    }

    #[test]
    fn numbers_that_are_too_large_or_have_no_end_are_none() {
        let taken = |mut bytes: &[u8]| take(&mut bytes);
        assert_eq!(taken(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some(u32::MAX));
        assert_eq!(taken(&[0xff, 0xff, 0xff, 0xff, 0x1f]), None);
        assert_eq!(taken(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), None);
        assert_eq!(taken(&[0x80]), None);
    }
}
