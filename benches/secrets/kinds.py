"""Makes secrets of each kind, by chance, and the texts that they stand in.

Nothing here was ever valid. What a token looks like is what its service publishes.
"""

import base64
import string
from urllib.parse import quote

DIGITS = string.digits
LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
HEX = DIGITS + "abcdef"
ALNUM = string.ascii_letters + DIGITS
BASE36 = LOWER + DIGITS
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
BASE32 = UPPER + "234567"
SIGNS = "!#%^&*()@$-_+=?~"


class Chance:
    """Letters by chance, always the same for the same seed."""

    def __init__(self, random):
        self.random = random

    def of(self, letters, least, most=None):
        return "".join(self.random.choice(letters) for _ in range(self.random.randint(least, most or least)))

    def one(self, *choices):
        return self.random.choice(choices)

    def uuid(self):
        return "-".join(self.of(HEX, length) for length in (8, 4, 4, 4, 12))

    def mixed(self, letters, least, most=None):
        """With a digit, a small and a capital letter, as forms ask for."""
        while True:
            made = self.of(letters, least, most)
            if any(c.isdigit() for c in made) and any(c.islower() for c in made) and any(c.isupper() for c in made):
                return made

    def encoded(self, *texts):
        return base64.b64encode("".join(texts).encode()).decode()

    def web(self, text):
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def web_token(c):
    head = c.one('{"alg":"HS256","typ":"JWT"}', '{"typ":"JWT","alg":"RS256"}', '{"alg":"ES256","kid":"%s"}' % c.of(HEX, 8))
    body = '{"sub":"%s","name":"%s","iat":%s}' % (c.of(DIGITS, 10), c.of(LOWER, 4, 9), c.of("123456789", 10))
    return f"{c.web(head)}.{c.web(body)}.{c.of(URLSAFE, 43)}"


def discord(c):
    return f"{c.web(c.one('1', '2', '3', '9') + c.of(DIGITS, 17, 18))}.{c.one('G', 'X', 'Y')}{c.of(URLSAFE, 5)}.{c.of(URLSAFE, 27)}{c.one('', c.of(URLSAFE, 11))}"


