//! What secrets look like: how each kind begins, and what must follow.

use std::sync::LazyLock;

use super::among::{said_login, short_among_words};
use super::assigned::{aws_secret, key, password, secret, short_name, short_name_behind, spoken};
use super::calls::{
    account, alone, alone_made, authenticated, characters, connected, crypt_key, first, fourth,
    hmac, key_in_third, key_of_user, last_of_four, logged_in, of_parameter, pair_without_brackets,
    result, second, second_made, section, signed_in, third, third_made, twilio, wallet,
};
use super::commands::{
    any_word, attached_password, beside_user, body as secret_body, bundle, curl, filtered,
    first_word, fourth_word, here, htpasswd, joined_login, keygen, line_password, listed,
    login_word, named, net_use, openssl, piped, pushed, redis, rule_of_user, second_word,
    set_secret, short_password, sized_key, slashed_login, snmp, ssh_password, third_line,
    third_word, typed, user_and_password, written, zip,
};
use super::devices::{hidden, kept, of_database, turned};
use super::encoded::encoded;
use super::headers::{authorization, encoded_login, listed_login, set_login};
use super::inserted::{defined, inserted};
use super::keys::{
    body, encoded_key, private_key, putty, signing_key, ssh2, web_key, web_token, whole_body,
    xml_key,
};
use super::login::{
    asked_key, beside_admin, braced, cookie, crypt_hash, docker, driver_address, encoded_password,
    hashed, hashed_user, oracle, pair, password_file, session, url_password,
};
use super::manifest::{in_generator, in_json, in_yaml};
use super::middles::MIDDLES;
use super::own_keys::{personal_token, plain_key};
use super::phrases::seed;
use super::schemes::{basic, bearer};
use super::several::{LISTS, in_list, in_resource, in_rows, key_below};
use super::tokens::TOKENS;
use super::{Each, Finds, Rule};

macro_rules! rules {
    ($($kind:literal, $is_known:literal: $holds:ident, $($beginning:literal)*;)*) => {
        &[$($(Rule { kind: $kind, beginning: $beginning, is_known: $is_known, finds: Finds::One($holds) }),*),*]
    };
}

