//! Tells whether a value looks like a secret, or like a made-up password.

use super::escapes::percent_decoded;
use super::jumble::{is_jumbled, oddities};
use super::letters::{alphanumeric, base64, dotted, is_random, upper, word};

/// The fewest and the most characters of a secret. Most lie between, and most words that a program
/// assigns are shorter.
const SECRET: std::ops::RangeInclusive<usize> = 12..=256;

/// The fewest and the most characters of a password.
const PASSWORD: std::ops::RangeInclusive<usize> = 8..=128;

/// The least entropy of a secret, in bits for each character. Sixteen random hexadecimal digits
/// have about 3.1, names of things mixed with numbers about 3.
const MIN_BITS: f64 = 3.1;

/// Text in values that are filled in later, or in a piece of code.
const IN_CODE: &[&str] = &[
    "EXAMPLE", "${", "#{", "UUID=", "{{", "%(", "://", "::", "->", "=>", "arn:aws", ".env.",
];

/// Text in patterns and formats that passwords hardly have.
const IN_PATTERNS: &[&str] = &[
    "[a-z", "[A-Z", "[^", "\\d", "\\w", "\\s", "(?", ".*", ".+", "{0}", "\\u", "\\x",
];

/// What people write in place of a password.
const PLACEHOLDERS: &[&str] = &[
    "your",
    "example",
    "changeme",
    "change-me",
    "placeholder",
    "xxxx",
    "****",
    "####",
    "...",
    "redacted",
];

/// Whether letters and digits are mixed as in random text.
pub(super) fn is_secret(value: &str) -> bool {
    is_secret_as_meant(meant(value).as_deref().unwrap_or(value))
}

fn is_secret_as_meant(value: &str) -> bool {
    SECRET.contains(&value.len())
        && is_random(value, MIN_BITS)
        && is_no_word(value)
        && !is_written(value)
        && !is_call(value)
}

/// `Base64(Header).Base64(Data)`; no key has brackets.
fn is_call(value: &str) -> bool {
    let name = value.split_once('(').map_or("", |(name, _)| name);
    name.ends_with(|c: char| c.is_ascii_alphanumeric()) && value.ends_with(')')
}

/// Whether this is random, or made as people make passwords: several kinds of characters, among
/// them signs.
pub(super) fn is_password(value: &str) -> bool {
    let meant = meant(value);
    let value = meant.as_deref().unwrap_or(value);
    if !PASSWORD.contains(&value.chars().count()) || is_pattern(value) {
        return false;
    }
    is_secret_as_meant(value) || is_of_app(value) || Kinds::of(value).is_password(value)
}

/// `abcd-efgh-ijkl-mnop`, also with blanks or without separators: an app-specific password.
pub(super) fn is_of_app(value: &str) -> bool {
    if is_run_together(value) {
        return true;
    }
    let groups = |sign| {
        let mut groups = value.split(sign);
        value.len() == 19
            && groups.all(|it: &str| it.len() == 4 && it.bytes().all(|b| b.is_ascii_lowercase()))
    };
    (groups('-') || groups(' ')) && is_jumbled(&value.replace(['-', ' '], ""))
}

/// Whether this is sixteen small letters, more than a third of which follow the one before as in no
/// word of any language. Letters in the order of the alphabet or of a row of keys were typed.
fn is_run_together(value: &str) -> bool {
    const TYPED: [&str; 3] = ["abcd", "asdf", "qwer"];
    let is_plain = value.len() == 16 && value.bytes().all(|b| b.is_ascii_lowercase());
    is_plain && oddities(value) >= 6 && !TYPED.iter().any(|it| value.contains(it))
}

/// `AAAAA-BBBBB-…`: groups of equally many capital letters and digits, which unlock purchased
/// software.
pub(super) fn is_product_key(value: &str) -> bool {
    let length = value.find('-').unwrap_or_default();
    let is_group = |it: &str| it.len() == length && it.bytes().all(upper);
    let count = value.split('-').count();
    let is_grouped = (4..=8).contains(&length) && (3..=8).contains(&count) && value.len() >= 19;
    is_grouped
        && value.split('-').all(is_group)
        && is_jumbled(&value.replace('-', ""))
        && is_random(value, 3.0)
}

