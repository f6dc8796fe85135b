//! The values of a Kubernetes Secret, whatever their names: `data` in base64, `stringData` as they
//! are.

use std::ops::Range;

use super::encoded::decode;
use super::letters::{ahead, base64, behind, far_ahead, far_behind, letters_of};
use super::values::{is_mixed, is_password, is_secret, is_uuid};
use crate::split::place_in;

/// Returns the places of the values below `data:` or `stringData:`, each with its key, if they
/// belong to a Secret.
pub(super) fn in_yaml(text: &str, start: usize) -> Vec<Range<usize>> {
    let from = start + 1;
    let head = below(text, from);
    let own = indent(&text[from..head]);
    let lines = text[head..].split_inclusive('\n');
    let block = lines.take_while(|line| line.trim().is_empty() || indent(line) > own);
    let end = head + block.map(str::len).sum::<usize>();
    if head == end && !text[from..head].contains('{') {
        return Vec::new();
    }
    let around = [far_behind(text, from), far_ahead(text, end)];
    // Nothing but a Secret has these.
    let is_plain = text[from..]
        .trim_start_matches(SIGNS)
        .starts_with("stringData");
    // Most blocks of data have no such word near them, and lines take a look each.
    let near = [behind(text, from), ahead(text, end)];
    let is_near = around.iter().any(|part| part.contains("Secret"))
        || near.iter().any(|part| part.contains("type: "));
    if !is_plain && (!is_near || !is_secret_around(around, own)) {
        return Vec::new();
    }
    let is_encoded = !is_plain;
    members(&text[head..end])
        .chain(in_flow(&text[from..head]))
        .filter(|(key, value)| is_told(key, value, is_encoded))
        .map(|member| place_of(text, member))
        .collect()
}

/// Returns where the line below begins.
fn below(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns the values below `secretGenerator:` of kustomize, as `- KEY=value`. Values from files
/// appear there only by path.
pub(super) fn in_generator(text: &str, start: usize) -> Vec<Range<usize>> {
    let line = text[..start].strip_suffix("secr");
    let begins = line.is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    if !begins || !text[start..].starts_with("etGenerator:") {
        return Vec::new();
    }
    let lines = text[below(text, start)..].lines();
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with([' ', '-', '#']));
    let pair = |line: &&str| line.trim_start().starts_with("- ") && line.contains('=');
    lines
        .filter(pair)
        .filter_map(|line| {
            let line = line.trim_start_matches([' ', '-', '"', '\'']);
            line.trim_end_matches([' ', '"', '\'']).split_once('=')
        })
        .map(|(key, value)| (key, value.trim_matches(['"', '\''])))
        .filter(|(key, value)| is_told_plain(key, value))
        .map(|member| place_of(text, member))
        .collect()
}

/// Blanks, and the sign before an added line of a diff. A removed line begins with the sign of a
/// list, but with more blanks after it.
const SIGNS: [char; 3] = [' ', '\t', '+'];

/// Returns the indentation of a line. The dash of a list entry counts as a blank.
fn indent(line: &str) -> usize {
    let gone = usize::from(line.starts_with("-  "));
    let mut at = gone + letters_of(line, gone, line.len(), |b| matches!(b, b' ' | b'\t' | b'+'));
    while line[at..].starts_with("- ") {
        at += "- ".len();
    }
    at
}

/// How many lines away from a block its `kind` may stand. The limit bounds the time for a text that
/// is nothing but blocks.
const MOST_LINES: usize = 64;

/// Whether the lines with a block's indentation, above and below it, say that it belongs to a
/// Secret.
fn is_secret_around([above, below]: [&str; 2], own: usize) -> bool {
    let is_outer =
        |line: &str| line.starts_with("---") || !line.trim().is_empty() && indent(line) < own;
    let begins = |line: &str| line.trim_start().starts_with("- ") && indent(line) == own;
    let is_kind = |line: &str| indent(line) == own && is_of_secret(line);
    let above = above.lines().rev().take(MOST_LINES);
    for line in above.take_while(|line| !is_outer(line)) {
        if is_kind(line) {
            return true;
        }
        if begins(line) {
            break;
        }
    }
    let mut below = below
        .lines()
        .take(MOST_LINES)
        .take_while(|line| !is_outer(line) && !begins(line));
    below.any(is_kind)
}

/// Whether a line of a manifest marks a Secret, by its `kind` or by its `type`, which only Secrets
/// have: in a hunk of a diff the `kind` may stand too far above.
fn is_of_secret(line: &str) -> bool {
    let line = line.trim_start_matches(SIGNS).trim_start_matches("- ");
    let said = |name| {
        let value = line.strip_prefix(name)?.split(" #").next()?;
        Some(value.trim().trim_matches(['"', '\'']))
    };
    let is_type = |it: &str| it == "Opaque" || it.starts_with("kubernetes.io/");
    said("kind:") == Some("Secret") || said("type:").is_some_and(is_type)
}

