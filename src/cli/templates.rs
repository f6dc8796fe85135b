//! `packer templates`.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use context_packer::Templates;
use context_packer::command::{
    show::{self, quoted, visible},
    write_new,
};
use context_packer::diagnostics::Diagnostic;

use super::finding::{FindingFormat, conclude};
use super::report::{Table, Terminal, print, print_json};
use super::{Format, Global, trust};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer templates list
  packer templates show implement.j2
  packer templates check --prompts-dir my-prompts
  packer templates eject implement.j2 --as fix.j2
  packer templates eject implement.j2 --to my-prompts";

#[derive(Debug, Subcommand)]
pub(super) enum TemplatesCommand {
    /// List the templates that may be rendered
    #[command(after_help = EXAMPLES)]
    List {
        /// Print a table or JSON
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Print a template's text
    #[command(after_help = EXAMPLES)]
    Show {
        /// The template's name
        name: String,
    },
    /// Copy a template to a file to start from
    #[command(after_help = EXAMPLES)]
    Eject {
        /// The template's name
        name: String,
        /// The folder to write to, created if missing [default: `.packer/templates` in the
        /// repository]
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
        /// The name of the copy [default: the same name]
        #[arg(long = "as", value_name = "NEWNAME")]
        new_name: Option<String>,
    },
    /// Check templates: look for unknown names, and render each with sample values for every role
    /// that uses it; exits with 1 on errors
    #[command(after_help = EXAMPLES)]
    Check {
        /// Templates [default: all that may be rendered]
        names: Vec<String>,
        /// Print text, JSON, or SARIF for editors and CI
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: FindingFormat,
    },
}

pub(super) fn run(
    global: &Global,
    command: &TemplatesCommand,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    match command {
        TemplatesCommand::List { format } => list(global, *format),
        TemplatesCommand::Show { name } => print(&global.packer()?.templates().get(name)?.text),
        TemplatesCommand::Eject { name, to, new_name } => {
            eject(global, name, to.as_deref(), new_name.as_deref(), terminal)
        }
        TemplatesCommand::Check { names, format } => check(global, names, *format, terminal),
    }
}

#[derive(serde::Serialize)]
struct ListedTemplate {
    name: String,
    source: String,
}

fn list(global: &Global, format: Format) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let templates = packer.templates();
    let withheld = templates.withheld().map(|withheld| &withheld.names);
    let withheld: Vec<&str> = withheld.into_iter().flatten().map(String::as_str).collect();
    let mut listed = Vec::new();
    for name in templates.names() {
        let source = match templates.get(name) {
            Ok(template) => template.origin.clone(),
            // It is listed below.
            Err(_) if withheld.contains(&name) => continue,
            Err(why) => format!("not rendered: {why}"),
        };
        listed.push(ListedTemplate {
            name: name.to_owned(),
            source,
        });
    }
    for name in withheld {
        listed.push(ListedTemplate {
            name: name.to_owned(),
            source: format!("{}, not trusted", trust::FOLDER),
        });
    }
    if format == Format::Json {
        return print_json(&listed);
    }
    let mut table = Table::new(&["template", "from"]);
    for template in listed {
        table.row([
            visible(&template.name).into(),
            visible(&template.source).into(),
        ]);
    }
    print(&table.print("<<"))
}

fn eject(
    global: &Global,
    name: &str,
    folder: Option<&Path>,
    new_name: Option<&str>,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let text = &packer.templates().get(name)?.text;
    let new_name = new_name.unwrap_or(name);
    let is_plain = Path::new(new_name).file_name() == Some(new_name.as_ref());
    anyhow::ensure!(
        is_plain && !new_name.contains(['/', '\\']),
        "`{}` is not a template's name: use a plain file name",
        quoted(new_name)
    );
    let shown = quoted(new_name);
    anyhow::ensure!(
        folder.is_some() || new_name.ends_with(".j2"),
        "`{shown}` would not be a template in `{}`: its name must end in `.j2`",
        trust::FOLDER
    );
    let (place, options, trust) = if let Some(folder) = folder {
        write_new(&folder.join(new_name), text)?;
        let folder = show::path(folder);
        let is_shipped = Templates::shipped().names().any(|name| name == new_name);
        let allow = if is_shipped {
            String::new()
        } else {
            format!(" --allow-template {new_name}")
        };
        let options = format!(" --prompts-dir {folder}{allow}");
        (folder, options, "")
    } else {
        packer.write_new(&format!("{}/{new_name}", trust::FOLDER), text)?;
        let trust = "\n  packer trust";
        (trust::FOLDER.to_owned(), String::new(), trust)
    };
    let role = match name {
        "planning.j2" => "planner",
        "review_strict.j2" => "reviewer",
        _ => "implementer",
    };
    terminal.summary(&format!(
        "wrote {place}/{shown}; next:\n  packer templates check {shown}{options}{trust}\n  packer render {shown}{options} --role {role} --task 'What to do'\nor, in a role file: template: {shown}"
    ));
    Ok(())
}

fn check(
    global: &Global,
    names: &[String],
    format: FindingFormat,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let packer = global.packer_for_check()?;
    let templates = packer.templates();
    for name in names {
        templates.get(name)?;
    }
    let roles = global.roles()?;
    let mut loaded = Vec::new();
    let all = roles.all();
    for name in all.names() {
        match all.load(&name) {
            Ok(role) => loaded.push(role),
            Err(error) => terminal.remark(&format!("role `{name}` skipped: {error}")),
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let checked = match names.len() {
        0 => templates.names().count(),
        some => some,
    };
    let found = packer.check_templates(&names, &loaded);
    let found = found
        .into_iter()
        .map(|(template, problem)| with_file(global, templates, &template, problem))
        .collect();
    conclude(
        found,
        (checked, "template"),
        format,
        packer.root(),
        terminal,
    )
}

/// Replaces the name of a template with its file.
fn with_file(
    global: &Global,
    templates: &Templates,
    template: &str,
    mut problem: Diagnostic,
) -> Diagnostic {
    match &mut problem.place {
        Some(place) => place.file = file(global, templates, &place.file),
        None => problem.message = format!("{template}: {}", problem.message),
    }
    problem
}

/// Returns where a template comes from, in the caller's terms.
fn file(global: &Global, templates: &Templates, name: &str) -> String {
    let origin = templates.get(name).map(|it| it.origin.as_str());
    let origin = origin.unwrap_or("built-in");
    if origin == "built-in" {
        return format!("built-in {name}");
    }
    let named = global
        .prompts_dir
        .as_ref()
        .map(|it| Path::new(it).join(name));
    let named = named.filter(|path| path.canonicalize().is_ok_and(|it| it == Path::new(origin)));
    named.map_or_else(|| origin.to_owned(), |path| path.display().to_string())
}
