//! `packer roles`.

use std::path::PathBuf;

use clap::Subcommand;
use context_packer::command::{
    show::{self, visible},
    write_new,
};
use context_packer::diagnostics::Diagnostic;
use context_packer::roles::{draft_role, role_schema};
use context_packer::{Error, Role, Roles};

use super::finding::{FindingFormat, conclude};
use super::report::{Table, Terminal, print, print_json};
use super::request::load;
use super::{Format, Global, output};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer roles list
  packer roles show implementer
  packer roles check .packer/roles/*.yaml
  packer roles check --format sarif > roles.sarif
  packer roles new auditor --extends reviewer";

#[derive(Debug, Subcommand)]
pub(super) enum RolesCommand {
    /// List every role that can be named
    #[command(after_help = EXAMPLES)]
    List {
        /// Print a table or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Print a role after merging everything that it extends
    #[command(after_help = EXAMPLES)]
    Show {
        /// A role's name, or the path of a role file
        role: String,
        /// Print YAML or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Create a role to start from
    #[command(after_help = EXAMPLES)]
    New(NewArgs),
    /// Print the JSON Schema of role files, like `packer schema role`
    #[command(after_help = EXAMPLES)]
    Schema,
    /// Check role files, or every role that can be named; exits with 1 on errors
    #[command(after_help = EXAMPLES)]
    Check {
        /// Role files
        files: Vec<PathBuf>,
        /// Print text, JSON, or SARIF for editors and CI
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: FindingFormat,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct NewArgs {
    /// The name of the new role
    name: String,
    /// Build on this role; without it, the new role is complete in itself
    #[arg(long, value_name = "ROLE")]
    extends: Option<String>,
    /// The template that renders it
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Write to this file; `-` for standard output [default: in .packer/roles of the repository]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(
    global: &Global,
    command: &RolesCommand,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    match command {
        RolesCommand::List { format } => list(global, *format),
        RolesCommand::Show { role, format } => show(global, role, *format, terminal),
        RolesCommand::New(args) => new(global, args, terminal),
        RolesCommand::Schema => print_json(&role_schema()),
        RolesCommand::Check { files, format } => check(global, files, *format, terminal),
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
    for warning in role.warnings() {
        terminal.remark(&format!("warning: {}", warning.sentence()));
    }
    match format {
        Format::Json => print_json(&role),
        Format::Text => {
            let yaml = as_file(&role)?;
            print(&format!("# {}\n{yaml}", role.source()))
        }
    }
}

/// Returns the role as a file of its own, with everything merged into it.
pub(super) fn as_file(role: &Role) -> anyhow::Result<String> {
    let mut data = serde_json::to_value(role)?;
    if let Some(fields) = data.as_object_mut() {
        fields.shift_remove("base_role");
        fields.shift_remove("extends");
    }
    Ok(serde_yaml::to_string(&data)?)
}

fn check(
    global: &Global,
    files: &[PathBuf],
    format: FindingFormat,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let roles = global.roles()?;
    let packer = global.packer_for_check()?;
    let mut found: Vec<Diagnostic> = Vec::new();
    let (mut good, mut broken) = (Vec::new(), Vec::new());
    let mut take = |loaded: Result<Role, Error>, patterns: &dyn Fn() -> Option<Role>| match loaded {
        Ok(role) => good.push(role),
        Err(error) => {
            found.extend_from_slice(error.diagnostics());
            broken.extend(patterns());
        }
    };
    let all = roles.all();
    let names = all.names();
    for name in names.iter().filter(|_| files.is_empty()) {
        take(all.load(name), &|| all.patterns_of(name));
    }
    for file in files {
        take(roles.load_file(file), &|| roles.patterns_of_file(file));
    }
    let checked = if files.is_empty() {
        names.len()
    } else {
        files.len()
    };
    found.extend(packer.check_roles(&good));
    found.extend(packer.check_patterns(&broken));
    let checked = (checked, "role");
    conclude(found, checked, format, packer.root(), terminal)
}

fn new(global: &Global, args: &NewArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let name = &args.name;
    Roles::check_name(name)?;
    let roles = global.roles()?;
    let parent = args.extends.as_ref().map(|name| {
        // The name by which it is found, whatever its file says.
        roles.load(name).map(|parent| parent.with_name(name))
    });
    let parent = parent.transpose()?;
    if let Some(template) = &args.template {
        global.packer()?.templates().get(template)?;
    }
    let draft = |schema| draft_role(name, parent.as_ref(), args.template.as_deref(), schema);
    let (path, role) = match (&args.output, output::file(args.output.as_ref())) {
        (Some(_), None) => return print(&draft(None)),
        (_, Some(path)) => {
            write_new(path, &draft(None))?;
            let path = show::path(path);
            (path.clone(), path)
        }
        (None, None) => {
            let packer = global.packer()?;
            let has_schema = packer.root().join(".packer/role.schema.json").is_file();
            let schema = has_schema.then_some("../role.schema.json");
            (packer.write_new_role(name, &draft(schema))?, name.clone())
        }
    };
    terminal.summary(&format!(
        "wrote {path}; next:\n  packer roles check {path}\n  packer prompt --role {role} --task 'What to do'"
    ));
    Ok(())
}