/// Returns the keys of a block and their values; of a value on several lines, the first line.
fn members(block: &str) -> impl Iterator<Item = (&str, &str)> {
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
        let name = name
            .trim_start_matches(SIGNS)
            .trim_start_matches('-')
            .trim_start();
        let value = value.split(" #").next().unwrap_or_default().trim();
        key = value.starts_with(['|', '>']).then_some(name);
        let is_inline = key.is_none();
        is_inline.then_some((name, value.trim_matches(['"', '\''])))
    })
}

/// Does the same for `stringData: {a: …, b: …}` on one line.
fn in_flow(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let inside = line.split_once('{').and_then(|(_, it)| it.split_once('}'));
    let members = inside.map_or("", |(inside, _)| inside).split(',');
    members.filter_map(|member| {
        let (key, value) = member.split_once(':')?;
        Some((key.trim_start(), value.trim().trim_matches(['"', '\''])))
    })
}

/// Does the same for `"data": {` in JSON.
pub(super) fn in_json(text: &str, start: usize) -> Vec<Range<usize>> {
    let Some(open) = text[start..].find('{').map(|at| start + at + 1) else {
        return Vec::new();
    };
    let (members, end) = json_members(far_ahead(text, open));
    let before = far_behind(text, start);
    let behind = far_ahead(text, open + end);
    // The object in which the block is, without what comes before and behind that.
    let before = &before[opened(before)..];
    let behind = &behind[..closed(behind)];
    let is_secret = |text: &str| {
        let kinds = ["\"kind\": \"Secret\"", "\"kind\":\"Secret\""];
        kinds.iter().any(|kind| text.contains(kind))
    };
    if !is_secret(before) && !is_secret(behind) {
        return Vec::new();
    }
    let is_encoded = text[start..].starts_with("\"data");
    members
        .into_iter()
        .filter(|(key, value)| is_told(key, value, is_encoded))
        .map(|member| place_of(text, member))
        .collect()
}

/// Returns the place of a key and its value.
fn place_of(text: &str, (key, value): (&str, &str)) -> Range<usize> {
    place_in(text, key)..place_in(text, value) + value.len()
}

/// Returns the literals of an object in pairs, and how far they go.
fn json_members(text: &str) -> (Vec<(&str, &str)>, usize) {
    let mut members = Vec::new();
    let mut key = None;
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ':');
        let Some(inner) = rest.strip_prefix('"') else {
            break;
        };
        let mut is_escaped = false;
        let end = inner.find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let Some(end) = end else { break };
        match key.take() {
            Some(key) => members.push((key, &inner[..end])),
            None => key = Some(&inner[..end]),
        }
        rest = &inner[end + 1..];
    }
    (members, text.len() - rest.len())
}

/// Returns where the innermost object begins that a text leaves open; 0 if none does.
fn opened(text: &str) -> usize {
    let mut open = 0_usize;
    for (at, sign) in text.bytes().enumerate().rev() {
        match sign {
            b'{' if open == 0 => return at,
            b'{' => open -= 1,
            b'}' => open += 1,
            _ => {}
        }
    }
    0
}

