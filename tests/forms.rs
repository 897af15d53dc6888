//! Made-up secrets in the forms that issuers publish; none of them stands in a file of ours.

pub const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub const HEX: &str = "0123456789abcdef";
pub const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub const URL64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
pub const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub const DIGITS: &str = "0123456789";

/// A generator; of one seed always the same.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    pub fn some(&mut self, letters: &str, count: usize) -> String {
        (0..count).map(|_| char::from(letters.as_bytes()[self.roll(letters.len())])).collect()
    }

    pub fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.roll(items.len())]
    }
}

/// The published forms: a kind, and how one is made. `{letters count}` is filled in.
#[rustfmt::skip]
pub const FORMS: &[(&str, &str)] = &[
    ("aws-access-key", "AKIA{32 16}"), ("aws-secret", "aws_secret_access_key = {64 40}"), ("github-classic", "ghp_{an 36}"),
    ("github-fine", "github_pat_{an 22}_{an 59}"), ("github-oauth", "gho_{an 36}"), ("github-server", "ghs_{an 36}"),
    ("gitlab", "glpat-{u64 20}"), ("slack-bot", "xoxb-{d 12}-{d 12}-{an 24}"), ("slack-hook", "https://hooks.slack.com/services/T{up 8}/B{up 10}/{an 24}"),
    ("stripe", "sk_live_{an 24}"), ("stripe-restricted", "rk_live_{an 24}"), ("twilio", "SK{hex 32}"), ("sendgrid", "SG.{u64 22}.{u64 43}"),
    ("mailgun", "mailgun_key=key-{hex 32}"), ("npm", "npm_{an 36}"), ("pypi", "pypi-AgEIcHlwaS5vcmc{u64 80}"), ("google", "AIza{u64 35}"),
    ("openai-project", "sk-proj-{u64 74}T3BlbkFJ{u64 74}"), ("openai-old", "sk-{an 20}T3BlbkFJ{an 20}"), ("anthropic", "sk-ant-api03-{u64 93}AA"),
    ("huggingface", "hf_{lt 34}"), ("digitalocean", "dop_v1_{hex 64}"), ("shopify", "shpat_{hex 32}"), ("square", "sq0atp-{u64 22}"),
    ("telegram", "telegram_bot_token = {d 10}:A{u64 34}"), ("azure-storage", "AccountKey={64 86}=="), ("jwt", "eyJ{u64 30}.eyJ{u64 60}.{u64 43}"),
    ("pem-rsa", "-----BEGIN RSA PRIVATE KEY-----\n{64 64}\n{64 64}\n-----END RSA PRIVATE KEY-----"), ("pem-openssh", "-----BEGIN OPENSSH PRIVATE KEY-----\n{64 70}\n{64 70}\n-----END OPENSSH PRIVATE KEY-----"),
    ("url-password", "postgresql://svc:{an 20}@db.example.com:5432/app"), ("basic-header", "Authorization: Basic {64 32}"), ("bearer-header", "authorization: Bearer {u64 40}"),
    ("linear", "lin_api_{an 40}"), ("databricks", "dapi{hex 32}"), ("vault", "hvs.{u64 95}"), ("terraform", "{lt 14}.atlasv1.{u64 64}"), ("doppler", "dp.pt.{an 43}"),
    ("atlassian", "ATATT3{u64 186}"), ("grafana", "glsa_{an 32}_{hex 8}"), ("newrelic", "NRAK-{up 27}"), ("airtable", "pat{an 14}.{hex 64}"), ("age", "AGE-SECRET-KEY-1{bech 58}"),
    ("planetscale", "pscale_tkn_{an 43}"), ("heroku", "HRKU-AA{u64 58}"), ("notion", "ntn_{d 11}{an 35}"), ("sentry", "sntryu_{hex 64}"),
];

/// Makes a secret: the text, and the part of it that must be gone.
pub fn secret(dice: &mut Dice, form: &str) -> (String, String) {
    let mut text = String::new();
    let mut longest = String::new();
    let mut rest = form;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (spec, after) = behind.split_once('}').unwrap();
        let (letters, count) = spec.split_once(' ').unwrap();
        let letters = match letters {
            "an" => ALNUM,
            "lt" => &ALNUM[..52],
            "u64" => URL64,
            "64" => BASE64,
            "32" => BASE32,
            "hex" => HEX,
            "up" => UPPER,
            "d" => DIGITS,
            "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
            _ => LOWER,
        };
        let made = dice.some(letters, count.parse().unwrap());
        if made.len() > longest.len() {
            longest.clone_from(&made);
        }
        text.push_str(&made);
        rest = after;
    }
    text.push_str(rest);
    (text, longest)
}
