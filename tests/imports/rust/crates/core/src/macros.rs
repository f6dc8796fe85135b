#[macro_export]
macro_rules! step { () => { $crate::recipe::steps::Step::new() } }
use log::info;
