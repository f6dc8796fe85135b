//! Files whose name says that they hold secrets, whatever the names inside them.

use std::ops::Range;

use super::phrases::is_seed;
use super::values::{is_made, is_mixed, is_password, is_secret, is_uuid};
use crate::split::{name, place_in};

/// Returns the secrets of a file known by its name: a file that is only a secret (`master.key`,
/// `db_password.txt`), settings of which any may be one (`.env`, `secrets.toml`), and lists of
/// users.
pub(super) fn told_by_name(path: &str, text: &str) -> Vec<Range<usize>> {
    match held_by(path) {
        None => Vec::new(),
        Some(Held::Whole) => whole(text).into_iter().collect(),
        Some(Held::Lines(holds)) => {
            let lines = text.lines().take(MOST_LINES).filter_map(holds);
            lines.map(|value| place_of(text, value)).collect()
        }
    }
}

/// Whether a file is known by its name.
pub(super) fn is_known(path: &str) -> bool {
    held_by(path).is_some()
}

/// What is secret in a file.
enum Held {
    /// Its only word.
    Whole,
    /// What this returns of a line.
    Lines(fn(&str) -> Option<&str>),
}

fn held_by(path: &str) -> Option<Held> {
    let name = name(path).to_ascii_lowercase();
    if EXAMPLES.iter().any(|it| name.contains(it)) {
        None
    } else if is_settings(&name) {
        Some(Held::Lines(random_setting))
    } else if name == ".pgpass" || name == "pgpass.conf" {
        Some(Held::Lines(fifth))
    } else if is_of_users(&name) {
        Some(Held::Lines(made_word))
    } else {
        is_of_one(&name).then_some(Held::Whole)
    }
}

/// Names of files that show how others look.
const EXAMPLES: [&str; 6] = ["example", "sample", "template", "dist", "test", "schema"];

/// The most lines of a file that are read.
const MOST_LINES: usize = 2000;

fn place_of(text: &str, value: &str) -> Range<usize> {
    let at = place_in(text, value);
    at..at + value.len()
}

/// Whether a file's name calls its content a secret.
fn is_of_one(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "vault_pass",
        "mnemonic",
        "api_key",
        "apikey",
    ];
    let (stem, kind) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_key = kind == "key" && !stem.ends_with("public");
    let is_called = is_key || WORDS.iter().any(|word| name.contains(word));
    let is_text =
        name.starts_with('.') || ["", "key", "txt", "secret", "pass", "token"].contains(&kind);
    is_called && is_text
}

/// Returns the content of a one-line file, if it may be a secret or the seed of a wallet.
fn whole(text: &str) -> Option<Range<usize>> {
    let value = text.trim();
    let is_one = value.len() <= 256 && !value.contains(char::is_whitespace);
    let holds = is_one && (is_secret(value) || is_password(value)) || is_seed(value);
    holds.then(|| place_of(text, value))
}

/// Whether a file is a list of users. A program may be called `create-secrets`.
fn is_of_users(name: &str) -> bool {
    name.ends_with(".secrets") || ["chap-secrets", "pap-secrets"].contains(&name)
}

/// Whether a file has private settings.
fn is_settings(name: &str) -> bool {
    const KINDS: [&str; 7] = [
        "toml",
        "yml",
        "yaml",
        "json",
        "env",
        "properties",
        "xcconfig",
    ];
    // Of functions in a cloud, and of what gives tools to a model.
    const MACHINES: [&str; 5] = [
        "credentials",
        "local.settings.json",
        ".mcp.json",
        "mcp.json",
        "claude_desktop_config.json",
    ];
    let (stem, kind) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_secret = stem.ends_with("secrets") || stem.ends_with("credentials");
    let is_of_machine = name.starts_with(".env") || MACHINES.contains(&name);
    is_of_machine || name.starts_with(".dev.vars") || is_secret && KINDS.contains(&kind)
}