/// Tokens with more parts than a beginning and characters.
static SHAPES: &[Rule] = rules! {
    "private key", true: private_key, "-----BEGIN " "-----BEGIN%20";
    "private key", true: ssh2, "---- BEGIN SSH2 ";
    "private key", true: putty, "PuTTY-User-Key-File-";
    "private key", true: encoded_key, "LS0tLS1CRUdJTi";
    "private key", true: body, "IBAAKCAQEA" "IBAAKCAgEA" "IBAAKCAYEA" "IBAAKBgQ" "IBADANBgkqhkiG9w0BAQEFAASC";
    "private key", true: whole_body, "MIGHAgEAMBMGByqGSM49AgEG" "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAi" "MIHuAgEAMBAGByqGSM49AgEGBSuBBAAj"
        "MC4CAQAwBQYDK2VwBCIEI" "MHcCAQEEI" "MIGkAgEBBD" "b3BlbnNzaC1rZXktdjE";
    "private key", true: xml_key, "<RSAKeyValue>";
    "private key", true: signing_key, " secret key\nRW";
    "JSON web key", true: web_key, "\"kty\"" "'kty'" "kty";
    "JSON web token", true: web_token, "eyJ";
    "password hash", true: hashed, ":$apr1$" ":$2a$" ":$2b$" ":$2y$" ":{SHA}" ":{SSHA}" ":$1$" ":$5$" ":$6$" ":$7$" ":$y$" ":$$apr1$$" ":$$2y$$";
    "AWS secret key", true: aws_secret, "secret_access_key" "secretaccesskey" "secret-access-key" "aws_secret_key";
    "password in a URL", false: url_password, "://";
    "password in a URL", false: driver_address, "@tcp(" "@unix(";
    "password in a URL", false: oracle, "jdbc:oracle:thin:";
    "password of a command", false: curl, "curl ";
    "password of a command", false: user_and_password, "http -a " "https -a " "xh -a ";
    "password of a command", false: piped, "--password-stdin" "sudo -S" "chpasswd" "passwd --stdin" "--with-token" "gh secret set" "vault login -" "wrangler secret put"
        "| passwd" "| sudo passwd" "smbpasswd -" "docker secret create" "secrets create" "secrets versions add" "vercel env add" "--passphrase-fd 0"
        "cryptsetup " "| kinit " "realm join" "vncpasswd -f" "pass insert" "keystore add";
    "password of a command", false: listed, "chpasswd:";
    "password of a command", false: ssh_password, "sshpass -p" "-passin pass:" "-passout pass:" "-pass pass:";
    "password of a command", false: redis, "redis-cli ";
    "password of a command", false: openssl, "openssl enc ";
    "password hash", true: kept, "secret 5 " "secret 8 " "secret 9 " "password 5 " "password 8 " "password 9 ";
    "password hash", true: of_database, "password '*" " as '*" "SCRAM-SHA-256$";
    "assigned secret", false: hidden, "password 7 " "key 7 ";
    "assigned secret", false: turned, "\"$9$";
    "assigned secret", false: ssh_password, "secret 0 " "requirepass " "masterauth " "vault login " "rootpw --plaintext " "add-authtoken "
        "enable secret " "enable password " "isakmp key " "tacacs-server key "
        "radius-server key " "snmp-server community " "md5 key-string " "wpa-psk ascii 0 " "key-string " "message-digest-key 1 md5 " "ascii-text " "psksecret " "rocommunity " "rwcommunity " "{plain}" "{cleartext}" "{noop}" "= cleartext " ": xauth " ": eap ";
    "password of a command", false: slashed_login, "sqlplus " "impdp " "expdp " "userid=" "neo4j_auth=" "neo4j_auth: ";
    "password of a command", false: net_use, "net use ";
    "password of a command", false: first_word, "operator unseal " "cargo login " "ngrok authtoken " "redis-cli auth " "nuget setapikey "
        "snyk auth " "wandb login " "dns cloudflare " "nickserv identify " "auth init -t " ":_authtoken " "npmauthtoken " "github-oauth.github.com "
        "sonar.login=" "codecov -t ";
    "password of a command", false: second_word, "http-basic." "net user " "rabbitmqctl add_user " "rabbitmqctl change_password "
        "wpa_passphrase " "samba-tool user create " "sentinel auth-pass " "env:set " "dscl . -passwd " "set-agent-token ";
    "password of a command", false: third_word, "createuser " "mosquitto_passwd -b " "mc admin user add " "isql -v ";
    "password of a command", false: fourth_word, "mc alias set ";
    "password of a command", false: set_secret, "secret set ";
    "password of a command", false: written, "vault kv put " "vault kv patch " "vault write ";
    "password of a command", false: login_word, "skopeo " "etcdctl " "bundle config " "jenkins-cli.jar " "stats auth ";
    "password of a command", false: any_word, "openssl passwd " "db2 connect " "slappasswd " "ipa-server-install " "ipa-client-install "
        "security import " "unlock-keychain " "create-keychain " "signtool " "schtasks " "certutil " "ipmitool " "xfreerdp " "iwconfig "
        "netsh wlan " "swift -" "altool " "elasticsearch-users ";
    "password of a command", false: line_password, "option key ";
    "password of a command", false: ssh_password, " -pw " " -xp " " -ap ";
    "password of a command", false: typed, "send \"" "send -- \"";
    "password of a command", false: pushed, "gem push " "nuget push ";
    "assigned secret", false: rule_of_user, " on >";
    "assigned secret", false: filtered, "| password_hash(";
    "assigned secret", false: sized_key, "encrypt = \"" "\"encrypt\": \"" "unseal key " "key: \"";
    "password of a command", false: snmp, "snmpwalk " "snmpget " "snmpset " "snmpbulkwalk ";
    "password of a command", false: keygen, "ssh-keygen ";
    "password of a command", false: beside_user, " -p " " -w ";
    "password of a command", false: here, "<<<";
    "password of a command", false: htpasswd, "htpasswd ";
    "password of a login", false: braced, "pwd={" "password={";
    "password of a login", false: third_line, "<auth-user-pass>";
    "password of a login", false: user_and_password, "]:25 " "]:465 " "]:587 " "]:submission ";
    "registry login", false: bundle, "BUNDLE_";
    "password of a login", false: last_of_four, "credentials(";
    "password of a login", false: third, "mysqli(" "mysqli_connect(" "mysql_connect(" "new PDO(" "DBI->connect("
        "create_user(" "create_superuser(" "plainauth(" "mysql.connect(" "mysqldb.connect(" "keyring.set_password(";
    "password of a login", false: fourth, "ssh.connect(" "mysql_real_connect(";
    "password of a login", false: characters, "\".toCharArray()";
    "password of a login", false: third_made, "getConnection(" " FTP(" ".FTP(" "sequelize(" "ldap_bind(" "imap_open(" "ftp_login(" "url.create(";
    "password of a login", false: second_made, "credentials::new(" ".bind(" "simple_bind(" "simple_bind_s(" "createasync(" "hashpassword("
        "withemailandpassword(" "sqlcredential(" "basicauthentication(" "x509certificate2(" "addap(" "softap(" ".basic(" "plaincredentials(" "oci_connect(" "authenticateasync(" "pgp_sym_encrypt(" "pgp_sym_decrypt(";
    "password of a login", false: connected, "connect(";
    "password of a login", false: alone_made, "bcrypt(" "hash::make(" "ssh.password(" "pwd_context.hash(" "hashsync(";
    "password of a login", false: authenticated, "auth(";
    "password of a login", false: signed_in, "authenticate(" "signin(" "sign_in(";
    "password of a login", false: logged_in, "login(";
    "password of a login", false: pair_without_brackets, "basic_auth '" "basic_auth \"";
    "password of a login", false: set_login, "auth: " "auth\": \"" "auth = \"" "auth = '" "auth=\"" "auth='";
    "password of a login", false: listed_login, "auth: [" "auth\": [" "auth' => [" "auth\" => [" "auth = [" "auth=[";
    "password of a login", false: encoded_login, "btoa(" "b64encode(" "b64encode(b" "base64_encode(" "encode64(";
    "password of a login", false: user_and_password, "curlopt_userpwd, " "curlopt_proxyuserpwd, "
        "basicauth: " "basicauth\": " "basicauth = " "basicauth=" "basic_auth: " "basic_auth = " "basic_auth=";
    "assigned secret", false: second, "jwt.sign(" "jwt.encode(" "jwt::encode(" "jwt.verify(" "jwt.decode(" "jwt::decode("
        "createhmac(" "signwith(" "username_pw_set(" "pscredential(" "pscredential]::new(" "basic_auth(" "oauthhandler(" "algoliasearch(" "createcipheriv("
        "createdecipheriv(" "aes.encrypt(" "aes.decrypt(" "sharedkeycredential(" "awscredentials(" "staticcredentials(" "staticcredentialsprovider(" "storagecredentials(";
    "password of a login", false: second_made, "wifi.begin(";
    "password of a login", false: account, "client(\"AC" "client.init(\"AC" "client.new 'AC" "client.new \"AC" "client('AC";
    "password of a login", false: twilio, "twilio(";
    "assigned secret", false: alone, "hmac256(" "hmac384(" "hmac512(" "signedstring(" "symmetricsecuritykey("
        "unsafeplaintext(" "secretvalue.plaintext(" "newcookiestore(" "passwordencoder.encode(" ".bearer_auth(" "cohere.client(" "cohere.clientv2(" "deepgramclient("
        "wandb.login(key=" "from_secret(" "hmacshakeyfor(" "csrf.protect(" "stripe\")(" "stripe')(" "key = encoding.ascii.getbytes(" "key = encoding.utf8.getbytes(" "speechconfig(subscription=" "fromsubscription("
        "cookieparser(" "setapikey(" "aes.new(" "newcipher(" "new_from_slice(" "totp(";
    "private key", false: wallet, "wallet(\"" "wallet('" "accounts: [\"" "accounts: ['" "accounts: [`";
    "assigned secret", false: hmac, "hmac.new(";
    "assigned secret", false: key_in_third, "hash_hmac(" "openssl_encrypt(" "openssl_decrypt(" "provider :" "omniauth :" "clientsecretcredential(";
    "assigned secret", false: first, "Fernet(b" "Fernet('" "Fernet(\"";
    "assigned secret", false: section, "\"jwt" "\"github-oauth" "\"gitlab-token";
    "assigned secret", false: crypt_key, "'crypt' =>";
    "assigned secret", false: of_parameter, "\"SecureString\"";
    "assigned secret", false: result, "\"random_password\"";
    "assigned secret", false: key_of_user, "\",\"key\":\"" "\", \"key\": \"";
    "key in a URL", false: asked_key, "?key=" "&key=" "?appid=" "&appid=" "&dkey=";
    "session cookie", false: cookie, " -b '" " -b \"" " -b sess" " -b phpsess" " -b jsess" "--cookie " "cookie: " "cookie:\n" "cookie\"," "cookie\":" "cookie':" "cookie = \"" "cookie = '";
    "session cookie", false: session, "sessionid" "sessid" "connect.sid";
    "password of a login", false: encoded_password, "<Pass encoding=\"base64\">";
    "password hash", true: crypt_hash, "'$6$" "\"$6$" "'$y$" "\"$y$";
    "password hash", true: hashed_user, " \"md5";
    "password of a command", false: attached_password, "mysql " "mysqldump " "mysqladmin " "mariadb " "mariadb-dump " "7z " "7za " "rar a " "unrar " "mysqlimport " "mysqlcheck ";
    "password of a command", false: short_password, "docker login " "podman login " "az login " "oc login " "psexec " "twine upload " "ldapsearch "
        "mongo " "mongosh " "mongodump " "mongorestore " "sqlcmd " "cqlsh " "mosquitto_pub " "mosquitto_sub ";
    "password of a command", false: joined_login, "smbclient " "rpcclient " "lftp ";
    "password of a command", false: named, "--from-literal=" "--from-literal " "fly secrets set " "flyctl secrets set " "config:set " "doppler secrets set ";
    "password of a command", false: secret_body, "--body " "--value ";
    "password of a command", false: zip, "zip ";
    "password of a login", false: pair, "auth=(" "auth = (" "basicauth(" "\"auth\": ("
        "networkcredential(" "passwordcredentials(" "passwordauthentication(";
    "password of a login", false: said_login, "login: " "login as " "login with " "log in with " "creds: " "credentials: ";
    "assigned secret", false: beside_admin, "admin\"" "admin'" "admin:" "admin / " "admin` / " "admin/" "root\"" "root'" "root:" "root / " "root` / " "root/";
    "assigned secret", false: key_below, "\n  key: " "\n    key: " "\n      key: ";
    "password file", false: password_file, ":5432:" ":5433:" ":6432:" ":6543:" ":*:";
    "registry login", false: docker, "\"auth\"" "_auth";
    "authorization header", false: authorization, "authorization";
    "authorization header", false: bearer, "\"bearer " "'bearer ";
    "authorization header", false: basic, "\"basic " "'basic " "(\"basic";
};

