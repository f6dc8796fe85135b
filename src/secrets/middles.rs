//! Tokens known by something in their middle.

use std::ops::Range;

use super::escapes::{continues, ends_written_out, word_before};
use super::letters::{
    ahead, alphanumeric, base64, behind, dashed, dotted, hex, hex_dashed, letters_of, linked, run,
    slashed, webhook, word,
};
use super::tokens::{LEAST_SWITCHES, lower};
use super::values::{is_secret, is_uuid, switches};
use super::{Finds, Rule};
use crate::split::place_in;

macro_rules! middles {
    ($($kind:literal: $holds:ident, $($middle:literal)*;)*) => {
        &[$($(Rule { kind: $kind, beginning: $middle, is_known: true, finds: Finds::One($holds) }),*),*]
    };
}

pub(super) static MIDDLES: &[Rule] = middles! {
    "Telegram token": telegram, ":AA";
    "Terraform token": terraform, ".atlasv1.";
    "Mailchimp key": mailchimp, "-us1" "-us2" "-us3" "-us4" "-us5" "-us6" "-us7" "-us8" "-us9";
    "Azure client secret": azure, "0Q~" "1Q~" "2Q~" "3Q~" "4Q~" "5Q~" "6Q~" "7Q~" "8Q~" "9Q~";
    "Azure signature": signature, "sig=";
    "Teams webhook": teams, ".webhook.office.com/webhookb2/";
    "Azure registry password": azure_registry, "+ACR";
    "Azure function key": azure_function, ".azurewebsites.net/api/";
    "DeepL key": deepl, ":fx";
    "Firebase server key": firebase, ":APA91b";
    "Roblox cookie": roblox, "-items.|_";
    "IFTTT key": path_key, "ifttt.com/trigger/";
    "chat webhook": hook, "/hooks/";
    "Discord token": discord, ".";
    "Airtable token": airtable, ".";
    "Azure DevOps token": devops, "AZDO";
    "Azure AI key": azure_ai, "JQQJ99";
    "New Relic key": new_relic, "NRAL" "-NRMA";
    "MaxMind key": maxmind, "_mmk";
    "Twitter token": twitter, "AAAAAAAAAAAAAAAAAAAAA";
    "OpenAI key": openai, "T3BlbkFJ";
    "Azure storage key": account_key, ".account.key." "\"key\": \"";
    "Azure key": azure_key, "ACDb" "APIM" "+ABa" "+ASt" "+AMC" "AIoT" "+ASb" "+AEh" "+ARm" "AzFu" "AzSe" "AzCa";
    "Authress key": authress, ".acc-" ".acc_";
    "RapidAPI key": rapid, "jsn";
    "Unleash token": unleash, ":development." ":production.";
    "Tines webhook": tines, ".tines.com/webhook/";
    "Tableau token": tableau, "==:";
    "Dropbox token": dropbox, "AAAAAAAAAA";
    "K3s token": cluster, "::server:" "::node:";
};

/// `123456789:AA…`: the number of the bot, then the secret.
fn telegram(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let number = word_before(text, start, 16, |b| b.is_ascii_digit());
    let exact = text[start..end] == *":AA" && (8..=11).contains(&number);
    let length = exact.then(|| run(text, end, dashed, 33..=33))??;
    Some(start - number..end + length)
}

/// `"fs.azure.account.key.name.dfs.core.windows.net", "…"`, `"Key": "…"` of a database: sixty-four
/// bytes in base64 on the same line. A value that is named as a hash is not one.
fn account_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const LENGTH: usize = 88;
    let line = ahead(text, end).lines().next()?;
    let is_next = text[end - 1..].starts_with('"');
    let rest = if is_next {
        line
    } else {
        &line[line.find(['"', '\'', '=', ' '])?..]
    };
    let value = if is_next {
        rest
    } else {
        rest.trim_start_matches(['"', '\'', '=', ' ', ','])
    };
    let length = letters_of(value, 0, LENGTH + 1, base64);
    let holds = length == LENGTH && value[..length].ends_with("==") && is_secret(&value[..length]);
    let at = place_in(text, value);
    holds.then_some(start..at + length)
}

