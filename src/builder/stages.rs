//! Reads the stages of a validation run.

use serde_json::Value;

use super::account::Account;
use super::finding::{Finding, Said, items, line, path, text, word};
use super::plain::plain;
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};

/// What stages say beside their errors.
#[derive(Default)]
pub(super) struct Stages {
    /// How many failed, and nothing says where; the name of the first.
    silent: usize,
    first_silent: Option<Said>,
    /// How many are no objects.
    other: usize,
    /// Whether the run as a whole says that it failed.
    failed: bool,
    /// How many errors say neither where nor what is wrong.
    unknown: usize,
}

impl Stages {
    /// Takes what stages list as it is; of one that failed and lists no error, what its output
    /// says.
    pub(super) fn read(json: &Value, account: &mut Account) -> Stages {
        let mut read = Stages {
            failed: failed(json),
            ..Stages::default()
        };
        for stage in items(&json["stages"]) {
            let errors = &stage["errors"];
            let mut says = is_told(errors, account);
            for error in items(errors) {
                says |= read.take(error, account);
            }
            read.other += usize::from(!stage.is_object());
            if failed(stage) && !says && !is_told(&stage["output"], account) {
                read.silent += 1;
                let name = || word(&stage["name"]);
                read.first_silent = read.first_silent.or_else(name);
            }
        }
        read
    }

    /// Takes an error as a stage lists it: a text, or an object. Returns whether it is one; a text
    /// may be only a warning.
    fn take(&mut self, error: &Value, account: &mut Account) -> bool {
        let printed = error.as_str().and_then(|text| plain(text, account));
        printed.unwrap_or_else(|| {
            self.unknown += usize::from(!listed(error, account));
            true
        })
    }

    /// Whether the run failed, or a stage did and nothing says where.
    pub(super) fn failed(&self) -> bool {
        self.failed || self.is_told()
    }

    /// Whether a warning says which stage failed.
    pub(super) fn is_told(&self) -> bool {
        self.silent > 0
    }

    /// Returns what the caller should know.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        let silent = match (&self.first_silent, self.silent) {
            (None, count) => counted(count, "stage"),
            (Some(name), 1) => format!("the stage `{}`", quoted(&name.text)),
            (Some(name), all) => format!("the stage `{}` and {} more", quoted(&name.text), all - 1),
        };
        let (other, unknown) = (counted(self.other, "stage"), counted(self.unknown, "error"));
        let told = [
            (
                self.silent,
                format!("{silent} failed, but neither errors nor output say where"),
            ),
            (self.other, format!("{other} left out: not an object")),
            (
                self.unknown,
                format!("{unknown} kept as written: neither a file nor a message"),
            ),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        told.map(|(_, message)| Note::new(NoteKind::Skipped, message))
    }
}

/// Whether a stage, or the run, says that it failed.
fn failed(it: &Value) -> bool {
    let says_no = |it: &Value| *it == false || it == "false";
    says_no(&it["passed"]) || says_no(&it["success"])
}

/// Takes what a member prints for people. Returns whether there is an error in it.
fn is_told(member: &Value, account: &mut Account) -> bool {
    let printed = member.as_str().and_then(|text| plain(text, account));
    printed == Some(true)
}

/// Takes an error under one of the usual keys. Returns whether it says where or what is wrong; if
/// not, its JSON is the message.
fn listed(error: &Value, account: &mut Account) -> bool {
    let member = |names: &[&str]| {
        let mut members = names.iter().map(|name| &error[*name]);
        members.find(|it| !it.is_null()).unwrap_or(&Value::Null)
    };
    let file = path(member(&["file", "path", "file_path", "filename"]));
    let message = text(member(&["message", "msg", "text"])).or_else(|| text(error));
    let is_known = message.is_some() || file != Ok(None);
    let whole = || (!is_known).then(|| error.to_string().into());
    let message = message.or_else(whole).unwrap_or_default();
    account.take(Finding {
        file,
        line: line(member(&["line", "line_number"])),
        column: None,
        message: Said::message(&message),
        severity: word(&error["severity"]).unwrap_or_else(|| Said::word("error")),
        code: word(&error["code"]),
    });
    is_known
}
