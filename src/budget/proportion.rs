//! Cuts texts in proportion to their size.

use crate::metadata::{Extent, Metadata};
use crate::tokens::Counter;

/// The budget of [`fit_to_budget`] unless the caller says otherwise, in tokens.
pub const DEFAULT_FIT_BUDGET: usize = 32_000;

/// The tokens that every section keeps where the budget allows, unless the caller
/// says otherwise.
pub const MIN_SECTION_TOKENS: usize = 100;

/// A cut falls on the end of a line if that costs at most the section's share divided by
/// this.
const NEAR: usize = 25;

/// If fewer whole lines of a text fit than this, its last line is kept beside the first
/// ones.
pub(crate) const SLIVER: usize = 3;

/// Texts that fit a budget together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fitted {
    /// The same keys in the same order, each with what fits of its text.
    pub sections: Vec<(String, String)>,
    /// What was cut.
    pub metadata: Metadata,
}

/// What is left of a text that was cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// How many whole lines at its beginning are kept.
    pub(crate) first_lines: usize,
    /// Whether its last line is there too.
    pub(crate) last_line: bool,
    /// Whether fewer than [`SLIVER`] lines are there.
    pub(crate) severe: bool,
    /// Whether there was room to say that it is cut.
    pub(crate) marked: bool,
}

/// How [`fit_to_budget`] shares a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitOptions {
    /// The tokens of all texts together.
    pub budget: usize,
    /// The tokens that every text keeps where the budget allows.
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

/// Makes texts fit a token budget together, each with a share in proportion to its
/// size.
///
/// Texts that fit come back unchanged. Otherwise each gets its share, but at least
/// `min_section_tokens` or all of it; if that is too much for all, larger ones come
/// first. What a text does not need goes to the others. The sum of the tokens, each
/// text counted alone, is at most `budget` and at least 95 % of it; a text that was
/// cut ends in `... [N more lines truncated]`, inside its share. Keys and their order
/// stay.
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
        |index, tokens| cut(texts[index], tokens, tokenizer),
    );
    let mut extents = Vec::new();
    for ((key, text), fitted) in sections.iter().zip(&fitted) {
        let original_lines = text.lines().count();
        let cut = fitted.as_ref().map(|(_, cut)| *cut);
        extents.push(Extent {
            section: key.clone(),
            original_lines,
            kept_lines: cut.map_or(original_lines, |c| c.first_lines + usize::from(c.last_line)),
            line_cut: cut.is_some(),
            severe: cut.is_some_and(|c| c.severe),
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

/// Cuts texts as [`fit_to_budget`] does, each in its own way: `cut` is given a text's
/// number and the tokens that it may have. `None` for a text that stays whole.
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

/// The share of each section, for sizes that are more than `budget` together.
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

/// `whole` × `part` ÷ `total`, rounded down.
pub(crate) fn in_proportion(whole: usize, part: usize, total: usize) -> usize {
    let share = whole as u128 * part as u128 / total.max(1) as u128;
    usize::try_from(share).unwrap_or(whole)
}

/// Cuts a text to at most `tokens`, its marker included.
pub(crate) fn cut(text: &str, tokens: usize, tokenizer: Counter) -> (String, Cut) {
    let room = tokenizer.room(tokens);
    let total = text.lines().count();
    let marker = |kept: usize| format!("... [{} more lines truncated]", total - kept);
    let mut for_text = room.saturating_sub(tokenizer.units(&marker(0)) + 1);
    while for_text > 0 {
        let (cut, kept) = beginning(text, for_text, tokenizer);
        let whole = if cut.is_empty() {
            marker(kept)
        } else {
            format!("{cut}\n{}", marker(kept))
        };
        let over = tokenizer.units(&whole).saturating_sub(room);
        if over == 0 {
            let first = Cut {
                first_lines: kept,
                last_line: false,
                severe: kept < SLIVER,
                marked: true,
            };
            let both = (kept < SLIVER)
                .then(|| with_last_line(text, room, tokenizer))
                .flatten();
            return both.unwrap_or((whole, first));
        }
        for_text = for_text.saturating_sub(over);
    }
    // No room for a marker beside any text.
    let text = tokenizer.cut(text, room);
    let kept = text.matches('\n').count();
    let bare = Cut {
        first_lines: kept,
        last_line: false,
        severe: kept < SLIVER,
        marked: false,
    };
    (text.to_owned(), bare)
}

/// What fits of the beginning, and how many whole lines that is. It ends at a line
/// end if one is near.
fn beginning(text: &str, units: usize, tokenizer: Counter) -> (&str, usize) {
    let cut = tokenizer.cut(text, units);
    let lines = cut.rfind('\n').map_or("", |end| &cut[..end]);
    let lost = tokenizer.units(cut).saturating_sub(tokenizer.units(lines));
    let shown = if lost * NEAR <= units { lines } else { cut };
    (shown, cut.matches('\n').count())
}

/// The beginning and the last line with a marker between, if that fits.
fn with_last_line(text: &str, room: usize, tokenizer: Counter) -> Option<(String, Cut)> {
    let total = text.lines().count();
    let last = text.lines().next_back().filter(|_| total > 2)?;
    let marker = |kept: usize| format!("... [{} more lines truncated]", total - kept - 1);
    let fixed = tokenizer.units(&format!("\n{}\n{last}", marker(0)));
    let mut for_text = room.checked_sub(fixed).filter(|left| *left * 2 >= room)?;
    while for_text > 0 {
        let (cut, kept) = beginning(text, for_text, tokenizer);
        let whole = format!("{cut}\n{}\n{last}", marker(kept));
        let over = tokenizer.units(&whole).saturating_sub(room);
        if over == 0 {
            let cut = Cut {
                first_lines: kept,
                last_line: true,
                severe: kept + 1 < SLIVER,
                marked: true,
            };
            return (!whole.starts_with('\n')).then_some((whole, cut));
        }
        for_text = for_text.saturating_sub(over);
    }
    None
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
        let (text, left) = cut("1\n2\n3\n4\n5\n6\n", 2, Counter::Chars);
        assert_eq!(text, "1\n2\n3\n4\n");
        assert_eq!(
            (left.first_lines, left.severe, left.marked),
            (4, false, false)
        );
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

    proptest! {
        #[test]
        fn texts_fit_and_use_what_there_is(
            shape in prop::collection::vec((0usize..400, 1usize..90, "[a-z é🦀]{1,9}"), 0..9),
            budget in 0usize..4000,
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
