//! Secrets that the place gives away: a URL, a header, a configuration file.

use crate::redact::rule::{Edge, SecretRule, SecretTest, rule};

/// What is not a secret in a URL's or a header's place for it.
const IN_ITS_PLACE: &[&str] = &[
    r"^\{.*\}$",
    r"^<.*>$",
    r"^\*+$",
    r"^(?i:password|passwd|pass|pwd|secret|token|x-oauth-basic|x-access-token|oauth2|git|xxx+|\.\.\.)$",
    r"^%[sd]$",
    r"^[0-9]{1,5}(?:/|$)",
];

/// A path, an address or the name of a variable by itself opens nothing.
pub const PATH: &str = r"^(?:~/|\.{1,2}/|(?:process|import\.meta)\.env\b|[A-Za-z]:[/\\]|https?:|file:|urn:|(?:[\w-]{1,40}\.){1,4}(?:com|org|net|io|dev|in)/|/(?:Users|home|etc|var|tmp|opt|usr|bin|path|src|app|root|mnt|srv|private|data|workspace|dev|proc|run)\b|[a-z]{2}-[a-z]{4,10}-\d:|ENC\[)";

/// The rules. Each pattern's first group is the secret.
#[rustfmt::skip]
pub const RULES: &[SecretRule] = &[
    // As programs in Go connect: `root:…@tcp(127.0.0.1:3306)/app`.
    rule!("url-password", &["@tcp(", "@tcp6(", "@unix("], r#"\b[\w.$%-]{1,40}:([^\s"'`<>]{3,})@(?:tcp6?|unix)\("#, allowed: IN_ITS_PLACE),
    // The name can be masked already; a bracket in it can be nothing else. The last `@` before the
    // host ends the password: it can hold `@` and `/` itself.
    rule!("url-password", &["://", r":\/\/"], r#"(?i)[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}(?:\[redacted:[\w-]{1,}\]|[^\s/:'"<>\[]){0,}:((?:[^\s'"<>`]|[<>][^\s'"<>`/]){2,}[^\s'"`])@[\[\w]"#, allowed: IN_ITS_PLACE),
    rule!("url-token", &["://", r":\/\/"], r#"(?i)[a-z][a-z0-9+.-]{1,20}:(?:\\?/){2}([^\s/@:'"<>\[`]{16,})(?::(?:x-oauth-basic)?)?@[\[\w]"#, judge: SecretTest::Random, entropy: 3.0, allowed: IN_ITS_PLACE),
    rule!("authorization-header", &["authorization"], r#"(?i)\b(?:proxy-)?authorization["'\\]{0,4}\s{0,3}(?:[:=]\s{0,3}["'`\\]{0,4}|,\s{0,3}["'`])(?:(?:bearer|basic|token|digest|apikey|api-key|negotiate|bot|ssws|geniekey|key)[\s:=]{1,3})?([\w.~+/=:%-]{8,})"#, entropy: 2.5, reach: 5000, edge: Edge::Run, allowed: &[r"^<", r"^(?i:bearer|basic|token|required|undefined|string)$", r"^[A-Za-z]+(?:[.:_-][A-Za-z]+)*$", r"^https?:", r"^[a-z]+\d\d\.[a-z]+$"]),
    // Of any scheme: `Authorization: Splunk …`.
    rule!("authorization-header", &["authorization"], r#"(?i)\bauthorization["'\\]{0,4}\s{0,3}(?:[:=]\s{0,3}["'`\\]{0,4}|,\s{0,3}["'`])[a-z][\w-]{1,24}[ \t]{1,3}([\w.~+/=:-]{16,})"#, judge: SecretTest::Random, entropy: 2.5, reach: 5000, edge: Edge::Run),
    rule!("bearer-token", &["bearer"], r"(?i)\bbearer[\s:]{1,3}([\w.~+/-]{20,}={0,2})", entropy: 3.5, reach: 5000, edge: Edge::Run, judge: SecretTest::Random),
    rule!("jwt", &["eyj"], r"(eyJ[\w-]{8,}\.[\w-]{8,}\.(?:[\w-]{0,}\.[\w-]{0,}\.)?[\w-]{8,})", reach: 20_000, entropy: 3.0, edge: Edge::Run),
    rule!("aws-secret-access-key", &["aws", "secret"], r#"(?i)(?:aws|secret)[\w. -]{0,24}key(?:_id)?["'\\]{0,4}(?:\s?\[[^\]\r\n]{0,40}\])?(?:\s{0,3}(?:=>|[:=])\s{0,3}|\s{1,3}(?:is\s{1,3})?)["'`\\]{0,4}([a-z0-9/+]{40})"#, entropy: 3.5, edge: Edge::Exact),
    rule!("aws-secret-access-key", &["akia", "asia"], r#"(?:AKIA|ASIA)[A-Z2-7]{16}["']?[,\s:;|]{1,5}["']?([A-Za-z0-9/+]{40})"#, entropy: 3.5, edge: Edge::Exact),
    rule!("webhook", &["webhooks/", "hooks.slack.com", "hooks.zapier.com", "chat.googleapis.com", "make.com/", "integromat.com/", "alchemy.com/", "infura.io/", "tines.com/", "sumologic.com/"], r"(?i)(?:discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,22}/|hooks\.slack\.com/(?:services|workflows|triggers)/|hooks\.zapier\.com/hooks/catch/\d{4,10}/|hook\.(?:[a-z0-9]{2,8}\.)?make\.com/|hook\.integromat\.com/|\.g\.alchemy\.com/v2/|\.infura\.io/(?:ws/)?v3/|\.tines\.com/webhook/|\.sumologic\.com/receiver/v1/http/|chat\.googleapis\.com/v1/spaces/[\w-]{6,20}/messages\?key=)([\w/+&=%-]{6,})", edge: Edge::Run, entropy: 2.5),
    rule!("signed-url", &["sig=", "signature=", "security-token="], r"(?i)[?&;\s](?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token)=([A-Za-z0-9%/+=_.-]{20,})", reach: 4000, edge: Edge::Run, entropy: 3.0),
    rule!("url-secret", &["token=", "key=", "auth=", "secret=", "password=", "passwd=", "code="], r#"(?i)[?&](?:access_token|api_?key|apikey|auth|auth_token|client_secret|key|password|passwd|private_token|refresh_token|secret|token|code)=([^\s&#'"<>`\\]{12,})"#, judge: SecretTest::Random, edge: Edge::Run),
    rule!("azure-connection-string", &["accountkey=", "sharedaccesskey=", "sharedsecret="], r"(?i)(?:AccountKey|SharedAccessKey|SharedSecret)=([A-Za-z0-9+/=]{24,})", edge: Edge::Run),
    rule!("cookie", &["cookie"], r#"(?i)\b(?:set-)?cookie["'\\]{0,4}\s{0,2}[:=]\s{0,2}["'`\\]{0,4}(?:[^\s=;"'`\\]{1,}=[^\s;"'`\\]{0,15};\s?){0,10}[^\s=;"'`\\]{1,}=([^\s;"'`\\]{16,}(?:;\s?[^\s=;"'`\\]{1,}=[^\s;"'`\\]{16,}){0,20})"#, reach: 5000, judge: SecretTest::Random, edge: Edge::Run),
    rule!("session-cookie", &["sess", "sid=", "sid\"", "remember_token", "csrftoken"], r#"(?i)(?:\bdata-[\w-]{0,}?)?(?:sess(?:ion)?(?:[_-]?(?:id|token|key))?|connect\.sid|\bsid|remember_token|csrftoken|auth_cookie)["'\\]{0,4}[=:]\s?["'\\]{0,4}([\w%.+/=:-]{16,})"#, judge: SecretTest::Random, entropy: 3.0, edge: Edge::Run, allowed: &[UUID, PATH, SESSION], allowed_match: &[r"(?i)^data-"]),
    rule!("netrc-password", &["machine", "default"], r"(?i)\b(?:machine\s{1,20}\S{1,}|default)\s{1,20}login\s{1,20}\S{1,}\s{1,20}(?:account\s{1,20}\S{1,}\s{1,20})?password\s{1,20}(\S{3,})", reach: 800),
    rule!("netrc-password", &["login"], r"(?i)\blogin\s{1,20}[\w.@+-]{1,}\s{1,20}password\s{1,20}(\S{3,})", judge: SecretTest::Password),
    rule!("kubeconfig-key", &["client-key-data", "private", "secret", "tls.key"], r#"(?i)(?:client-key-data|private_?key|secret_?key|tls\.key)["'\\]{0,4}\s{0,3}:\s{0,3}["'\\]{0,4}([A-Za-z0-9+/=_-]{32,})"#, entropy: 3.0, edge: Edge::Run),
    rule!("docker-auth", &["\"auth\"", "\"auth\\\"", "identitytoken"], r#"(?i)\\?"(?:auth|identitytoken)\\?"\s{0,3}:\s{0,3}\\?"([A-Za-z0-9+/=_.-]{12,})\\?""#, entropy: 2.5, judge: SecretTest::Random),
    rule!("npmrc-secret", &["_auth", "_password"], r#"(?i)(?:_auth(?:token)?|(?:^|[^a-z0-9])_password)[ \t]{0,3}=[ \t]{0,3}["']?([^\s"'`\\{]{6,})"#, judge: SecretTest::Password),
    rule!("wireguard-key", &["privatekey", "presharedkey"], r"(?i)(?:private|preshared)key\s{0,3}[=:]\s{0,3}([A-Za-z0-9+/]{43}=)"),
    // A colon or a backslash in it has a backslash before it.
    rule!("pgpass", &["pgpass", ":54", ":64", ":65", ":*:"], r#"(?m)(?:^|[\s"'`])[\w.*-]{1,}:(?:\d{2,5}|\*):[\w*.-]{1,}:[\w*.@-]{1,}:((?:\\[:\\]|[^\s:"'`]){4,})"#),
    rule!("secret", &["keys:", "tokens:", "secrets:", "passwords:"], r#"(?i)(?:keys|tokens|secrets|passwords):((?:\s{1,12}-[ \t]{1,3}["']?[\w.+/=-]{16,}["']?){1,40})"#, reach: 4000, judge: SecretTest::Random),
    rule!("password", &["password"], r"(?i)app[ -]?(?:specific[ -])?password\W{1,4}((?:[a-z0-9]{4}[ -]){3}[a-z0-9]{4})", entropy: 2.8),
    rule!("password", &["creds", "credential", "credencia", "credenzial", "zugangsdaten", "identifiants", "login", " in with", "user ", "user\t", "user:", "user=", "username", "usuario"], r#"(?i)\b(?:creds|credentials?|credenci(?:ales|ais)|credenziali|zugangsdaten|identifiants|login|log(?:ged)? in with|user(?:name)?|usuario)(?:[ \t](?:is|are|son|sono|sind|s\xc3\xa3o):?[ \t]|[ \t]?[:=][ \t]?|[ \t])["'`]?[\w.@+-]{1,}["'`]?(?:[ \t]?/[ \t]?|:[ \t]?)["'`]?([^\s:"'`\\<>,;\xc2\xe2\xe3\xef][^\s"'`\\<>,;\xc2\xe2\xe3\xef]{5,})"#, judge: SecretTest::Strong, allowed: &[PATH]),
    // Behind a user's name: `login with admin / …`, `log in as deploy with …`, `user admin, pass …`.
    rule!("password", &["login with", "login:", "log in", "sign in", "entra con", ", pass", "basic auth", "creds", "credential", "credencia", "credenzial", "zugangsdaten", "identifiants", "login mit"], r#"(?i)\b(?:(?:log ?in|sign in|entra|user(?:name)?|usuario|cred(?:entials?|s|enciales|enciais|enziali)|zugangsdaten|identifiants)(?:[ \t:=,]{1,3}["'`]?[\w.@-]{1,30}["'`]?){1,4}?[ \t,]{1,3}(?:/|with|con|pass(?:word)?:?|and|y|e|und|et)|basic auth:?[ \t][\w.@-]{1,30})[ \t]{1,3}["'`]?([^\s\d"'`\\<>,;\x80-\xff]{0,40}\d[^\s"'`\\<>,;\x80-\xff]{0,})"#, judge: SecretTest::Password, allowed: &[PATH]),
    // What a program is to connect with: `("jdbc:…", "sa", "…")`.
    rule!("password", &["pdo(", "getconnection(", "connect(", "credential(", "login(", "mysqli(", "send \"", "send --"], r#"(?i)(?:\b(?:pdo|getconnection|\w{0,20}connect|networkcredential|mysqli)\((?:[^()\r\n]{0,}?,[ \t]{0,3})?["'][\w.@-]{1,40}["'][ \t]{0,3},[ \t]{0,3}|\bsend[ \t]{1,3}(?:--[ \t])?)["']([^"'\s\\]{5,})|\blogin\((?:["'][\w.@-]{1,40}["']|\w{1,30})[ \t]{0,3},[ \t]{0,3}["']([^"'\s\\]{5,})["'][ \t]{0,3}[,)]"#, judge: SecretTest::Password),
    rule!("password", &["type="], r#"(?i)type=\\?["']password\\?["'][^<>]{0,}?value=\\?["']([^"'\\<>]{4,})"#, judge: SecretTest::Password),
    rule!("password", &["form-data;"], r#"(?i)form-data;[ \t]{0,3}name=\\?"[\w.-]{0,30}(?:password|passwd|pwd|token|secret)[\w.-]{0,30}\\?"(?:\r|\n|\\r|\\n){2,8}([^\s\\]{4,})"#, judge: SecretTest::Password),
    rule!("cookie", &["\ttrue\t", "\tfalse\t", r"\ttrue\t", r"\tfalse\t"], r"(?i)(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)[^\s\\]{1,}(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\d{1,12}(?:\t|\\t)[^\s\\]{1,}(?:\t|\\t)([^\s\\]{8,})", judge: SecretTest::Random),
    rule!("jwk", &["\"d\"", "\"k\"", "\"d\\\"", "\"k\\\"", "\"dp\"", "\"dq\"", "\"qi\""], r#"\\?"(?:d|k|dp|dq|qi)\\?"\s{0,3}:\s{0,3}\\?"([\w-]{30,})\\?""#, judge: SecretTest::Random, entropy: 4.0),
    // The two primes of a key for RSA, before another member of it.
    rule!("jwk", &["\"p\"", "\"q\"", "\"p\\\"", "\"q\\\""], r#"\\?"[pq]\\?"\s{0,3}:\s{0,3}\\?"([\w-]{80,})\\?"\s{0,20},\s{0,20}\\?"(?:kty|kid|use|alg|n|e|d|p|q|dp|dq|qi|oth)\\?"\s{0,3}:"#, judge: SecretTest::Random, entropy: 4.0),
    rule!("password", &["sqlplus", "rman", "expdp", "impdp", "jdbc:oracle"], r#"(?i)(?:\b(?:sqlplus|rman|expdp|impdp)\s{1,3}(?:-\w{1,8}\s{1,3}){0,3}|jdbc:oracle:\w{2,5}:)[\w$#]{1,}/([^\s@/"']{4,})(?:[@\s"']|$)"#, judge: SecretTest::Password),
];

/// A UUID by itself says who, not what opens; also with the short number of a copy behind it.
pub const UUID: &str = r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:_{1,2}[0-9a-f]{1,8})?$";

/// The id of a session of an agent, with the prefix that says so.
const SESSION: &str = r"^c?se(?:s|ssion)?_[A-Za-z0-9]{20,30}$";
