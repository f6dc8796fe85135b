//! A template in the environment in which it is rendered, within its limits.

use std::io;

use minijinja::value::{Serde, Value, merge_maps};
use minijinja::{AutoEscape, Captured, Environment, ErrorKind, UndefinedBehavior};
use serde_json::Value as Json;

use super::bounds::{FUEL, MAX_OUTPUT, RECURSION, on_a_large_stack};
use super::language;
use super::packed::{MESSAGES, Packed, Rendered, SYSTEM};
use super::problem::explain;
use super::source::Sources;
use crate::error::Diagnostic;
use crate::tokens::Counter;

/// A template with its variables, rendered in this process.
pub struct Sandbox {
    environment: Environment<'static>,
    sources: Sources,
    name: String,
    values: Value,
    /// Whether the system message is asked for.
    for_messages: bool,
}

impl Sandbox {
    /// Prepares a sandbox without compiling anything yet: only the rendering thread has the stack
    /// for that.
    pub(super) fn new(sources: &Sources, name: &str, values: &Json, tokenizer: Counter) -> Self {
        Sandbox {
            environment: environment(sources.clone(), tokenizer),
            sources: sources.clone(),
            name: name.to_owned(),
            values: Value::from(Serde(values)),
            for_messages: values[MESSAGES] == true,
        }
    }

    pub(super) fn render(&self, context: Packed) -> Result<Rendered, Box<Diagnostic>> {
        match on_a_large_stack(|| self.render_here(context)) {
            Ok(Ok(rendered)) => rendered,
            Ok(Err(_)) => Err(failed(format!(
                "the template `{}` crashed the renderer",
                self.name
            ))),
            Err(e) => Err(failed(format!("cannot start a thread to render on: {e}"))),
        }
    }

    fn render_here(&self, context: Packed) -> Result<Rendered, Box<Diagnostic>> {
        // Most of what is written is the context.
        let mut output = Bounded(Vec::with_capacity(context.text.len() + 16 * 1024));
        // Of two values of a name, the later one counts.
        let values = merge_maps([context.variables(), self.values.clone()]);
        let text = |name: &str| Some(self.sources.get(name)?.text.as_str());
        let system = self
            .environment
            .get_template(&self.name)
            .and_then(|template| template.render_captured_to(values, &mut output))
            .and_then(|rendered| {
                if self.for_messages {
                    system(rendered)
                } else {
                    Ok(None)
                }
            })
            .map_err(|e| explain(&e, text))?;
        let text = String::from_utf8(output.0)
            .map_err(|e| failed(format!("the prompt is not UTF-8: {e}")))?;
        Ok(Rendered { text, system })
    }
}

/// Returns the text of the template's block for the system message, if it has one.
fn system(mut rendered: Captured<'_>) -> Result<Option<String>, minijinja::Error> {
    match rendered.with_state_mut(|state| state.render_block(SYSTEM)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::UnknownBlock => Ok(None),
        Err(error) => Err(error),
    }
}

fn failed(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(message))
}

fn environment(sources: Sources, tokenizer: Counter) -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_loader(move |name| Ok(sources.get(name).map(|source| source.text.clone())));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_formatter(language::write_plain);
    environment.set_syntax(language::syntax());
    environment.set_debug(true);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(RECURSION);
    language::add(&mut environment, tokenizer);
    environment
}

/// Takes output up to the limit.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            let mib = MAX_OUTPUT / (1024 * 1024);
            return Err(io::Error::other(format!(
                "the output is larger than {mib} MiB"
            )));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
