//! Tokens that are known by how they begin, as the services publish it.

use std::ops::Range;

use super::escapes::{continues, word_before};
use super::letters::{
    alphanumeric, base64, behind, dashed, dotted, embedded, hex, hex_dashed, in_data, is_words,
    joined, letters_of, linked, run, slashed, upper, webhook, word,
};
use super::values::{is_uuid, switches};
use super::{Finds, Rule};

macro_rules! tokens {
    ($($kind:literal: $letters:ident, $lengths:expr, $($beginning:literal)*;)*) => {
        &[$($(Rule {
            kind: $kind,
            beginning: $beginning,
            is_known: true,
            finds: Finds::One(|text, start, end| {
                if text[start..end] != *$beginning {
                    return None;
                }
                let begins = !continues(text, start) || embedded(text, start, end);
                if !begins && !joined(text, start, end) {
                    return None;
                }
                let length = run(text, end, $letters, $lengths)?;
                if in_data(text, start..end, end + length) {
                    return None;
                }
                let value = &text[end..end + length];
                let is_mixed = !LIKE_WORDS.contains(&$beginning) || switches(value) >= LEAST_SWITCHES;
                (is_mixed && !is_words(value)).then_some(start..end + length)
            }),
        }),*),*]
    };
}

/// Beginnings that names in programs have as well: behind them letters and digits have to take
/// turns so often.
const LIKE_WORDS: &[&str] = &["BSA", "secret-", "oauth:", "live_", "pat."];
const LEAST_SWITCHES: usize = 4;