# What is known by its form alone.
TOKENS = {
    "AWS access key": lambda c: c.one("AKIA", "ASIA") + c.of(BASE32, 16),
    "GitHub token": lambda c: c.one("ghp_", "gho_", "ghu_", "ghs_", "ghr_") + c.of(ALNUM, 36),
    "GitHub fine-grained": lambda c: "github_pat_" + c.of(ALNUM, 22) + "_" + c.of(ALNUM, 59),
    "GitLab token": lambda c: c.one("glpat-", "gldt-", "glrt-", "glft-") + c.of(URLSAFE, 20),
    "Slack token": lambda c: c.one("xoxb", "xoxp") + f"-{c.of(DIGITS, 11, 12)}-{c.of(DIGITS, 12)}-{c.of(ALNUM, 24)}",
    "Slack app token": lambda c: f"xapp-1-A{c.of(UPPER + DIGITS, 10)}-{c.of(DIGITS, 13)}-{c.of(HEX, 64)}",
    "Slack webhook": lambda c: f"https://hooks.slack.com/services/T{c.of(UPPER + DIGITS, 8, 10)}/B{c.of(UPPER + DIGITS, 8, 10)}/{c.of(ALNUM, 24)}",
    "Discord token": discord,
    "Discord webhook": lambda c: f"https://{c.one('discord', 'discordapp')}.com/api/webhooks/{c.of(DIGITS, 18)}/{c.of(URLSAFE, 68)}",
    "Teams webhook": lambda c: f"https://{c.of(LOWER, 6)}.webhook.office.com/webhookb2/{c.uuid()}@{c.uuid()}/IncomingWebhook/{c.of(HEX, 32)}/{c.uuid()}",
    "Telegram token": lambda c: c.of("123456789", 1) + c.of(DIGITS, 8, 9) + ":AA" + c.of(URLSAFE, 33),
    "Stripe key": lambda c: c.one("sk_live_", "rk_live_", "sk_test_") + c.of(ALNUM, 24, 99),
    "Stripe webhook": lambda c: "whsec_" + c.of(ALNUM, 32),
    "Google API key": lambda c: "AIza" + c.of(URLSAFE, 35),
    "Google OAuth secret": lambda c: "GOCSPX-" + c.of(URLSAFE, 28),
    "Google OAuth token": lambda c: "ya29." + c.of(URLSAFE, 60, 120),
    "OpenAI key": lambda c: "sk-" + c.of(ALNUM, 20) + "T3BlbkFJ" + c.of(ALNUM, 20),
    "OpenAI project key": lambda c: c.one("sk-proj-", "sk-svcacct-", "sk-admin-") + c.of(URLSAFE, 74) + "T3BlbkFJ" + c.of(URLSAFE, 74),
    "Anthropic key": lambda c: c.one("sk-ant-api03-", "sk-ant-admin01-") + c.of(URLSAFE, 93) + "AA",
    "Hugging Face token": lambda c: "hf_" + c.of(string.ascii_letters, 34),
    "Groq key": lambda c: "gsk_" + c.of(ALNUM, 52),
    "Perplexity key": lambda c: "pplx-" + c.of(ALNUM, 48),
    "Replicate token": lambda c: "r8_" + c.of(ALNUM, 37),
    "xAI key": lambda c: "xai-" + c.of(ALNUM, 80),
    "npm token": lambda c: "npm_" + c.of(ALNUM, 36),
    "PyPI token": lambda c: "pypi-AgEIcHlwaS5vcmc" + c.of(URLSAFE, 150),
    "RubyGems key": lambda c: "rubygems_" + c.of(HEX, 48),
    "NuGet key": lambda c: "oy2" + c.of(BASE36, 43),
    "crates.io token": lambda c: "cio" + c.of(ALNUM, 32),
    "Clojars token": lambda c: "CLOJARS_" + c.of(HEX, 60),
    "Docker Hub token": lambda c: "dckr_pat_" + c.of(URLSAFE, 27),
    "Twilio key": lambda c: "SK" + c.of(HEX, 32),
    "SendGrid key": lambda c: f"SG.{c.of(URLSAFE, 22)}.{c.of(URLSAFE, 43)}",
    "Mailgun key": lambda c: "key-" + c.of(HEX, 32),
    "Mailchimp key": lambda c: c.of(HEX, 32) + "-us" + c.of("123456789", 1, 2),
    "Brevo key": lambda c: f"xkeysib-{c.of(HEX, 64)}-{c.of(ALNUM, 16)}",
    "Shopify token": lambda c: c.one("shpat_", "shpca_", "shppa_", "shpss_") + c.of(HEX, 32),
    "Square token": lambda c: c.one("sq0atp-" + c.of(URLSAFE, 22), "sq0csp-" + c.of(URLSAFE, 43), "EAAA" + "E" + c.of(URLSAFE, 59)),
    "Facebook token": lambda c: c.one("EAAM", "EAAC") + c.of(ALNUM, 160),
    "DigitalOcean token": lambda c: c.one("dop_v1_", "doo_v1_", "dor_v1_") + c.of(HEX, 64),
    "Vault token": lambda c: c.one("hvs." + c.of(URLSAFE, 95), "hvb." + c.of(URLSAFE, 150)),
    "Terraform token": lambda c: f"{c.of(ALNUM, 14)}.atlasv1.{c.of(URLSAFE, 67)}",
    "Databricks token": lambda c: "dapi" + c.of(HEX, 32),
    "Grafana token": lambda c: c.one(f"glsa_{c.of(ALNUM, 32)}_{c.of(HEX, 8)}", "glc_" + c.of(BASE64, 60)),
    "New Relic key": lambda c: c.one("NRAK-" + c.of(UPPER + DIGITS, 27), "NRII-" + c.of(URLSAFE, 32)),
    "Sentry token": lambda c: c.one("sntryu_" + c.of(HEX, 64), "sntrys_" + c.web('{"iat":%s.5,"url":"https://sentry.io"}' % c.of(DIGITS, 10)) + "_" + c.of(BASE64, 43)),
    "Dynatrace token": lambda c: f"dt0c01.{c.of(BASE32, 24)}.{c.of(BASE32, 64)}",
    "Postman key": lambda c: f"PMAK-{c.of(HEX, 24)}-{c.of(HEX, 34)}",
    "Pulumi token": lambda c: "pul-" + c.of(HEX, 40),
    "Doppler token": lambda c: "dp.pt." + c.of(ALNUM, 43),
    "PlanetScale password": lambda c: c.one("pscale_pw_", "pscale_tkn_", "pscale_oauth_") + c.of(URLSAFE, 43),
    "Linear key": lambda c: "lin_api_" + c.of(ALNUM, 40),
    "Notion token": lambda c: c.one("ntn_" + c.of(DIGITS, 11) + c.of(ALNUM, 35), "secret_" + c.of(ALNUM, 43)),
    "Figma token": lambda c: "figd_" + c.of(URLSAFE, 40),
    "Airtable token": lambda c: f"pat{c.of(ALNUM, 14)}.{c.of(HEX, 64)}",
    "Atlassian token": lambda c: "ATATT3xFfGF0" + c.of(URLSAFE, 180),
    "Bitbucket app password": lambda c: "ATBB" + c.of(ALNUM, 32),
    "Heroku key": lambda c: "HRKU-AA" + c.of(URLSAFE, 58),
    "Fly.io token": lambda c: c.one("fm2_" + c.of(BASE64, 140), "fo1_" + c.of(URLSAFE, 43)),
    "Supabase key": lambda c: c.one("sbp_" + c.of(HEX, 40), "sb_secret_" + c.of(URLSAFE, 31)),
    "Cloudflare origin key": lambda c: f"v1.0-{c.of(HEX, 24)}-{c.of(HEX, 146)}",
    "Alibaba key": lambda c: "LTAI" + c.of(ALNUM, 20),
    "Tencent key": lambda c: "AKID" + c.of(ALNUM, 32),
    "Azure client secret": lambda c: c.of(ALNUM, 3) + c.one("7", "8") + "Q~" + c.of(ALNUM + "~._-", 34),
    "Azure storage key": lambda c: f"DefaultEndpointsProtocol=https;AccountName={c.of(LOWER, 8)};AccountKey={c.of(BASE64, 86)}==;EndpointSuffix=core.windows.net",
    "Azure SAS": lambda c: f"https://{c.of(LOWER, 8)}.blob.core.windows.net/c/f?sv=2022-11-02&se=2026-01-01&sp=r&sig={c.of(ALNUM, 43)}%3D",
    "Artifactory key": lambda c: "AKCp" + c.of(ALNUM, 69),
    "1Password token": lambda c: c.one("ops_eyJ" + c.of(ALNUM, 260), f"A3-{c.of(UPPER + DIGITS, 6)}-{c.of(UPPER + DIGITS, 11)}-{c.of(UPPER + DIGITS, 5)}-{c.of(UPPER + DIGITS, 5)}-{c.of(UPPER + DIGITS, 5)}"),
    "age key": lambda c: "AGE-SECRET-KEY-1" + c.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "OpenShift token": lambda c: "sha256~" + c.of(URLSAFE, 43),
    "Sourcegraph token": lambda c: f"sgp_{c.of(HEX, 16)}_{c.of(HEX, 40)}",
    "Contentful token": lambda c: "CFPAT-" + c.of(URLSAFE, 43),
    "EasyPost key": lambda c: c.one("EZAK", "EZTK") + c.of(ALNUM, 54),
    "Prefect token": lambda c: "pnu_" + c.of(ALNUM, 36),
    "Readme key": lambda c: "rdme_" + c.of(BASE36, 70),
    "Shippo token": lambda c: "shippo_live_" + c.of(HEX, 40),
    "Duffel token": lambda c: "duffel_live_" + c.of(URLSAFE, 43),
    "Typeform token": lambda c: "tfp_" + c.of(URLSAFE, 59),
    "Flutterwave key": lambda c: f"FLWSECK-{c.of(HEX, 32)}-X",
    "DeepSeek key": lambda c: "sk-" + c.of(HEX, 32),
    "Together key": lambda c: "tgp_v1_" + c.of(URLSAFE, 43),
    "Fireworks key": lambda c: "fw_3" + c.of(ALNUM, 21, 23),
    "Firecrawl key": lambda c: "fc-" + c.of(HEX, 32),
    "Cerebras key": lambda c: "csk-" + c.of(BASE36, 48),
    "Voyage key": lambda c: "pa-" + c.of(URLSAFE, 43),
    "Gemini key": lambda c: "AQ.Ab8RN6" + c.of(URLSAFE, 44),
    "Cursor key": lambda c: "key_" + c.of(HEX, 64),
    "LlamaCloud key": lambda c: "llx-" + c.of(ALNUM, 48),
    "Modal secret": lambda c: c.one("ak-", "as-") + c.of(ALNUM, 22),
    "Resend key": lambda c: f"re_{c.of(ALNUM, 8)}_{c.of(ALNUM, 24)}",
    "Vercel token": lambda c: c.one("vcp_" + c.of(ALNUM, 56), f"vercel_blob_rw_{c.of(ALNUM, 16)}_{c.of(ALNUM, 30)}"),
    "Honeycomb key": lambda c: "hcaik_01" + c.of(BASE36, 56),
    "Infisical token": lambda c: f"st.{c.of(HEX, 24)}.{c.of(HEX, 32)}.{c.of(HEX, 32)}",
    "Paddle key": lambda c: f"pdl_live_apikey_01{c.of(BASE36, 24)}_{c.of(ALNUM, 22)}_{c.of(ALNUM, 3)}",
    "Polar token": lambda c: "polar_oat_" + c.of(ALNUM, 43),
    "HubSpot token": lambda c: "pat-na1-" + c.uuid(),
    "Apify token": lambda c: "apify_api_" + c.of(ALNUM, 36),
    "Salesforce token": lambda c: f"00D{c.of(ALNUM, 12)}!{c.of(ALNUM + '._', 96)}",
    "Azure DevOps token": lambda c: f"{c.of(ALNUM, 76)}AZDO{c.of(ALNUM, 4)}",
    "Azure AI key": lambda c: f"{c.of(ALNUM, 52)}JQQJ99{c.of(ALNUM, 26)}",
    "New Relic license": lambda c: c.of(HEX, 32) + "FFFFNRAL",
    "Heroku OAuth key": lambda c: "HRKU-" + c.uuid(),
    "LlamaCloud key with signs": lambda c: "llx-" + c.of(ALNUM, 47) + c.one("-", "_") + c.of(ALNUM, 1),
    "New Relic browser key": lambda c: "NRBR-" + c.of(HEX, 19),
    "New Relic mobile token": lambda c: f"AA{c.of(HEX, 40)}-NRMA",
    "PostHog OAuth token": lambda c: c.one("phr_", "pha_") + c.of(ALNUM, 45, 57),
    "Postman access token": lambda c: "PMAT-" + c.of(UPPER + DIGITS, 26),
    "Supabase access token": lambda c: "sbp_v0_" + c.of(HEX, 40),
    "Cosmo key": lambda c: "cosmo_" + c.of(HEX, 32),
    "NATS seed": lambda c: c.one("SUA", "SAA", "SOA") + c.of(BASE32, 55),
    "Fullstory key": lambda c: "na1." + c.of(ALNUM, 100),
    "Zoho token": lambda c: f"1000.{c.of(HEX, 32)}.{c.of(HEX, 32)}",
    "Bannerbear key": lambda c: c.one("bb_pr_", "bb_ma_") + c.of(HEX, 30),
    "Sonar organization token": lambda c: "sqco_" + c.of(ALNUM, 59),
    "Tines webhook": lambda c: f"https://{c.of(LOWER, 6)}.tines.com/webhook/{c.of(BASE36, 32)}/{c.of(BASE36, 32)}",
    "web token": web_token,
    "AWS key in a long line": lambda c: c.of(LOWER, 9_000, 10_000) + "AKIA" + c.of(BASE32, 16) + c.of(LOWER, 9_000, 10_000),
}

