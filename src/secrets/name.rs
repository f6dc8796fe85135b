//! A name that suggests a secret, and the text around it.

use memchr::memchr2_iter;

use super::around::BLANKS;
use super::escapes::ends_written_out;
use super::letters::{before, behind, dashed, dotted, line_before};

/// A name that suggests a secret: where its known part starts and ends.
#[derive(Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_password: bool,
    /// Where the word begins that contains it. Nearly every rule needs this.
    pub(super) first: usize,
}

impl Name<'_> {
    /// A name that is not for passwords.
    pub(super) fn of(text: &str, start: usize, end: usize) -> Name<'_> {
        Name {
            text,
            start,
            end,
            is_password: false,
            first: start - before(text, start, 48, dotted),
        }
    }

    /// Whether this names a variable set as `SOME_TOKEN=…` or `SOME_TOKEN: …` at the beginning of
    /// its line.
    pub(super) fn is_of_environment(&self) -> bool {
        let own = &self.text[self.first..self.end];
        let is_capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        let is_set = self.text[self.end..].starts_with(['=', ':']);
        own.len() > self.end - self.start
            && own.bytes().all(is_capital)
            && is_set
            && starts_line(self)
    }

    /// Whether it, or the word before it, contains one of these.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        let word = self.text[self.first..self.end].to_ascii_lowercase();
        words.iter().any(|known| word.contains(known))
    }

    /// Whether its known part is one of these.
    pub(super) fn is_known_as(&self, words: &[&str]) -> bool {
        let known = &self.text[self.start..self.end];
        words.iter().any(|word| known.eq_ignore_ascii_case(word))
    }
}

/// Whether a name ends here, and begins here or as in `dbPass`, `db_pass`.
pub(super) fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let first = bytes[start];
    let begins = start.checked_sub(1).is_none_or(|at| {
        !bytes[at].is_ascii_alphanumeric()
            || first.is_ascii_uppercase() && bytes[at].is_ascii_lowercase()
            || ends_written_out(&bytes[..start])
    });
    begins && !bytes.get(end).is_some_and(|b| dashed(*b))
}

/// Whether only a name precedes this on its line, as in a settings file; another name that it
/// belongs to may precede: `Environment=DB_PASSWORD=…`, `app:dbPassword: …`.
pub(super) fn starts_line(name: &Name<'_>) -> bool {
    let line = line_before(name.text, name.first);
    let line = line.strip_suffix(['=', ':']).unwrap_or(line);
    let line = without_prompt(line);
    line.bytes()
        .all(|b| dotted(b) || !b.is_ascii() || b" \t+#/*\"".contains(&b))
}

/// Returns a line without a shell prompt, a quotation mark of mail, or a log's colour code.
fn without_prompt(line: &str) -> &str {
    let line = line.trim_start_matches(BLANKS);
    let line = ["$ ", "> ", "% "]
        .iter()
        .find_map(|it| line.strip_prefix(it))
        .unwrap_or(line);
    let Some(colour) = line.strip_prefix("\x1b[") else {
        return line;
    };
    colour.split_once('m').map_or(line, |(_, line)| line)
}

/// `--password …`, `-storepass …`
pub(super) fn is_option(name: &Name<'_>) -> bool {
    has_dashes(name) && !is_in_quotes(line_before(name.text, name.first))
}

/// Does the same for a command in quotes, as in a script of `package.json`.
pub(super) fn is_option_in_quotes(name: &Name<'_>) -> bool {
    let before = line_before(name.text, name.first);
    before.ends_with(' ') && has_dashes(name) && is_in_quotes(before)
}

/// Whether a quote is open at the end of a text. One within a word is an apostrophe: `don't`.
fn is_in_quotes(before: &str) -> bool {
    let mut open = None;
    let bytes = before.as_bytes();
    for at in memchr2_iter(b'"', b'\'', bytes) {
        let last = at.checked_sub(1).map(|last| bytes[last]);
        let is_opening = !last.is_some_and(|b| b.is_ascii_alphanumeric());
        open = match open {
            None if bytes[at] == b'"' || is_opening => Some(bytes[at]),
            Some(quote) if quote == bytes[at] && last != Some(b'\\') => None,
            _ => open,
        };
    }
    open.is_some()
}

/// `"--password"` and the value below it, in a list of arguments.
pub(super) fn is_option_in_list(name: &Name<'_>) -> bool {
    let first = name.first;
    let is_option = name.text[first..].starts_with('-');
    is_option && name.text[..first].ends_with(['"', '\''])
}

