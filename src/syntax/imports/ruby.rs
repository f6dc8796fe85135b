//! What a Ruby file requires.

use super::{Import, MAX_IMPORTS};

/// Finds `require`, `require_relative`, `load` and `autoload` at the beginning of statements, with
/// literal paths.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut in_comment = false;
    let mut heredoc: Option<&str> = None;
    for line in text.lines() {
        if line == "__END__" || found.len() >= MAX_IMPORTS {
            break;
        }
        if let Some(end) = heredoc {
            if line.trim() == end {
                heredoc = None;
            }
            continue;
        }
        if line.starts_with("=begin") || line.starts_with("=end") {
            in_comment = line.starts_with("=begin");
            continue;
        }
        if in_comment || line.trim_start().starts_with('#') {
            continue;
        }
        found.extend(line.split(';').filter_map(required));
        heredoc = heredoc_of(line);
    }
    found
}

/// Returns the word that ends the text which begins on this line.
fn heredoc_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.strip_prefix(['~', '-']).unwrap_or(rest);
    let rest = rest.trim_start_matches(['"', '\'', '`']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    name.starts_with(|c: char| c.is_ascii_uppercase())
        .then_some(name)
}

fn required(statement: &str) -> Option<Import> {
    let statement = statement.trim_start();
    let statement = ["begin ", "then ", "Kernel.", "Kernel.send "]
        .iter()
        .fold(statement, |rest, word| {
            rest.strip_prefix(word).unwrap_or(rest)
        });
    let end = statement.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (word, rest) = statement.split_at(end);
    let rest = rest.trim_start_matches([' ', '(', '\t']);
    match word {
        "require_relative" => quoted(rest).map(|path| Import::Quoted(path.to_owned())),
        "require" | "load" => searched(rest),
        "autoload" => searched(rest.split_once(',')?.1.trim_start()),
        _ => None,
    }
}

/// Returns a path in the folders that are searched, or one relative to the file.
fn searched(rest: &str) -> Option<Import> {
    if let Some(rest) = rest.strip_prefix("File.expand_path") {
        return beside(rest);
    }
    if let Some(rest) = rest.strip_prefix("File.join(__dir__,") {
        return quoted(rest.trim_start()).map(|path| Import::Quoted(path.to_owned()));
    }
    quoted(rest).map(|path| Import::Searched(path.to_owned()))
}

/// `("../a", __FILE__)`: relative to the file itself as if it were a folder, or to its folder
/// (`__dir__`).
fn beside(rest: &str) -> Option<Import> {
    let rest = rest.trim_start_matches([' ', '(']);
    let path = quoted(rest)?;
    let from_file = rest.contains("__FILE__");
    let path = if from_file {
        path.strip_prefix("../")?
    } else {
        rest.contains("__dir__").then_some(path)?
    };
    Some(Import::Quoted(path.to_owned()))
}

/// Returns a text without code in it.
fn quoted(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (path, _) = rest[1..].split_once(quote)?;
    (!path.contains("#{")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn statements_are_found_and_texts_are_not() {
        let text = "require 'json'\nrequire_relative \"a/b\"\nrequire(\"c\") if d\n=begin\nrequire 'no'\n=end\nx = <<~TEXT\n  require 'no'\nTEXT\nautoload :E, 'e/f'\nrequire_relative \"#{g}\"\nrequire File.expand_path('../h', __FILE__)\nrequired 'no'\nputs \"require 'no'\"\n__END__\nrequire 'no'\n";
        assert_eq!(shown("ruby", text), ["<json", "a/b", "<c", "<e/f", "h"]);
    }
}
