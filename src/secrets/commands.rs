//! Passwords that commands are given.

use std::ops::Range;

use super::command_words::{
    CLOSING, Words, behind, command, command_word, first_words, given, is_path, opened, words,
};
use super::letters::{ahead, base64, before, dotted, letters_of, line_before, word};
use super::values::{is_made, is_mixed, is_password, is_signed};
use crate::split::place_in;

/// `curl -u user:password`
pub(super) fn curl(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = command(ahead(text, end));
    let value = line.split([' ', '\t', '\n']).find_map(|word| {
        let at = place_in(line, word);
        Some(&line[at + login_option(word)?..])
    })?;
    let login = opened(value);
    let (user, password) = login.split_once(':')?;
    let is_user = user.len() <= 64 && !user.contains([' ', '/']);
    let password = opened(password);
    let length = command_word(password)?;
    is_user.then_some(start..end + line.len() - password.len() + length)
}

/// Returns how much of a word is the option before a login: all of `-u`, `--user`, `--proxy-user`
/// and `-sSu`, the beginning of `--user=me` and `-ume`.
fn login_option(word: &str) -> Option<usize> {
    // Those of one letter that take no value.
    let is_flag = |letter: char| "sSfkLviIgNO#".contains(letter);
    let flags = word.strip_prefix('-').and_then(|it| it.strip_suffix('u'));
    let is_whole = ["--user", "--proxy-user", "-U"].contains(&word)
        || flags.is_some_and(|flags| flags.chars().all(is_flag));
    if is_whole {
        return Some(word.len());
    }
    let begun = ["--user=", "--proxy-user=", "-u"];
    let begun = begun.iter().find(|option| word.starts_with(**option));
    begun.map(|option| option.len())
}

/// `http -a user:password`
pub(super) fn user_and_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let login = opened(rest);
    let (user, password) = login.split_once(':')?;
    let is_user = !user.is_empty() && user.len() <= 64;
    let is_user = is_user && user.bytes().all(|b| dotted(b) || b == b'@');
    let length = command_word(password)?;
    // `gid://app/User/1`
    let is_login = is_user && !password.starts_with("//");
    is_login.then_some(start..end + rest.len() - password.len() + length)
}

/// Finds the input of a command from a pipe: `echo 'password' | docker login --password-stdin`,
/// `echo 'user:password' | chpasswd`.
pub(super) fn piped(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = line_before(text, start);
    let said = if text[start..end].starts_with('|') {
        line
    } else {
        line.rsplit_once('|')?.0
    };
    let (_, said) = ["echo ", "printf "]
        .iter()
        .find_map(|it| said.rsplit_once(it))?;
    let options = [
        "-n ",
        "-e ",
        "-en ",
        "-ne ",
        "'%s' ",
        "\"%s\" ",
        "%s ",
        "'%s\\n' ",
        "\"%s\\n\" ",
    ];
    let bare = options.iter().find_map(|it| said.strip_prefix(it));
    let said = bare.unwrap_or(said).trim();
    let said = opened(said);
    // It may be asked for twice, and behind it stands the end of a line.
    let said = said
        .split("\\n")
        .next()?
        .trim_end_matches(['"', '\'', '\\']);
    let password = if text[start..end].eq_ignore_ascii_case("chpasswd") {
        said.split_once(':')?.1
    } else {
        said
    };
    let at = place_in(text, password);
    // What is written to a file has a name or a path.
    let length = command_word(password)?;
    let behind = &password[length..];
    let is_whole = behind.is_empty() || behind.starts_with(CLOSING);
    let is_alone = is_whole && !password[..length].contains(['=', '/']);
    is_alone.then_some(at..end)
}

/// `mysql -ppassword`: an option without a blank after it.
pub(super) fn attached_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // Of an archive the names in it are hidden too; elsewhere `-h` is a host.
    let is_archive = ["7z", "rar", "unr"]
        .iter()
        .any(|it| text[start..end].starts_with(it));
    let options = if is_archive {
        &["-p", "-hp"][..]
    } else {
        &["-p"]
    };
    option_password(text, start, end, options)
}

/// `gem push --key x -k key`
pub(super) fn pushed(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-k ", "--api-key "])
}

/// `docker login -p password`
pub(super) fn short_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-p ", "-P ", "-w "])
}