fn terraform(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 20, alphanumeric);
    let length = run(text, end, linked, 60..=70).filter(|_| name == 14)?;
    Some(start - name..end + length)
}

/// Thirty-two hexadecimal digits, then the data centre.
fn mailchimp(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let key = word_before(text, start, 40, hex);
    let length = run(text, end, |b| b.is_ascii_digit(), 0..=1).filter(|_| key == 32)?;
    Some(start - key..end + length)
}

fn azure(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let letter = |b: u8| dotted(b) || b == b'~';
    let first = word_before(text, start, 8, letter);
    let exact = text[start..end].ends_with("Q~") && first == 3;
    let length = exact.then(|| run(text, end, letter, 31..=34))??;
    Some(start - first..end + length)
}

/// `&sig=…%3D` in the address of a shared file; the escapes may be escaped once more.
fn signature(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let before = text.as_bytes()[..start].last();
    let is_written = || ends_written_out(&text.as_bytes()[..start]);
    let asked = matches!(before, Some(b'?' | b'&' | b';')) || is_written();
    let length = letters_of(text, end, 128, |b| base64(b) || b == b'%');
    let value = &text[end..end + length];
    let padded = ["%3D", "%3d", "%253D", "%253d", "="];
    let padded = padded.iter().any(|sign| value.ends_with(sign));
    if asked && padded && length >= 44 {
        return Some(start..end + length);
    }
    // Those of workflows have no sign at the end, and the version before them; of others it is
    // left out by whoever copies them, and their version is a date.
    let length = letters_of(text, end, 48, dashed);
    let address = behind(text, start);
    let versioned = address.contains("&sv=1.0&") || address.contains("sv=20");
    (asked && versioned && length == 43).then_some(start..end + length)
}

/// `sk-…T3BlbkFJ…`, whatever stands between.
fn openai(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 200, dashed);
    let is_key = first >= 20 && text[start - first..].starts_with("sk-");
    let exact = text[start..end] == *"T3BlbkFJ";
    let length = (is_key && exact).then(|| run(text, end, dashed, 20..=200))??;
    Some(start - first..end + length)
}

/// Thirty-two or sixty-four bytes; the last of them name the service and hold a checksum of the
/// others.
fn azure_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (first, last, sign) = match &text[start..end] {
        "ACDb" | "APIM" | "+ABa" | "+ASt" | "+AMC" => (76, 6, "=="),
        "AIoT" => (33, 6, "="),
        "+ASb" | "+AEh" | "+ARm" => (33, 6, "="),
        "AzFu" => (44, 6, "=="),
        "AzSe" => (42, 6, ""),
        "AzCa" => (33, 6, "="),
        _ => return None,
    };
    let letter = |b: u8| base64(b) && b != b'=' || b == b'-' || b == b'_';
    let before = word_before(text, start, 100, letter);
    let length = letters_of(text, end, 100, letter);
    let ends = text[end + length..].starts_with(sign);
    let end = end + length + sign.len();
    let holds = before == first && length == last && ends && letters_of(text, end, 1, base64) == 0;
    holds.then_some(start - before..end)
}

/// `sc_….abcd.acc-….…`
fn authress(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 60, dotted);
    let begins = |it: &&str| text[start - first..].starts_with(*it);
    let is_key = ["sc_", "ext_", "scauth_", "authress_"].iter().any(begins);
    let length = run(text, end, linked, 41..=160).filter(|_| is_key)?;
    Some(start - first..end + length)
}

/// `…msh…p1…jsn…`
fn rapid(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 60, lower);
    let key = &text[start - first..start];
    let is_key = (30..=40).contains(&first) && key.contains("msh") && key.contains("p1");
    let length = is_key.then(|| run(text, end, lower, 9..=14))??;
    Some(start - first..end + length)
}

