//! Wrong usage that clap cannot see: exit code 2, with the usage of the command.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use context_packer::command::number_in;

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

/// Adds the number that was probably meant where a value is none.
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