/// `zip -P password`
pub(super) fn zip(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // `unzip`; but no name that ends so.
    let word = before(text, start, 8, |b| word(b) || b == b'.');
    let is_command = word == 0 || text[..start].ends_with("un") && word == 2;
    option_password(text, start, end, &["-P "]).filter(|_| is_command)
}

/// `redis-cli -h host -a password`
pub(super) fn redis(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-a "])
}

/// `openssl enc -k password`
pub(super) fn openssl(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-k "])
}

/// `gh secret set NAME -b value`, `-b"value"`, `--body=value`.
pub(super) fn set_secret(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-b ", "-b", "--body="])
}

/// `snmpwalk -v3 -u me -A password -X password`, `-c community` of the older ones.
pub(super) fn snmp(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-A ", "-X ", "-c "])
}

/// `ssh-keygen -N password`
pub(super) fn keygen(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    option_password(text, start, end, &["-N ", "-P "])
}

/// `any-tool -u me -p password`: the option for the password beside the one for the user, in any
/// command. The characters of a port or a path show that it is not a password.
pub(super) fn beside_user(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const USERS: [&str; 6] = [" -D ", " -u ", " -U ", " -l ", " --user ", " --username "];
    const ENDS: [char; 3] = [';', '|', '&'];
    // `-D` is the user of a directory, whose password is `-w`.
    let users = &USERS[usize::from(text[start..end].contains("-p"))..];
    let value = opened(ahead(text, end));
    let length = command_word(value)?;
    let is_made =
        is_option_value(&value[..length]) && !value[..length].contains(['/', ':', '=', '.']);
    if !is_made {
        return None;
    }
    let before = line_before(text, start).rsplit(ENDS).next()?;
    let rest = command(&value[length..]).split(ENDS).next()?;
    let is_told = |part: &str| users.iter().any(|it| part.contains(it));
    let at = place_in(text, value);
    (is_told(before) || is_told(rest)).then_some(start..at + length)
}

/// `chpasswd <<< "me:password"`, `sudo -S ls <<< password`.
pub(super) fn here(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const READERS: [&str; 9] = [
        "chpasswd",
        "passwd",
        "sudo -S",
        "--password-stdin",
        "--passphrase-fd 0",
        "cryptsetup ",
        "--with-token",
        "secret set ",
        "vault login -",
    ];
    // What stands between two sides of a merge has more of them.
    if text[..start].ends_with('<') || text[end..].starts_with('<') {
        return None;
    }
    let line = line_before(text, start);
    let is_reader = READERS.iter().any(|it| line.contains(it));
    let said = words(text, end).next().filter(|_| is_reader)?;
    let password = said.split_once(':').map_or(said, |(_, password)| password);
    given(text, start, Some(password))
}

/// `gh secret set NAME --body value`, `aws ssm put-parameter --type SecureString --value value`
pub(super) fn body(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = line_before(text, start);
    let mut commands = ["secret set ", "put-parameter "].iter();
    let is_command = commands.any(|it| line.contains(it));
    ssh_password(text, start, end).filter(|_| is_command)
}

/// `sqlplus user/password@host`
pub(super) fn slashed_login(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = command(ahead(text, end));
    let user = letters_of(line, 0, 64, word);
    let password = line[user..].strip_prefix('/')?;
    let password = password.split(['@', ' ', '\n']).next()?;
    let at = place_in(text, password);
    (user > 0).then_some(start..at + command_word(password)?)
}

/// `net use z: \\host /user:me password`: the word after the one for the user, or before it.
pub(super) fn net_use(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = command(ahead(text, end));
    let (others, user) = line.split_once("/user:")?;
    let before = Words(others).last().filter(|word| !is_path(word));
    given(text, start, Words(user).nth(1)).or_else(|| given(text, start, before))
}

/// `vault operator unseal …`, `redis-cli auth …`: the next word.
pub(super) fn first_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    given(text, start, words(text, end).next())
}

/// `net user me password`, `poetry config http-basic.name me password`.
pub(super) fn second_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // `http-basic.` is the beginning of a word.
    let is_begun = text[..end].ends_with('.');
    given(
        text,
        start,
        words(text, end).nth(if is_begun { 2 } else { 1 }),
    )
}

