//! Finds what looks like a secret.
//!
//! Only what is very likely one: tokens of the common services have beginnings of
//! their own and a fixed shape, which is looked at here; anything else has to be
//! assigned to a name such as `api_key` and look random. The formats are those that
//! the services publish. Time is linear in the text.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use memchr::memchr_iter;

/// Something in a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The line, from 1.
    pub line: usize,
    /// What it looks like, for example `GitHub token`.
    pub kind: &'static str,
    /// The bytes of the text that hold it.
    pub place: Range<usize>,
}

/// Finds what looks like a secret, in the order of the text; of several on one line
/// that look alike, one is told.
pub fn find(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    let mut end = 0;
    let mut candidates = Vec::new();
    for from in (0..text.len()).step_by(STRETCH) {
        candidates.clear();
        find_candidates(text.as_bytes(), from..from + STRETCH, &mut candidates);
        for candidate in &candidates {
            let start = candidate.start;
            // The name before a value and the value itself are one secret.
            if start < end {
                continue;
            }
            let rule = RULES[candidate.rule];
            let Some(length) = (rule.holds)(text, start, start + rule.beginning.len()) else {
                continue;
            };
            end = start + length;
            line += memchr_iter(b'\n', &text.as_bytes()[counted..start]).count();
            counted = start;
            let alike = |last: &Secret| last.line == line && last.kind == rule.kind;
            if !found.last().is_some_and(alike) {
                found.push(Secret {
                    line,
                    kind: rule.kind,
                    place: start..end,
                });
            }
        }
    }
    found
}

/// So many bytes are searched at a time: what is found in them is held, and a text may be
/// nothing but beginnings.
const STRETCH: usize = 32 * 1024;

/// A place where a secret may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    start: usize,
    /// The number of the rule.
    rule: usize,
}

/// Where secrets may begin in a stretch of a text, in order; of several at one place the
/// rule that is listed first.
fn find_candidates(text: &[u8], stretch: Range<usize>, found: &mut Vec<Candidate>) {
    let marks = &*MARKS;
    // One that begins in the stretch may end behind it.
    let end = text.len().min(stretch.end + marks.longest);
    for at in (stretch.start..end).step_by(AT_ONCE) {
        let eight = match text[at..].first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            // Behind the end there are zeros, which are in no rule.
            None => last(&text[at..]),
        };
        let threes = std::array::from_fn(|skip| {
            let three = eight >> (8 * skip) & 0x00ff_ffff;
            u32::try_from(three).unwrap_or_default()
        });
        if marks.has_any(threes) {
            for (skip, three) in threes.into_iter().enumerate() {
                marks.check(text, at + skip, three, found);
            }
        }
    }
    found.retain(|candidate| stretch.contains(&candidate.start));
    found.sort_unstable();
}

/// Eight bytes have so many places for three letters in a row.
const AT_ONCE: usize = 6;

/// The last bytes of a text, at most seven.
fn last(bytes: &[u8]) -> u64 {
    let later = bytes.iter().rev();
    later.fold(0, |eight, byte| eight << 8 | u64::from(*byte))
}

/// Three letters of the beginning of each rule, by which it is found: for each three of a
/// text a table says whether they may be any rule's. An automaton takes about twice as
/// long, and a search with vector instructions hardly less than that, since much of a
/// program looks like a beginning.
struct Marks {
    /// For each hash 1 or 0.
    table: [u8; 1 << HASH_BITS],
    /// The hash and the rule, and where in its beginning the letters are; sorted.
    rules: Vec<(u32, usize, usize)>,
    /// The bytes of the longest beginning.
    longest: usize,
}

/// With 14 bits the table has 16 KiB and stays in the nearest cache; of other letters one
/// in 200 has the hash of a rule.
const HASH_BITS: u32 = 14;

/// Capital letters hash as small ones.
fn hash(three: u32) -> u32 {
    (three | 0x0020_2020).wrapping_mul(0x27d4_eb2f) >> (32 - HASH_BITS)
}

