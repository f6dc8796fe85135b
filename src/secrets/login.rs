//! Passwords beside their user: in a URL, a header, a command, a file.

use std::ops::Range;

use super::encoded::decode;
use super::jumble::is_jumbled;
use super::letters::{
    ahead, base64, before, behind, dashed, dotted, hex, is_random, letters_of, line_before, word,
};
use super::literals::line_literal;
use super::schemes::is_login;
use super::values::{self, is_counted, is_made, is_of_app, is_password, is_secret, is_uuid};
use crate::split::place_in;

/// `://user:password@`; the user may be empty.
pub(super) fn url_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let letter = |b: u8| b.is_ascii_graphic() && !b"/@?\"'`<>{}[]".contains(&b);
    let length = letters_of(text, end, 256, letter);
    let login = &text[end..end + length];
    let Some((user, password)) = login.split_once(':') else {
        let behind = &text[end + length..];
        let more = unwritten(behind, letter).unwrap_or_default();
        // `smtp://me@host:password@host`
        if let Some((_, password)) = behind[..more].split_once(':') {
            let holds = is_url_password(password) && is_made(password);
            return holds.then_some(start..end + length + more);
        }
        return is_url_token(text, end, login).then_some(start..end + length);
    };
    // Behind such a sign in a host's place there is the rest of an address.
    if user.contains('#') {
        return None;
    }
    let behind = &text[end + length..];
    if behind.starts_with('/') {
        let more = letters_of(behind, 0, 128, |b| b == b'/' || letter(b));
        let whole = &text[end + user.len() + 1..end + length + more];
        let holds = behind[more..].starts_with('@') && is_slashed(password, whole);
        return holds.then_some(start..end + length + more);
    }
    if password.is_empty() || password == "x-oauth-basic" {
        let length = user.len();
        return is_url_user(user, behind).then_some(start..end + length);
    }
    let closed = behind.starts_with('@');
    if closed && is_url_password(password) {
        return Some(start..end + length);
    }
    let more = unwritten(behind, letter)?;
    let whole = &text[end + user.len() + 1..end + length + more];
    let is_port = password.bytes().all(|b| b.is_ascii_digit());
    (!is_port && is_signed(whole) && is_made(whole)).then_some(start..end + length + more)
}

/// Returns how far a login goes on after a character that should have been escaped: up to the last
/// `@` before the path.
fn unwritten(behind: &str, letter: impl Fn(u8) -> bool) -> Option<usize> {
    let first = behind.bytes().next().filter(|b| matches!(b, b'@' | b'?'));
    let more = first.map(|_| letters_of(behind, 0, 128, |b| b"@?".contains(&b) || letter(b)))?;
    behind[..more].rfind('@').filter(|at| *at > 0)
}

/// `https://key:@host`: a key in place of the user, with an empty password.
fn is_url_user(user: &str, behind: &str) -> bool {
    (24..=128).contains(&user.len()) && behind.starts_with('@') && is_secret(user)
}

/// `'admin': 'password'`, `("root", "password")`, `admin:password`: the value beside the name of an
/// administrator.
pub(super) fn beside_admin(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let before = text.as_bytes()[..start].last();
    let last = text.as_bytes()[end - 1];
    let rest = ahead(text, end);
    let value = if matches!(last, b'"' | b'\'') {
        let value = rest.trim_start_matches([' ', ':', '=', '>', ',']);
        (before == Some(&last) && value.len() < rest.len())
            .then(|| line_literal(value))??
            .0
    } else {
        let ends = |b: u8| b.is_ascii_graphic() && !b"\"'`<>|,".contains(&b);
        let is_first = before.is_none_or(|b| b" \t\n\"'`(".contains(b));
        let rest = rest.trim_start_matches([' ', '"', '\'', '`']);
        is_first.then(|| &rest[..letters_of(rest, 0, 64, ends)])?
    };
    let is_path = value.contains(['/', ':', ' ', '(', '{'])
        || last == b'/' && (value.contains('.') || !values::is_signed(value));
    let at = place_in(text, value);
    let holds = is_password(value) && is_made(value) && !is_path;
    holds.then_some(at..at + value.len())
}

/// `useradd -p '$6$…'`: a hash of a user's password, alone in a literal.
pub(super) fn crypt_hash(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 160, |b| dotted(b) || base64(b) || b == b'$');
    let closed = text.as_bytes().get(end + length) == text.as_bytes().get(start);
    (length >= 40 && closed).then_some(start + 1..end + length)
}

