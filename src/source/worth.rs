//! What the parts of a section are worth to the task, so that the budget can choose among them: by
//! the ranking if it looked at a file, otherwise by the words of the task.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memchr_iter;

use super::Gathering;
use super::around::{around_change, set_back_what_is_far, set_back_what_is_in_diff};
use super::audience::{
    is_for_others, is_for_people, is_of_way_in, lists_headings, names_commands,
    only_brings_a_change, only_welcomes, speaks_of_checks, speaks_of_licences,
};
use super::document::{Cut, by_headings};
use super::related::{self, beginning};
use crate::index::quoted::{has_commands, quotes_commands};
use crate::rank::{TextPart, Words, by_length};
use crate::repo::RepoPath;
use crate::section::{Body, Key, Piece, Section, Valued};
use crate::split;
use crate::syntax::{cut, is_program, language};

/// The most text of a section that is cut, and the most parts that are made of it.
const MAX_TEXT: usize = 512 * 1024;
const MAX_PARTS: usize = 5_000;

/// The characters of the remarks that stand in place of a licence, and some more.
const REMARKS: usize = 100;

/// A larger document is cut into paragraphs: the blocks of a hostile one take sixty times the
/// memory of its text.
const MAX_MARKDOWN: usize = 64 * 1024;

/// The most text of a section that is parsed for outlines.
const MAX_OUTLINED: usize = 128 * 1024;

/// The least that unranked files are worth beside ranked ones.
const LEAST_UNRANKED: f64 = 0.1;

/// What the beginning of a convention file is worth, where 1 is the worth of what matches the task
/// best: it says what the project is and what applies to all of it.
const OF_BEGINNING: f64 = 0.5;

/// On the same scale, what it is worth to know how to build, test and check, which everyone who
/// changes code does…
const OF_COMMANDS: f64 = 0.4;

/// …and what the commands themselves are worth that check a change.
const OF_CHECKS: f64 = 0.8;

/// What the beginning of a contributor guide is worth that only thanks and attracts people.
const OF_WELCOME: f64 = 0.1;

/// What it is worth if such a document mentions tests and style below any other heading.
const OF_MENTION: f64 = 0.2;

/// A section of a file for agents on how a change is brought in is worth this share of what its
/// words are: it is the first to go where not all of the file has room.
const OF_WAY_IN: f64 = 0.1;

/// Values the parts of a section's files, where anything chooses among them.
pub(super) fn value(all: &Gathering<'_>, section: &mut Section) {
    let of_files = matches!(
        section.key,
        Key::TargetFile | Key::ChangedFiles | Key::Files | Key::Conventions
    );
    if !of_files && !matches!(section.key, Key::Imports | Key::Related) {
        return;
    }
    if let (Some(index), Some(ranking)) = (&all.index, &all.ranking)
        && section.key != Key::Conventions
    {
        related::value(index, ranking, section);
        keep_licences(all, section);
    }
    if of_files {
        let targets = all.targets.paths();
        let targets = targets.iter().map(RepoPath::as_str);
        let words = Words::of(beginning(all.ask.task), targets);
        by_words(&words, section);
        let asked = section
            .pieces
            .iter_mut()
            .filter(|piece| !piece.asked.is_empty());
        asked.for_each(set_apart);
        if section.key == Key::ChangedFiles {
            let change = all.ask.change.found(all.ask.repo);
            let lines = change.lines();
            around_change(&lines, section, |path| still(all, path));
            if diff_comes_first(all) {
                set_back_what_is_far(&lines, section);
                set_back_what_is_in_diff(&change, section);
            }
        }
        // What was asked for is there as far as there is room, but for what a document for
        // people says to others.
        let is_for_people = |piece: &Piece| piece.path.as_deref().is_some_and(is_for_people);
        let are_conventions = section.key == Key::Conventions;
        section.fill = !are_conventions || !section.pieces.iter().any(is_for_people);
        section.is_for_people = are_conventions && section.pieces.iter().all(is_for_people);
    }
}

