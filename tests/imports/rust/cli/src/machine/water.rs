use std::{collections::HashMap, io::{self, Read}};
use brew_core as core_crate;
pub struct Tank;
