//! What people and programs see of a repository's templates.

use context_packer::ContextPacker;
use context_packer::command::show;
use serde::Serialize;

use super::super::difference::{Most, difference};
use super::record::{Record, Texts};
use super::{Brought, FOLDER, hash_of};

/// What is shown of a repository's templates.
#[derive(Debug, Serialize)]
pub(super) struct Told<'a> {
    hash: String,
    pub(super) trusted: bool,
    templates: Vec<ToldTemplate<'a>>,
    /// The names of those that were trusted for this repository and no longer exist.
    gone: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct ToldTemplate<'a> {
    name: &'a str,
    hash: String,
    state: State,
    text: &'a str,
    /// The text that was trusted, for one that changed, if it is known.
    before: Option<String>,
}

/// How a template compares with what was trusted of this repository before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    New,
    Changed,
    Same,
}

impl<'a> Told<'a> {
    /// Compares these with what is trusted.
    pub(super) fn of(
        brought: &'a Brought,
        record: &'a Record,
        texts: &Texts,
        packer: &ContextPacker,
    ) -> Told<'a> {
        let hash = brought.hash();
        let trusted = record.trusted.contains_key(&hash);
        let before = record.of(packer).filter(|_| !trusted);
        let known = |name: &String| before.and_then(|it| it.templates.get(name));
        let templates = brought.texts.iter().map(|(name, text)| {
            let hash = hash_of(text);
            let state = match known(name) {
                _ if trusted => State::Same,
                None => State::New,
                Some(known) if *known == hash => State::Same,
                Some(_) => State::Changed,
            };
            let changed = known(name).filter(|_| state == State::Changed);
            ToldTemplate {
                before: changed.and_then(|known| texts.of(known)),
                name,
                hash,
                state,
                text,
            }
        });
        let names = before.into_iter().flat_map(|it| it.templates.keys());
        let gone = names.filter(|name| !brought.texts.contains_key(*name));
        Told {
            trusted,
            templates: templates.collect(),
            gone: gone.map(String::as_str).collect(),
            hash,
        }
    }

    /// Returns the templates as a person reads them before trusting them: for a changed one, only
    /// the changed lines, unless `whole` is set. Invisible characters in a template are made
    /// visible, and none of its lines can be mistaken for packer's own.
    pub(super) fn text(&self, whole: bool) -> String {
        let mut text = String::new();
        for template in &self.templates {
            let state = match template.state {
                State::New => "new",
                State::Changed => "changed",
                State::Same => "as it was trusted",
            };
            let name = show::visible(template.name);
            text.push_str(&format!("{FOLDER}/{name}: {state}\n"));
            if whole || template.state != State::Same {
                let before = template.before.as_deref().filter(|_| !whole);
                let lines = before.map(|before| difference(before, template.text, Most::ALL));
                // What cannot be compared is read as a whole.
                let lines = lines.and_then(Result::ok);
                text.push_str(&lines.unwrap_or_else(|| written(template.text)));
            }
            text.push('\n');
        }
        for name in &self.gone {
            let name = show::visible(name);
            text.push_str(&format!("{FOLDER}/{name}: gone\n\n"));
        }
        text + &format!("hash: {}\n", self.hash)
    }

    /// Returns the same for programs.
    pub(super) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| escaped(&json))
    }
}

/// Returns a template as a whole.
fn written(template: &str) -> String {
    let mut text = String::new();
    for line in template.lines() {
        let line = format!("  | {}", show::visible(line));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns JSON with invisible characters written out.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter != '\n' && show::is_hidden(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(letter);
        }
    }
    text
}
