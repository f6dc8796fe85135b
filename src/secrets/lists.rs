//! The text beside a name and its value on one line.

use super::letters::{before, behind, letters_of, line_before, word};
use super::name::Name;

/// The form of a list with names and values on one line.
#[derive(PartialEq, Eq)]
pub(super) enum List {
    None,
    /// `?a=b&c=d`
    Query,
    /// `Server=a;Password=b`
    Connection,
    /// `Set-Cookie: a=b; HttpOnly`
    Cookie,
    /// `{a: b, c: d}` as in YAML
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
        let first = name.first;
        let blanks = before(name.text, first, 4, |b| b == b' ');
        if name.text[..first].ends_with("${") {
            return List::Default;
        }
        match name.text[..first - blanks].bytes().next_back() {
            Some(b'?' | b'&') => List::Query,
            // `https://…/#access_token=…&token_type=…`
            Some(b'#') if blanks == 0 && is_address(name) => List::Query,
            Some(b';') if name.text[..first].ends_with("&amp;") => List::Query,
            Some(b';') if is_connection(line_before(name.text, first)) => List::Connection,
            Some(b';' | b':')
                if !name.has_any(&["csrf", "xsrf"]) && is_cookie(line_before(name.text, first)) =>
            {
                List::Cookie
            }
            Some(b'{' | b',') if line_before(name.text, first).contains('{') => List::Flow,
            Some(b',') if blanks == 0 && name.text[name.end..].starts_with('=') => List::Options,
            Some(b'=') if is_named(name) => List::Options,
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

/// Whether a name is itself the value of another name: `name=DB_PASSWORD,value=…`.
pub(super) fn is_named(name: &Name<'_>) -> bool {
    let before = line_before(name.text, name.first);
    ["name=", "Name=", "ParameterKey="]
        .iter()
        .any(|it| before.ends_with(it))
}

/// Whether a name is one of the many that a source map lists: `"names": ["a", "b"]`.
pub(super) fn is_among_names(name: &Name<'_>) -> bool {
    const LONG: usize = 400;
    let before = line_before(name.text, name.first);
    match before.rfind('[') {
        Some(at) => before[..at].trim_end().ends_with("\"names\":"),
        // Where the list begins is too far away to be seen.
        None => before.len() > LONG && !before.contains(['(', '{', '=', ':']),
    }
}

/// Whether a line is a header with cookies.
fn is_cookie(line: &str) -> bool {
    let name = line.split_once(':').map_or(line, |(name, _)| name);
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    ["cookie", "set-cookie"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a line is a connection string.
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

/// Whether a name stands in an address: `postgres://db/x?password=…`. There a password may hold any
/// character that has no meaning of its own.
pub(super) fn is_address(name: &Name<'_>) -> bool {
    let before = behind(name.text, name.start);
    let address = before.rsplit(char::is_whitespace).next();
    address.is_some_and(|address| address.contains("://"))
}

/// Whether a call is open before a name, which is then the name of an argument.
pub(super) fn is_in_call(name: &Name<'_>) -> bool {
    let before = line_before(name.text, name.first);
    before.rfind('(') > before.rfind(')')
}

/// `,uid=1`, after one of several options.
pub(super) fn is_option_next(behind: &str) -> bool {
    let name = letters_of(behind, 1, 40, word);
    name > 0 && behind[1 + name..].starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn what_is_called_or_filled_in_beside_others_is_no_value() {
        for text in [
            "connect(host=h, user=u, password=getPass1(x))",
            "connect(h,password=getPass1(x))",
            "f(host=host, user=user, password=args.password1)",
            "f(user=user, token=self.make_Token12345(x))",
            "call(a,password=args.Password1,user=b)",
            "def f(user=None,password=DEFAULT_Password1,host=x)",
            "select(db,password=hash2Password(Foo1),x=1)",
            "if (a)(token=readToken12Value34(x)) {}",
            "dsn = \"host=h user=u password=$DB_PASSWORD1 dbname=d\"",
            "mount -o user=u,password=$PASS1word,uid=1",
            "curl \"http://x/?password=$Pass1word\"",
            "\"host=h user=u password=\\(passWord1) dbname=x\"",
            "user=$u password=$(gen_pass1 x)",
            "machine configuration:\n  password Policy12Checks",
            "BUNDLE_CACHE_KEY: gems:Ruby3.2-Linux-x64",
            "echo 'kernel.yama.ptrace_scope=0' | sudo -S tee /etc/x",
            "redis-cli --eval a.lua -k Key1Value2",
            "openssl enc -a Aes256Input.bin",
            "curl -du '{\"name\":\"Foo1bar2\"}' https://x",
            "data.zip -P Foo1Bar2",
            "app.login(\"facebook\", \"v2.10-Graph/Api\")",
            "this.login(\"Username1\", \"Login failed: 401!\")",
            "\"file.tar.gz\" \"md50123456789abcdef0123456789abcdef\",",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn names_in_a_source_map_are_no_pairs() {
        let two = "\"InvalidTokenError\",\"b64DecodeUnicode\"";
        for text in [
            format!("{{\"version\":3,\"names\":[{two}],\"mappings\":\"A\"}}"),
            format!("{{\"names\": [\"a\", {two}]}}"),
            format!("{{\"names\":[{}{two}]}}", "\"someName\",".repeat(99)),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
        let pair = "[[\"user\",\"bob\"],[\"password\",\"x9Kq2mZ7vB4nT1wY\"]]";
        assert_eq!(find(pair).len(), 1);
    }
}
