//! Wrong usage, including what clap cannot see: exit code 2, one line and a line that helps, as for
//! every other error.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _};
use context_packer::command::number_in;

use super::Cli;

/// Makes the error for something that is missing.
pub(super) fn missing(command: &str, what: &str) -> anyhow::Error {
    wrong(command, &format!("the command needs {what}"))
}

/// Makes the error for something that is wrong.
pub(super) fn wrong(command: &str, message: &str) -> anyhow::Error {
    let mut cli = Cli::command();
    cli.build();
    let error = match cli.find_subcommand_mut(command) {
        Some(command) => command.error(ErrorKind::ValueValidation, message),
        None => cli.error(ErrorKind::ValueValidation, message),
    };
    error.into()
}

/// An option has a value that the library does not accept.
#[derive(Debug)]
pub(super) struct WrongValue(pub(super) context_packer::Error);

impl fmt::Display for WrongValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for WrongValue {}

/// Reads the arguments.
pub(super) fn parsed() -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    // A start takes 1.4 % more instructions with it.
    if std::env::args_os().any(|argument| begins_below_zero(&argument)) {
        command = with_negative_numbers(command);
    }
    let mut found = command.try_get_matches()?;
    Cli::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut Cli::command()))
}

fn begins_below_zero(argument: &OsStr) -> bool {
    matches!(argument.as_encoded_bytes(), [b'-', digit, ..] if digit.is_ascii_digit())
}

/// Lets all options of a command take numbers below 0, so that these are told as such and not as
/// unknown options.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let of_option = |option: clap::Arg| {
        let takes = option.get_long().is_some() && option.get_action().takes_values();
        option.allow_negative_numbers(takes)
    };
    command
        .mut_args(of_option)
        .mut_subcommands(with_negative_numbers)
}

/// Adds the number that was probably meant if a value is not one.
pub(super) fn suggest_number(error: &mut clap::Error) {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else {
        return;
    };
    let is_number = value.parse::<u64>().is_ok();
    let number = number_in(value).filter(|_| !is_number);
    if let (ErrorKind::ValueValidation, Some(number)) = (error.kind(), number) {
        error.insert(
            ContextKind::SuggestedValue,
            ContextValue::String(number.to_string()),
        );
    }
}

/// Returns what clap says about wrong usage, in one line, and what helps in another. clap writes
/// paragraphs: what is wrong, tips, how the command is used, and where to read more.
///
/// `None` where it shows the help of a command instead. For a wrong value it does not say in which
/// command: `called` is that command.
pub(super) fn told(error: &clap::Error, called: &str) -> Option<(String, String)> {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    let rendered = error.render().to_string();
    let mut paragraphs = rendered.split("\n\n").map(in_one_line);
    let wrong = plain(paragraphs.next()?.strip_prefix("error: ")?);
    let (mut tips, mut usage) = (Vec::new(), None);
    for paragraph in paragraphs {
        if let Some(tip) = paragraph.strip_prefix("tip: ") {
            tips.push(tip.to_owned());
        } else if let Some(how) = paragraph.strip_prefix("Usage: ") {
            usage = Some(how.to_owned());
        }
    }
    if tips.is_empty() {
        let called = usage.map_or_else(|| called.to_owned(), |usage| command(&usage));
        tips.push(format!("see `{called} --help`"));
    }
    Some((wrong, tips.join("; ")))
}

/// Says what is wrong with a number in words for people: those of the standard library are for whoever
/// writes the program.
fn plain(wrong: &str) -> String {
    const WORDS: [(&str, &str); 3] = [
        ("invalid digit found in string", "it is not a whole number"),
        ("cannot parse integer from empty string", "it is empty"),
        ("number too large to fit in target type", "it is too large"),
    ];
    if let Some(before) = below_zero(wrong) {
        return format!("{before}: it is below 0");
    }
    let said = WORDS.iter().find_map(|(theirs, ours)| {
        let before = wrong.strip_suffix(theirs)?;
        Some(format!("{before}{ours}"))
    });
    said.unwrap_or_else(|| wrong.to_owned())
}

