//! Finds what a file declares by name.

use std::ops::Range;

use super::heads::above;
use super::sections::is_prose;
use super::tree::Declaration;
use crate::nearest::nearest;
use crate::split;

/// Why a symbol was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSymbol {
    /// The file declares other names; the nearest of them.
    Other(Option<String>),
    /// It declares nothing that could be found: its language has no parser here, or it is too
    /// large.
    NoNames,
}

/// Returns the lines of the declaration with this name in a text with these declarations, in order,
/// with the comments and attributes above: a type and what is implemented for it, or all functions
/// of one name.
///
/// The name may be preceded by what encloses it: `Config::load` or `Config.load`. What a head says
/// before the name counts too, as in `func (c *Config) load()`. In documents and settings, names
/// are headings, tables and keys.
///
/// # Errors
///
/// See [`NoSymbol`].
pub fn find(
    language: &str,
    text: &str,
    declared: &[Declaration],
    symbol: &str,
) -> Result<Vec<Range<usize>>, NoSymbol> {
    let lines = split::lines(text);
    if declared.is_empty() {
        return Err(NoSymbol::NoNames);
    }
    let named = chains(declared);
    // Kotlin's backticks are no part of a name, but those of a title in a script are.
    let plain = symbol.replace('`', "");
    let asked = [symbol, plain.as_str()].into_iter().flat_map(|symbol| {
        let by_words: Vec<&str> = symbol.split("::").collect();
        let parts = by_words.iter();
        let by_signs = parts.flat_map(|part| part.split(['.', '#'])).collect();
        [by_words, by_signs]
    });
    let found = asked.into_iter().find_map(|asked: Vec<&str>| {
        let found = named.iter().filter(|named| named.is(&asked, &lines));
        let found: Vec<&Named<'_>> = found.collect();
        (!found.is_empty()).then_some(found)
    });
    let Some(found) = found else {
        return Err(NoSymbol::Other(nearest_name(&named, symbol)));
    };
    let whole = found.into_iter().map(|named| {
        let Range { start, end } = named.it.lines;
        let start = if is_prose(language) {
            start
        } else {
            above(&lines, named.from, start)
        };
        start..end.min(lines.len())
    });
    Ok(outermost(whole.collect()))
}

/// A declaration with those that enclose it.
struct Named<'a> {
    it: &'a Declaration,
    owners: Vec<&'a str>,
    /// The line after what comes before it.
    from: usize,
}

impl Named<'_> {
    /// Whether this is meant: its own name is the last, and those before it are names of what
    /// encloses it, or words of its head.
    fn is(&self, asked: &[&str], lines: &[&str]) -> bool {
        let Some((name, owners)) = asked.split_last() else {
            return false;
        };
        let own = self.it.name.as_str();
        let last = own.rsplit("::").next().unwrap_or(own);
        if own != *name && last != *name {
            return false;
        }
        self.owners.ends_with(owners) || matches!(owners, [owner] if self.says_before(owner, lines))
    }

    fn says_before(&self, owner: &str, lines: &[&str]) -> bool {
        let head = lines.get(self.it.name_line).copied().unwrap_or_default();
        let head = head.rfind(self.it.name.as_str()).map_or(head, |at| {
            let own = self.it.name.rfind("::").unwrap_or(0);
            &head[..at + own]
        });
        let mut words = head.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == owner)
    }

    fn full_name(&self) -> String {
        let names = self.owners.iter().copied();
        let names: Vec<&str> = names.chain([self.it.name.as_str()]).collect();
        names.join("::")
    }
}

fn chains(declared: &[Declaration]) -> Vec<Named<'_>> {
    let mut named: Vec<Named<'_>> = Vec::with_capacity(declared.len());
    let mut open: Vec<&Declaration> = Vec::new();
    for it in declared {
        open.truncate(it.depth);
        let before = named.last().map_or(0, |last| {
            if last.it.depth < it.depth {
                last.it.head_end
            } else {
                last.it.lines.end
            }
        });
        named.push(Named {
            it,
            owners: open.iter().map(|owner| owner.name.as_str()).collect(),
            from: before.min(it.lines.start),
        });
        open.push(it);
    }
    named
}