/// Beginnings above several secrets.
static BLOCKS: &[Rule] = &[
    block("\ndata:", in_yaml),
    block("\nstringData:", in_yaml),
    // In a list of manifests.
    block("\n  data:", in_yaml),
    block("\n  stringData:", in_yaml),
    block("\n    data:", in_yaml),
    block("\n    stringData:", in_yaml),
    // In a hunk of a diff.
    block("\n data:", in_yaml),
    block("\n+data:", in_yaml),
    block("\n stringData:", in_yaml),
    block("\n+stringData:", in_yaml),
    block("\n+  data:", in_yaml),
    block("\n   data:", in_yaml),
    // `secretGenerator:`, by letters of it that are rare.
    block("etGe", in_generator),
    block("\"data\": {", in_json),
    block("\"data\":{", in_json),
    block("\"stringData\": {", in_json),
    block("\"stringData\":{", in_json),
    block("\"kubernetes_secret", in_resource),
    block("insert into ", inserted),
    block("create table ", defined),
    block("password,", in_rows),
    block("password;", in_rows),
    block("password\t", in_rows),
    block("password\n", in_rows),
    block("password\r\n", in_rows),
    block("password |", in_rows),
    block("password|", in_rows),
    block("password\",", in_rows),
    block("api_key;", in_rows),
    block("api_key,", in_rows),
    block("access key\n", in_rows),
    block("access key\r\n", in_rows),
    block("access key\",", in_rows),
    block("access key\"\n", in_rows),
    block("access key\"\r\n", in_rows),
    block("password\"\n", in_rows),
    block("password\"\r\n", in_rows),
    block("token,", in_rows),
    block("secret,", in_rows),
    block(LISTS[0], in_list),
    block(LISTS[1], in_list),
    block(LISTS[2], in_list),
    block(LISTS[3], in_list),
    block(LISTS[4], in_list),
    block(LISTS[5], in_list),
    block(LISTS[6], in_list),
    block("secret:\n", in_list),
];

