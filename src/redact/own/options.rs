//! Passwords in the options of known programs. The word must look like a password: `mkdir -p src` and
//! `docker run -p 8080:80` keep theirs.

use crate::redact::rule::{Judge, Rule, rule};

/// A word of a command line. In quotes it can have blanks and the signs that end a command.
macro_rules! option {
    ([$($keyword:literal),+], $pattern:literal $(, also: $also:expr)?) => {
        rule!("password-option", &[$($keyword),+], concat!("(?i)", $pattern, r#"(?:"([^\s"\\][^"\\\r\n]{3,})"|'([^\s'\\][^'\\\r\n]{3,})'|["'\\]{0,4}([^\s"'`\\]{4,}))"#),
            judge: Judge::Password, reach: 700 $(, also: $also)?)
    };
}

/// One of these is in each name that the last rules know.
const NAMES: &[&str] = &["pass", "pwd", "token", "secret", "key"];

/// The rules. No command may be between the program and the option.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule!("password-option", &["echo"], r#"(?i)\becho\s{1,3}(?:-n\s{1,3})?["'\\]{0,4}(?:[\w.-]{1,}:)?([^\s"'`\\<>|;]{4,})["'\\]{0,4}\s{0,3}\|\s{0,3}(?:sudo\b[^|;&\r\n]{0,}-S|sudo\s{1,3}chpasswd|chpasswd|[^|;&\r\n]{0,}?(?:--password-stdin|--stdin|--passphrase-fd|-pass(?:in)?\s{1,3}stdin|--with-token))"#, judge: Judge::Password),
    // Glued to the option's letter; behind it; behind what is always there.
    option!(["mysql", "mariadb", "7z"], r"\b(?:(?:mysql|mariadb)[\w-]{0,20}|7z[a-z]?)\s(?:[^|;&\r\n]{0,}?\s)?-p"),
    option!(["sshpass", "mongo", "xfreerdp", "rdesktop", "useradd", "usermod", "restic", "redis-cli", "valkey-cli", "cryptsetup", "cqlsh"], r"\b(?:sshpass|mongo\w{0,6}|xfreerdp|rdesktop|useradd|usermod|restic|(?:redis|valkey)-cli|cryptsetup|cqlsh)\s(?:[^|;&\r\n]{0,}?\s)?(?:(?:(?-i:-[pa])|--pass|--key)[\s=]{0,3}|/p:)"),
    option!(["ldap", "sqlcmd", "bcp ", "zip ", "openssl", "snmp", "ssh-keygen", "mosquitto"], r"\b(?:ldap(?:search|modify|add|delete|whoami|passwd)|sqlcmd|bcp|(?:un)?zip|openssl|snmp\w{2,12}|ssh-keygen|mosquitto_\w{2,4})\s(?:[^|;&\r\n]{0,}?\s)?(?-i:-[wPkAN])\s{0,3}"),
    option!(["htpasswd", "rabbitmqctl", "net use", "identified by", "vault", "wandb", "snyk", "doppler", "requirepass", "masterauth", "auth ", "authtoken", "securestring", "wpa_passphrase", "rclone obscure", "chpasswd", "new value:", "pass:", "storepass", "keypass"], r#"(?:\bhtpasswd\s{1,3}-\w{0,6}b\w{0,6}\s{1,3}\S{1,}\s{1,3}(?:\S{1,}\s{1,3})?|\brabbitmqctl\s{1,3}(?:add_user|change_password)\s{1,3}\S{1,}\s{1,3}|\bnet\s{1,3}use\s{1,3}\S{1,}\s{1,3}\S{1,}\s{1,3}|\bnet\s{1,3}user\s{1,3}\S{1,}\s{1,3}|\bidentified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}|\bvault\s{1,3}login\s{1,3}(?:token=)?|\b(?:wandb\s{1,3}login|snyk\s{1,3}auth|doppler\s{1,3}login)\s{1,3}(?:--?\w[\w-]{0,30}\s{1,3}){0,3}|\b(?:requirepass|masterauth|new value:)\s{1,3}|>\s{1,3}auth\s{1,3}|\bngrok\s{1,3}(?:config\s{1,3}add-)?authtoken\s{1,3}|\bConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?|\b(?:wpa_passphrase\s{1,3}(?:"[^"]{1,40}"|\S{1,})|rclone\s{1,3}obscure)\s{1,3}|\bchpasswd\s{0,3}<<<\s{0,3}["']?[\w.-]{1,}:|\s-(?:pass|passin|passout)\s{1,3}pass:|\s-(?:src|dest)?(?:storepass|keypass)\s{1,3})"#),
    option!(["secret set", "secrets set", "secret put", "secrets put", "secrets import"], r"\bsecrets?\s{1,3}(?:set|put|import)\s[^|;&\r\n]{0,}?(?:\s(?:--body|-b)[\s=]{1,3}|\w=|<<<\s{0,3})"),
    option!(["login"], r"\b(?:docker|podman|buildah|skopeo|nerdctl|helm|oras|crane|az|oc|cf|registry|vault|npm|gh)\b[^|;&\r\n]{0,}?\blogin\b[^|;&\r\n]{0,}?\s(?:-p|--password|--token)[\s=]{1,3}"),
    option!(["curl", "wget", "http"], r#"\b(?:curl|wget|https?|xh)\s[^|;&\r\n]{0,}?(?:-u|--user|--proxy-user|-U|-a|--auth)[\s=]{0,3}["'\\]{0,4}[^\s"':\\]{1,}:"#, also: &["-u", "-a"]),
    option!(["smbclient", "mount.cifs", "rpcclient", "net "], r"\b(?:smbclient|rpcclient|net)\s[^|;&\r\n]{0,}?(?:-U|--user)[\s=]{0,3}[^\s%|;]{1,}%"),
    option!(["net use"], r"\bnet\s{1,3}use\s[^|;&\r\n]{0,}?/user:\S{1,}\s{1,3}"),
    option!(["lftp"], r"\blftp\s[^|;&\r\n]{0,}?-u\s{0,3}[^\s,]{1,},"),
    Rule { least: 22, ..rule!("token-option", &["-t", "-k", "-p"], r"(?:^|\s)-[tTkKpP]([A-Za-z0-9]{20,})(?:\s|$)", judge: Judge::Random, entropy: 3.5, allowed: &[r"^[0-9a-f]{1,}$"]) },
    rule!("kubeadm-token", &["kubeadm"], r"(?i)\bkubeadm\s[^|;&\r\n]{0,}?--token[\s=]{1,3}([a-z0-9]{6}\.[a-z0-9]{16})", reach: 700),
    option!(["snmp"], r"\bsnmp\w{2,12}(?:\s[^|;&\r\n]{0,}?)?\s-X\s{1,3}"),
    option!(["set", "env "], r"\b(?:set|setx|setenv|env|arg)(?:\s{1,3}-{1,2}\w{1,12}){0,3}\s{1,3}[\w./:-]{0,}(?:password|passwd|pass|token|secret|key|authtoken)\w{0,12}\s{1,3}", also: NAMES),
    rule!("password-option", &["curl"], r#"(?i)\bcurl\s[^|;&\r\n]{0,}?(?:-u|--user)[\s=]{0,3}["'\\]{0,4}([\w-]{16,}):["'\\]{0,4}(?:\W|$)"#, judge: Judge::Random, reach: 700),
    option!(["--"], r"\s--?(?:[a-z0-9]{1,20}-)?(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|secret-key|access-key|encryption-key|auth-token|client-secret)[\s=]{1,3}", also: NAMES),
];