/// Returns the lines of a changed source file that do not run.
fn still(all: &Gathering<'_>, path: &str) -> Vec<Range<usize>> {
    let (Some(index), Some(ranking)) = (&all.index, &all.ranking) else {
        return Vec::new();
    };
    let at = index.corpus().place(path);
    at.map_or(Vec::new(), |at| ranking.still(at))
}

/// Whether the prompt has a diff of what changed, which is placed before these files.
fn diff_comes_first(all: &Gathering<'_>) -> bool {
    let order = all.ask.role.priority();
    let mut order = order.iter().chain(Key::DEFAULT_ORDER);
    all.patterns.ask_for(&Key::GitDiff, all.ask)
        && all.ask.brought(&Key::GitDiff).is_none()
        && order.find(|key| matches!(key, Key::GitDiff | Key::ChangedFiles)) == Some(&Key::GitDiff)
}

/// Makes what files say of their licence count like anything else if it is asked for. In a changed
/// file it also counts if no diff shows that it is what changed, or if it is no longer than the
/// remarks that would replace it.
fn keep_licences(all: &Gathering<'_>, section: &mut Section) {
    let is_changed = section.key == Key::ChangedFiles;
    let is_kept = speaks_of_licences(all.ask.task) || is_changed && !diff_comes_first(all);
    for piece in &mut section.pieces {
        let lines = piece.body.text().lines().take(piece.licence.end);
        let told = lines.skip(piece.licence.start).map(str::len);
        if is_kept || is_changed && told.sum::<usize>() <= REMARKS {
            piece.licence = 0..0;
        }
    }
}

/// Values the files that have no parts yet.
fn by_words(words: &Words, section: &mut Section) {
    let is_unknown = |piece: &Piece| {
        piece.parts.is_empty() && matches!(&piece.body, Body::Source(text) if !text.is_empty())
    };
    let known: f64 = worth(&section.pieces);
    let share_of_one = 1.0 / u32::try_from(section.pieces.len()).map_or(f64::MAX, f64::from);
    let first = section.pieces.first().map(|piece| piece.is_named);
    let are_some_named = section.pieces.iter().any(|it| Some(it.is_named) != first);
    let mut unknown: Vec<&mut Piece> = section.pieces.iter_mut().collect();
    let are_compared = unknown.len() > 1 || unknown.iter().any(|piece| !piece.asked.is_empty());
    unknown.retain(|piece| is_unknown(piece));
    if section.key == Key::TargetFile {
        // All targets are worth the same, whoever looked at them.
        for piece in unknown {
            share(
                words,
                &mut [piece],
                &section.key,
                share_of_one,
                are_compared,
            );
        }
    } else {
        let rest = (1.0 - known).max(LEAST_UNRANKED);
        let always = known > 0.0 || section.key == Key::ChangedFiles || are_some_named;
        share(words, &mut unknown, &section.key, rest, always);
    }
}

/// Makes each range that was asked for a part of its own. A part that is divided like this shares
/// its worth among its pieces, by their lines.
#[expect(clippy::cast_precision_loss, reason = "lines of a file")]
fn set_apart(piece: &mut Piece) {
    let Some(end) = piece.parts.last().map(|part| part.lines.end) else {
        return;
    };
    let old = std::mem::take(&mut piece.parts);
    let edges = piece
        .asked
        .iter()
        .flat_map(|asked| [asked.start, asked.end]);
    let mut cuts: Vec<usize> = edges.chain([end]).collect();
    cuts.extend(old.iter().map(|part| part.lines.start));
    cuts.sort_unstable();
    cuts.dedup();
    let is_inside = |line: &usize| {
        let mut asked = piece.asked.iter();
        asked.any(|asked| asked.start < *line && *line < asked.end)
    };
    cuts.retain(|line| !is_inside(line));
    let parts = cuts.windows(2).map(|cut| {
        let lines = cut[0]..cut[1];
        let first = old.partition_point(|part| part.lines.end <= lines.start);
        let over = old[first..].iter();
        let over = over.take_while(|part| part.lines.start < lines.end);
        let share = |part: &Valued| {
            let here = lines.end.min(part.lines.end) - lines.start.max(part.lines.start);
            part.value * here as f64 / part.lines.len() as f64
        };
        let owners = old[first].owners.iter().copied();
        Valued {
            owners: owners.filter(|line| *line < lines.start).collect(),
            value: over.map(share).sum(),
            lines,
            signature: 0.0,
        }
    });
    piece.parts = parts.collect();
}