/// Returns what stands before the reason if that is a number below 0, in whichever of these words.
fn below_zero(wrong: &str) -> Option<&str> {
    const WHYS: [&str; 4] = [
        "invalid digit",
        "number too small",
        "whole number",
        " is not in ",
    ];
    let digits = wrong.split('\'').nth(1)?.strip_prefix('-')?;
    let (before, why) = wrong.rsplit_once("': ")?;
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let is_below = is_number && digits.bytes().any(|b| b != b'0');
    let is_why = is_below && WHYS.iter().any(|words| why.contains(words));
    is_why.then(|| &wrong[..=before.len()])
}

/// Returns the command that these arguments call, with its names: `packer roles check`.
pub(super) fn called(arguments: impl IntoIterator<Item = OsString>) -> String {
    let mut cli = Cli::command();
    cli.build();
    let (mut names, mut command) = (vec![cli.get_name()], &cli);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if takes_next(command, &argument.to_string_lossy()) {
            arguments.next();
        } else if let Some(part) = command.find_subcommand(&argument) {
            names.push(part.get_name());
            command = part;
        }
    }
    names.join(" ")
}

/// Whether an argument is an option whose value is the next one.
fn takes_next(command: &clap::Command, argument: &str) -> bool {
    let is_it = |option: &&clap::Arg| match argument.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => {
            (argument.strip_prefix('-')).is_some_and(|short| short.chars().eq(option.get_short()))
        }
    };
    let option = command.get_arguments().find(is_it);
    option.is_some_and(|option| option.get_action().takes_values())
}

fn in_one_line(paragraph: &str) -> String {
    let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
    lines.join(" ").trim().to_owned()
}

/// Returns the names at the beginning of a usage line.
fn command(usage: &str) -> String {
    let is_part = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let mut words = usage.split(' ');
    // The program may be called by any name.
    let program = words.next();
    let names: Vec<&str> = program
        .into_iter()
        .chain(words.take_while(is_part))
        .collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command, value_parser};

    use super::*;

    fn told_of(arguments: &[&str]) -> (String, String) {
        let of = Arg::new("of").long("of").required(true);
        let number = Arg::new("number").long("number");
        let number = number.value_parser(value_parser!(u8).range(1..5));
        let style = Arg::new("style")
            .long("style")
            .value_parser(["wide", "narrow"]);
        let part = Command::new("part").args([of, number, style]);
        let command = Command::new("packer").subcommand(part);
        let tried = command.try_get_matches_from(["packer", "part"].iter().chain(arguments));
        told(&tried.unwrap_err(), "packer part").unwrap()
    }

    #[test]
    fn what_is_wrong_is_one_line_and_what_helps_another() {
        for (arguments, wrong, help) in [
            (
                &["--of", "a", "--styel", "wide"][..],
                "unexpected argument '--styel' found",
                "a similar argument exists: '--style'",
            ),
            (
                &[],
                "the following required arguments were not provided: --of <of>",
                "see `packer part --help`",
            ),
            (
                &["--of", "a", "--style", "wid"],
                "invalid value 'wid' for '--style <style>' [possible values: wide, narrow]",
                "a similar value exists: 'wide'",
            ),
            (
                &["--of", "a", "--number", "9"],
                "invalid value '9' for '--number <number>': 9 is not in 1..5",
                "see `packer part --help`",
            ),
            (
                &["--of", "a", "--number", "x"],
                "invalid value 'x' for '--number <number>': it is not a whole number",
                "see `packer part --help`",
            ),
        ] {
            assert_eq!(told_of(arguments), (wrong.to_owned(), help.to_owned()));
        }
    }

    #[test]
    fn a_command_may_have_any_name() {
        for usage in ["Packer-2 part --of <of>", "packer part --of <of>"] {
            assert_eq!(command(usage), usage.strip_suffix(" --of <of>").unwrap());
        }
    }

    #[test]
    fn the_command_is_found_among_its_options() {
        for (arguments, wanted) in [
            (
                &["-C", "prompt", "roles", "check", "--colour"][..],
                "packer roles check",
            ),
            (&["prompt", "--budget", "0"], "packer prompt"),
            (&["--nothing"], "packer"),
        ] {
            assert_eq!(called(arguments.iter().map(OsString::from)), wanted);
        }
    }
}
