//! Finds what looks like a secret.
//!
//! Only what is very likely one: the tokens of common services have beginnings of their
//! own and a fixed shape; anything else has to be assigned to a name such as `api_key`
//! and look random. The formats are those that the services publish. The search takes
//! time in proportion to the text.

mod assigned;
mod letters;
mod marks;
mod rules;
mod shapes;

use std::ops::Range;

use memchr::memchr_iter;

use self::marks::find_candidates;
use self::rules::RULES;

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

/// Finds what looks like a secret, in the order of the text; of several of one kind on a
/// line, only the first.
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

/// How many bytes are searched at a time: what is found in them is held, and a text may be
/// nothing but beginnings.
const STRETCH: usize = 32 * 1024;

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
        fn a_token_is_found_wherever_it_stands(before in "[^A-Za-z0-9_-]{0,20}", after in "[^A-Za-z0-9_]{0,20}") {
            let text = format!("{before}ghp_{RANDOM}{after}");
            prop_assert!(kinds(&text).contains(&"GitHub token"));
        }
    }
}