impl Marks {
    fn new() -> Marks {
        let mut marks = Marks {
            table: [0; 1 << HASH_BITS],
            rules: Vec::new(),
            longest: 0,
        };
        for (number, rule) in RULES.iter().enumerate() {
            let beginning = rule.beginning.as_bytes();
            marks.longest = marks.longest.max(beginning.len());
            let mut add = |three: [u8; 3], at: usize| {
                let hash = hash(u32::from_le_bytes([three[0], three[1], three[2], 0]));
                marks.table[hash as usize] = 1;
                marks.rules.push((hash, number, at));
            };
            if let [first, second] = *beginning {
                // What is so short is followed by hexadecimal digits.
                for third in *b"0123456789abcdef" {
                    add([first, second, third], 0);
                }
            }
            let threes = beginning.windows(3).enumerate();
            let common = |three: &[u8]| three.iter().map(|b| commonness(*b)).sum::<usize>();
            if let Some((at, [a, b, c])) = threes.min_by_key(|(_, three)| common(three)) {
                add([*a, *b, *c], at);
            }
        }
        marks.rules.sort_unstable();
        marks
    }

    /// Whether some of these letters may be a rule's.
    fn has_any(&self, threes: [u32; AT_ONCE]) -> bool {
        let has = threes.map(|three| self.table[hash(three) as usize]);
        has.into_iter().fold(0, |any, has| any | has) != 0
    }

    /// Takes up the rules whose beginnings have these letters, at `at`.
    fn check(&self, text: &[u8], at: usize, three: u32, found: &mut Vec<Candidate>) {
        let hash = hash(three);
        if self.table[hash as usize] == 0 {
            return;
        }
        let first = self.rules.partition_point(|(other, ..)| *other < hash);
        let same = self.rules[first..]
            .iter()
            .take_while(|(other, ..)| *other == hash);
        for (_, rule, before) in same {
            let Some(start) = at.checked_sub(*before) else {
                continue;
            };
            let wanted = RULES[*rule].beginning.as_bytes();
            let there = text.get(start..start + wanted.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(wanted)) {
                found.push(Candidate { start, rule: *rule });
            }
        }
    }
}

/// How common a letter is in programs, compared with others.
fn commonness(letter: u8) -> usize {
    const RARE_FIRST: &[u8] = b"zqjxkvwbyghfmupdclrsniaote";
    let place = RARE_FIRST
        .iter()
        .position(|known| *known == letter.to_ascii_lowercase());
    place.unwrap_or(RARE_FIRST.len() / 2)
}

static MARKS: LazyLock<Marks> = LazyLock::new(Marks::new);

/// What a secret begins with, and what has to follow.
struct Rule {
    kind: &'static str,
    beginning: &'static str,
    /// Given the text and where the beginning starts and ends: how long the secret
    /// is from its start, if it is one.
    holds: fn(&str, usize, usize) -> Option<usize>,
}

macro_rules! token {
    ($kind:literal, $beginning:literal, $letters:expr, $lengths:expr) => {
        Rule {
            kind: $kind,
            beginning: $beginning,
            holds: |text, start, end| {
                let exact = text[start..end] == *$beginning && !continues(text, start);
                exact.then(|| run(text, end, $letters, $lengths))?
            },
        }
    };
}

macro_rules! named {
    ($($beginning:literal)*) => {
        [$(Rule { kind: "assigned secret", beginning: $beginning, holds: assigned }),*]
    };
}

/// The names to which secrets are assigned, in whatever case.
static NAMES: &[Rule] = &named!(
    "password" "passwd" "passphrase" "pwd" "secret" "api_key" "apikey" "api-key"
    "access_key" "accesskey" "private_key" "encryption_key" "signing_key" "auth_token"
    "access_token" "authtoken" "accesstoken" "credential" "token"
);