fn is_code(value: &str) -> bool {
    let called = value
        .split_once("()")
        .is_some_and(|(name, _)| name.ends_with(|c: char| c.is_ascii_alphanumeric()));
    // `[parameters('name')]`
    let evaluated = value.starts_with('[') && value.ends_with(")]");
    called
        || evaluated
        || is_rules(value)
        || is_long_path(value)
        || IN_CODE.iter().any(|sign| value.contains(sign))
}

/// `com.acme.app2.ACTION_NAME`: more names joined by dots than a password has words.
fn is_long_path(value: &str) -> bool {
    let is_name = |part: &str| {
        let is_first = part.starts_with(|c: char| c.is_ascii_alphabetic());
        is_first && part.bytes().all(word) && !is_mixed(part)
    };
    value.split('.').count() >= 4 && value.split('.').all(is_name)
}

/// `required|string|max:255`: how a value is checked.
fn is_rules(value: &str) -> bool {
    let is_rule = |part: &str| {
        let (name, rest) = part.split_once(':').unwrap_or((part, ""));
        let is_name = |b: u8| b.is_ascii_lowercase() || b == b'_';
        name.len() >= 2 && name.bytes().all(is_name) && rest.bytes().all(|b| dotted(b) || b == b',')
    };
    value.contains('|') && value.split('|').all(is_rule)
}

fn is_pattern(value: &str) -> bool {
    is_code(value)
        || IN_PATTERNS.iter().any(|sign| value.contains(sign))
        || is_placeholder(value)
        || is_escaped(value)
        || is_format(value)
        || is_printed(value)
        || is_mark(value)
        || is_alphabet(value)
}

/// `Basic %s`; the rest without the placeholder may be random, and then the placeholder stands
/// there by chance.
fn is_printed(value: &str) -> bool {
    value.contains("%s") && !is_mixed(&value.replace("%s", "")) || has_width(value)
}

/// `$6$%.16s`
fn has_width(value: &str) -> bool {
    let mut formats = value.split("%.").skip(1);
    formats.any(|it| {
        it.trim_start_matches(|c: char| c.is_ascii_digit())
            .starts_with('s')
    })
}

/// `$argon2id$`, `$6$`: the beginning of some kind of hash.
fn is_mark(value: &str) -> bool {
    let inner = value.strip_prefix('$').and_then(|it| it.strip_suffix('$'));
    inner.is_some_and(|inner| inner.bytes().all(alphanumeric))
}

/// Whether digits and letters of both cases are mixed as in random text.
pub(super) fn is_mixed(value: &str) -> bool {
    let kinds = Kinds::of(value);
    let has_all = kinds.small > 0 && kinds.capital > 0 && kinds.digits > 0;
    has_all && value.len() >= *PASSWORD.start() && is_jumbled(value)
}

/// Whether this is a made-up password: digits and letters of both cases, mixed as in no name or
/// with a sign among them.
pub(super) fn is_made(value: &str) -> bool {
    let kinds = Kinds::of(value);
    let has_all = kinds.small > 0 && kinds.capital > 0 && kinds.digits > 0;
    has_all && (kinds.signs > 0 || is_jumbled(value))
}

/// The same with a sign that names do not have and that is not a bracket of a call.
pub(super) fn is_signed(value: &str) -> bool {
    is_made(value) && value.contains(['!', '@', '#', '%', '^', '*', '?'])
}

fn is_placeholder(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| small.contains(word))
}

/// The kinds of characters in a value, and how many there are of each.
#[derive(Default)]
struct Kinds {
    small: usize,
    capital: usize,
    digits: usize,
    /// Signs that occur in names of things too: `-`, `_`, `.`, `/`, `:`.
    links: usize,
    signs: usize,
    /// Letters outside ASCII that have a small and a capital form.
    letters: usize,
    others: usize,
}

impl Kinds {
    fn of(value: &str) -> Kinds {
        let mut kinds = Kinds::default();
        for c in value.chars() {
            *(match c {
                'a'..='z' => &mut kinds.small,
                'A'..='Z' => &mut kinds.capital,
                '0'..='9' => &mut kinds.digits,
                '-' | '_' | '.' | '/' | ':' | ',' | ';' => &mut kinds.links,
                _ if c.is_ascii() => &mut kinds.signs,
                _ if c.is_lowercase() || c.is_uppercase() => &mut kinds.letters,
                _ => &mut kinds.others,
            }) += 1;
        }
        kinds
    }

