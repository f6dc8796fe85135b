//! `packer trust`: the templates that a repository brings, which are rendered only once their
//! reader has agreed.

mod record;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use context_packer::command::show;
use context_packer::templates::{Isolation, MAX_TEMPLATE, Source, Withheld};
use context_packer::{ContextPacker, Templates};
use sha2::{Digest as _, Sha256};

use self::record::{Record, Texts, record_file};
use self::told::Told;
use super::report::{Terminal, print, say, sentence};
use super::{CheckFailed, Format, Global};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer trust
  packer trust --whole
  packer trust --yes
  packer trust --format json
  packer render audit.j2 --role auditor --task 'Audit it' --trust-hash \"$TEMPLATES_HASH\"";

/// Where a repository has templates.
pub(super) const FOLDER: &str = ".packer/templates";

/// The most templates of a repository, and the most bytes of all of them.
const MAX_TEMPLATES: usize = 200;
const MAX_BYTES: usize = 2 * 1024 * 1024;

#[derive(Debug, clap::Args)]
pub(super) struct TrustArgs {
    /// Trust them without asking
    #[arg(short, long, conflicts_with = "forget")]
    yes: bool,

    /// Stop trusting the templates of this repository
    #[arg(long)]
    forget: bool,

    /// Print changed templates whole, and unchanged ones too
    #[arg(long, conflicts_with_all = ["forget", "format"])]
    whole: bool,

    /// Print the templates and their hash, then ask; or print them as JSON
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Which of a repository's templates are rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rendered {
    /// The trusted ones.
    Trusted,
    /// All, because nobody gets what is rendered.
    ForCheck,
}

/// The templates that a repository brings.
struct Brought {
    /// Their texts by their names.
    texts: BTreeMap<String, String>,
}

pub(super) fn run(global: &Global, args: &TrustArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let packer = ContextPacker::open(global.root()?)?;
    let place =
        record_file().context("there is no folder to record it in: set `XDG_CONFIG_HOME`")?;
    let texts = Texts::beside(&place);
    let mut record = Record::read()?;
    if args.forget {
        let was_trusted = record.of(&packer).is_some();
        record.forget(&packer);
        // The same templates of another place are these.
        let same = Brought::read(&packer).ok();
        let same = same.and_then(|brought| record.trusted.remove(&brought.hash()));
        if !was_trusted && same.is_none() {
            terminal.summary(&format!("`{FOLDER}` was not trusted"));
            return Ok(());
        }
        record.write(&place)?;
        texts.leave(&record);
        terminal.summary(&format!("`{FOLDER}` is no longer trusted"));
        return Ok(());
    }
    let brought = Brought::read(&packer)?;
    anyhow::ensure!(
        !brought.texts.is_empty(),
        "there are no templates in `{}`: their names must end in `.j2`",
        show::path(&packer.root().join(FOLDER))
    );
    let told = Told::of(&brought, &record, &texts, &packer);
    match args.format {
        Format::Json => print(&told.json()?)?,
        Format::Text => print(&told.text(args.whole))?,
    }
    let is_agreed = told.trusted || args.yes;
    if !is_agreed && args.format == Format::Json {
        return Ok(());
    }
    if !is_agreed && !agrees()? {
        terminal.summary("nothing was trusted; use `--yes` to trust without being asked");
        return Err(CheckFailed.into());
    }
    texts.keep(&brought)?;
    record.trust(&brought, &packer);
    record.write(&place)?;
    texts.leave(&record);
    terminal.summary(&format!("trusted, by `{}`", show::path(&place)));
    Ok(())
}

/// Adds the templates of a repository, or says why they may not be rendered.
pub(super) fn add(
    templates: Templates,
    packer: &ContextPacker,
    rendered: Rendered,
    given: &[String],
    isolation: Isolation,
) -> anyhow::Result<Templates> {
    let record = match rendered {
        Rendered::Trusted => Record::read(),
        Rendered::ForCheck => Ok(Record::default()),
    };
    let known = record.iter().flat_map(|record| record.names(packer));
    let mut names: BTreeSet<String> = known.cloned().collect();
    let was_trusted = !names.is_empty() || !given.is_empty();
    names.extend(self::names(packer).into_iter().flatten());
    if names.is_empty() {
        return Ok(templates);
    }
    match Brought::to_render(packer, record, rendered, given) {
        Ok(brought) => {
            let root = packer.root().join(FOLDER);
            let texts = brought.texts.into_iter().map(|(name, text)| {
                let origin = root.join(&name).display().to_string();
                (name, Source { text, origin })
            });
            Ok(templates.texts(texts, isolation)?)
        }
        Err((why, help)) => Ok(templates.withhold(Withheld {
            names: names.into_iter().collect(),
            why: format!("of `{FOLDER}` {why}"),
            help: help.to_owned(),
            has_substitutes: !was_trusted,
        })),
    }
}