static AUTHORIZATION: Rule = Rule {
    kind: "authorization header",
    beginning: "authorization",
    holds: authorization,
};

/// First those that are written in one way only, then the names.
static RULES: LazyLock<Vec<&'static Rule>> =
    LazyLock::new(|| TOKENS.iter().chain([&AUTHORIZATION]).chain(NAMES).collect());

static TOKENS: &[Rule] = &[
    token!("AWS access key", "AKIA", upper, 16..=16),
    token!("AWS access key", "ASIA", upper, 16..=16),
    token!("GitHub token", "ghp_", alphanumeric, 36..=255),
    token!("GitHub token", "gho_", alphanumeric, 36..=255),
    token!("GitHub token", "ghu_", alphanumeric, 36..=255),
    token!("GitHub token", "ghs_", alphanumeric, 36..=255),
    token!("GitHub token", "ghr_", alphanumeric, 36..=255),
    token!("GitHub token", "github_pat_", word, 60..=255),
    token!("GitLab token", "glpat-", dashed, 20..=300),
    token!("GitLab token", "gldt-", dashed, 20..=300),
    token!("GitLab token", "glrt-", dashed, 20..=300),
    token!("GitLab token", "glptt-", dashed, 20..=300),
    token!("GitLab token", "glsoat-", dashed, 20..=300),
    token!("GitLab token", "glcbt-", dashed, 20..=300),
    token!("Slack token", "xoxe-", dashed, 20..=255),
    token!("Slack token", "xoxb-", dashed, 20..=255),
    token!("Slack token", "xoxp-", dashed, 20..=255),
    token!("Slack token", "xoxa-", dashed, 20..=255),
    token!("Slack token", "xoxr-", dashed, 20..=255),
    token!("Slack token", "xoxs-", dashed, 20..=255),
    token!("Slack token", "xapp-", dashed, 30..=255),
    token!(
        "Slack webhook",
        "hooks.slack.com/services/T",
        slashed,
        30..=90
    ),
    token!("Stripe key", "sk_live_", alphanumeric, 16..=255),
    token!("Stripe key", "rk_live_", alphanumeric, 16..=255),
    token!("Stripe key", "sk_test_", alphanumeric, 16..=255),
    token!("Stripe key", "rk_test_", alphanumeric, 16..=255),
    token!("Stripe webhook secret", "whsec_", base64, 24..=255),
    token!("Google API key", "AIza", dashed, 35..=35),
    token!("Google OAuth secret", "GOCSPX-", dashed, 28..=28),
    token!("Google OAuth token", "ya29.", dashed, 30..=2048),
    token!("OpenAI key", "sk-proj-", dashed, 20..=255),
    token!("OpenAI key", "sk-svcacct-", dashed, 20..=255),
    token!("OpenAI key", "sk-", alphanumeric, 40..=64),
    token!("OpenRouter key", "sk-or-v1-", hex, 64..=64),
    token!("Groq key", "gsk_", alphanumeric, 48..=64),
    token!("Grafana token", "glsa_", word, 40..=50),
    token!("Sentry token", "sntrys_", base64, 40..=255),
    token!("Sentry token", "sntryu_", hex, 64..=64),
    token!("Postman key", "PMAK-", dashed, 50..=64),
    token!("Figma token", "figd_", dashed, 38..=64),
    token!("Square token", "sq0atp-", dashed, 22..=60),
    token!("Square secret", "sq0csp-", dashed, 43..=60),
    token!("New Relic key", "NRAK-", upper, 27..=27),
    token!("Doppler token", "dp.pt.", alphanumeric, 40..=44),
    token!("Atlassian token", "ATATT3", dashed, 100..=255),
    token!("Twilio key", "SK", hex, 32..=32),
    token!("Anthropic key", "sk-ant-", dashed, 20..=255),
    token!("npm token", "npm_", alphanumeric, 36..=36),
    token!("PyPI token", "pypi-AgE", dashed, 50..=1024),
    token!("crates.io token", "cio", alphanumeric, 32..=32),
    token!("RubyGems key", "rubygems_", hex, 48..=48),
    token!("Docker token", "dckr_pat_", dashed, 27..=27),
    token!("Docker token", "dckr_oat_", dashed, 27..=40),
    token!("SendGrid key", "SG.", dotted, 60..=72),
    token!("DigitalOcean token", "dop_v1_", hex, 64..=64),
    token!("DigitalOcean token", "doo_v1_", hex, 64..=64),
    token!("Hugging Face token", "hf_", alphanumeric, 34..=34),
    token!("Shopify token", "shpat_", hex, 32..=32),
    token!("Shopify token", "shpss_", hex, 32..=32),
    token!("Databricks token", "dapi", hex, 32..=32),
    token!("Linear key", "lin_api_", alphanumeric, 40..=40),
    token!("Notion token", "ntn_", alphanumeric, 40..=60),
    token!("Vault token", "hvs.", dashed, 24..=255),
    token!("age secret key", "AGE-SECRET-KEY-1", upper, 58..=58),
    token!("Azure storage key", "AccountKey=", base64, 86..=88),
    Rule {
        kind: "private key",
        beginning: "-----BEGIN ",
        holds: private_key,
    },
    Rule {
        kind: "JSON web token",
        beginning: "eyJ",
        holds: web_token,
    },
    Rule {
        kind: "password in a URL",
        beginning: "://",
        holds: url_password,
    },
];

