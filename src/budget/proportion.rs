//! Cuts texts in proportion to their size.

use crate::metadata::{Extent, Metadata};
use crate::split;
use crate::tokens::Counter;
use crate::truncate::is_sliver;

/// The default budget of [`fit_to_budget`], in tokens.
pub const DEFAULT_FIT_BUDGET: usize = 32_000;

/// The default number of tokens that every section keeps if the budget allows it.
pub const MIN_SECTION_TOKENS: usize = 100;

/// A cut moves to the end of a line if that costs at most the section's share divided by this.
const NEAR: usize = 25;

/// Texts that fit a budget together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fitted {
    /// The same keys in the same order, each with what fits of its text.
    pub sections: Vec<(String, String)>,
    /// What was cut.
    pub metadata: Metadata,
}

/// A text to cut, of which some may already be gone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Original<'a> {
    /// What is there of it, from its beginning.
    pub(crate) text: &'a str,
    /// How many lines it had.
    pub(crate) lines: usize,
    /// How many characters it had.
    pub(crate) chars: usize,
    /// Its last line, which is shown beside the first ones if those are next to nothing.
    pub(crate) last: Option<&'a str>,
}

impl Original<'_> {
    fn of(text: &str) -> Original<'_> {
        Original {
            text,
            lines: split::count_lines(text),
            chars: text.chars().count(),
            last: text.lines().next_back(),
        }
    }
}

/// What is left of a text that was cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// How many bytes of its beginning are there.
    pub(crate) first_bytes: usize,
    /// How many whole lines these are.
    pub(crate) first_lines: usize,
    /// Whether its last line is there too.
    pub(crate) last_line: bool,
    /// How many of its characters are there.
    pub(crate) chars: usize,
    /// Whether there was room to say that it is cut.
    pub(crate) marked: bool,
}

impl Cut {
    /// Returns how many whole lines are there.
    pub(crate) fn lines(&self) -> usize {
        self.first_lines + usize::from(self.last_line)
    }
}

/// How [`fit_to_budget`] shares a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitOptions {
    /// The tokens of all texts together.
    pub budget: usize,
    /// The tokens that every text keeps if the budget allows it.
    pub min_section_tokens: usize,
    /// How tokens are counted.
    pub tokenizer: Counter,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions {
            budget: DEFAULT_FIT_BUDGET,
            min_section_tokens: MIN_SECTION_TOKENS,
            tokenizer: Counter::default(),
        }
    }
}

/// Fits texts into a token budget together, each with a share in proportion to its size.
///
/// If the texts fit, they come back unchanged. Otherwise each gets its share, but at least
/// `min_section_tokens` or all of it. If that is too much for all, larger texts come first. What
/// one text does not need goes to the others. The sum of the tokens, each text counted alone, is at
/// most `budget` and at least 95 % of it. A text that was cut ends in
/// `... [N more lines truncated]`, within its share. Keys and their order stay the same.
///
/// ```
/// use context_packer::shorten::{FitOptions, fit_to_budget};
///
/// let sections = vec![
///     ("log".to_owned(), "a line of a log\n".repeat(1000)),
///     ("note".to_owned(), "short".to_owned()),
/// ];
/// let options = FitOptions {
///     budget: 500,
///     ..FitOptions::default()
/// };
/// let fitted = fit_to_budget(&sections, &options);
/// assert_eq!(fitted.sections[1].1, "short");
/// assert!(fitted.sections[0].1.ends_with("more lines truncated]"));
/// assert_eq!(fitted.metadata.sections_affected, ["log"]);
/// ```
pub fn fit_to_budget(sections: &[(String, String)], options: &FitOptions) -> Fitted {
    let tokenizer = options.tokenizer;
    let texts: Vec<&str> = sections.iter().map(|(_, text)| text.as_str()).collect();
    let fitted = fit_with(
        &texts,
        options.budget,
        options.min_section_tokens,
        tokenizer,
        |index, tokens| cut(&Original::of(texts[index]), tokens, tokenizer),
    );
    let mut extents = Vec::new();
    for ((key, text), fitted) in sections.iter().zip(&fitted) {
        let original = Original::of(text);
        let cut = fitted.as_ref().map(|(_, cut)| *cut);
        extents.push(Extent {
            section: key.clone(),
            original_lines: original.lines,
            kept_lines: cut.map_or(original.lines, |cut| cut.lines()),
            line_cut: cut.is_some(),
            original_chars: original.chars,
            kept_chars: cut.map_or(original.chars, |cut| cut.chars),
            path: None,
        });
    }
    let whole = sections.iter().zip(fitted);
    let sections = whole.map(|((key, text), fitted)| {
        (
            key.clone(),
            fitted.map_or_else(|| text.clone(), |(text, _)| text),
        )
    });
    Fitted {
        sections: sections.collect(),
        metadata: Metadata::of(&extents),
    }
}

