//! `packer templates`.

use clap::Subcommand;
use context_packer::Diagnostic;

use super::report::{Table, Terminal, print, print_json};
use super::roles::conclude;
use super::{Format, Global};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer templates list
  packer templates show implement.j2
  packer templates check --prompts-dir my-prompts";

#[derive(Debug, Subcommand)]
pub(super) enum TemplatesCommand {
    /// List the templates that may be rendered
    List {
        /// Print a table or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Print a template's text
    Show {
        /// The template's name
        name: String,
    },
    /// Render every template with sample values for every role; exit code 1 on errors
    Check {
        /// Print lines or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
}

pub(super) fn run(
    global: &Global,
    command: &TemplatesCommand,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    match command {
        TemplatesCommand::List { format } => list(global, *format),
        TemplatesCommand::Show { name } => print(&global.templates()?.get(name)?.text),
        TemplatesCommand::Check { format } => check(global, *format, terminal),
    }
}

#[derive(serde::Serialize)]
struct Listed {
    name: String,
    source: String,
}

fn list(global: &Global, format: Format) -> anyhow::Result<()> {
    let templates = global.templates()?;
    let mut listed = Vec::new();
    for name in templates.names() {
        listed.push(Listed {
            name: name.to_owned(),
            source: templates.get(name)?.origin.clone(),
        });
    }
    if format == Format::Json {
        return print_json(&listed);
    }
    let mut table = Table::new(&["template", "from"]);
    for template in listed {
        table.row([template.name, template.source]);
    }
    print(&table.print("<<"))
}

fn check(global: &Global, format: Format, terminal: &Terminal) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let roles = global.roles()?;
    let mut loaded = Vec::new();
    for listed in roles.list() {
        match roles.load(&listed.name) {
            Ok(role) => loaded.push(role),
            Err(error) => terminal.remark(&format!("role `{}` passed over: {error}", listed.name)),
        }
    }
    let found: Vec<Diagnostic> = packer
        .check_templates(&loaded)
        .into_iter()
        .map(|(template, diagnostic)| match diagnostic.place {
            Some(_) => diagnostic,
            None => Diagnostic {
                message: format!("{template}: {}", diagnostic.message),
                ..diagnostic
            },
        })
        .collect();
    conclude(
        &found,
        packer.templates().names().count(),
        "template",
        format,
    )
}
