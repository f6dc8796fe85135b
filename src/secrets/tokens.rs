//! Tokens known by their beginnings, as the services publish them.

use super::escapes::continues;
use super::letters::{
    alphanumeric, base64, dashed, dotted, embedded, hex, hex_dashed, in_data, is_words, joined,
    linked, run, slashed, upper, webhook, word,
};
use super::values::switches;
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

/// Beginnings that names in programs have as well: after them, letters and digits must alternate
/// this often.
const LIKE_WORDS: &[&str] = &[
    "CG-",
    "mb_",
    "K000",
    "K001",
    "K002",
    "K003",
    "K004",
    "K005",
    "4b1d",
    "BSA",
    "secret-",
    "oauth:",
    "live_",
    "pat.",
    "sat.",
    "hawk.",
    "api_live.",
    "api_sandbox.",
    "secret-token:",
    "SUA",
    "SAA",
    "SOA",
    "SXA",
    "skey_",
    "dub_",
    "KEY0",
    "sk_",
];
pub(super) const LEAST_SWITCHES: usize = 4;

/// Each kind with its characters and how many of them follow a beginning.
pub(super) static TOKENS: &[Rule] = tokens! {
    "AWS access key": upper, 16..=16, "AKIA" "ASIA" "ABIA" "ACCA";
    "AWS Bedrock key": base64, 100..=300, "ABSK";
    "AWS Bedrock key": base64, 28..=2000, "bedrock-api-key-";
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
    "Replicate token": dashed, 37..=37, "r8_";
    "xAI key": word, 70..=90, "xai-";
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
    "Square secret": dashed, 43..=60, "sq0csp-" "sq0csb-";
    "Square token": dashed, 60..=60, "EAAA";
    "Facebook token": alphanumeric, 100..=400, "EAA";
    "DigitalOcean token": hex, 64..=64, "dop_v1_" "doo_v1_" "dor_v1_";
    "Vault token": dashed, 24..=300, "hvs." "hvb." "hvr.";
    "Databricks token": hex_dashed, 32..=34, "dapi";
    "Grafana token": word, 40..=50, "glsa_";
    "Grafana token": base64, 32..=400, "glc_";
    "Grafana token": base64, 70..=400, "eyJrIjoi";
    "New Relic key": upper, 27..=27, "NRAK-" "NRRA-";
    "New Relic key": hex, 19..=19, "NRBR-";
    "New Relic key": dashed, 19..=32, "NRII-" "NRJS-" "NRIQ-";
    "Sentry token": linked, 40..=400, "sntrys_";
    "Sentry token": hex, 64..=64, "sntryu_" "sntrya_";
    "Dynatrace token": dotted, 80..=100, "dt0c01." "dt0s01." "dt0s16.";
    "Postman key": dashed, 50..=64, "PMAK-";
    "Postman key": upper, 26..=26, "PMAT-";
    "Pulumi token": hex, 40..=40, "pul-";
    "Doppler token": alphanumeric, 40..=44, "dp.pt." "dp.sa." "dp.ct." "dp.scim." "dp.audit.";
    "PlanetScale token": linked, 32..=64, "pscale_tkn_" "pscale_pw_" "pscale_oauth_";
    "Neon key": alphanumeric, 60..=70, "napi_";
    "Linear key": alphanumeric, 40..=40, "lin_api_" "lin_oauth_";
    "Notion token": alphanumeric, 40..=60, "ntn_";
    "Notion token": alphanumeric, 43..=43, "secret_";
    "Figma token": dashed, 38..=64, "figd_" "figo_" "figp_";
    "Heroku key": dashed, 60..=60, "HRKU-";
    "Heroku key": hex_dashed, 36..=36, "HRKU-";
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
    "1Password token": linked, 200..=1200, "ops_eyJ";
    "1Password key": upper_dashed, 36..=37, "A3-";
    "age secret key": upper, 58..=58, "AGE-SECRET-KEY-1";
    "Sui private key": alphanumeric, 59..=59, "suiprivkey1";
    "ServerChan key": alphanumeric, 28..=40, "ftqq.com/SCT" "ftqq.com/SCU";
    "Bark key": alphanumeric, 22..=22, "api.day.app/";
    "OpenShift token": dashed, 43..=43, "sha256~";
    "Sourcegraph token": word, 40..=64, "sgp_";
    "Contentful token": dashed, 43..=43, "CFPAT-";
    "EasyPost key": alphanumeric, 54..=54, "EZAK" "EZTK";
    "Prefect token": alphanumeric, 36..=36, "pnu_";
    "Readme key": lower, 70..=70, "rdme_";
    "Shippo token": hex, 40..=40, "shippo_live_" "shippo_test_";
    "Duffel token": linked, 43..=43, "duffel_live_" "duffel_test_";
    "Typeform token": linked, 40..=59, "tfp_";
    "Flutterwave key": hyphenated, 12..=34, "FLWSECK-" "FLWSECK_TEST-";
    "Octopus key": upper, 26..=26, "API-";
    "Tailscale key": dashed, 20..=80, "tskey-auth-" "tskey-api-" "tskey-client-";
    "Infracost key": alphanumeric, 32..=32, "ico-";
    "Sonar token": hex, 40..=40, "squ_" "sqp_" "sqa_";
    "LaunchDarkly key": hex_dashed, 36..=36, "sdk-";
    "PostHog key": word, 40..=64, "phx_" "phr_" "pha_";
    "Mapbox token": dotted, 60..=200, "sk.eyJ" "tk.eyJ";
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
    "LlamaCloud key": dashed, 48..=52, "llx-";
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
    "Deno token": alphanumeric, 36..=40, "ddp_" "ddo_" "ddw_";
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
    "AWS session token": base64, 200..=1200, "IQoJb3JpZ2luX2Vj" "FwoGZXIvYXdzE";
    "Cloudflare token": base64, 140..=260, "eyJhIjoi";
    "ClickHouse key": alphanumeric, 38..=38, "4b1d";
    "Doppler token": dotted, 40..=90, "dp.cli." "dp.st.";
    "GitLab token": dotted, 20..=320, "glwt-";
    "GitLab session": hex, 32..=32, "_gitlab_session=";
    "Harness token": dotted, 68..=68, "sat.";
    "Prefect token": alphanumeric, 36..=36, "pnb_";
    "Slack webhook": slashed, 30..=90, "hooks.slack-gov.com/services/T";
    "Teams webhook": webhook, 100..=300, "outlook.office.com/webhook/";
    "Discord user token": dashed, 84..=84, "mfa.";
    "Yandex key": dashed, 37..=37, "YCM" "YCN" "YCO" "YCP";
    "CoinGecko key": alphanumeric, 24..=24, "CG-";
    "Endor Labs key": alphanumeric, 16..=16, "endr+";
    "Ramp secret": alphanumeric, 48..=48, "ramp_sec_";
    "Persona key": hex_dashed, 36..=36, "persona_production_" "persona_sandbox_";
    "Rootly token": hex, 64..=64, "rootly_";
    "SaladCloud key": word, 30..=240, "salad_cloud_";
    "Voiceflow key": dotted, 41..=41, "VF." "VF.DM." "VF.WS.";
    "Flexport token": dashed, 40..=40, "shltm_";
    "Metabase key": base64, 43..=44, "mb_";
    "Scrapfly key": hex, 32..=32, "scp-live-" "scp-test-";
    "TruffleHog key": hex, 32..=32, "thog-agent-" "thog-secret-";
    "Chromatic token": hex, 12..=16, "chpt_";
    "Depot token": hex, 64..=64, "depot_org_" "depot_project_" "depot_user_";
    "CockroachDB key": word, 60..=70, "CCDB1_";
    "Aiven password": dashed, 19..=19, "AVNS_";
    "Aiven token": base64, 60..=400, "aivenv1";
    "UpCloud token": upper, 26..=26, "ucat_";
    "Tigris secret": dashed, 60..=70, "tsec_";
    "Backblaze key": base64, 27..=27, "K000" "K001" "K002" "K003" "K004" "K005";
    "Snyk token": dotted, 50..=100, "snyk_uat." "snyk_sat.";
    "Socket key": dashed, 40..=80, "sktsec_";
    "StackHawk key": dotted, 41..=41, "hawk.";
    "Elastic key": base64, 60..=120, "essu_";
    "Anyscale secret": alphanumeric, 26..=40, "esecret_";
    "Cartesia key": alphanumeric, 20..=24, "sk_car_";
    "Browserbase key": dashed, 27..=40, "bb_live_";
    "Mem0 key": alphanumeric, 40..=40, "m0-";
    "Letta key": base64, 60..=120, "sk-let-";
    "OneSignal key": lower, 90..=120, "os_v2_app_" "os_v2_org_";
    "PostHog key": alphanumeric, 40..=60, "phs_";
    "ConfigCat key": linked, 45..=45, "configcat-sdk-1/";
    "GrowthBook secret": alphanumeric, 40..=60, "secret_admin_" "secret_user_" "secret_readonly_";
    "Ory token": dotted, 32..=200, "ory_pat_" "ory_at_" "ory_rt_" "ory_st_";
    "GitBook token": alphanumeric, 40..=48, "gb_api_";
    "Checkout.com key": lower, 26..=28, "sk_sbox_";
    "Brex token": alphanumeric, 40..=48, "bxt_";
    "secret token": linked, 16..=200, "secret-token:";
    "Xendit key": alphanumeric, 40..=80, "xnd_production_" "xnd_development_";
    "Midtrans key": dashed, 24..=32, "Mid-server-";
    "Omise key": lower, 19..=19, "skey_" "skey_test_" "skey_live_";
    "Asaas key": linked, 100..=400, "aact_prod_" "aact_hmlg_";
    "Mercado Pago token": dashed, 60..=90, "APP_USR-";
    "Telnyx key": word, 53..=56, "KEY0";
    "MailerSend token": hex, 64..=64, "mlsn.";
    "Klaviyo key": hex, 34..=34, "pk_";
    "Canva secret": dashed, 40..=60, "cnvca";
    "Censys token": word, 33..=33, "censys_";
    "Modrinth token": alphanumeric, 60..=60, "mrp_";
    "Open VSX token": hex_dashed, 36..=36, "ovsxat_" "ovsxp_";
    "Pagar.me key": alphanumeric, 30..=30, "ak_live_";
    "Onfido token": dotted, 40..=50, "api_live." "api_sandbox.";
    "Salesforce token": linked, 60..=120, "5Aep861";
    "Nightfall key": alphanumeric, 32..=32, "NF-";
    "Buildkite token": alphanumeric, 40..=80, "bkct_" "bkaj_";
    "Supabase key": hex, 40..=40, "sbp_oauth_" "sbp_v0_";
    "Tailscale key": dashed, 20..=80, "tskey-webhook-" "tskey-scim-";
    "n8n key": hex, 80..=160, "n8n_api_";
    "Bitrise token": dashed, 60..=120, "bitpat_" "bitwat_";
    "Dub key": alphanumeric, 24..=24, "dub_";
    "Nomic key": dashed, 43..=43, "nk-";
    "Knock key": dashed, 43..=43, "sk_";
    "Nostr key": lower, 58..=58, "nsec1";
    "Docker token": linked, 43..=44, "SWMKEY-1-";
    "NetBird token": alphanumeric, 36..=36, "nbp_";
    "dbt token": dashed, 36..=60, "dbtc_" "dbtu_";
    "Retool token": lower, 26..=26, "retool_";
    "Pinterest token": upper, 60..=120, "pina_";
    "Instagram token": alphanumeric, 100..=400, "IGQVJ" "IGQW" "IGAA" "THAA";
    "eBay token": ebay, 100..=1200, "v^1.1#i^1#";
    "Revolut token": dashed, 43..=43, "oa_prod_" "oa_sand_";
    "Ankr key": slashed, 66..=100, "rpc.ankr.com/";
    "Bitbucket token": base64, 40..=48, "BBDC-";
    "CircleCI token": word, 50..=80, "CCIPRJ_";
    "Context7 key": hex_dashed, 36..=36, "ctx7sk-";
    "Daytona key": hex, 64..=64, "dtn_";
    "Dependency-Track key": alphanumeric, 32..=255, "odt_";
    "Fleetbase key": alphanumeric, 20..=20, "flb_live_";
    "Klarna key": linked, 40..=300, "klarna_live_api_" "klarna_test_api_";
    "Logfire token": alphanumeric, 40..=48, "pylf_v1_us_" "pylf_v1_eu_";
    "Matrix token": word, 30..=120, "syt_";
    "Netlify token": alphanumeric, 36..=40, "nfc_" "nfo_" "nfu_" "nfb_";
    "PayPal token": alphanumeric_dollar, 40..=80, "access_token$sandbox$";
    "Ubidots token": alphanumeric, 30..=30, "BBFF-";
    "Zuplo key": word, 41..=41, "zpka_";
    "Apideck key": dashed, 93..=93, "sk_live_";
    "Bannerbear key": hex, 30..=30, "bb_pr_" "bb_ma_";
    "Convex key": base64, 60..=400, "eyJ2MiI6I";
    "Cosmo key": hex, 32..=32, "cosmo_";
    "Fullstory key": base64, 100..=100, "na1.";
    "NATS seed": base32, 55..=55, "SUA" "SAA" "SOA" "SXA";
    "NTLM response": base64, 80..=2000, "TlRMTVNTUAADAAAA";
    "Robinhood key": hex_dashed, 36..=36, "rh-api-";
    "Sonar token": alphanumeric, 59..=59, "sqco_";
    "Zoho token": hex_dotted, 65..=65, "1000.";
    "AppSync key": lower, 26..=26, "da2-";
    "New Relic key": hex, 27..=27, "NRAA-";
    "New Relic key": hex, 42..=42, "NRRA-";
    "Pixie key": hex_dashed, 36..=36, "px-api-" "px-dep-";
    "TeamCity token": linked, 60..=400, "eyJ0eXAiOiAiVENWMiJ9.";
    "Teamwork token": base64, 76..=80, "tkn.v1_";
    "JSON web token": base64, 80..=2000, "ZXlKaGJHY2lPaU" "ZXlKMGVYQWlPaU" "ZXlKcmFXUWlPaU";
};