/// `mc admin user add alias me password`
pub(super) fn third_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    given(text, start, words(text, end).nth(2))
}

/// `mc alias set name https://host key secret`
pub(super) fn fourth_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    given(text, start, words(text, end).nth(3))
}

/// `htpasswd -bc file me password`, `htpasswd -nbB me password`: with a `b` among the options the
/// last word is the password; with an `n` there is no file.
pub(super) fn htpasswd(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let mut words = words(text, end);
    let (mut is_given, mut has_file, mut others) = (false, true, 0);
    let password = words.find(|word| {
        let Some(options) = word.strip_prefix('-').filter(|_| others == 0) else {
            // The cost of a hash stands behind its option.
            others += usize::from(!word.bytes().all(|b| b.is_ascii_digit()));
            return others == if has_file { 3 } else { 2 };
        };
        is_given |= options.contains('b');
        has_file &= !options.contains('n');
        false
    })?;
    let at = place_in(text, password);
    let length = command_word(password).filter(|_| is_given)?;
    Some(start..at + length)
}

/// Finds what stands below a mark and a user name.
pub(super) fn third_line(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let password = ahead(text, end).lines().nth(2)?.trim();
    let at = place_in(text, password);
    Some(start..at + command_word(password)?)
}

/// `smbclient -U user%password`, `lftp -u user,password`
pub(super) fn joined_login(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let line = command(ahead(text, end));
    let login = ["-U ", "-u "].iter().find_map(|it| behind(line, it))?;
    let login = opened(login);
    let user = letters_of(login, 0, 64, |b| dotted(b) || b == b'\\' || b == b'@');
    let password = login[user..].strip_prefix(['%', ','])?;
    let length = command_word(password)?;
    (user > 0).then_some(start..end + line.len() - password.len() + length)
}

/// `--from-literal=NAME=value`, `fly secrets set NAME=value`
pub(super) fn named(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    pairs(text, start, end, is_password)
}

/// `vault kv put secret/app name=value`, where most values are settings.
pub(super) fn written(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    pairs(text, start, end, |value| is_mixed(value) && !is_path(value))
}

/// Returns the first value of several pairs that `holds` accepts.
fn pairs(
    text: &str,
    start: usize,
    end: usize,
    holds: impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    first_words(text, end).find_map(|word| {
        let (name, value) = word.split_once('=')?;
        let is_name = !name.is_empty() && !name.starts_with('-') && name.bytes().all(dotted);
        let value = value.trim_matches(['"', '\'']);
        let password = Some(value).filter(|value| is_name && holds(value));
        given(text, start, password)
    })
}

/// `skopeo copy --src-creds me:password`, `stats auth me:password`: a login among the words of
/// a command.
pub(super) fn login_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // Most words of these are pictures and keys.
    let has_others = ["skopeo ", "etcdctl "].contains(&&*text[start..end].to_lowercase());
    let mut before = "";
    first_words(text, end).find_map(|word| {
        let (option, word) = match word.strip_prefix("--") {
            Some(option) => option.split_once('=').unwrap_or((option, "")),
            None => (before, word),
        };
        before = option;
        let is_login = !has_others || option.ends_with("creds") || option == "user";
        let (user, password) = word.split_once(':')?;
        let is_user = !user.is_empty() && user.bytes().all(|b| dotted(b) || b == b'@');
        let is_told = is_login && is_user && user != "sha256" && !is_path(password);
        given(text, start, Some(password).filter(|_| is_told))
    })
}

/// `openssl passwd -6 password`, `signtool sign /f a.pfx /p password`: any word that has the form
/// of a password, alone or after its option.
pub(super) fn any_word(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const OF_OTHERS: [&str; 11] = [
        "-salt",
        "/tn",
        "/tr",
        "-f",
        "/f",
        "-o",
        "-module-name",
        "-u",
        "-U",
        "/u",
        "-D",
    ];
    const OF_PASSWORDS: [&str; 4] = ["/p", "/rp", "-K", "-A"];
    let has_others = ["schtasks ", "swift -"].contains(&&*text[start..end].to_lowercase());
    let mut before = "";
    first_words(text, end).find_map(|word| {
        let word = word.trim_end_matches([')', '`']);
        // `/p:password`
        let (option, value) = word.rsplit_once([':', '=']).unwrap_or((before, word));
        let is_behind = |options: &[&str]| options.contains(&before) || options.contains(&option);
        let is_other = is_behind(&OF_OTHERS) || has_others && !is_behind(&OF_PASSWORDS);
        before = word;
        let is_told = is_mixed(value) || option.starts_with(['-', '/']) && is_option_value(value);
        let is_made = is_told && !value.contains('.') && !is_path(value);
        given(text, start, Some(value).filter(|_| is_made && !is_other))
    })
}