# Where a token may stand. `%s` is the token.
AROUND_TOKENS = {
    "env": "MODE=production\nSERVICE_CREDENTIAL_A=%s\nPORT=80\n",
    "export": 'set -e\nexport SERVICE_CONF="%s"\n',
    "YAML": "service:\n  name: web\n  value: %s\n",
    "JSON": '{\n  "name": "web",\n  "value": "%s",\n  "port": 80\n}\n',
    "assigned in Python": "import os\ntoken = '%s'\n",
    "assigned in Rust": 'fn main() {\n    let api_key: &str = "%s";\n}\n',
    "assigned in Go": 'package a\n\nvar authToken = "%s"\n',
    "call": "const a = require('a');\na.connect('%s', { retry: true });\n",
    "URL": "curl https://example.org/v1/items?key=%s&limit=10\n",
    "comment": "int a;\n// for the tests use %s until friday\n",
    "alone": "%s\n",
    "Markdown": "Set it up:\n\n- the value is `%s`.\n",
    "XML": '<configuration>\n  <add name="a" value="%s" />\n</configuration>\n',
    "minified": '!function(){var a={b:1,c:"%s",d:[]};e(a)}();\n',
    "diff": "@@ -1 +1 @@\n-  value: x\n+  value: %s\n",
    "escaped": 'body = "{\\"value\\": \\"%s\\"}"\n',
    "option": "deploy --region eu --with %s --yes\n",
    "header": 'curl -H "X-Service-Auth: %s" https://example.org/\n',
}