/// Whether what stands before `start` belongs to the same word: then this is not where
/// a token begins. A single dash is a bullet, or the sign of a line in a diff.
fn continues(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    match before {
        [.., b] if b.is_ascii_alphanumeric() => true,
        [.., a, b'-' | b'_'] => dashed(*a),
        _ => false,
    }
}

/// The letters of a token.
type Letters = fn(u8) -> bool;

fn upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

fn alphanumeric(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

fn dashed(b: u8) -> bool {
    word(b) || b == b'-'
}

fn dotted(b: u8) -> bool {
    dashed(b) || b == b'.'
}

fn slashed(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'/'
}

fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

/// How long a token is, with its beginning, whose letters from `at` are as many as
/// they have to be.
fn run(text: &str, at: usize, letters: Letters, lengths: RangeInclusive<usize>) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    // One letter more than there may be tells that it is something else.
    let length = rest
        .iter()
        .take(lengths.end() + 1)
        .take_while(|b| letters(**b))
        .count();
    lengths.contains(&length).then_some(length)
}

/// What follows in the text, as far as a secret reaches: looking further would take
/// time with the square of a text that is nothing but beginnings.
fn ahead(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + 512);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// `-----BEGIN RSA PRIVATE KEY-----`, with a key behind it. A program that looks
/// for such a line holds the line alone.
fn private_key(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = ahead(text, end);
    let line = rest.split(['\n', '\r']).next()?;
    let name = &line[..line.find("-----")?];
    let is_name = name.len() <= 40 && name.bytes().all(|b| upper(b) || b == b' ');
    if !is_name || !name.ends_with("PRIVATE KEY") && !name.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let head = name.len() + "-----".len();
    // In a string literal the line break is written `\n`, and in words there is none.
    let rest = &rest[head..];
    let body = rest.trim_start_matches(|c: char| c.is_whitespace() || "\\nr".contains(c));
    let gap = &rest[..rest.len() - body.len()];
    if !gap.contains(['\n', '\r', '\\']) {
        return None;
    }
    // Either the key itself, or a line such as `Proc-Type: 4,ENCRYPTED`.
    let in_key = |b: &u8| base64(*b) || b"-: ,.".contains(b);
    let key = body
        .as_bytes()
        .iter()
        .take(16)
        .filter(|b| in_key(b))
        .count();
    (key == 16).then_some(end - start + head)
}

