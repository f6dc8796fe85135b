mod loops;
use crate::loops::forever;