/// Returns where the object closes that is open at the beginning of a text. Objects inside it are
/// skipped.
fn closed(text: &str) -> usize {
    let mut open = 2_usize;
    for (at, sign) in text.bytes().enumerate() {
        match sign {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
    }
    text.len()
}

/// Keys that do not name a secret; a key with such an ending says who, where or which.
const PLAIN_KEYS: [&str; 14] = [
    "id", "host", "url", "uri", "bucket", "region", "image", "version", "name", "user", "email",
    "opts", "port", "queue",
];

/// Whether a value is neither a word nor public.
fn is_told(key: &str, value: &str, is_encoded: bool) -> bool {
    if !is_encoded {
        return is_told_plain(key, value);
    }
    if value.len() < 8 || !value.bytes().all(base64) {
        return false;
    }
    match String::from_utf8(decode(value)) {
        Ok(text) => is_told_plain(key, text.trim_end()),
        Err(_) => is_secret(&value[..value.len().min(128)]),
    }
}

/// Whether a value holds a secret or looks like one: its key says nothing.
fn is_told_plain(key: &str, value: &str) -> bool {
    let key = key.trim_end_matches(['"', '\'', ' ']).to_ascii_lowercase();
    let is_plain = PLAIN_KEYS.iter().any(|plain| key.ends_with(plain));
    let is_setting = value.starts_with('-')
        || value.contains(|c: char| c.is_whitespace() || "={}/,".contains(c))
        || is_uuid(value);
    let is_random = || is_secret(value) || is_password(value) && is_mixed(value);
    !is_plain && !is_setting && is_random() || super::is_in_value(value)
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
        for kind in ["'Secret'", "Secret # of the database"] {
            assert_eq!(lines(&format!("kind: {kind}\n{data}")), [3, 6], "{kind}");
        }
        let indented = data.replace('\n', "\n  ");
        let list = format!("items:\n- apiVersion: v1\n  {indented}kind: Secret\n");
        assert_eq!(lines(&list), [4, 7]);
        let list = format!("items:\n- kind: Secret\n  {indented}a: b\n- kind: Other\n");
        assert_eq!(lines(&list), [4, 7]);
        for flow in [
            "{a: A6JIfi6pgRi9RCP, b: admin}",
            "{\"a\": \"A6JIfi6pgRi9RCP\"}",
        ] {
            let text = format!("{head}\nstringData: {flow}");
            assert_eq!(lines(&text), [5], "{text}");
        }
        let quoted = "{\"kind\": \"Secret\", \"stringData\": {\"b\": \"{\\\"\", \"a\": \"A6JIfi6pgRi9RCP\"}}";
        assert_eq!(lines(quoted), [1]);
        let text = "{\"data\": {\"a\": \"czNEUnU2ZDY1cDFRcENxMFMzWQ==\"}, \"kind\": \"Secret\"}";
        assert_eq!(lines(text), [1]);
    }

    #[test]
    fn each_value_is_told_in_a_part_of_a_secret() {
        let value = "czNEUnU2ZDY1cDFRcENxMFMzWQ==";
        for text in [
            format!("@@ -3,4 +3,5 @@\n type: Opaque\n data:\n-  a: b\n+  redis: {value}\n"),
            format!("@@ -3,4 +3,5 @@\n kind: Secret\n data:\n   a: b\n+  redis: {value}\n"),
            "@@ -3,4 +3,5 @@\n metadata:\n stringData:\n+  redis: A6JIfi6pgRi9RCP\n".to_owned(),
            format!(
                "metadata:\n  name: a\ntype: kubernetes.io/basic-auth\ndata:\n  redis: {value}\n"
            ),
            "kubectl create secret generic a --from-literal redis='A6JIfi6pgRi9RCP'".to_owned(),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        let other = format!("@@ -3,4 +3,5 @@\n kind: ConfigMap\n data:\n+  redis: {value}\n");
        assert_eq!(lines(&other), [0; 0]);
    }

    #[test]
    fn each_value_of_a_generator_is_told() {
        let text = "namespace: a\nsecretGenerator:\n- name: db\n  literals:\n  - DB_USER=admin\n  \
                    - REDIS=A6JIfi6pgRi9RCP\n  - 'MAIL=B7KJgj7qhSj8SDQ'\n  files:\n  \
                    - tls.key=Secret1/tls.key\n  envs:\n  - .env\n";
        assert_eq!(lines(text), [6, 7]);
        assert_eq!(lines(&text[text.find("secret").unwrap_or(0)..]), [5, 6]);
        let text = text.replace("secretG", "configMapG");
        assert_eq!(lines(&text), [0; 0]);
        let text = "\nsecretGenerator:\n- name: db\nconfigMapGenerator:\n- name: c\n  literals:\n  \
                    - REDIS=A6JIfi6pgRi9RCP\n";
        assert_eq!(lines(text), [0; 0]);
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
            "[{\"kind\": \"Other\", \"data\": {\"a\": \"czNEUnU2ZDY1cDFRcENxMFMzWQ==\"}}, {\"kind\": \"Secret\", \"data\": {}}]",
            "items:\n- kind: Other\n  data:\n    a: czNEUnU2ZDY1cDFRcENxMFMzWQ==\n- kind: Secret\n",
            "kind: Secret\nstringData:\n  JAVA_OPTS: -Xmx512m\n  S3_BUCKET: acme-Prod-Backups-2024\n  \
             DB_NAME: appDb2Prod\n  TENANT_ID: 72f988bf-86f1-41af-91ab-2d7cd011db47\n  \
             IMAGE: ghcr.io/Acme/app:v1.2.3\n  MIN_TLS: TLSv1.2_2021\n  FLAGS: NewUi2=true,Beta3=false\n  \
             CONFIG: '{\"logLevel\":\"Debug1\"}'\n  QUEUE: Orders-Queue-V2\n",
        ] {
            assert_eq!(lines(text), [0; 0], "{text}");
        }
    }
}