/// Three parts in base64 with a dot between: the first two begin with `{"`.
fn web_token(text: &str, start: usize, _: usize) -> Option<usize> {
    if continues(text, start) || !text[start..].starts_with("eyJ") {
        return None;
    }
    let part = |at: usize| {
        text.as_bytes()[at..]
            .iter()
            .take(2048)
            .take_while(|b| dashed(**b))
            .count()
    };
    let second = start + part(start) + 1;
    if !text.get(second - 1..)?.starts_with(".eyJ") {
        return None;
    }
    let third = second + part(second) + 1;
    if !text.get(third - 1..)?.starts_with('.') {
        return None;
    }
    let signature = part(third);
    (second - start > 12 && signature >= 16).then_some(third + signature - start)
}

/// `://user:password@`
fn url_password(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = text.as_bytes()[end..].iter().take(256);
    let length = rest
        .take_while(|b| b.is_ascii_graphic() && !b"/@?#\"'`<>(){}[]$".contains(b))
        .count();
    let (user, password) = text[end..end + length].split_once(':')?;
    let closed = text[end + length..].starts_with('@');
    let is_word = password.bytes().all(|b| b.is_ascii_alphabetic());
    let real = !user.is_empty() && !is_word && password.len() >= 6 && is_random(password, 2.5);
    (closed && real).then_some(end - start + length)
}

/// `Authorization: Bearer …`
fn authorization(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = ahead(text, end).trim_start_matches(['"', '\'', ' ', ':', '=', ',']);
    let scheme = rest.split(' ').next()?;
    let schemes = ["bearer", "basic", "token"];
    if !schemes
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let value = rest.get(scheme.len() + 1..)?;
    let length = value
        .bytes()
        .take_while(|b| base64(*b) || dotted(*b))
        .count();
    let found = length >= 16 && is_random(&value[..length], 3.5);
    let before = ahead(text, end).len() - value.len();
    found.then_some(end - start + before + length)
}

/// An assigned value has so many characters; most passwords of programs have, and
/// most words that a program assigns have fewer.
const MIN_ASSIGNED: usize = 12;
const MAX_ASSIGNED: usize = 256;

/// Bits in each character of an assigned value. Sixteen random hexadecimal digits
/// have about 3.1, names of things mixed with numbers about 3.
const MIN_BITS: f64 = 3.1;

/// A name, an assignment, and a value that looks random: `password = "…"`,
/// `"token": "…"`, `define('DB_PASSWORD', '…')`, `<secret>…</secret>`, `TOKEN=…`.
fn assigned(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = ahead(text, end);
    // The rest of the name: `secret_value`, `token2`.
    let name = rest.bytes().take(24).take_while(|b| dashed(*b)).count();
    let value = after_sign(&rest[name..])?;
    let before = rest.len() - value.text.len();
    let length = match value.text.as_bytes().first() {
        Some(quote @ (b'"' | b'\'' | b'`')) => {
            let inner = &value.text[1..];
            let length = inner
                .bytes()
                .take_while(|b| b.is_ascii_graphic() && b != quote)
                .count();
            let closed = inner.as_bytes().get(length) == Some(quote);
            (closed && looks_secret(&inner[..length])).then_some(1 + length)?
        }
        _ if value.needs_quotes => return None,
        _ => bare(text, start, value.text)?,
    };
    Some(end - start + before + length)
}

/// What stands behind the sign of an assignment.
struct Assigned<'a> {
    text: &'a str,
    /// Whether only a literal can be a value here, as in a call.
    needs_quotes: bool,
}