/// Each kind with its letters and how many there are behind a beginning.
pub(super) static TOKENS: &[Rule] = tokens! {
    "AWS access key": upper, 16..=16, "AKIA" "ASIA" "ABIA" "ACCA";
    "AWS Bedrock key": base64, 100..=300, "ABSK";
    "AWS Bedrock key": base64, 40..=400, "bedrock-api-key-";
    "GitHub token": alphanumeric, 36..=255, "ghp_" "gho_" "ghu_" "ghs_" "ghr_";
    "GitHub token": dotted, 100..=600, "ghs_";
    "GitHub token": word, 60..=255, "github_pat_";
    "GitLab token": dotted, 20..=320, "glpat-" "gldt-" "glrt-" "glptt-" "glsoat-" "glcbt-" "glft-"
        "glimt-" "glrtr-" "glagent-" "gloas-" "glffct-" "GR1348941";
    "Bitbucket token": alphanumeric, 28..=36, "ATBB";
    "Atlassian token": linked, 100..=255, "ATATT3" "ATCTT3";
    "Slack token": dashed, 20..=255, "xoxb-" "xoxp-" "xoxa-" "xoxr-" "xoxs-" "xoxe-" "xoxc-" "xoxd-"
        "xapp-";
    "Slack token": dotted, 30..=300, "xoxe.xox";
    "Slack webhook": slashed, 30..=90, "hooks.slack.com/services/T" "hooks.slack.com/triggers/T"
        "hooks.slack.com/workflows/T";
    "Discord webhook": webhook, 70..=120, "discord.com/api/webhooks/" "discordapp.com/api/webhooks/";
    "Zapier webhook": slashed, 12..=40, "hooks.zapier.com/hooks/catch/";
    "Stripe key": alphanumeric, 16..=255, "sk_live_" "rk_live_" "sk_test_" "rk_test_" "sk_prod_" "rk_prod_";
    "Stripe key": alphanumeric, 60..=120, "sk_org_live_" "sk_org_test_";
    "Stripe webhook secret": base64, 24..=255, "whsec_";
    "Google API key": dashed, 35..=35, "AIza";
    "Google OAuth secret": dashed, 28..=28, "GOCSPX-";
    "Google OAuth token": dashed, 30..=400, "ya29.";
    "OpenAI key": dashed, 20..=255, "sk-proj-" "sk-svcacct-" "sk-admin-";
    "OpenAI key": alphanumeric, 40..=64, "sk-";
    "OpenRouter key": hex, 64..=64, "sk-or-v1-";
    "Anthropic key": dashed, 20..=255, "sk-ant-";
    "Langfuse key": hex_dashed, 36..=36, "sk-lf-";
    "LangSmith key": word, 40..=60, "lsv2_pt_" "lsv2_sk_";
    "Groq key": alphanumeric, 48..=64, "gsk_";
    "Perplexity key": alphanumeric, 48..=56, "pplx-";
    "Replicate token": alphanumeric, 37..=37, "r8_";
    "xAI key": alphanumeric, 70..=90, "xai-";
    "NVIDIA key": dashed, 60..=70, "nvapi-";
    "Pinecone key": word, 60..=80, "pcsk_";
    "Tavily key": dashed, 32..=60, "tvly-";
    "E2B key": hex, 40..=40, "e2b_";
    "Jina key": word, 50..=70, "jina_";
    "Hugging Face token": alphanumeric, 34..=34, "hf_" "api_org_";
    "npm token": alphanumeric, 36..=36, "npm_";
    "PyPI token": dashed, 50..=400, "pypi-AgE";
    "crates.io token": alphanumeric, 32..=32, "cio";
    "RubyGems key": hex, 48..=48, "rubygems_";
    "NuGet key": lower, 43..=43, "oy2";
    "Clojars token": alphanumeric, 60..=60, "CLOJARS_";
    "Docker token": dashed, 27..=40, "dckr_pat_" "dckr_oat_";
    "Twilio key": hex, 32..=32, "SK";
    "SendGrid key": dotted, 60..=72, "SG.";
    "Mailgun key": hex, 32..=32, "key-";
    "Brevo key": hyphenated, 70..=90, "xkeysib-" "xsmtpsib-";
    "Shopify token": hex, 32..=32, "shpat_" "shpca_" "shppa_" "shpss_";
    "Square token": dashed, 22..=60, "sq0atp-";
    "Square secret": dashed, 43..=60, "sq0csp-";
    "Square token": dashed, 60..=60, "EAAA";
    "Facebook token": alphanumeric, 100..=400, "EAA";
    "DigitalOcean token": hex, 64..=64, "dop_v1_" "doo_v1_" "dor_v1_";
    "Vault token": dashed, 24..=300, "hvs." "hvb." "hvr.";
    "Databricks token": hex_dashed, 32..=34, "dapi";
    "Grafana token": word, 40..=50, "glsa_";
    "Grafana token": base64, 32..=400, "glc_";
    "Grafana token": base64, 70..=400, "eyJrIjoi";
    "New Relic key": upper, 27..=27, "NRAK-" "NRRA-";
    "New Relic key": dashed, 19..=32, "NRII-" "NRJS-" "NRIQ-";
    "Sentry token": linked, 40..=400, "sntrys_";
    "Sentry token": hex, 64..=64, "sntryu_" "sntrya_";
    "Dynatrace token": dotted, 80..=100, "dt0c01." "dt0s01." "dt0s16.";
    "Postman key": dashed, 50..=64, "PMAK-";
    "Pulumi token": hex, 40..=40, "pul-";
    "Doppler token": alphanumeric, 40..=44, "dp.pt." "dp.sa." "dp.ct." "dp.scim." "dp.audit.";
    "PlanetScale token": linked, 32..=64, "pscale_tkn_" "pscale_pw_" "pscale_oauth_";
    "Neon key": alphanumeric, 60..=70, "napi_";
    "Linear key": alphanumeric, 40..=40, "lin_api_" "lin_oauth_";
    "Notion token": alphanumeric, 40..=60, "ntn_";
    "Notion token": alphanumeric, 43..=43, "secret_";
    "Figma token": dashed, 38..=64, "figd_" "figo_";
    "Heroku key": dashed, 58..=58, "HRKU-AA";
    "Fly.io token": linked, 100..=400, "fm1r_" "fm1a_" "fm2_";
    "Fly.io token": dashed, 43..=43, "fo1_";
    "Supabase key": hex, 40..=40, "sbp_";
    "Supabase key": dashed, 31..=64, "sb_secret_";
    "Netlify token": alphanumeric, 36..=40, "nfp_";
    "Render key": alphanumeric, 28..=32, "rnd_";
    "Buildkite token": hex, 40..=40, "bkua_";
    "CircleCI token": word, 50..=80, "CCIPAT_";
    "Cloudflare key": hex_dashed, 171..=171, "v1.0-";
    "Alibaba key": alphanumeric, 20..=20, "LTAI";
    "Tencent key": alphanumeric, 32..=32, "AKID";
    "Azure storage key": base64, 43..=88, "AccountKey=" "SharedAccessKey=";
    "Artifactory key": alphanumeric, 69..=69, "AKCp";
    "Artifactory key": alphanumeric, 59..=59, "cmVmd";
    "1Password token": base64, 200..=400, "ops_eyJ";
    "1Password key": upper_dashed, 36..=36, "A3-";
    "age secret key": upper, 58..=58, "AGE-SECRET-KEY-1";
    "OpenShift token": dashed, 43..=43, "sha256~";
    "Sourcegraph token": word, 40..=64, "sgp_";
    "Contentful token": dashed, 43..=43, "CFPAT-";
    "EasyPost key": alphanumeric, 54..=54, "EZAK" "EZTK";
    "Prefect token": alphanumeric, 36..=36, "pnu_";
    "Readme key": lower, 70..=70, "rdme_";
    "Shippo token": hex, 40..=40, "shippo_live_" "shippo_test_";
    "Duffel token": linked, 43..=43, "duffel_live_" "duffel_test_";
    "Typeform token": linked, 44..=59, "tfp_";
    "Flutterwave key": hyphenated, 12..=34, "FLWSECK-" "FLWSECK_TEST-";
    "Octopus key": upper, 26..=26, "API-";
    "Tailscale key": dashed, 20..=80, "tskey-auth-" "tskey-api-" "tskey-client-";
    "Infracost key": alphanumeric, 32..=32, "ico-";
    "Sonar token": hex, 40..=40, "squ_" "sqp_" "sqa_";
    "LaunchDarkly key": hex_dashed, 36..=36, "sdk-";
    "PostHog key": alphanumeric, 40..=60, "phx_";
    "Mapbox token": dotted, 60..=200, "sk.eyJ";
    "Dropbox token": linked, 130..=400, "sl.B" "sl.u.";
    "WakaTime key": hex_dashed, 36..=36, "waka_";
    "Adobe secret": alphanumeric, 32..=32, "p8e-";
    "MaxMind key": word, 36..=48, "mm_lic_";
    "MongoDB Atlas secret": dashed, 30..=80, "mdb_sa_sk_";
    "Settlemint token": alphanumeric, 16..=16, "sm_aat_" "sm_pat_" "sm_sat_";
    "PayPal token": alphanumeric_dollar, 40..=80, "access_token$production$";
    "42 secret": hex, 64..=64, "s-s4t2ud-" "s-s4t2af-";
    "Plaid token": hex_dashed, 36..=36, "access-production-" "access-development-" "access-sandbox-";
    "DeepSeek key": hex, 32..=32, "sk-";
    "Helicone key": dashed, 20..=80, "sk-helicone-";
    "LlamaCloud key": alphanumeric, 48..=52, "llx-";
    "Fireworks key": alphanumeric, 21..=23, "fw_3";
    "Together key": dashed, 43..=43, "tgp_v1_";
    "Firecrawl key": hex, 32..=32, "fc-";
    "Cerebras key": lower, 48..=48, "csk-";
    "Voyage key": dashed, 43..=43, "pa-";
    "Gemini key": dashed, 40..=60, "AQ.Ab8RN6";
    "Cursor key": hex, 64..=64, "key_";
    "Coze token": alphanumeric, 64..=64, "pat_";
    "Modal secret": alphanumeric, 22..=22, "ak-" "as-";
    "Resend key": word, 33..=33, "re_";
    "Vercel token": alphanumeric, 50..=64, "vcp_" "vci_" "vca_" "vcr_" "vck_";
    "Vercel token": word, 40..=64, "vercel_blob_rw_";
    "Deno token": alphanumeric, 36..=40, "ddp_" "ddo_";
    "Inngest key": hex, 64..=64, "signkey-prod-" "signkey-test-";
    "Trigger.dev key": alphanumeric, 20..=32, "tr_prod_" "tr_dev_" "tr_stg_";
    "Stytch secret": dashed, 36..=50, "secret-live-" "secret-test-";
    "Honeycomb key": lower, 58..=60, "hcaik_" "hcbik_" "hccik_" "hcxik_" "hcalk_" "hcamk_";
    "Infisical token": hex_dotted, 80..=100, "st.";
    "Paddle key": word, 40..=64, "pdl_live_apikey_" "pdl_sdbx_apikey_";
    "Polar token": alphanumeric, 40..=48, "polar_oat_" "polar_pat_";
    "HubSpot token": hex_dashed, 36..=36, "pat-na1-" "pat-na2-" "pat-eu1-";
    "Intercom token": base64, 55..=57, "dG9rO";
    "Apify token": alphanumeric, 36..=40, "apify_api_";
    "Salesforce token": session, 90..=160, "00D";
    "Alchemy key": dashed, 32..=32, "g.alchemy.com/v2/";
    "Infura key": hex, 32..=32, "infura.io/v3/";
    "Google OAuth token": dashed, 40..=110, "1//0";
    "Google HMAC key": upper, 52..=60, "GOOG1";
    "Akamai token": hyphenated, 33..=33, "akab-";
    "Amazon secret": hex, 64..=64, "amzn1.oa2-cs.v1.";
    "Amazon token": dashed, 100..=400, "Atzr|";
    "Axiom token": hex_dashed, 36..=36, "xaat-" "xapt-";
    "Brave key": dashed, 28..=28, "BSA";
    "ClickUp token": upper_word, 40..=43, "pk_";
    "Cloudflare token": alphanumeric, 48..=60, "cfut_" "cfat_" "cfk_";
    "Docker token": hyphenated, 70..=90, "SWMTKN-1-";
    "eBay secret": hex_dashed, 36..=36, "PRD-" "SBX-";
    "ElevenLabs key": hex, 48..=48, "sk_";
    "Feishu webhook": hex_dashed, 36..=36, "open.feishu.cn/open-apis/bot/v2/hook/" "open.larksuite.com/open-apis/bot/v2/hook/";
    "WeCom webhook": hex_dashed, 36..=36, "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=";
    "Honeybadger token": alphanumeric, 36..=40, "hbp_";
    "Kaggle token": hex, 32..=32, "KGAT_";
    "LaunchDarkly key": hex_dashed, 36..=36, "mob-";
    "LinkedIn secret": linked, 20..=40, "WPL_AP1.";
    "Loggly token": hex_dashed, 36..=36, "loggly.com/inputs/";
    "PubNub key": base64, 48..=48, "sec-c-";
    "Razorpay key": alphanumeric, 14..=14, "rzp_live_";
    "Riot key": hex_dashed, 36..=36, "RGAPI-";
    "RunPod key": alphanumeric, 40..=56, "rpa_";
    "Sourcegraph token": hex, 64..=64, "slk_";
    "Statsig key": alphanumeric, 40..=50, "secret-";
    "Trello token": hex, 72..=72, "ATTA";
    "Twitch token": lower, 30..=30, "oauth:";
    "Unkey key": alphanumeric, 20..=32, "unkey_";
    "VK token": dashed, 150..=400, "vk1.a.";
    "Weights & Biases key": word, 70..=100, "wandb_v1_";
    "WooCommerce secret": hex, 40..=40, "cs_";
    "Xata key": alphanumeric, 30..=48, "xau_";
    "Yandex key": dashed, 36..=36, "AQVN";
    "Yandex token": dashed, 50..=70, "y0_";
    "Yandex token": dotted, 150..=400, "t1.9eu";
    "YouTrack token": linked, 32..=120, "perm-" "perm:";
    "Wix key": dotted, 100..=1000, "IST.eyJ";
    "payment key": alphanumeric, 30..=40, "live_";
    "payment key": dashed, 40..=40, "live_";
    "Adafruit key": alphanumeric, 28..=28, "aio_";
    "Amazon token": hex_dashed, 36..=36, "amzn.mws.";
    "Anaconda token": dashed, 39..=39, "conda.anaconda.org/t/";
    "Confluent secret": alphanumeric, 60..=60, "cflt";
    "Defined Networking token": dashed, 79..=79, "dnkey-";
    "Frame.io token": dashed, 64..=64, "fio-u-";
    "Harness token": dotted, 68..=68, "pat.";
    "Make webhook": lower, 32..=32, "hook.eu1.make.com/" "hook.eu2.make.com/" "hook.us1.make.com/"
        "hook.us2.make.com/" "hook.integromat.com/";
    "QuickNode key": hex, 40..=40, "quiknode.pro/";
    "Scalingo token": dashed, 48..=48, "tk-us-";
    "Shopify token": hex, 32..=32, "shptka_";
    "extended private key": alphanumeric, 107..=107, "xprv" "yprv" "zprv" "tprv";
};

