//! Passwords in the options of known programs. The word must look like a password: `mkdir -p src` and
//! `docker run -p 8080:80` keep theirs.

use super::formats::PATH;
use crate::redact::rule::{SecretRule, SecretTest, rule};

/// A word of a command line. In quotes it can have blanks and the signs that end a command.
macro_rules! option {
    ([$($keyword:literal),+], $pattern:literal $(, $field:ident: $also:expr)*) => {
        rule!("password-option", &[$($keyword),+], concat!("(?i)", $pattern, r#"(?:"([^\s"\\][^"\\\r\n]{3,})"|'([^\s'\\][^'\\\r\n]{3,})'|["'\\]{0,4}([^\s"'`\\]{4,}))"#),
            judge: SecretTest::Password, reach: 700 $(, $field: $also)*)
    };
}

/// One of these is in each name that the last rules know.
const NAMES: &[&str] = &["pass", "pwd", "token", "secret", "key"];

/// A path, an address, a number.
const PLACE: &str = r"[/:\\\[(]|^[^A-Za-z]{0,5}$|^.{0,5}$";

/// The rules. No command may be between the program and the option.
#[rustfmt::skip]
pub const RULES: &[SecretRule] = &[
    rule!("password-option", &["echo", "printf"], r#"(?i)\b(?:echo|printf)\s{1,3}(?:-[ne]\s{1,3}|["']?%s(?:\\n)?["']?\s{1,3})?["'\\]{0,4}(?:[\w.-]{1,}:)?([^\s"'`\\<>|;]{4,})["'\\]{0,4}[^|&]{0,60}?\|\s{0,3}(?:sudo\b[^|;&\r\n]{0,}-S|(?:sudo\s{1,3})?(?:chpasswd|passwd|su|cryptsetup|openconnect)\b|[^|;&\r\n]{0,}?(?:--password-stdin|--stdin|--passphrase-fd|-pass(?:in)?\s{1,3}stdin|--with-token))"#, judge: SecretTest::Password),
    // Into a command or a file that is named after it.
    rule!("password-option", &["echo", "printf"], r#"(?i)\b(?:echo|printf)\s{1,3}(?:-n\s{1,3}|["']?[^\s"']{0,40}%s(?:\\n|\n)?["']?\s{1,3})?["']?(?:(?:export )?[\w.-]{1,40}[=:]\s?)?["']?([^\s"'`\\<>|;]{8,})["']?\s{0,3}(?:\||>{1,2})[^|;&\r\n]{0,60}?(?:passw|secret|token|[_.-]key|cred|_KEY|env add|\.env|login)"#, judge: SecretTest::Strong, allowed: &[PATH]),
    // Behind the name of a user, in any command; a pair of both; alone, if it is nothing else.
    option!([" -u", " -au", " -xu", " -l ", " --user", " -d cn"], r"(?:[^o\s]|[^d]o|[^u]do)\s{1,3}(?-i:-[ax]?u|-[UDl]|--user(?:name)?)[\s=]{0,3}[^\s|;&-][^\s|;&]{0,60}\s(?:[^|;&\r\n]{0,}?\s)?(?-i:-(?:p|P|w|pw|ap|xp))[\s=]{0,3}", also: &["-p", "-w", "-ap", "-xp"], allowed: &[PLACE]),
    rule!("password-option", &[" -u", " --user", " -a", " --auth", "creds"], r#"(?i)\s(?-i:-u|-U|-a|--user(?:name)?|--auth(?:-cred)?|-auth|--(?:src-|dest-)?creds)[\s=]{0,3}["'\\]{0,4}[^\s"':%\\/=,]{1,60}[:%,]([^\s"'`\\]{6,})"#, judge: SecretTest::Mixed, allowed: &[PLACE]),
    rule!("password-option", &[" -p", " -w ", " /p", " /rp", "\"-p\"", "'-p'"], r#"[\s"'](?:-(?:p|P|w|pw|hp)|/r?p)(?:["'][\s,]{1,12}|[\s=:]{0,3})["']?([^\s"'`\\]{8,})"#, judge: SecretTest::Mixed, allowed: &[PLACE]),
    rule!("password-option", &["kv put", "config -", "--set ", "set-env", "chamber"], r#"(?i)(?:\b(?:kv put|config)(?:\s{1,3}-{1,2}\w{1,12}){0,3}|(?:--set|set-env|\bchamber write)(?:\s{1,3}[\w./-]{1,40}){1,2}?)\s{1,3}[\w./:-]{0,}(?:password|passwd|pass|token|secret|key)\w{0,12}\s{1,3}["']?([^\s"'`\\]{8,})"#, judge: SecretTest::Strong, also: NAMES, allowed: &[PATH, "^0x"]),
    // Glued to the option's letter; behind it; behind what is always there.
    option!(["mysql", "mariadb", "mycli", "7z", "rar "], r"\b(?:(?:mysql|mariadb|mycli)[\w-]{0,20}|7z[a-z]?|(?:un)?rar)\s(?:[^|;&\r\n]{0,}?\s)?-h?p"),
    option!(["sshpass", "mongo", "xfreerdp", "rdesktop", "useradd", "usermod", "restic", "redis-cli", "valkey-cli", "cryptsetup", "cqlsh", "beeline", "hydra", "winrm", "security "], r#"\b(?:sshpass|beeline|hydra|evil-winrm|security|mongo\w{0,6}|xfreerdp|rdesktop|useradd|usermod|restic|(?:redis|valkey)-cli|cryptsetup|cqlsh)\s(?:[^|;&\r\n]{0,}?\s)?(?:(?:(?-i:-[pa])|--pass|--key)[\s=]{0,3}|["']?/p:)"#),
    option!(["ldap", "sqlcmd", "bcp ", "zip ", "openssl", "snmp", "ssh-keygen", "mosquitto", "ipmitool", "snowsql", "isql", "tsql", "security "], r"\b(?:ipmitool|snowsql|[it]sql|security|ldap(?:search|modify|add|delete|whoami|passwd)|sqlcmd|bcp|(?:un)?zip|openssl|snmp\w{2,12}|ssh-keygen|mosquitto_\w{2,4})\s(?:[^|;&\r\n]{0,}?\s)?(?-i:-[wPkAN])\s{0,3}"),
    option!(["htpasswd", "add_user", "add-user", "adduser", "change_password", "change-password", "mysqladmin", "addauth", "openssl passwd", "mkpasswd", "ejabberdctl", "prosodyctl", "mc alias", "mc admin", "+login", "isql ", "net use", "identified by", "vault", "wandb", "snyk", "doppler", "requirepass", "masterauth", "auth ", "authtoken", "securestring", "wpa_passphrase", "rclone obscure", "chpasswd", "new value:", "pass:", "storepass", "keypass"], r#"(?:\bhtpasswd\s{1,3}-\w{0,6}b\w{0,6}\s{1,3}\S{1,}\s{1,3}(?:\S{1,}\s{1,3})?|\b(?:add[_-]?user|change[_-]password)\s{1,3}\S{1,}\s{1,3}|\bmysqladmin\s[^|;&\r\n]{0,}?\spassword\s{1,3}|\baddauth\s{1,3}digest\s{1,3}[^\s:]{1,}:|\bnet\s{1,3}use\s{1,3}\S{1,}\s{1,3}\S{1,}\s{1,3}|\bnet\s{1,3}user\s{1,3}\S{1,}\s{1,3}|\bidentified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}|\bvault\s{1,3}login\s{1,3}(?:token=)?|\b(?:wandb\s{1,3}login|snyk\s{1,3}auth|doppler\s{1,3}login)\s{1,3}(?:--?\w[\w-]{0,30}\s{1,3}){0,3}|\b(?:requirepass|masterauth|new value:)\s{1,3}|(?:>|redis-cli)\s{1,3}auth\s{1,3}|\b(?:openssl\s{1,3}passwd|mkpasswd)(?:\s{1,3}-{1,2}\w{1,12}(?:\s{1,3}sha-?\d{3})?){0,3}\s{1,3}|\b(?:ejabberdctl|prosodyctl)\s{1,3}register\s{1,3}\S{1,}\s{1,3}\S{1,}\s{1,3}|\bmc\s{1,3}(?:alias\s{1,3}set|admin\s{1,3}user\s{1,3}add)\s{1,3}\S{1,}\s{1,3}(?:https?:\S{1,}\s{1,3})?\S{1,}\s{1,3}|\s\+login\s{1,3}\S{1,}\s{1,3}|\bisql\s{1,3}\S{1,}\s{1,3}\S{1,}\s{1,3}|\bngrok\s{1,3}(?:config\s{1,3}add-)?authtoken\s{1,3}|\bConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?|\b(?:wpa_passphrase\s{1,3}(?:"[^"]{1,40}"|\S{1,})|rclone\s{1,3}obscure)\s{1,3}|\bchpasswd\s{0,3}<<<\s{0,3}["']?[\w.-]{1,}:|\s-(?:pass|passin|passout)\s{1,3}pass:|\s-(?:src|dest)?(?:storepass|keypass)\s{1,3})"#),
    option!(["secret set", "secrets set", "secret put", "secrets put", "secrets import"], r"\bsecrets?\s{1,3}(?:set|put|import)\s[^|;&\r\n]{0,}?(?:\s(?:--body|-b)[\s=]{1,3}|\w=|<<<\s{0,3})"),
    option!(["login"], r"\b(?:docker|podman|buildah|skopeo|nerdctl|helm|oras|crane|az|oc|cf|registry|vault|npm|gh)\b[^|;&\r\n]{0,}?\blogin\b[^|;&\r\n]{0,}?\s(?:-p|--password|--token)[\s=]{1,3}"),
    option!(["curl", "wget", "http", "etcdctl"], r#"\b(?:curl|wget|https?|xh|ab|etcdctl|swaks)\s[^|;&\r\n]{0,}?(?:-u|--user|--proxy-user|-U|-a|--auth)[\s=]{0,3}["'\\]{0,4}[^\s"':]{1,}:"#, also: &["-u", "-a"]),
    option!(["smbclient", "mount.cifs", "rpcclient", "net ", "winexe"], r"\b(?:smbclient|rpcclient|net|winexe)\s[^|;&\r\n]{0,}?(?:-U|--user)[\s=]{0,3}[^\s%|;]{1,}%"),
    option!(["net use"], r"\bnet\s{1,3}use\s[^|;&\r\n]{0,}?/user:\S{1,}\s{1,3}"),
    option!(["lftp"], r"\blftp\s[^|;&\r\n]{0,}?-u\s{0,3}[^\s,]{1,},"),
    SecretRule { least: 22, ..rule!("token-option", &["-t", "-k", "-p"], r"(?:^|\s)-[tTkKpP]([A-Za-z0-9]{20,})(?:\s|$)", judge: SecretTest::Random, entropy: 3.5, allowed: &[r"^[0-9a-f]{1,}$"]) },
    rule!("token-option", &[" -t "], r"\s-t\s{1,3}([\w+/=-]{20,})(?:\s|$)", judge: SecretTest::Random, entropy: 3.5, allowed: &[r"^[0-9a-f]{1,}$", PATH, PLACE]),
    rule!("password-option", &["<<<"], r#"(?i)(?:pass|crypt|\s-S\b|repokey)[^|;&\r\n]{0,60}<<<\s{0,3}\$?["']?(?:\w{1,20}:)?([^\s"'`\\<>,;:/()$]{5,})"#, judge: SecretTest::Password),
    rule!("password-option", &["<<<"], r#"<<<\s{0,3}\$?["']?([^\s"'`\\<>,;:/()$]{8,})"#, judge: SecretTest::Mixed),
    // Any option for a key, and what a command gets to log in with.
    rule!("token-option", &["-key", "-auth", "-token", "-secret", "-credential", "-apikey", "login ", "authtoken ", "setup ", "service install", " auth ", "config set", "config --", "config p"], r#"(?i)(?:\s--?[\w-]{0,30}(?:key|auth|secret|token|secret-string|credential)[ \t=]{1,3}|\b(?:login|authtoken|service install|setup|auth)[ \t]{1,3}(?:-{1,2}\w[\w-]{0,20}[ \t]{1,3})?|\b(?:config|set)[ \t]{1,3}\S{0,60}(?:token|key|secret|api|login)[ \t=]{1,3})["']?([\w.+/=-]{20,})"#, judge: SecretTest::Random, entropy: 3.0, allowed: &[PATH, PLACE], allowed_match: &["(?i)gpg|sign|default-key|cache|partition"]),
    rule!("kubeadm-token", &["kubeadm"], r"(?i)\bkubeadm\s[^|;&\r\n]{0,}?--token[\s=]{1,3}([a-z0-9]{6}\.[a-z0-9]{16})", reach: 700),
    option!(["snmp"], r"\bsnmp\w{2,12}(?:\s[^|;&\r\n]{0,}?)?\s-X\s{1,3}"),
    option!(["set", "env "], r"\b(?:set|setx|setenv|env|arg)(?:\s{1,3}-{1,2}\w{1,12}){0,3}\s{1,3}[\w./:-]{0,}(?:password|passwd|pass|token|secret|key|authtoken)\w{0,12}\s{1,3}", also: NAMES),
    rule!("password-option", &["curl"], r#"(?i)\bcurl\s[^|;&\r\n]{0,}?(?:-u|--user)[\s=]{0,3}["'\\]{0,4}([\w-]{16,}):["'\\]{0,4}(?:\W|$)"#, judge: SecretTest::Random, reach: 700),
    option!(["--", " -pass", " -pwd", " -token"], r"\s--?(?:[a-z0-9]{1,20}-){0,3}(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|secret-key|access-key|encryption-key|auth-token|client-secret)[\s=]{1,3}", also: NAMES),
];
