//! Renders in a process of its own, with bounds on memory and time.
//!
//! Instructions, depth and output are bounded inside the engine, but a text that
//! is doubled in a loop, or a template whose constants are folded when it is
//! compiled, takes memory faster than it takes instructions. Only a process can be
//! stopped there without taking this one with it.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use super::sandbox::{self, Job, MAX_OUTPUT};
use crate::error::Diagnostic;
use crate::repo::command::{Ran, Run, run};

/// The subcommand of `packer` that has to print what [`serve`] returns for its
/// standard input.
pub const SUBCOMMAND: &str = "template-worker";

/// Rendering takes at most this long.
const TIME: Duration = Duration::from_secs(2);

/// The process may use this much memory, in bytes.
const MEMORY: u64 = 80 * 1024 * 1024;

/// What a prompt and its first byte take.
const ANSWER: usize = MAX_OUTPUT + 1;

/// A job is at most this large: ten files of the largest kind, written as JSON.
const MAX_JOB: u64 = 64 * 1024 * 1024;

const RENDERED: u8 = b'+';
const FAILED: u8 = b'-';

/// Has a process of `program` do the job.
pub(super) fn render(program: &Path, job: &Job<'_>) -> Result<String, Box<Diagnostic>> {
    let failed = |why: String| {
        Box::new(Diagnostic::error(format!(
            "the template `{}` could not be rendered: {why}",
            job.name
        )))
    };
    let input = serde_json::to_vec(job).map_err(|e| failed(e.to_string()))?;
    let ran = run(Run {
        program: program.to_owned(),
        arguments: vec![SUBCOMMAND.into()],
        folder: program.parent().unwrap_or(Path::new("/")).to_owned(),
        environment: Vec::new(),
        input,
        time: TIME,
        output: ANSWER,
    });
    let Ran { status, stdout, .. } = ran.map_err(failed)?;
    match stdout.split_first() {
        Some((&RENDERED, text)) if status.success() => {
            String::from_utf8(text.to_vec()).map_err(|e| failed(e.to_string()))
        }
        Some((&FAILED, diagnostic)) if status.success() => {
            Err(serde_json::from_slice(diagnostic).map_err(|e| failed(e.to_string()))?)
        }
        _ => {
            let mib = MEMORY / (1024 * 1024);
            Err(failed(format!(
                "it broke off, most likely over the bound of {mib} MiB of memory"
            )))
        }
    }
}

/// The other side of [`Templates::worker`](super::Templates::worker): reads a job,
/// renders it under a bound of memory that holds for the whole process from then
/// on, and returns what to print.
///
/// # Errors
///
/// The job could not be read.
pub fn serve(input: impl Read) -> std::io::Result<Vec<u8>> {
    bound_memory();
    let job: Job<'_> = serde_json::from_reader(input.take(MAX_JOB))?;
    Ok(match sandbox::render(job) {
        Ok(text) => [&[RENDERED], text.as_bytes()].concat(),
        Err(diagnostic) => [&[FAILED][..], &serde_json::to_vec(&diagnostic)?].concat(),
    })
}

/// Makes every allocation beyond the bound fail. Where the system cannot do that,
/// the bound of time remains.
fn bound_memory() {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = Rlimit {
            current: Some(MEMORY),
            maximum: Some(MEMORY),
        };
        let _ = setrlimit(Resource::Data, limit);
        let no_core_file = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, no_core_file);
    }
}
