//! `packer explain`, and what `--explain` prints.

use std::path::PathBuf;

use context_packer::command::{
    masked,
    show::{self, counted, grouped, visible},
    write_whole,
};
use context_packer::explain::{
    ExplainedPiece, ExplainedSection, Explanation, Fate, OriginReport, Question,
};
use context_packer::{ContextPacker, Prompt};

use super::input::Input;
use super::options::{PromptArgs, Purpose};
use super::report::{Table, Terminal, print, say};
use super::request::Job;
use super::usage::wrong;
use super::{Global, output, page};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer explain --role implementer --task 'Add a --json flag' --target src/main.rs
  packer explain src/config.rs --role implementer --task 'Add a --json flag'
  packer explain --role .packer/roles/auditor.yaml --budget 8000 --html page.html";

/// The most files of a section that are listed one by one.
const MAX_FILES: usize = 200;

/// The most excluded files that are listed.
const MAX_EXCLUDED: usize = 20;

/// Stands for the task if nobody gave one: an author looks at a role first.
pub(super) const NO_TASK: &str = "(No task was given.)";

#[derive(Debug, clap::Args)]
#[command(override_usage = "packer explain [FILE]... --role ROLE [OPTIONS]")]
pub(super) struct ExplainArgs {
    /// Files to ask about, before the options: why is each of them in the prompt, or not?
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Use this template instead of the role's own
    #[arg(long, value_name = "NAME")]
    template: Option<String>,

    /// Write a self-contained HTML page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    prompt: PromptArgs,
}

pub(super) fn run(global: &Global, args: &ExplainArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let purpose = Purpose {
        command: "explain",
        template: args.template.as_deref(),
        no_task: Some(NO_TASK),
    };
    let mut input = Input::default();
    let mut order = args.prompt.order(global, &purpose, &mut input)?;
    let delivery = std::mem::take(&mut order.delivery);
    if delivery.is_messages() {
        let message = "`packer explain` prints no messages: use `packer render`";
        return Err(wrong("explain", message));
    }
    let job = order.prepare(&global.roles()?)?;
    terminal.warn(&input.warnings);
    context_packer::memory::make_room_for(1);
    let files: Vec<String> = args.files.iter().map(|it| global.target(it)).collect();
    let question = Question {
        files: &files,
        with_prompt: args.html.is_some() || delivery.is_json(),
    };
    let explanation = explain(&packer, &job, &question)?;
    if let Some(path) = &args.html {
        let page = page::still(&explanation)?;
        match output::file(Some(path)) {
            Some(path) => {
                write_whole(path, &page)?;
                terminal.summary(&format!("written: {}", show::path(path)));
            }
            None => print(&page)?,
        }
        if delivery.output.is_none() && args.prompt.delivery.format.is_none() {
            return Ok(());
        }
    }
    delivery.hand_over(&text(&explanation), || &explanation)
}

/// Builds the prompt and explains it.
pub(super) fn explain(
    packer: &ContextPacker,
    job: &Job,
    question: &Question<'_>,
) -> Result<Explanation, context_packer::Error> {
    let prompt = job.build(packer)?;
    packer.explain(&prompt, &job.role, &job.request, question)
}

/// Explains a prompt that was built, on standard error.
pub(super) fn say_why(packer: &ContextPacker, job: &Job, prompt: &Prompt) -> anyhow::Result<()> {
    let explanation = packer.explain(prompt, &job.role, &job.request, &Question::default())?;
    say(&text(&explanation));
    Ok(())
}

/// Returns an explanation for people, or only the answers if files were asked about.
pub(super) fn text(explanation: &Explanation) -> String {
    let mut text = headline(explanation);
    if !explanation.files.is_empty() {
        for file in &explanation.files {
            text += &format!("{}: {}\n", shown(&file.path), shown(&file.why));
        }
        return text;
    }
    let mut table = Table::new(&["", "status", "tokens", "whole", ""]);
    let own = explanation.template_tokens;
    if own > 0 {
        let row = [
            "(template)",
            "",
            &grouped(own),
            &grouped(own),
            "its own text, the system prompt, the task",
        ];
        table.row(row.map(str::to_owned));
    }
    for section in &explanation.sections {
        rows(&mut table, section);
    }
    text += &table.print("<<>><");
    for excluded in explanation.excluded.iter().take(MAX_EXCLUDED) {
        let by = shown(&origin(&excluded.excluded_by));
        text += &format!("excluded: {} by {by}\n", shown(&excluded.path));
    }
    let more = explanation.excluded.len().saturating_sub(MAX_EXCLUDED);
    if more > 0 {
        text += &format!("excluded: {} more; see --format json\n", grouped(more));
    }
    text
}