/// Whether a password with a slash is not part of an address: `http://host:80/a@b`.
fn is_slashed(first: &str, password: &str) -> bool {
    let is_part = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+');
    let is_port = first.bytes().all(|b| b.is_ascii_digit());
    !is_port && password.split('/').all(is_part) && is_signed(password) && is_jumbled(password)
}

/// `https://token@host`: the token is in place of the user. In the address of an error-reporting
/// service such a token is public.
fn is_url_token(text: &str, end: usize, login: &str) -> bool {
    let host = text[end + login.len()..].strip_prefix('@');
    let host = host.map(|rest| &rest[..letters_of(rest, 0, 80, dotted)]);
    let is_token = |host: &str| !host.contains("sentry") && !host.contains("ingest");
    let least = match host {
        Some(host) if host.ends_with("fury.io") => 20,
        _ => 32,
    };
    (least..=128).contains(&login.len())
        && login.bytes().all(word)
        && host.is_some_and(|host| host.contains('.') && is_token(host))
        && is_secret(login)
}

/// `?key=…` in an address.
pub(super) fn asked_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let address = behind(text, start);
    let address = address
        .rsplit(|c: char| c.is_whitespace() || c == '"')
        .next();
    let length = letters_of(text, end, 128, dashed);
    let value = &text[end..end + length];
    let is_address = address.is_some_and(|address| address.contains("://"))
        || text[start..end].contains("appid") && length == 32 && value.bytes().all(hex);
    let is_number = length >= 36 && is_uuid(&value[length - 36..]);
    let holds = length >= 28 && is_secret(value) && !is_number;
    (is_address && holds).then_some(start..end + length)
}

/// `Cookie: session=…`: the first random value. Tokens against forgery are public to the page, and
/// those that count visits are public to everybody.
pub(super) fn cookie(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // Behind an option the name of the cookie has begun.
    let option = text[start..end].starts_with(" -b ");
    let end = if option { start + " -b ".len() } else { end };
    let rest = ahead(text, end);
    // `"name": "Cookie", "value": "…"`, also with a line for each.
    let pair = rest.trim_start().strip_prefix("\"value\":");
    let rest = pair.unwrap_or(rest);
    let line = rest
        .trim_start_matches([' ', '-', '"', '\''])
        .lines()
        .next()?;
    let value = line.split("; ").find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let name = name.trim().to_ascii_lowercase();
        let is_session = ["sess", "sid", "auth", "login"]
            .iter()
            .any(|it| name.contains(it));
        // What is signed begins with a mark, which is mostly written out.
        let value = ["s%3A", "s%3a", "s:"]
            .iter()
            .find_map(|it| value.strip_prefix(*it))
            .unwrap_or(value);
        let length = letters_of(value, 0, 256, dotted);
        let holds = length >= 24 && is_secret(&value[..length]);
        (is_session && !name.contains("csrf") && holds).then(|| &value[..length])
    })?;
    let at = place_in(text, value);
    Some(start..at + value.len())
}

/// `"name": "JSESSIONID", "value": "…"`, `cookies={"sessionid": "…"}`: the value of a session by
/// the name of its cookie.
pub(super) fn session(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end).strip_prefix(['"', '\''])?;
    let pair = rest.strip_prefix(',').map(str::trim_start);
    let rest = pair
        .and_then(|it| it.strip_prefix("\"value\""))
        .unwrap_or(rest);
    let (value, _) = line_literal(rest.strip_prefix(':')?)?;
    let is_cookie = || behind(text, start).to_ascii_lowercase().contains("cookie");
    let holds = (24..=256).contains(&value.len()) && is_secret(value) && !is_uuid(value);
    let at = place_in(text, value);
    (holds && is_cookie()).then_some(start..at + value.len())
}

/// `UID=user;PWD={password};`
pub(super) fn braced(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (value, _) = ahead(text, end).split_once('}')?;
    let is_list = line_before(text, start).contains(';');
    let holds = is_password(value) && is_made(value) && !value.contains(['.', '(', ' ']);
    (is_list && holds).then_some(start..end + value.len())
}

/// `jdbc:oracle:thin:user/password@`
pub(super) fn oracle(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let letter = |b: u8| b.is_ascii_graphic() && !b"@\"'`<>{}[]".contains(&b);
    let length = letters_of(text, end, 256, letter);
    let (_, password) = text[end..end + length].split_once('/')?;
    let closed = text[end + length..].starts_with('@');
    (closed && is_url_password(password)).then_some(start..end + length)
}

