//! Where a convention file imports another: `@docs/style.md`.

use std::collections::HashMap;

/// What ends a sentence and not a path.
const PUNCTUATION: [char; 10] = ['.', ',', ';', ':', '!', '?', ')', ']', '"', '\''];

/// The most references that are followed from one file.
const MAX_REFERENCES: usize = 100;

/// Returns the paths after `@` at the beginning of a word, in order, each with its line, counted
/// from 1. Text in code is not a reference.
pub(super) fn references(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut paragraph = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let run = fence_of(line);
        let closes = run.is_some_and(|(sign, length, is_bare)| {
            fence.is_some_and(|(open, least)| sign == open && length >= least && is_bare)
        });
        match (fence, run) {
            (Some(_), _) if closes => fence = None,
            (Some(_), _) => {}
            (None, Some((sign, length, _))) => {
                fence = Some((sign, length));
                outside_code(&std::mem::take(&mut paragraph), &mut found);
            }
            (None, None) if line.trim().is_empty() => {
                outside_code(&std::mem::take(&mut paragraph), &mut found);
            }
            (None, None) => paragraph.push((number + 1, line)),
        }
    }
    outside_code(&paragraph, &mut found);
    found.truncate(MAX_REFERENCES);
    found
}

/// Returns the character of a line that begins or ends a code block, how often it is repeated, and
/// whether nothing follows.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start_matches([' ', '\t', '>', '-', '*']);
    let sign = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    // Backticks behind a run of them make it code within a line.
    (length >= 3 && !(sign == '`' && rest.contains('`')))
        .then(|| (sign, length, rest.trim().is_empty()))
}

/// Adds the references of a paragraph that are not between backticks.
fn outside_code<'a>(lines: &[(usize, &'a str)], found: &mut Vec<(usize, &'a str)>) {
    let runs: Vec<Vec<(usize, usize)>> = lines.iter().map(|(_, line)| ticks(line)).collect();
    // How many runs of each length are still to come.
    let mut ahead: HashMap<usize, usize> = HashMap::new();
    for (_, length) in runs.iter().flatten() {
        *ahead.entry(*length).or_default() += 1;
    }
    // The length of the run that ends the code in which we are.
    let mut open = None;
    for ((number, line), runs) in lines.iter().zip(&runs) {
        let mut from = 0;
        for (at, length) in runs {
            let left = ahead.entry(*length).or_default();
            *left = left.saturating_sub(1);
            if open.is_none() {
                words(&line[from..*at], *number, found);
                open = Some(*length).filter(|_| *left > 0);
            } else if open == Some(*length) {
                open = None;
            }
            from = at + length;
        }
        if open.is_none() {
            words(&line[from..], *number, found);
        }
    }
}

/// Returns where backticks are in a line, and how many in a row.
fn ticks(line: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == at => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

fn words<'a>(text: &'a str, line: usize, found: &mut Vec<(usize, &'a str)>) {
    let words = text.split_whitespace();
    let paths = words.filter_map(|word| {
        let word = word.trim_start_matches(['(', '"', '\'']);
        let path = word.strip_prefix('@')?;
        let path = path.split('#').next().unwrap_or(path);
        let path = path.trim_end_matches(PUNCTUATION);
        (!path.is_empty() && !path.starts_with('@')).then_some(path)
    });
    found.extend(paths.map(|path| (line, path)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stand_outside_of_code() {
        let text = "@a.md and (@docs/b.md), see @c.md#part.\n\
            mail me@x.org, `@d.md`, ``@e.md ` @f.md``, a lone ` before @g.md\n\n\
            ```sh\n@h.md\n~~~\n@i.md\n```\n- ~~~\n  @j.md\n  ~~~\n@k.md ```@l.md``` @../m.md\n\
            `code over\n@n.md lines` @o.md\n";
        let found: Vec<&str> = references(text).into_iter().map(|(_, path)| path).collect();
        let expected = [
            "a.md",
            "docs/b.md",
            "c.md",
            "g.md",
            "k.md",
            "../m.md",
            "o.md",
        ];
        assert_eq!(found, expected);
        assert_eq!(references("a\n\n@b"), [(3, "b")]);
        assert!(references("```\n@a\n").is_empty() && references("@ @@a @.").is_empty());
    }

    #[test]
    fn many_backticks_take_no_time() {
        let text = "` `` ".repeat(100_000);
        let started = std::time::Instant::now();
        references(&text);
        assert!(started.elapsed().as_secs() < 5);
    }
}
