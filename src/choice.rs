//! Enums that are one of a few named values.

/// Declares an enum whose values have names and descriptions. Options, schemas, the table of a
/// role's fields and the page all take them from here. The first value is the default, unless
/// another is named.
macro_rules! choices {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[doc = $text:literal])+ $value:ident = $word:literal,)+
        }
        $(default $default:ident)?
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::ValueEnum))]
        #[non_exhaustive]
        $(#[$about])*
        pub enum $name {
            $(
                $(#[doc = $text])+
                #[serde(rename = $word)]
                #[cfg_attr(feature = "cli", value(name = $word))]
                $value,
            )+
        }

        impl $name {
            /// Its values.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The names of its values.
            pub const NAMES: &'static [&'static str] = &[$($word),+];

            /// The name of each value, and what it means.
            pub const CHOICES: &'static [(&'static str, &'static str)] =
                &[$(($word, concat!($($text),+).trim_ascii())),+];

            /// Returns its name.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }

        impl Default for $name {
            fn default() -> Self {
                [$(Self::$default,)? Self::ALL[0]][0]
            }
        }
    };
}

pub(crate) use choices;

/// Reads a value by its name. Help lists the names without descriptions, on one line.
#[cfg(feature = "cli")]
pub(crate) fn by_name<T>() -> impl clap::builder::TypedValueParser<Value = T>
where
    T: clap::ValueEnum + Send + Sync + 'static,
{
    use clap::builder::{PossibleValuesParser, TypedValueParser as _};
    let values = T::value_variants().iter().filter_map(T::to_possible_value);
    let names = values.map(|value| value.help(None::<&'static str>));
    PossibleValuesParser::new(names).try_map(|name| T::from_str(&name, false))
}
