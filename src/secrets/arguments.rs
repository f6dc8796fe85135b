//! Commands written as lists of their arguments: `run(["curl", "-u", "user:password"])`, and in YAML
//! an argument on each line or all of them without quotes: `args: [-u, user:password]`.

use memchr::memchr_iter;

use super::letters::dashed;
use super::sides::{Counter, Line, Side, line_at, run_around};
use crate::split::place_in;

/// Passes on the commands that a text has as lists, each as it is written in a shell.
pub(super) fn commands(text: &str, mut take: impl FnMut(Side)) {
    let mut next = 0;
    let mut counter = Counter::of(text);
    for option in options(text.as_bytes()) {
        if option < next {
            continue;
        }
        let line = line_at(text, option, next);
        if entry(line.text).is_some() {
            let entries = run_around(text, &line, next, |line| entry(line).is_some());
            next = entries.last().map_or(next, Line::end);
            let first = entries.first().map_or(line.from, |line| line.from);
            take(list(&entries, counter.line_at(first)));
        } else {
            next = line.end();
            if let Some(items) = items(line.text) {
                take(flow(&line, items, counter.line_at(line.from)));
                continue;
            }
            let is_quoted = text[..option].ends_with(QUOTES);
            if is_quoted && is_list(line.text) {
                take(command(&line, counter.line_at(line.from)));
            }
        }
    }
}

/// Returns where options may begin in lists of words: behind a quote, behind `- `, and as an item
/// without quotes.
fn options(text: &[u8]) -> impl Iterator<Item = usize> {
    let dashes = memchr_iter(b'-', text);
    dashes.filter(|at| match text[..*at] {
        [.., b'"' | b'\'' | b'['] | [.., b'-', b' '] => true,
        [.., b',', b' '] => !text[at + 1..].first().is_some_and(u8::is_ascii_digit),
        _ => false,
    })
}

/// What stands around the words of a list.
const AROUND: [char; 12] = [
    ' ', '\t', '\r', '\n', ',', '[', ']', '(', ')', '{', '}', '\\',
];

/// The most bytes of a line with a command.
const MOST: usize = 1000;

/// Whether a line with an option in quotes has more words.
fn is_list(line: &str) -> bool {
    line.len() <= MOST && line.bytes().any(|b| b == b',')
}

