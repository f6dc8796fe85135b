//! Keys and web tokens.

use std::ops::Range;

use super::escapes::continues;
use super::letters::{ahead, base64, before, behind, dashed, letters_of, line_before, upper};
use super::values::is_mixed;
use crate::split::place_in;

/// `-----BEGIN RSA PRIVATE KEY-----`, with a key after it, or alone on its line, as where the rest
/// was cut off. A program that looks for such a line has it among other code.
pub(super) fn private_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let line = rest.split(['\n', '\r']).next()?;
    let name = &line[..line.find("-----")?];
    let length = name.len();
    let name = name.replace("%20", " ");
    if name.starts_with("OpenVPN ") {
        let is_key = name.contains("Static key") || name.contains("client key");
        return is_key.then_some(start..end + length);
    }
    let is_name = length <= 48 && name.bytes().all(|b| upper(b) || b == b' ');
    if !is_name || !name.ends_with("PRIVATE KEY") && !name.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let head = length + "-----".len();
    let behind = &rest[head..];
    let holds =
        is_followed(behind) || stands_alone(text, start, behind) || is_logged(text, start, behind);
    holds.then_some(start..end + head)
}

/// Returns where a key ends of which this is the beginning: before the line that says so, or with
/// the last of its letters.
pub(super) fn end_of(text: &str, beginning: &Range<usize>) -> usize {
    let is_dash = |c: char| matches!(c, '-' | ' ');
    let body = text[beginning.end..].trim_start_matches(is_dash);
    let at = place_in(text, body);
    let ends = |length: &usize| {
        let behind = body[*length..].trim_start_matches(is_dash);
        behind.starts_with("END")
    };
    // Only what begins with such a line ends with one.
    let has_head = text[beginning.start..].starts_with("----");
    let length = has_head.then(|| body.find("----")).flatten().filter(ends);
    let letters = || letters_of(body, 0, body.len(), |b| base64(b) || b"\r\n ".contains(&b));
    at + length.unwrap_or_else(letters)
}

/// Whether a key follows its header, or a line such as `Proc-Type: 4,ENCRYPTED`.
fn is_followed(rest: &str) -> bool {
    // In a string literal the line break is written `\n`, and in words there is none.
    let is_gap = |c: char| c.is_whitespace() || "\\nr".contains(c);
    let body = rest.trim_start_matches(is_gap);
    let gap = &rest[..rest.len() - body.len()];
    let in_key = |b: u8| base64(b) || b"-: ,.".contains(&b);
    let breaks = gap.contains(['\n', '\r', '\\']);
    // A literal for each line; among other code there are no names of so many letters.
    let next = body.trim_start_matches(|c| is_gap(c) || "\"'+,.".contains(c));
    // In documents and addresses breaks are written out.
    let written = ["&#10;", "&#xA;", "&#xa;", "%0D%0A", "%0A"].iter();
    let mut written = written.filter_map(|it| body.strip_prefix(it));
    let next = written.next().unwrap_or(next);
    breaks && letters_of(body, 0, 16, in_key) == 16 || letters_of(next, 0, 40, base64) == 40
}

/// Whether a key stands on the next line after a log's prefix: `#6 0.245 …`, with another time. The
/// line breaks may be escaped.
fn is_logged(text: &str, start: usize, rest: &str) -> bool {
    let line = line_before(text, start);
    let own = line.rsplit("\\n").next().unwrap_or_default();
    let is_gap = |c: char| "\\rn\r\n".contains(c);
    let next = rest.trim_start_matches(is_gap).as_bytes();
    let is_alike =
        |one: u8, other: u8| one == other || one.is_ascii_digit() && other.is_ascii_digit();
    let mut pairs = own.bytes().zip(next);
    let has_same = next.len() > own.len() && pairs.all(|(one, other)| is_alike(one, *other));
    let is_line = !own.is_empty() && rest.starts_with(['\\', '\r', '\n']);
    let key = || next[own.len()..].iter().take(40).filter(|b| base64(**b));
    is_line && has_same && key().count() == 40
}

/// Whether the line holds nothing else but blanks, the sign of a diff or of a comment.
fn stands_alone(text: &str, start: usize, rest: &str) -> bool {
    let line = line_before(text, start);
    let is_sign = |c: char| c.is_whitespace() || "+#/*>|".contains(c);
    let ends = rest.is_empty()
        || rest
            .trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r']);
    line.len() <= 64 && line.chars().all(is_sign) && ends
}

