//! Indented lines, with the line that they belong to.

use super::{DeclarationKind, Start, title};
use crate::syntax::{indent, is_bare};

/// A deeper block is a part of the one around it, unless it is an item of a list: the steps of a
/// job are in `steps`, in the job and in `jobs`.
const MAX_LEVEL: usize = 3;

/// Finds lines with deeper ones below: the keys of YAML and JSON, targets of a makefile, rules of a
/// style sheet, elements.
pub fn of_indents(lines: &[&str]) -> Vec<Start> {
    let mut starts: Vec<Start> = Vec::new();
    // The blocks that are open: their places among all, and how far they are indented.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<usize> = None;
    let says = |line: &str| !line.trim().is_empty() && !is_comment(line);
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| says(line)) {
        let own = indent(line);
        if let Some(head) = before.filter(|head| own > indent(lines[*head]))
            && open.len() < MAX_LEVEL + usize::from(is_item(lines[head]))
            && !is_bare(lines[head])
        {
            open.push((starts.len(), indent(lines[head])));
            starts.push(Start {
                line: head,
                title_line: head,
                head_end: head + 1,
                title: title(lines[head]),
                level: indent(lines[head]),
                end: None,
                kind: DeclarationKind::Section,
            });
        }
        while let Some((block, _)) = open.pop_if(|(_, indent)| *indent >= own) {
            // A closing bracket belongs to what it closes, a comment to what follows it.
            let end = if is_bare(line) {
                at
            } else {
                before.unwrap_or(at)
            };
            starts[block].end = Some(end + 1);
        }
        before = Some(at);
    }
    starts
}

/// Whether a line begins an item of a list, as YAML writes it.
fn is_item(line: &str) -> bool {
    line.trim_start().starts_with("- ")
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_rule = line.starts_with("#{") || line.ends_with('{');
    !is_rule
        && ["#", "//", "<!--"]
            .iter()
            .any(|sign| line.starts_with(sign))
}