fn lower(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

fn hyphenated(b: u8) -> bool {
    alphanumeric(b) || b == b'-'
}

fn upper_word(b: u8) -> bool {
    upper(b) || b == b'_'
}

fn upper_dashed(b: u8) -> bool {
    upper(b) || b == b'-'
}

fn hex_dotted(b: u8) -> bool {
    hex(b) || b == b'.'
}

/// The number of an organisation, and behind the sign what lets in.
fn session(b: u8) -> bool {
    dotted(b) || b == b'!'
}

fn alphanumeric_dollar(b: u8) -> bool {
    alphanumeric(b) || b == b'$'
}

macro_rules! middles {
    ($($kind:literal: $holds:ident, $($middle:literal)*;)*) => {
        &[$($(Rule { kind: $kind, beginning: $middle, is_known: true, finds: Finds::One($holds) }),*),*]
    };
}

/// Those that are known by something in their middle.
pub(super) static MIDDLES: &[Rule] = middles! {
    "Telegram token": telegram, ":AA";
    "Terraform token": terraform, ".atlasv1.";
    "Mailchimp key": mailchimp, "-us1" "-us2" "-us3" "-us4" "-us5" "-us6" "-us7" "-us8" "-us9";
    "Azure client secret": azure, "0Q~" "1Q~" "2Q~" "3Q~" "4Q~" "5Q~" "6Q~" "7Q~" "8Q~" "9Q~";
    "Azure signature": signature, "sig=";
    "Teams webhook": teams, ".webhook.office.com/webhookb2/";
    "Azure registry password": azure_registry, "+ACR";
    "Azure function key": azure_function, ".azurewebsites.net/api/";
    "DeepL key": deepl, ":fx";
    "Firebase server key": firebase, ":APA91b";
    "Roblox cookie": roblox, "-items.|_";
    "IFTTT key": path_key, "ifttt.com/trigger/";
    "chat webhook": hook, "/hooks/";
    "Discord token": discord, ".";
    "Airtable token": airtable, ".";
    "Azure DevOps token": devops, "AZDO";
    "Azure AI key": azure_ai, "JQQJ99";
    "New Relic key": new_relic, "FFFFNRAL";
    "MaxMind key": maxmind, "_mmk";
    "Twitter token": twitter, "AAAAAAAAAAAAAAAAAAAAA";
};

/// `123456789:AA…`, the number of the bot before the secret.
fn telegram(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let number = word_before(text, start, 16, |b| b.is_ascii_digit());
    let exact = text[start..end] == *":AA" && (8..=11).contains(&number);
    let length = exact.then(|| run(text, end, dashed, 33..=33))??;
    Some(start - number..end + length)
}

fn terraform(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 20, alphanumeric);
    let length = run(text, end, linked, 60..=70).filter(|_| name == 14)?;
    Some(start - name..end + length)
}