def password(c):
    return c.mixed(ALNUM, 12, 20)


def password_with_signs(c):
    return c.one("p@$$w0rd!#%^&*()", c.mixed(ALNUM + SIGNS, 10, 20), c.mixed(ALNUM + "!@#$%^&*", 12, 16))


def password_of_words(c):
    words = ["correct", "Horse", "battery", "Staple", "winter", "Ocean", "copper", "Violin", "meadow", "Falcon"]
    made = [c.one(*words) for _ in range(3)]
    made[1] = made[1].capitalize() + c.of(DIGITS, 1, 2)
    return c.one("-", "_", ".", "!").join(made)


def password_beyond_ascii(c):
    return c.one("Größe", "пароль", "contraseña", "motdépasse", "密码", "şifre", "λέξη") + c.of(ALNUM + "!-_#", 6, 10) + c.of(DIGITS, 1)


def password_of_letters(c):
    letters = LOWER + UPPER
    return c.one("", c.one(*"!@#$%^&*")).join([c.of(letters, 6, 8), c.of(letters, 6, 8)])


def secret(c):
    return c.one(
        c.of(HEX, 32), c.of(HEX, 40), c.of(HEX, 64), c.of(ALNUM, 24, 40), c.of(BASE36, 24, 40), c.of(BASE64, 43) + "=",
        c.of(BASE64, 40), c.of(URLSAFE, 32, 64), c.uuid())