/// Finds a PEM key without its header, by its first characters: apart from the length, all keys of
/// a type begin the same.
pub(super) fn body(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = before(text, start, 8, base64);
    let is_first = (5..=6).contains(&first) && text[start - first..].starts_with('M');
    let above = behind(text, start - first);
    let mut above = above.rsplit('\n').take(3);
    let is_told = above.any(|line| line.contains("PRIVATE KEY"));
    let length = letters_of(text, end, 128, base64);
    let holds = is_first && length >= 24 && !is_told;
    holds.then_some(start - first..end + length)
}

/// Does the same for a key with nothing of its own before what all of its type begin with.
pub(super) fn whole_body(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let above = behind(text, start);
    let mut above = above.rsplit('\n').take(3);
    let is_told = above.any(|line| line.contains("PRIVATE KEY") || line.contains("BEGIN"));
    let is_exact = before(text, start, 1, base64) == 0 || !continues(text, start);
    let length = letters_of(text, end, 128, base64);
    let holds = is_exact && length >= 24 && !is_told;
    holds.then_some(start..end + length)
}

/// Finds an XML key with its private part: `<RSAKeyValue>…<D>…</D>`.
pub(super) fn xml_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // The public part has some hundred letters, and so has each of the others.
    let part = letters_of(text, end, 4096, |b| base64(b) || b"<> \t\r\n".contains(&b));
    let key = &text[end..end + part];
    let (before, value) = key.split_once("<D>")?;
    let holds = letters_of(value, 0, 32, base64) == 32;
    holds.then_some(start..end + before.len() + "<D>".len() + 32)
}

/// `untrusted comment: minisign encrypted secret key`, and the key on the next line.
pub(super) fn signing_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 400, base64);
    (length >= 40).then_some(start..end + length)
}

/// `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`
pub(super) fn ssh2(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = ahead(text, end).lines().next()?;
    let name = line.split(" ----").next()?;
    let holds = name.ends_with("PRIVATE KEY") && name.len() < line.len() && name.len() <= 40;
    holds.then_some(start..end + name.len())
}

/// `PuTTY-User-Key-File-3: ssh-ed25519`
pub(super) fn putty(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = ahead(text, end).lines().next()?;
    let kind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let holds =
        kind.len() < line.len() && kind.starts_with(": ") && dashed(*kind.as_bytes().get(2)?);
    holds.then_some(start..end + line.len())
}

/// Finds a private key that is base64-encoded once more, as in the configuration of clusters.
pub(super) fn encoded_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 72, base64);
    let name = &text[end..end + length];
    // `PRIVATE KEY` in each of the three ways in which it may fall on groups of letters.
    let ways = ["UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"];
    let holds = ways.iter().any(|way| name.contains(way));
    (holds && !continues(text, start)).then_some(start..end + length)
}

/// Finds a JSON key with its private part: `"d"`, or `"k"` of a symmetric one. In code and YAML the
/// names may have other quotes or none.
pub(super) fn web_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    if !text[end..].starts_with([':', ' ']) {
        return None;
    }
    // Each is looked at up to the next one, so that many of them cost no more than their text.
    let before = behind(text, start);
    let before = &before[before.rfind('{').unwrap_or(0)..];
    let before = before.rsplit("kty").next().unwrap_or_default();
    let after = ahead(text, end);
    let after = &after[..after.find('}').unwrap_or(after.len())];
    let after = after.split("kty").next().unwrap_or_default();
    let holds = [before, after].iter().any(|part| has_private_part(part));
    holds.then_some(start..end)
}

