//! Finds the name that somebody probably meant.

/// Picks the candidate that is closest to `name`, if one is close enough to be worth suggesting: at
/// most a third of the letters differ, where swapped neighbours count once.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.chars().count().max(3) / 3;
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns `did you mean …?`, if there is something to suggest.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// Returns `did you mean …?`, or a list of what exists if nothing is close.
pub fn help_among(name: &str, known: &[&str]) -> String {
    did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("known are {}", known.join(", ")))
}

/// Returns the whole number that a text probably means: `20_000`, `20,000`, `20 000`, `20k`.
pub fn number_in(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, times) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1000),
        None => (text, 1),
    };
    let is_between = |c: char| {
        matches!(
            c,
            '_' | ',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}'
        )
    };
    let groups: Vec<&str> = digits.split(is_between).collect();
    let is_group = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    // What stands behind the first sign is told in threes, or it may be a fraction.
    let has_threes = groups.len() == 1 || groups[1..].iter().all(|group| group.len() == 3);
    if !groups.iter().all(is_group) || !has_threes {
        return None;
    }
    groups.concat().parse::<u64>().ok()?.checked_mul(times)
}

/// Counts the edits between two names: insertions, deletions, substitutions and swaps of
/// neighbours, ignoring case. Names longer than [`LONGEST`] are never close to anything.
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
    fn a_number_is_read_as_people_write_it() {
        for text in [
            "20000", "20_000", "20,000", " 20 000", "20'000", "20.000", "20k",
        ] {
            assert_eq!(number_in(text), Some(20_000), "{text}");
        }
        for text in [
            "",
            "_",
            "2.5",
            "20_00",
            "20000x",
            "-3",
            "k",
            "99999999999999999999",
        ] {
            assert_eq!(number_in(text), None, "{text}");
        }
    }

    #[test]
    fn something_else_altogether_is_not() {
        assert_eq!(nearest("zebra", ["include", "exclude"]), None);
    }
}
