pub mod recipe;
mod macros;
pub enum Error { A }