/// `project:environment.…`
fn unleash(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let project = before_mark(text, start);
    let length = run(text, end, hex, 56..=64)?;
    Some(start - project..end + length)
}

fn before_mark(text: &str, start: usize) -> usize {
    word_before(text, start, 40, |b| dashed(b) || b == b'*')
}

/// Two parts of an address.
fn tines(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = run(text, end, slashed, 65..=65)?;
    Some(start..end + length)
}

/// `…==:…`
fn tableau(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 30, base64);
    let length = run(text, end, alphanumeric, 32..=32).filter(|_| first == 22)?;
    Some(start - first..end + length)
}

/// Eleven letters, then a fixed number of `A`, then forty-three letters, as a literal.
fn dropbox(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let exact = text[start..end].bytes().all(|b| b == b'A') && !text[end..].starts_with('A');
    let first = exact.then(|| word_before(text, start, 24, dashed))?;
    let length = run(text, end, dashed, 43..=43).filter(|_| first == 11)?;
    let quote = text[..start - first].bytes().next_back();
    let is_literal = matches!(quote, Some(b'"' | b'\''));
    let closes = text.as_bytes().get(end + length).copied() == quote;
    (is_literal && closes).then_some(start - first..end + length)
}

/// `K10…::server:…`
fn cluster(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 80, alphanumeric);
    let is_one = first == 67 && text[start - first..].starts_with("K10");
    let length = run(text, end, alphanumeric, 16..=80).filter(|_| is_one)?;
    Some(start - first..end + length)
}

/// User, time and signature joined by dots; `start` is the place of the first dot.
fn discord(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let who = word_before(text, start, 32, dashed);
    // The sign of a line in a diff, or of a list, is no part of it.
    let who = text[start - who..start].trim_start_matches('-').len();
    let is_number = matches!(
        text.as_bytes()[start - who..start].first(),
        Some(b'M' | b'N' | b'O')
    );
    if !is_number || !(23..=28).contains(&who) || letters_of(text, end, 7, dashed) != 6 {
        return None;
    }
    let second = end + 6;
    let proof = letters_of(text, second + 1, 48, dashed);
    let closed = text.as_bytes()[second] == b'.' && (27..=40).contains(&proof);
    closed.then_some(start - who..second + 1 + proof)
}

/// `pat…`, and after the dot 64 hexadecimal digits.
fn airtable(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 20, alphanumeric);
    let is_one = name == 17 && text[start - name..].starts_with("pat");
    let length = run(text, end, hex, 64..=64).filter(|_| is_one)?;
    Some(start - name..end + length)
}

fn devops(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 80, alphanumeric);
    let exact = text[start..end] == *"AZDO" && name == 76;
    let length = exact.then(|| run(text, end, alphanumeric, 4..=4))??;
    Some(start - name..end + length)
}

fn azure_ai(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 64, alphanumeric);
    let exact = text[start..end] == *"JQQJ99" && (30..=60).contains(&name);
    let length = exact.then(|| run(text, end, alphanumeric, 20..=40))??;
    Some(start - name..end + length)
}

/// Forty letters with the mark. A region may precede: `eu01xx…FFFFNRAL`; keys for mobile apps have
/// two more letters before their mark.
fn new_relic(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let key = word_before(text, start, 48, alphanumeric);
    let length = match &text[start..end] {
        "NRAL" => 36,
        "-NRMA" => 42,
        _ => return None,
    };
    let ends = letters_of(text, end, 1, word) == 0;
    let shown = &text[start - key..start];
    let tail = shown.len().saturating_sub(30);
    let holds = key == length && ends && shown[tail..].bytes().all(hex);
    (holds && switches(shown) >= LEAST_SWITCHES).then_some(start - key..end)
}

/// Six letters and twenty-nine before the mark.
fn maxmind(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let key = word_before(text, start, 48, word);
    let is_key = key == 36 && text[start - key + 6..].starts_with('_');
    let ends = letters_of(text, end, 1, word) == 0 && text[start..end] == *"_mmk";
    (is_key && ends && switches(&text[start - key..start]) >= LEAST_SWITCHES)
        .then_some(start - key..end)
}

