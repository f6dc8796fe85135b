use crate::names::tidy;

pub fn greet(name: &str) -> String {
    format!("Hello, {}", tidy(name))
}