/// Thirty-two hexadecimal digits, and the data center behind them.
fn mailchimp(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let key = word_before(text, start, 40, hex);
    let length = run(text, end, |b| b.is_ascii_digit(), 0..=1).filter(|_| key == 32)?;
    Some(start - key..end + length)
}

fn azure(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let letter = |b: u8| dotted(b) || b == b'~';
    let first = word_before(text, start, 8, letter);
    let exact = text[start..end].ends_with("Q~") && first == 3;
    let length = exact.then(|| run(text, end, letter, 31..=34))??;
    Some(start - first..end + length)
}

/// `&sig=…%3D` in the address of what is shared.
fn signature(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let asked = matches!(text.as_bytes()[..start].last(), Some(b'?' | b'&' | b';'));
    let length = letters_of(text, end, 128, |b| base64(b) || b == b'%');
    let value = &text[end..end + length];
    let padded = ["%3D", "%3d", "="].iter().any(|sign| value.ends_with(sign));
    if asked && padded && length >= 44 {
        return Some(start..end + length);
    }
    // Those of workflows have no sign at the end, and the version before them.
    let length = letters_of(text, end, 48, dashed);
    let versioned = behind(text, start).contains("&sv=1.0&");
    (asked && versioned && length == 43).then_some(start..end + length)
}