fn has_dashes(name: &Name<'_>) -> bool {
    let first = name.first;
    let before = line_before(name.text, first);
    let option = &name.text[first..name.start];
    // Of `--key` what tells begins with the second sign.
    let is_whole = name.is_password || !name.text[name.start..].starts_with('-');
    // `/password:…` of Windows.
    let is_of_windows = name.is_password && before.ends_with(" /");
    option.starts_with("--") || option == "-" && is_whole || is_of_windows
}

/// `ENV DB_PASSWORD …` of a container, `set -gx API_KEY …` and `setenv API_KEY …` of a shell.
pub(super) fn is_set(name: &Name<'_>) -> bool {
    const MARKS: [char; 9] = [' ', '\t', '+', '-', '#', '/', '*', '>', '$'];
    let before = line_before(name.text, name.first).trim_start_matches(MARKS);
    // A line begins with the name mostly.
    if before.is_empty() {
        return false;
    }
    let mut setters = SETTERS.iter();
    let Some(rest) = setters.find_map(|setter| before.strip_prefix(setter)) else {
        return false;
    };
    let mut words = rest.split(BLANKS);
    let is_whole = words.next().is_some_and(str::is_empty);
    is_whole && words.all(|word| word.is_empty() || word.starts_with('-'))
}

/// Of those with one beginning the longer ones come first.
const SETTERS: &[&str] = &[
    "ENV",
    "proxy_set_header",
    "RequestHeader set",
    "%define",
    "%global",
    "setenv",
    "SetEnv",
    "setx",
    "set(",
    "set",
    "fastcgi_param",
    "uwsgi_param",
    "aws configure set",
    "(setq",
    "(define",
    "(defvar",
    "(defconst",
    "(defparameter",
    "(def",
];

/// `#define API_KEY …`
pub(super) fn is_defined(name: &Name<'_>) -> bool {
    let before = line_before(name.text, name.first).trim_start_matches(['#', ' ', '\t']);
    before
        .strip_prefix("define")
        .is_some_and(|rest| rest.trim_start_matches(BLANKS).is_empty())
}

/// `login somebody password …`, on one line or on two, and `password …` below `machine …`.
pub(super) fn is_login(name: &Name<'_>) -> bool {
    let mut lines = behind(name.text, name.start)
        .rsplit('\n')
        .map(str::trim_start);
    let same = lines.next().unwrap_or_default();
    let above = lines.next().unwrap_or_default();
    // The line has a host and no more.
    let host = above.trim_end().strip_prefix("machine ");
    let is_machine = host.is_some_and(|host| host.bytes().all(dotted));
    let is_above = above.starts_with("login ") || is_machine;
    same.contains("login ") || same.is_empty() && is_above
}

#[cfg(test)]
mod tests {
    use super::super::find;

    const KEY: &str = "9d77d8004f4b2744c4a64434188b0402";

    #[test]
    fn a_name_may_follow_other_words_of_its_language() {
        for text in [
            "数据库密码:Berlin@123\n",
            "数据库密码：Berlin@123\n",
            "默认密码: Dragon@1234\n",
            "データベースのパスワード：Dragon@1234\n",
            "мойпароль: Dragon@1234\n",
            "数据库口令：Dragon@1234\n",
            "mật khẩu: Dragon@1234\n",
            "kata sandi: Dragon@1234\n",
            "Az én jelszó: Dragon@1234\n",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in ["请输入密码：不能为空\n", "密码长度：Base64字符\n"] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_value_of_an_option_is_told_beside_quotes_and_in_them() {
        for text in [
            format!("foo \"a\" --auth-token {KEY}"),
            format!("cast send $A \"mint()\" --private-key 0x{KEY}{KEY}"),
            "tool --name \"My App\" --password Dragon2-Prod".to_owned(),
            format!("Don't forget: foo --api-key {KEY}"),
            format!("{{\"scripts\": {{\"deploy\": \"foo --auth-token {KEY} --prod\"}}}}"),
            format!("{{\"deploy\": \"foo -m \\\"it\\\" --auth-token {KEY}\"}}"),
            format!("- run: \"foo --api-key {KEY}\""),
            format!("os.system('foo --api-key {KEY}')"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            "help=\"with --auth-token you say how2 log in\"",
            "\"foo --auth-token name-of-some-token-2 --prod\"",
            "\"foo --auth-token $AUTH_TOKEN_2X9K\"",
            "\"foo --password second2word\"",
            "\"foo --auth-token\", \"see 9d77d8004f4b2744c4a64434188b0402\"",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
