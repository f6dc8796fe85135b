use crate::common::setup;
use super::common;
use brew::args::Args;
