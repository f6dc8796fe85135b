//! Hides where on the machine something is: that is none of a model's business, and the user's name
//! is in it.

use std::path::Path;

use serde_json::Value as Json;

use super::super::{Global, places};

/// Returns packer's own text with the repository's files shown by their paths in it and the user's
/// files with `~`.
pub(super) fn without_machine(global: &Global, text: String) -> String {
    let root = global.root().ok();
    let whole = root.as_deref().and_then(|root| root.canonicalize().ok());
    let roots = [root, whole].into_iter().flatten().map(|it| (it, ""));
    let home = places::home().map(|home| (home, "~/"));
    let known = roots.chain(home).filter(|(folder, _)| is_told(folder));
    known.fold(text, |text, (folder, instead)| {
        text.replace(&format!("{}/", folder.display()), instead)
    })
}

/// Whether a folder is long enough to be recognised in a text.
fn is_told(folder: &Path) -> bool {
    folder.is_absolute() && folder.components().count() > 2
}

/// Does the same in a report or an explanation: where the role comes from, and what it warns of.
pub(super) fn report_without_machine(global: &Global, report: &mut Json) {
    let hide = |told: Option<&mut Json>| {
        if let Some(Json::String(text)) = told {
            *text = without_machine(global, std::mem::take(text));
        }
    };
    hide(report.pointer_mut("/role/source"));
    let warnings = report.get_mut("warnings").and_then(Json::as_array_mut);
    for warning in warnings.into_iter().flatten() {
        hide(warning.get_mut("message"));
    }
}
