//! Finds parts of a file that are one thing in two forms, so that a change to one changes the
//! other.

use std::collections::HashMap;

use crate::syntax::parts::{Part, Role};

/// What a name has that its twin does not, in lower case: `load` and `load_async`.
const FORMS: [&str; 10] = [
    "_async",
    "async_",
    "async",
    "_sync",
    "sync_",
    "sync",
    "_mut",
    "set_",
    "get_",
    "_unchecked",
];

/// The most twins. More functions of one name are the cases of one thing, as in languages that
/// choose by the arguments: a change to one of them changes none of the others.
const MOST_TWINS: usize = 4;

/// Gives parts that are twins the score of the best of them.
pub fn together<'a>(parts: impl Iterator<Item = &'a Part> + Clone, scores: &mut [f64]) {
    let mut best: HashMap<(&[String], String), (f64, usize)> = HashMap::new();
    for (part, score) in parts.clone().zip(scores.iter()) {
        if let Some(form) = form(part) {
            let (best, count) = best.entry(form).or_insert((*score, 0));
            *best = best.max(*score);
            *count += 1;
        }
    }
    best.retain(|_, (_, count)| *count <= MOST_TWINS);
    for (part, score) in parts.zip(scores) {
        let best = form(part).and_then(|form| best.get(&form));
        *score = best.map_or(*score, |(best, _)| *best);
    }
}

/// Returns what twins have in common: what encloses them, and the name without what distinguishes
/// them.
fn form(part: &Part) -> Option<(&[String], String)> {
    let (name, outer) = part.names.split_last()?;
    if part.role != Role::Function {
        return None;
    }
    let small = name.to_lowercase();
    let rest = FORMS.iter().find_map(|form| {
        let rest = small
            .strip_prefix(form)
            .or_else(|| small.strip_suffix(form));
        rest.filter(|rest| !rest.is_empty())
    });
    Some((outer, rest.unwrap_or(&small).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(names: &[&str]) -> Part {
        Part {
            role: Role::Function,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Part::rest(0..1)
        }
    }

    #[test]
    fn twins_are_worth_what_the_better_one_is() {
        let parts = [
            function(&["A", "load"]),
            function(&["A", "load_async"]),
            function(&["B", "load"]),
            function(&["A", "get_name"]),
            function(&["A", "other"]),
            function(&["A", "set_name"]),
            function(&["A", "asyncLoad"]),
        ];
        let mut scores = [1.0, 3.0, 2.0, -1.0, 0.0, -2.0, 0.0];
        together(parts.iter(), &mut scores);
        assert_eq!(
            scores.map(f64::to_bits),
            [3.0, 3.0, 2.0, -1.0, 0.0, -1.0, 3.0].map(f64::to_bits)
        );
    }

    #[test]
    fn the_clauses_of_a_function_are_no_twins() {
        let parts = vec![function(&["A", "load"]); MOST_TWINS + 1];
        let mut scores = [0.0, 1.0, 2.0, 3.0, 4.0];
        together(parts.iter(), &mut scores);
        assert_eq!(
            scores.map(f64::to_bits),
            [0.0, 1.0, 2.0, 3.0, 4.0].map(f64::to_bits)
        );
        let mut scores = [0.0, 1.0, 2.0, 3.0];
        together(parts[1..].iter(), &mut scores);
        assert_eq!(scores.map(f64::to_bits), [3.0; 4].map(f64::to_bits));
    }

    #[test]
    fn only_whole_functions_are_twins() {
        let inside = Part {
            role: Role::Inside,
            ..function(&["A", "load"])
        };
        let parts = [function(&["A", "load"]), inside, Part::rest(0..1)];
        let mut scores = [1.0, 3.0, 2.0];
        together(parts.iter(), &mut scores);
        assert_eq!(scores.map(f64::to_bits), [1.0, 3.0, 2.0].map(f64::to_bits));
    }
}
