//! Secrets passed to calls without a name: `new PDO("…", "user", "password")`,
//! `jwt.sign(payload, "secret")`.

use std::ops::Range;

use super::around::in_call;
use super::letters::{ahead, before, dashed, far_ahead, hex, letters_of, line_before, word};
use super::literals::line_literal;
use super::login::pair;
use super::values::{is_made, is_mixed, is_password, is_secret, is_signed};
use crate::split::place_in;

/// `new mysqli("host", "user", "password")`
pub(super) fn third(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 2, is_password)
}

/// Whether this is a password of a form that no word and no name has.
fn is_made_password(value: &str) -> bool {
    is_password(value) && is_made(value)
}

/// `Credentials.basic("user", "password")`, `ldap.Bind("cn=a", "password")`
pub(super) fn second_made(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 1, is_made_password)
}

/// `bcrypt("password")`, `ssh.Password("password")`
pub(super) fn alone_made(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 0, is_made_password)
}

/// `redis.auth("password")`, `request.auth("user", "password")`
pub(super) fn authenticated(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let place = second_made(text, start, end).or_else(|| alone_made(text, start, end));
    place.filter(|_| is_method(text, start))
}

/// `client.login("user", "password")`, `login("user", "password")`
pub(super) fn logged_in(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    if is_method(text, start) {
        return pair(text, start, end);
    }
    called_alone(text, start, end)
}

/// `client.authenticate("user", "password")`, `signIn("user", "password")`
pub(super) fn signed_in(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    if is_method(text, start) {
        return second_made(text, start, end);
    }
    called_alone(text, start, end)
}

/// Whether a call is that of an object: `client.login(`, `$client->login(`, `Client::login(`,
/// `client:login(`.
fn is_method(text: &str, start: usize) -> bool {
    let before = &text[..start];
    before.ends_with(['.', ':']) || before.ends_with("->")
}

/// Returns the second argument of a call without an object. Tests have many such calls with a
/// password that somebody typed, so letters and digits have to be mixed as in none of those.
fn called_alone(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_whole = before(text, start, 1, word) == 0;
    let is_random = |value: &str| is_password(value) && is_mixed(value);
    argument(text, start, end, 1, is_random).filter(|_| is_whole)
}

/// `getConnection(url, "user", "password")`, `new Sequelize("db", "user", "password")`
pub(super) fn third_made(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 2, is_made_password)
}

/// `client.connect("name", "user", "password")`, `connect("user", "password")`
pub(super) fn connected(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let place = third_made(text, start, end).or_else(|| second_made(text, start, end));
    place.filter(|_| is_method(text, start))
}

/// `req.basic_auth "user", "password"`, where a blank opens the arguments.
pub(super) fn pair_without_brackets(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    second_made(text, start, end - 1)
}

/// `jwt.sign(payload, "secret")`, `hmac.New(sha256.New, []byte("secret"))`
pub(super) fn second(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 1, is_key)
}

/// `Client("AC…", "secret")`, where the number of an account says whose secret it is.
pub(super) fn account(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    second(text, start, end - "\"AC".len())
}

/// `twilio("AC…", "secret")`
pub(super) fn twilio(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_account = text[end..].starts_with(['"', '\'']) && text[end + 1..].starts_with("AC");
    second(text, start, end).filter(|_| is_account)
}

/// `HMAC256("secret")`, `passwordEncoder.encode("secret")`
pub(super) fn alone(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 0, is_key)
}

/// `new Wallet("0x…")`, with the sixty-four digits of a private key: an address has forty.
pub(super) fn wallet(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end - 1, 0, |value| {
        let digits = value.trim_start_matches("0x");
        digits.len() == 64 && digits.bytes().all(hex) && is_secret(value)
    })
}

/// `hmac.new(b"secret", …)` of Python, `hmac.New(sha256.New, []byte("secret"))` of Go.
pub(super) fn hmac(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    match &text[start..end] {
        "hmac.New(" => second(text, start, end),
        _ => alone(text, start, end),
    }
}

/// `hash_hmac("sha256", data, "secret")`
pub(super) fn key_in_third(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 2, is_key)
}

/// `ssh.connect("host", 22, "user", "password")`
pub(super) fn fourth(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    argument(text, start, end, 3, is_password)
}

