//! `packer init`: a role, a test case for it, and the schemas of both.

use context_packer::roles::{draft_role, role_schema};
use context_packer::{Role, Roles};
use serde::Serialize;

use super::Global;
use super::report::Terminal;

pub(super) const EXAMPLES: &str = "\
Examples:
  packer init
  packer init backend --extends implementer";

/// The schema that the first line of a file names, for editors with the YAML language server.
const ROLE_SCHEMA: &str = "role.schema.json";
const CASE_SCHEMA: &str = "case.schema.json";

#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// The name of the role
    #[arg(value_name = "NAME", default_value = "team")]
    name: String,

    /// Build on this role [default: a role with the same name if there is one, else `implementer`]
    #[arg(long, value_name = "ROLE")]
    extends: Option<String>,
}

pub(super) fn run(global: &Global, args: &InitArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let InitArgs { name, extends } = args;
    Roles::check_name(name)?;
    let roles = global.roles()?;
    // One that is called as another and is something else would stand in for it unseen.
    let namesake = || Some(name).filter(|name| roles.load(name).is_ok()).cloned();
    let extends = extends.clone().or_else(namesake);
    let extends = extends.unwrap_or_else(|| "implementer".into());
    let parent = roles.load(&extends)?.with_name(&extends);
    let schema = format!("../{ROLE_SCHEMA}");
    let files = [
        (format!(".packer/{ROLE_SCHEMA}"), text(&role_schema())?),
        (
            format!(".packer/{CASE_SCHEMA}"),
            text(&super::test::schema())?,
        ),
        (
            format!(".packer/roles/{name}.yaml"),
            draft_role(name, Some(&parent), None, Some(&schema)),
        ),
        (format!(".packer/tests/{name}.yaml"), case(name, &parent)),
    ];
    let packer = global.packer()?;
    for (path, text) in &files {
        if packer.root().join(path).is_file() {
            terminal.summary(&format!("kept  {path}"));
        } else {
            packer.write_new(path, text)?;
            terminal.summary(&format!("wrote {path}"));
        }
    }
    let template = parent.template().unwrap_or("implement.j2");
    terminal.summary(&format!(
        "next:\n  packer roles check\n  packer prompt --role {name} --task 'What to do'\n  \
         packer test\na template of its own:\n  \
         packer templates eject {template} --as {name}.j2"
    ));
    Ok(())
}

/// Returns a schema as text.
fn text(schema: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(schema)? + "\n")
}

/// Returns a case that tests the role, and passes as it is.
fn case(name: &str, parent: &Role) -> String {
    let budget = parent.context().token_budget;
    format!(
        "# yaml-language-server: $schema=../{CASE_SCHEMA}\n\
         # What a prompt of this role must contain; `packer test` checks it.\n\
         request:\n  role: {name}\n  task: Add a flag that prints the result as JSON\n  \
         # What the task is about: files, folders, lines, symbols, globs.\n  target: []\n  \
         # A target that cannot be read fails the case instead of giving a warning.\n  strict: true\n\
         expect:\n  # Texts that it must contain, word for word.\n  holds:\n    - as JSON\n  \
         # Texts that it must not contain.\n  lacks: []\n  \
         # Files of which it must show more than the name, and files of which it must not.\n  \
         shows: []\n  hides: []\n  \
         # The most tokens that it may have, and whether the whole prompt is kept beside\n  \
         # this file, where `packer test --accept` writes it.\n  budget: {budget}\n  snapshot: false\n"
    )
}