    fn is_password(&self, value: &str) -> bool {
        let plain = self.small + self.capital;
        let cases = usize::from(self.small > 0) + usize::from(self.capital > 0);
        let length = value.chars().count();
        if self.letters + self.others > 0 {
            return self.digits > 0 && (self.letters > 0 || plain > 0);
        }
        let signed = self.signs > 0 && self.digits > 0 && plain >= 2 && !is_address(value);
        // `correct-Horse7-battery`
        let linked = cases == 2 && self.digits > 0 && self.links > 0 && self.links * 4 <= length;
        // `xK9mQ2vB`
        let share = if length < 12 { 10 } else { 6 };
        let mixed = cases == 2 && self.digits > 0 && changes(value) * 20 >= length * share;
        signed || linked && length >= 12 || mixed || self.is_jumbled(value)
    }

    /// `KVBDFhesNLUd`, `ImAm#FinjpVP`, `io3p3r37`: with fewer kinds than above, only sequences that
    /// no word has show a password.
    fn is_jumbled(&self, value: &str) -> bool {
        let two = self.small > 0 && self.capital > 0 && self.links * 6 <= value.len();
        let one = self.digits >= 2 && self.signs + self.links == 0;
        let plain = self.small + self.capital;
        let is_number = value.starts_with("0x");
        // `Slaptazodis`: the pairs of other languages are not in the table.
        let is_word = self.capital == 1
            && plain == value.len()
            && value.starts_with(|c: char| c.is_ascii_uppercase());
        (two || one && plain >= 3) && !is_number && !is_word && is_jumbled(value)
    }
}

/// `somebody@example2.org`
fn is_address(value: &str) -> bool {
    let domain = value.split_once('@').map(|(_, domain)| domain);
    domain.is_some_and(|domain| domain.contains('.') && domain.bytes().all(dotted))
}

/// Whether this is another notation, such as a path in a URL, the second part of a web token alone,
/// or words and numbers with separators.
fn is_written(value: &str) -> bool {
    let is_web_token = value.starts_with("eyJ") || value.contains(".eyJ");
    is_placeholder(value)
        || is_web_token
        || value.contains("\\u")
        || is_public_key(value)
        || IMAGES.iter().any(|image| value.starts_with(image))
        || ["urn:", "application/"]
            .iter()
            .any(|it| value.starts_with(it))
        || is_escaped(value)
        || is_identifier(value)
        || is_scoped(value)
        || is_counted(value)
        || is_alphabet(value)
}

/// `0123456789abcdef`: whether at least four of five characters follow the one before in the order
/// of an alphabet.
fn is_alphabet(value: &str) -> bool {
    let two = value.as_bytes().windows(2);
    let next = two.filter(|two| two[0].checked_add(1) == Some(two[1]));
    next.count() * 5 >= value.len() * 4
}

/// `@scope/name:words`
fn is_scoped(value: &str) -> bool {
    let name = value.strip_prefix('@');
    name.is_some_and(|name| name.contains('/') && is_identifier(name))
}

/// Whether this is a public key, as SSH writes it or as it is encoded for RSA and elliptic curves.
fn is_public_key(value: &str) -> bool {
    let begins = |beginning: &&str| value.starts_with(beginning);
    PUBLIC_KEYS.iter().any(begins) || value.contains("BAQEFAAOC")
}

/// Beginnings of base64 images.
const IMAGES: [&str; 5] = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "PHN2Zy"];

const PUBLIC_KEYS: [&str; 5] = [
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHNh",
    "MFkwEwYHKoZIzj0",
    "MCowBQYDK2Vw",
];

/// Whether a value names an algorithm for storing passwords: `pbkdf2Sha256`.
pub(super) fn names_algorithm(value: &str) -> bool {
    const ALGORITHMS: [&str; 6] = ["sha", "pbkdf", "bcrypt", "scrypt", "argon", "md5"];
    let small = value.to_ascii_lowercase();
    ALGORITHMS.iter().any(|name| small.contains(name))
}

/// `password1`, `secret-123`: words with a number after them.
pub(super) fn is_counted(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_word = |c: char| c.is_ascii_lowercase() || "-_.".contains(c);
    let number = value.len() - word.len();
    (1..=4).contains(&number) && !word.is_empty() && word.chars().all(is_word)
}

/// Returns what is meant by a value with escaped signs, as in an address: `Dragon%401234`. What is
/// meant by `%2Fpath` and `%3Cname%3E` is no value.
fn meant(value: &str) -> Option<String> {
    let meant = percent_decoded(value).filter(|_| is_escaped(value))?;
    let is_value = meant
        .bytes()
        .all(|b| b.is_ascii_graphic() && !b"<>{}\"'`%".contains(&b));
    let is_data = || meant.bytes().all(base64) && is_mixed(&meant);
    let is_path = || meant.contains('/') && !is_data();
    (is_value && !is_path() && !meant.starts_with(['/', '$', '['])).then_some(meant)
}