/// Whether this has signs among digits and letters of both cases. With less than that, an escape
/// such as `%40` shows a test of escaping.
fn is_signed(password: &str) -> bool {
    let has = |is: fn(&u8) -> bool| password.as_bytes().iter().any(is);
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && password.len() >= 10
        && is_random(password, 3.0)
        && is_password(password)
}

/// Decodes escapes such as `%40`; `None` if one of them is invalid.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Whether this is not a placeholder for a password.
fn is_url_password(password: &str) -> bool {
    let has_digit = password.bytes().any(|b| b.is_ascii_digit());
    let escaped = password.contains([':', ',']);
    if password.contains('%') {
        return !escaped && unescaped(password).is_some_and(|meant| is_signed(&meant));
    }
    if password.contains(['$', '(', ')']) {
        return !escaped && is_signed(password) && !is_filled_in(password);
    }
    let numbered = has_digit && is_random(password, 2.0) && !is_counted(password);
    password.len() >= 8 && !escaped && (numbered || is_password(password))
}

/// Whether this contains a variable, such as `$DB_PASS` and `$dbPass1`, or a call. Beside such a
/// sign, a random password has text that is not a name.
pub(super) fn is_filled_in(password: &str) -> bool {
    let mut names = password.split('$').skip(1);
    let is_name = |text: &str| {
        let name = &text[..letters_of(text, 0, text.len(), word)];
        name.len() >= 3 && !name.starts_with(|c: char| c.is_ascii_digit()) && !is_jumbled(name)
    };
    let called = password.strip_suffix(')').and_then(|p| p.split_once('('));
    let is_call = called.is_some_and(|(name, _)| !is_jumbled(name));
    password.starts_with('$') || is_call || names.any(is_name)
}

/// `auth=("user", "password")`, `SetBasicAuth("user", "password")`
pub(super) fn pair(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let (user, behind) = line_literal(rest)?;
    let (password, behind) = line_literal(behind.trim_start().strip_prefix(',')?)?;
    let is_text = password.contains([' ', '/']) && !is_of_app(password);
    let holds = user.len() <= 64 && is_password(password) && !is_text;
    holds.then_some(start..end + rest.len() - behind.len())
}

/// `user:password@tcp(host)`, the address of a database driver.
pub(super) fn driver_address(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = before(text, start, 256, |b| {
        b.is_ascii_graphic() && !b"/\"'`<>(){}[]$=".contains(&b)
    });
    let login = text.get(start - length..start)?;
    let (_, password) = login.split_once(':')?;
    is_url_password(password).then_some(start - length..end)
}

/// `host:5432:database:user:password`, a line of `PostgreSQL`'s password file.
pub(super) fn password_file(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let host = line_before(text, start);
    let line = ahead(text, end).lines().next()?;
    let mut parts = line.splitn(3, ':');
    let (_database, _user, password) = (parts.next()?, parts.next()?, parts.next()?);
    let is_host = !host.is_empty() && host.bytes().all(|b| dotted(b) || b == b'*');
    let holds = is_host && !line.contains([' ', '"', '\'']) && is_password(password.trim_end());
    holds.then_some(start..end + line.len())
}

/// `"auth": "…"` of a container registry, `_auth=…` of a package registry: user and password
/// in base64.
pub(super) fn docker(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let value = rest.trim_start_matches([' ', ':', '=', '"']);
    let length = letters_of(value, 0, 256, base64);
    let shown = &value[..length];
    let holds = length >= 16 && is_login(shown);
    let at = end + rest.len() - value.len();
    holds.then_some(start..at + length)
}

/// `<Pass encoding="base64">…</Pass>`, and `userPassword:: …`, an entry of an LDAP directory.
pub(super) fn encoded_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 256, base64);
    let password = String::from_utf8(decode(&text[end..end + length])).ok()?;
    let behind = &text[end + length..];
    let ends = behind.is_empty() || behind.starts_with(['\r', '\n']) || behind.starts_with("</");
    (ends && is_password(&password)).then_some(start..end + length)
}

/// `"user" "md5…"`, a line of the user file of a connection pool.
pub(super) fn hashed_user(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let user = line_before(text, start);
    let is_user = user.starts_with('"') && user.len() <= 64;
    let length = letters_of(text, end, 33, hex);
    let rest = text[end + length..].strip_prefix('"');
    let closed = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['\r', '\n']));
    (is_user && length == 32 && closed).then_some(start..end + length)
}

