pub(crate) mod parts;
pub mod water;
#[cfg_attr(unix, path = "sys/unix.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
mod inline {
    use super::parts::Boiler;
    pub mod deep;
    use super::super::args::Args;
}
pub struct Machine;
use parts::Boiler;
use self::water::Tank;
use grinder::Grinder;
extern crate patched;
