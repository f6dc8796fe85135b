//! Finds what looks like a secret.
//!
//! A finding is very likely a secret. The tokens of common services have known beginnings and a
//! fixed shape; any other value must be assigned to a name such as `api_key` and look random. The
//! formats are those that the services publish. The search takes time in proportion to the length
//! of the text.

mod among;
mod arguments;
mod around;
mod assigned;
mod bare;
mod beside;
mod calls;
mod command_words;
mod commands;
mod devices;
mod encoded;
mod escapes;
mod fallback;
mod files;
mod given;
mod headers;
mod inserted;
mod jumble;
mod keys;
mod letters;
mod lists;
mod literals;
mod login;
mod manifest;
mod marks;
mod members;
mod middles;
mod name;
mod numbers;
mod own_keys;
mod phrases;
mod rules;
#[cfg(test)]
mod samples;
mod schemes;
mod several;
mod sides;
mod tokens;
mod values;

use std::cmp::Reverse;
use std::ops::Range;

use memchr::{memchr, memchr_iter};

use self::arguments::commands;
use self::marks::{Candidate, find_candidates};
use self::rules::RULES;
use self::sides::{Side, behind_signs, of_changes};

/// Something in a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The line, from 1.
    pub line: usize,
    /// The last of its lines, from 1: of a private key, that of its end.
    pub last: usize,
    /// What it looks like, for example `GitHub token`.
    pub kind: &'static str,
    /// The bytes of the text that hold it.
    pub place: Range<usize>,
}

/// The beginning of a secret, and what must follow.
struct Rule {
    kind: &'static str,
    beginning: &'static str,
    /// Whether this says more than that something is secret: such a rule wins over a mere
    /// assignment.
    is_known: bool,
    finds: Finds,
}

/// How the text after a beginning is examined.
#[derive(Clone, Copy)]
enum Finds {
    /// There is one secret or none.
    One(Holds),
    /// The same for text to decode. Decoded text is not decoded again.
    Encoded(Holds),
    /// There are several, such as the values of a block.
    Each(Each),
}

/// Takes the text and the start and end of the beginning; returns the place of the secret if there
/// is one.
type Holds = fn(&str, usize, usize) -> Option<Range<usize>>;

/// Takes the text and the start of the beginning; returns the places of the secrets, in order.
type Each = fn(&str, usize) -> Vec<Range<usize>>;

/// Finds what looks like a secret, in the order of the text; of several of one kind on a line, only
/// the first.
pub fn find(text: &str) -> Vec<Secret> {
    let (mut found, starts) = found_with_starts(Search::of(text));
    let mut more = Vec::new();
    of_changes(text, &starts, |side, path| {
        more.extend(found_in(&side));
        let named = found_by_name(path, &side.text).into_iter();
        more.extend(named.map(|secret| side.in_whole(&secret)));
    });
    add(&mut found, &mut more);
    behind_signs(text, &starts, |side| more.extend(found_in(&side)));
    add(&mut found, &mut more);
    // Between the words of a list nothing else is where it was.
    commands(text, |side| {
        let found = found_by(Search::of(&side.text)).into_iter();
        let told = found.filter(|secret| is_of_command(&side.text, secret));
        more.extend(told.map(|secret| side.in_whole(&secret)));
    });
    add(&mut found, &mut more);
    found
}

/// Whether a command has a secret because of what it is, or as the value of an option, other than a
/// variable.
fn is_of_command(command: &str, secret: &Secret) -> bool {
    let is_value = !command[secret.place.clone()].contains(" $");
    let is_option = command[..secret.place.start].ends_with('-');
    secret.kind == "password of a command" || is_option && is_value
}

/// Returns the secrets of a side as those of the whole text.
fn found_in(side: &Side) -> impl Iterator<Item = Secret> {
    let found = found_by(Search::of(&side.text)).into_iter();
    found.map(|secret| side.in_whole(&secret))
}

/// Adds the secrets that are not yet known.
fn add(found: &mut Vec<Secret>, more: &mut Vec<Secret>) {
    if more.is_empty() {
        return;
    }
    more.retain(|secret| !is_among(found, secret));
    more.sort_by_key(|secret| secret.place.start);
    // A line that did not change is on both sides of its hunk.
    more.dedup_by_key(|secret| secret.line);
    found.append(more);
    found.sort_by_key(|secret| secret.place.start);
}