fn worth(pieces: &[Piece]) -> f64 {
    let parts = pieces.iter().flat_map(|piece| &piece.parts);
    parts.map(|part| part.value).sum()
}

/// Cuts these files into parts that are worth `all` together. Files that do not mention the task
/// are left as they are, to be packed in their order, unless they must `always` be compared with
/// others.
fn share(words: &Words, pieces: &mut [&mut Piece], key: &Key, all: f64, always: bool) {
    let mut cutter = Cutter {
        bytes: MAX_TEXT,
        parts: MAX_PARTS,
    };
    let cut: Vec<Vec<Cut>> = pieces.iter().map(|piece| cutter.cut(piece)).collect();
    let mut parts = Vec::new();
    let mut shares = Vec::new();
    for (piece, cut) in pieces.iter().zip(&cut) {
        let path = piece.path.as_deref().unwrap_or_default();
        let text = piece.body.text();
        let mut rest = text;
        let is_convention = *key == Key::Conventions;
        let for_others = |part: &Cut| is_convention && is_for_others(words, path, &part.titles);
        let is_all_for_others = cut.iter().all(for_others);
        for (number, part) in cut.iter().enumerate() {
            let (own, behind) = rest.split_at(length_of(rest, part.lines.len()));
            rest = behind;
            let is_welcome = || {
                let is_first = is_convention && number == 0 && cut.len() > 1;
                is_first && only_welcomes(path, own) && !quotes_commands(own)
            };
            let says_nothing = || {
                let is_read = is_convention && part.is_read && cut.len() > 1;
                let only = || only_brings_a_change(words, path, own) || lists_headings(own);
                is_read && only() && !quotes_commands(own)
            };
            let is_for_others = piece.is_for_commands && !is_of_commands(part, own)
                || !is_all_for_others && (for_others(part) || is_welcome() || says_nothing());
            let is_late = || is_convention && number > 0 && is_late(words, path, part, own);
            shares.push(if is_for_others {
                0.0
            } else if is_late() {
                OF_WAY_IN
            } else {
                1.0
            });
            parts.push(TextPart {
                titles: if is_for_others {
                    String::new()
                } else {
                    format!("{path} {}", part.titles)
                },
                text: if part.is_read && !is_for_others {
                    own
                } else {
                    ""
                },
                general: if is_convention {
                    general(path, number, part, own)
                } else {
                    0.0
                },
            });
        }
    }
    let worth = words.worth(&parts);
    // What is for others is not packed either where nothing speaks for anything else.
    let is_chosen = always || shares.contains(&0.0);
    let Some(worth) = worth.or_else(|| is_chosen.then(|| by_length(&parts))) else {
        return;
    };
    drop(parts);
    let mut worth = worth.into_iter().zip(shares).map(|(worth, of)| worth * of);
    for (piece, cut) in pieces.iter_mut().zip(cut) {
        let valued = cut.into_iter().zip(worth.by_ref());
        let valued = valued.map(|(part, worth)| Valued {
            lines: part.lines,
            owners: part.owners,
            value: worth * all,
            signature: 0.0,
        });
        piece.parts = valued.collect();
    }
    if *key != Key::TargetFile {
        without_outlines(pieces);
    }
}

/// Lets only the likeliest files have outlines: parsing a whole folder for them would be too much.
fn without_outlines(pieces: &mut [&mut Piece]) {
    let mut left = MAX_OUTLINED;
    let worth = |piece: &Piece| worth(std::slice::from_ref(piece));
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|a, b| worth(pieces[*b]).total_cmp(&worth(pieces[*a])));
    for at in order {
        let bytes = pieces[at].body.text().len();
        if bytes > left {
            pieces[at].outline = OnceLock::from(Box::default());
        }
        left = left.saturating_sub(bytes);
    }
}

