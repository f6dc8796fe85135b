pub fn tidy(name: &str) -> &str {
    name.trim()
}