/// Whether secrets, in the order of the text, have this one or another on its line.
fn is_among(found: &[Secret], secret: &Secret) -> bool {
    let place = &secret.place;
    let next = found.partition_point(|known| known.place.start < place.start);
    let is_same = |known: &Secret| {
        let overlaps = known.place.start < place.end && place.start < known.place.end;
        overlaps || known.line == secret.line
    };
    found[next.saturating_sub(1)..].iter().take(2).any(is_same)
}

/// Does the same in a file, whose name may say that its content is secret.
pub fn find_in(path: &str, text: &str) -> Vec<Secret> {
    let mut found = find(text);
    for secret in found_by_name(path, text) {
        if found.iter().all(|known| known.line != secret.line) {
            found.push(secret);
        }
    }
    found.sort_by_key(|secret| secret.line);
    found
}

/// Returns what the name of a file says is secret in it.
fn found_by_name(path: &str, text: &str) -> Vec<Secret> {
    let mut lines = Search::of(text);
    let places = files::told_by_name(path, text).into_iter();
    let secret = |place: Range<usize>| Secret {
        line: lines.line_at(place.start),
        last: lines.line_at(place.end),
        kind: "assigned secret",
        place,
    };
    places.map(secret).collect()
}

/// Whether decoded text or a value contains a secret. Nothing in it is decoded again, so that
/// nested texts take no time.
fn is_in_value(text: &str) -> bool {
    let search = Search {
        is_inside: true,
        ..Search::of(text)
    };
    !found_by(search).is_empty()
}

/// Finds all secrets, including several of one kind on a line.
fn find_each(text: &str) -> Vec<Secret> {
    found_by(Search {
        wants_each: true,
        ..Search::of(text)
    })
}

fn found_by(search: Search<'_>) -> Vec<Secret> {
    found_with_starts(search).0
}

/// Whether a name may have its secret on another line. What is known by its own beginning is found
/// with any sign before it.
fn may_spread(rule: &Rule) -> bool {
    if rule.is_known {
        rule.kind == "AWS secret key"
    } else {
        rule.kind != "password in a URL"
    }
}

/// Returns what is found, and where a secret of several lines may begin, or the name of one: the
/// first place on each line.
fn found_with_starts(mut search: Search<'_>) -> (Vec<Secret>, Vec<usize>) {
    let text = search.text;
    if numbers::is_wallet(text) {
        search.add(0..text.trim_end().len(), "private key");
    }
    let mut candidates = Vec::new();
    let mut starts = Vec::new();
    let mut looked = 0;
    for from in (0..text.len()).step_by(STRETCH) {
        candidates.clear();
        find_candidates(text.as_bytes(), from..from + STRETCH, &mut candidates);
        for candidate in &candidates {
            search.look_at(candidate.start, RULES[candidate.rule]);
        }
        let spread = candidates.iter().filter(|it| may_spread(RULES[it.rule]));
        for Candidate { start, .. } in spread {
            let is_new_line = memchr(b'\n', &text.as_bytes()[looked..*start]).is_some();
            looked = *start;
            if is_new_line || starts.is_empty() {
                starts.push(*start);
            }
        }
    }
    search.tell_waiting(text.len());
    (search.found, starts)
}

/// Replaces each secret in a message with its kind, as in `[GitHub token].py`. A name from a
/// repository may hold one.
pub fn masked(message: String) -> String {
    without(message, |kind, _| format!("[{kind}]"))
}

/// Replaces each secret in a line of a file; everything else stays where it is.
pub fn starred(line: String) -> String {
    without(line, |_, secret| "*".repeat(secret.chars().count()))
}

/// Returns a text with each secret replaced by what `instead` makes of its kind and text.
fn without(text: String, instead: impl Fn(&str, &str) -> String) -> String {
    let found = find_each(&text);
    let mut written = String::new();
    let mut next = 0;
    for Secret { kind, place, .. } in &found {
        written.push_str(&text[next..place.start]);
        written.push_str(&instead(kind, &text[place.clone()]));
        next = place.end;
    }
    if found.is_empty() {
        return text;
    }
    written + &text[next..]
}

