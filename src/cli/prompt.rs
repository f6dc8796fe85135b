//! `packer render`, `packer prompt` and `packer pack`.

use context_packer::command::show;
use context_packer::report::Flow;
use context_packer::{ContextPacker, NoteKind, Prompt};

use super::Global;
use super::explain::say_why;
use super::input::Input;
use super::options::{PromptArgs, Purpose};
use super::report::Terminal;
use super::request::Job;

pub(super) const RENDER_EXAMPLES: &str = "\
Examples:
  packer render implement.j2 --role implementer --task 'Add a --json flag' --target src/main.rs
  packer render review_strict.j2 --role reviewer --task-file task.md --format json
  git diff main | packer render implement.j2 --role implementer -t 'Finish this' --extra work=@-";

pub(super) const PROMPT_EXAMPLES: &str = "\
Examples:
  packer prompt --role planner --task 'Split the parser into modules'
  packer prompt --role ./my-role.yaml --task-file task.md --budget 50000 --explain
  packer prompt --request request.json --format json";

pub(super) const PACK_EXAMPLES: &str = "\
Examples:
  packer pack --role reviewer
  packer pack --role implementer --target src/main.rs --style xml -o context.xml";

#[derive(Debug, clap::Args)]
pub(super) struct RenderArgs {
    /// The template: a name from `packer templates list`
    #[arg(required_unless_present = "request")]
    template: Option<String>,

    #[command(flatten)]
    prompt: PromptArgs,
}

pub(super) fn render(
    global: &Global,
    args: &RenderArgs,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let template = args.template.as_deref();
    run(global, &args.prompt, template, "render", terminal)
}

/// Builds and hands over a prompt for the command of this name.
pub(super) fn run(
    global: &Global,
    args: &PromptArgs,
    template: Option<&str>,
    command: &'static str,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let purpose = Purpose {
        command,
        template,
        no_task: None,
    };
    let mut input = Input::default();
    let mut order = args.order(global, &purpose, &mut input)?;
    let delivery = std::mem::take(&mut order.delivery);
    let job = order.prepare(&global.roles()?)?;
    let prompt = job.build(&packer)?;
    let notes = prompt.warnings();
    let warnings = notes.iter().map(|note| &note.message);
    terminal.warn(input.warnings.iter().chain(warnings));
    if global.verbose {
        remark(&packer, &job, &prompt, terminal);
    }
    if delivery.is_messages() {
        delivery.hand_over("", || prompt.messages())?;
    } else {
        delivery.hand_over(&prompt.text, || prompt.report())?;
    }
    if delivery.explain {
        say_why(&packer, &job, &prompt)?;
    }
    Ok(())
}

/// Says where everything comes from.
fn remark(packer: &ContextPacker, job: &Job, prompt: &Prompt, terminal: &Terminal) {
    let root = show::path(packer.root());
    terminal.remark(&format!("repository: {root}"));
    let chain = job.role.chain().join(", which extends ");
    terminal.remark(&format!("role: {} ({chain})", job.role.name()));
    if let Some(template) = prompt.template() {
        terminal.remark(&format!("template: {template}"));
    }
    terminal.remark(&format!("flow: {}", how(prompt)));
}

fn how(prompt: &Prompt) -> &'static str {
    let notes = prompt.warnings();
    let has_failed = notes.iter().any(|note| note.kind == NoteKind::Template);
    match prompt.flow() {
        Flow::Template => "template",
        Flow::Files => "file context alone",
        Flow::Whole if has_failed => "whole prompt, because the template failed",
        Flow::Whole => "whole prompt without a template",
    }
}
