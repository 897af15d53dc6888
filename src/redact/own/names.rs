//! Secrets that a name gives away: `DB_PASSWORD=…`, a sentence, a list of names and values.

use super::formats::PATH;
use crate::redact::rule::{Judge, Rule, rule};

/// The names that a password has, and a secret that a machine made.
macro_rules! password_names {
    () => {
        r"(?:passwor[dt]|passwd|passphrase|passcode|pwd|(?:\b|_)pw(?:\b|[_\d])|(?-i:[a-z]P[Ww]\b|\b[A-Z]{2,8}PW\b)|_pass\b|(?-i:_PASS_\d)|_cred\b|(?:\b|_)psk\b|contrase(?:\xc3[\xb1\x91]|n(?:\xcc\x83)?|\\{1,8}u00[fd]1)a|(?:\b|_)clave|\bfrase de paso|(?:\b|_)senha|\bpalavra-passe|\bmot de passe|kennwort)"
    };
}
macro_rules! short_password_names {
    () => {
        r"(?:\bpass\b|sshpass|(?-i:[a-z]Pass\b))"
    };
}
macro_rules! secret_names {
    () => {
        r"(?:secret|token|api[ _.-]?key|apikey|(?:access|secret|private|priv|encryption|signing|master|service|shared|license|account|auth|session|deploy|bot|client|app(?:lication)?|admin|webhook|subscription|integration)[ _.-]?key|[a-z0-9]_(?:key|salt)|credentials?|creds|_auth|auth[ _-]?(?:token|key|code)|[._]pat\b|(?:\b|_)clave|(?:page|cursor|continuation|pagination)[ _-]?token|next_?token)"
    };
}
/// As people say them in a sentence.
macro_rules! said_names {
    () => {
        r"\b(?:secret|(?:access |auth |api |bot |bearer )?token|(?:api|access|secret|private|license|deploy)[ -]key|credentials?|clave|jeton|cl\xc3\xa9(?: d.)?(?: ?api| secr\xc3\xa8te)?|llave|chave|chiave|(?:api-)?schl(?:\xc3\xbc|ue)ssel)"
    };
}
macro_rules! keywords {
    (password) => {
        &[
            "passw", "passphrase", "passcode", "pwd", "pw", "psk", "contrase", "clave", "frase de paso", "senha",
            "kennwort", "palavra-passe", "mot de passe", "_pass", "_cred",
        ]
    };
    // Prose about tests is full of it, so it wakes no other rule.
    (short_password) => {
        &["pass"]
    };
    (secret) => {
        &["secret", "token", "key", "_salt", "credential", "creds", "auth", "_pat", ".pat=", ".pat:", ".pat ", "clave"]
    };
    (said) => {
        &["secret", "token", "key", "credential", "clave", "jeton", "clé", "llave", "chave", "chiave", "schl"]
    };
}

/// A name and the value behind it.
macro_rules! named {
    ($kind:ident, $names:ident, $judge:ident, $between:literal, $value:literal, $entropy:literal) => {
        rule!(stringify!($kind), keywords!($kind), concat!("(?i)", $names!(), $between, "(", $value, ")"),
            judge: Judge::$judge, entropy: $entropy, allowed: &[PATH, POINT, VERSION], allowed_match: &[CURSOR, OF_A_SECRET, PASSED])
    };
}

/// A part of each name in another language that has one case only.
#[rustfmt::skip]
const FOREIGN: &[&str] = &["parola", "wachtwoord", "adgangskode", "passord", "salasana", "heslo", "geslo", "lozink", "contrasenya", "contrasinal", "kata sandi", "kata laluan", "mdp", "parool", "pasahitz", "pasvort", "asł", "ifre", "ösenord", "elsz", "ật khẩu", "lapta", "ykilor", "арол", "озинк", "ωδικ", "パスワード", "暗証番号", "密码", "密碼", "口令", "비밀번호", "암호", "كلمة", "رمز عبور", "گذرواژه", "סיסמ", "पासवर्ड", "รหัสผ่าน"];