/// Who, when and proof, with a dot between; `start` is the first one's place.
fn discord(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let who = word_before(text, start, 32, dashed);
    // The sign of a line in a diff, or of a list, is no part of it.
    let who = text[start - who..start].trim_start_matches('-').len();
    let is_number = matches!(
        text.as_bytes()[start - who..start].first(),
        Some(b'M' | b'N' | b'O')
    );
    if !is_number || !(23..=28).contains(&who) || letters_of(text, end, 7, dashed) != 6 {
        return None;
    }
    let second = end + 6;
    let proof = letters_of(text, second + 1, 48, dashed);
    let closed = text.as_bytes()[second] == b'.' && (27..=40).contains(&proof);
    closed.then_some(start - who..second + 1 + proof)
}

/// `pat…`, and behind the dot 64 hexadecimal digits.
fn airtable(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 20, alphanumeric);
    let is_one = name == 17 && text[start - name..].starts_with("pat");
    let length = run(text, end, hex, 64..=64).filter(|_| is_one)?;
    Some(start - name..end + length)
}

fn devops(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 80, alphanumeric);
    let exact = text[start..end] == *"AZDO" && name == 76;
    let length = exact.then(|| run(text, end, alphanumeric, 4..=4))??;
    Some(start - name..end + length)
}