/// Returns what a part of a convention file is worth to any task.
fn general(path: &str, number: usize, part: &Cut, text: &str) -> f64 {
    let beginning = match number {
        0 if is_for_people(path) => OF_WELCOME,
        0 => OF_BEGINNING,
        _ => 0.0,
    };
    let commands = if has_checks(part, text) {
        OF_CHECKS
    } else if names_commands(&part.titles) {
        OF_COMMANDS
    } else if number > 0 && part.is_read && is_for_people(path) && speaks_of_checks(text) {
        OF_MENTION
    } else {
        0.0
    };
    beginning + commands
}

/// Whether a part has commands that check a change.
fn has_checks(part: &Cut, text: &str) -> bool {
    let has = if part.is_shell {
        has_commands(&split::lines(text))
    } else {
        quotes_commands(text)
    };
    part.is_read && has
}

/// Whether a part has such commands, or its headings are about them.
fn is_of_commands(part: &Cut, text: &str) -> bool {
    has_checks(part, text) || names_commands(&part.titles)
}

/// Whether a part of a file for agents is only about how a change is brought in.
fn is_late(words: &Words, path: &str, part: &Cut, text: &str) -> bool {
    !has_checks(part, text) && is_of_way_in(words, path, &part.titles)
}

/// Returns how many bytes the first lines of a text have.
fn length_of(text: &str, lines: usize) -> usize {
    let Some(before) = lines.checked_sub(1) else {
        return 0;
    };
    let end = memchr_iter(b'\n', text.as_bytes()).nth(before);
    end.map_or(text.len(), |end| end + 1)
}

/// Cuts texts until there are too many of them.
struct Cutter {
    /// How many bytes may still be looked at, and how many parts may be made of them.
    bytes: usize,
    parts: usize,
}

impl Cutter {
    /// Returns the parts of a piece. What is too much is one part.
    fn cut(&mut self, piece: &Piece) -> Vec<Cut> {
        let text = piece.body.text();
        let language = language(piece.path.as_deref().unwrap_or_default());
        let rest = self.bytes.checked_sub(text.len());
        let cut = rest.map(|rest| {
            self.bytes = rest;
            match language {
                "markdown" if text.len() <= MAX_MARKDOWN => by_headings(text),
                _ => by_paragraphs(language, text),
            }
        });
        let cut = cut.filter(|cut| cut.len() <= self.parts);
        let cut = cut.unwrap_or_else(|| vec![Cut::whole(text)]);
        self.parts = self.parts.saturating_sub(cut.len());
        cut
    }
}

impl Cut {
    fn whole(text: &str) -> Cut {
        Cut {
            lines: 0..split::count_lines(text),
            titles: "".into(),
            owners: Vec::new(),
            is_read: false,
            is_shell: false,
        }
    }
}

