//! The name that somebody probably meant.

/// Picks the candidate that is closest to `name`, if one is close enough to be
/// worth suggesting: at most a third of the letters differ, swapped neighbours
/// counting once.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.chars().count().max(3) / 3;
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?`, if there is something to suggest.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// Edits between two names: insertions, deletions, substitutions and swaps of
/// neighbours, ignoring case. Names longer than [`LONGEST`] are never near to anything.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(str::to_lowercase);
    if a.chars().count().max(b.chars().count()) > LONGEST {
        return usize::MAX;
    }
    strsim::osa_distance(&a, &b)
}

/// Longer names are not worth a quadratic comparison.
const LONGEST: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_found() {
        let keys = ["include", "priority_order", "exclude"];
        assert_eq!(nearest("priorty_order", keys), Some("priority_order"));
        assert_eq!(nearest("inclued", keys), Some("include"));
    }

    #[test]
    fn something_else_altogether_is_not() {
        assert_eq!(nearest("zebra", ["include", "exclude"]), None);
    }
}