/// Reads the hash of a set of templates as `packer trust` prints it; an empty text stands for none.
pub(super) fn hash(text: &str) -> Result<String, String> {
    let text = text.trim();
    // A variable that is empty says nothing.
    if text.is_empty() {
        return Ok(String::new());
    }
    let digits = text.strip_prefix("sha256:");
    let is_hash = digits.is_some_and(|digits| {
        digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if is_hash {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(
            "it is not a hash as `packer trust` prints it: `sha256:` and 64 hexadecimal digits"
                .into(),
        )
    }
}

/// Returns the names of a repository's templates.
fn names(packer: &ContextPacker) -> anyhow::Result<Vec<String>> {
    let names = packer.own_files(FOLDER)?.into_iter();
    let names = names.filter(|(name, is_file)| *is_file && name.ends_with(".j2"));
    Ok(names.map(|(name, _)| name).collect())
}

impl Brought {
    fn read(packer: &ContextPacker) -> anyhow::Result<Brought> {
        let names = names(packer)?;
        anyhow::ensure!(
            names.len() <= MAX_TEMPLATES,
            "`{FOLDER}` has {} templates, and the limit is {MAX_TEMPLATES}",
            names.len()
        );
        let mut texts = BTreeMap::new();
        let mut left = MAX_BYTES;
        for name in names {
            let text = packer.read_own(&format!("{FOLDER}/{name}"), MAX_TEMPLATE)?;
            let bytes = text.as_ref().map_or(0, String::len);
            left = left.checked_sub(bytes).with_context(|| {
                format!(
                    "the templates of `{FOLDER}` take more than {} MiB",
                    MAX_BYTES >> 20
                )
            })?;
            texts.extend(text.map(|text| (name, text)));
        }
        Ok(Brought { texts })
    }

    /// Returns those that are rendered, or else why none is, and what to do about it.
    fn to_render(
        packer: &ContextPacker,
        record: anyhow::Result<Record>,
        rendered: Rendered,
        given: &[String],
    ) -> Result<Brought, (String, &'static str)> {
        let unread = |why| format!("is not rendered: {}", sentence(&why));
        let brought =
            Brought::read(packer).map_err(|why| (unread(why), "`packer trust` shows them"))?;
        let record = record.map_err(|why| {
            let help = "fix or delete the file, and trust the templates again with `packer trust`";
            (unread(why), help)
        })?;
        let hash = brought.hash();
        // Who gives a hash means that one, whatever this machine trusts.
        let is_trusted = if given.is_empty() {
            record.trusted.contains_key(&hash)
        } else {
            given.contains(&hash)
        };
        if is_trusted || rendered == Rendered::ForCheck {
            return Ok(brought);
        }
        Err(if !given.is_empty() {
            let why =
                format!("is not trusted: its hash is `{hash}`, but `--trust-hash` has another");
            (why, "run `packer trust` to see what is there now")
        } else if record.names(packer).next().is_some() {
            let help = "run `packer trust` to review the change and trust it again";
            ("has changed since it was trusted".into(), help)
        } else {
            let help = "run `packer trust` to review and trust it";
            ("is not trusted on this machine".into(), help)
        })
    }

    /// Returns the hash of all of them: no other names and texts have it.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for part in self.texts.iter().flat_map(|(name, text)| [name, text]) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hex(hash)
    }

    fn hashes(&self) -> BTreeMap<String, String> {
        let hashes = self
            .texts
            .iter()
            .map(|(name, text)| (name.clone(), hash_of(text)));
        hashes.collect()
    }
}

/// Returns the files that decide which of a repository's templates are rendered, and as what.
#[cfg(feature = "preview")]
pub(super) fn files(packer: &ContextPacker) -> Vec<std::path::PathBuf> {
    let folder = packer.root().join(FOLDER);
    let names = names(packer).unwrap_or_default().into_iter();
    let mut files: Vec<_> = names.map(|name| folder.join(name)).collect();
    files.push(folder);
    files.extend(record_file());
    files
}

fn hash_of(text: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(text);
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    let mut text = "sha256:".to_owned();
    for byte in hash.finalize() {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// Asks whether they should be trusted, if somebody can answer.
fn agrees() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    say("Trust these templates on this machine? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(texts: &[(&str, &str)]) -> Brought {
        let texts = texts
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Brought {
            texts: texts.collect(),
        }
    }

    #[test]
    fn what_moves_between_names_and_texts_has_another_hash() {
        let all = [
            brought(&[("a", "b")]),
            brought(&[("ab", "")]),
            brought(&[("", "ab")]),
            brought(&[("a", ""), ("b", "")]),
            brought(&[("a", "b"), ("c", "d")]),
            brought(&[("a", "bcd")]),
        ];
        let hashes: BTreeSet<String> = all.iter().map(Brought::hash).collect();
        assert_eq!(hashes.len(), all.len());
        assert!(hashes.iter().all(|it| hash(it).as_ref() == Ok(it)));
    }

    #[test]
    fn a_hash_is_one_as_it_is_told() {
        assert!(hash("sha256:12").is_err());
        assert!(hash(&"a".repeat(64)).is_err());
        let given = format!("sha256:{}", "A".repeat(64));
        assert_eq!(
            hash(&given),
            Ok(given.to_ascii_lowercase().replace("SHA", "sha"))
        );
    }
}