PASSWORD_NAMES = "password passwd pwd db_password DB_PASS adminPassword passphrase smtp-password user.password rootPwd SMTP_PASS".split()
SECRET_NAMES = """client_secret SECRET_KEY secretKey jwtSecret api_key apiKey API_KEY x-api-key auth_token accessToken refresh_token
    webhook_secret encryption_key signingKey SESSION_SECRET consumer_secret storage_key masterKey DATADOG_API_KEY
    CLOUDFLARE_API_TOKEN algolia_admin_key app_secret HEROKU_API_KEY aws_secret_access_key bearer_token license_key""".split()

# What has to stand behind a name: the names, and the value.
ASSIGNED = {
    "password": (PASSWORD_NAMES, password),
    "password with signs": (PASSWORD_NAMES, password_with_signs),
    "password of words": (PASSWORD_NAMES, password_of_words),
    "password beyond ASCII": (PASSWORD_NAMES, password_beyond_ascii),
    "password of letters": (PASSWORD_NAMES, password_of_letters),
    "named secret": (SECRET_NAMES, secret),
}

# `%n` is the name, `%s` the value.
AROUND_ASSIGNED = {
    "env": "MODE=production\n%n=%s\nPORT=80\n",
    "env in quotes": 'export %n="%s"\n',
    "YAML": "service:\n  %n: %s\n  port: 80\n",
    "YAML in quotes": "service:\n  %n: '%s'\n",
    "JSON": '{\n  "name": "web",\n  "%n": "%s",\n  "port": 80\n}\n',
    "TOML": '[service]\n%n = "%s"\n',
    "properties": "# settings\nspring.datasource.%n=%s\n",
    "Python": "import os\n\n%n = '%s'\n",
    "argument": "    db = connect(host='a', %n='%s', port=80)\n",
    "dictionary": "settings = {'host': 'a', '%n': '%s'}\n",
    "JavaScript": "const c = {\n  host: 'a',\n  %n: '%s',\n};\n",
    "Rust": 'const X_%n: &str = "%s";\n',
    "Go": '\tcfg.%n := "%s"\n',
    "Java": '    private static final String %n = "%s";\n',
    "C#": '    public string %n { get; set; } = "%s";\n',
    "PHP": "define('%n', '%s');\n",
    "PHP array": "return [\n    '%n' => '%s',\n];\n",
    "XML element": "<settings>\n  <%n>%s</%n>\n</settings>\n",
    "XML attribute": '<connection user="a" %n="%s" port="80"/>\n',
    "fallback": "value = os.environ.get('%n', '%s')\n",
    "comparison": 'if (%n == "%s") {\n    open();\n}\n',
    "setter": 'client.set_%n("%s");\n',
    "comment": "# %n: %s\nuse it\n",
    "compose": "    environment:\n      - %n=%s\n",
    "Kubernetes": '        - name: %n\n          value: "%s"\n',
    "Dockerfile": "FROM a\nENV %n=%s\n",
    "Terraform": '  %n = "%s"\n',
    "Makefile": "%n := %s\n\nall:\n",
    "option": "deploy --%n=%s --yes\n",
    "diff": "@@ -1 +1 @@\n-%n: x\n+%n: '%s'\n",
    "escaped": 'body = "{\\"%n\\": \\"%s\\"}"\n',
    "thrice quoted": '%n = """%s"""\n',
    "thrice quoted below": '%n = """\n%s\n"""\n',
    "JSON on the next line": '{\n  "%n":\n    "%s"\n}\n',
    "JavaScript on the next line": 'const %n =\n  "%s";\n',
    "Rust on the next line": 'const X_%n: &str =\n    "%s";\n',
    "Kubernetes block": '        - name: %n\n          value: |\n            %s\n',
}


def key_body(c, lines=12):
    return "\n".join(c.of(BASE64, 64) for _ in range(lines)) + "\n" + c.of(BASE64, 40) + "=="


def pem(c, name, gap="\n"):
    head = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,%s\n\n" % c.of(HEX.upper(), 32) if c.one(0, 0, 0, 1) else ""
    return (f"-----BEGIN {name}-----\n" + head + key_body(c) + f"\n-----END {name}-----").replace("\n", gap)


KEY_NAMES = ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]


def somebody(c):
    return c.one("admin", "deploy", "app", "root", "svc") + c.of(LOWER + DIGITS, 0, 3)


def host(c):
    return c.one("db", "cache", "mq", "10.0.3.7", "ftp") + "." + c.of(LOWER, 5) + ".internal"


def noted(c):
    """As somebody makes one up and writes it down."""
    return c.of(LOWER, 3, 6) + c.of(UPPER, 1, 2) + c.of(DIGITS, 2, 3) + c.of(LOWER, 2, 3) + c.one(*"!#%*")


