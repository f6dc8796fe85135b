//! Wrong usage that clap cannot see: exit code 2, with the usage of the command.

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::Cli;

/// Something is missing.
pub(super) fn missing(command: &str, what: &str) -> anyhow::Error {
    wrong(command, &format!("the command needs {what}"))
}

/// Something is wrong.
pub(super) fn wrong(command: &str, message: &str) -> anyhow::Error {
    let mut cli = Cli::command();
    cli.build();
    let error = match cli.find_subcommand_mut(command) {
        Some(command) => command.error(ErrorKind::ValueValidation, message),
        None => cli.error(ErrorKind::ValueValidation, message),
    };
    error.into()
}