/// Cuts texts as [`fit_to_budget`] does, each in its own way: `cut` gets a text's number and the
/// tokens that it may have. `None` for a text that stays whole.
pub(crate) fn fit_with<C: Marked>(
    texts: &[&str],
    budget: usize,
    least: usize,
    tokenizer: Counter,
    cut: impl Fn(usize, usize) -> (String, C),
) -> Vec<Option<(String, C)>> {
    let sizes: Vec<usize> = texts.iter().map(|text| tokenizer.count(text)).collect();
    if sizes.iter().sum::<usize>() <= budget {
        return texts.iter().map(|_| None).collect();
    }
    let fit = |index: usize, share: usize| (sizes[index] > share).then(|| cut(index, share));
    let shares = shares(&sizes, budget, least);
    let mut fitted: Vec<Option<(String, C)>> = (0..texts.len())
        .map(|index| fit(index, shares[index]))
        .collect();
    let used = |index: usize, fitted: &Option<(String, C)>| match fitted {
        Some((text, _)) => tokenizer.count(text),
        None => sizes[index],
    };
    let total: usize = fitted
        .iter()
        .enumerate()
        .map(|(index, text)| used(index, text))
        .sum();
    // What cuts at line ends left over goes to the largest.
    let mut left = budget.saturating_sub(total);
    for index in largest_first(&sizes) {
        if left == 0 || fitted[index].is_none() {
            continue;
        }
        let before = used(index, &fitted[index]);
        let wider = fit(index, before + left);
        let after = used(index, &wider);
        if after > before && wider.as_ref().is_none_or(|(_, cut)| cut.is_marked()) {
            left -= (after - before).min(left);
            fitted[index] = wider;
        }
    }
    fitted
}

/// Whether a text that was cut says so.
pub(crate) trait Marked {
    fn is_marked(&self) -> bool;
}

impl Marked for Cut {
    fn is_marked(&self) -> bool {
        self.marked
    }
}

fn largest_first(sizes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(sizes[*index]));
    order
}

/// Returns the share of each section, for sizes that are more than `budget` together.
fn shares(sizes: &[usize], budget: usize, least: usize) -> Vec<usize> {
    let floors: Vec<usize> = sizes.iter().map(|size| (*size).min(least)).collect();
    let mut shares = vec![0; sizes.len()];
    let mut left = budget;
    if floors.iter().sum::<usize>() > budget {
        for index in largest_first(sizes) {
            shares[index] = floors[index].min(left);
            left -= shares[index];
        }
        return shares;
    }
    // Sections whose share would be below their floor get that; the others share
    // what is left, which may put more of them below theirs.
    let mut open: Vec<usize> = (0..sizes.len()).collect();
    loop {
        let total: usize = open.iter().map(|index| sizes[*index]).sum();
        let share = |index: usize| in_proportion(left, sizes[index], total);
        let (below, above): (Vec<usize>, Vec<usize>) = open
            .iter()
            .partition(|index| share(**index) < floors[**index]);
        if below.is_empty() {
            for index in &open {
                shares[*index] = share(*index);
            }
            return shares;
        }
        for index in below {
            shares[index] = floors[index];
            left -= floors[index];
        }
        open = above;
    }
}

