use brew::machine;
mod shared;