fn after_sign(rest: &str) -> Option<Assigned<'_>> {
    let blank = |c: char| c == ' ' || c == '\t';
    let rest = rest
        .trim_start_matches(['"', '\'', ']'])
        .trim_start_matches(blank);
    let signs = rest
        .bytes()
        .take(3)
        .take_while(|b| b":=>".contains(b))
        .count();
    if signs == 0 {
        let text = rest.strip_prefix([',', '('])?.trim_start_matches(blank);
        return Some(Assigned {
            text,
            needs_quotes: true,
        });
    }
    let text = rest[signs..].trim_start_matches(blank);
    // `password: &str = "…"`
    let is_type = |b: u8| b.is_ascii_alphanumeric() || b"&<>_' ".contains(&b);
    let kind = text.bytes().take(32).take_while(|b| is_type(*b)).count();
    if signs == 1 && rest.starts_with(':') && text[kind..].starts_with('=') && kind > 0 {
        let text = text[kind + 1..].trim_start_matches(blank);
        return Some(Assigned {
            text,
            needs_quotes: true,
        });
    }
    Some(Assigned {
        text,
        needs_quotes: false,
    })
}

/// The length of a value without quotes: the rest of a line of an `.env` file or its
/// like, or what an element holds. In a piece of code there are quotes.
fn bare(text: &str, start: usize, value: &str) -> Option<usize> {
    let length = value
        .bytes()
        .take(MAX_ASSIGNED + 1)
        .take_while(|b| b.is_ascii_graphic() && !b"<\"'`".contains(b))
        .count();
    let (shown, behind) = value.split_at(length);
    let line_end = behind.trim_start_matches([' ', '\t']);
    let ends =
        line_end.is_empty() || line_end.starts_with(['\r', '\n', '#']) || behind.starts_with("</");
    // Most do not end here, and the rest takes several looks at every letter.
    if !ends {
        return None;
    }
    let is_plain = shown.bytes().all(|b| base64(b) || dotted(b));
    let symbols_fit =
        !shown.starts_with('$') && !shown.contains(['(', ')', '[', ']', '{', '}', ';', ',']);
    let is_setting = symbols_fit && starts_line(text, start);
    ((is_plain || is_setting) && looks_secret(shown)).then_some(length)
}

/// Whether only a name stands before this on its line, as in a file of settings.
fn starts_line(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    let name = before
        .iter()
        .rev()
        .take(64)
        .take_while(|b| dotted(**b) || b" \t+".contains(b))
        .count();
    matches!(
        before.len().checked_sub(name + 1).map(|at| before[at]),
        None | Some(b'\n')
    )
}

fn looks_secret(value: &str) -> bool {
    let long = (MIN_ASSIGNED..=MAX_ASSIGNED).contains(&value.len());
    long && is_random(value, MIN_BITS) && is_no_word(value)
}