/// Returns the name that was probably meant: by all of it, or by its last word.
fn nearest_name(named: &[Named<'_>], symbol: &str) -> Option<String> {
    let full: Vec<String> = named.iter().map(Named::full_name).collect();
    let symbol = symbol.replace(['.', '#'], "::");
    if let Some(near) = nearest(&symbol, full.iter().map(String::as_str)) {
        return Some(near.to_owned());
    }
    let last = symbol.rsplit("::").next()?;
    let near = nearest(last, named.iter().map(|named| named.it.name.as_str()))?;
    let at = named.iter().position(|named| named.it.name == near)?;
    Some(full.get(at)?.clone())
}

/// Returns ranges in order, without those that are inside others.
fn outermost(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    ranges.dedup_by(|next, last| next.end <= last.end);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Wanted, has_grammar, parse, without_grammar};

    fn find(language: &str, text: &str, symbol: &str) -> Result<Vec<Range<usize>>, NoSymbol> {
        let declared = if has_grammar(language, text) {
            let parsed = parse(language, text, Wanted::Declared);
            assert!(parsed.is_sound(Wanted::Declared, text.lines().count()));
            parsed.declared
        } else {
            without_grammar(language, text, Wanted::Declared).declared
        };
        super::find(language, text, &declared, symbol)
    }

    fn at(lines: &[(usize, usize)]) -> Vec<Range<usize>> {
        lines.iter().map(|(start, end)| *start..*end).collect()
    }

    #[cfg(feature = "languages")]
    #[test]
    fn a_test_is_found_by_the_name_that_its_macro_or_its_quotes_give_it() {
        let cpp = "TEST_F(Parser, ReadsNumbers) {\n}\n\nTEST(Parser, ReadsLists) {\n}\n\nBOOST_AUTO_TEST_CASE(reads_all) {\n}\n";
        assert_eq!(find("cpp", cpp, "Parser.ReadsNumbers"), Ok(at(&[(0, 2)])));
        assert_eq!(find("cpp", cpp, "Parser::ReadsLists"), Ok(at(&[(3, 5)])));
        assert_eq!(find("cpp", cpp, "ReadsLists"), Ok(at(&[(3, 5)])));
        assert_eq!(find("cpp", cpp, "reads_all"), Ok(at(&[(6, 8)])));
        let kotlin = "class T {\n    @Test\n    fun `adds two numbers`() {\n    }\n}\n";
        for name in [
            "adds two numbers",
            "`adds two numbers`",
            "T::adds two numbers",
        ] {
            assert_eq!(find("kotlin", kotlin, name), Ok(at(&[(1, 4)])), "{name}");
        }
        let script = "describe(`adds two`, () => {\n  add();\n});\n";
        assert_eq!(
            find("javascript", script, "describe `adds two`"),
            Ok(at(&[(0, 3)]))
        );
    }

    #[cfg(feature = "languages")]
    #[test]
    fn what_is_declared_is_found_by_its_name() {
        let rust = "\
struct Config;

/// Loads it.
#[must_use]
fn load() {}

impl Config {
    // Reads.
    fn load() {
    }

    fn save() {}
}
";
        let find = |symbol| find("rust", rust, symbol);
        assert_eq!(find("Config::load"), Ok(at(&[(7, 10)])));
        assert_eq!(find("Config.load"), Ok(at(&[(7, 10)])));
        assert_eq!(find("load"), Ok(at(&[(2, 5), (7, 10)])));
        assert_eq!(find("Config"), Ok(at(&[(0, 1), (6, 13)])));
        let near = |name: &str| Err(NoSymbol::Other(Some(name.into())));
        assert_eq!(find("Config::laod"), near("Config::load"));
        assert_eq!(find("Cfg::save"), near("Config::save"));
        assert_eq!(find("zebra"), Err(NoSymbol::Other(None)));
    }

    #[cfg(feature = "languages")]
    #[test]
    fn what_a_head_says_before_the_name_counts() {
        let go = "package a\n\nfunc (c *Config) Load() {\n}\n\nfunc (o *Other) Load() {\n}\n";
        assert_eq!(find("go", go, "Config.Load"), Ok(at(&[(2, 4)])));
        let cpp = "void Config::load() {\n}\n\nvoid Other::load() {\n}\n";
        assert_eq!(find("cpp", cpp, "Config::load"), Ok(at(&[(0, 2)])));
        assert_eq!(find("cpp", cpp, "load"), Ok(at(&[(0, 2), (3, 5)])));
    }

    #[test]
    fn headings_and_tables_are_names_too() {
        let text = "# Guide\n\nIntro.\n\n## 1.2 Rules\n\nObey.\n\n## Others\n\nNo.\n";
        assert_eq!(find("markdown", text, "1.2 Rules"), Ok(at(&[(4, 8)])));
        let toml = "[package]\nname = \"a\"\n\n[dependencies]\nb = \"1\"\n";
        assert_eq!(find("toml", toml, "dependencies"), Ok(at(&[(3, 5)])));
        assert_eq!(find("", "text\n", "text"), Err(NoSymbol::NoNames));
    }
}