/// A place in a list opens nothing.
const CURSOR: &str = r"(?i)^(?:page|cursor|continuation|pagination|next)[ _-]?token";

/// What tells of a secret, and is none: `secretName:`, `tokenizer:`.
const OF_A_SECRET: &str =
    r"(?i)^(?:secret|token|key|credentials?)(?:[_-]?(?:name|ref|class|type|kind|provider|store)s?|i[sz]\w{2,8})\b";

/// A version, and a path of code: `windows_sys::core::PCWSTR`.
const VERSION: &str =
    r"(?:^|@)v?\d+(?:\.\d+){2,}(?:[-+@/][a-z0-9./]{1,64})?$|(?:\|\||&&)(?:[^\w./]|$)|^&?[A-Za-z_]\w{0,40}::[A-Za-z_]";

/// The line of a test that passed, or its name or file.
const PASSED: &str = r"(?i)^(?:--- pass|pass:?[ \t]{1,3}(?:(?:test|example|fuzz|benchmark)|\S{1,}\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kt)$))";

/// A public key: a point of a curve, as for push messages, or the first bytes of one in base64.
const POINT: &str = r"^B[A-P][\w-]{85}$|^M(?:CowBQYDK2V|FkwEwYHKoZI|IIBIjANBgkq|IGfMA0G)";

/// A call or an index.
const CALL: &str = r"^[A-Za-z_][\w.]{0,}[(\[{]";