/// A bearer token of an application: it contains escaped signs, as data never does.
fn twitter(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let exact = text[start..end].bytes().all(|b| b == b'A');
    let is_first = exact && !continues(text, start);
    let length = is_first.then(|| run(text, end, |b| alphanumeric(b) || b == b'%', 60..=110))??;
    let value = &text[end..end + length];
    let is_written = ["%3D", "%2F", "%2B"]
        .iter()
        .any(|sign| value.contains(sign));
    is_written.then_some(start..end + length)
}

/// Forty-two letters, then the mark and six more.
fn azure_registry(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 60, base64);
    let exact = text[start..end] == *"+ACR" && first == 42;
    let length = exact.then(|| run(text, end, alphanumeric, 6..=6))??;
    Some(start - first..end + length)
}

/// `?code=…==` in the address of a function.
fn azure_function(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let address = letters_of(text, end, 200, |b| b.is_ascii_graphic() && b != b'=');
    let asked = &text[end..end + address];
    let is_code = ["?code", "&code"].iter().any(|name| asked.ends_with(name));
    let at = end + address + 1;
    let length = is_code.then(|| letters_of(text, at, 80, |b| dashed(b) || base64(b)))?;
    (length >= 44).then_some(start..at + length)
}

/// A number in the form of a UUID before the mark.
fn deepl(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let number = word_before(text, start, 40, hex_dashed);
    let is_number = number == 36 && is_uuid(&text[start - number..start]);
    let ends = !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_number && ends).then_some(start - number..end)
}

/// The number of the project before the mark.
fn firebase(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let number = word_before(text, start, 16, dashed);
    let length = run(text, end, dashed, 120..=180).filter(|_| number == 11)?;
    Some(start - number..end + length)
}

/// The text after a warning not to share it.
fn roblox(text: &str, _: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 2048, alphanumeric);
    (length >= 100).then_some(end..end + length)
}

/// `…/with/key/…`
fn path_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = letters_of(text, end, 64, dashed);
    let at = end + name + "/with/key/".len();
    let is_key = text.get(end + name..at) == Some("/with/key/");
    let length = is_key.then(|| run(text, at, dashed, 20..=64))??;
    Some(start..at + length)
}

/// `https://host/hooks/…`: twenty-six small letters and digits, or two parts.
fn hook(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_host = behind(text, start).rsplit_once("://");
    let is_host = is_host.is_some_and(|(_, host)| host.bytes().all(|b| dotted(b) || b == b':'));
    let value = |at: usize, letters, lengths| {
        let length = run(text, at, letters, lengths)?;
        (switches(&text[at..at + length]) >= LEAST_SWITCHES).then_some(at + length)
    };
    let long = || value(end, lower, 26..=26);
    let second = || {
        let first = end + run(text, end, alphanumeric, 17..=24)?;
        let is_next = text[first..].starts_with('/');
        is_next.then(|| value(first + 1, alphanumeric, 40..=64))?
    };
    let last = is_host.then(|| long().or_else(second))??;
    Some(start..last)
}

