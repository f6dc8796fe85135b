//! ```
//! use crate::hidden::Thing;
//! ```
pub mod args;
mod machine;
#[cfg(test)]
mod tests {
    use super::*;
    use super::args::Args;
}
pub use machine::{Machine, parts::{self, Boiler as B}};
pub use crate::args::Args;
pub struct Config;
