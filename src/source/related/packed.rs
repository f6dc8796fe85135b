//! The parts of a file as they are kept: most of what an entry of the cache holds is of
//! files that the next prompt is not about.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::signals::Seen;

/// The parts of a file, packed until somebody asks for them.
#[derive(Deserialize)]
#[serde(from = "Packed")]
pub(super) enum Parts {
    Packed(Packed),
    Seen(Vec<Seen>),
}

impl From<Packed> for Parts {
    fn from(packed: Packed) -> Parts {
        Parts::Packed(packed)
    }
}

impl Parts {
    /// The parts themselves, if all names in them have a number below `names`.
    pub(super) fn seen(self, names: usize) -> Option<Vec<Seen>> {
        let packed = match self {
            Parts::Seen(parts) => return Some(parts),
            Parts::Packed(packed) => packed,
        };
        let parts: Vec<Seen> = postcard::from_bytes(&packed.0).ok()?;
        let mut uses = parts.iter().flat_map(|seen| &seen.uses);
        let is_sound = uses.all(|(name, _)| (*name as usize) < names);
        is_sound.then_some(parts)
    }

    /// The same to be kept.
    pub(super) fn packed(&self) -> Option<Cow<'_, Packed>> {
        match self {
            Parts::Packed(packed) => Some(Cow::Borrowed(packed)),
            Parts::Seen(parts) => Packed::of(parts.iter()).map(Cow::Owned),
        }
    }
}

/// The bytes that parts are packed in.
#[derive(Clone)]
pub(super) struct Packed(Box<[u8]>);

impl Packed {
    pub(super) fn of<'a>(parts: impl Iterator<Item = &'a Seen>) -> Option<Packed> {
        let parts: Vec<&Seen> = parts.collect();
        Some(Packed(postcard::to_allocvec(&parts).ok()?.into()))
    }

    /// How many bytes.
    pub(super) fn len(&self) -> usize {
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
    use super::*;
    use crate::syntax::parts::{Part, Role};

    #[test]
    fn parts_come_back_unless_a_name_has_no_such_number() {
        let part = Part {
            lines: 2..7,
            role: Role::Function,
            names: vec!["a".into()],
            owners: vec![1],
        };
        let seen = Seen {
            part,
            uses: vec![(3, 2)],
        };
        let packed = Packed::of([&seen].into_iter()).unwrap();
        let parts = || Parts::Packed(packed.clone());
        let back = parts().seen(4).unwrap();
        assert_eq!((&back[0].part, &back[0].uses), (&seen.part, &vec![(3, 2)]));
        assert!(parts().seen(3).is_none());
    }
}