def connected(c, scheme):
    word = c.one(password(c), c.of(ALNUM, 12, 24), c.of(HEX, 20), c.mixed(ALNUM + "!*-_.~", 12, 18))
    return f"{scheme}://{somebody(c)}:{word}@{host(c)}"


# What brings its own surroundings: the text, and which of its lines hold the secret.
TEXTS = {
    "private key": lambda c: pem(c, c.one(*KEY_NAMES)) + "\n",
    "PGP private key": lambda c: "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + key_body(c) + "\n-----END PGP PRIVATE KEY BLOCK-----\n",
    "key in JSON": lambda c: '{\n  "type": "service_account",\n  "private_key": "%s\\n",\n  "x": 1\n}\n' % pem(c, "PRIVATE KEY", "\\n"),
    "key in YAML": lambda c: "tls:\n  key: |\n    " + pem(c, c.one(*KEY_NAMES), "\n    ") + "\n  port: 80\n",
    "key in code": lambda c: f"const KEY: &str = \"{pem(c, c.one(*KEY_NAMES))}\";\n",
    "key's header alone": lambda c: c.one("", "x\n", "key:\n  ") + f"-----BEGIN {c.one(*KEY_NAMES)}-----\n",
    "SSH2 key": lambda c: f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"x\"\n{key_body(c)}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
    "PuTTY key": lambda c: f"PuTTY-User-Key-File-{c.one('2', '3')}: ssh-rsa\nEncryption: none\nComment: a\nPublic-Lines: 1\n{c.of(BASE64, 64)}\nPrivate-Lines: 1\n{c.of(BASE64, 64)}\n",
    "key as base64": lambda c: f"users:\n- name: a\n  user:\n    client-key-data: {c.encoded(pem(c, c.one('RSA PRIVATE KEY', 'EC PRIVATE KEY', 'PRIVATE KEY')))}\n",
    "JSON web key": lambda c: '{"kty": "EC", "crv": "P-256", "x": "%s", "y": "%s", "d": "%s"}\n' % (c.of(URLSAFE, 43), c.of(URLSAFE, 43), c.of(URLSAFE, 43)),
    "database URL": lambda c: f"DATABASE_URL={connected(c, c.one('postgres', 'postgresql', 'mysql', 'mongodb', 'mongodb+srv', 'postgresql+psycopg2'))}/app\n",
    "encoded URL": lambda c: f"DATABASE_URL=postgres://{somebody(c)}:{quote(c.mixed(ALNUM + '!@#$%^&*/', 12, 18), safe='')}@{host(c)}/app\n",
    "broker URL": lambda c: f"url: {connected(c, c.one('redis', 'rediss', 'amqp', 'amqps', 'nats', 'mqtt'))}:5672/0\n",
    "web URL": lambda c: f"git clone {connected(c, c.one('https', 'http', 'ftp', 'sftp', 'smtp', 'ldap'))}/a.git\n",
    "redis URL": lambda c: f"REDIS_URL=redis://:{c.of(ALNUM, 16, 40)}@{host(c)}:6379\n",
    "ADO.NET": lambda c: f'"Default": "Server={host(c)};Database=a;User Id=sa;Password={c.one(password(c), password_with_signs(c))};Encrypt=true"\n',
    "ODBC": lambda c: f"Driver={{ODBC}};Server={host(c)};Uid=sa;Pwd={password(c)};\n",
    "JDBC": lambda c: f"jdbc:mysql://{host(c)}:3306/a?user=app&password={password(c)}&useSSL=true\n",
    "service bus": lambda c: f"Endpoint=sb://{c.of(LOWER, 6)}.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={c.of(BASE64, 43)}=\n",
    "basic header": lambda c: f"headers = {{'Authorization': 'Basic {c.encoded(somebody(c), ':', password(c))}'}}\n",
    "bearer header": lambda c: f'curl -H "Authorization: Bearer {c.of(URLSAFE, 30, 60)}" https://example.org/\n',
    "token header": lambda c: f'req.Header.Set("Authorization", "{c.one("Token", "token")} {c.of(HEX, 40)}")\n',
    "key header": lambda c: f"curl -H 'X-Api-Key: {c.one(c.of(ALNUM, 32), c.of(HEX, 40), c.uuid())}' https://example.org/\n",
    "curl -u": lambda c: f"curl {c.one('-u', '--user')} {c.one('', chr(39))}{somebody(c)}:{password(c)}".replace("'", "") + " https://example.org/\n",
    "netrc": lambda c: f"machine example.org login {somebody(c)} password {c.one(password(c), secret(c))}\n",
    "netrc on lines": lambda c: f"machine example.org\n  login {somebody(c)}\n  password {c.one(password(c), password_with_signs(c))}\n",
    "pgpass": lambda c: f"{host(c)}:5432:app:{somebody(c)}:{password(c)}\n",
    "docker config": lambda c: '{"auths": {"registry.example.org": {"auth": "%s"}}}\n' % c.encoded(somebody(c), ":", password(c)),
    "npmrc": lambda c: "//registry.example.org/:" + c.one("_authToken=" + c.one(c.uuid(), c.of(HEX, 40)), "_password=" + c.encoded(password(c)), "_auth=" + c.encoded(somebody(c), ":", password(c))) + "\n",
    "pypirc": lambda c: f"[pypi]\nusername = a\npassword = {password(c)}\n",
    "htpasswd": lambda c: f"{somebody(c)}:{c.one('$apr1$' + c.of(ALNUM, 8) + '$' + c.of(ALNUM + './', 22), '$2y$10$' + c.of(ALNUM + './', 53), '{SHA}' + c.of(BASE64, 27) + '=')}\n",
    "shadow": lambda c: f"{somebody(c)}:$6${c.of(ALNUM, 16)}${c.of(ALNUM + './', 86)}:19000:0:99999:7:::\n",
    "kubeconfig token": lambda c: f"users:\n- name: a\n  user:\n    token: {c.one(web_token(c), c.of(ALNUM, 40))}\n",
    "Kubernetes secret": lambda c: f"kind: Secret\ndata:\n  password: {c.encoded(c.mixed(ALNUM + SIGNS, 14, 22))}\n",
    "AWS credentials": lambda c: f"[default]\naws_access_key_id = AKIA{c.of(BASE32, 16)}\naws_secret_access_key = {c.of(BASE64, 40)}\n",
    "AWS secret in code": lambda c: f"aws.config.update({{secretAccessKey: '{c.of(BASE64, 40)}'}});\n",
    "git credentials": lambda c: f"https://{somebody(c)}:{c.one(c.of(ALNUM, 24), 'ghp_' + c.of(ALNUM, 36))}@github.com\n",
    "SQL": lambda c: f"CREATE USER app {c.one('WITH PASSWORD', 'IDENTIFIED BY')} '{c.one(password(c), password_with_signs(c))}';\n",
    "SQL, changed": lambda c: f"ALTER LOGIN app WITH PASSWORD = N'{password(c)}';\n",
    "SQL, inserted": lambda c: f"INSERT INTO users ({c.one('name, password', 'id, `user_password`, at')}) VALUES ('{somebody(c)}', '{password(c)}', 1);\n",
    "token behind a name": lambda c: f"{c.one('old-', 'token_', 'fix-')}{c.one('ghp_' + c.of(ALNUM, 36), 'glpat-' + c.of(ALNUM, 20), 'npm_' + c.of(ALNUM, 36))}\n",
    "cookie": lambda c: f"Set-Cookie: auth_token={c.of(ALNUM, 40)}; HttpOnly\n",
    "VB, R and Perl": lambda c: c.one('Dim password As String = "%s"\n', 'password <- "%s"\n', "my $password = q{%s};\n") % password(c),
    "in another language": lambda c: f"{c.one('Passwort', 'mot_de_passe', 'contraseña', 'senha', 'Пароль', '密码', 'wachtwoord')}: {password(c)}\n",
    "URL with a sign": lambda c: f"postgres://{somebody(c)}:{c.mixed(ALNUM, 8, 10)}{c.one('$', '&')}{c.mixed(ALNUM, 5, 8)}@{host(c)}/app\n",
    "sshpass": lambda c: f"sshpass -p '{password(c)}' ssh a@b\n",
    "mysql -p": lambda c: f"{c.one('mysql', 'mysqldump', 'mysqladmin', 'mariadb')} {c.one('-u root', '-uroot', '-h ' + host(c))} -p{c.one(password(c), chr(39) + password_with_signs(c) + chr(39))} app\n",
    "7z -p": lambda c: f"7z {c.one('a', 'x')} -p{password(c)} backup.7z\n",
    "login of a command": lambda c: f"{c.one('docker login', 'podman login', 'az login', 'mongosh', 'twine upload')} -u {somebody(c)} -p {password(c)} example.org\n",
    "ldapsearch": lambda c: f"ldapsearch -x -D cn=admin,dc=example -w {password(c)} -b dc=example\n",
    "login in a call": lambda c: f"{c.one('requests.get(url, auth=(', 'auth = (', 'HTTPBasicAuth(', 'req.SetBasicAuth(')}\"{somebody(c)}\", \"{c.one(password(c), password_with_signs(c))}\")\n",
    "address of a driver": lambda c: f'db, err := sql.Open("mysql", "{somebody(c)}:{password(c)}@tcp({host(c)}:3306)/app")\n',
    "PGPASSWORD": lambda c: f"PGPASSWORD='{password_with_signs(c)}' psql -h {host(c)}\n",
    "PGPASSWORD before words": lambda c: f"PGPASSWORD={password(c)} psql -h {host(c)}\n",
    "libpq": lambda c: f'dsn = "host={host(c)} user=app password={password(c)} dbname=app"\n',
    "docker run": lambda c: f"docker run -e POSTGRES_PASSWORD={c.one(password(c), password_with_signs(c))} postgres\n",
    "Dockerfile without a sign": lambda c: f"FROM a\nENV DB_PASSWORD {c.one(password(c), password_with_signs(c))}\n",
    "fish": lambda c: f"set -gx API_KEY {c.of(ALNUM, 24, 40)}\n",
    "token of a variable": lambda c: f"{c.one('SNYK', 'CODECOV', 'RAILWAY', 'POSTMARK_SERVER')}_TOKEN={c.uuid()}\n",
    "YAML list": lambda c: f"env:\n  - name: DB_PASSWORD\n    value: {c.one(password(c), 'Winter!' + password(c))}\n",
    "YAML map on one line": lambda c: f"db: {{host: {host(c)}, password: {password(c)}, port: 5432}}\n",
    "entry of a list": lambda c: f'environment:\n  - "DB_PASSWORD={c.one(password(c), password_with_signs(c))}"\n',
    "default": lambda c: f"url: ${{DB_PASSWORD:-{password(c)}}}\n",
    "comment behind it": lambda c: f"[db]\npassword = {password(c)} ; of the tests\n",
    "session token": lambda c: f"AWS_SESSION_TOKEN=IQoJb3JpZ2lu{c.of(ALNUM, 280, 700)}\n",
    "raw literal": lambda c: f'let password = r#"{password(c)}"#;\n',
    "YAML block": lambda c: f"password: {c.one('|', '>-')}\n  {password(c)}\n",
    "Terraform variable": lambda c: f'variable "db_password" {{\n  type    = string\n  default = "{password(c)}"\n}}\n',
    "plist": lambda c: f"<key>API_KEY</key>\n<string>{c.of(ALNUM, 32)}</string>\n",
    "Postman": lambda c: f'{{"key": "token", "value": "{c.of(ALNUM, 40)}"}}\n',
    "Rust owned": lambda c: f'let password = String::from("{password(c)}");\n',
    "PowerShell": lambda c: f'$p = ConvertTo-SecureString "{c.one(password(c), password_with_signs(c))}" -AsPlainText -Force\n',
    "keytool": lambda c: f"keytool -genkey -storepass {password(c)} -alias a\n",
    "key in literals": lambda c: 'K = ("-----BEGIN PRIVATE KEY-----\\n"\n' + "".join(f'     "{c.of(BASE64, 64)}\\n"\n' for _ in range(8)) + '     "-----END PRIVATE KEY-----\\n")\n',
    "Wi-Fi": lambda c: f'network={{\n  ssid="a"\n  psk="{password(c)}"\n}}\n',
    "Rails credentials": lambda c: f"production:\n  secret_key_base: {c.of(HEX, 128)}\n",
    "Django": lambda c: f"SECRET_KEY = 'django-insecure-{c.of(BASE36 + '!@#$%^&*(-_=+)', 50)}'\n",
    "Laravel": lambda c: f"APP_KEY=base64:{c.of(BASE64, 43)}=\n",
    "login in a note": lambda c: c.one("user: %s password: %s\n", "Username: %s  Password: %s (ask me)\n", "ssh %s@10.0.0.5 (pw:%s)\n", "ID/PW : %s / %s\n", "password for %s: %s\n", "login: %s / %s\n") % (somebody(c), noted(c)),
    "name of two words": lambda c: f"{c.one('Secret Key', 'Access key', 'Authentication key', 'API secret')}: {c.mixed(ALNUM, 16, 32)}\n",
    "license key": lambda c: f"{c.one('License key', 'Activation key', 'Product key')}: {'-'.join(c.of(UPPER + DIGITS, 5) for _ in range(5))}\n",
    "names run together": lambda c: f"export {c.one('MYSQLPASS', 'DBPSWD', 'X_PASSWRD', 'PGPASS')}={noted(c)}\n",
    "account as base64": lambda c: f"GCP: {c.encoded(c.one('{%s', '[{%s') % (chr(10) + '  '), chr(34) + 'private_key' + chr(34) + ': ' + chr(34) + pem(c, 'PRIVATE KEY', chr(92) + 'n') + chr(34) + chr(10) + '}')}\n",
    "WordPress": lambda c: f"define('{c.one('AUTH_KEY', 'NONCE_SALT', 'LOGGED_IN_KEY', 'SECURE_AUTH_KEY')}', '{c.of(ALNUM + SIGNS + '|[]{}<>,.:;/ ', 64)}');\n",
}
