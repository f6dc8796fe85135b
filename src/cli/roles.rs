//! `packer roles`.

use std::path::PathBuf;

use clap::Subcommand;
use context_packer::show::{counted, visible};
use context_packer::{Diagnostic, Role, Severity};

use super::report::{Table, Terminal, diagnostics, print, print_json};
use super::request::load;
use super::{CheckFailed, Format, Global};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer roles list
  packer roles show implementer
  packer roles check .packer/roles/*.yaml";

#[derive(Debug, Subcommand)]
pub(super) enum RolesCommand {
    /// List every role that can be named
    List {
        /// Print a table or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Print a role as it is once everything that it extends is merged
    Show {
        /// A role's name, or the path of a role file
        role: String,
        /// Print YAML or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Check role files, or every role that can be named; exit code 1 on errors
    Check {
        /// Role files
        files: Vec<PathBuf>,
        /// Print lines or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
}

pub(super) fn run(
    global: &Global,
    command: &RolesCommand,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    match command {
        RolesCommand::List { format } => list(global, *format),
        RolesCommand::Show { role, format } => show(global, role, *format, terminal),
        RolesCommand::Check { files, format } => check(global, files, *format),
    }
}

fn list(global: &Global, format: Format) -> anyhow::Result<()> {
    let listed = global.roles()?.list();
    if format == Format::Json {
        return print_json(&listed);
    }
    let mut table = Table::new(&["role", "from", "description"]);
    for role in listed {
        let description = match &role.error {
            Some(error) => format!("cannot be loaded: {error}"),
            None => role.description,
        };
        table.row([role.name, role.source, visible(&description).into_owned()]);
    }
    print(&table.print("<<<"))
}

fn show(global: &Global, role: &str, format: Format, terminal: &Terminal) -> anyhow::Result<()> {
    let role = load(&global.roles()?, role)?;
    let warnings: Vec<String> = role.warnings.iter().map(Diagnostic::sentence).collect();
    for warning in warnings {
        terminal.remark(&format!("warning: {warning}"));
    }
    match format {
        Format::Json => print_json(&role),
        Format::Text => {
            // What is printed is a role file again: everything is merged already.
            let mut data = serde_json::to_value(&role)?;
            if let Some(fields) = data.as_object_mut() {
                fields.shift_remove("base_role");
                fields.shift_remove("extends");
            }
            let yaml = serde_yaml::to_string(&data)?;
            print(&format!("# {}\n{yaml}", role.source))
        }
    }
}

fn check(global: &Global, files: &[PathBuf], format: Format) -> anyhow::Result<()> {
    let roles = global.roles()?;
    let packer = global.packer()?;
    let loaded: Vec<Result<Role, context_packer::Error>> = if files.is_empty() {
        let listed = roles.list();
        listed
            .iter()
            .map(|listed| roles.load(&listed.name))
            .collect()
    } else {
        files.iter().map(|file| roles.load_file(file)).collect()
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    let checked = loaded.len();
    for role in loaded {
        match role {
            Ok(role) => {
                found.extend(role.warnings.iter().cloned());
                found.extend(packer.check_role(&role));
            }
            Err(error) => found.extend_from_slice(error.diagnostics()),
        }
    }
    conclude(&found, checked, "role", format)
}

/// Prints what a check found and fails if there are errors among it.
pub(super) fn conclude(
    found: &[Diagnostic],
    checked: usize,
    what: &str,
    format: Format,
) -> anyhow::Result<()> {
    let errors = found
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    let warnings = found.len() - errors;
    match format {
        Format::Json => print_json(&found)?,
        Format::Text => {
            let lines = diagnostics(found);
            print(&format!(
                "{lines}{} checked: {}, {}\n",
                counted(checked, what),
                counted(errors, "error"),
                counted(warnings, "warning")
            ))?;
        }
    }
    if errors > 0 {
        return Err(CheckFailed.into());
    }
    Ok(())
}
