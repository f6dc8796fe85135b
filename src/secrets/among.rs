//! Passwords given among words, as in notes and tickets: `user: bob password: …`, `(pw: …)`,
//! `id/pw: bob/…`, `password for bob: …`.

use std::ops::Range;

use super::around::BLANKS;
use super::bare::{is_given, is_member};
use super::escapes::continues;
use super::letters::{ahead, dotted, letters_of, word};
use super::name::{Name, is_whole_word};
use super::values::{is_made, is_mixed, is_password, is_secret, is_signed, names_algorithm};
use crate::split::place_in;

/// Finds a password after its name, anywhere on a line.
pub(super) fn password_among_words(name: &Name<'_>) -> Option<Range<usize>> {
    among_words(name, |shown| is_password(shown) && !names_algorithm(shown))
}

/// Finds a key after its name, anywhere on a line.
pub(super) fn key_among_words(name: &Name<'_>) -> Option<Range<usize>> {
    const LEAST: usize = 16;
    among_words(name, |shown| {
        shown.len() >= LEAST && is_secret(shown) && is_mixed(shown)
    })
}

/// Finds a value after a name, without quotes. Nothing around it tells it from words and code, so
/// it must look like neither.
fn among_words(name: &Name<'_>, holds: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let before = &name.text[..name.first];
    let is_apart = before.is_empty() || before.ends_with(AROUND);
    let (sign, value) = behind_sign(ahead(name.text, name.end)).filter(|_| is_apart)?;
    let value = if names_user(before) {
        behind_user(value).unwrap_or(value)
    } else {
        value
    };
    let shown = said(value);
    let is_told = match sign {
        Sign::Written => is_made(shown),
        Sign::Words => is_made(shown) && (is_signed(shown) || is_long(shown)),
    };
    let holds = is_told && is_value(shown) && holds(shown);
    holds.then(|| name.start..place_in(name.text, shown) + shown.len())
}

/// Whether this is longer than anything a sentence names.
fn is_long(shown: &str) -> bool {
    const LEAST: usize = 24;
    let is_whole = shown.bytes().all(word);
    shown.len() >= LEAST && is_whole && is_secret(shown) && is_mixed(shown)
}

/// Does the same for a name so short that it must stand alone: `(pw:…)`.
pub(super) fn short_among_words(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let end = end - 1;
    let is_whole = is_whole_word(text, start, end);
    let name = Name::of(text, start, end);
    is_whole.then(|| password_among_words(&name))?
}

/// Finds the password of a login: `login: bob / …`, `login as bob:…`. After `with` there may be a
/// method instead of a user, and it may contain a slash.
pub(super) fn said_login(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let user = letters_of(rest, 0, 64, |b| dotted(b) || b"@'\"`".contains(&b));
    let is_first = !continues(text, start) && user > 0;
    let between = [" / ", ":", " : ", ", ", " ", "/"];
    let is_means = text[start..end].ends_with("with ");
    let between = &between[..if is_means { 3 } else { between.len() }];
    let mut behind = between
        .iter()
        .filter_map(|it| Some((*it, rest[user..].strip_prefix(it)?)));
    let (sign, value) = behind.next().filter(|_| is_first)?;
    let shown = said(value.trim_start_matches(['"', '\'', '`']));
    let is_told = is_signed(shown) || sign == " / " && is_mixed(shown);
    let holds = is_told && is_password(shown) && is_value(shown);
    holds.then_some(start..place_in(text, shown) + shown.len())
}

/// Characters that may stand before a name among words.
const AROUND: [char; 16] = [
    ' ', '\t', '\n', '\r', '(', '[', '{', ',', '/', ';', '|', '>', '"', '\'', '*', '`',
];

/// The text between a name and its value.
enum Sign {
    /// A colon or the like.
    Written,
    /// Only words, or a blank.
    Words,
}

/// Returns the value after `: `, ` for bob: `, ` is ` or a blank.
fn behind_sign(rest: &str) -> Option<(Sign, &str)> {
    if let Some(value) = rest.strip_prefix([':', '=', '：']) {
        return Some((Sign::Written, value.trim_start_matches(' ')));
    }
    let words = rest.strip_prefix(' ')?;
    let mut whose = ["for ", "of "].iter();
    if let Some(whose) = whose.find_map(|it| words.strip_prefix(it)) {
        let name = letters_of(whose, 0, 48, |b| dotted(b) || b"@'`".contains(&b));
        let mut signs = [": ", " is ", ":"].iter();
        let value = signs.find_map(|it| whose[name..].strip_prefix(it))?;
        return Some((Sign::Written, value));
    }
    let signs = ["is: ", "-> ", "- ", "= ", ": "];
    if let Some(value) = signs.iter().find_map(|it| words.strip_prefix(it)) {
        return Some((Sign::Written, value));
    }
    let mut verbs = ["is now ", "is ", "to ", "from "].iter();
    let value = verbs.find_map(|it| words.strip_prefix(it)).unwrap_or(words);
    Some((Sign::Words, value.trim_start_matches('`')))
}

/// Whether the name follows that of its user: `id/pw`.
fn names_user(before: &str) -> bool {
    before.trim_end_matches(' ').ends_with('/')
}