/// Returns the words on these lines with blanks between them.
fn list(entries: &[Line<'_>], first: usize) -> Side {
    let mut side = Side::from(first);
    for line in entries {
        add(&mut side, line, entry(line.text).unwrap_or_default());
    }
    side
}

/// Returns the words of a list with blanks between them. What is no word but code, or made from a
/// template, is written like a variable of the shell.
fn command(line: &Line<'_>, first: usize) -> Side {
    let mut side = Side::from(first);
    for item in line.text.split(['"', '\'']) {
        let word = item.trim_matches(AROUND);
        if word.is_empty() {
            continue;
        }
        if item.contains(OF_CODE) {
            side.add_instead(line, item, "$_ ");
        } else {
            add(&mut side, line, word);
        }
    }
    side
}

/// Returns the items of a list of YAML on one line: `args: [--password, …]`.
fn items(line: &str) -> Option<&str> {
    let line = Some(line).filter(|line| line.len() <= MOST)?;
    let (name, items) = line.split_once(": [")?;
    let is_name = name.bytes().all(|b| dashed(b) || b == b' ');
    let items = items.trim_end().strip_suffix(']')?;
    (is_name && !items.contains(['(', '{'])).then_some(items)
}

/// Returns the items of such a list with blanks between them. Its name may stand for the command.
fn flow(line: &Line<'_>, items: &str, first: usize) -> Side {
    let mut side = Side::from(first);
    side.add_instead(line, &line.text[..place_in(line.text, items)], "$_ ");
    for item in items.split(',') {
        add(&mut side, line, item.trim().trim_matches(QUOTES));
    }
    side
}

/// What stands beside quotes in code, and in a template.
const OF_CODE: [char; 8] = [',', '[', ']', '(', ')', '{', '}', '='];

fn add(side: &mut Side, line: &Line<'_>, word: &str) {
    side.add(line, word);
    side.text.push(' ');
}

/// Returns the word on a line of its own: `- word`, `"word",`.
fn entry(line: &str) -> Option<&str> {
    let line = line.trim_ascii();
    let word = match line.as_bytes().first()? {
        b'-' => line.strip_prefix("- ")?.trim_matches(QUOTES),
        b'"' | b'\'' => {
            let quoted = line.trim_end_matches(',').trim_matches(QUOTES);
            Some(quoted).filter(|quoted| quoted.len() + 2 <= line.len())?
        }
        _ => return None,
    };
    let is_word = || !word.bytes().any(|b| b" \"'".contains(&b));
    (line.len() <= MOST && !word.is_empty() && is_word()).then_some(word)
}

const QUOTES: [char; 2] = ['"', '\''];

#[cfg(test)]
mod tests {
    use super::super::find;

    const P: &str = "LCf9d5BXSMsJTrVd";

    #[test]
    fn the_password_of_a_command_in_a_list_is_told() {
        for text in [
            format!("subprocess.run([\"curl\", \"-u\", \"bob:{P}\", u])"),
            format!("run(['sshpass', '-p', '{P}', 'ssh', h])"),
            format!("spawn(\"sshpass\", [\"-p\", \"{P}\", \"ssh\", h])"),
            format!("exec.Command(\"sshpass\", \"-p\", \"{P}\")"),
            format!("exec.Command(\"curl\", \"-u\", \"bob:{P}\", url)"),
            format!("[\"mysql\", \"-u\", \"root\", \"-p\", \"{P}\"]"),
            format!("[\"mysql\",\"-uroot\",\"-p{P}\"]"),
            format!("[\"docker\", \"login\", \"-u\", \"bob\", \"-p\", \"{P}\"]"),
            format!("HEALTHCHECK CMD [\"redis-cli\", \"-a\", \"{P}\", \"ping\"]"),
            format!("args: [\"-u\", \"admin\", \"-p\", \"{P}\"]"),
            format!("\"source\": [\"run([\\\"curl\\\", \\\"-u\\\", \\\"bob:{P}\\\"])\\n\"]"),
            format!("args: [--password, {P}]\n"),
            format!("  - args: [\"--password\", {P}]\n"),
            format!("command: [redis-server, --requirepass, {P}]"),
            format!("command: [curl, '-u', bob:{P}, x]"),
            format!("command:\n  - redis-cli\n  - -a\n  - {P}\n"),
            format!("command:\r\n- curl\r\n- \"-u\"\r\n- admin:{P}\r\n"),
            format!("\"args\": [\n  \"docker\",\n  \"login\",\n  \"-p\",\n  \"{P}\"\n]"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        let text = format!("é: \"é\"\n- redis-cli\n- -a\n- {P}\n");
        let found = &find(&text)[0];
        assert_eq!((found.line, found.last), (2, 4));
        assert!(text[found.place.clone()].ends_with(P));
    }

    #[test]
    fn a_list_of_words_is_no_command() {
        for text in [
            format!("[\"tool\", \"-p\", \"{P}\"]"),
            "[\"mysql\", \"-u\", \"root\", \"-p\", \"$DB_PASSWORD1x\"]".to_owned(),
            format!("- redis-cli\n- -h\n- {P}\n"),
            format!("args: [--name, {P}]"),
            format!("run(args: [--password, {P}])"),
            "args: [--password, $DB_PASSWORD1x]".to_owned(),
            "args: [\"--password\", \"{{ Pass1word }}\"]".to_owned(),
            format!("- redis-cli\n\n- -a\n- {P}\n"),
            format!("- redis-cli is one\n- -a\n- {P}\n"),
            format!("add_argument(\"-u\", \"-p\", \"--password\", dest=\"{P}\")"),
            format!("[\"curl\", \"-o\", \"bob:{P}\"]"),
            "run([\"redis-cli\", \"-a\", settings.REDIS_PASS2])".to_owned(),
            "exec.Command(\"sshpass\", \"-p\", c.SSHPassword2, \"ssh\")".to_owned(),
            "run([\"docker\", \"login\", \"-u\", c.User1, \"-p\", c.Token2])".to_owned(),
            "run([\"sshpass\", \"-p\", \"{{ ssh_Pass1word }}\"])".to_owned(),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