/// Whether a word behind an option has the form of a password. A `$` elsewhere begins a variable.
fn is_option_value(value: &str) -> bool {
    is_mixed(value) || is_signed(value) || is_made(value) && value.ends_with('$')
}

/// `send "password\\r"`: what a script types.
pub(super) fn typed(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    // The next line may end in the other way.
    let line = ahead(text, end).lines().next()?;
    let end_of = |sign| line.split_once(sign);
    let (value, _) = end_of("\\r\"").or_else(|| end_of("\\n\""))?;
    // What begins with `AT` is said to a modem.
    let holds = is_password(value) && !value.contains(['$', ' ', '"', '/']);
    (holds && !value.starts_with("AT")).then_some(start..end + value.len())
}

/// `user me on >password`, a line of a Redis ACL.
pub(super) fn rule_of_user(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_user = line_before(text, start).trim_start().starts_with("user ");
    first_word(text, start, end).filter(|_| is_user)
}

/// `'password' | password_hash('sha512')`: a value that is transformed before use.
pub(super) fn filtered(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    let line = line_before(text, start)
        .trim_end()
        .strip_suffix(['"', '\''])?;
    let (_, value) = line.rsplit_once(['"', '\''])?;
    let at = place_in(text, value);
    is_password(value).then_some(at..at + value.len())
}

/// `encrypt = "…"`, `Unseal Key 1: …`: sixteen or thirty-two bytes in base64 and nothing else.
pub(super) fn sized_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    // `public_key:` and `cache_key:` are none.
    let is_begun = text[start..end].starts_with(['k', 'K']);
    let before = line_before(text, start).trim_matches([' ', '\t', '-', '+', '{', '"', '\'']);
    if is_begun && !before.is_empty() {
        return None;
    }
    // Behind a quote a digit may be the first of the key.
    let is_opened = text[start..end].ends_with('"');
    let is_before = |c: char| !is_opened && (c.is_ascii_digit() || " :\"'".contains(c));
    let value = rest.trim_start_matches(is_before);
    let length = letters_of(value, 0, 64, base64);
    let shown = &value[..length];
    let is_sized = matches!(length, 24 | 44) && shown.trim_end_matches('=').len() >= 22;
    // A share of a key has a byte more, which fills it up.
    let is_share = text[start..end].starts_with(['u', 'U']);
    let holds = is_sized && (is_share || shown.ends_with('=')) && is_password(shown);
    let at = place_in(text, value);
    holds.then_some(start..at + length)
}

/// Finds the entries below `chpasswd:` in a machine's settings: `user:password`.
pub(super) fn listed(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let mut lines = ahead(text, end).lines().skip(1).take(4);
    let line = lines.find_map(|line| line.trim_start().strip_prefix("list:"))?;
    let below = ahead(text, place_in(text, line));
    let lines = below.lines().skip(1).take(16);
    let logins = lines.map_while(|line| line.split_once(':'));
    let mut passwords = logins.map(|(_, password)| password);
    passwords.find_map(|it| Some(start..place_in(text, it) + command_word(it)?))
}

fn option_password(text: &str, start: usize, end: usize, options: &[&str]) -> Option<Range<usize>> {
    let line = command(ahead(text, end));
    let password = |option: &&str| {
        let value = opened(behind(line, option)?);
        Some(line.len() - value.len() + command_word(value)?)
    };
    Some(start..end + options.iter().find_map(password)?)
}

/// `sshpass -p 'password'`
pub(super) fn ssh_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let value = opened(rest);
    let length = command_word(value)?;
    Some(start..end + rest.len() - value.len() + length)
}

/// `option key password`, a setting on a line of its own.
pub(super) fn line_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_first = line_before(text, start).trim_start().is_empty();
    ssh_password(text, start, end).filter(|_| is_first)
}

