fn main() { brew::machine::water::fill() }
