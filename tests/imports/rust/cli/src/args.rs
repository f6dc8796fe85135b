use crate::{machine::{self, Machine}, Config};
use serde::Deserialize;
use super::machine::parts::Boiler;
const TEXT: &str = "use crate::hidden::Thing;";
const RAW: &str = r#"mod hidden; " use super::hidden::X;"#;
/* use crate::hidden::Thing; /* nested */ mod hidden; */
fn f<'a>(x: &'a str) -> char { '"' }
fn g() -> crate::machine::water::Tank { crate::machine::water::fill() }