/// `BUNDLE_GEMS__EXAMPLE__COM: "user:password"`
pub(super) fn bundle(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let name = letters_of(rest, 0, 80, word);
    let login = rest[name..].trim_start_matches([':', '=', ' ', '"', '\'']);
    let (user, password) = login.split_once(':')?;
    let is_user = !user.is_empty() && user.len() <= 64 && user.bytes().all(dotted);
    // A host stands there with two signs for each dot.
    let is_host = rest[..name].contains("__");
    let length = command_word(password)?;
    (is_user && is_host).then_some(start..end + rest.len() - password.len() + length)
}

#[cfg(test)]
mod tests {
    use super::super::{Holds, told_by};
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a line for each command")]
    fn the_password_of_a_command_is_told_wherever_the_command_takes_it() {
        const P: &str = "x9Kq2mZ7vB4n";
        type Case = (Holds, &'static str, String);
        let cases: [Case; 57] = [
            (
                piped,
                "--with-token",
                format!("echo {P} | gh auth login --with-token"),
            ),
            (
                piped,
                "gh secret set",
                format!("echo {P} | gh secret set X"),
            ),
            (piped, "vault login -", format!("echo {P} | vault login -")),
            (here, "<<<", format!("gh auth login --with-token <<< {P}")),
            (here, "<<<", format!("gh secret set X <<< \"{P}\"")),
            (
                body,
                "--value ",
                format!("aws ssm put-parameter --name a --value {P}"),
            ),
            (slashed_login, "sqlplus ", format!("sqlplus system/{P}@db")),
            (
                net_use,
                "net use ",
                format!("net use z: \\\\h\\s /user:me {P}"),
            ),
            (
                net_use,
                "net use ",
                format!("net use z: \\\\h\\s {P} /user:me"),
            ),
            (
                second_word,
                "net user ",
                format!("net user me \"{P}\" /add"),
            ),
            (
                first_word,
                "operator unseal ",
                format!("vault operator unseal {P}"),
            ),
            (
                third_word,
                "user add ",
                format!("mc admin user add a me {P}"),
            ),
            (
                fourth_word,
                "mc alias set ",
                format!("mc alias set a https://h me {P}"),
            ),
            (
                set_secret,
                "secret set ",
                format!("gh secret set A -b \"{P}\" -R o/r"),
            ),
            (
                set_secret,
                "secret set ",
                format!("gh secret set A -b\"{P}\""),
            ),
            (
                snmp,
                "snmpwalk ",
                format!("snmpwalk -v3 -a SHA -A {P} host"),
            ),
            (
                keygen,
                "ssh-keygen ",
                format!("ssh-keygen -t rsa -N '{P}' -f a"),
            ),
            (beside_user, " -p ", format!("some-tool -u me -p {P} run")),
            (
                beside_user,
                " -w ",
                format!("ldapadd -x -w '{P}' -D cn=a -f x"),
            ),
            (named, "config:set ", format!("heroku config:set A=b B={P}")),
            (
                written,
                "vault kv put ",
                format!("vault kv put secret/x a=b c={P}"),
            ),
            (
                login_word,
                "skopeo ",
                format!("skopeo copy --src-creds me:{P} docker://a docker://b"),
            ),
            (
                login_word,
                "skopeo ",
                format!("skopeo copy --dest-creds=me:{P} docker://a docker://b"),
            ),
            (login_word, "stats auth ", format!("stats auth me:{P}")),
            (
                any_word,
                "openssl passwd ",
                format!("openssl passwd -6 -salt ab {P}"),
            ),
            (
                any_word,
                "signtool ",
                format!("signtool sign /f a.pfx /p {P} a.exe"),
            ),
            (any_word, "xfreerdp ", format!("xfreerdp /v:h /u:me /p:{P}")),
            (typed, "send \"", format!("send \"{P}\\r\"")),
            (
                pushed,
                "nuget push ",
                format!("dotnet nuget push x -k {P} -s y"),
            ),
            (rule_of_user, " on >", format!("user me on >{P} ~* +@all")),
            (
                filtered,
                "| password_hash(",
                format!("\"{{{{ '{P}' | password_hash('sha512') }}}}\""),
            ),
            (
                sized_key,
                "encrypt = \"",
                format!("encrypt = \"{P}{P}{P}x9Kq2mZ=\""),
            ),
            (
                sized_key,
                "Unseal Key ",
                format!("Unseal Key 1: {P}{P}{P}x9Kq2mZ="),
            ),
            (here, "<<<", format!("chpasswd <<< \"root:{P}\"")),
            (
                piped,
                "| passwd",
                format!("echo -e \"{P}\\n{P}\" | passwd root"),
            ),
            (
                second_word,
                "http-basic.",
                format!("poetry config http-basic.x me {P}"),
            ),
            (
                third_line,
                "<auth-user-pass>",
                format!("<auth-user-pass>\nme\n{P}\n"),
            ),
            (
                user_and_password,
                "]:587 ",
                format!("[smtp.x.org]:587 me:{P}\n"),
            ),
            (curl, "curl ", format!("curl -sSu 'me:{P}' https://x")),
            (
                curl,
                "curl ",
                format!("curl -x proxy --proxy-user me:{P} https://x"),
            ),
            (
                user_and_password,
                "http -a ",
                format!("http -a me:{P} x.org"),
            ),
            (
                piped,
                "--password-stdin",
                format!("echo \"{P}\" | docker login -u me --password-stdin x"),
            ),
            (piped, "sudo -S", format!("echo {P} | sudo -S ls")),
            (piped, "chpasswd", format!("RUN echo 'root:{P}' | chpasswd")),
            (
                piped,
                "--password-stdin",
                format!("printf '%s' '{P}' | docker login --password-stdin"),
            ),
            (redis, "redis-cli ", format!("redis-cli -h h -a {P} ping")),
            (
                openssl,
                "openssl enc ",
                format!("openssl enc -aes-256-cbc -k {P} -in a"),
            ),
            (zip, "zip ", format!("zip -r -P {P} a b")),
            (
                short_password,
                "oc login ",
                format!("oc login -u admin -p {P} https://h"),
            ),
            (
                body,
                "--body ",
                format!("gh secret set DEPLOY --body \"{P}\""),
            ),
            (
                joined_login,
                "smbclient ",
                format!("smbclient //srv/x -U adm%{P}"),
            ),
            (joined_login, "lftp ", format!("lftp -u user,{P} ftp://h")),
            (named, "--from-literal=", format!("--from-literal=DB={P}")),
            (
                named,
                "fly secrets set ",
                format!("fly secrets set DB='{P}'"),
            ),
            (
                listed,
                "chpasswd:",
                format!("chpasswd:\n  expire: false\n  list: |\n    a:RANDOM\n    root:{P}\n"),
            ),
            (ssh_password, "requirepass ", format!("requirepass {P}\n")),
            (
                bundle,
                "BUNDLE_",
                format!("BUNDLE_GEMS__X__ORG: \"me:{P}\""),
            ),
        ];
        for (holds, beginning, text) in cases {
            let told = told_by(holds, beginning, &text).unwrap_or_default();
            assert!(told.contains(P), "{text}: {told}");
        }
    }

    #[test]
    fn the_password_of_a_command_is_told_wherever_the_command_stands() {
        use super::super::find;
        const P: &str = "x9Kq2mZ7vB4n";
        for command in [
            format!("htpasswd -b file me {P}"),
            format!("rabbitmqctl add_user me \"{P}\""),
            format!("wandb login {P}"),
            format!("/msg NickServ IDENTIFY {P}"),
            format!("  dns cloudflare {P}"),
            format!("[smtp.x.org]:587 me@x.org:{P}"),
            format!("some-tool -u me -p '{P}'"),
            format!("some-tool -u me -p {P}"),
            format!("vault kv put a b={P}"),
            format!("echo \"{P}\" | docker login --password-stdin"),
        ] {
            let json = command.replace('"', "\\\"");
            let page = command.replace('"', "&quot;").replace('\'', "&#x27;");
            for text in [
                format!("{command}\r\n"),
                format!("run `{command}` now"),
                format!("{{\"a\": \"{json}\\n\"}}"),
                format!("{{\"a\": \"{json}\"}}"),
                format!("<pre>{page}</pre>"),
                format!("+{command}\n"),
                format!("$ {command}\n"),
                format!("\u{1b}[36;1m{command}\u{1b}[0m\n"),
            ] {
                assert_eq!(find(&text).len(), 1, "{text}");
            }
        }
    }

    #[test]
    fn a_password_may_have_signs_and_what_stands_beside_it_is_none() {
        use super::super::find;
        for (text, told) in [
            ("openssl passwd -1 Dragon@1234", true),
            ("security unlock-keychain -p Dragon@1234 b", true),
            ("signtool sign /f a.pfx /p Dragon@1234", true),
            (
                "ipmitool -H 10.0.0.5 -U ADMIN -P Falcon1987$ power on",
                true,
            ),
            ("xfreerdp /u:me /p:'Winter!88' /v:h", true),
            ("slappasswd -s Dragon@1234", true),
            ("rabbitmqadmin -u bob -p Dragon@1234 list", true),
            ("helm registry login r -u admin -p Dragon@1234", true),
            ("xfreerdp /u:Bob1@Company /v:h", false),
            ("ipmitool -U Bob1@Company -P $IPMI_Passw0rd", false),
            ("does certutil run on Windows10? and signtool", false),
            ("certutil -f SHA256(x) and -hashfile Base64!", false),
            ("some-tool -u me -p $DB_Passw0rd$", false),
            ("--from-literal=a=xK9mQ2v/BnT1wY8r", true),
            ("fly secrets set A=xK9mQ2v/BnT1wY8r", true),
            ("net use z: \\\\h\\s /user:me xK9/mQ2vBnT1", true),
            (
                "[\"CMD\", \"mysqladmin\", \"ping\", \"-px9Kq2mZ7vB4n\"]",
                true,
            ),
            ("[\"redis-cli\", \"-a\", \"x9Kq2mZ7vB4n\"]", true),
            ("send -- \"x9Kq2mZ7vB4n\\n\"", true),
            ("send \"x9Kq2mZ7vB4n\\n\"\nsend \"exit\\r\"", true),
            ("[\"tool\", \"-pxK9mQ2vBnT1\"]", false),
            ("[\"mysql\", \"-p$Passw0rdXy1\"]", false),
            ("net use \\\\h\\s xK9mQ2vBnT1 /user:me", true),
            ("poetry config http-basic.x me xK9mQ2v/BnT1", true),
            ("sshpass -p 'xK<9mQ2!vBnT' ssh h", true),
            ("sshpass -p 'xK9<mQ2!vBnT' ssh h", true),
            ("7z a -hpxK9mQ2vBnT1 a.7z b", true),
            ("option key 'xK9mQ2vBnT1'", true),
            ("swift -A https://h -U a:b -K xK9mQ2vBnT1 list", true),
            (
                "public_key: \"HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PRf8ykw=\"",
                false,
            ),
            ("cache_key: \"1B2M2Y8AsgTpgAmY7PhCfg==\"", false),
            ("send \"AT+CPIN=1234\\r\"", false),
            ("ls -p Foo1BarQx9Z && git branch -D x", false),
            ("cp -p IMG20Qx9Zb.jpg d -u x", false),
            ("skopeo copy docker-daemon:MyImage1x2Y oci:x", false),
            ("etcdctl get foo:Bar1xBaz9Q", false),
            ("swift -frontend -c -module-name Foo1BarQx9Z", false),
            ("schtasks /create /tn MyTask2Run9x /tr a", false),
            ("openssl passwd -6 -salt xK9mQ2vBnT1w $PASS", false),
            ("mysql -uroot -hprod-Db01x.Internal7", false),
            ("the option key backgroundColor2Dx9 is set", false),
        ] {
            assert_eq!(find(text).len(), usize::from(told), "{text}");
        }
    }

    #[test]
    fn the_password_of_a_user_is_told_behind_any_options() {
        for (text, told) in [
            ("htpasswd -b file me x9Kq2mZ7vB4n", true),
            ("htpasswd -bc file me x9Kq2mZ7vB4n", true),
            ("htpasswd -nbB me 'x9Kq2mZ7vB4n'", true),
            ("htpasswd -b \"/etc/a b/.file\" me x9Kq2mZ7vB4n", true),
            ("htpasswd -b\t/etc/file\tme\tx9Kq2mZ7vB4n", true),
            ("htpasswd -B -C 10 -b file me x9Kq2mZ7vB4n", true),
            ("htpasswd -b file me $Passw0rd1", false),
            ("htpasswd -c File1x me2You Passw0rd1x", false),
            ("htpasswd -bn me\nPassw0rd1x", false),
        ] {
            let password = told_by(htpasswd, "htpasswd ", text);
            assert_eq!(password.is_some(), told, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_such_a_command_has_no_password() {
        type Case = (Holds, &'static str, &'static str);
        let cases: [Case; 39] = [
            (body, "--value ", "set-parameter --value Value12x"),
            (slashed_login, "sqlplus ", "sqlplus user/$Passw0rd1@db"),
            (slashed_login, "sqlplus ", "sqlplus Scripts1/run"),
            (net_use, "net use ", "net use z: /user:me *"),
            (
                net_use,
                "net use ",
                "net use z: \\\\Host1x\\Share2y /user:me *",
            ),
            (second_word, "net user ", "net user me *"),
            (second_word, "net user ", "net user me $Passw0rd1"),
            (
                first_word,
                "operator unseal ",
                "operator unseal <Unseal1Key>",
            ),
            (
                fourth_word,
                "mc alias set ",
                "mc alias set a https://h KEY SECRET",
            ),
            (set_secret, "secret set ", "gh secret set A -b \"$Body12x\""),
            (
                keygen,
                "ssh-keygen ",
                "ssh-keygen -t rsa -N \"\" -f Key1x9Kq2",
            ),
            (beside_user, " -p ", "docker run -u 1000 -p 8080:80 a"),
            (beside_user, " -p ", "mkdir -p x9Kq2mZ7vB4n"),
            (beside_user, " -p ", "cp -u -p Some1File2There dir"),
            (
                written,
                "vault write ",
                "vault write a/b name=Some_Name policies=one,two",
            ),
            (
                login_word,
                "skopeo ",
                "skopeo copy docker://r.io/a:Tag12x dir:x9Kq2mZ7/vB4n",
            ),
            (login_word, "stats auth ", "stats auth me:$Passw0rd1"),
            (
                any_word,
                "signtool ",
                "signtool sign /f x9Kq2mZ7.pfx /p %P%",
            ),
            (typed, "send \"", "send \"$passw0rd1\\r\""),
            (typed, "send \"", "send \"Hello World1\" or x9Kq2\\r\""),
            (rule_of_user, " on >", "the rest is on >x9Kq2mZ7vB4n"),
            (
                filtered,
                "| password_hash(",
                "{{ word | password_hash('sha512') }}",
            ),
            (sized_key, "encrypt = \"", "encrypt = \"x9Kq2mZ7vB4n\""),
            (here, "<<<", "cat <<< \"root:x9Kq2mZ7vB4n\""),
            (
                third_line,
                "<auth-user-pass>",
                "<auth-user-pass>\nme\n</auth-user-pass>\n",
            ),
            (curl, "curl ", "curl -sSu $USER:$PASSWORD1 https://x"),
            (curl, "curl ", "curl -sSfL https://x.org:8080/a1b2c3d4"),
            (
                piped,
                "--password-stdin",
                "echo $TOKEN | docker login --password-stdin",
            ),
            (
                piped,
                "--password-stdin",
                "echo ${{ secrets.TOKEN_1 }} | docker login --password-stdin",
            ),
            (piped, "chpasswd", "echo \"root:password\" | chpasswd"),
            (piped, "sudo -S", "sudo -S true"),
            (redis, "redis-cli ", "redis-cli -a $REDIS_PASSWORD1 ping"),
            (bundle, "BUNDLE_", "BUNDLE_PATH: \"vendor:bundle\""),
            (body, "--body ", "gh secret set DEPLOY --body \"$Body12x\""),
            (joined_login, "smbclient ", "smbclient //srv/x -U Admin12x"),
            (named, "--from-literal=", "--from-literal=DB=$DB_Passw0rd"),
            (named, "fly secrets set ", "fly secrets set DB=word"),
            (
                listed,
                "chpasswd:",
                "chpasswd:\n  list: |\n    root:RANDOM\n",
            ),
            (ssh_password, "vault login ", "vault login -method=oidc2"),
        ];
        for (holds, beginning, text) in cases {
            assert_eq!(told_by(holds, beginning, text), None, "{text}");
        }
    }
}
