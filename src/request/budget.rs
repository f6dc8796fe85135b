//! The budget that a request asks for.

use std::fmt;
use std::str::FromStr;

use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::json::whole_of;
use crate::role::schema::MAX_BUDGET;

/// How large a prompt may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// This many tokens.
    Tokens(usize),
    /// An eighth of the context window of the model that is asked for.
    Auto,
}

impl Budget {
    /// Whether a prompt may have this budget.
    #[doc(hidden)]
    pub fn is_allowed(self) -> bool {
        match self {
            Budget::Tokens(tokens) => (1..=MAX_BUDGET as usize).contains(&tokens),
            Budget::Auto => true,
        }
    }
}

/// The word for [`Budget::Auto`].
const AUTO: &str = "auto";

impl From<usize> for Budget {
    fn from(tokens: usize) -> Budget {
        Budget::Tokens(tokens)
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        if text == AUTO {
            return Ok(Budget::Auto);
        }
        let tokens = text.parse().map(Budget::Tokens);
        tokens.map_err(|_| format!("it is neither a whole number nor `{AUTO}`"))
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Budget, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Budget;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number or `{AUTO}`")
            }

            fn visit_u64<E: serde::de::Error>(self, tokens: u64) -> Result<Budget, E> {
                let tokens = usize::try_from(tokens).map_err(E::custom)?;
                Ok(Budget::Tokens(tokens))
            }

            fn visit_i64<E: serde::de::Error>(self, tokens: i64) -> Result<Budget, E> {
                let wrong = |_| E::invalid_value(Unexpected::Signed(tokens), &self);
                usize::try_from(tokens).map(Budget::Tokens).map_err(wrong)
            }

            fn visit_f64<E: serde::de::Error>(self, tokens: f64) -> Result<Budget, E> {
                match whole_of(tokens) {
                    Some(tokens) => self.visit_u64(tokens),
                    None => Err(E::invalid_type(Unexpected::Float(tokens), &self)),
                }
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Budget, E> {
                if word == AUTO {
                    return Ok(Budget::Auto);
                }
                Err(E::invalid_type(Unexpected::Str(word), &self))
            }
        }
        value.deserialize_any(Read)
    }
}

#[cfg(feature = "cli")]
impl schemars::JsonSchema for Budget {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Budget".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MAX_BUDGET},
                {"enum": [AUTO]},
            ]
        })
    }
}
