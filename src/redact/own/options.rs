//! Passwords in the options of known programs. The word must look like a password: `mkdir -p src` and
//! `docker run -p 8080:80` keep theirs.

use crate::redact::rule::{Judge, Rule, rule};

/// A word of a command line: in quotes or not.
macro_rules! option {
    ([$($keyword:literal),+], $pattern:literal $(, also: $also:expr)?) => {
        rule!("password-option", &[$($keyword),+], concat!("(?i)", $pattern, r#"["'\\]{0,4}([^\s"'`\\<>|;]{4,})"#),
            judge: Judge::Password, reach: 700 $(, also: $also)?)
    };
}

/// One of these is in each name that the last rules know.
const NAMES: &[&str] = &["pass", "pwd", "token", "secret", "key"];

/// The rules. No command may be between the program and the option.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule!("password-option", &["echo"], r#"(?i)\becho\s{1,3}(?:-n\s{1,3})?["'\\]{0,4}(?:[\w.-]{1,}:)?([^\s"'`\\<>|;]{4,})["'\\]{0,4}\s{0,3}\|\s{0,3}(?:sudo\b[^|;&\r\n]{0,}-S|sudo\s{1,3}chpasswd|chpasswd|[^|;&\r\n]{0,}?(?:--password-stdin|--stdin|--passphrase-fd|-pass(?:in)?\s{1,3}stdin|--with-token))"#, judge: Judge::Password),
    option!(["mysql", "mariadb"], r"\b(?:mysql|mariadb)[\w-]{0,20}\s[^|;&\r\n]{0,}?\s?-p"),
    option!(["sshpass"], r"\bsshpass\s{1,3}[^|;&\r\n]{0,}?-p\s{0,3}"),
    option!(["login"], r"\b(?:docker|podman|buildah|skopeo|nerdctl|helm|oras|crane|az|oc|cf|registry|vault|npm|gh)\b[^|;&\r\n]{0,}?\blogin\b[^|;&\r\n]{0,}?\s(?:-p|--password|--token)[\s=]{1,3}"),
    option!(["curl", "wget", "http"], r#"\b(?:curl|wget|https?|xh)\s[^|;&\r\n]{0,}?(?:-u|--user|--proxy-user|-U|-a|--auth)[\s=]{0,3}["'\\]{0,4}[^\s"':\\]{1,}:"#, also: &["-u", "-a"]),
    option!(["redis-cli", "valkey-cli"], r"\b(?:redis|valkey)-cli\s[^|;&\r\n]{0,}?(?:-a|--pass)[\s=]{1,3}"),
    option!(["mongo"], r"\bmongo(?:sh|dump|restore|export|import)?(?:\s[^|;&\r\n]{0,}?)?\s-p[\s=]{0,3}"),
    option!(["ldap"], r"\bldap(?:search|modify|add|delete|whoami|passwd)(?:\s[^|;&\r\n]{0,}?)?\s-w\s{0,3}"),
    option!(["smbclient", "mount.cifs", "rpcclient", "net "], r"\b(?:smbclient|rpcclient|net)\s[^|;&\r\n]{0,}?(?:-U|--user)[\s=]{0,3}[^\s%|;]{1,}%"),
    option!(["sqlcmd", "bcp "], r"\b(?:sqlcmd|bcp)(?:\s[^|;&\r\n]{0,}?)?\s-P\s{0,3}"),
    option!(["unzip", "zip "], r"\b(?:un)?zip\s[^|;&\r\n]{0,}?-P\s{0,3}"),
    option!(["7z"], r"\b7z[a-z]?(?:\s[^|;&\r\n]{0,}?)?\s-p"),
    option!(["htpasswd"], r"\bhtpasswd\s{1,3}-\w{0,6}b\w{0,6}\s{1,3}\S{1,}\s{1,3}(?:\S{1,}\s{1,3})?"),
    option!(["rabbitmqctl"], r"\brabbitmqctl\s{1,3}(?:add_user|change_password)\s{1,3}\S{1,}\s{1,3}"),
    option!(["openssl", "pass:"], r"\s-(?:pass|passin|passout)\s{1,3}pass:"),
    option!(["storepass", "keypass"], r"\s-(?:storepass|keypass|srcstorepass|deststorepass)\s{1,3}"),
    option!(["net use"], r"\bnet\s{1,3}use\s[^|;&\r\n]{0,}?/user:\S{1,}\s{1,3}"),
    option!(["xfreerdp", "rdesktop"], r"\b(?:xfreerdp|rdesktop)\s[^|;&\r\n]{0,}?(?:/p:|\s-p\s{1,3})"),
    option!(["identified by"], r"\bidentified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}"),
    option!(["vault"], r"\bvault\s{1,3}login\s{1,3}(?:token=)?"),
    option!(["wandb", "netlify", "vercel", "snyk"], r"\b(?:wandb\s{1,3}login|snyk\s{1,3}auth|doppler\s{1,3}login)\s{1,3}(?:--?\w[\w-]{0,30}\s{1,3}){0,3}"),
    option!(["requirepass", "masterauth", "auth "], r"(?:\brequirepass\s{1,3}|\bmasterauth\s{1,3}|>\s{1,3}auth\s{1,3})"),
    option!(["openssl"], r"\bopenssl(?:\s[^|;&\r\n]{0,}?)?\s-k\s{1,3}"),
    option!(["lftp"], r"\blftp\s[^|;&\r\n]{0,}?-u\s{0,3}[^\s,]{1,},"),
    option!(["net use"], r"\bnet\s{1,3}use\s{1,3}\S{1,}\s{1,3}\S{1,}\s{1,3}"),
    option!(["net user"], r"\bnet\s{1,3}user\s{1,3}\S{1,}\s{1,3}"),
    option!(["authtoken"], r"\bngrok\s{1,3}(?:config\s{1,3}add-)?authtoken\s{1,3}"),
    rule!("kubeadm-token", &["kubeadm"], r"(?i)\bkubeadm\s[^|;&\r\n]{0,}?--token[\s=]{1,3}([a-z0-9]{6}\.[a-z0-9]{16})", reach: 700),
    option!(["securestring"], r"\bConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?"),
    option!(["secret set"], r"\bsecret\s{1,3}set\s[^|;&\r\n]{0,}?\s(?:--body|-b)[\s=]{1,3}"),
    option!(["snmp"], r"\bsnmp\w{2,12}(?:\s[^|;&\r\n]{0,}?)?\s-A\s{1,3}"),
    option!(["snmp"], r"\bsnmp\w{2,12}(?:\s[^|;&\r\n]{0,}?)?\s-X\s{1,3}"),
    option!(["new value:"], r"\bnew value:\s{1,3}"),
    option!(["set", "env "], r"\b(?:set|setx|setenv|env|arg)(?:\s{1,3}-{1,2}\w{1,12}){0,3}\s{1,3}[\w./:-]{0,}(?:password|passwd|pass|token|secret|key|authtoken)\w{0,12}\s{1,3}", also: NAMES),
    rule!("password-option", &["curl"], r#"(?i)\bcurl\s[^|;&\r\n]{0,}?(?:-u|--user)[\s=]{0,3}["'\\]{0,4}([\w-]{16,}):["'\\]{0,4}(?:\W|$)"#, judge: Judge::Random, reach: 700),
    option!(["--"], r"\s--?(?:[a-z]{1,20}-)?(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|secret-key|access-key|auth-token|client-secret)[\s=]{1,3}", also: NAMES),
];
