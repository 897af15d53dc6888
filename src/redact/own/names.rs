//! Secrets that a name gives away: `DB_PASSWORD=…`, a sentence, a list of names and values.

use super::formats::{PATH, UUID};
use crate::redact::rule::{Edge, SecretRule, SecretTest, rule};

/// Defines parts of patterns, each as a macro, since `concat!` takes nothing else.
macro_rules! parts {
    ($($name:ident = $text:expr;)*) => { $(macro_rules! $name { () => { $text }; })* };
}
#[rustfmt::skip]
parts! {
    // The names that a password has, and a secret that a machine made; as people say them in a sentence; any other key,
    // which can be one that opens nothing.
    password_names = r"(?:passwor[dt]|passwd|passphrase|passcode|pwd|(?:\b|_)pw(?:\b|[_\d])|(?-i:[a-z]P[Ww]\b)|\b(?:root|bind|admin|user|db|ftp|ldap|smtp|mail|ssh|app|sql|my)pw\b|_pass\b|(?-i:_PASS_\d)|_cred\b|(?:\b|_)psk\b|contrase(?:\xc3[\xb1\x91]|n(?:\xcc\x83)?|\\{1,8}u00[fd]1)a|(?:\b|_)clave|\bfrase de paso|(?:\b|_)senha|\bpalavra-passe|\bmot de passe|kennwort)";
    short_password_names = r"(?:\b[a-z]{0,12}pass\b|(?-i:[a-z]Pass\b))";
    secret_names = r"(?:secret|token|api[ _.-]?key|apikey|(?:access|secret|private|priv|encryption|signing|master|service|shared|license|account|auth|session|deploy|bot|client|app(?:lication)?|admin|webhook|subscription|integration)[ _.-]?key|[a-z0-9]_(?:key|salt)|credentials?|creds|_auth|auth[ _-]?(?:token|key|code)|[._]pat\b|(?-i:[a-z]P(?:at|AT)\b)|(?:\b|_)clave|(?:page|cursor|continuation|pagination|csrf)[ _-]?token|next_?token)";
    said_names = r"(?:\b(?:secret|(?-i:PAT)|geheimnis|segreto|secreto|segredo|(?:access |auth |api |bot |bearer )?token|(?:api|access|secret|private|license|deploy)[ -]key|credentials?|clave|jeton|cl\xc3\xa9(?: d.)?(?: ?api| secr\xc3\xa8te)?|llave|chave|chiave|[a-z-]{0,16}schl(?:\xc3\xbc|ue)ssel)|\xd1\x82\xd0\xbe\xd0\xba\xd0\xb5\xd0\xbd|\xe5\xaf\x86\xe9\x92\xa5|API[ \t]?\xe3\x82\xad\xe3\x83\xbc)";
    key_names = r"\b\w{2,16}[ _-]key";
    // The end of a line, borders, and the beginning of the next line with a word. The end of what stands alone.
    below = r#"[ \t]{0,8}\r?\n(?:(?:[ \t]{0,8}\d{1,5}\t)?[ \t>|#+`*=~-]{0,60}(?:`{3}[a-z]{0,8})?\r?\n){0,3}[ \t>|#+*=`"'-]{0,16}(?:\d{1,5}\t[ \t]{0,16})?["'`]{0,2}"#;
    alone = r#"(?:["'`*]{1,4}|[ \t]{0,8}(?:\r?\n|$))"#;
    // A secret in a sentence, in base64 with its slashes; what is between a name and it, on the same line and below.
    said_value = r#"["'`*]{0,3}(?:([A-Za-z0-9+/]{20,}={0,2})(?:[^\w.~+/-]|$)|([^\s"'`\\<>,;:/(){}\[\]\xc2\xe2\xe3\xef]{16,}))"#;
    said_near = concat!(r#"["'`*]{0,3}(?:[ \t](?:->[ \t]|\()?|,?(?:[ \t][^\s:=",.;(){}\[\]]{1,20}){0,6}?(?:[ \t]?:[ \t]?\r?\n?|,?[ \t](?:is|are|was|with|it(?:'|\xe2\x80\x99)s|es|son|era|ist|sind|lautet|est)\b:?|[ \t]\xc3[\xa8\xa9]:?))[ \t]{0,3}"#, said_value!());
    said_below = concat!(r#"["'`*)\]]{0,4}(?:[ \t,][^\r\n]{0,60}:|[ \t]{0,3}:?)["'`*]{0,3}"#, below!(), r#"([^\s"'`\\|<>,;:()\x80-\xff]{16,})"#, alone!());
    // What joins a name and its value: the end of a string, a type, a sign or a verb, the beginning of a string.
    joint = concat!(r#"\w{0,20}["'`*\\%]{0,6}(?:\[?\d{0,3}\]|\}|(?:[ \t]{0,2}:[ \t]?|[ \t](?:as[ \t])?)&?(?:'static[ \t])?(?:str(?:ing)?|text)\b\]?[?!]?|[ \t]\{[^{}"\r\n]{0,24}\}|[ \t]\([^()"\r\n=]{1,20}\)|\.{2,})?(?:(?:</?[\w-]{1,14}/?>[\s+>#]{0,20}){1,3}|(?:</?[\w-]{1,14}/?>[ \t]{0,3}){0,2}(?:[\s,:={(+>"'\\]{1,24}(?:type["'\\]{0,3}\s{0,8}[:=][^,\r\n]{1,20}?[\s,+"]{1,16})?(?:\w{0,12}value|default|content)["'\\]{0,3}\s{0,3}[:=]\s{0,3}|[ \t]{0,}(?:[:?+|]{0,2}={1,3}>?|:-?|:{2}[ \t]|[-=]>|<-|\xe2\x86\x92|\b(?:(?:is|was|has|should|might|may|must|will)[ \t](?:[a-z]{2,9}[ \t]){0,2}?(?:be|to)|(?:is|es|ist|est)[ \t](?:now|ahora|jetzt|maintenant)|is|was|es|era|sera|to|a|ist|lautet|hei(?:\xc3\x9f|ss)t|w(?:a|\xc3\xa4)re?|est|foi|er|je)\b(?:[ \t]?:)?|\b[cs](?:'|\xe2\x80\x99)est\b|\bs[ea]r\xc3[\xa1\xa0]|\xc3[\xa8\xa9]:?|'s[ \t])(?:[ \t]{0,3}[>|][+-]?)?(?:[ \t]{0,}|[ \t]{0,3}\r?\n[ \t>+]{2,12}(?:-[ \t])?)(?:&\w{1,20}[ \t]|!!?\w{1,8}[ \t])?(?:</?[\w-]{1,14}/?>\s{0,20}){0,2}|[ \t]{0,}(?:[/-][ \t]{1,}|\xe2\x80[\x93\x94][ \t]{0,})|[ \t]{1,}(?:\||\.{1,})[ \t]{1,}|[ \t]{0,3}(?:[:=]?[ \t]{0,3}\(|:[ \t]{0,3}\[)[\s+>]{0,20}["'`]|[ \t]{0,2},[ \t]{0,12}(?:\w{1,8}:[ \t]?)?["'`]|[ \t]{1,3}["'`]|\{[ \t]?["'`]|\)?[ \t]{1,2}(?:\{|or|\|\||\?\?)[ \t]{1,2}["'`]|\]?["']?\)\.\w{1,12}\([ \t]?["'`]|(?:["'][^<>\r\n]{0,60})?>[\s>+|]{0,20}(?:<(?:value|code)>\s{0,20})?))(?:[brfNu&@]?(?:["'`\\ ]|\*\*|\*["'` ]){1,6})?"#);
}
#[rustfmt::skip]
macro_rules! keywords {
    (password) => { &["passw", "passphrase", "passcode", "pwd", "pw", "psk", "contrase", "clave", "frase de paso", "senha", "kennwort", "palavra-passe", "mot de passe", "_pass", "_cred"] };
    // Prose about tests is full of it, so it wakes no other rule.
    (short_password) => { &["pass"] };
    (secret) => { &["secret", "token", "key", "_salt", "credential", "creds", "auth", "_pat", ".pat=", ".pat:", ".pat ", "pat\":", "pat =", "clave"] };
    (said) => { &["secret", "token", "key", "pat is", "pat:", "credential", "clave", "jeton", "clé", "llave", "chave", "chiave", "schl", "geheimnis", "segret", "segredo", "токен", "密钥", "キー"] };
}
/// A name and the value behind it.
macro_rules! named {
    ($kind:ident, $names:ident, $judge:ident, $between:expr, $value:literal, $entropy:literal) => {
        rule!(stringify!($kind), keywords!($kind), concat!("(?i)", $names!(), $between, "(", $value, ")"),
            judge: SecretTest::$judge, entropy: $entropy, allowed: &[PATH, POINT, VERSION], allowed_match: &[CURSOR, OF_A_SECRET, PASSED])
    };
}

/// A part of each name in another language that has one case only.
#[rustfmt::skip]
const FOREIGN: &[&str] = &["parola", "wachtwoord", "adgangskode", "passord", "salasana", "heslo", "geslo", "lozink", "contrasenya", "contrasinal", "kata sandi", "kata laluan", "mdp", "parool", "pasahitz", "pasvort", "asł", "ifre", "ösenord", "elsz", "ật khẩu", "lapta", "ykilor", "арол", "озинк", "ωδικ", "パスワード", "暗証番号", "密码", "密碼", "口令", "비밀번호", "암호", "كلمة", "رمز عبور", "گذرواژه", "סיסמ", "पासवर्ड", "รหัสผ่าน"];

/// One of these is in each name that a cell of a table can have; "pat" alone is in ordinary words.
#[rustfmt::skip]
const IN_A_TABLE: &[&str] = &["pass", "pw", "psk", "cred", "contrase", "clave", "frase de paso", "senha", "kennwort", "secret", "token", "key", "_salt", "auth", "pat|", "pat ", "pat\t", "pat\"", "pat'", "pat`", "pat*"];

/// A place in a list opens nothing.
const CURSOR: &str = r"(?i)^(?:page|cursor|continuation|pagination|next|csrf)[ _-]?token";

/// A key that opens nothing.
const OF_A_CACHE: &str = r"(?i)^(?:cache|caching|public|primary|foreign|unique|partition|sort|index|map|hash|lookup|object|dedup\w*|storage|registry|config|translation|message|row|group|routing|redis|s3|blob|commit|gpg|host|signing|ssh|press|the|any|each|this|hot|shortcut|arrow|meta|query|dict\w*|property|default)[ _-]key";

/// What tells of a secret, and is none: `secretName:`, `tokenizer:`.
const OF_A_SECRET: &str =
    r"(?i)^(?:secret|token|key|credentials?)(?:[_-]?(?:name|ref|class|type|kind|provider|store)s?|i[sz]\w{2,8})\b";

/// A version, a path of code (`windows_sys::core::PCWSTR`), the id of a request or of a call of a tool.
const VERSION: &str = r"(?:^|@)v?\d+(?:\.\d+){2,}(?:[-+@/][a-z0-9./]{1,64})?$|(?:\|\||&&)(?:[^\w./]|$)|^&?[A-Za-z_]\w{0,40}::[A-Za-z_]|^[a-z][a-z_-]{1,20}/[^/+=]{1,30}$|^(?:req|msg|toolu|call|run|resp)_[A-Za-z0-9]{20,}$";

/// The line of a test that passed, or its name or file.
const PASSED: &str = r"(?i)^(?:--- pass|pass:?[ \t]{1,3}(?:(?:test|example|fuzz|benchmark)|\S{1,}\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kt)$))";

/// A word that ends as the name of a password does.
const BYPASS: &str = r"(?i)^(?:by|com|encom|sur|tres|over|under)pass";

/// A public key: a point of a curve, as for push messages, or the first bytes of one in base64.
const POINT: &str = r"^B[A-P][\w-]{85}$|^M(?:CowBQYDK2V|FkwEwYHKoZI|IIBIjANBgkq|IGfMA0G)";

/// A constant, and a name of words.
const IDENTIFIER: &str = r"^(?:[A-Z][A-Z0-9]{0,}(?:_[A-Z0-9]{1,}){1,}|(?-u:[a-z]+\d?_)+[a-z]+\d?|-{0,2}[a-z]{3,}\d{0,2}(?:[.-][a-z]{2,}){1,}|[a-z]{3,}\d|(?:[A-Z]{1,3}[a-z]{1,}){2,}\d?)$";

/// A call or an index.
const CALL: &str = r"^[A-Za-z_][\w.]{0,}[(\[{]";

/// The rules. Each pattern's first group is the secret.
#[rustfmt::skip]
pub const RULES: &[SecretRule] = &[
    // `=`, `: `, ` is `, a cell of a table, `, "value": "`, `("`, `, "`, ` "`, `>`
    named!(password, password_names, Password, joint!(), r#"[^\s"'`\\\xc2\xe2\xe3\xef]{5,}"#, 0.0),
    rule!("password", keywords!(short_password), concat!("(?i)", r"(?:--- )?", short_password_names!(), r#"["'`*\\]{0,6}(?:[ \t](?:for|of|de)(?:[ \t]\S{1,20}|(?:[ \t][^\s:="]{1,20}){2,4}?))?[ \t]{0,}(?::=|=>|={1,2}|:|\bis\b:?|\bes\b:?)[ \t]{0,}["'`*\\ ]{0,6}"#, "(", r#"[^\s"'`\\\xc2\xe2\xe3\xef]{5,}"#, ")"), judge: SecretTest::Password, allowed: &[PATH], allowed_match: &[CURSOR, OF_A_SECRET, PASSED, BYPASS]),
    // Several words and a number between quotation marks, or to the end of the line.
    rule!("password", keywords!(password), concat!("(?i)", password_names!(), r#"["'`*]{0,3}[ \t]{0,3}[:=][ \t]{0,3}["'`]{0,2}((?:[a-z]{3,12} ){1,3}\d{1,4}(?: [a-z]{3,12}){1,3})(?:["'`]|[ \t]{0,4}(?:\r?\n|$))"#), allowed: &[r"(?i)\b(?:must|should|has|have|is|are|was|not|least|than|most|every|after|within|for|and|with|characters?|chars|letters|digits|words|times|tries|attempts|days?|hours?|minutes?|seconds?|bits?|bytes|lines?|version)\b"]),
    // Below its name: on the next line with a word, alone there.
    rule!("password", keywords!(password), concat!(r"(?i)(?:\b|_|-)", password_names!(), r#"\w{0,20}["'`*)\]]{0,4}(?:[ \t][^\r\n]{0,60}:|[ \t]{0,3}:?)["'`*]{0,3}"#, below!(), r#"([^\s"'`\\|<>,;()=\x80-\xff]{8,})"#, alone!()), judge: SecretTest::Password, allowed: &[PATH, IDENTIFIER, UUID, VERSION]),
    rule!("secret", keywords!(secret), concat!(r"(?i)(?:\b|_|-)", secret_names!(), r#"\w{0,20}["'`*)\]]{0,4}(?:[ \t][^\r\n]{0,60}:|[ \t]{0,3}:?)["'`*]{0,3}"#, below!(), r#"([^\s"'`\\|<>,;:()\x80-\xff]{16,})"#, alone!()), judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, POINT, VERSION, IDENTIFIER, UUID], allowed_match: &[CURSOR, OF_A_SECRET]),
    rule!("secret", &["key"], concat!("(?i)", key_names!(), said_below!()), judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, POINT, VERSION, IDENTIFIER, UUID], allowed_match: &[CURSOR, OF_A_SECRET, OF_A_CACHE]),
    // What a command at a prompt printed that has the name in it, or makes passwords.
    rule!("password", &["passw", "secret", "pwgen", "openssl rand", "pass ", "token", "_key", "makepasswd", "apg "], concat!(r#"(?i)(?:[$#%>]|\xe2\x9d\xaf)[ \t][^\r\n]{0,60}(?:passw|secret|token|_key|\bpwgen|\bopenssl rand|\bmakepasswd|\bapg|\bpass[ \t]{1,3}(?:show|generate|[\w.-]{1,20}/))[^\r\n]{0,60}"#, below!(), r#"([^\s"'`\\|<>,;():=\x80-\xff]{8,})={0,2}"#, alone!()), judge: SecretTest::Strong, allowed: &[PATH, IDENTIFIER, UUID, VERSION, r"^(?:[0-9a-f]{40}|[a-z]{4,}\d{3,})$"]),
    // A line of two words; far behind its name, at the end of the line.
    rule!("password", keywords!(password), concat!(r#"(?i)(?:(?:^|\n)[^\w\r\n]{0,20}(?:\d{1,5}\t)?"#, password_names!(), r#"\w{0,20}[ \t]{1,}|"#, password_names!(), r#"\w{0,20}(?:[ \t]{2,}|\t))["']?([^\s"'`\\|<>,;()\x80-\xff]{5,})"#, alone!()), judge: SecretTest::Password, allowed: &[PATH, IDENTIFIER, UUID, VERSION]),
    // The value before its name, as in JSON and in a comparison.
    rule!("secret", &["value\":", "value=\"", "value: ", "\" ==", "' =="], concat!(r#"(?i)(?:\bvalue["']?\s{0,3}[:=]\s{0,3}["']([^"'\s]{6,})["'],?\s{1,16}["']?(?:name|key)["']?\s{0,3}[:=]|["']([^"'\s]{6,})["'][ \t]?={2,3})\s{0,3}["']?[\w.-]{0,40}(?:"#, password_names!(), "|", secret_names!(), ")"), judge: SecretTest::Strong, allowed: &[PATH]),
    // In the next cell of a table.
    rule!("secret", &["|"], concat!(r#"(?i)\|[*"'` \t]{0,4}(?:\w{1,20}[ _-]){0,3}(?:"#, password_names!(), "|", secret_names!(), r#")\w{0,12}[*"'` \t]{0,4}\|[*"'` \t]{0,8}([^\s"'`|\\]{6,})[*"'` \t]{0,8}\|"#), judge: SecretTest::Strong, also: IN_A_TABLE, allowed: &[PATH, VERSION, IDENTIFIER, UUID]),
    // Of a column.
    rule!("password", keywords!(password), concat!(r#"(?i)(?:^|[\r\n|,;(]|[ \t]{2}|\t|")[ \t>+#`"]{0,}((?:\w{1,20}[ _-])?"#, password_names!(), r#"\w{0,12})["'`*]{0,2}[ \t]{0,}(?:[|\t,;)\r\n]|[ \t]{2}|$)"#), edge: Edge::Column, judge: SecretTest::Password, allowed: &[PATH, VERSION]),
    rule!("secret", keywords!(secret), concat!(r#"(?i)(?:^|[\r\n|,;(]|[ \t]{2}|\t|")[ \t>+#`"]{0,}((?:\w{1,20}[ _-])?"#, secret_names!(), r#"\w{0,12})["'`*]{0,2}[ \t]{0,}(?:[|\t,;)\r\n]|[ \t]{2}|$)"#), edge: Edge::Column, judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, VERSION, POINT]),
    // Alone behind its name in a command, behind the kind of it in a file of a router.
    rule!("password", keywords!(short_password), r#"(?i)\bpass[ \t]{1,3}["']?([^\s"'`\\<>,;:()\d]{0,40}\d[^\s"'`\\<>,;:()]{2,})"#, judge: SecretTest::Mixed, allowed: &[PATH], allowed_match: &[PASSED]),
    rule!("password", &["secret ", "password ", "key "], r#"(?i)\b(?:secret|password|key)[ \t]\d[ \t]["']?([^\s"'`\\<>,;:()]{8,})"#, judge: SecretTest::Strong, allowed: &[PATH]),
    // Behind the name of a user that each system has.
    rule!("password", &["root:", "admin:", "postgres:", "ubuntu:", "deploy:", "user:", "root /", "admin /", "root/", "admin/"], r#"(?i)\b(?:root|\w{0,8}admin|postgres|ubuntu|deploy|user)(?::|[ \t]?/[ \t]?)([^\s@/"'`<>:,;()]{8,})"#, judge: SecretTest::Mixed),
    // Any argument of what signs in.
    rule!("password", &["login(", "log_in(", "signin(", "sign_in(", "auth(", "authenticate(", "connect(", "credential", "create_user(", "password(", "begin(", "hashpw(", "bcrypt", "establish("], r#"(?i)(?:log_?in|sign_?in|auth|authenticate|\w{0,20}connect|credentials?|create_user|password|wifi\.begin|hashpw|bcrypt\.\w{1,20})\((?:[^()\r\n]{0,}?[,= \t(])?[brf]?["']([^"'\s\d\\]{0,40}\d[^"'\s\\]{2,})["']"#, judge: SecretTest::Mixed, allowed: &[PATH]),
    // What is between quotation marks behind a user's name, in files of programs.
    rule!("password", &["\" \"", "\" *", " eap ", " psk ", " xauth "], r#"(?im)^[^\w"\r\n]{0,20}(?:\d{1,5}\t)?["']?[\w.@-]{0,40}["']?[ \t]{0,}(?:[\w.*-]{1,20}[ \t]{1,}|:[ \t]{0,3}(?:EAP|PSK|XAUTH)[ \t]{1,3})?["']([^"\s]{6,})["'](?:[ \t]{1,}[*\d.]{1,15})?[ \t]{0,}\r?$"#, judge: SecretTest::Mixed, allowed: &[PATH]),
    // Behind an address or the name of a user.
    rule!("password", &["@"], r#"(?i)\b[\w.+-]{1,40}@[\w-]{1,40}(?:\.[\w-]{2,20}){1,4}[ \t]?[:/][ \t]?([^\s"'`\\<>,;:/]{8,})"#, judge: SecretTest::Mixed),
    rule!("password", &["@"], r#"(?:^|[\s"'`])(?:[\w.-]{1,20}/)?[\w.-]{1,30}:([^\s@/"'`<>:]{8,})@[\w.]"#, judge: SecretTest::Mixed, allowed: &[r"^_Z(?:N[KVRO]*(?:\d|S[a-z\d])|T[VISTCWH]|[KL]|\d)\w{8,}$"]),
    // In any other language: behind a sign; behind some words, with a digit.
    rule!("password", FOREIGN, concat!("(?i)", r"(?u-i:(?-u:(?i:\b(?:parola(?: d'ordine)?|wachtwoord|adgangskode|passord|salasana|heslo|geslo|lozink|contrasenya|contrasinal|kata (?:sandi|laluan)|mdp\b|parool|pasahitz|pasvort)))|[Hh]asł|[Şş]ifre|[Ll]ösenord|[Jj]elsz|[Mm]ật khẩu|[Ss]laptažod|[Ll]ykilorð|[Пп]арол|[Лл]озинк|[Κκ]ωδικ|パスワード|暗証番号|密码|密碼|口令|비밀번호|암호|كلمة (?:ال)?(?:مرور|سر)|رمز عبور|گذرواژه|סיסמ|पासवर्ड|รหัสผ่าน)", r#"[a-z\x80-\xff]{0,}["'`*]{0,3}(?:[ \t]{0,3}(?:[:=]|->)[ \t]{0,3}["'`*]{0,3}([^\s"'`\\<>,;\x80-\xff]{5,})|(?:[ \t]{1,3}[^\s\d:="]{1,}){0,5}?:?(?:[ \t]{1,3}|[\x80-\xff])["'`*]{0,3}([^\s\d"'`\\<>,;\x80-\xff]{0,40}\d[^\s"'`\\<>,;\x80-\xff]{0,}))"#), judge: SecretTest::Password, allowed: &[PATH]),
    // With whom or what it is for: `the password for root is `, `das Passwort für den Server lautet `.
    named!(password, password_names, Password, r#"["'`*]{0,3}(?:[ \t][a-z]{2,10}){0,3}?[ \t](?:for|of|on|f(?:\xc3\xbc|ue)r|von|des|du|de|d|pour|do|da|para|del?)[ '\t][^\s:="]{1,40}(?:[ \t][^\s:="]{1,40}){0,4}?[ \t]?(?:(?:[ \t](?:is|was|ist|lautet|war|(?:c')?est|era|es|foi)\b:?|[ \t]\xc3[\xa8\xa9])[ \t]{1,3}|:[ \t]{1,3})["'`*]{0,3}"#, r#"[^\s"'`\\<>,;()\xc2\xe2\xe3\xef]{5,}"#, 0.0),
    // What it was changed to.
    rule!("password", keywords!(password), concat!(r"(?i)\b(?:set|reset|(?:chang|updat|cambi|modifi|mud|alter)\w{0,6}|ge(?:\xc3\xa4|ae)ndert|j'ai chang\xc3\xa9)[ \t](?:[^\s.:=]{1,20}[ \t]){0,4}?", password_names!(), r#"\w{0,12}["'`*]{0,3}[ \t](?:[^\s.:=]{1,20}[ \t]){0,4}?(?:to|into|a|in|en|auf|para|por|con)[ \t]["'`*]{0,3}([^\s"'`\\<>,;]{5,})"#), judge: SecretTest::Password, allowed: &[PATH]),
    // Some words between them: `password for the root user: `, `the password of the box is `.
    named!(password, password_names, Strong, r#"\w{0,20}["'`*\\,;.]{0,6}(?:[ \t]["'(\[]?[^\s:="]{1,}){0,7}?["')\]*`]{0,3}(?::(?:\s|\\n|[*"'`]){1,6}|=(?:[ \t]|[*"'`]){1,6})"#, r#"[^\s"'`\\<>,;()\xc2\xe2\xe3\xef]{8,}"#, 2.5),
    named!(password, password_names, Strong, r#"\w{0,20}["'`*\\,;.]{0,6}(?:[ \t]["'(\[]?[^\s:="]{1,40}){0,7}?[ \t](?:(?:is|was|es|era|ist|lautet|war|est)\b:?(?:[ \t]|[*"'`]){1,6}|["'`])"#, r#"[^\s"'`\\<>,;()\xc2\xe2\xe3\xef]{8,}"#, 2.5),
    // The next word with a digit: `the password has been set to `, `mit dem Passwort `.
    named!(password, password_names, Strong, r#"\w{0,20}[,;.]?(?:[ \t][^\s\d:=<>]{1,}){0,7}?[ \t]{1,3}["'`*(]{0,3}"#, r#"[^\s\d"'`\\<>,;:(){}\[\]\xc2\xe2\xe3\xef]{0,}\d[^\s"'`\\<>,;(){}\[\]\xc2\xe2\xe3\xef]{1,}"#, 2.5),
    named!(secret, secret_names, Random, concat!("(?:", joint!(), r"|[ \t]{2,}|\t|(?:[ \t](?:de|del|for|of|the|la|el|our|API)){1,3}[ \t](?:is|es|was)[ \t])"), r#"[^\s"'`\\<>,;(){}\[\]\xc2\xe2\xe3\xef]{11,}"#, 3.0),
    // The next word, or some words between them: `use the token …`, `here is the token you need: `.
    rule!("secret", keywords!(said), concat!("(?i)", said_names!(), said_near!()), judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, POINT, VERSION], allowed_match: &[CURSOR, OF_A_SECRET, PASSED]),
    rule!("secret", &["key"], concat!("(?i)", key_names!(), said_near!()), judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, POINT, VERSION], allowed_match: &[CURSOR, OF_A_SECRET, PASSED, OF_A_CACHE]),
    rule!("secret", keywords!(said), concat!(r"(?i)\b(?:your|our|my|the|this)[ \t](?:new[ \t])?key(?:[ \t](?:for|of|to|that|you|we|i)(?:[ \t][^\s:=]{1,20}){1,5}?)?(?:[ \t]is)?:?[ \t]{1,3}", said_value!()), judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH]),
    rule!("secret", keywords!(said), concat!(r#"(?i)([^\s"'`\\<>,;:/(){}\[\]\xc2\xe2\xe3\xef]{16,})["'`*]{0,3}[ \t](?:as|como|als|comme|come|is|ist|es|est|<-{1,2}|\xc3[\xa8\xa9]|\()[ \t]?(?:[a-z]{1,8}[ \t]){0,3}"#, "(?:", said_names!(), "|", key_names!(), ")"), judge: SecretTest::Random, entropy: 3.0, reach: 40, allowed: &[PATH]),
    rule!("password", &["wifi", "wi-fi", "wpa", "hotspot", "wlan"], r#"(?i)\b(?:wi-?fi|wpa[23]?|hotspot|wlan)[ \t-](?:network[ \t])?(?:key|code|clave|schl(?:\xc3\xbc|ue)ssel)["'`]?[ \t]{0,3}(?::|=|\bis\b|\bes\b)[ \t]{0,3}["'`]?([^\s"'`\\<>,;]{6,})"#, judge: SecretTest::Password),
    rule!("seed-phrase", &["seed", "mnemonic", "recovery", "semilla"], r#"(?i)\b(?:seed|mnemonic|recovery|semilla)[ \t]{0,2}(?:phrase|words|key)?["'`\w\t ]{0,20}[:=][\s"'`]{0,4}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"#),
    // Between quotation marks it can have any sign: `SECRET_KEY = "…"`, `os.environ["DB_PASSWORD"] = "…"`.
    named!(secret, secret_names, Random, r#"\w{0,20}["'\]]{0,3}(?:[ \t]{0,2}:[ \t]?str(?:ing)?)?[ \t]{0,3}(?::|=>|=|,)[ \t]{0,3}[brfu]?["']"#, r#"[^"'`\\\s),;][^"'`\\\s]{19,}"#, 3.5),
    // Alone behind `=`, with signs that end it elsewhere.
    rule!("password", keywords!(password), concat!("(?i)", password_names!(), r#"\w{0,20}=([^\s"'`\\<>=&,;()]{1,}(?:,[^\s"'`\\<>=&,;]{1,};|;[^\s"'`\\<>=&,;]{1,},)[^\s"'`\\<>=&]{2,})(?:[\s"'`]|$)"#)),
    rule!("secret", keywords!(secret), concat!("(?i)", secret_names!(), r#"\w{0,20}=([^\s"'`\\<>=&,;(){}\[\]]{4,}[,;(){}\[\]][^\s"'`\\<>=&]{4,})(?:[\s"'`]|$)"#), judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, CALL]),
    // What is before the name, or below it.
    rule!("password", keywords!(password), concat!(r#"(?i)\b(?:uses?|set|put|try|type|enter|usa[rd]?|pon(?:er)?|puse|con|impostato|coloquei|mis|utilise[rz]?|nimm|nutze|benutze|verwende)[ \t]{1,3}["'`]?([^\s"'`\\<>,;]{5,})["'`]?[ \t]{1,3}(?:as|for|como|als|comme|come)[ \t](?:(?:the|a|my|your|our|its|new|la|el|nueva|nuevo|mi|tu)[ \t]){0,3}(?:[a-z]{1,12}[ \t])?"#, password_names!()), judge: SecretTest::Password, reach: 40, allowed: &[PATH]),
    rule!("password", keywords!(password), concat!(r#"(?i)([^\s\d"'`\\<>,;=]{0,}\d[^\s"'`\\<>,;=]{1,})["'`]?[ \t]{1,3}(?:\(|<-{1,2}[ \t]|-[ \t]|(?:as|for|como|als|comme|come|is|es|ist|est|\xc3\xa9)[ \t])(?:[a-z]{1,6}[ \t]){0,3}"#, password_names!()), judge: SecretTest::Strong, reach: 40, allowed: &[PATH]),
    rule!("password", keywords!(password), concat!(r"(?i)\b(?:use|try|with|and|usa[r]?|con|y|utilise[rz]?|avec|et|verwende|benutze|nimm|mit|und|com|e|user(?:name)?[ \t]\S{1,30}|benutzer[ \t]\S{1,30}|usu(?:\xc3\xa1|a)rio[ \t]\S{1,30}),?[ \t](?:(?:the|this|la|a|le|das|dem)[ \t])?", password_names!(), r#"[ \t]{1,3}["'`]?([^\s"'`\\<>,;]{5,})"#), judge: SecretTest::Password, reach: 40, allowed: &[PATH]),
    rule!("password", &["basicauth", "digestauth", "basic_auth", "auth=(", "auth = ("], r#"(?i)(?:BasicAuth|DigestAuth|basic_auth|\bauth[ \t]?=[ \t]?)[ \t]{0,2}\([ \t]{0,3}["'][^"'\s]{1,}["'][ \t]{0,2},[ \t]{0,3}["']([^"'\s]{4,})["']"#, judge: SecretTest::Password),
    rule!("password", &["@10.", "@192.", "@172.", "@127."], r#"\b[\w.-]{1,30}:([^\s@/"'`<>]{5,})@(?:\d{1,3}\.){3}\d"#, judge: SecretTest::Password),
];