/// `keyStore.load(it, "password".toCharArray())`: what a call is given that opens something.
pub(super) fn characters(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    const OPENING: [&str; 5] = [
        ".load(",
        ".getKey(",
        ".init(",
        "PBEKeySpec(",
        "PasswordProtection(",
    ];
    let line = line_before(text, start);
    let (before, value) = line.rsplit_once('"')?;
    let opens = OPENING.iter().any(|call| before.contains(call));
    // `AES/CBC/PKCS5Padding`
    let is_path = value.contains('/');
    (opens && !is_path && is_password(value)).then_some(start - value.len()..start)
}

/// Whether a value is a key, or a password of the length that keys have.
fn is_key(value: &str) -> bool {
    is_password(value) && (value.len() >= 12 || is_signed(value))
}

/// `Fernet(b"key")`, which has thirty-two bytes in base64.
pub(super) fn first(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    let at = start + "Fernet(".len();
    argument(text, start, at, 0, |value| {
        value.len() == 44 && value.ends_with('=') && is_secret(value)
    })
}

/// `Credentials("realm", "host", "user", "password")`
pub(super) fn last_of_four(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let place = argument(text, start, end, 3, is_password)?;
    let behind = text[place.end..].trim_start_matches(['"', '\'']);
    behind.trim_start().starts_with(')').then_some(place)
}

/// The literal behind so many other arguments, if it is one of those.
fn argument(
    text: &str,
    start: usize,
    end: usize,
    others: usize,
    holds: impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let mut behind = rest;
    for _ in 0..others {
        behind = behind_argument(behind)?;
    }
    let argument = behind.trim_start();
    let (value, behind) = line_literal(in_call(argument).unwrap_or(argument))?;
    let is_text = value.contains([' ', '/']) && !value.ends_with('=');
    let at = end + rest.len() - behind.len() - 1;
    (!is_text && holds(value)).then_some(start..at)
}

/// What stands behind an argument: a literal, an object, a call, or another expression.
fn behind_argument(text: &str) -> Option<&str> {
    let behind = line_literal(text).map(|(_, behind)| behind.trim_start());
    if let Some(behind) = behind.filter(|it| !it.starts_with('.')) {
        return behind.strip_prefix(',');
    }
    let mut open = 0_usize;
    let mut literal = None;
    for (at, byte) in text.bytes().enumerate().take(MOST_OF_ARGUMENT) {
        match byte {
            _ if literal.is_some() => literal = literal.filter(|quote| *quote != byte),
            b'"' | b'\'' => literal = Some(byte),
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.checked_sub(1)?,
            b',' if open == 0 => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}

/// The most bytes of an argument that is no literal.
const MOST_OF_ARGUMENT: usize = 160;

/// A section of settings whose name tells what its keys are: `"Jwt": {"Key": "…"}`,
/// `"github-oauth": {"github.com": "…"}`.
pub(super) fn section(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let name = letters_of(rest, 0, 24, dashed);
    let body = rest[name..]
        .strip_prefix('"')?
        .trim_start()
        .strip_prefix(':')?;
    let body = body
        .trim_start()
        .strip_prefix('{')?
        .split(['{', '}'])
        .next()?;
    let mut parts = body.split('"').skip(1).step_by(2);
    let is_text = |value: &str| value.contains(char::is_whitespace);
    let is_key = |value: &&str| value.len() >= 20 && !is_text(value) && is_secret(value);
    let value = parts.find(is_key)?;
    let at = place_in(text, value);
    Some(start..at + value.len())
}

/// `'crypt' => ['key' => '…']`, sixteen bytes or more.
pub(super) fn crypt_key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end).trim_start();
    let list = rest
        .strip_prefix('[')
        .or_else(|| rest.strip_prefix("array ("))?;
    let value = list.trim_start().strip_prefix("'key' => ")?;
    let (value, _) = line_literal(value)?;
    let at = place_in(text, value);
    (value.len() >= 32 && is_secret(value)).then_some(start..at + value.len())
}