/// Returns what follows the user: `bob/…`, `bob / …`.
fn behind_user(value: &str) -> Option<&str> {
    let user = letters_of(value, 0, 64, |b| dotted(b) || b == b'@');
    let rest = value[user..].trim_start_matches(BLANKS).strip_prefix('/')?;
    Some(rest.trim_start_matches(BLANKS))
}

/// Returns the first word of a text without closing quotes, brackets and the punctuation at its
/// end.
fn said(text: &str) -> &str {
    let length = letters_of(text, 0, MOST, |b| {
        b > b' ' && !b"\"'`<|,;\\\x7f".contains(&b)
    });
    let word = text.get(..length).unwrap_or_default();
    let word = entity(word).map_or(word, |at| &word[..at]);
    let closes = word
        .find([')', ']', '}'])
        .filter(|at| !word[..*at].contains(['(', '[', '{']));
    word[..closes.unwrap_or(word.len())].trim_end_matches(['.', ',', ';', ':'])
}

/// Whether this is not a piece of code, even if an operator stands around it: `!isOn2`,
/// `it.value2!`, `window.width2*2`, `a1||b2`.
fn is_value(shown: &str) -> bool {
    let is_not = shown
        .strip_prefix('!')
        .is_some_and(|it| it.bytes().all(word));
    let operators = ["&&", "||", "!=", "==", "?."];
    let is_reckoned = operators.iter().any(|it| shown.contains(it));
    let is_reckoned = is_reckoned || is_choice(shown) || is_member(shown);
    let first = &shown[..letters_of(shown, 0, MOST, dotted)];
    let is_code = is_not || is_reckoned || first.len() < shown.len() && !is_given(first);
    !is_code && is_given(shown) && is_given(shown.trim_end_matches('!'))
}

/// `a?b:c`
fn is_choice(shown: &str) -> bool {
    let behind = shown.split_once('?').map(|(_, behind)| behind);
    behind.is_some_and(|behind| behind.contains(':'))
}

/// Returns where a word contains an HTML entity for a quote or a bracket: `&quot;`, `&#x3C;`.
fn entity(word: &str) -> Option<usize> {
    let names = ["quot;", "lt;", "gt;", "amp;", "apos;", "#"];
    let is_entity = |at: &usize| names.iter().any(|name| word[at + 1..].starts_with(name));
    let mut signs = word.match_indices('&').map(|(at, _)| at);
    signs.find(is_entity)
}

/// The most characters of a password among words.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::find;

    const P: &str = "kobRt47Ln!";
    const Q: &str = "Wq7tRm2x";

    #[test]
    fn a_password_among_words_is_told() {
        for text in [
            format!("user:bob password:{P}"),
            format!("Username: bob Password: {P} (ask me)"),
            format!("login: x pw: {P}"),
            format!("bob@10.0.0.5 (pw:{Q})"),
            format!("10.0.0.5 PW:{Q}"),
            "The API token is lGOyJJYmtZYpKfci1pJIatZz89OLsJ4xcCepxTk8.".to_owned(),
            format!("10.0.0.5 (ID/PW: bob/{Q})"),
            format!("ID/PW : bob / {P}"),
            format!("password for bob: {Q}"),
            format!("the password of bob is {P}."),
            format!("Password is: {P}"),
            format!("Log in with the password {P} please"),
            format!("- user bob, password {P}"),
            format!("password -> {P}"),
            format!("Wi-Fi: Home, PW: {P}"),
            format!("<li>Password: {P}</li>"),
            format!("print(\"user: bob password: {P}\")"),
            format!("\"note\": \"with bob, pw: {P}\""),
            format!("<button onclick=\"alert(&quot;password:{P}&quot;)\">"),
            format!("login: bob / {P}"),
            format!("login as bob:{P}"),
            format!("creds: `bob` / `{P}`"),
            format!("login: bob / {Q}"),
            format!("Credentials: `bob` / `{Q}`"),
            format!("Default credentials: `bob` / `{P}`"),
            format!("Set the admin password to `{P}`."),
            format!("set password to {P}"),
            format!("rotate password from {P} to …"),
            format!("The password is now {P}"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn words_and_code_behind_a_name_are_no_password() {
        for text in [
            "the password is required, see Section2",
            "a password of Base64 letters, and the password for Oauth2Login: none",
            "{ user: a, password: process.env.DbPassword1! }",
            "f(user: a, password: hash2Of(pw))",
            "f(pw: Width2, ph: 3)",
            "<code>{ pem: &#x3C;string|buffer>, passphrase: &#x3C;String3> }</code>",
            "spw:Wq7tRm2x",
            "password: !isLdap2 && password2",
            "{ user, password: vault.DB1pass|quote, b }",
            "call(a,password=args.Password1,user=b)",
            "login: bob / see Chapter-2",
            "set the password to Base64Text2",
            "the password from Section2 to `Chapter3Names`",
            "login with OAuth2/OpenID-Connect1! now",
            "pw=window.innerWidth2*2;ph=1",
            "(pw=this._pW2!=null)",
            "if (password=Foo1Bar!=null)",
            "f({a:1,password:A1b&&B2c})",
            "f({a:1,password:A1?B2c:D3e})",
            "f({a:1,password:t.E1||n.F2})",
            "f({a:1,password:t.E1?.F2!})",
            "password: Foo1Bar2, and more of it",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