pub(super) fn lower(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

fn base32(b: u8) -> bool {
    b.is_ascii_uppercase() || matches!(b, b'2'..=b'7')
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

/// The characters of a user's bearer token, in parts with separators.
fn ebay(b: u8) -> bool {
    linked(b) || matches!(b, b'^' | b'#')
}

fn hex_dotted(b: u8) -> bool {
    hex(b) || b == b'.'
}

/// The characters of an organisation's number and, after the separator, of the token.
fn session(b: u8) -> bool {
    dotted(b) || b == b'!'
}

fn alphanumeric_dollar(b: u8) -> bool {
    alphanumeric(b) || b == b'$'
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::samples::{HEX, RANDOM, UUID};

    const BASE32: &str = "X7K2QZ4VB6NTAWY3RL5PD5SF2GH7JC4E";

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
    #[expect(clippy::too_many_lines, reason = "a line for each service")]
    fn tokens_of_smaller_services_are_told_too() {
        let (hex, small) = (HEX.repeat(3), RANDOM.to_ascii_lowercase().repeat(4));
        let (upper, long) = (small.to_ascii_uppercase(), RANDOM.repeat(10));
        for (beginning, rest) in [
            ("IQoJb3JpZ2luX2Vj", &*long),
            ("4b1d", &long[..38]),
            ("dp.st.dev.", &long[..43]),
            ("glwt-", &long[..20]),
            ("_gitlab_session=", HEX),
            ("hooks.slack-gov.com/services/T", &long[..40]),
            ("YCP", &long[..37]),
            ("CG-", &long[..24]),
            ("endr+", &long[..16]),
            ("persona_production_", UUID),
            ("mb_", &long[..43]),
            ("chpt_", &hex[..15]),
            ("CCDB1_", &long[..63]),
            ("AVNS_", &long[..19]),
            ("ucat_", &upper[..26]),
            ("K001", &long[..27]),
            ("snyk_uat.", &long[..70]),
            ("hawk.", &*format!("{}.{}", &long[..20], &long[..20])),
            ("essu_", &long[..76]),
            ("os_v2_app_", &small[..96]),
            ("ory_at_", &*format!("{}.{}", &long[..43], &long[..43])),
            ("secret-token:", &long[..40]),
            ("SB-Mid-server-", &long[..24]),
            ("skey_", &small[..19]),
            ("$aact_prod_000", &long[..160]),
            (
                "APP_USR-",
                "1234567890123456-010203-0a1b2c3d4e5f60718293a4b5c6d7e8f9-123456789",
            ),
            ("KEY0", &*format!("{}_{}", &upper[..31], &long[..22])),
            ("mlsn.", &hex[..64]),
            ("pk_", &hex[..34]),
            ("censys_", &*format!("{}_{}", &long[..8], &long[..24])),
            ("ovsxat_", UUID),
            ("api_live.", &*format!("{}.{}", &long[..11], &long[..32])),
            ("n8n_api_", &hex[..80]),
            ("sk_", "x9Kq2mZ7vB4nT1wY8rL5-D3sF6gH0jC2aE9uQ5iO123"),
            ("nsec1", &small[..58]),
            ("suiprivkey1", &small[..59]),
            ("https://sctapi.ftqq.com/SCT", &long[..33]),
            ("https://api.day.app/", &long[..22]),
            ("SWMKEY-1-", &long[..43]),
            ("dbtc_", &long[..40]),
            ("retool_", &small[..26]),
            ("IGAA", &long[..150]),
            ("v^1.1#i^1#f^0#r^0#p^3#I^3#t^H4s", &*long),
            ("rpc.ankr.com/eth/", &hex[..64]),
            ("BBDC-", &long[..44]),
            ("CCIPRJ_", &*format!("{}_{}", &long[..22], &hex[..40])),
            ("ctx7sk-", UUID),
            ("dtn_", &hex[..64]),
            ("odt_", &long[..40]),
            ("flb_live_", &long[..20]),
            ("klarna_live_api_", &long[..88]),
            ("pylf_v1_us_", &long[..44]),
            ("syt_", &*format!("Ym9i_{}_{}", &long[..20], &long[..6])),
            ("nfc_", &long[..36]),
            (
                "access_token$sandbox$",
                &*format!("{}${}", &small[..16], &hex[..32]),
            ),
            ("BBFF-", &long[..30]),
            ("zpka_", &*format!("{}_{}", &hex[..32], &hex[..8])),
            ("HRKU-", &long[..60]),
            ("HRKU-", UUID),
            (
                "llx-",
                &*format!("{}-{}_{}", &long[..20], &long[..20], &long[..7]),
            ),
            ("NRBR-", &hex[..19]),
            ("phr_", &long[..45]),
            ("pha_", &long[..57]),
            ("PMAT-", &upper[..26]),
            ("sbp_v0_", &hex[..40]),
            ("bedrock-api-key-", &long[..120]),
            ("tk.eyJ", &long[..80]),
            ("ddw_", &long[..36]),
            ("figp_", &long[..40]),
            ("sq0csb-", &long[..43]),
            ("VF.", &*format!("{}.{}", &hex[..24], &long[..16])),
            ("salad_cloud_acme_", &long[..60]),
            ("thog-secret-", &hex[..32]),
            ("sk_live_", &*format!("{}-{}", &long[..50], &long[..42])),
            ("bb_pr_", &hex[..30]),
            ("eyJ2MiI6I", &long[..90]),
            ("cosmo_", &hex[..32]),
            ("na1.", &long[..100]),
            ("SUA", &*format!("K7Q2{}", &BASE32.repeat(2)[..51])),
            ("TlRMTVNTUAADAAAA", &long[..200]),
            ("rh-api-", UUID),
            ("sqco_", &long[..59]),
            ("1000.", &*format!("{}.{}", &hex[..32], &hex[..32])),
            ("ZXlKaGJHY2lPaU", &long[..200]),
            ("da2-", &small[..26]),
            ("NRAA-", &hex[..27]),
            ("NRRA-", &hex[..42]),
            ("px-api-", UUID),
            ("phx_", &*format!("{}_{}", &long[..20], &long[..22])),
            (
                "eyJ0eXAiOiAiVENWMiJ9.",
                &*format!("{}.{}", &long[..40], &long[..48]),
            ),
            ("tkn.v1_", &long[..76]),
        ] {
            let text = format!("a {beginning}{rest} b");
            assert_eq!(find(&text).len(), 1, "{text}");
            let text = format!("a {beginning}{} b", &rest[..rest.len() / 8]);
            assert!(find(&text).is_empty(), "{text}");
        }
        for text in [
            "skey_initializationvector",
            "sk_the-name-of-something-that-is-very-long-ok",
            "hawk.authenticate.with_the_scheme_of_the_many",
        ] {
            assert!(find(text).is_empty(), "{text}");
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
}