/// `"type": "random_password"` in what Terraform keeps, and the `"result": "…"` of it.
pub(super) fn result(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = far_ahead(text, end).split("\"type\"").next()?;
    let (_, behind) = rest.split_once("\"result\"")?;
    let (value, _) = line_literal(behind.trim_start().strip_prefix(':')?)?;
    let at = place_in(text, value);
    is_password(value).then_some(start..at + value.len())
}

/// `"SecureString"`, and the `value = "…"` of it.
pub(super) fn of_parameter(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end).split(['}', ';']).next()?;
    let (_, behind) = rest.split_once("alue")?;
    let (between, value) = behind.split_once(['=', ':'])?;
    let is_next = between.bytes().all(|b| b"\" \t".contains(&b));
    let (value, _) = line_literal(value).filter(|_| is_next)?;
    let at = place_in(text, value);
    is_password(value).then_some(start..at + value.len())
}

/// `{"username":"…","key":"…"}`, a file that has nothing else.
pub(super) fn key_of_user(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let user = line_before(text, start).trim_start();
    let is_user = user.starts_with("{\"username\"") && user.len() <= 80;
    let length = letters_of(text, end, 64, hex);
    let ends = text[end + length..].starts_with("\"}");
    (is_user && ends && length == 32).then_some(start..end + length)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    const P: &str = "x9Kq2mZ7vB4nT1wY8rL5";

    #[test]
    fn a_login_is_told_whatever_stands_before_its_call() {
        for text in [
            "$c->login('joe', 'K18Udl2b8kIhRe');",
            "client->login(\"joe\", \"K18Udl2b8kIhRe\");",
            "$conn->connect(\"h\", \"joe\", \"K18Udl2b8kIhRe\");",
            "Client::login(\"joe\", \"K18Udl2b8kIhRe\")",
            "red:auth(\"K18Udl2b8kIhRe\")",
            "conn:login(\"joe\", \"K18Udl2b8kIhRe\")",
            "await login(\"joe@x.io\", \"K18Udl2b8kIhRe\")",
            "signIn(\"joe@x.io\", \"K18Udl2b8kIhRe\")",
            "sign_in('joe', 'K18Udl2b8kIhRe')",
            "authenticate(\"joe\", \"K18Udl2b8kIhRe\")",
            "user.authenticate(\"joe\", \"Winter!2025\")",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "login(\"joe@x.io\", \"Passw0rd!\")",
            "login(\"joe\", \"wrongPassword1\")",
            "signIn(\"user1\", \"S3cret-word\")",
            "connect(\"joe\", \"K18Udl2b8kIhRe\")",
            "auth(\"K18Udl2b8kIhRe\")",
            "setLogin(\"joe\", \"K18Udl2b8kIhRe\")",
            "do_login(\"joe\", \"K18Udl2b8kIhRe\")",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_a_call_is_given_in_its_place_is_told() {
        for text in [
            format!("new mysqli(\"localhost\", $user, \"{P}\", \"db\");"),
            format!("new PDO('mysql:host=h;dbname=x', 'root', '{P}');"),
            format!("DriverManager.getConnection(\"jdbc:mysql://h/x\", \"root\", \"{P}\");"),
            format!("DBI->connect('dbi:mysql:x', 'root', '{P}');"),
            format!("jwt.sign({{id: user.id}}, '{P}', {{expiresIn: '1h'}});"),
            format!("jwt.encode(payload, \"{P}\", algorithm=\"HS256\")"),
            format!("Fernet(b\"{P}{P}abc=\")"),
            format!("Fernet('{P}{P}abc=')"),
            format!("imap_open('{{h:993/imap/ssl}}INBOX', 'bob@x.org', '{P}')"),
            format!("it.simple_bind_s('cn=admin,dc=x', '{P}')"),
            format!("with FTP('host', 'me', '{P}') as ftp:"),
            format!("get({{ host, auth: \"me:{P}\" }})"),
            format!("config.omniauth :github, 'id', '{P}'"),
            format!("jwt.verify(token, '{P}', next)"),
            format!("jwt.encode({{\"a\": [1, 2]}}, \"{P}\", algorithm=\"HS256\")"),
            format!("crypto.createHmac('sha256', '{P}')"),
            format!("hmac.new(b'{P}', it, hashlib.sha256)"),
            format!("hmac.New(sha256.New, []byte(\"{P}\"))"),
            format!("hash_hmac('sha256', $data, '{P}')"),
            format!("Algorithm.HMAC256(\"{P}\")"),
            format!("token.SignedString([]byte(\"{P}\"))"),
            format!("new SymmetricSecurityKey(Encoding.UTF8.GetBytes(\"{P}\"))"),
            format!("client.get(url).basic_auth(\"me\", Some(\"{P}\"))"),
            format!("smtp.PlainAuth(\"\", \"me\", \"{P}\", \"host\")"),
            format!("User.objects.create_user('bob', 'bob@x.org', '{P}')"),
            format!("pymysql.connect('host', 'me', '{P}', 'db')"),
            format!("ssh.connect(\"host\", 22, \"me\", \"{P}\")"),
            format!("Client(\"AC0752e3c28ead086f6706856fb77e4f51\", \"{P}\")"),
            format!("new PSCredential(\"me\", \"{P}\")"),
            format!("new SqlCredential(\"me\", \"{P}\")"),
            format!("new BasicAWSCredentials(\"A\", \"{P}\")"),
            format!("new ClientSecretCredential(tenant, client, \"{P}\")"),
            format!("Credentials::new(\"me\".into(), \"{P}\".into())"),
            format!("SELECT pgp_sym_encrypt(x, '{P}');"),
            format!("keyStore.load(it, \"{P}\".toCharArray());"),
            format!("new Wallet(\"0x{}\")", "3296a7c90f7c7a6b".repeat(4)),
            format!("Credentials(\"realm\", \"host\", \"me\", \"{P}\")"),
            format!("\"Jwt\": {{\n \"Issuer\": \"https://x.org\",\n \"Key\": \"{P}{P}\"\n}}"),
            "\"github-oauth\":{\"github.com\":\"3296a7c90f7c7a6be6f85cebcb5eb40d87cd1f7b\"}".into(),
            "{\"username\":\"bob\",\"key\":\"0752e3c28ead086f6706856fb77e4f51\"}\n".into(),
            format!("DriverManager.getConnection(url, user, \"{P}\");"),
            format!("new Sequelize('db', 'me', '{P}', {{host: 'h'}})"),
            format!("Credentials::new(\"me\".to_string(), \"{P}\".to_string())"),
            format!("mysql_real_connect(c, \"h\", \"me\", \"{P}\", \"db\", 0, 0, 0);"),
            format!("curl_setopt($c, CURLOPT_USERPWD, 'me:{P}');"),
            format!("basicAuth: \"me:{P}\"\n"),
            format!("\"Driver={{ODBC Driver}};UID=sa;PWD={{{P}}};\""),
            format!("curl_easy_setopt(c, CURLOPT_PROXYUSERPWD, \"me:{P}\");"),
            format!("twilio('AC0752e3c28ead086f6706856fb77e4f51', '{P}')"),
            format!("redis.auth('{P}')"),
            "pyotp.TOTP(\"JBSWY3DPEHPK3PXPQK4RZ2M7VBN5TUWY\")".into(),
            "#define STAPSK \"Dragon@1234\"".into(),
            "driver.findElement(By.id(\"password\")).sendKeys(\"Dragon@1234\");".into(),
            "driver.FindElement(By.Id(\"password\")).SendKeys(\"Dragon@1234\");".into(),
            "$(\"#password\").val(\"Dragon@1234\")".into(),
            "document.getElementById(\"password\").value = \"Dragon@1234\"".into(),
            "client.connect(\"esp32\",\"mqttuser\",\"Falcon@123\")".into(),
            "wifiMulti.addAP(\"home\", \"Falcon@123\");".into(),
            "WiFi.softAP(\"home\", \"Falcon@123\");".into(),
            "wlan.connect('home', 'Falcon@123')".into(),
            "given().auth().basic(\"bob\",\"Falcon@123\")".into(),
            "basic_auth(\"neo4j\",\"Falcon@123\")".into(),
            "pika.PlainCredentials('svc', 'Falcon@123')".into(),
            "ldap_bind($ds,\"cn=admin,dc=x\",\"Falcon@123\")".into(),
            "oci_connect('scott', 'Falcon@123', 'h/x')".into(),
            "cx_Oracle.connect(\"scott\", \"Falcon@123\", dsn)".into(),
            "await client.AuthenticateAsync(\"me\", \"Falcon@123\");".into(),
            format!("$redis->auth('{P}');"),
            format!("req.basic_auth 'me', '{P}'"),
            format!("bcrypt('{P}')"),
            format!("deepgram = DeepgramClient(\"{P}\")"),
            format!("wandb.login(key=\"{P}\")"),
            format!("SpeechConfig.FromSubscription(\"{P}\", \"westus\")"),
            format!("EncodingKey::from_secret(b\"{P}\")"),
            format!("Keys.hmacShaKeyFor(\"{P}\".getBytes())"),
            format!("csrf.Protect([]byte(\"{P}\"))"),
            format!("require('stripe')('{P}')"),
            format!("var key = Encoding.ASCII.GetBytes(\"{P}\");"),
            format!("ftp = FTP(\"h\", \"me\", \"{P}\")"),
            format!("accounts: [`0x{}`],", "3296a7c90f7c7a6b".repeat(4)),
            "'crypt' => [\n  'key' => '0752e3c28ead086f6706856fb77e4f51'\n],".into(),
            format!("app.use(cookieParser('{P}'))"),
            format!("provider :github, 'abc', '{P}'"),
            format!("type = \"SecureString\"\nvalue = \"{P}\""),
            "jwt.sign(it, 'Winter25!')".into(),
            "WiFi.begin(\"home\", \"Winter2025#nAr\")".into(),
            format!("\"type\": \"random_password\",\n \"attributes\": {{\"result\": \"{P}\"}}"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn words_and_variables_in_its_place_are_not() {
        for text in [
            "new mysqli(\"localhost\", \"root\", \"password\");",
            "new mysqli(\"localhost\", \"root\", $Passw0rd1x);",
            "new PDO('mysql:host=h;dbname=x9Kq2mZ7vB4n', 'root', '');",
            "connect(getConnection(\"jdbc:x\", function (err) { x('a1', 'x9Kq2mZ7vB4n') }))",
            "jwt.sign(payload, 'secret')",
            "jwt.sign(payload, process.env.Key12Value)",
            "jwt.verify(token, 'shhhhh', 'x9Kq2mZ7vB4nT1wY')",
            "Fernet(b\"your-key\")",
            "accounts: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']",
            "'crypt' => ['key' => 'some-name-of-a-key-that-is-longer']",
            "crypto.createHmac('sha256', key).update('x9Kq2mZ7vB4nT1wY8rL5')",
            "hmac.new(key, b'x9Kq2mZ7vB4nT1wY8rL5', hashlib.sha256)",
            "jwt.verify(token, get('x9Kq2mZ7vB4nT1wY8rL5'))",
            "jwt.verify('x9Kq2mZ7vB4nT1wY8rL5')",
            "new Wallet(\"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045\")",
            "create_user('bob', 'bob@x.org', 'password')",
            "DIGITS = \"0123456789abcdefABCDEF\".toCharArray();",
            "credentials(\"a\", \"b\", \"c\", \"password\")",
            "\"Jwt\": {\"Issuer\": \"https://x.org/a1b2\", \"Audience\": \"some-name-2\"}",
            "{\"id\":\"bob\",\"key\":\"0752e3c28ead086f6706856fb77e4f51\"}\n",
            "\"type\": \"random_password\", \"type\": \"b\", \"result\": \"x9Kq2mZ7vB4n\"",
            "\"JwtType\": {\"a\": {\"b\": \"x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u\"}}",
            "\"Jwt\": \"x9Kq2mZ7vB4nT1wY8rL5\"",
            "twilio('x9Kq2mZ7vB4nT1wY8rL5', 'x9Kq2mZ7vB4nT1wY8rL5')",
            "element.bind(\"click\", \"Handler2Name\")",
            "signal.connect(\"clicked\", \"on_Button1_clicked\")",
            "socket.connect(\"tcp://h:5555\", \"Option2\")",
            "find(By.id(\"password\")).sendKeys(\"a password\")",
            "$(\"#password\").val(\"\")",
            "request.auth('bearer', getToken1())",
            "\"SecureString\", \"other\": \"x9Kq2mZ7vB4nT1wY8rL5\"",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
