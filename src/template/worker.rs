//! Renders in a process of its own, with limits on memory and time.
//!
//! Fuel limits what a template does, but not what one step of it costs. A list that contains itself
//! twice, again and again, takes a moment to make and all time and memory to print or compare, and
//! a namespace that contains itself takes all of the stack. Only a separate process can be stopped
//! then without taking this one with it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::bounds::MAX_OUTPUT;
use super::packed::{Packed, Rendered};
use super::sandbox::Sandbox;
use super::source::{Source, Sources};
use crate::error::Diagnostic;
use crate::memory::bound_worker;
use crate::repo::command::Run;
use crate::repo::conversation::{Conversation, frames, read_frame};
use crate::tokens::Counter;

/// The argument with which a program is started that must [`serve`].
pub const SUBCOMMAND: &str = "template-worker";

/// The longest time for rendering once.
const TIME: Duration = Duration::from_secs(2);

/// The memory that the process may use, in bytes.
const MEMORY: u64 = 128 * 1024 * 1024;

/// The size of a prompt, a part of it once more, and their lengths.
const ANSWER: usize = 2 * MAX_OUTPUT + 32;

/// The largest question: ten files of the largest kind.
const MAX_QUESTION: usize = 64 * 1024 * 1024;

const RENDERED: u8 = b'+';
const FAILED: u8 = b'-';

/// What stays the same whenever a template is rendered.
#[derive(Serialize, Deserialize)]
struct Job<'a> {
    sources: Cow<'a, BTreeMap<String, Source>>,
    name: Cow<'a, str>,
    values: Cow<'a, Json>,
    tokenizer: Counter,
}

/// A template with its variables, rendered in another process, which is started on first use and
/// ends with this.
pub struct Worker {
    program: PathBuf,
    sources: Sources,
    name: String,
    values: Json,
    tokenizer: Counter,
    process: Option<Conversation>,
}

impl Worker {
    pub(super) fn new(
        program: &Path,
        sources: &Sources,
        name: &str,
        values: &Json,
        tokenizer: Counter,
    ) -> Worker {
        Worker {
            program: program.to_owned(),
            sources: sources.clone(),
            name: name.to_owned(),
            values: values.clone(),
            tokenizer,
            process: None,
        }
    }

    pub(super) fn render(&mut self, context: &Packed) -> Result<Rendered, Box<Diagnostic>> {
        let is_new = self.process.is_none();
        let mut answer = self.ask(context);
        // A process that has rendered before has less memory left than a new one.
        if !is_new && matches!(answer, Ok(None)) {
            answer = self.ask(context);
        }
        match answer.map_err(|why| self.failed(why))?.as_deref() {
            Some([RENDERED, texts @ ..]) => self.read(texts),
            Some([FAILED, problem @ ..]) => {
                Err(serde_json::from_slice(problem).map_err(|e| self.failed(e))?)
            }
            _ => {
                let mib = MEMORY / (1024 * 1024);
                Err(self.failed(format!(
                    "it was aborted, most likely for using more than {mib} MiB of memory"
                )))
            }
        }
    }

    /// Reads the text, and the system message if there is one, each preceded by its length.
    fn read(&self, mut texts: &[u8]) -> Result<Rendered, Box<Diagnostic>> {
        let mut next = || {
            let frame = read_frame(&mut texts, ANSWER).map_err(|e| self.failed(e))?;
            let text = frame.map(String::from_utf8).transpose();
            text.map_err(|e| self.failed(e))
        };
        Ok(Rendered {
            text: next()?.unwrap_or_default(),
            system: next()?,
        })
    }

    fn failed(&self, why: impl Display) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(format!(
            "the template `{}` could not be rendered: {why}",
            self.name
        )))
    }

    /// Has the context rendered; `None` if the process was aborted.
    fn ask(&mut self, context: &Packed) -> Result<Option<Vec<u8>>, String> {
        let mut question = Vec::new();
        let process = match self.process.take() {
            Some(process) => process,
            None => {
                question = self.job().map_err(|e| e.to_string())?;
                Conversation::start(&Run::worker(&self.program, SUBCOMMAND, TIME, ANSWER))?
            }
        };
        let places = serde_json::to_vec(&context.sections).map_err(|e| e.to_string())?;
        question.extend(frames([&places, context.text.as_bytes()]));
        let answer = process.ask(question)?;
        // One that broke off, or is late, is not asked again.
        self.process = answer.is_some().then_some(process);
        Ok(answer)
    }

    fn job(&self) -> serde_json::Result<Vec<u8>> {
        let job = serde_json::to_vec(&Job {
            sources: Cow::Borrowed(&self.sources),
            name: Cow::Borrowed(&self.name),
            values: Cow::Borrowed(&self.values),
            tokenizer: self.tokenizer,
        })?;
        Ok(frames([&job]))
    }
}

/// The other side of [`Isolation::Worker`](super::Isolation): renders what it is asked for until
/// the input ends, within a limit on memory that holds for the whole process from then on.
///
/// # Errors
///
/// An error if a question cannot be read, or nobody takes the answer.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    bound_worker(MEMORY);
    let Some(sandbox) = read_job(&mut input)? else {
        return Ok(());
    };
    while let Some(context) = read_context(&mut input)? {
        let answer = match sandbox.render(context) {
            Ok(Rendered { text, system }) => {
                let texts = match system {
                    Some(system) => frames([text.as_bytes(), system.as_bytes()]),
                    None => frames([text.as_bytes()]),
                };
                [vec![RENDERED], texts].concat()
            }
            Err(problem) => [&[FAILED][..], &serde_json::to_vec(&problem)?].concat(),
        };
        output.write_all(&(answer.len() as u64).to_le_bytes())?;
        output.write_all(&answer)?;
        output.flush()?;
    }
    Ok(())
}

fn read_job(input: &mut impl Read) -> io::Result<Option<Sandbox>> {
    let Some(job) = read_frame(input, MAX_QUESTION)? else {
        return Ok(None);
    };
    let read: Job<'_> = serde_json::from_slice(&job)?;
    drop(job);
    let sources = Arc::new(read.sources.into_owned());
    let (name, values) = (read.name, read.values);
    Ok(Some(Sandbox::new(&sources, &name, &values, read.tokenizer)))
}

fn read_context(input: &mut impl Read) -> io::Result<Option<Packed>> {
    let Some(places) = read_frame(input, MAX_QUESTION)? else {
        return Ok(None);
    };
    let text = read_frame(input, MAX_QUESTION)?.unwrap_or_default();
    Ok(Some(Packed {
        text: String::from_utf8(text).map_err(io::Error::other)?,
        sections: serde_json::from_slice(&places)?,
    }))
}
