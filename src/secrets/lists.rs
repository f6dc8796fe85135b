//! What stands beside a name and its value on one line.

use super::letters::{before, line_before};
use super::name::Name;

/// The list in which names and values stand on one line.
#[derive(PartialEq, Eq)]
pub(super) enum List {
    None,
    /// `?a=b&c=d`
    Query,
    /// `Server=a;Password=b`
    Connection,
    /// `Set-Cookie: a=b; HttpOnly`
    Cookie,
    /// `{a: b, c: d}` as YAML has it
    Flow,
    /// `${NAME:-value}`
    Default,
    /// `host:6379,user=a,password=b`
    Options,
    /// `(user=a)(password=b)`
    Descriptor,
}

impl List {
    pub(super) fn of(name: &Name<'_>) -> List {
        let first = name.first();
        let blanks = before(name.text, first, 4, |b| b == b' ');
        if name.text[..first].ends_with("${") {
            return List::Default;
        }
        match name.text[..first - blanks].bytes().next_back() {
            Some(b'?' | b'&') => List::Query,
            Some(b';') if name.text[..first].ends_with("&amp;") => List::Query,
            Some(b';') if is_connection(line_before(name.text, first)) => List::Connection,
            Some(b';' | b':')
                if !name.begins_with(&["csrf", "xsrf"])
                    && is_cookie(line_before(name.text, first)) =>
            {
                List::Cookie
            }
            Some(b'{' | b',') if line_before(name.text, first).contains('{') => List::Flow,
            Some(b',') if blanks == 0 && name.text[name.end..].starts_with('=') => List::Options,
            Some(b'(') if name.text[..first].ends_with(")(") => List::Descriptor,
            _ => List::None,
        }
    }

    pub(super) fn ends_at(&self, b: u8) -> bool {
        let in_list = match self {
            List::Connection | List::Cookie => b == b';',
            List::Query => b == b'&',
            List::Flow => b == b',' || b == b'}',
            List::Default => b == b'}',
            List::Options => b == b',',
            List::Descriptor => b == b')',
            List::None => false,
        };
        in_list || b <= b' ' || b"<\"'`\x7f".contains(&b)
    }
}

/// Whether a line is that of a header with cookies.
fn is_cookie(line: &str) -> bool {
    let name = line.split_once(':').map_or(line, |(name, _)| name);
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    ["cookie", "set-cookie"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a line says where to connect to.
pub(super) fn is_connection(line: &str) -> bool {
    let parts = [
        "server=",
        "host=",
        "uid=",
        "user id=",
        "user=",
        "username=",
        "data source=",
        "driver=",
    ];
    let line = line.to_ascii_lowercase();
    parts.iter().any(|part| line.contains(part))
}