fn azure_ai(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 64, alphanumeric);
    let exact = text[start..end] == *"JQQJ99" && (30..=60).contains(&name);
    let length = exact.then(|| run(text, end, alphanumeric, 20..=40))??;
    Some(start - name..end + length)
}

fn new_relic(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = word_before(text, start, 40, hex);
    let exact = text[start..end] == *"FFFFNRAL" && (30..=36).contains(&name);
    exact.then_some(start - name..end)
}

/// Six letters and twenty-nine before the mark.
fn maxmind(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let key = word_before(text, start, 48, word);
    let is_key = key == 36 && text[start - key + 6..].starts_with('_');
    let ends = letters_of(text, end, 1, word) == 0 && text[start..end] == *"_mmk";
    (is_key && ends && switches(&text[start - key..start]) >= LEAST_SWITCHES)
        .then_some(start - key..end)
}

/// What a program bears that stands for itself: signs in it are written out, as data never is.
fn twitter(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_first = !continues(text, start) && text[start..end].bytes().all(|b| b == b'A');
    let length = is_first.then(|| run(text, end, |b| alphanumeric(b) || b == b'%', 60..=110))??;
    let value = &text[end..end + length];
    let is_written = ["%3D", "%2F", "%2B"]
        .iter()
        .any(|sign| value.contains(sign));
    is_written.then_some(start..end + length)
}

/// Forty-two letters, and six behind the mark.
fn azure_registry(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let first = word_before(text, start, 60, base64);
    let exact = text[start..end] == *"+ACR" && first == 42;
    let length = exact.then(|| run(text, end, alphanumeric, 6..=6))??;
    Some(start - first..end + length)
}

/// `?code=…==` in the address of a function.
fn azure_function(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let address = letters_of(text, end, 200, |b| b.is_ascii_graphic() && b != b'=');
    let asked = &text[end..end + address];
    let is_code = ["?code", "&code"].iter().any(|name| asked.ends_with(name));
    let at = end + address + 1;
    let length = is_code.then(|| letters_of(text, at, 80, |b| dashed(b) || base64(b)))?;
    (length >= 44).then_some(start..at + length)
}

/// A number as of a UUID before the mark.
fn deepl(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let number = word_before(text, start, 40, hex_dashed);
    let is_number = number == 36 && is_uuid(&text[start - number..start]);
    let ends = !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_number && ends).then_some(start - number..end)
}

/// The number of the project before the mark.
fn firebase(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let number = word_before(text, start, 16, dashed);
    let length = run(text, end, dashed, 120..=180).filter(|_| number == 11)?;
    Some(start - number..end + length)
}

/// What stands behind a warning not to share it.
fn roblox(text: &str, _: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 2048, alphanumeric);
    (length >= 100).then_some(end..end + length)
}

/// `…/with/key/…`
fn path_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = letters_of(text, end, 64, dashed);
    let at = end + name + "/with/key/".len();
    let is_key = text.get(end + name..at) == Some("/with/key/");
    let length = is_key.then(|| run(text, at, dashed, 20..=64))??;
    Some(start..at + length)
}

