mod seal;
use super::{water, Machine};
use Kind::*;
pub struct Boiler;
pub enum Kind { A }
