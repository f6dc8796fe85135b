//! The values of a Kubernetes Secret, whatever their names are: `data` in base64, `stringData`
//! as they are.

use std::ops::Range;

use super::encoded::decode;
use super::letters::base64;
use super::values::{is_password, is_secret};

/// Where the values are that stand below `data:` or `stringData:`, each with its key, if
/// they are those of a Secret.
pub(super) fn in_yaml(text: &str, start: usize) -> Vec<Range<usize>> {
    let from = start + 1;
    let Some(head) = text[from..].find('\n').map(|end| from + end + 1) else {
        return Vec::new();
    };
    let lines = text[head..].split_inclusive('\n');
    let block = lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']));
    let end = head + block.map(str::len).sum::<usize>();
    let above = above(text, start).rsplit("\n---").next();
    let below = below(text, end).split("\n---").next();
    let below = below.filter(|text| !text.starts_with("---"));
    let is_kind = |line: &str| ["Secret", "\"Secret\""].map(Some).contains(&kind(line));
    let mut around = [above, below].into_iter().flatten().flat_map(str::lines);
    if !around.any(is_kind) {
        return Vec::new();
    }
    let is_encoded = text[from..].starts_with("data");
    members(&text[head..end])
        .filter(|(_, value)| is_told(value, is_encoded))
        .map(|(key, value)| {
            let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
            at(key)..at(value) + value.len()
        })
        .collect()
}

fn kind(line: &str) -> Option<&str> {
    Some(line.strip_prefix("kind:")?.trim())
}

/// How far from a block the kind of its manifest may stand.
const FURTHEST: usize = 2048;

fn above(text: &str, at: usize) -> &str {
    let mut from = at.saturating_sub(FURTHEST);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..at]
}

fn below(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + FURTHEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// The keys of a block and their values; of values on several lines the first line.
fn members(block: &str) -> impl Iterator<Item = (&str, &str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = block
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .peekable();
    let own = lines.peek().map_or(0, |line| indent(line));
    let mut key = None;
    lines.filter_map(move |line| {
        if indent(line) > own {
            return key.take().map(|key| (key, line.trim()));
        }
        let (name, value) = line.split_once(": ").or_else(|| line.split_once(':'))?;
        let value = value.split(" #").next().unwrap_or_default().trim();
        key = value.starts_with(['|', '>']).then_some(name.trim_start());
        let is_inline = key.is_none();
        is_inline.then_some((name.trim_start(), value.trim_matches(['"', '\''])))
    })
}

/// The same for `"data": {` of JSON.
pub(super) fn in_json(text: &str, start: usize) -> Vec<Range<usize>> {
    let Some(open) = text[start..].find('{').map(|at| start + at + 1) else {
        return Vec::new();
    };
    let body = text[open..].split(['{', '}']).next().unwrap_or_default();
    let around = [above(text, start), below(text, open + body.len())];
    let is_secret = ["\"kind\": \"Secret\"", "\"kind\":\"Secret\""];
    if !around
        .iter()
        .any(|text| is_secret.iter().any(|kind| text.contains(kind)))
    {
        return Vec::new();
    }
    let is_encoded = text[start..].starts_with("\"data");
    let mut literals = body.split('"').skip(1).step_by(2);
    let mut found = Vec::new();
    while let (Some(key), Some(value)) = (literals.next(), literals.next()) {
        let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        if is_told(value, is_encoded) {
            found.push(at(key)..at(value) + value.len());
        }
    }
    found
}

/// Whether a value is neither a word nor public.
fn is_told(value: &str, is_encoded: bool) -> bool {
    if !is_encoded {
        return is_told_plain(value);
    }
    if value.len() < 8 || !value.bytes().all(base64) {
        return false;
    }
    match String::from_utf8(decode(value)) {
        Ok(text) => is_told_plain(text.trim_end()),
        Err(_) => is_secret(&value[..value.len().min(128)]),
    }
}

fn is_told_plain(value: &str) -> bool {
    let is_word = || !value.contains(char::is_whitespace) && is_password(value);
    is_word() || !super::find(value).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::find;

    fn lines(text: &str) -> Vec<usize> {
        find(text).iter().map(|secret| secret.line).collect()
    }

    #[test]
    fn each_value_of_a_secret_is_told() {
        let head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db";
        let data = "data:\n  POSTGRES: czNEUnU2ZDY1cDFRcENxMFMzWQ==\n  user: YWRtaW4=\n  \
                    # a comment\n  .env: REJfUEFTU1dPUkQ9dlJueXIwaWk0NnhTMERHSE1uCkRCX0hPU1Q9ZGIK\n";
        let text = format!("{head}\n{data}");
        assert_eq!(lines(&text), [6, 9]);
        let text = format!("apiVersion: v1\n{data}kind: Secret\n");
        assert_eq!(lines(&text), [3, 6]);
        let text = format!("{head}\nstringData:\n  redis: A6JIfi6pgRi9RCP\n  user: admin\n");
        assert_eq!(lines(&text), [6]);
        let text = format!("{head}\nstringData:\n  redis: |-\n    A6JIfi6pgRi9RCP\n");
        assert_eq!(lines(&text).len(), 1);
        let text = "{\"data\": {\"a\": \"czNEUnU2ZDY1cDFRcENxMFMzWQ==\"}, \"kind\": \"Secret\"}";
        assert_eq!(lines(text), [1]);
    }

    #[test]
    fn a_known_token_of_a_secret_is_told_as_what_it_is() {
        let token = ["ghp_", "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u"].concat();
        let text = format!("kind: Secret\nstringData:\n  a: A6JIfi6pgRi9RCP\n  b: {token}\n");
        let found: Vec<_> = find(&format!("\n{text}"))
            .iter()
            .map(|it| it.kind)
            .collect();
        assert_eq!(found, ["assigned secret", "GitHub token"]);
    }

    #[test]
    fn what_is_no_secret_has_no_values() {
        let data = "data:\n  POSTGRES: czNEUnU2ZDY1cDFRcENxMFMzWQ==\n";
        for text in [
            &*format!("kind: ConfigMap\n{data}"),
            &format!("kind: Secret\n---\nkind: ConfigMap\n{data}---\nkind: Secret\n"),
            &format!("a: b\n{data}"),
            "kind: Secret\ndata:\n  a: {{ .Values.password1A | b64enc }}\n  b: ${DB_PASSWORD1}\n",
            "kind: Secret\nstringData:\n  a: correct-horse\n  b: my-db.example.com\n",
            "kind: Secret\ndata:\n  ca: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=\n",
            "{\"data\": {\"a\": \"czNEUnU2ZDY1cDFRcENxMFMzWQ==\"}, \"kind\": \"Other\"}",
        ] {
            assert_eq!(lines(text), [0; 0], "{text}");
        }
    }
}