/// `user:$6$…`, a line of a file with password hashes.
pub(super) fn hashed(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let user = before(text, start, 64, |b| dotted(b) || b == b'@');
    let line = line_before(text, start);
    let is_sign = |b: u8| b" \t-\"'".contains(&b);
    let before = &line[..line.len() - user];
    // In the settings of containers a label says so.
    let is_label = text[start..].starts_with(":$$") && before.ends_with("users=");
    let is_line = user > 0 && (before.bytes().all(is_sign) || is_label);
    let length = letters_of(text, end, 160, |b| dotted(b) || base64(b) || b == b'$');
    (is_line && length >= 22).then_some(start..end + length)
}

#[cfg(test)]
mod tests {
    use super::super::told_by;
    use super::*;

    #[test]
    fn a_password_in_a_url_may_have_any_sign_that_opens_no_variable() {
        let told = |login: &str| {
            let text = format!("postgres://{login}@db.internal/x");
            url_password(&text, 8, 11).is_some()
        };
        for login in [
            "app:Nu4$QvHZp0q10$Ro",
            "app:Winter2024$",
            "app:x9(Kq2mZ)7vB",
            "app:KVBDFhesNLUd",
            "app:x9Kq&2mZ7vB",
            ":x9Kq2mZ7vB4n",
        ] {
            assert!(told(login), "{login}");
        }
        for login in [
            "app:$DB_PASSWORD_1a",
            "$user:$dbPass1",
            "app:Secret12$dbPassword",
            "app:pre$VALUE",
            "app:getPassword(a1)",
            "user:password",
            "user:CurrentPassword",
        ] {
            assert!(!told(login), "{login}");
        }
    }

