mod greet;
mod names;

fn main() {
    println!("{}", greet::greet("world"));
}
