//! Secrets that the place gives away: a URL, a header, a configuration file.

use crate::redact::rule::{Edge, Judge, Rule};

/// What is not a secret in a URL's or a header's place for it.
const STANDS_FOR_IT: &[&str] = &[
    r"^\$",
    r"^\{",
    r"^<",
    r"^\*+$",
    r"^(?i:password|passwd|pass|pwd|secret|token|x-oauth-basic|x-access-token|oauth2|git|xxx+|\.\.\.)$",
    r"^%[sd]$",
    r"^[0-9]{1,5}(?:/|$)",
];

/// A path or an address by itself opens nothing.
pub const PATH: &str = r"^(?:~|\.{1,2}/|[A-Za-z]:[/\\]|https?:|file:|/(?:Users|home|etc|var|tmp|opt|usr|bin|path|src|app|root|mnt|srv|private|data|workspace|dev|proc|run)\b|[a-z]{2}-[a-z]{4,10}-\d:|ENC\[)";

/// The rules. Each pattern's first group is the secret.
pub const RULES: &[Rule] = &[
    Rule {
        id: "url-password",
        // The name can be masked already; a bracket in it can be nothing else. The last `@` before the
        // host ends the password: it can hold `@` and `/` itself.
        pattern: r#"(?i)[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}(?:\[redacted:[\w-]{1,}\]|[^\s/:'"<>\[]){0,}:([^\s'"<>`]{3,})@[\[\w]"#,
        keywords: &["://", r":\/\/"],
        allowed: STANDS_FOR_IT,
        ..Rule::PLAIN
    },
    Rule {
        id: "url-token",
        pattern: r#"(?i)[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}([^\s/@:'"<>\[`]{16,})(?::(?:x-oauth-basic)?)?@[\[\w]"#,
        keywords: &["://", r":\/\/"],
        judge: Judge::Random,
        entropy: 3.0,
        allowed: STANDS_FOR_IT,
        ..Rule::PLAIN
    },
    Rule {
        id: "authorization-header",
        pattern: r#"(?i)\b(?:proxy-)?authorization["'\\]{0,4}\s{0,3}(?:[:=]\s{0,3}["'`\\]{0,4}|,\s{0,3}["'`])(?:(?:bearer|basic|token|digest|apikey|api-key|negotiate|bot|ssws|geniekey|key)[\s:=]{1,3})?([\w.~+/=:-]{8,})"#,
        keywords: &["authorization"],
        entropy: 2.5,
        reach: 5000,
        edge: Edge::Run,
        allowed: &[
            r"^\$",
            r"^<",
            r"^(?i:bearer|basic|token|required|undefined|string)$",
            r"^[A-Za-z]+(?:[.:][A-Za-z]+)*$",
        ],
        ..Rule::PLAIN
    },
    // Of any scheme: `Authorization: Splunk …`.
    Rule {
        id: "authorization-header",
        pattern: r#"(?i)\bauthorization["'\\]{0,4}\s{0,3}(?:[:=]\s{0,3}["'`\\]{0,4}|,\s{0,3}["'`])[a-z][\w-]{1,24}[ \t]{1,3}([\w.~+/=:-]{16,})"#,
        keywords: &["authorization"],
        judge: Judge::Random,
        entropy: 2.5,
        reach: 5000,
        edge: Edge::Run,
        ..Rule::PLAIN
    },
    Rule {
        id: "bearer-token",
        pattern: r"(?i)\bbearer[\s:]{1,3}([\w.~+/-]{20,}={0,2})",
        keywords: &["bearer"],
        entropy: 3.5,
        reach: 5000,
        edge: Edge::Run,
        judge: Judge::Random,
        ..Rule::PLAIN
    },
    Rule {
        id: "jwt",
        pattern: r"(eyJ[\w-]{8,}\.[\w-]{8,}\.(?:[\w-]{0,}\.[\w-]{0,}\.)?[\w-]{8,})",
        keywords: &["eyj"],
        reach: 20_000,
        entropy: 3.0,
        edge: Edge::Run,
        ..Rule::PLAIN
    },
    Rule {
        id: "aws-secret-access-key",
        pattern: r#"(?i)(?:aws|secret)[\w. -]{0,24}key(?:_id)?["'\\]{0,4}(?:\s?\[[^\]\r\n]{0,40}\])?(?:\s{0,3}(?:=>|[:=])\s{0,3}|\s{1,3}(?:is\s{1,3})?)["'`\\]{0,4}([a-z0-9/+]{40})"#,
        keywords: &["aws", "secret"],
        entropy: 3.5,
        edge: Edge::Exact,
        ..Rule::PLAIN
    },
    Rule {
        id: "aws-secret-access-key",
        pattern: r#"(?:AKIA|ASIA)[A-Z2-7]{16}["']?[,\s:;|]{1,5}["']?([A-Za-z0-9/+]{40})"#,
        keywords: &["akia", "asia"],
        entropy: 3.5,
        edge: Edge::Exact,
        ..Rule::PLAIN
    },
    Rule {
        id: "webhook",
        pattern: r"(?i)(?:discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,22}/|hooks\.slack\.com/(?:services|workflows|triggers)/|hooks\.zapier\.com/hooks/catch/\d{4,10}/|hook\.(?:[a-z0-9]{2,8}\.)?make\.com/|hook\.integromat\.com/|\.g\.alchemy\.com/v2/|\.infura\.io/(?:ws/)?v3/|chat\.googleapis\.com/v1/spaces/[\w-]{6,20}/messages\?key=)([\w/+&=%-]{6,})",
        keywords: &[
            "webhooks/",
            "hooks.slack.com",
            "hooks.zapier.com",
            "chat.googleapis.com",
            "make.com/",
            "integromat.com/",
            "alchemy.com/",
            "infura.io/",
        ],
        edge: Edge::Run,
        entropy: 2.5,
        ..Rule::PLAIN
    },
    Rule {
        id: "signed-url",
        pattern: r"(?i)[?&;\s](?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token)=([A-Za-z0-9%/+=_-]{30,})",
        keywords: &["sig=", "signature=", "security-token="],
        reach: 4000,
        edge: Edge::Run,
        entropy: 3.0,
        ..Rule::PLAIN
    },
    Rule {
        id: "url-secret",
        pattern: r#"(?i)[?&](?:access_token|api_?key|apikey|auth|auth_token|client_secret|key|password|passwd|private_token|refresh_token|secret|token|code)=([^\s&#'"<>`\\]{12,})"#,
        keywords: &["token=", "key=", "auth=", "secret=", "password=", "passwd=", "code="],
        judge: Judge::Random,
        edge: Edge::Run,
        ..Rule::PLAIN
    },
    Rule {
        id: "azure-connection-string",
        pattern: r"(?i)(?:AccountKey|SharedAccessKey|SharedSecret)=([A-Za-z0-9+/=]{24,})",
        keywords: &["accountkey=", "sharedaccesskey=", "sharedsecret="],
        edge: Edge::Run,
        ..Rule::PLAIN
    },
    Rule {
        id: "connection-password",
        pattern: r#"(?i)\b(?:password|pwd)=([^\s;"'`]{4,});"#,
        keywords: &["password=", "pwd="],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
    Rule {
        id: "cookie",
        pattern: r#"(?i)\b(?:set-)?cookie["'\\]{0,4}\s{0,2}[:=]\s{0,2}["'`\\]{0,4}(?:[^\s=;"'`\\]{1,}=[^\s;"'`\\]{0,15};\s?){0,10}[^\s=;"'`\\]{1,}=([^\s;"'`\\]{16,}(?:;\s?[^\s=;"'`\\]{1,}=[^\s;"'`\\]{16,}){0,20})"#,
        keywords: &["cookie"],
        reach: 5000,
        judge: Judge::Random,
        edge: Edge::Run,
        ..Rule::PLAIN
    },
    Rule {
        id: "session-cookie",
        pattern: r#"(?i)(?:sess(?:ion)?(?:[_-]?(?:id|token|key))?|connect\.sid|\bsid|remember_token|csrftoken|auth_cookie)["'\\]{0,4}[=:]\s?["'\\]{0,4}([\w%.+/=:-]{16,})"#,
        keywords: &["sess", "sid=", "sid\"", "remember_token", "csrftoken"],
        judge: Judge::Random,
        entropy: 3.0,
        edge: Edge::Run,
        allowed: &[UUID, PATH],
        ..Rule::PLAIN
    },
    Rule {
        id: "netrc-password",
        pattern: r"(?i)\b(?:machine\s{1,20}\S{1,}|default)\s{1,20}login\s{1,20}\S{1,}\s{1,20}(?:account\s{1,20}\S{1,}\s{1,20})?password\s{1,20}(\S{3,})",
        keywords: &["machine", "default"],
        reach: 800,
        ..Rule::PLAIN
    },
    Rule {
        id: "netrc-password",
        pattern: r"(?i)\blogin\s{1,20}[\w.@+-]{1,}\s{1,20}password\s{1,20}(\S{3,})",
        keywords: &["login"],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
    Rule {
        id: "kubeconfig-key",
        pattern: r#"(?i)(?:client-key-data|private_?key|secret_?key|tls\.key)["'\\]{0,4}\s{0,3}:\s{0,3}["'\\]{0,4}([A-Za-z0-9+/=_-]{32,})"#,
        keywords: &["client-key-data", "private", "secret", "tls.key"],
        entropy: 3.0,
        edge: Edge::Run,
        ..Rule::PLAIN
    },
    Rule {
        id: "docker-auth",
        pattern: r#"(?i)\\?"(?:auth|identitytoken)\\?"\s{0,3}:\s{0,3}\\?"([A-Za-z0-9+/=_.-]{12,})\\?""#,
        keywords: &["\"auth\"", "\"auth\\\"", "identitytoken"],
        entropy: 2.5,
        judge: Judge::Random,
        ..Rule::PLAIN
    },
    Rule {
        id: "npmrc-secret",
        pattern: r#"(?i)(?:_auth(?:token)?|(?:^|[^a-z0-9])_password)[ \t]{0,3}=[ \t]{0,3}["']?([^\s"'`$\\{]{6,})"#,
        keywords: &["_auth", "_password"],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
    Rule {
        id: "wireguard-key",
        pattern: r"(?i)(?:private|preshared)key\s{0,3}[=:]\s{0,3}([A-Za-z0-9+/]{43}=)",
        keywords: &["privatekey", "presharedkey"],
        ..Rule::PLAIN
    },
    Rule {
        id: "pgpass",
        pattern: r"(?m)^[\w.*-]{1,}:(?:\d{2,5}|\*):[\w*-]{1,}:[\w*-]{1,}:([^\s:]{4,})",
        keywords: &["pgpass", ":5432:", ":*:"],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
    Rule {
        id: "secret",
        pattern: r#"(?i)(?:keys|tokens|secrets|passwords):((?:\s{1,12}-[ \t]{1,3}["']?[\w.+/=-]{16,}["']?){1,40})"#,
        keywords: &["keys:", "tokens:", "secrets:", "passwords:"],
        reach: 4000,
        judge: Judge::Random,
        ..Rule::PLAIN
    },
    Rule {
        id: "password",
        pattern: r"(?i)app[ -]?(?:specific[ -])?password\W{1,4}((?:[a-z0-9]{4}[ -]){3}[a-z0-9]{4})",
        keywords: &["password"],
        entropy: 2.8,
        ..Rule::PLAIN
    },
    Rule {
        id: "password",
        pattern: r#"(?i)\b(?:creds|credentials?|credenciales|login|log in with|user(?:name)?|usuario)(?:[ \t](?:is|are|son):?[ \t]|[ \t]?[:=][ \t]?|[ \t])["'`]?[\w.@+-]{1,}["'`]?(?:[ \t]/[ \t]|:[ \t]?)["'`]?([^\s"'`\\<>,;\xc2\xe2\xe3\xef]{6,})"#,
        keywords: &["creds", "credential", "credencial", "login", "log in with", "user", "usuario"],
        judge: Judge::Random,
        allowed: &[PATH],
        ..Rule::PLAIN
    },
    Rule {
        id: "password",
        pattern: r#"(?i)type=\\?["']password\\?["'][^<>]{0,}?value=\\?["']([^"'\\<>]{4,})"#,
        keywords: &["type="],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
    Rule {
        id: "password",
        pattern: r#"(?i)form-data;[ \t]{0,3}name=\\?"[\w.-]{0,30}(?:password|passwd|pwd|token|secret)[\w.-]{0,30}\\?"(?:\r|\n|\\r|\\n){2,8}([^\s\\]{4,})"#,
        keywords: &["form-data;"],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
    Rule {
        id: "cookie",
        pattern: r"(?i)(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)[^\s\\]{1,}(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\d{1,12}(?:\t|\\t)[^\s\\]{1,}(?:\t|\\t)([^\s\\]{8,})",
        keywords: &["true", "false"],
        judge: Judge::Random,
        ..Rule::PLAIN
    },
    Rule {
        id: "jwk",
        pattern: r#"\\?"(?:d|k|dp|dq|qi)\\?"\s{0,3}:\s{0,3}\\?"([\w-]{30,})\\?""#,
        keywords: &["\"d\"", "\"k\"", "\"d\\\"", "\"k\\\"", "\"dp\"", "\"dq\"", "\"qi\""],
        judge: Judge::Random,
        entropy: 4.0,
        ..Rule::PLAIN
    },
    Rule {
        id: "password",
        pattern: r"(?i)(?:\b(?:sqlplus|rman|expdp|impdp)\s{1,3}(?:-\w{1,8}\s{1,3}){0,3}|jdbc:oracle:\w{2,5}:)[\w$#]{1,}/([^\s@/]{4,})@",
        keywords: &["sqlplus", "rman", "expdp", "impdp", "jdbc:oracle"],
        judge: Judge::Password,
        ..Rule::PLAIN
    },
];

/// A UUID by itself says who, not what opens.
const UUID: &str = r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