    #[test]
    fn a_login_goes_on_behind_a_sign_that_is_not_written_out() {
        for text in [
            "postgres://app:P@ssw0rd!2024@db/x",
            "amqp://app:Hunter7421?x@mq:5672/a",
            "smtps://me@x.org:x9Kq2mZ7vB4n@mail",
            "https://x9kq2mz7vb4nt1wy8rl5pd3sf6gh0jc2:@api.x.org/",
            "https://x9kq2mz7vb4nt1wy8rl5pd3sf6gh0jc2:x-oauth-basic@github.com/a",
        ] {
            assert_eq!(super::super::find(text).len(), 1, "{text}");
        }
        for text in [
            "http://host:8080?email=A1b2c3d4E5@x.org",
            "https://me@host:8080/a@b",
            "https://somebody:@example.org/",
            "http://h:8080@x@y.org",
        ] {
            assert!(super::super::find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_stands_beside_an_administrator_is_told() {
        for text in [
            "USERS = {'admin': 'Winter2025#nAr'}",
            "CREDS = (\"root\", \"x9Kq2mZ7vB4n\")",
            "INSERT INTO users VALUES (1, 'admin', 'Winter2025#nAr');",
            "$users = ['admin' => 'x9Kq2mZ7vB4n'];",
            "basicAuth({ users: { admin: 'x9Kq2mZ7vB4n' } })",
            "- login: admin / Winter2025#nAr\n",
            "  allow admin:Winter2025#nAr\n",
            "- root / Winter2025#nAr\n",
            "with `admin` / `Winter2025#nAr`",
            "- admin/Winter2025#nAr\n",
            "RUN useradd -p '$6$wh2FRhMh$otJHgLJCaXXOF454gkc4/g.vSmA7JrCzJI/gJ/K9rUuIKgcaG9g' x",
        ] {
            assert_eq!(super::super::find(text).len(), 1, "{text}");
        }
        for text in [
            "{'admin': 'Administrator'}",
            "admin: path/To1Thing2",
            "see root / Chapter-2",
            "admin/Section2Name",
            "![](root/Logo4@2x.png)",
            "role: admin\n",
            "(\"root\", \"/var/Lib1/x9Kq2mZ7\")",
            "myadmin:x9Kq2mZ7vB4n",
            "admin:changePassword1()",
        ] {
            assert!(super::super::find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_header_that_was_recorded_is_told() {
        const T: &str = "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u";
        for text in [
            format!("headers:\n  Authorization:\n  - Bearer {T}\n"),
            format!("headers:\n  authorization: [Bearer {T}]\n"),
            format!("headers:\n  X-Api-Key:\n  - {T}\n"),
            format!("headers:\n  Cookie:\n  - a=b; session={T}\n"),
            format!("{{\n  \"name\": \"Cookie\",\n  \"value\": \"session={T}\"\n}}"),
            format!(
                "{{\n  \"name\": \"set-cookie\",\n  \"value\": \"connect.sid=s%3A{T}.{T}\"\n}}"
            ),
            format!("\"cookies\": [{{\n  \"name\": \"JSESSIONID\",\n  \"value\": \"{T}\"\n}}]"),
            format!("{{'Cookie': 'session={T}'}}"),
            format!("get(url, cookies={{'sessionid': '{T}'}})"),
            format!("{{\"name\": \"Cookie\", \"value\": \"a=b; session={T}\"}}"),
        ] {
            assert_eq!(super::super::find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_password_of_a_login_is_told_where_it_stands() {
        const P: &str = "x9Kq2mZ7vB4n";
        let address = format!("jdbc:oracle:thin:scott/{P}@//db:1521/x");
        let told = told_by(oracle, "jdbc:oracle:thin:", &address);
        assert!(told.is_some_and(|told| told.contains(P)));

        let told = told_by(url_password, "://", "https://me:x9K#q2mZ7vB@x.org");
        assert!(told.is_some_and(|told| told.contains("x9K#q2mZ7vB")));
        let fragment = "https://x.org/a#b:c1d2e3f4@y";
        assert_eq!(told_by(url_password, "://", fragment), None);
    }

    #[test]
    fn what_a_request_carries_is_told() {
        const T: &str = "x9kq2mz7vb4nt1wy8rl5pd3sf6gh0jc2ae9u";
        for text in [
            format!("https://{T}abcd@github.com/a/b.git"),
            "postgres://app:LBTzft1S/2izLImA@db/x".to_owned(),
            format!("https://api.x.io/v1?key={T}&q=1"),
            "get(\"forecast?q=x&appid=9d77d8004f4b2744c4a64434188b0402\")".to_owned(),
            format!("curl 'https://x.io' -H 'cookie: connect.sid=s%3A{T}.{T}' --compressed"),
            format!("curl https://x.io -b 'session={T}'"),
            format!("curl https://x.io -b PHPSESSID={T}"),
            format!("curl https://x.io --cookie \"JSESSIONID={T}\""),
            "smtp.login(\"me@x.org\", \"nzub jfgu tvwo kunb\")".to_owned(),
            format!("curl -H \"Cookie: lang=de; sessionid={T}\" https://x.io"),
            format!("Authorization: SSWS {T}"),
            "Authorization: GenieKey 6f793d0b-b6ea-4475-a4cb-796215398b4d".to_owned(),
            format!("\"name\": \"Authorization\",\n \"value\": \"Bearer {T}\""),
            format!("{{\"key\":\"Authorization\",\"value\":\"Bearer {T}\"}}"),
            format!("api_token: Bearer {T}\n"),
            format!("token = \"Bearer {T}\"\n"),
            "Authorization: Bearer abcdef123456".to_owned(),
        ] {
            assert_eq!(super::super::find(&text).len(), 1, "{text}");
        }
        for text in [
            "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/1",
            "https://0123456789abcdef0123456789abcdef@localhost/1",
            "https://a_name_of_some_account_at_a_service@example.org/",
            "http://host:8080/a1B2c3D4e5F6/x@2",
            "http://host:name/path/to/Some1Thing2/x@2",
            "f(a?key=x9kq2mz7vb4nt1wy8rl5pd3sf6gh0jc2ae9u)",
            "https://x.org/?key=cf-2e351785-e821-450c-9d58-625e1e1ebfb6",
            "https://x.org/?key=some-name-of-a-key-in-a-document-1",
            "Cookie: csrf_session=x9kq2mz7vb4nt1wy8rl5pd3sf6gh0jc2ae9u",
            "Cookie: _ga=x9kq2mz7vb4nt1wy8rl5pd3sf6gh0jc2ae9u",
            "the Authorization header x9kq2mz7vb4nt1wy",
            "Authorization: Digest username=\"x\"",
            "Authorization: Bearer mytoken12345",
        ] {
            assert!(super::super::find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn passwords_in_base64_and_hashes_of_users_are_told() {
        let encoded = "<Pass encoding=\"base64\">eDlLcTJtWjd2QjRu</Pass>";
        let told = told_by(encoded_password, "<Pass encoding=\"base64\">", encoded);
        assert!(told.is_some());
        let entry = "userPassword:: eDlLcTJtWjd2QjRu\n";
        assert!(told_by(encoded_password, "userPassword:: ", entry).is_some());
        let word = "userPassword:: cGFzc3dvcmQ=\n";
        assert!(told_by(encoded_password, "userPassword:: ", word).is_none());
        let hash = "0123456789abcdef0123456789abcdef";
        let of_pool = format!("\"app\" \"md5{hash}\"\n");
        assert!(told_by(hashed_user, " \"md5", &of_pool).is_some());
        let other = format!("digest: \"md5{hash}\"\n");
        assert!(told_by(hashed_user, " \"md5", &other).is_none());
    }
}