/// The state of a search.
struct Search<'a> {
    text: &'a str,
    found: Vec<Secret>,
    /// The line at `counted`.
    line: usize,
    counted: usize,
    /// Where the last finding ends, and whether it says only that something is secret.
    end: usize,
    is_vague: bool,
    /// Whether several of one kind on a line are all reported.
    wants_each: bool,
    /// Whether the text is itself a value, in which nothing is decoded.
    is_inside: bool,
    /// Findings further on in the text, the next one last.
    waiting: Vec<(Range<usize>, &'static str)>,
}

impl Search<'_> {
    fn of(text: &str) -> Search<'_> {
        Search {
            text,
            found: Vec::new(),
            line: 1,
            counted: 0,
            end: 0,
            is_vague: false,
            wants_each: false,
            is_inside: false,
            waiting: Vec::new(),
        }
    }

    /// Reports the waiting findings that begin before `at`.
    fn tell_waiting(&mut self, at: usize) {
        while let Some((place, kind)) = self.waiting.pop_if(|(place, _)| place.start <= at) {
            if place.start >= self.end {
                self.end = place.end;
                self.is_vague = true;
                self.add(place, kind);
            }
        }
    }

    fn look_at(&mut self, start: usize, rule: &Rule) {
        self.tell_waiting(start);
        let holds = match rule.finds {
            Finds::One(holds) => holds,
            // In other letters it means something else.
            Finds::Encoded(holds)
                if !self.is_inside && self.text[start..].starts_with(rule.beginning) =>
            {
                holds
            }
            Finds::Each(each) if !self.is_inside => {
                let values = each(self.text, start);
                if !values.is_empty() {
                    let values = values.into_iter().map(|place| (place, rule.kind));
                    self.waiting.extend(values);
                    // Blocks may lie within one another.
                    self.waiting.sort_by_key(|(place, _)| Reverse(place.start));
                }
                return;
            }
            _ => return,
        };
        // The name before a value and the value itself are one secret, but a token that is
        // known is more than something that is assigned.
        let within = start < self.end;
        if within && !(self.is_vague && rule.is_known) {
            return;
        }
        let Some(mut place) = holds(self.text, start, start + rule.beginning.len()) else {
            return;
        };
        if within {
            let vague = self.found.pop_if(|last| last.place.end == self.end);
            let begins = vague.map_or(start, |vague| vague.place.start);
            place.start = place.start.max(begins);
        } else {
            place.start = place.start.max(self.end);
        }
        self.end = place.end.max(self.end);
        self.is_vague = !rule.is_known;
        self.add(place, rule.kind);
    }

    /// Adds a secret.
    fn add(&mut self, place: Range<usize>, kind: &'static str) {
        let line = self.line_at(place.start);
        let alike = |last: &Secret| last.line == line && last.kind == kind;
        if self.wants_each || !self.found.last().is_some_and(alike) {
            let last = self.last_line(&place, kind).max(line);
            self.found.push(Secret {
                line,
                last,
                kind,
                place,
            });
        }
    }

    /// Returns the last line of a secret.
    fn last_line(&mut self, place: &Range<usize>, kind: &str) -> usize {
        let line = self.line_at(place.end);
        if kind != "private key" {
            return line;
        }
        // Of a key in parts the first has told where it ends.
        let known = self.found.last().filter(|last| last.kind == kind);
        match known.filter(|known| known.last >= line) {
            Some(known) => known.last,
            None => self.line_at(keys::end_of(self.text, place)),
        }
    }

    /// Returns the line of `at`. The last finding may begin after it if it was not reported because
    /// the line had one of its kind.
    fn line_at(&mut self, at: usize) -> usize {
        let lines = |between| memchr_iter(b'\n', &self.text.as_bytes()[between]).count();
        if at < self.counted {
            self.line -= lines(at..self.counted);
        } else {
            self.line += lines(self.counted..at);
        }
        self.counted = at;
        self.line
    }
}

/// How many bytes are searched at a time. All candidates in a stretch are kept in memory, and a
/// text may be nothing but beginnings.
const STRETCH: usize = 32 * 1024;

