//! The last commits: who, when, and what about.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::Git;
use super::objects::{self, Fault};
use crate::memory::with_less;

/// The most bytes of a commit's title, and of its author's name, that are shown.
const MAX_TITLE: usize = 1000;

/// The most commits that are looked at to find the last ones.
const MAX_KNOWN: usize = 20_000;

/// A commit as people refer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Commit {
    /// The shortest unambiguous hash.
    pub hash: String,
    /// The first line of its message.
    pub message: String,
    /// Who wrote it.
    pub author: String,
    /// When it was written, with the author's own offset: `2025-03-01T09:30:00+01:00`.
    pub date: String,
}

impl Git {
    /// Returns the last `count` commits of the current branch, the newest first; none before the
    /// first commit.
    ///
    /// # Errors
    ///
    /// Says in one line why the history cannot be read.
    pub fn recent_commits(&self, count: usize) -> Result<Vec<Commit>, String> {
        self.owns_its_objects()?;
        with_less(|| {
            self.objects.renew();
            let failed = |why: String| format!("cannot read the last commits from git: {why}");
            let Some(head) = self.head().map_err(failed)? else {
                return Ok(Vec::new());
            };
            let mut known = HashSet::from([head.id]);
            let mut waiting = BTreeMap::from([((head.time, Reverse(0)), head)]);
            let mut commits = Vec::new();
            while commits.len() < count
                && let Some((_, commit)) = waiting.pop_last()
            {
                for id in &commit.parents {
                    match self.objects.commit(*id) {
                        Ok(parent) if known.len() < MAX_KNOWN && known.insert(parent.id) => {
                            waiting.insert((parent.time, Reverse(known.len())), parent);
                        }
                        Ok(_) => {}
                        // Where a shallow clone ends.
                        Err(Fault::Missing) => {}
                        Err(fault) => return Err(failed(self.objects.why(&fault))),
                    }
                }
                commits.push(self.told(&commit));
            }
            Ok(commits)
        })
    }

    fn told(&self, commit: &objects::Commit) -> Commit {
        let (seconds, offset) = commit.written();
        Commit {
            hash: self.objects.short(commit.id),
            message: shown(commit.message().trim_ascii_start()),
            author: shown(commit.author()),
            date: iso(seconds, offset),
        }
    }
}

/// Returns the first paragraph of a text on one line, up to [`MAX_TITLE`] bytes.
fn shown(text: &[u8]) -> String {
    let beginning = &text[..text.len().min(MAX_TITLE)];
    let words = String::from_utf8_lossy(beginning);
    let lines = words.lines().take_while(|line| !line.trim().is_empty());
    let title: Vec<&str> = lines.map(str::trim).collect();
    let mut title = title.join(" ");
    if beginning.len() < text.len() && !words.contains("\n\n") {
        // A character that was cut in two is not shown.
        title.truncate(title.trim_end_matches('\u{fffd}').len());
        title.push('…');
    }
    title
}

/// Formats a moment in ISO 8601, in its local time.
fn iso(seconds: i64, offset: i32) -> String {
    const DAY: i64 = 24 * 60 * 60;
    // A hostile commit may claim any moment and any offset.
    let offset = i64::from(offset).clamp(-14 * 60, 14 * 60);
    let seconds = seconds.clamp(0, 253_402_214_400) + offset * 60;
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let sign = if offset < 0 { '-' } else { '+' };
    let (off_hour, off_minute) = (offset.abs() / 60, offset.abs() % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{off_hour:02}:{off_minute:02}"
    )
}

/// Formats a moment's day, in UTC.
pub(super) fn day(seconds: i64) -> String {
    let moment = iso(seconds, 0);
    moment.split('T').next().unwrap_or_default().to_owned()
}

/// Returns the date `days` after 1970-01-01, in the Gregorian calendar.
///
/// Years are counted from March, so that the leap day is the last one; every 400 of them have the
/// same number of days.
fn civil(days: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / (ERA - 1);
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Five months from March or August on have 153 days.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_paragraph_and_not_without_end() {
        assert_eq!(shown(b"Add a\nflag\n\nBecause.\n"), "Add a flag");
        assert_eq!(shown(b"Add\r\n\r\nBecause"), "Add");
        assert_eq!(shown(b""), "");
        let long = "\u{e9}".repeat(600);
        assert_eq!(shown(long.as_bytes()), format!("{}…", "\u{e9}".repeat(500)));
        assert_eq!(
            shown(format!("x{long}").as_bytes()),
            format!("x{}…", "\u{e9}".repeat(499))
        );
    }

    #[test]
    fn a_moment_is_told_as_the_clock_there_shows_it() {
        let told = |seconds, offset| iso(seconds, offset);
        assert_eq!(told(0, 0), "1970-01-01T00:00:00+00:00");
        assert_eq!(told(951_782_400, 0), "2000-02-29T00:00:00+00:00");
        assert_eq!(told(1_700_000_000, 330), "2023-11-15T03:43:20+05:30");
        assert_eq!(told(1_704_067_199, -480), "2023-12-31T15:59:59-08:00");
        assert_eq!(told(i64::MAX, 100_000).len(), 25);
        assert_eq!(told(i64::MIN, -100_000), "1969-12-31T10:00:00-14:00");
    }
}