/// `NAME=value`, `name: value`, `"name": "value"`: returns the value if it is random.
fn random_setting(line: &str) -> Option<&str> {
    const OPEN: [&str; 13] = [
        "id", "url", "uri", "public", "sha", "hash", "dsn", "version", "commit", "digest", "rev",
        "sum", "md",
    ];
    let line = line.trim_start_matches(':');
    let (key, value) = line.split_once(['=', ':'])?;
    let key = key.trim_matches(['"', '\'', ' ', '+']).to_ascii_lowercase();
    let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
    // `MD5`, `GIT_SHA1`
    let kind = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_open =
        key.starts_with('#') || key.contains("public") || OPEN.iter().any(|it| kind.ends_with(it));
    let is_number = || value.len() >= 32 && value.bytes().all(|b| b.is_ascii_hexdigit());
    let is_random = value.len() >= 20 && (is_mixed(value) || is_number());
    let holds = is_random && is_secret(value) && !is_uuid(value);
    (holds && !is_open).then_some(value)
}

/// `host:port:database:user:password`
fn fifth(line: &str) -> Option<&str> {
    let password = line.splitn(5, ':').nth(4)?;
    is_password(password).then_some(password)
}

/// `user:password`, `user server password *`
fn made_word(line: &str) -> Option<&str> {
    let mut words = line.split([' ', '\t', ':', '"']).skip(1);
    words.find(|word| is_password(word) && is_made(word))
}

#[cfg(test)]
mod tests {
    use super::super::find_in;

    const T: &str = "x9Kq2mZ7vB4nT1wY8rL5pD3s";
    const SEED: &str =
        "legal winner thank year wave sausage worth useful actor doctor yellow zebra";
    const HEX: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

    #[test]
    fn a_file_is_told_by_its_name() {
        for (path, text) in [
            ("config/master.key", format!("{HEX}\n")),
            ("config/credentials/production.key", HEX.to_owned()),
            (".vault_pass", "Winter2025#nAr\n".to_owned()),
            ("secrets/db_password.txt", "Winter2025#nAr".to_owned()),
            (".secret", format!("{SEED}\n")),
            ("mnemonic.txt", SEED.to_owned()),
            (".env", format!("PORT=1\nMAILGUN={T}\n")),
            (".env.production", format!("MAILGUN='{T}'\n")),
            (".streamlit/secrets.toml", format!("OPENAI = \"{T}\"\n")),
            (".dev.vars", format!("TURNSTILE={T}\n")),
            (".gem/credentials", format!(":rubygems: a\n:mine: {T}\n")),
            (".env", format!("MAILER={HEX}\n")),
            ("ios/Secrets.xcconfig", format!("MAPS = {T}\n")),
            ("local.settings.json", format!("    \"Maps\": \"{T}\",\n")),
            (
                ".cursor/mcp.json",
                format!("\"env\": {{\n  \"BRAVE_SEARCH\": \"{T}\"\n}}\n"),
            ),
            ("credentials.json", format!("{{\n  \"x.org\": \"{T}\"\n}}")),
            (
                ".pgpass",
                "10.0.0.3:15432:app:me:Winter2025#nAr\n".to_owned(),
            ),
            ("etc/rsyncd.secrets", "backup:Winter2025#nAr\n".to_owned()),
            (
                "ppp/chap-secrets",
                "# client\nvpn * Winter2025#nAr *\n".to_owned(),
            ),
        ] {
            assert_eq!(find_in(path, &text).len(), 1, "{path}");
            assert!(find_in("a.txt", &text).is_empty(), "{path}");
        }
    }

    #[test]
    fn what_its_name_calls_otherwise_is_none() {
        for (path, text) in [
            ("a.md5", format!("{HEX}\n")),
            ("public.key", format!("{HEX}\n")),
            ("src/token.rs", format!("{T}\n")),
            ("password.txt", "password\n".to_owned()),
            ("secret_words.txt", "the Words2 of it\n".to_owned()),
            (".env.example", format!("MAILGUN={T}\n")),
            (
                ".env",
                format!("APP_ID={T}\nCOMMIT={HEX}\nGIT_SHA1={HEX}\nMD5={HEX}\nMODE=production\n"),
            ),
            (
                "bin/create-secrets",
                "make App1-Secret --from=Key1.pem\n".into(),
            ),
            ("secrets.py", format!("x = \"{T}\"\n")),
        ] {
            assert!(find_in(path, &text).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_line_is_told_once() {
        let text = format!("API_KEY={T}\nMAILGUN={T}\nDB_PASSWORD={T}\n");
        let lines: Vec<_> = find_in(".env", &text).iter().map(|it| it.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }
}