/// Returns `whole` × `part` ÷ `total`, rounded down.
pub(crate) fn in_proportion(whole: usize, part: usize, total: usize) -> usize {
    let share = whole as u128 * part as u128 / total.max(1) as u128;
    usize::try_from(share).unwrap_or(whole)
}

/// Cuts a text to at most `tokens`, including its marker. A marker is there whole or not at all.
pub(crate) fn cut(original: &Original<'_>, tokens: usize, tokenizer: Counter) -> (String, Cut) {
    let room = tokenizer.room(tokens);
    let Some((text, first)) = with_marker(original, None, room, tokenizer) else {
        // No room for a marker beside any text.
        let text = tokenizer.cut(original.text, room);
        return (text.to_owned(), first(original, text, false));
    };
    let last = original.last.filter(|_| original.lines > 1);
    let with_last = last
        .filter(|_| is_sliver(first.chars, original.chars))
        .and_then(|last| with_marker(original, Some(last), room, tokenizer));
    with_last.unwrap_or((text, first))
}

/// Returns what is left if these are the first bytes of the text.
fn first(original: &Original<'_>, shown: &str, marked: bool) -> Cut {
    Cut {
        first_bytes: shown.len(),
        first_lines: whole_lines(original.text, shown.len(), marked),
        last_line: false,
        chars: shown.chars().count(),
        marked,
    }
}

/// Returns how many lines are whole in the first bytes of a text. Before a marker the last one gets
/// its line break back, so that an empty one counts too.
fn whole_lines(text: &str, bytes: usize, marked: bool) -> usize {
    let (shown, rest) = text.split_at(bytes);
    let ends = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
    let is_open = !shown.is_empty() && (marked || !shown.ends_with('\n'));
    shown.matches('\n').count() + usize::from(ends && is_open)
}

/// Returns the beginning with a marker below it, and below that the last line if it is given;
/// `None` if there is no room for some of each. The last line gets at most half of the room, unless
/// the first line is there as well.
fn with_marker(
    original: &Original<'_>,
    last: Option<&str>,
    room: usize,
    tokenizer: Counter,
) -> Option<(String, Cut)> {
    let below = last.map_or_else(String::new, |last| format!("\n{last}"));
    let shown_below = usize::from(last.is_some());
    let marker = |kept: usize| {
        let left = original.lines.saturating_sub(kept + shown_below);
        format!("... [{left} more lines truncated]{below}")
    };
    let mut for_text = room.checked_sub(tokenizer.units(&marker(0)) + 1)?;
    let first_line = original.text.lines().next().unwrap_or_default();
    let is_enough = for_text * 2 >= room || tokenizer.units(first_line) <= for_text;
    if last.is_some() && !is_enough {
        return None;
    }
    while for_text > 0 {
        let shown = beginning(original.text, for_text, tokenizer);
        let cut = first(original, shown, true);
        let marker = marker(cut.first_lines);
        let whole = match shown {
            "" if last.is_some() => return None,
            "" => marker,
            shown => format!("{shown}\n{marker}"),
        };
        let over = tokenizer.units(&whole).saturating_sub(room);
        if over == 0 {
            let cut = Cut {
                last_line: last.is_some(),
                chars: cut.chars + last.map_or(0, |last| last.chars().count()),
                ..cut
            };
            return Some((whole, cut));
        }
        for_text = for_text.saturating_sub(over);
    }
    None
}