/// The rules. Each pattern's first group is the secret.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    // `=`, `: `, ` is `, a cell of a table, `, "value": "`, `("`, `, "`, ` "`, `>`
    named!(password, password_names, Password, r#"\w{0,20}["'`*\\]{0,6}(?:\]|[ \t]{0,2}:[ \t]?str(?:ing)?\b)?(?:[ \t]{0,3}(?::=|=>|={1,3}|:|->|\xe2\x86\x92|\b(?:(?:is|was|has|should|might|may|must|will)[ \t](?:[a-z]{2,9}[ \t]){0,2}?(?:be|to)|is(?:[ \t]now)?|was|es|era|sera|to|a|ist|lautet|hei(?:\xc3\x9f|ss)t|war|est|foi)\b(?:[ \t]?:)?|\bser\xc3\xa1|\xc3[\xa8\xa9])[ \t]{0,3}|[ \t]{1,3}(?:\||/|-|\xe2\x80[\x93\x94])[ \t]{1,3}|[\s,]{1,16}["'\\]{0,3}value["'\\]{0,3}\s{0,3}[:=]\s{0,3}|[ \t]{0,2}\([ \t]{0,2}["'`]|[ \t]{0,2},[ \t]{0,12}["'`]|[ \t]{1,3}["'`]|>)(?:[brf&]?(?:["'`\\ ]|\*\*|\*["'` ]){1,6})?"#, r#"[^\s"'`\\\xc2\xe2\xe3\xef]{5,}"#, 0.0),
    rule!("password", keywords!(short_password), concat!("(?i)", r"(?:--- )?", short_password_names!(), r#"["'`*\\]{0,6}[ \t]{0,3}(?::=|=>|={1,2}|:|\bis\b:?|\bes\b:?)[ \t]{0,3}["'`*\\ ]{0,6}"#, "(", r#"[^\s"'`\\\xc2\xe2\xe3\xef]{5,}"#, ")"), judge: Judge::Password, allowed: &[PATH], allowed_match: &[CURSOR, OF_A_SECRET, PASSED]),
    // In any other language: behind a sign; behind some words, with a digit.
    rule!("password", FOREIGN, concat!("(?i)", r"(?u-i:(?-u:(?i:\b(?:parola(?: d'ordine)?|wachtwoord|adgangskode|passord|salasana|heslo|geslo|lozink|contrasenya|contrasinal|kata (?:sandi|laluan)|mdp\b|parool|pasahitz|pasvort)))|[Hh]asł|[Şş]ifre|[Ll]ösenord|[Jj]elsz|[Mm]ật khẩu|[Ss]laptažod|[Ll]ykilorð|[Пп]арол|[Лл]озинк|[Κκ]ωδικ|パスワード|暗証番号|密码|密碼|口令|비밀번호|암호|كلمة (?:ال)?(?:مرور|سر)|رمز عبور|گذرواژه|סיסמ|पासवर्ड|รหัสผ่าน)", r#"[a-z\x80-\xff]{0,}["'`*]{0,3}(?:[ \t]{0,3}(?:[:=]|->)[ \t]{0,3}["'`*]{0,3}([^\s"'`\\<>,;\x80-\xff]{5,})|(?:[ \t]{1,3}[^\s\d:="]{1,}){0,5}?:?(?:[ \t]{1,3}|[\x80-\xff])["'`*]{0,3}([^\s\d"'`\\<>,;\x80-\xff]{0,40}\d[^\s"'`\\<>,;\x80-\xff]{2,}))"#), judge: Judge::Password, allowed: &[PATH]),
    // With whom or what it is for: `the password for root is `, `das Passwort für den Server lautet `.
    named!(password, password_names, Password, r#"["'`*]{0,3}[ \t](?:for|of|on|f(?:\xc3\xbc|ue)r|von|des|du|de|d|pour|do|da|para|del?)[ '\t][^\s:="]{1,40}(?:[ \t][^\s:="]{1,40}){0,4}?[ \t]?(?:(?:[ \t](?:is|was|ist|lautet|war|est|era|es|foi)\b:?|[ \t]\xc3[\xa8\xa9])[ \t]{1,3}|:[ \t]{1,3})["'`*]{0,3}"#, r#"[^\s"'`\\<>,;()\xc2\xe2\xe3\xef]{5,}"#, 0.0),
    // Some words between them: `password for the root user: `, `the password of the box is `.
    named!(password, password_names, Strong, r#"\w{0,20}["'`*\\]{0,6}(?:[ \t]["'(\[]?[^\s:="]{1,}){0,7}?["')\]*`]{0,3}(?::(?:\s|\\n|[*"'`]){1,6}|=(?:[ \t]|[*"'`]){1,6})"#, r#"[^\s"'`\\<>,;()\xc2\xe2\xe3\xef]{8,}"#, 2.8),
    named!(password, password_names, Strong, r#"\w{0,20}["'`*\\]{0,6}(?:[ \t]["'(\[]?[^\s:="]{1,40}){0,7}?[ \t](?:(?:is|was|es|era|ist|lautet|war|est)\b:?(?:[ \t]|[*"'`]){1,6}|["'`])"#, r#"[^\s"'`\\<>,;()\xc2\xe2\xe3\xef]{8,}"#, 2.8),
    // The next word with a digit: `the password has been set to `, `mit dem Passwort `.
    named!(password, password_names, Strong, r#"\w{0,20}(?:[ \t][^\s\d:=<>]{1,}){0,7}?[ \t]{1,3}["'`*(]{0,3}"#, r#"[^\s\d"'`\\<>,;:(){}\[\]\xc2\xe2\xe3\xef]{0,}\d[^\s"'`\\<>,;(){}\[\]\xc2\xe2\xe3\xef]{1,}"#, 2.8),
    named!(secret, secret_names, Random, r#"\w{0,20}["'`*\\]{0,6}\]?(?:[ \t]{0,3}(?::=|=>|={1,3}|:|->|\xe2\x86\x92|\bis\b:?|\bwas\b|\bes\b:?|\bera\b|\bto\b|\bist\b:?|\blautet\b:?|\best\b:?|\xc3[\xa8\xa9]:?)(?:[ \t]{0,3}(?:[>|][+-]?)?(?:[ \t]{0,8}|[ \t]{0,3}\r?\n[ \t]{2,12}(?:-[ \t])?)|[ \t]{0,3})(?:&\w{1,20}[ \t])?|[ \t]{1,3}\|[ \t]{1,3}|[\s,]{1,16}["'\\]{0,3}value["'\\]{0,3}\s{0,3}[:=]\s{0,3}|[ \t]{0,2}\([ \t]{0,2}["'`]|[ \t]{0,2},[ \t]{0,12}["'`]|[ \t]{1,3}["'`]|>|(?:[ \t](?:de|del|for|of|the|la|el|our|API)){1,3}[ \t](?:is|es|was)[ \t])(?:[brf&]?["'`*\\ ]{1,6})?"#, r#"[^\s"'`\\<>,;(){}\[\]\xc2\xe2\xe3\xef]{11,}"#, 3.0),
    // The next word, or some words between them: `use the token …`, `here is the token you need: `.
    rule!("secret", keywords!(said), concat!("(?i)", said_names!(), r#"["'`*]{0,3}(?:[ \t](?:->[ \t])?|,?(?:[ \t][^\s:=",.;(){}\[\]]{1,20}){0,6}?(?:[ \t]?:[ \t]?\r?\n?|[ \t](?:is|was|es|era|ist|lautet|est)\b:?|[ \t]\xc3[\xa8\xa9]:?))[ \t]{0,3}["'`*]{0,3}([^\s"'`\\<>,;:/(){}\[\]\xc2\xe2\xe3\xef]{16,})"#), judge: Judge::Random, entropy: 3.0, allowed: &[PATH, POINT, VERSION], allowed_match: &[CURSOR, OF_A_SECRET, PASSED]),
    rule!("secret", keywords!(said), r#"(?i)\b(?:your|our|my|the|this)[ \t](?:new[ \t])?key(?:[ \t]is)?:?[ \t]{1,3}["'`*]{0,3}([^\s"'`\\<>,;:/(){}\[\]\xc2\xe2\xe3\xef]{16,})"#, judge: Judge::Random, entropy: 3.0, allowed: &[PATH]),
    rule!("secret", keywords!(said), concat!(r#"(?i)([^\s"'`\\<>,;:/=(){}\[\]\xc2\xe2\xe3\xef]{16,})["'`*]{0,3}[ \t](?:as|como|als|comme|come)[ \t](?:[a-z]{1,8}[ \t]){0,3}"#, said_names!()), judge: Judge::Random, entropy: 3.0, reach: 40, allowed: &[PATH]),
    rule!("password", &["wifi", "wi-fi", "wpa", "hotspot"], r#"(?i)\b(?:wi-?fi|wpa[23]?|hotspot)[ \t](?:network[ \t])?(?:key|code|clave)["'`]?[ \t]{0,3}(?::|=|\bis\b|\bes\b)[ \t]{0,3}["'`]?([^\s"'`\\<>,;]{6,})"#, judge: Judge::Password),
    rule!("seed-phrase", &["seed", "mnemonic", "recovery", "semilla"], r#"(?i)\b(?:seed|mnemonic|recovery|semilla)[ \t]{0,2}(?:phrase|words|key)?["'`\w\t ]{0,20}[:=][\s"'`]{0,4}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"#),
    // Between quotation marks it can have any sign: `SECRET_KEY = "…"`, `os.environ["DB_PASSWORD"] = "…"`.
    named!(secret, secret_names, Random, r#"\w{0,20}["'\]]{0,3}(?:[ \t]{0,2}:[ \t]?str(?:ing)?)?[ \t]{0,3}(?::|=>|=|,)[ \t]{0,3}[brfu]?["']"#, r#"[^"'`\\\s),;][^"'`\\\s]{19,}"#, 3.5),
    // Alone behind `=`, with signs that end it elsewhere.
    rule!("password", keywords!(password), concat!("(?i)", password_names!(), r#"\w{0,20}=([^\s"'`\\<>=&,;()]{1,}(?:,[^\s"'`\\<>=&,;]{1,};|;[^\s"'`\\<>=&,;]{1,},)[^\s"'`\\<>=&]{2,})(?:[\s"'`]|$)"#)),
    rule!("secret", keywords!(secret), concat!("(?i)", secret_names!(), r#"\w{0,20}=([^\s"'`\\<>=&,;(){}\[\]]{4,}[,;(){}\[\]][^\s"'`\\<>=&]{4,})(?:[\s"'`]|$)"#), judge: Judge::Random, entropy: 3.0, allowed: &[PATH, CALL]),
    // What is before the name, or below it.
    rule!("password", keywords!(password), concat!(r#"(?i)\b(?:uses?|set|put|try|usa[rd]?|pon(?:er)?|con|utilise[rz]?|nimm|nutze|benutze|verwende)[ \t]{1,3}["'`]?([^\s"'`\\<>,;]{5,})["'`]?[ \t]{1,3}(?:as|como|als|comme|come)[ \t](?:(?:the|a|my|your|our|its|new|la|el|nueva|nuevo|mi|tu)[ \t]){0,3}(?:[a-z]{1,12}[ \t])?"#, password_names!()), judge: Judge::Password, reach: 40, allowed: &[PATH]),
    rule!("password", keywords!(password), concat!(r#"(?i)([^\s\d"'`\\<>,;=]{0,}\d[^\s"'`\\<>,;=]{1,})["'`]?[ \t]{1,3}(?:\(|(?:as|como|als|comme|is|es|ist|est|\xc3\xa9)[ \t])(?:[a-z]{1,6}[ \t]){0,3}"#, password_names!()), judge: Judge::Strong, reach: 40, allowed: &[PATH]),
    rule!("password", keywords!(password), concat!(r"(?i)\b(?:use|try|with|and|usa[r]?|con|y|utilise[rz]?|avec|et|verwende|benutze|nimm|mit|und|com|e|user(?:name)?[ \t]\S{1,30}|benutzer[ \t]\S{1,30}|usu(?:\xc3\xa1|a)rio[ \t]\S{1,30}),?[ \t](?:(?:the|this|la|a|le|das|dem)[ \t])?", password_names!(), r#"[ \t]{1,3}["'`]?([^\s"'`\\<>,;]{5,})"#), judge: Judge::Password, reach: 40, allowed: &[PATH]),
    rule!("password", keywords!(password), concat!("(?i)", password_names!(), r#"\w{0,20}["']?:[ \t]{0,3}[>|][+-]?\d?[ \t]{0,3}\r?\n[ \t]{1,16}([^\s"'`\\<>,;]{5,})"#), judge: Judge::Password, allowed: &[PATH]),
    rule!("password", &["<key>"], concat!("(?i)<key>[^<>]{0,40}", password_names!(), r"[^<>]{0,40}</key>\s{0,20}<string>([^<>\s]{4,})"), judge: Judge::Password),
    rule!("password", &["variable \""], concat!(r#"(?i)\bvariable[ \t]{1,3}"[\w-]{0,40}"#, password_names!(), r#"[\w-]{0,40}"[ \t]{0,3}\{[^{}]{0,}?\bdefault[ \t]{0,12}=[ \t]{0,12}"([^"\s]{4,})"#), judge: Judge::Password),
    rule!("password", &["basicauth", "digestauth", "basic_auth", "auth=(", "auth = ("], r#"(?i)(?:BasicAuth|DigestAuth|basic_auth|\bauth[ \t]?=[ \t]?)[ \t]{0,2}\([ \t]{0,3}["'][^"'\s]{1,}["'][ \t]{0,2},[ \t]{0,3}["']([^"'\s]{4,})["']"#, judge: Judge::Password),
    rule!("password", &["root:", "admin:", "administrator:", "postgres:", "ubuntu:", "deploy:", "user:"], r#"(?i)\b(?:root|admin|administrator|postgres|ubuntu|deploy|user):([^\s@/"'`<>]{5,})@(?:\d{1,3}\.){3}\d"#, judge: Judge::Password),
];