fn teams(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = run(text, end, webhook, 100..=300)?;
    Some(start..end + length)
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::samples::{HEX, RANDOM, UUID};

    #[test]
    fn a_key_of_an_account_is_told_by_its_length() {
        let key = format!("{}==", &RANDOM.repeat(4)[..86]);
        for text in [
            format!("\"fs.azure.account.key.a.dfs.core.windows.net\", \"{key}\""),
            format!("\"Key\": \"{key}\""),
        ] {
            let kinds: Vec<_> = find(&text).iter().map(|secret| secret.kind).collect();
            assert_eq!(kinds, ["Azure storage key"], "{text}");
        }
        assert!(find(&format!("\"key\": \"sha512-{key}\"")).is_empty());
    }

    #[test]
    fn tokens_are_told_by_what_is_in_their_middle() {
        let long = RANDOM.repeat(4);
        let registry = format!("{}+ACR{}", &long[..42], &RANDOM[..6]);
        let firebase = format!("AAAA{}:APA91b{}", &RANDOM[..7], &long[..134]);
        let twitter = format!("{}{}%3D{}", "A".repeat(21), &long[..30], &long[..40]);
        let workflow = format!("https://x.org/invoke?sp=a&sv=1.0&sig={}", &long[..43]);
        let marked = |first: usize, mark: &str, last: usize, sign: &str| {
            format!("{}{mark}{}{sign}", &long[..first], &long[..last])
        };
        let account = marked(76, "+ASt", 6, "==");
        let small = RANDOM.to_ascii_lowercase();
        for (kind, text) in [
            ("Azure registry password", &*registry),
            ("Firebase server key", &*firebase),
            ("Azure signature", &*workflow),
            ("DeepL key", &*format!("{UUID}:fx")),
            ("MaxMind key", &*format!("x9Kq2m_{}_mmk", &long[..29])),
            ("Twitter token", &twitter),
            ("Azure key", &account),
            ("Azure key", &marked(76, "ACDb", 6, "==")),
            ("Azure key", &marked(33, "AIoT", 6, "=")),
            ("Azure key", &marked(42, "AzSe", 6, "")),
            (
                "Azure signature",
                &*format!("x?sv=2022-11-02\\u0026sig={}%3D", &long[..43]),
            ),
            (
                "Azure signature",
                &*format!("x?sv=2022-11-02&sig={}%253D", &long[..43]),
            ),
            (
                "Azure signature",
                &*format!("x?sv=2022-11-02&sig={}", &long[..43]),
            ),
            (
                "OpenAI key",
                &*format!("sk-service-{}T3BlbkFJ{}", &long[..40], &long[..20]),
            ),
            (
                "Authress key",
                &*format!(
                    "sc_{}.a1b2.acc-{}.{}",
                    &small[..20],
                    &small[..12],
                    &long[..50]
                ),
            ),
            (
                "RapidAPI key",
                &*format!(
                    "{}msh{}p1{}jsn{}",
                    &small[..10],
                    &small[..15],
                    &small[..6],
                    &small[..12]
                ),
            ),
            (
                "Unleash token",
                &*format!("default:development.{}", &HEX.repeat(2)[..56]),
            ),
            ("K3s token", &*format!("K10{}::server:{HEX}", HEX.repeat(2))),
            ("New Relic key", &*format!("{HEX}FFFFNRAL")),
            ("New Relic key", &*format!("eu01xx{}FFFFNRAL", &HEX[..26])),
            ("New Relic key", &*format!("AA{HEX}{}-NRMA", &HEX[..8])),
            (
                "Tines webhook",
                &*format!("https://x.tines.com/webhook/{HEX}/{HEX}"),
            ),
            (
                "Tableau token",
                &*format!("{}==:{}", &long[..22], &long[..32]),
            ),
            (
                "Dropbox token",
                &*format!("'{}{}{}'", &long[..11], "A".repeat(10), &long[..43]),
            ),
        ] {
            let kinds: Vec<_> = find(text).iter().map(|secret| secret.kind).collect();
            assert_eq!(kinds, [kind], "{text}");
        }
        for text in [
            &registry[1..],
            &format!("{HEX}ABCDNRALS"),
            &format!("{}{}{}", &long[..11], "A".repeat(10), &long[..43]),
            &format!("{}==:{}", &long[..20], &long[..32]),
            &account[1..],
            &account[..account.len() - 1],
            &firebase[1..],
            &workflow.replace("1.0", "2.0"),
            &format!("{UUID}:fxmanifest"),
            &twitter.replace("%3D", "3D"),
            "an_entry_of_this_very_long_table_of_mmk",
            "a/hooks/0a1b2c3d4e5f6g7h8i9j0k1l2m",
            "https://x.org/hooks/abcdefghijklmnopqrstuvwxyz",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