const fn block(beginning: &'static str, each: Each) -> Rule {
    Rule {
        kind: "assigned secret",
        beginning,
        is_known: false,
        finds: Finds::Each(each),
    }
}

/// Beginnings of objects and database addresses in base64.
static ENCODED: &[Rule] = &[
    in_base64("eyJ"),
    // `{` and `[` on a line of their own, a list, settings of clusters.
    in_base64("ewogI"),
    in_base64("ewoJI"),
    in_base64("WwogI"),
    in_base64("W3si"),
    in_base64("W3sK"),
    in_base64("YXBpVmVyc2lvbjo"),
    in_base64("cG9zdGdyZX"),
    in_base64("bXlzcWw6Ly9"),
    in_base64("bW9uZ29kY"),
    in_base64("cmVkaXM6Ly9"),
    in_base64("YW1xcDovL"),
    in_base64("aHR0cHM6Ly9"),
    in_base64("aHR0cDovL"),
];

const fn in_base64(beginning: &'static str) -> Rule {
    Rule {
        kind: "secret in base64",
        beginning,
        is_known: true,
        finds: Finds::Encoded(encoded),
    }
}

/// Names to which secrets are assigned, in any case.
static NAMES: &[Rule] = rules! {
    "assigned secret", false: password, "password" "passwd" "pswd" "passwrd" "paswd" "pasword" "passord" "passphrase" "passcode" "pwd" "pass" "psk" "dbpass" "dnpass" "remotepass" "userpass" "rootpass" "adminpass" "ldappass" "smtppass" "mailpass" "ftppass"
        "wifipass" "stapsk" "_authtok" "user_super" "pre-shared-key" "pre_shared_key"
        "storepass" "keypass" "requirepass" "controlpass" "sshpass" "pass_phrase" "pass-phrase" "_pw" "rootpw"
        "authident" "bindpw" "lösenord" "비밀번호" "şifre" "hasło" "sifre" "salasana" "adgangskode"
        "identified by" "-securestring" "passwort" "kennwort" "mot_de_passe"
        "motdepasse" "mot de passe" "parola d'ordine" "contraseña" "contrasena" "senha" "heslo" "wachtwoord" "пароль" "Пароль" "密码" "密碼" "口令" "パスワード" "mật khẩu" "Mật khẩu" "kata sandi" "jelszó";
    "assigned secret", false: short_name, "pw: " "pw = \"" "pw = '" "pw=\"" "pw='" "pw == \"" "pw == '" "pw := \"" "pw = @\"" "pw = string::from(\"";
    "assigned secret", false: short_among_words, "pw:" "pw=" "pw ";
    "assigned secret", false: short_name_behind, "\npw = " "\npw=" "\"pw\": \"" "\"pw\":\"" "'pw': '";
    "assigned secret", false: secret, "secret" "api_key" "apikey" "api-key" "access_key" "accesskey"
        "private_key" "privatekey" "plaintext_value" "encryption_key" "signing_key" "auth_token" "access_token"
        "authtoken" "accesstoken" "credential" "token" "api_secret" "validationkey";
    "assigned secret", false: spoken, "api key" "access key" "secret key" "private key" "encryption key"
        "authentication key" "authorization key" "auth key" "signing key" "master key" "shared key" "account key" "storage key" "recovery key"
        "activation key" "license key" "licence key" "product key" "registration key" "serial key";
    "assigned secret", false: key, "_key" "-key" "masterkey" "storagekey" "accountkey" "sharedkey"
        "consumerkey" "licensekey" "appkey" "adminkey" "authkey" "sessionkey" "serverkey"
        "servicekey" "subscriptionkey" "cryptkey" "encryptkey" "encryptionkey" "decryptionkey" "signingkey" "presharedkey" "aeskey" "cipherkey" "hmackey"
        "api.key" "secret.key" "access.key" "encryption.key" "encrypt.key" "signing.key" "private.key" "_salt"
        "pepper" "jwtkey" "bearer" "_auth" "_sk" "_pk";
    "assigned secret", false: personal_token, "_pat=" "_pat = " "_pat: " "_pat\": ";
    "assigned secret", false: plain_key, "key: \"" "key: '" "key\": \"" "key\":\"" "key': '" "key = \"" "key = '" "key := \"" "key=";
    "assigned secret", false: seed, "mnemonic" "seed_phrase" "seed phrase" "seedphrase" "recovery_phrase" "hdwalletprovider";
};

/// First the rules for known tokens, then the names.
pub(super) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let known = TOKENS.iter().chain(MIDDLES).chain(SHAPES);
    known.chain(ENCODED).chain(BLOCKS).chain(NAMES).collect()
});