/// `%2Fpath`
fn is_escaped(value: &str) -> bool {
    let three = value.as_bytes().windows(3);
    let is_escape =
        |three: &&[u8]| three[0] == b'%' && three[1..].iter().all(u8::is_ascii_hexdigit);
    // `%8B` alone is no character.
    let is_character = |three: &[u8]| three[0] == b'%' && (b'2'..=b'7').contains(&three[1]);
    let has_signs = value.contains(|c: char| c.is_ascii_punctuation() && !"%-_./".contains(c));
    match three.clone().filter(is_escape).count() {
        0 => false,
        1 => !has_signs && three.clone().filter(is_escape).any(is_character),
        escapes => escapes * 24 >= value.len(),
    }
}

/// `sha256_password`, `urn:token-type:x509`
fn is_identifier(value: &str) -> bool {
    const LINKS: [char; 6] = ['_', '-', '.', ':', '/', ','];
    let mut parts = value.split(LINKS).filter(|part| !part.is_empty());
    // No name has a number of so many digits.
    let is_long = |part: &str| part.len() >= 16 && part.bytes().all(|b| b.is_ascii_digit());
    let is_part = |part: &str| {
        let is_word = part.len() <= 24 && part.bytes().all(alphanumeric) && switches(part) <= 2;
        is_word && !is_long(part) && !is_mixed(part)
    };
    value.contains(LINKS) && parts.all(is_part) && !is_uuid(value)
}

/// Counts how often letters and digits alternate.
pub(super) fn switches(value: &str) -> usize {
    let two = value.as_bytes().windows(2);
    two.filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit())
        .count()
}

pub(super) fn is_uuid(value: &str) -> bool {
    let parts = value.split('-').map(str::len);
    parts.eq([8, 4, 4, 4, 12])
}

/// `{name}`, filled in later.
fn is_format(value: &str) -> bool {
    let mut parts = value.split('{').skip(1);
    parts.any(|part| {
        part.split_once('}')
            .is_some_and(|(name, _)| name.bytes().all(|b| dotted(b) || b"[]!:".contains(&b)))
    })
}