/// `https://host/hooks/…`: twenty-six small letters and digits, or two parts.
fn hook(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_host = behind(text, start).rsplit_once("://");
    let is_host = is_host.is_some_and(|(_, host)| host.bytes().all(|b| dotted(b) || b == b':'));
    let value = |at: usize, letters, lengths| {
        let length = run(text, at, letters, lengths)?;
        (switches(&text[at..at + length]) >= LEAST_SWITCHES).then_some(at + length)
    };
    let long = || value(end, lower, 26..=26);
    let second = || {
        let first = end + run(text, end, alphanumeric, 17..=24)?;
        let is_next = text[first..].starts_with('/');
        is_next.then(|| value(first + 1, alphanumeric, 40..=64))?
    };
    let last = is_host.then(|| long().or_else(second))??;
    Some(start..last)
}

fn teams(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = run(text, end, webhook, 100..=300)?;
    Some(start..end + length)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    const RANDOM: &str = "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9uQ5iO";
    const HEX: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
    const UUID: &str = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";

    #[test]
    #[expect(clippy::too_many_lines, reason = "a line for each service")]
    fn tokens_are_told_by_what_they_begin_with_and_by_their_length() {
        let (hex, small) = (HEX.repeat(3), RANDOM.to_ascii_lowercase().repeat(3));
        let (upper, long) = (small.to_ascii_uppercase(), RANDOM.repeat(10));
        for (kind, beginning, rest) in [
            (
                "GitHub token",
                "ghs_",
                &*format!("{}_eyJ{long}.{}", &RANDOM[..20], &long[..86]),
            ),
            ("GitLab token", "glrtr-", &RANDOM[..20]),
            ("Stripe key", "sk_org_live_", &long[..70]),
            ("Google OAuth token", "1//0", &long[..80]),
            ("Google HMAC key", "GOOG1", &upper[..56]),
            (
                "Akamai token",
                "akab-",
                &*format!("{}-{}", &small[..16], &small[16..32]),
            ),
            ("Amazon secret", "amzn1.oa2-cs.v1.", &hex[..64]),
            ("Amazon token", "Atzr|", &long[..300]),
            ("Axiom token", "xaat-", UUID),
            ("Brave key", "BSA", &RANDOM[..28]),
            (
                "ClickUp token",
                "pk_",
                &*format!("12345678_{}", &upper[..32]),
            ),
            ("Cloudflare token", "cfut_", &long[..48]),
            (
                "Docker token",
                "SWMTKN-1-",
                &*format!("{}-{}", &small[..50], &small[..25]),
            ),
            (
                "eBay secret",
                "PRD-",
                "0a1b2c3d4e5f-60718293-a4b5-c6d7-e8f9",
            ),
            ("ElevenLabs key", "sk_", &hex[..48]),
            (
                "Feishu webhook",
                "open.feishu.cn/open-apis/bot/v2/hook/",
                UUID,
            ),
            (
                "WeCom webhook",
                "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
                UUID,
            ),
            ("Honeybadger token", "hbp_", &RANDOM[..36]),
            ("Kaggle token", "KGAT_", HEX),
            ("LaunchDarkly key", "mob-", UUID),
            ("LinkedIn secret", "WPL_AP1.", "x9Kq2mZ7vB4nT1wY.8rL5pD=="),
            ("Loggly token", "loggly.com/inputs/", UUID),
            ("PubNub key", "sec-c-", &long[..48]),
            ("Razorpay key", "rzp_live_", &RANDOM[..14]),
            ("Riot key", "RGAPI-", UUID),
            ("RunPod key", "rpa_", &upper[..46]),
            ("Sourcegraph token", "slk_", &hex[..64]),
            ("Statsig key", "secret-", &long[..43]),
            ("Trello token", "ATTA", &hex[..72]),
            ("Twitch token", "oauth:", &small[..30]),
            ("Unkey key", "unkey_", &RANDOM[..22]),
            ("VK token", "vk1.a.", &long[..200]),
            ("Weights & Biases key", "wandb_v1_", &long[..80]),
            ("WooCommerce secret", "cs_", &hex[..40]),
            ("Xata key", "xau_", &RANDOM[..34]),
            ("Yandex key", "AQVN", &RANDOM[..36]),
            ("Yandex token", "y0_", &long[..56]),
            ("Yandex token", "t1.9eu", &long[..180]),
            (
                "YouTrack token",
                "perm-",
                "Ym9i=.OTItMQ==.RLuxqpabMneccy12PJgpFo3ZZxMeWJ",
            ),
            ("extended private key", "xprv", &long[..107]),
            ("Adafruit key", "aio_", &RANDOM[..28]),
            ("Amazon token", "amzn.mws.", UUID),
            (
                "Anaconda token",
                "https://conda.anaconda.org/t/",
                &*format!("te-{UUID}"),
            ),
            ("Confluent secret", "cflt", &long[..60]),
            ("Defined Networking token", "dnkey-", &long[..79]),
            ("Frame.io token", "fio-u-", &long[..64]),
            (
                "Harness token",
                "pat.",
                &*format!("{}.{}.{}", &RANDOM[..22], &hex[..24], &RANDOM[..20]),
            ),
            ("Make webhook", "https://hook.eu1.make.com/", &small[..32]),
            ("QuickNode key", "https://x.quiknode.pro/", &hex[..40]),
            ("Scalingo token", "tk-us-", &long[..48]),
            ("Shopify token", "shptka_", &hex[..32]),
            (
                "payment key",
                "live_",
                "x9Kq2mZ7vB4nT1wY8rL5-D3sF6gH0jC2aE9uQ5iO",
            ),
            (
                "Azure function key",
                "https://x.azurewebsites.net/api/f?code=",
                &*format!("{}==", &long[..54]),
            ),
            ("Wix key", "IST.eyJ", &long[..300]),
            ("payment key", "live_", &RANDOM[..32]),
            (
                "Roblox cookie",
                "_|WARNING:-DO-NOT-SHARE-THIS.--and-items.|_",
                &upper[..110],
            ),
            (
                "IFTTT key",
                "https://maker.ifttt.com/trigger/x/with/key/",
                &long[..43],
            ),
            (
                "chat webhook",
                "https://chat.example.org/hooks/",
                &small[..26],
            ),
            (
                "chat webhook",
                "https://chat.example.org/hooks/",
                &*format!("{}/{}", &RANDOM[..17], &long[..48]),
            ),
        ] {
            let text = format!("a {beginning}{rest} b");
            let kinds: Vec<_> = find(&text).iter().map(|secret| secret.kind).collect();
            assert_eq!(kinds, [kind], "{text}");
            let text = format!("a {beginning}{} b", &rest[..rest.len() / 8]);
            assert!(find(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_data_has_by_chance_is_no_token() {
        let long = RANDOM.repeat(10);
        for token in [
            format!("EAAA{}", &long[..60]),
            format!("EAA{}", &long[..120]),
        ] {
            let told = |text: &str| find(text).len();
            assert_eq!(told(&format!("a {token} b")), 1, "{token}");
            assert_eq!(told(&format!("https://x.org/{token}/me")), 1, "{token}");
            assert_eq!(told(&format!("{}/{token}=", &long[..80])), 0, "{token}");
            assert_eq!(told(&format!("\n{token}+{}\n", &long[..80])), 0, "{token}");
        }
    }

    #[test]
    fn tokens_are_told_by_what_is_in_their_middle() {
        let long = RANDOM.repeat(4);
        let registry = format!("{}+ACR{}", &long[..42], &RANDOM[..6]);
        let firebase = format!("AAAA{}:APA91b{}", &RANDOM[..7], &long[..134]);
        let twitter = format!("{}{}%3D{}", "A".repeat(21), &long[..30], &long[..40]);
        let workflow = format!("https://x.org/invoke?sp=a&sv=1.0&sig={}", &long[..43]);
        for (kind, text) in [
            ("Azure registry password", &*registry),
            ("Firebase server key", &*firebase),
            ("Azure signature", &*workflow),
            ("DeepL key", &*format!("{UUID}:fx")),
            ("MaxMind key", &*format!("x9Kq2m_{}_mmk", &long[..29])),
            ("Twitter token", &twitter),
        ] {
            let kinds: Vec<_> = find(text).iter().map(|secret| secret.kind).collect();
            assert_eq!(kinds, [kind], "{text}");
        }
        for text in [
            &registry[1..],
            &firebase[1..],
            &workflow.replace("1.0", "2.0"),
            &format!("{UUID}:fxmanifest"),
            &twitter.replace("%3D", "3D"),
            "an_entry_of_this_very_long_table_of_mmk",
            "a/hooks/0a1b2c3d4e5f6g7h8i9j0k1l2m",
            "https://x.org/hooks/abcdefghijklmnopqrstuvwxyz",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