/// Returns what fits of the beginning. It ends at a line end if one is near, preferably after a
/// line that is not empty.
fn beginning(text: &str, units: usize, tokenizer: Counter) -> &str {
    let cut = tokenizer.cut(text, units);
    let lines = cut.rfind('\n').map_or("", |end| &cut[..end]);
    let words = lines.trim_end_matches(['\n', '\r']);
    let all = tokenizer.units(cut);
    let is_near = |shown: &&str| all.saturating_sub(tokenizer.units(shown)) * NEAR <= units;
    let shown = [words, lines].into_iter().find(is_near);
    // A line break follows, before the marker.
    shown.unwrap_or_else(|| cut.strip_suffix('\n').unwrap_or(cut))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn options(budget: usize, min_section_tokens: usize, tokenizer: Counter) -> FitOptions {
        FitOptions {
            budget,
            min_section_tokens,
            tokenizer,
        }
    }

    fn sections(texts: &[&str]) -> Vec<(String, String)> {
        let named = texts.iter().enumerate();
        named
            .map(|(i, text)| (format!("s{i}"), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn a_section_under_its_share_gives_the_rest_to_the_others() {
        assert_eq!(shares(&[10, 1000, 3000], 410, 100), [10, 100, 300]);
        assert_eq!(shares(&[50, 5000, 5000], 1050, 100), [50, 500, 500]);
    }

    #[test]
    fn lines_are_counted_where_there_is_no_room_for_a_marker() {
        let text = "1\n2\n3\n4\n5\n6\n";
        let (text, left) = cut(&Original::of(text), 2, Counter::Chars);
        assert_eq!(text, "1\n2\n3\n4\n");
        assert_eq!((left.first_lines, left.chars, left.marked), (4, 8, false));
    }

    #[test]
    fn if_the_minimum_cannot_be_met_larger_sections_come_first() {
        assert_eq!(shares(&[60, 1000, 900], 220, 100), [20, 100, 100]);
        assert_eq!(shares(&[500, 1000], 100, 100), [0, 100]);
    }

    #[test]
    fn of_a_sliver_the_last_line_is_kept_too() {
        let text = format!("{}\nlast\n", "word ".repeat(200));
        let text = format!("{text}more\n{}\nend\n", "x".repeat(300));
        let fitted = fit_to_budget(&sections(&[&text]), &options(40, 10, Counter::Chars));
        let shown = &fitted.sections[0].1;
        assert!(shown.starts_with("word word"), "{shown}");
        assert!(
            shown.ends_with("... [4 more lines truncated]\nend"),
            "{shown}"
        );
        assert!(fitted.metadata.severe);
        assert_eq!(fitted.metadata.kept_lines, 1);
    }

    /// One line cut by a tenth is not a sliver; a few of many lines are, and the last one is among
    /// them.
    #[test]
    fn severe_is_less_than_a_tenth_of_the_text() {
        let fit = |text: &str, budget| {
            fit_to_budget(&sections(&[text]), &options(budget, 10, Counter::Chars))
        };
        let line = "x".repeat(20_000);
        assert!(!fit(&line, 4500).metadata.severe);
        assert!(fit(&line, 490).metadata.severe);
        let lines: Vec<String> = (1..=2000).map(|n| format!("line {n}\n")).collect();
        let fitted = fit(&lines.concat(), 20);
        let shown = &fitted.sections[0].1;
        assert!(shown.starts_with("line 1\nline 2\n"), "{shown}");
        assert!(
            shown.ends_with(" more lines truncated]\nline 2000"),
            "{shown}"
        );
        let kept = shown
            .lines()
            .filter(|line| line.starts_with("line "))
            .count();
        assert!(fitted.metadata.severe);
        assert!((kept - 1..=kept).contains(&fitted.metadata.kept_lines));
    }

    #[test]
    fn a_section_for_which_there_is_no_room_keeps_its_key() {
        let text = "line\n".repeat(100);
        let fitted = fit_to_budget(
            &sections(&[&text[..50], &text]),
            &options(100, 100, Counter::Chars),
        );
        assert_eq!(fitted.sections[0], ("s0".to_owned(), String::new()));
        assert_eq!(fitted.metadata.sections_affected, ["s0", "s1"]);
    }

    /// They take their share of the budget, and count as they are.
    #[test]
    fn empty_lines_are_lines_too() {
        for text in ["\n".repeat(5000), format!("a\n{}", "\r\n".repeat(3000))] {
            let fitted = fit_to_budget(&sections(&[&text]), &options(300, 100, Counter::Chars));
            let shown = &fitted.sections[0].1;
            assert!(
                (285..=300).contains(&Counter::Chars.count(shown)),
                "{shown}"
            );
            let (lines, mark) = shown.rsplit_once("\n... [").unwrap();
            let kept = fitted.metadata.kept_lines;
            assert_eq!(kept, lines.matches('\n').count() + 1);
            let left = split::count_lines(&text) - kept;
            assert_eq!(mark, format!("{left} more lines truncated]"));
        }
    }

    /// A line with its number, so that it can be found again.
    fn numbered(lines: usize, width: usize) -> String {
        let line = |n: usize| format!("{n}:{};\n", "é".repeat(n * 31 % width));
        (1..=lines).map(line).collect()
    }

    proptest! {
        /// The figures are those of the resulting text, counted in it.
        #[test]
        fn figures_are_those_of_the_text(
            lines in 1usize..400, width in 1usize..60, is_open in any::<bool>(), budget in 1usize..800,
        ) {
            let mut text = numbered(lines, width);
            if is_open {
                text.pop();
            }
            let fitted = fit_to_budget(&sections(&[&text]), &options(budget, 10, Counter::Chars));
            let shown = &fitted.sections[0].1;
            let all: std::collections::HashSet<&str> = text.lines().collect();
            let own = |line: &&str| !line.starts_with("... [") || !line.ends_with(" truncated]");
            let kept = shown.lines().filter(|line| all.contains(line)).count();
            prop_assert_eq!(fitted.metadata.kept_lines, kept, "{}", shown);
            let chars: usize = shown.lines().filter(own).map(|line| line.chars().count() + 1).sum();
            let percent = chars * 100 / text.chars().count();
            // What is near a tenth depends on line breaks.
            if !(7..=12).contains(&percent) {
                prop_assert_eq!(fitted.metadata.severe, percent < 10, "{} {}", percent, shown);
            }
            let marks = shown.lines().filter(|line| line.starts_with("... [")).count();
            prop_assert!(marks <= 1);
            if let Some(mark) = shown.lines().find(|line| line.starts_with("... [")) {
                let left = mark.trim_start_matches("... [").split(' ').next().unwrap();
                prop_assert_eq!(left.parse::<usize>().unwrap() + kept, lines);
            }
            if fitted.metadata.severe && budget >= 60 {
                prop_assert!(shown.ends_with(text.lines().next_back().unwrap()), "{}", shown);
            }
        }

        #[test]
        fn texts_fit_and_use_what_there_is(
            shape in prop::collection::vec((0usize..200, 0usize..40, "[a-z é🦀]{1,9}"), 0..6),
            budget in 0usize..2000,
            least in 0usize..300,
        ) {
            let texts: Vec<(String, String)> = shape.iter().enumerate().map(|(i, (lines, width, word))| {
                let line = word.repeat(*width);
                (format!("k{i}"), format!("{line}\n").repeat(*lines))
            }).collect();
            let all = crate::tokens::Tokenizer::ALL.iter();
            for tokenizer in all.filter_map(|one| one.counter().ok()) {
                let count = |list: &[(String, String)]| -> usize {
                    list.iter().map(|(_, text)| tokenizer.count(text)).sum()
                };
                let fitted = fit_to_budget(&texts, &options(budget, least, tokenizer));
                prop_assert!(count(&fitted.sections) <= budget);
                prop_assert!(texts.iter().map(|t| &t.0).eq(fitted.sections.iter().map(|t| &t.0)));
                let before = count(&texts);
                prop_assert_eq!(fitted.metadata.truncated, before > budget);
                if before <= budget {
                    prop_assert_eq!(&fitted.sections, &texts);
                } else if tokenizer == Counter::Chars {
                    prop_assert!(count(&fitted.sections) * 100 + 100 * texts.len() >= budget * 95,
                        "{} of {budget}", count(&fitted.sections));
                }
                prop_assert!(fitted.metadata.kept_lines <= fitted.metadata.original_lines);
            }
        }
    }
}
