//! What secrets look like: how each kind begins, and what has to follow.

use std::sync::LazyLock;

use super::assigned::assigned;
use super::letters::{
    alphanumeric, base64, continues, dashed, dotted, hex, run, slashed, upper, word,
};
use super::shapes::{authorization, private_key, url_password, web_token};

/// What a secret begins with, and what has to follow.
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) beginning: &'static str,
    /// Given the text and where the beginning starts and ends: how long the secret
    /// is from its start, if it is one.
    pub(super) holds: fn(&str, usize, usize) -> Option<usize>,
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
pub(super) static RULES: LazyLock<Vec<&'static Rule>> =
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
