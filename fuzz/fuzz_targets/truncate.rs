//! A file that is cut. The first line has the most lines, the lines around, and those
//! that are asked for.
#![no_main]

use context_packer::shorten::{LinesToKeep, truncate_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (first, text) = text.split_once('\n').unwrap_or(("2 1", text));
    let mut numbers = first.split(' ').filter_map(|word| word.parse().ok());
    let most: usize = numbers.next().unwrap_or(2);
    let context = numbers.next().unwrap_or(1);
    let asked: Vec<usize> = numbers.collect();
    let cut = truncate_file(text, LinesToKeep::at_most(most).around(&asked, context));

    let total = text.lines().count();
    if total <= most {
        assert_eq!(cut, text);
        return;
    }
    // With every line marked, those that stay can be told from remarks.
    let marked: String = (1..=total).map(|n| format!("<{n}>\n")).collect();
    let cut = truncate_file(&marked, LinesToKeep::at_most(most).around(&asked, context));
    let kept: Vec<&str> = cut.lines().filter(|line| line.starts_with('<')).collect();
    assert!(kept.len() <= most);
    let inside = asked.iter().filter(|line| (1..=total).contains(*line));
    let mut inside: Vec<usize> = inside.copied().collect();
    inside.sort_unstable();
    inside.dedup();
    for line in inside.iter().take(most) {
        assert!(kept.contains(&format!("<{line}>").as_str()));
    }
});