/// Returns what is taken for a secret in a text after one of these beginnings.
#[cfg(test)]
fn told_by(holds: Holds, beginning: &str, text: &str) -> Option<String> {
    let start = text.find(beginning)?;
    holds(text, start, start + beginning.len()).map(|place| text[place].to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::processor::time_of_thread;

    fn kinds(text: &str) -> Vec<&'static str> {
        find(text).iter().map(|secret| secret.kind).collect()
    }

    /// Joins the parts here, so that no scanner takes this file for a leak.
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
            format!("string Password {{ get; set; }} = \"{value}\";"),
            format!("<add key=\"DbPassword\" value=\"{value}\"/>"),
            format!("- name: DB_PASSWORD\n  value: {value}\n"),
            format!("var password string = \"{value}\""),
            format!("os.environ.get('DB_PASSWORD') or get('PASSWORD', '{value}')"),
            format!("\\\"password\\\": \\\"{value}\\\""),
            format!("deploy --password {value} --yes"),
            format!("\"Server=db;User Id=sa;Password={value};Encrypt=true\""),
            format!("machine a login b password {value}"),
            format!("machine a\n\tpassword {value}\n\tlogin b\n"),
            format!("//h/s /m cifs username=u,password={value},uid=1 0 0"),
            format!("\"h:6380,password={value},ssl=True\""),
            "jdbc:mysql://address=(user=a)(password=xK9$mQ2!vB4*nT1)/d".to_owned(),
            format!("<u>jdbc:postgresql://h/d?user=a&amp;password={value}</u>"),
            "u = \"clickhouse://h:9000?user=u&password=xK9$mQ2!vB4#nT1\"".to_owned(),
            "host=h user=u password=xK9$mQ2!vB4#nT1 dbname=d".to_owned(),
            "PresharedKey = tq3VwLkYx9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE0=".to_owned(),
            format!("CREATE USER a WITH PASSWORD '{value}';"),
            format!("ALTER LOGIN a WITH PASSWORD = N'{value}';"),
            format!("INSERT INTO users (name,password) VALUES ('bob','{value}');"),
            format!("Dim password As String = \"{value}\""),
            format!("password <- \"{value}\""),
            format!("my $password = q{{{value}}};"),
            format!("password = qq({value})"),
            format!("<Password><Value>{value}</Value><PlainText>true</PlainText></Password>"),
            format!("Passwort: {value}"),
            format!("mot_de_passe: {value}"),
            format!("Mot de passe : {value}"),
            format!("Parola d'ordine: {value}"),
            format!("contraseña: \"{value}\""),
            format!("contrasena: \"{value}\""),
            format!("senha={value}"),
            format!("Пароль: {value}"),
            format!("密码：{value}"),
            format!("Set-Cookie: auth_token={value}; HttpOnly"),
            format!("Cookie: a=b; auth_token={value}; c=d"),
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
    fn passwords_are_made_of_any_signs_and_letters() {
        for password in [
            "p@$$w0rd!#%^&*()",
            "correct-Horse7-battery",
            "Größe-x7Kq2",
            "пароль123Ж",
            "xK9mQ2vB",
            "KVBDFhesNLUd",
            "JnZqfTy^py$Awobx",
            "J2(Cd-H!kZ6WE0(5At4w",
            "io3p3r37",
        ] {
            for text in [
                format!("password = '{password}'"),
                format!("DB_PASSWORD={password}"),
                format!("  password: {password}\n  port: 80"),
            ] {
                assert_eq!(kinds(&text), ["assigned secret"], "{text}");
            }
        }
    }

    #[test]
    fn what_is_assigned_is_found_in_every_dress() {
        let long = RANDOM.repeat(12);
        for text in [
            joined(&["AWS_SESSION_TOKEN=IQoJb3JpZ2lu", &long]),
            joined(&["db: {host: h, password: ", "Zx7QmLwT9rKd", "}"]),
            joined(&["- \"DB_PASSWORD=", "Zx7!QmLwT9rKd", "\""]),
            joined(&["docker run -e 'DB_PASSWORD=", "Zx7!QmLwT9rKd", "' a"]),
            joined(&["password = ", "Zx7QmLwT9rKd", " ; of the tests"]),
            joined(&["url: ${DB_PASSWORD:-", "Zx7!QmLwT9rKd", "}"]),
            joined(&["let password = r#\"", "Zx7!QmLwT9rKd", "\"#;"]),
            joined(&["var password = $\"", "Zx7!QmLwT9rKd", "\";"]),
            joined(&["password!: string = \"", "Zx7!QmLwT9rKd", "\";"]),
        ] {
            assert_eq!(kinds(&text), ["assigned secret"], "{text}");
        }
        let value = &RANDOM[..24];
        for text in [
            format!("password: !!str {value}"),
            format!("api_key: &main {value}"),
            format!("password: >2-\n    {value}"),
            format!("password = (\n    \"{value}\"\n)"),
            format!("api_token = \\\n    '{value}'"),
            format!("var apiKey = []byte(\"{value}\")"),
            format!("api_key: Some(\"{value}\".into()),"),
            format!("api_key: SecretStr = Field(default=\"{value}\")"),
            format!("<Client apiKey={{\"{value}\"}} />"),
            format!("#define API_KEY \"{value}\""),
            format!("# define DB_PASSWORD \"{value}\""),
            format!("static const char api_key[] = \"{value}\";"),
            format!("char password[32] = \"{value}\";"),
            format!("ENV['API_TOKEN'] ||= '{value}'"),
            format!("ENV.fetch('API_TOKEN') {{ '{value}' }}"),
            format!("System.get_env(\"API_TOKEN\") || \"{value}\""),
            format!("<name>fs.secret.key</name>\n  <value>{value}</value>"),
            format!("spring.ai.openai.api.key={value}"),
            format!("const encryptionKey='{RANDOM}';"),
        ] {
            assert_eq!(kinds(&text), ["assigned secret"], "{text}");
        }
        let header = joined(&["headers={'Authorization': f\"Bearer ", RANDOM, "\"}"]);
        assert_eq!(kinds(&header), ["authorization header"]);
        for text in [
            "Version=8.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
            "new TextToken(\"{Hello,-10-1}\")",
            "Pass --disable-warning=FSTWRN003",
            "\"regexp\": \"token=([^\\u0026\\\\s]+)\"",
            "const options = { host: h, password: secondPassword2 };",
            "f({ name: a, password: other.password, port: 80 })",
            "password = (Passw0rd1x)",
            "    secret: &mut X25519StaticSecret,",
            "    token: &mut Base64Token,",
            "    password: &mut PgPassword1,",
            "    password: &'a PgPassword1,",
            "  password: !isLdap && formValues.password2,",
            "  password: !isLdap2 && password2",
            "password: &str",
            "if (hasToken) { 'use strict' }",
            "\"secret\": {\"Xk29fLmQ83vBz71TnWp4\": 1}",
            "#define TOKEN_SIZE_12 sizeof(Token12)",
            "char token[64];\nint Xk29fLmQ83vBz71TnWp4 = 0;",
            "let token = Some(Token2Kind::Word);",
            "getToken() || 'default'",
            "event.key === 'ArrowDown'",
        ] {
            assert_eq!(kinds(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn a_known_token_that_is_assigned_is_told_as_what_it_is() {
        let token = joined(&["ghp_", RANDOM]);
        for text in [
            format!("token = '{token}'"),
            format!("password: {token}"),
            format!("https://somebody:{token}@example.org/"),
            format!("Authorization: Bearer {token}"),
        ] {
            assert_eq!(kinds(&text), ["GitHub token"], "{text}");
        }
    }

    #[test]
    fn a_token_is_found_behind_a_character_that_is_written_out() {
        let key = "x9Kq2mZ7vB4nT1wY8rL5".repeat(4);
        for (kind, token) in [
            ("GitHub token", joined(&["ghp_", RANDOM])),
            ("AWS access key", joined(&["AKIA", "IOSFODNN7EXAMPLE"])),
            (
                "JSON web token",
                joined(&["eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0.", RANDOM]),
            ),
            (
                "Discord token",
                joined(&["MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.", &key[..27]]),
            ),
            (
                "Airtable token",
                format!("pat{}.{}", &key[..14], "0123456789abcdef".repeat(4)),
            ),
            (
                "Terraform token",
                format!("{}.atlasv1.{}", &key[..14], &key[..64]),
            ),
            (
                "Mailchimp key",
                format!("{}-us12", "0123456789abcdef".repeat(2)),
            ),
            ("Azure client secret", format!("abc8Q~{}", &key[..34])),
            ("assigned secret", format!("pass=\\\"{}\\\"", &key[..20])),
        ] {
            for before in [
                "\\n",
                "\\\\n",
                "\\t",
                "\\042",
                "\\x22",
                "\\u0022",
                "\\u003d",
                "%3D",
                "%20",
                "=3D",
                "\u{1b}[31m",
                "\u{1b}[0;1m",
                "\u{1b}[K",
                "\\x1b[32m",
                "\\033[1;31m",
                "\\e[m",
            ] {
                let text = format!("a{before}{token} b");
                assert_eq!(kinds(&text), [kind], "{text}");
            }
        }
        let text = format!("a\\n-ghp_{RANDOM}");
        assert_eq!(kinds(&text), ["GitHub token"], "{text}");
    }

    #[test]
    fn a_known_token_is_found_behind_a_name_and_a_sign() {
        for (kind, token) in [
            ("GitHub token", joined(&["ghp_", RANDOM])),
            (
                "GitHub token",
                joined(&["github_pat_", RANDOM, "_", RANDOM]),
            ),
            ("GitLab token", joined(&["glpat-", &RANDOM[..20]])),
            ("Slack token", joined(&["xoxb-", "123456789012-", RANDOM])),
            ("AWS access key", joined(&["AKIA", "IOSFODNN7EXAMPLE"])),
            ("Google API key", joined(&["AIza", &RANDOM[..35]])),
            ("Anthropic key", joined(&["sk-ant-", "api03-", RANDOM])),
            ("npm token", joined(&["npm_", RANDOM])),
            ("Hugging Face token", joined(&["hf_", &RANDOM[..34]])),
        ] {
            for before in ["old-", "token_", "fix--", "a_b__"] {
                let text = format!("{before}{token} b");
                assert_eq!(kinds(&text), [kind], "{text}");
                let begins = find(&text)[0].place.start;
                assert_eq!(begins, before.len(), "{text}");
            }
            let text = format!("old{token}");
            assert_eq!(kinds(&text), Vec::<&str>::new(), "{text}");
        }
        let digits = "0123456789abcdef".repeat(4);
        for text in [
            format!("cache_key_{digits}"),
            format!("idempotency-key-{}", &digits[..32]),
            "android-sdk-0123abcd-0123-4567-89ab-0123456789ab".to_owned(),
            format!("the_pat_{digits}"),
            format!("favorite-ico-{}", &digits[..32]),
            "REGION_ASIA0123456789ABCDEF".to_owned(),
            "a_tr_dev_abcdefghijklmnopqrstuv".to_owned(),
            "my_hvs.someModuleWithALongNameOfItsOwn".to_owned(),
        ] {
            assert_eq!(kinds(&text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn a_key_is_found_in_a_line_without_end() {
        let key = joined(&["AKIA", "IOSFODNN7EXAMPLE"]);
        for letter in ["x", "X"] {
            let around = letter.repeat(20_000);
            let found = find(&format!("{around}{key}{around}"));
            assert_eq!(found.len(), 1, "{letter}");
            assert_eq!(found[0].place, 20_000..20_020);
        }
    }

    #[test]
    fn what_has_its_own_form_is_found_with_what_is_around_it() {
        let key = "x9Kq2mZ7vB4nT1wY8rL5".repeat(4);
        for (kind, text) in [
            (
                "private key",
                joined(&["-----BEGIN", " RSA PRIVATE KEY-----"]),
            ),
            (
                "private key",
                joined(&["PuTTY-User", "-Key-File-3: ssh-rsa\n"]),
            ),
            (
                "private key",
                joined(&["---- BEGIN", " SSH2 ENCRYPTED PRIVATE KEY ----\n"]),
            ),
            (
                "private key",
                joined(&["LS0tLS1CRUdJTiBS", "U0EgUFJJVkFURSBLRVktLS0tLQo="]),
            ),
            (
                "JSON web key",
                format!("{{\"kty\": \"EC\", \"d\": \"{key}\"}}"),
            ),
            ("password hash", joined(&["a:$apr1$", &key[..31]])),
            (
                "password of a command",
                format!("curl -u a:{} https://b/", &key[..16]),
            ),
            (
                "password of a command",
                format!("curl -X POST \\\n  -u 'a:{}' https://b/", &key[..16]),
            ),
            (
                "password of a command",
                format!("mysql --protocol=tcp -u a -p'{}' b", &key[..16]),
            ),
            (
                "password of a command",
                format!("docker login -u a \\\n  -p {} b", &key[..16]),
            ),
            (
                "password of a command",
                format!("ldapsearch -p 636 -w {} b", &key[..16]),
            ),
            (
                "password of a login",
                format!("HTTPBasicAuth('a', '{}')", &key[..16]),
            ),
            (
                "password of a login",
                format!("new NetworkCredential(\"a\", \"{}\")", &key[..16]),
            ),
            (
                "password in a URL",
                format!("\"a:{}@tcp(db:3306)/b\"", &key[..16]),
            ),
            ("password file", format!("db:5432:app:a:{}\n", &key[..16])),
            (
                "registry login",
                joined(&["\"auth\": \"", "YWRtaW46eDlLcTJtWjd2Qg==\""]),
            ),
            (
                "AWS secret key",
                format!("aws_secret_access_key = {}", &key[..40]),
            ),
            (
                "Discord token",
                joined(&["MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.", &key[..27]]),
            ),
            ("Telegram token", format!("123456789:AA{}", &key[..33])),
            (
                "Airtable token",
                format!("pat{}.{}", &key[..14], "0123456789abcdef".repeat(4)),
            ),
            ("Azure client secret", format!("abc8Q~{}", &key[..34])),
            (
                "password in a URL",
                joined(&["redis://:", "x9Kq2mZ7vB4n@db:6379"]),
            ),
        ] {
            assert_eq!(kinds(&text), [kind], "{text}");
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
            "password = derive(",
            "INSERT INTO users (password, name) VALUES (?, 'xK9mQ2vBnT1w')",
            "password <- readline2(kv1.App)",
            "Dim password As String = passwordBox2.Text",
            "password = qw{Alpha1x Beta2y}",
            "<span class=\"token\" href=\"#/s:10Foundation10URLRequestV\">",
            "Set-Cookie: csrftoken=x9Kq2mZ7vB4nT1wY8rL5pD3s; Path=/",
            "Set-Cookie: auth_token=deleted; Path=/",
            "new NetworkCredential(user, Passw0rd1x)",
            "Das Passwort: Mindestens8Zeichen",
            "Пароль: Изменить",
            "  password: Vault2.read(kv1.App)",
            "password_label: CurrentPassword",
            "\"password_hasher\": \"pbkdf2sha256\"",
            "'password_encryption': 'scram256sha'",
            "amqp://app:$DB_PASSWORD_1a@mq/x",
            "the header -----BEGIN RSA PRIVATE KEY----- stands before it",
            "csrf_token = request.META.get(\"HTTP_X_CSRFTOKEN_1234\")",
            "\"NextLockToken\": \"abcd12f2-46da-4fdb-b8d5-fbd4c466928f\"",
            "password = \"${DB_PASSWORD_1}\"",
            "mysql -u root -p app2Table_1",
            "unzip -p Release-App12.jar META-INF/MANIFEST.MF",
            "mysql -p$MYSQL_Passw0rd1 --protocol=tcp -p",
            "docker login -u a -p ${TOKEN_1a} b",
            "requests.get(url, auth=('user', 'pass'))",
            "requests.get(url, auth=(user, Passw0rd1x))",
            "user:password@tcp(localhost:3306)/app",
            "PASSWORD = \"[a-zA-Z0-9!@#]{8,}\"",
            "password: 'correct.Horse{battery7}'",
            "client_token_type = \"sha256_password_v2\"",
            "const HEADER: &str = \"-----BEGIN RSA PRIVATE KEY-----\";",
            "https://user:pass%40word1@example.org/",
            "SLACK_TOKEN=xoxb-your-token-goes-here-2024",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "public_key = \"x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u\"",
            "Authorization: Basic dXNlcm5hbWU6cGFzc3dvcmQ=",
            "{\"kty\": \"EC\", \"x\": \"x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u\"}",
            "version 1.234567.8, and e.g. 10.123456.789012345678901234567890",
        ] {
            assert_eq!(kinds(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn several_of_a_kind_on_a_line_are_told_once() {
        let token = joined(&["ghp_", RANDOM]);
        assert_eq!(find(&format!("{token} {token}\n{token}")).len(), 2);
    }

    #[test]
    fn a_value_that_stands_above_its_name_is_told_where_it_stands() {
        let text = format!(
            "<a>\n<add value=\"{}\"\n  key=\"DbPassword\"/>",
            &RANDOM[..18]
        );
        let found = find(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
        assert!(text[found[0].place.clone()].contains(&RANDOM[..18]));
    }

    /// The least of some tries: whatever else runs here can only make it more.
    fn took(text: &str, least: &mut Duration) -> Duration {
        let started = time_of_thread();
        find(text);
        *least = time_of_thread().saturating_sub(started).min(*least);
        *least
    }

    #[test]
    fn a_text_of_nothing_but_beginnings_costs_little() {
        let plain = "let value = other(1);\n".repeat(1600);
        // What the texts of some rules cost, and what so many ordinary ones do.
        let cost = |rules: &[&Rule]| {
            let (mut sum, mut ordinary) = (Duration::ZERO, Duration::ZERO);
            for rule in rules {
                let of = |length: usize| rule.beginning.repeat(length / rule.beginning.len());
                let (short, long) = (of(4_000), of(32_000));
                let (mut once, mut eight) = (Duration::MAX, Duration::MAX);
                // Eight times the text may take eight times as long, but not sixty-four.
                let in_proportion =
                    (0..5).any(|_| took(&long, &mut eight) < 20 * took(&short, &mut once));
                assert!(in_proportion, "{}: {once:?}, {eight:?}", rule.beginning);
                sum += eight;
                ordinary += took(&plain, &mut Duration::MAX.clone());
            }
            (sum, ordinary)
        };
        let (some, others) = RULES.split_at(RULES.len() / 2);
        let (some, others) = std::thread::scope(|scope| {
            let some = scope.spawn(|| cost(some));
            let others = cost(others);
            (some.join().unwrap(), others)
        });
        let (sum, ordinary) = (some.0 + others.0, some.1 + others.1);
        // Some times as much as a program of that length, whatever else runs here.
        assert!(sum < 11 * ordinary, "{sum:?}, {ordinary:?}");
    }

    fn in_base64(text: &str) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let three = |part: &[u8]| {
            let bits = part
                .iter()
                .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
            [18, 12, 6, 0].map(|shift| char::from(LETTERS[bits >> shift & 63]))
        };
        text.as_bytes().chunks_exact(3).flat_map(three).collect()
    }

    #[test]
    fn pairs_without_end_and_texts_in_texts_cost_little() {
        let mut nested = "eyJ/".repeat(30);
        for _ in 0..9 {
            nested = format!("{}{}", "eyJ/".repeat(nested.len() / 3), in_base64(&nested));
        }
        let long = |part: &str| part.repeat(256_000 / part.len());
        let texts = [
            long(";,value:q(x,name=password"),
            long(";,value:<![CDATA[x,name=password"),
            long("name: password\nvalue: \n"),
            long("eyJ/"),
            long("=eyJ"),
            long("=ewogI"),
            long("\n  data:\n    kind: Secret"),
            long("data:\n"),
            long("data:\nSecret\n"),
            long("\"data\": {\"kind\": \"Secret\", "),
            long("# password: |\n#  x9Kq2mZ7vB4nT1wY\n;\n"),
            long("[\"curl\", \"-u\", \"a:x9Kq2mZ7vB4nT1wY\"],\n"),
            long("- mysql\n- -p\n"),
            long("name: password\na: b\n"),
            long("@@ -1 +1 @@\n password: |\n+  x9Kq2mZ7vB4nT1wY\n"),
            nested,
        ];
        for text in texts {
            let took = took(&text, &mut Duration::MAX.clone());
            assert!(took.as_secs() < 2, "{took:?} for {}", &text[..40]);
        }
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
        fn a_token_is_found_wherever_it_stands(before in "[^A-Za-z0-9]{0,20}", after in "[^A-Za-z0-9_]{0,20}") {
            let text = format!("{before}ghp_{RANDOM}{after}");
            prop_assert!(kinds(&text).contains(&"GitHub token"));
        }
    }
}
