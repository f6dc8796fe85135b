//! Splits a list that has lists in it.

/// Splits at the commas that stand in no braces and no brackets.
pub fn at_commas(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_braces_and_brackets_do_not_split() {
        assert_eq!(at_commas("a,{b,c},[d,e],"), ["a", "{b,c}", "[d,e]", ""]);
        assert_eq!(at_commas("a},b"), ["a}", "b"]);
    }
}