/// Whether a part of a key has a member `d` or `k` of this length; without quotes it may be a name
/// in code.
fn has_private_part(part: &str) -> bool {
    let mut members = part.match_indices(['d', 'k']);
    members.any(|(at, member)| {
        let is_name = !part[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
        let rest = part[at + member.len()..].trim_start_matches(['"', '\'']);
        let value = rest.trim_start_matches(' ').strip_prefix(':');
        let is_key = |value: &str| {
            let inner = value.trim_start_matches([' ', '"', '\'', '\n']);
            let length = letters_of(inner, 0, 43, dashed);
            let is_quoted = value[..value.len() - inner.len()].contains(['"', '\'']);
            length >= 22 && (is_quoted || is_mixed(&inner[..length]))
        };
        is_name && value.is_some_and(is_key)
    })
}

/// Finds a web token: three base64 parts joined by dots, of which the first two begin with `{"`.
pub(super) fn web_token(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    if continues(text, start) || !text[start..].starts_with("eyJ") {
        return None;
    }
    let part = |at: usize| letters_of(text, at, 2048, dashed);
    let second = start + part(start) + 1;
    if !text.get(second - 1..)?.starts_with(".eyJ") {
        return None;
    }
    let third = second + part(second) + 1;
    if !text.get(third - 1..)?.starts_with('.') {
        return None;
    }
    let signature = part(third);
    (second - start > 12 && signature >= 16).then_some(start..third + signature)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::find;
    use crate::processor::time_of_thread;

    #[test]
    fn a_key_without_the_usual_head_is_told() {
        let body = "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u".repeat(2);
        let static_key = [
            "-----BEGIN",
            " OpenVPN Static key V1-----\n4839bb70af1c4da2\n",
        ];
        for text in [
            static_key.concat(),
            format!("key: |\n  MIIEvgIBADANBgkqhkiG9w0BAQEFAASC{body}\n"),
            format!("MIIEpAIBAAKCAQEA{body}\n"),
            format!("<RSAKeyValue><Modulus>{body}</Modulus>\n<D>{body}</D></RSAKeyValue>"),
            format!("untrusted comment: minisign encrypted secret key\nRWRTY0Iy{body}\n"),
            format!("key = \"MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg{body}\""),
            format!("key: b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAA{body}\n"),
            format!("MC4CAQAwBQYDK2VwBCIEI{}\n", &body[..43]),
            format!("{{ kty: 'EC', crv: 'P-256', d: '{}' }}", &body[..43]),
            format!("{{'kty': 'oct', 'k': '{}'}}", &body[..43]),
            format!("kty: EC\nx: a\nd: {}\n", &body[..43]),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            format!("-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq{body}\n"),
            format!("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA{body}\n"),
            format!("<RSAKeyValue><Modulus>{body}</Modulus></RSAKeyValue>"),
            format!("untrusted comment: minisign public key\nRWRTY0Iy{body}\n"),
            "MIIEpAIBAAKCAQEA".to_owned(),
            format!("{{ kty: 'EC', id: '{}' }}", &body[..43]),
            "{ kty: 'EC', d: key.privatePart }".to_owned(),
            "{ kty: 'EC', d: toBase64UrlUnsignedInteger(k.d) }".to_owned(),
            "interface Key { kty: string; k: NameOfATypeThatIsLonger }".to_owned(),
            format!("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{body}\n"),
            format!("MCowBQYDK2VwAyEA{body}\n"),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_key_reaches_to_its_end() {
        let body = format!("MIIEpAIBAAKCAQEA{}\n", "x9Kq2mZ7vB4nT1wY".repeat(3)).repeat(4);
        let pem = |body: &str| {
            ["a\n-----BEGIN RSA", " PRIVATE KEY-----\n", body].concat()
                + "-----END RSA PRIVATE KEY-----\nwords\n"
        };
        let ssh2 = ["\n---- BEGIN SSH2", " ENCRYPTED PRIVATE KEY ----\n"].concat();
        for (text, last) in [
            (pem(&body), 7),
            (pem(&format!("Proc-Type: 4,ENCRYPTED\n\n{body}")), 9),
            (body.clone() + "; words\n", 5),
            (format!("{ssh2}Comment: \"a\"\n{body}---- END"), 8),
        ] {
            let found = find(&text);
            assert_eq!(found[0].last, last, "{text}");
        }
    }

    #[test]
    fn names_of_keys_without_end_cost_no_more_than_their_length() {
        let times = ["kty: ", "\"kty\":\"d\":", "kty: k: d: ", "other: "].map(|part| {
            let text = part.repeat(100_000 / part.len());
            let started = time_of_thread();
            find(&text);
            time_of_thread().saturating_sub(started)
        });
        let most = Duration::from_millis(50) + 20 * times[3];
        assert!(times[..3].iter().all(|time| *time < most), "{times:?}");
    }

    #[test]
    fn a_key_in_a_log_is_told() {
        let (head, body) = (
            ["-----BEGIN", " PRIVATE KEY-----"].concat(),
            "x9Kq2mZ7vB4nT1wY8rL5".repeat(3),
        );
        for text in [
            format!("#6 0.245 {head}\n#6 0.251 {body}\n"),
            format!("app-1 | {head}\napp-1 | {body}\n"),
            format!("\"log\": \"#5 DONE\\\\r\\\\n#5 0.228 {head}\\\\r\\\\n#5 0.228 {body}\""),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            format!("see [a] {head}\nsee [a] {}\n", "(names) ".repeat(9)),
            format!("f({head})\n#5 0.228 {body}\n"),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_key_on_one_line_is_told_however_its_line_breaks_are_written() {
        let body = "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9uabcd";
        for head in [
            " PRIVATE KEY----- ",
            " PRIVATE KEY-----&#10;",
            "%20PRIVATE%20KEY-----%0A",
        ] {
            let text = ["-----BEGIN", head, body].concat();
            assert_eq!(find(&text).len(), 1, "{text}");
            let text = ["-----BEGIN", head, "names of something else"].concat();
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
