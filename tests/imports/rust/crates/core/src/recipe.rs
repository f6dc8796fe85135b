pub mod steps;
pub struct Recipe(steps::Step);
