mod util;
use util::x;
use brew_core::{recipe::steps::Step, Error};
#[path = "../src/hidden.rs"]
mod borrowed;
