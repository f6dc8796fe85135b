pub fn tidy(name: &str) -> &str {
    name.trim_matches(' ')
}
