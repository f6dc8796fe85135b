//! Prints the signals of the files of one repository after the other, for `train.py`.
//!
//! Each line of the input is a case: `{"id", "repo", "task", "target", "parts": […]}`, the target or
//! none. The
//! first line of the output has the names of the signals, each other one a case.

use std::io::{BufRead, Write};

use context_packer::parsing::Parsing;
use context_packer::{ContextPacker, Request, Signals};
use serde_json::{Value, json};

fn main() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &json!({"names": Signals::NAMES}))?;
    out.write_all(b"\n")?;
    for line in std::io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let parts = case["parts"].as_array().into_iter().flatten();
        let parts: Vec<String> = parts
            .filter_map(|p| p.as_str().map(str::to_owned))
            .collect();
        let mut request = Request::new(text("task"));
        if case["target"].is_string() {
            request = request.target(text("target"));
        }
        let packer = ContextPacker::open(text("repo"))?.with_parsing(Parsing::TrustedInProcess);
        let signals = packer.signals(&request, &parts)?;
        serde_json::to_writer(&mut out, &json!({"id": text("id"), "signals": signals}))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
