mod common;
mod pour;
