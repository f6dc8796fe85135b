use super::Boiler;
use crate::machine::water::Tank as Water;
