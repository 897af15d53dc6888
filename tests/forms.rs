//! Made-up secrets in the forms that issuers publish; none of them stands in a file of ours. The forms
//! are in tests/secrets: `own.tsv` and `lines.tsv` by who wrote the rules, `blind.tsv` by somebody who had not seen them.
//! A line is a name, `token` or `context`, and a template: `{letters count}` is filled in, the secret is
//! between « and »; `\n`, `\t`, `\e` (escape) and `\-` (five dashes) are what they say.

use std::sync::LazyLock;

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

/// A form of a secret.
pub struct Form {
    pub name: &'static str,
    /// The secret is all of it; else what stands around it gives it away.
    pub is_token: bool,
    pub template: &'static str,
}

pub static OWN: LazyLock<Vec<Form>> = LazyLock::new(|| table(include_str!("secrets/own.tsv")));
pub static BLIND: LazyLock<Vec<Form>> = LazyLock::new(|| table(include_str!("secrets/blind.tsv")));

/// Secrets in lines of their own: output of commands, tables, files, code.
pub static LINES: LazyLock<Vec<Form>> = LazyLock::new(|| table(include_str!("secrets/lines.tsv")));

fn table(text: &'static str) -> Vec<Form> {
    let form = |line: &'static str| {
        let mut parts = line.splitn(3, '\t');
        let mut next = || parts.next().unwrap();
        Form { name: next(), is_token: next() == "token", template: next() }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(form).collect()
}

/// All forms.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    OWN.iter().chain(BLIND.iter())
}

/// Makes a secret: the text, and the parts of it that must be gone.
pub fn secret(dice: &mut Dice, template: &str) -> (String, Vec<String>) {
    let template = unescaped(template);
    let (mut text, mut parts, mut inside) = (String::new(), Vec::new(), false);
    let mut rest = template.as_str();
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '«' => inside = true,
            '»' => inside = false,
            '{' => match filled(dice, rest) {
                Some((made, behind)) => {
                    text.push_str(&made);
                    rest = behind;
                    if inside && made.len() >= 6 {
                        parts.push(made);
                    }
                }
                None => text.push('{'),
            },
            _ => text.push(letter),
        }
    }
    (text, parts)
}

/// A template with its escapes as what they mean.
fn unescaped(template: &str) -> String {
    let mut text = String::new();
    let mut letters = template.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('e') => text.push('\x1b'),
                Some('-') => text.push_str("-----"),
                other => text.extend(other),
            },
            _ => text.push(letter),
        }
    }
    text
}

/// What `letters count}` becomes, and what is behind it.
fn filled<'a>(dice: &mut Dice, rest: &'a str) -> Option<(String, &'a str)> {
    let (spec, behind) = rest.split_once('}')?;
    let (letters, count) = spec.split_once(' ')?;
    let count = count.parse().ok()?;
    let letters = match letters {
        "an" => ALNUM,
        "lt" => &ALNUM[..52],
        "u64" => URL64,
        "64" => BASE64,
        "32" => BASE32,
        "hex" => HEX,
        "HEX" => UPPER_HEX,
        "up" => UPPER,
        "low" => LOWER,
        "d" => DIGITS,
        "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "pw" => return Some((password(dice, count), behind)),
        _ => return None,
    };
    Some((dice.some(letters, count), behind))
}

const UPPER_HEX: &str = "0123456789ABCDEF";

/// A password as a manager makes one: letters, digits, a sign inside.
fn password(dice: &mut Dice, count: usize) -> String {
    let mut made = dice.some(ALNUM, count).into_bytes();
    made[1] = dice.some(DIGITS, 1).as_bytes()[0];
    made[count / 2] = dice.some("!#$%*-+", 1).as_bytes()[0];
    String::from_utf8(made).unwrap()
}
