use brew::{args, Config};
use brew_core::recipe::Recipe;
mod ui;
use std::fs;
use args::Args as _;
fn main() { brew::run(); ui::show(); beans::nothing(); }