fn by_paragraphs(language: &str, text: &str) -> Vec<Cut> {
    // Programs are not parsed: that takes longer than all else that is done here.
    let language = if is_program(language) { "" } else { language };
    let parts = cut(language, text).into_iter();
    let parts = parts.map(|part| Cut {
        lines: part.lines,
        titles: part.names.join("\n").into(),
        owners: part.owners.into_iter().flatten().collect(),
        is_read: true,
        is_shell: false,
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONVENTIONS: &str = "# Guide\n\nWhat this is.\n\n## Benchmarking\n\nMeasure a lot.\n\n\
        ## Changes\n\n### Adding a rule\n\nA rule needs a test.\n\n### Testing\n\n```sh\n# not a heading\n\
        make test\n```\n";

    fn valued(task: &str, text: &str) -> Vec<(usize, Vec<usize>, f64)> {
        let pieces = vec![Piece::file("AGENTS.md", Body::Source(text.into()))];
        let mut section = Section::new(Key::Conventions, pieces);
        by_words(&Words::of(task, []), &mut section);
        let parts = section.pieces.remove(0).parts.into_iter();
        parts
            .map(|part| (part.lines.start, part.owners, part.value))
            .collect()
    }

    #[test]
    fn a_document_is_cut_at_its_headings_and_each_part_knows_those_above_it() {
        let places: Vec<_> = valued("", CONVENTIONS)
            .into_iter()
            .map(|(start, owners, _)| (start, owners))
            .collect();
        let expected = [(0, vec![]), (4, vec![0]), (8, vec![0]), (14, vec![0, 8])];
        assert_eq!(places, expected);
    }

    #[test]
    fn front_matter_is_no_heading_and_goes_with_what_stands_below() {
        let text =
            "---\nalwaysApply: true\n---\n\n# Guide\n\nWhat this is.\n\n## Changes\n\nSay why.\n";
        let parts = valued("", text).into_iter();
        let places: Vec<_> = parts.map(|(start, owners, _)| (start, owners)).collect();
        assert_eq!(places, [(0, vec![]), (8, vec![4])]);
        let alone = valued("", "---\nglobs: src\n---\n\n- Always test.\n");
        assert_eq!(alone.len(), 1);
    }

    #[test]
    fn the_section_that_speaks_of_the_task_is_worth_most() {
        let worth = valued("Add a rule for commas", CONVENTIONS);
        let best = worth.iter().max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
        assert_eq!(best.0, 8);
    }

    #[test]
    fn the_beginning_and_the_commands_are_worth_something_to_any_task() {
        let worth = valued("Mend the parser", CONVENTIONS);
        assert!(
            worth[0].2 > 2.0 * worth[1].2 && worth[3].2 > 2.0 * worth[1].2,
            "{worth:?}"
        );
    }

    #[test]
    fn a_command_that_checks_comes_before_what_has_words_of_the_task() {
        let text = "# Guide\n\nWhat this is.\n\n## Parser\n\nThe parser is mended with care.\n\n\
            ## Gates\n\n| what | how |\n| --- | --- |\n| all | `make test` |\n\n## Other\n\nNothing.\n";
        let worth = valued("Mend the lexer, and no parser", text);
        let [_, parser, gates, other] = &worth[..] else {
            panic!("{worth:?}");
        };
        assert!(gates.2 > 2.0 * other.2, "{worth:?}");
        assert!(gates.2 > parser.2 / 2.0, "{worth:?}");
    }

    #[test]
    fn how_a_change_is_committed_is_the_first_to_go_of_what_agents_are_told() {
        let text = "# Release notes\n\nWhat this is.\n\n## Commit messages\n\nName the parser.\n\n\
            ## Names\n\nName the parser.\n\n## Push\n\nName it after `make test`.\n";
        let worth = valued("Mend the parser", text);
        let [_, commit, names, push] = &worth[..] else {
            panic!("{worth:?}");
        };
        assert!(commit.2 > 0.0 && 5.0 * commit.2 < names.2, "{worth:?}");
        assert!(push.2 > commit.2, "{worth:?}");
        let asked = valued("Mend the messages of the parser", text);
        assert!(asked[1].2 > asked[2].2, "{asked:?}");
    }

    #[test]
    fn what_thanks_people_or_asks_for_reports_comes_behind_what_guides_a_change() {
        let text = "# Contributing\n\nThank you, it is awesome that you care for the parser.\n\n\
            ## Reporting issues\n\nSay which parser, and mend nothing.\n\n## Style\n\nSay why.\n\n## Testing\n\nmake test\n";
        let pieces = vec![Piece::file("CONTRIBUTING.md", Body::Source(text.into()))];
        let mut section = Section::new(Key::Conventions, pieces);
        by_words(&Words::of("Say more", []), &mut section);
        let worth: Vec<f64> = section.pieces[0].parts.iter().map(|p| p.value).collect();
        let [welcome, reports, style, testing] = worth[..] else {
            panic!("{worth:?}");
        };
        assert!(
            reports == 0.0 && welcome == 0.0 && welcome < testing && reports < style,
            "{worth:?}"
        );
    }

    #[test]
    fn what_wins_people_and_speaks_of_tests_as_well_is_worth_something() {
        let worths = |text: &str| {
            let pieces = vec![Piece::file("CONTRIBUTING.md", Body::Source(text.into()))];
            let mut section = Section::new(Key::Conventions, pieces);
            by_words(&Words::of("Say more", []), &mut section);
            let parts = section.pieces[0].parts.iter();
            parts.map(|part| part.value > 0.0).collect::<Vec<_>>()
        };
        let below = "\n\n## Fork\n\nDo it.\n";
        for (beginning, is_worth) in [
            ("Thank you!", false),
            ("Thank you! Run the tests.", true),
            ("Thank you! Run `make check`.", true),
            ("It is awesome that you came.", false),
            ("This project has a [code of conduct](a).", false),
            ("This project has a code of conduct, and a style.", true),
            ("- [A](#a)\n- [B](#b)\n- [C](#c)", false),
            ("Fork it, and push a branch.", false),
            ("Fork it, and run `make check` on a branch.", true),
        ] {
            let text = format!("# Contributing\n\n{beginning}{below}");
            assert_eq!(worths(&text), [is_worth, false], "{beginning}");
        }
    }

    #[test]
    fn a_document_that_is_no_markdown_is_read_heading_by_heading() {
        let many = "Do it.\n".repeat(15);
        let text = format!(
            "Guide\n=====\n\nThank you.\n{many}\nPatches\n-------\n\nSend one.\n{many}\n\
            Running the tests\n~~~~~~~~~~~~~~~~~\n\n{many}\n::\n\n    $ pytest -x\n"
        );
        let pieces = vec![Piece::file("CONTRIBUTING.rst", Body::Source(text))];
        let mut section = Section::new(Key::Conventions, pieces);
        by_words(&Words::of("Say more", []), &mut section);
        let parts = section.pieces[0].parts.iter();
        let worth: Vec<bool> = parts.map(|part| part.value > 0.0).collect();
        assert_eq!(worth, [false, false, true]);
    }

    #[test]
    fn what_is_long_below_a_heading_is_cut_between_its_blocks() {
        let text = format!(
            "# Long\n\n{}",
            "A paragraph\nof three\nlines.\n\n".repeat(20)
        );
        let parts = valued("", &text);
        assert!(parts.len() > 3);
        assert!(
            parts[1..]
                .iter()
                .all(|(start, owners, _)| start % 4 == 2 && *owners == [0])
        );
    }

    #[test]
    fn files_that_were_not_ranked_share_what_the_others_leave() {
        let piece = |path: &str| Piece::file(path, Body::Source("the text\n".into()));
        let mut pieces = vec![piece("a.rst"), piece("b.rst")];
        pieces[0].parts = vec![Valued {
            lines: 0..1,
            owners: Vec::new(),
            value: 0.7,
            signature: 0.0,
        }];
        let mut section = Section::new(Key::Files, pieces);
        by_words(&Words::of("text", []), &mut section);
        assert!((worth(&section.pieces[1..]) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn what_was_asked_for_is_a_part_of_its_own() {
        let mut piece = Piece::file("a.rs", Body::Source("x\n".repeat(10)));
        let part = |lines: Range<usize>, owners: &[usize], value| Valued {
            lines,
            owners: owners.to_vec(),
            value,
            signature: 0.0,
        };
        piece.parts = vec![
            part(0..4, &[], 0.4),
            part(4..6, &[0], 0.2),
            part(6..10, &[0, 5], 0.8),
        ];
        piece.asked = [2..5, 5..8].into();
        set_apart(&mut piece);
        let told = piece.parts.iter();
        let told: Vec<_> = told.map(|p| (p.lines.clone(), p.owners.clone())).collect();
        let expected = [
            (0..2, vec![]),
            (2..5, vec![]),
            (5..8, vec![0]),
            (8..10, vec![0, 5]),
        ];
        assert_eq!(told, expected);
        let values: Vec<f64> = piece.parts.iter().map(|part| part.value).collect();
        let whole = [0.2, 0.3, 0.5, 0.4];
        assert!(
            values.iter().zip(whole).all(|(a, b)| (a - b).abs() < 1e-9),
            "{values:?}"
        );
    }
}