/// Whether letters and digits are mixed, as they are not in a name or a piece of code.
fn is_no_word(value: &str) -> bool {
    let is_code = ["EXAMPLE", "${", "{{", "%(", "()", "://", "::", "->"];
    if is_code.iter().any(|sign| value.contains(sign)) {
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
    let kind = |b: &u8| {
        (
            b.is_ascii_digit(),
            b.is_ascii_uppercase(),
            b.is_ascii_alphanumeric(),
        )
    };
    let changes = value
        .as_bytes()
        .windows(2)
        .filter(|two| kind(&two[0]) != kind(&two[1]))
        .count();
    let is_mixed = digits >= 2 || digits == 1 && changes * 20 >= value.len() * 9;
    is_mixed && letters >= 2 && parts * 6 <= value.len()
}

/// Whether the letters are as mixed as in a random text: at least so many bits each.
fn is_random(value: &str, least: f64) -> bool {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[byte as usize] += 1;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a value has at most a few hundred bytes"
    )]
    let length = value.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum();
    bits >= least
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        find(text).iter().map(|secret| secret.kind).collect()
    }

    /// Put together here, so that no scanner takes this file for a leak.
    fn joined(parts: &[&str]) -> String {
        parts.concat()
    }

    #[test]
    fn secrets_are_found_in_every_way_of_assigning() {
        let value = &RANDOM[..18];
        for text in [
            format!("password     = \"{value}\""),
            format!("const PASSWORD: &str = \"{value}\";"),
            format!("password: str = '{value}'"),
            format!("define('DB_PASSWORD', '{value}');"),
            format!("client.setPassword(\"{value}\")"),
            format!("<password>{value}</password>"),
            "export DB_PASSWORD=xK9$mQ2!vB4*nT1".to_owned(),
            format!("  api_key: {value} # production"),
            format!("spring.datasource.password={value}"),
            format!("+SECRET={value}"),
            "token = 'xKqmZvBnT1wYrLp'".to_owned(),
        ] {
            assert_eq!(kinds(&text), ["assigned secret"], "{text}");
        }
    }

    const RANDOM: &str = "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u";

    #[test]
    fn tokens_of_the_common_services_are_found_with_their_line() {
        for (kind, token) in [
            ("AWS access key", joined(&["AKIA", "IOSFODNN7EXAMPLE"])),
            ("GitHub token", joined(&["ghp_", RANDOM])),
            (
                "GitHub token",
                joined(&["github_pat_", RANDOM, "_", RANDOM]),
            ),
            ("GitLab token", joined(&["glpat-", &RANDOM[..20]])),
            ("Slack token", joined(&["xoxb-", "123456789012-", RANDOM])),
            (
                "Slack webhook",
                joined(&[
                    "https://hooks.slack.com/services/T",
                    "0123ABCD/B0123ABCD/",
                    &RANDOM[..24],
                ]),
            ),
            ("Stripe key", joined(&["sk_live_", &RANDOM[..24]])),
            ("Google API key", joined(&["AIza", &RANDOM[..35]])),
            ("Anthropic key", joined(&["sk-ant-", "api03-", RANDOM])),
            (
                "OpenAI key",
                joined(&["sk-", RANDOM, RANDOM])[..51].to_owned(),
            ),
            ("npm token", joined(&["npm_", RANDOM])),
            (
                "Twilio key",
                joined(&["SK", "0123456789abcdef", "fedcba9876543210"]),
            ),
            (
                "SendGrid key",
                joined(&["SG.", &RANDOM[..22], ".", RANDOM, &RANDOM[..7]]),
            ),
            (
                "private key",
                joined(&[
                    "-----BEGIN OPENSSH",
                    " PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA",
                ]),
            ),
            (
                "private key",
                joined(&["-----BEGIN", " PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0"]),
            ),
            (
                "JSON web token",
                joined(&["eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0.", RANDOM]),
            ),
            (
                "password in a URL",
                joined(&["postgres://app:", "tr0ub4dor&3@db/x"]),
            ),
            (
                "authorization header",
                joined(&["Authorization: Bearer ", RANDOM]),
            ),
            ("assigned secret", joined(&["DB_PASSWORD=", &RANDOM[..20]])),
            (
                "assigned secret",
                joined(&[
                    "SECRET_KEY = 'django-insecure-",
                    "8&x$1k)f(2q@m!z7v#b4n^t1wy*r'",
                ]),
            ),
            (
                "assigned secret",
                joined(&["password: ", "\"S3cr3t-Pa55w0rd\""]),
            ),
            (
                "assigned secret",
                joined(&["\"clientSecret\": \"", RANDOM, "\""]),
            ),
        ] {
            let text = format!("first\nlet x = \"{token}\n");
            let lines: Vec<_> = find(&text).iter().map(|s| (s.line, s.kind)).collect();
            assert_eq!(lines, [(2, kind)], "{token}");
            assert_eq!(kinds(&token), [kind], "{token}");
        }
    }

    #[test]
    fn what_only_resembles_a_secret_is_not_told() {
        for text in [
            "let token = parser.next_token();",
            "password = os.environ['DATABASE_PASSWORD_PRODUCTION']",
            "api_key: ${{ secrets.SOME_LONG_API_KEY_NAME }}",
            "secret = \"correct horse battery staple\"",
            "token = \"this-is-the-name-of-a-token-2024\"",
            "https://user:password@example.org/",
            "https://example.org:8080/a@b",
            "if line.startswith(\"-----BEGIN RSA PRIVATE KEY-----\"):",
            "ghp_short and MAKIAIOSFODNN7EXAMPLES",
            "sk-learn-is-a-library-that-many-people-have-used",
            "sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
            "pub const DEVICE_PASSWORD_ID_12: DEVICE_PASSWORD_KIND_34 = 4i32;",
            "token = \"Parser2Token\"",
            "password = derive(password, salt16, rounds2048)",
            "the header -----BEGIN RSA PRIVATE KEY----- stands before it",
            "csrf_token = request.META.get(\"HTTP_X_CSRFTOKEN_1234\")",
        ] {
            assert_eq!(kinds(text), Vec::<&str>::new(), "{text}");
        }
    }

    /// As `find_candidates`, but by looking for each beginning at each place.
    fn candidates_one_by_one(text: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        for start in 0..text.len() {
            for (rule, known) in RULES.iter().enumerate() {
                let end = start + known.beginning.len();
                let there = text.as_bytes().get(start..end);
                if there.is_some_and(|t| t.eq_ignore_ascii_case(known.beginning.as_bytes())) {
                    found.push(Candidate { start, rule });
                }
            }
        }
        found
    }

    /// One of two letters is only a candidate where a hexadecimal digit follows.
    fn is_followed(text: &str, candidate: &Candidate) -> bool {
        let beginning = RULES[candidate.rule].beginning;
        let next = text.as_bytes().get(candidate.start + beginning.len());
        beginning.len() > 2 || next.is_some_and(u8::is_ascii_hexdigit)
    }

    #[test]
    fn several_of_a_kind_on_a_line_are_told_once() {
        let token = joined(&["ghp_", RANDOM]);
        assert_eq!(find(&format!("{token} {token}\n{token}")).len(), 2);
    }

    #[test]
    fn a_text_of_nothing_but_beginnings_costs_little() {
        let started = std::time::Instant::now();
        for rule in RULES.iter() {
            find(&rule.beginning.repeat(200_000 / rule.beginning.len()));
        }
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    proptest! {
        #[test]
        fn any_text_is_searched_without_fail(text in "(\\PC|AKIA|token=|://|:|@|eyJ|\\.|-----BEGIN |é|\n){0,60}") {
            let lines = text.matches('\n').count() + 1;
            for secret in find(&text) {
                prop_assert!((1..=lines).contains(&secret.line));
                prop_assert!(text.get(secret.place).is_some());
            }
        }

        #[test]
        fn every_beginning_is_a_candidate(
            pieces in prop::collection::vec(
                prop_oneof![
                    3 => (0..RULES.len()).prop_map(|rule| RULES[rule].beginning.to_owned()),
                    1 => (0..RULES.len()).prop_map(|rule| RULES[rule].beginning.to_uppercase()),
                    2 => "\\PC{0,9}|[a-f0-9]{1,3}|\n".prop_map(|text| text),
                ],
                0..40,
            ),
            cut in 0usize..400,
        ) {
            let text = pieces.concat();
            let mut one_by_one = candidates_one_by_one(&text);
            one_by_one.retain(|candidate| is_followed(&text, candidate));
            let cut = cut.min(text.len());
            let mut found = Vec::new();
            find_candidates(text.as_bytes(), 0..cut, &mut found);
            let mut rest = Vec::new();
            find_candidates(text.as_bytes(), cut..text.len(), &mut rest);
            found.extend(rest);
            prop_assert_eq!(found, one_by_one);
        }

        #[test]
        fn a_token_is_found_wherever_it_stands(before in "[^A-Za-z0-9_-]{0,20}", after in "[^A-Za-z0-9_]{0,20}") {
            let text = format!("{before}ghp_{RANDOM}{after}");
            prop_assert!(kinds(&text).contains(&"GitHub token"));
        }
    }
}