/// Whether letters and digits are mixed as they are not in a name or a piece of code.
fn is_no_word(value: &str) -> bool {
    if is_code(value) {
        return false;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    // `module.function.name2`, `some-long-name-of-2024`
    let parts = value
        .bytes()
        .filter(|b| matches!(b, b'.' | b'-' | b'_' | b'/'))
        .count();
    // In words letters of a kind stand together, in random texts they do not.
    let turns = changes(value) * 20;
    let is_name = value.bytes().all(|b| dotted(b) || b",:/".contains(&b));
    let is_turned = || {
        value.len() >= 24 && turns >= value.len() * 8 && !is_name
            || is_cased(value) && turns >= value.len() * 7 && is_jumbled(value)
    };
    (digits >= 2 || is_turned()) && letters >= 2 && parts * 6 <= value.len()
}

/// Whether a value has letters of both cases. One in nine random texts of sixteen letters and
/// digits has at most one digit.
fn is_cased(value: &str) -> bool {
    let kinds = Kinds::of(value);
    kinds.small > 0 && kinds.capital > 0
}

/// Counts how often a character of another kind follows.
fn changes(value: &str) -> usize {
    let kind = |b: &u8| {
        (
            b.is_ascii_digit(),
            b.is_ascii_uppercase(),
            b.is_ascii_alphanumeric(),
        )
    };
    let two = value.as_bytes().windows(2);
    two.filter(|two| kind(&two[0]) != kind(&two[1])).count()
}

/// Whether this consists of letters, digits and many signs, as salt generators make it; it may hold
/// blanks, as few as there are by chance.
pub(super) fn is_salt(value: &str) -> bool {
    let kinds = Kinds::of(value);
    let mixed = kinds.small > 0 && kinds.capital > 0 && kinds.digits > 0;
    let blanks = value.bytes().filter(u8::is_ascii_whitespace).count();
    let is_made = mixed && kinds.signs >= 6 && blanks * 16 <= value.len();
    (48..=96).contains(&value.len()) && is_made && is_random(value, 4.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_escaped_signs_is_told_by_what_is_meant() {
        for value in [
            "Dragon%401234",
            "kW82mQzp41%2BXa9Kq2mZ7vB4nT1%3D%3D",
            "kW82mQzp41%2FXa9Kq2mZ7vB4nT1%3d",
        ] {
            assert!(is_password(value), "{value}");
        }
        assert!(is_secret("kW82mQzp41%2BXa9Kq2mZ7vB4nT1%3D%3D"));
        for value in [
            "%2Fapi%2Fv1%2FUsers2Of",
            "some%2Fpath%2Fto%2FThing2",
            "%3CPassword12%3E",
            "%24%7BDB_Passw0rd%7D",
            "My%20Password%201",
            "https%3A%2F%2Fx.org%2FA1b2C3d4",
        ] {
            assert!(!is_password(value) && !is_secret(value), "{value}");
        }
    }

    #[test]
    fn characters_in_their_order_are_no_value() {
        for value in [
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "0123456789abcdef0123456789abcdef",
            "1234567890abcdef1234567890abcdef",
            "abcdefghijklmnopqrstuvwxyz123456",
            "abcdef0123456789",
        ] {
            assert!(!is_secret(value) && !is_password(value), "{value}");
        }
        assert!(is_password("Abcdef1234!"));
        assert!(is_secret("abc9Kq2mZ7vB4nT1wY8rL5pD3s123"));
    }

    #[test]
    fn names_of_things_are_no_value() {
        for value in [
            "#{user.id}-#{Time.now.to_i}",
            "[\\u0300-\\u036f\\u1ab0-\\u1aff]",
            "BW-GHAPP-ID,BW-GHAPP-KEY",
            "UUID=50973b75-4a66-4bf0-9764-2b7614489e64",
            "com.x8bit.bitwarden.fido2.ACTION_CREATE_PASSWORD",
            "goToWebinarOAuth2Api",
            "TheSecretKeyObtainedFromR2",
        ] {
            assert!(!is_secret(value), "{value}");
        }
        for value in [
            "#{user.id}-#{Time.now.to_i}",
            "UUID=50973b75-4a66-4bf0-9764-2b7614489e64",
            "com.x8bit.bitwarden.fido2.ACTION_CREATE_PASSWORD",
        ] {
            assert!(!is_password(value), "{value}");
        }
        for value in [
            "Correct.Horse7.battery",
            "x9Kq.2mZ7.vB4n.T1wY",
            "iWishIWereCoolEnoughForThis!",
        ] {
            assert!(is_password(value), "{value}");
        }
    }

    #[test]
    fn rules_for_a_value_are_none() {
        for value in [
            "required|string|min:8|confirmed",
            "required|string|max:255",
            "nullable|in:a-1,B2c|max:64",
        ] {
            assert!(!is_password(value) && !is_secret(value), "{value}");
        }
        assert!(is_password("dragon|7421:x"));
    }

    #[test]
    fn a_password_without_digits_or_capitals_is_told_from_words() {
        for value in [
            "ImAm#FinjpVP",
            "KVBDFhesNLUd",
            "ROekhepnjhikNBux",
            "JnZqfTy^py$Awobx",
            "!UVJguCR-!Ft",
            "cfBAepfJ",
            "io3p3r37",
            "7niwc0gi",
            "E0tbpvomGI",
            "Ab7%sKq2mZx9",
            "Kx%8Bq2Lm9Zw",
            "sfbxnkmsnkothopn",
        ] {
            assert!(is_password(value), "{value}");
        }
        for value in [
            "CurrentPassword",
            "ChangeMyPassword",
            "passwordFieldLabel",
            "Winter!Ocean",
            "#passwordInput",
            "XMLHttpRequest",
            "ManyToMany",
            "Wachtwoord",
            "Slaptazodis",
            "uwierzytelnienia",
            "abcdefghijklmnop",
            "Jelszokezelo",
            "Wszczkrzyw",
            "neuesKennwort",
            "PASSWORD_DEFAULT",
            "SSLCertificateFile",
            "sha256sum",
            "md5crypt",
            "pbkdf2_sha256",
            "utf8mb4_bin",
            "password12",
            "0x992fa929",
            "Basic %s",
            "%s:%sPassword1",
            "Token%2FPart",
            "lowercaseonly",
            "UPPERCASEONLY",
        ] {
            assert!(!is_password(value), "{value}");
        }
    }
}