/// Makes text of a repository or a role safe to show: nothing in it acts on a terminal or looks
/// like a secret. Standard error may be kept by people who do not keep the prompt.
fn shown(text: &str) -> String {
    masked(visible(text).into_owned())
}

/// Returns who the prompt is for and how much of the budget it takes.
fn headline(explanation: &Explanation) -> String {
    let how = match &explanation.template {
        Some(template) => format!(" with {}", visible(template)),
        None => String::new(),
    };
    format!(
        "{}{how}: {} of {} tokens ({})\n\n",
        visible(&explanation.role.name),
        grouped(explanation.tokens),
        grouped(explanation.budget),
        explanation.tokenizer
    )
}

/// Adds a section and its files.
fn rows(table: &mut Table, section: &ExplainedSection) {
    table.row(section_row(section));
    let files = section.pieces.iter().filter(|piece| piece.path.is_some());
    for piece in files.clone().take(MAX_FILES) {
        table.row(piece_row(section, piece));
    }
    let more = files.count().saturating_sub(MAX_FILES);
    if more > 0 {
        let what = format!("  … {}: see --format json", counted(more, "more file"));
        table.row([what].into_iter().chain((0..4).map(|_| String::new())));
    }
}

fn section_row(section: &ExplainedSection) -> [String; 5] {
    let status = match section.status {
        Fate::Kept if section.protected => "protected",
        Fate::Kept => "kept",
        Fate::Shrunk => "shrunk",
        Fate::Dropped => "dropped",
        Fate::Empty => "empty",
    };
    // That there was room for it goes without saying.
    let mut why: Vec<String> = match section.status {
        Fate::Kept => Vec::new(),
        _ => vec![section.why.clone()],
    };
    why.extend(section.note.clone());
    let whole_at = section.whole_at;
    why.extend(whole_at.map(|at| format!("whole with a budget of {}", grouped(at))));
    why.push(format!("asked by {}", origins(&section.asked_by)));
    [
        section.key.clone(),
        status.to_owned(),
        grouped(section.tokens),
        grouped(section.original_tokens),
        shown(&why.join("; ")),
    ]
}

fn piece_row(section: &ExplainedSection, piece: &ExplainedPiece) -> [String; 5] {
    let mut why = vec![piece.why.clone()];
    why.retain(|why| why != "whole");
    let whole_at = piece.whole_at;
    why.extend(whole_at.map(|at| format!("whole with about {}", grouped(at))));
    // Where there is one pattern, the section's own row names it.
    if section.asked_by.len() > 1 {
        why.extend(piece.asked_by.first().map(|by| by.text.clone()));
    }
    [
        format!("  {}", shown(piece.path.as_deref().unwrap_or_default())),
        piece.form.to_owned(),
        grouped(piece.tokens),
        grouped(piece.original_tokens),
        shown(&why.join("; ")),
    ]
}

/// Returns the first few origins.
fn origins(all: &[OriginReport]) -> String {
    const SHOWN: usize = 3;
    // A role's own lines tell more than those of the built-in role that it extends.
    let is_built_in =
        |by: &&OriginReport| by.file.as_ref().is_some_and(|f| f.starts_with("built-in "));
    let (built_in, own): (Vec<_>, Vec<_>) = all.iter().partition(is_built_in);
    let ordered = own.into_iter().chain(built_in);
    let mut shown: Vec<String> = ordered.take(SHOWN).map(origin).collect();
    if all.len() > SHOWN {
        shown.push(format!("{} more", all.len() - SHOWN));
    }
    shown.join(", ")
}

fn origin(origin: &OriginReport) -> String {
    match (&origin.file, origin.line) {
        (Some(file), Some(line)) => format!("{} ({}:{line})", origin.text, visible(file)),
        _ => origin.text.clone(),
    }
}
