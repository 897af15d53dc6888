//! Does a word look like one that a person or a program chose, or like chance? Names are made of whole
//! words (`getUserToken`, `max_tokens`, `sha256`), chance changes between letters and digits, upper and
//! lower, after one to three signs.

use super::known;
use std::collections::BTreeSet;

/// The average length of a piece of what looks random, in hundredths: names have four and more.
const PIECE_HUNDREDTHS: usize = 330;
/// The longest password that begins with a sign: what is behind the sign is looked at again.
const SIGNED_BYTES: usize = 200;
/// The longest name of another value behind one.
const NAME_BYTES: usize = 40;
/// So many consonants in a row are in no word.
const CONSONANTS: usize = 6;
/// Words with digits that are names of something.
const TECHNICAL: &[&str] = &[
    "base64", "base32", "base58", "sha1", "sha224", "sha256", "sha384", "sha512", "md5", "utf8", "utf16", "argon2id",
    "argon2", "pbkdf2", "oauth2", "oauth1", "ed25519", "x25519", "p256", "rsa2048", "rsa4096", "aes128", "aes256",
    "ipv4", "ipv6", "http2", "x509", "ec2", "s3", "k8s", "i18n", "l10n", "pkcs1", "pkcs8", "pkcs12", "p12", "es6",
    "int32", "int64", "uint8", "float32", "float64", "u8", "u16", "u32", "u64", "i32", "i64", "f64", "v1", "v2", "v3",
    "v4", "web3", "mp3", "mp4", "h1", "h2", "h3", "neo4j", "log4j", "a11y", "win32", "x86", "arm64", "amd64", "tls1",
    "2fa", "hs256", "rs256", "es256", "py3", "python3", "sqlite3", "boto3", "psycopg2", "bcrypt2", "oauth20", "auth0",
];
/// Pieces of capitals in names.
const ABBREVIATIONS: &[&str] = &[
    "URL", "API", "JSON", "HTTP", "HTTPS", "UUID", "KEY", "ENV", "SQL", "XML", "HTML", "CSS", "CLI", "CPU", "GPU",
    "AWS", "GCP", "JWT", "SSH", "SSL", "TLS", "UTF", "YAML", "TOML", "CSV", "PDF", "DNS", "TCP", "UDP", "URI", "SDK",
    "IDE", "PIN", "SHA", "MAC", "RSA", "AES", "ACL", "IAM", "OTP", "MFA", "SSO", "LDAP", "SMTP", "IMAP", "FTP", "PEM",
    "PAT",
];
/// What a word that only tells where a password comes from holds.
const NAMES: &str = "pass pwd secret token user test example field value input string hash param column redacted dummy sample \
    placeholder changeme your null none undefined prompt required default config env node_modules http: https:";

/// Shannon's entropy of the bytes, in bits a byte.
#[allow(clippy::cast_precision_loss)] // counts of bytes: far below 2^52
pub fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all = bytes.len() as f64;
    let bits = |count: usize| {
        let share = count as f64 / all;
        -share * share.log2()
    };
    counts.into_iter().filter(|count| *count > 0).map(bits).sum()
}

/// The length of a word without the signs that a sentence or code puts behind it.
pub fn trimmed(word: &[u8]) -> usize {
    let sign = |byte: &&u8| b".,:;?!)]}>|\\*`'\"&".contains(byte);
    let signs = word.iter().rev().take_while(sign).count();
    let length = word.len().saturating_sub(signs);
    // One sign of the kind that passwords like to end with stays with it, and a bracket that closes nothing.
    match word.get(length) {
        Some(b'!' | b'*' | b'&' | b'|' | b'>' | b')' | b']' | b'}') if signs == 1 => word.len(),
        _ => length,
    }
}

/// Where a password ends that begins here: as a sentence has it, and with the signs behind it, which are its own if a
/// quotation mark, a tag, another name or the end of the line follows.
pub fn ends(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let word = text.get(start..end).unwrap_or_default();
    let near = |at: usize| word.get(at + 1..word.len().min(at + NAME_BYTES)).unwrap_or_default();
    let is_name = |at: usize, signs: &[u8]| {
        let name = near(at).iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"._$-".contains(byte)).count();
        name > 0 && near(at).get(name).is_some_and(|byte| signs.contains(byte))
    };
    let quoted = start.checked_sub(1).and_then(|at| text.get(at)).is_some_and(|byte| b"\"'`".contains(byte));
    let is_end = |at: &usize| match word.get(*at) {
        Some(b'<') => near(*at)
            .first()
            .is_some_and(|byte| *byte == b'/' || near(*at).contains(&b'>') && byte.is_ascii_alphabetic()),
        Some(b',' | b';') => is_name(*at, b"=:"),
        // Two of them join commands.
        Some(sign @ (b'&' | b'|')) if !quoted && near(*at).first() == Some(sign) => {
            near(*at).get(1).is_none_or(|byte| byte.is_ascii_alphanumeric() || b"./_".contains(byte))
        }
        Some(b'&') => is_name(*at, b"="),
        _ => false,
    };
    let cut = (0..word.len()).find(is_end).unwrap_or(word.len());
    let is_last =
        |behind: &[u8]| behind.first().is_none_or(|byte| b"\r\n\"'`<".contains(byte)) || behind.starts_with(b" |");
    let is_sure = cut < word.len() || text.get(end..).is_none_or(is_last);
    let trimmed = trimmed(word.get(..cut).unwrap_or_default());
    (start + trimmed, start + if is_sure { cut } else { trimmed })
}

/// Is it made of pieces of less than three signs?
pub fn changes_often(word: &[u8]) -> bool {
    pieces(word).len().saturating_mul(3) > word.len()
}

/// Is this a run of chance?
pub fn looks_random(word: &[u8]) -> bool {
    let pieces = pieces(word);
    // A long number in a name is one piece, a long number among letters is chance.
    let length =
        |piece: &&[u8]| if piece.first().is_some_and(u8::is_ascii_digit) { piece.len().min(2) } else { piece.len() };
    let signs: usize = pieces.iter().map(length).sum();
    let lower = word.to_ascii_lowercase();
    if signs < 8 || is_time(word) || known::is_known(word) || TECHNICAL.iter().any(|name| name.as_bytes() == lower) {
        return false;
    }
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if letters == 0 {
        return false;
    }
    let short = signs.saturating_mul(100) < pieces.len().saturating_mul(PIECE_HUNDREDTHS);
    let changes = digits > 0 || pieces.len() > 3 && word.iter().any(u8::is_ascii_uppercase);
    let mixed = |run: &[u8]| {
        let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
        run.len() >= 20 && digits >= 4 && run.len().saturating_sub(digits) >= 4
    };
    if word.split(|byte| !byte.is_ascii_alphanumeric()).any(mixed) {
        return true;
    }
    let silent = |piece: &&&[u8]| {
        let lower = piece.iter().any(u8::is_ascii_lowercase);
        lower && piece.len() >= 3 && consonants(piece) == piece.len()
    };
    (short && changes)
        || inner_numbers(word) >= 2
        || pieces.iter().filter(silent).collect::<BTreeSet<_>>().len() >= 2
        || !word.contains(&b'.') && pieces.iter().any(|piece| consonants(piece) >= CONSONANTS)
}

/// How many numbers of a word have letters on both sides: `a12b3c` has two.
fn inner_numbers(word: &[u8]) -> usize {
    let mut numbers = 0_usize;
    for part in word.split(|byte| !byte.is_ascii_alphanumeric()) {
        let runs: Vec<&[u8]> = part.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).collect();
        let inner = runs.iter().skip(1).rev().skip(1).filter(|run| run.first().is_some_and(u8::is_ascii_digit));
        numbers += inner.count();
    }
    numbers
}

/// Capitals and small letters as no name has them: many short pieces, a piece of capitals that is no
/// abbreviation, too many consonants.
fn is_mixed(word: &[u8]) -> bool {
    let pieces = pieces(word);
    let letters: usize = pieces.iter().map(|piece| piece.len()).sum();
    let upper = |piece: &&&[u8]| piece.len() >= 3 && piece.iter().all(u8::is_ascii_uppercase);
    let lower = word.iter().any(u8::is_ascii_lowercase);
    let short = pieces.len() >= 4 && letters.saturating_mul(100) < pieces.len().saturating_mul(430);
    let capitals = pieces.iter().filter(upper).any(|piece| !ABBREVIATIONS.iter().any(|name| name.as_bytes() == *piece));
    let strange = pieces.iter().any(|piece| consonants(piece) >= CONSONANTS.saturating_sub(1));
    lower && (short && !word.contains(&b'_') || capitals) || strange
}

/// `12-character`, `8-stellig`
fn is_measure(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_unit = |unit: &[u8]| unit.len() >= 3 && unit.iter().all(u8::is_ascii_lowercase);
    (1..=4).contains(&digits) && word[digits..].strip_prefix(b"-").is_some_and(is_unit)
}

/// `2026-04-13T12:00:00`
fn is_time(word: &[u8]) -> bool {
    let shape = |(at, byte): (usize, &u8)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() };
    word.len() >= 10 && word.iter().take(10).enumerate().all(shape)
}

/// The pieces that a word is made of: `getUser2` has three.
fn pieces(word: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    for part in word.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        let mut rest = part;
        while let Some(first) = rest.first() {
            let upper = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
            let lower = |from: usize| rest.iter().skip(from).take_while(|byte| byte.is_ascii_lowercase()).count();
            let length = if first.is_ascii_digit() {
                rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
            } else {
                match (upper, lower(upper)) {
                    (0 | 1, lower) => upper + lower,
                    (upper, 0) => upper,
                    (upper, _) => upper.saturating_sub(1),
                }
            };
            let (piece, behind) = rest.split_at_checked(length.max(1)).unwrap_or((rest, &[]));
            pieces.push(piece);
            rest = behind;
        }
    }
    pieces
}

/// The longest run of consonants of a piece.
fn consonants(piece: &[u8]) -> usize {
    let vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte) || !byte.is_ascii_alphabetic();
    piece.split(vowel).map(<[u8]>::len).max().unwrap_or_default()
}

/// Is this a password, and no word, no name and no piece of code?
pub fn looks_like_password(word: &[u8], quoted: bool) -> bool {
    if word.len() < 5 || is_code(word, quoted) || is_time(word) || known::is_known(word) || is_measure(word) {
        return false;
    }
    // Code has these signs, too: what is before the first of them is a password, or all of it is chance.
    let inner = word.iter().position(|byte| b",;<>(){}[]".contains(byte)).filter(|at| *at > 0 && !quoted);
    if let Some(at) = inner
        && !(kinds(word) >= 3 && changes_often(word))
    {
        return looks_like_password(word.get(..at).unwrap_or_default(), quoted);
    }
    let lower = word.to_ascii_lowercase();
    let has_name = || NAMES.split(' ').any(|name| memchr::memmem::find(&lower, name.as_bytes()).is_some());
    let plain = without_technical(&lower);
    let digits = plain.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = plain.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let signs = word.iter().filter(|byte| b"!@#$%^&*+=?~".contains(byte)).count();
    if letters == 0 {
        return digits >= 6 && plain.iter().skip(digits).all(|byte| *byte == b'!');
    }
    if plain.len() == word.len() && (looks_random(word) || is_mixed(word) && !has_name()) {
        return true;
    }
    // `user_password1` and `test2` are names; `Pa55-w0rd!` is none of these words.
    let named = signs == 0 && has_name();
    let inner_sign = word.iter().skip(1).rev().skip(1).any(|byte| b"!@#$%^&*".contains(byte));
    !named && (digits > 0 || inner_sign && word.iter().any(u8::is_ascii_uppercase))
}

/// A password behind a sign that code begins with, too: `&buf2`, `--flag` and `.env.local` have less kinds of signs, and
/// a bracket of code is closed.
fn is_signed(word: &[u8]) -> bool {
    let Some((sign, rest)) = word.split_first() else { return false };
    let close = match sign {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        _ => 0,
    };
    let is_code = rest.first() == Some(sign) && b"-*&=.~?+".contains(sign) || rest.contains(&close);
    let letters = [u8::is_ascii_uppercase, u8::is_ascii_lowercase].iter().all(|is_of| rest.iter().any(is_of));
    let is_chance = letters && looks_random(rest);
    let is_mixed = is_chance || kinds(rest) >= 3 && !b"<{[(/|:,;>".contains(sign);
    (7..=SIGNED_BYTES).contains(&rest.len()) && !is_code && is_mixed && looks_like_password(rest, true)
}

/// Is it what only a password is, in the middle of a sentence?
pub fn is_strong(word: &[u8]) -> bool {
    let end = word.len().saturating_sub(usize::from(word.last().is_some_and(u8::is_ascii_punctuation)));
    let runs: Vec<&[u8]> =
        word.get(..end).unwrap_or_default().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).collect();
    let letters = |run: &[u8], least: usize| run.len() >= least && run.iter().all(u8::is_ascii_alphabetic);
    let begins_with = |names: &[&str]| names.iter().any(|name| word.to_ascii_lowercase().starts_with(name.as_bytes()));
    let is_chosen = match runs[..] {
        // `71935281`, but no date and no time.
        [number] => {
            (8..=12).contains(&number.len())
                && number.iter().all(u8::is_ascii_digit)
                && !begins_with(&["19", "20", "16", "17"])
                && entropy(number) > 2.0
        }
        // `tiger4871!`
        [name, number] => letters(name, 4) && number.len() >= 3,
        // `zaq12wsx`
        [name, number, rest] => letters(name, 3) && number.len() >= 2 && letters(rest, 2) && !begins_with(TECHNICAL),
        _ => false,
    };
    looks_random(word)
        || is_of_many_kinds(word, false)
        || (is_chosen || is_phrase(word)) && looks_like_password(word, false)
}

/// Is it made of words with a capital and a number: `maple-River-42-stone`, `Maple_Stone42`?
fn is_phrase(word: &[u8]) -> bool {
    let parts: Vec<&[u8]> = word.split(|byte| b"-_.".contains(byte)).collect();
    let is_capital = |part: &[u8]| {
        part.len() >= 3
            && part.iter().skip(1).all(|byte| !byte.is_ascii_uppercase())
            && part.first().is_some_and(u8::is_ascii_uppercase)
    };
    let is_long = parts.len() >= 4 && parts.iter().any(|part| is_capital(part))
        || parts.len() == 2 && parts.iter().all(|part| is_capital(part));
    is_long
        && parts.iter().all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_alphanumeric))
        && word.iter().any(u8::is_ascii_digit)
}

/// Is it a password of several kinds of signs, which no name of words is?
pub fn is_mixed_password(word: &[u8]) -> bool {
    is_of_many_kinds(word, true)
}

fn is_of_many_kinds(word: &[u8], also_random: bool) -> bool {
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_mixed = digits >= 4 || also_random && digits > 0 && changes_often(word);
    word.len() >= 8 && (kinds(word) == 4 || kinds(word) == 3 && is_mixed) && looks_like_password(word, false)
}

/// Does it end with the name before it: `s3_key_prefix=self.s3_key_prefix`?
pub fn is_its_name(before: &[u8], word: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name = before.split(|byte| !is_name(byte)).find(|part| !part.is_empty()).unwrap_or_default();
    let end = word.get(word.len().saturating_sub(name.len())..).unwrap_or_default();
    let is_path = word.iter().all(|byte| is_name(byte) || *byte == b'.');
    name.len() >= 4 && is_path && before.starts_with(name) && end.eq_ignore_ascii_case(name)
}

/// How many kinds of signs it has: capitals, small letters, digits, signs that no name has.
fn kinds(word: &[u8]) -> usize {
    let sign = |byte: &u8| b"!@#$%^&*+?".contains(byte);
    let kinds = [u8::is_ascii_uppercase, u8::is_ascii_lowercase, u8::is_ascii_digit, sign];
    kinds.iter().filter(|is_of| word.iter().any(is_of)).count()
}

/// A run of chance in base64, which has slashes as a path has.
fn is_base64(word: &[u8]) -> bool {
    let has = |of: fn(&u8) -> bool| word.iter().any(of);
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let letters = word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
    let mut parts = word.split(|byte| *byte == b'/');
    let chance = |part: &[u8]| part.len() >= 8 && (looks_random(part) || is_mixed(part));
    let joined: Vec<u8> = word.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let mut random = || word.ends_with(b"=") || word.contains(&b'+') || parts.any(chance) || looks_random(&joined);
    word.len() >= 16 && letters && mixed && random()
}

/// Numbers with a unit, paths, calls, variables, types, addresses, file names.
fn is_code(word: &[u8], quoted: bool) -> bool {
    if is_base64(word) {
        return false;
    }
    let text = String::from_utf8_lossy(word);
    let first = text.chars().next().unwrap_or_default();
    let is_sign = |signs: &str| signs.contains(first);
    if is_sign("<{[(/|:,;>$%&*~.-#?!+=") && !is_signed(word) || text.contains("[redacted:") {
        return true;
    }
    let is_of_code = |sign: &&str| text.contains(sign);
    let is_open = kinds(word) < 4 || text.contains(['(', '<', '{']);
    if ["${", "{{", "()", "://"].iter().any(is_of_code) || is_open && ["::", "->", "=>"].iter().any(is_of_code) {
        return true;
    }
    let name = |part: &str| {
        part.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    // A call, an index, a member, a file: name( name[ name.name
    let head: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '.').collect();
    let behind = text.get(head.len()..).and_then(|rest| rest.chars().next());
    let is_call = !quoted && matches!(behind, Some('(' | '[' | '{')) || behind == Some('<') && text.contains('>');
    if is_call && head.split('.').all(name) && pieces(head.as_bytes()).len().saturating_mul(2) < head.len() {
        return true;
    }
    let is_chance = word.len() >= 10 && kinds(word) >= 3 && changes_often(word);
    // `id=…` is a part of an option.
    let key = text.split_once('=').is_some_and(|(key, value)| {
        !value.trim_matches('=').is_empty()
            && (1..=24).contains(&key.len())
            && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    });
    if key || text.contains('.') && text.split('.').all(name) && inner_numbers(word) < 2 && !is_chance {
        return true;
    }
    // An address, a path.
    let at = text
        .split_once('@')
        .is_some_and(|(user, host)| user.chars().all(|c| c.is_alphanumeric() || "._+-".contains(c)) && is_host(host));
    let is_long = text.len() > 60 && looks_random(word);
    at || text.matches('/').count() >= 2 && !is_long
}

/// Does it begin with a computer's name or number, or a version? A password has capitals among small letters there.
fn is_host(text: &str) -> bool {
    let host = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.').next().unwrap_or_default();
    let numbers = host.trim_start_matches('v').split('.').take(2).all(|part| part.bytes().all(|c| c.is_ascii_digit()));
    let is_domain = |end: &str| end.len() >= 2 && end.bytes().all(|c| c.is_ascii_alphabetic());
    (host == host.to_lowercase() || host == host.to_uppercase())
        && host.rsplit_once('.').is_some_and(|(_, end)| numbers || is_domain(end))
}

/// The word without the names that have digits in them.
fn without_technical(lower: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(lower);
    let is_sign = |c: char| !c.is_ascii_alphanumeric();
    if text.split(is_sign).any(|part| TECHNICAL.contains(&part)) {
        let kept: Vec<&str> = text.split(is_sign).filter(|part| !TECHNICAL.contains(part)).collect();
        return kept.join("-").into_bytes();
    }
    lower.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_from_a_value() {
        for (before, word, is_name) in [
            ("3_key_prefix=", "s3_key_prefix", true),
            ("key_prefix\": ", "self.s3_Key_Prefix", true),
            ("key = ", "xkqzkey", false),
            ("token=", "45ghiukldjahd&type=refresh_token", false),
            ("", "aB3dE5fG7hI9", false),
        ] {
            assert_eq!(is_its_name(before.as_bytes(), word.as_bytes()), is_name, "{before}{word}");
        }
    }

    #[test]
    fn a_password_in_a_sentence_has_many_kinds_of_signs() {
        for (word, strong) in [("Hunter9485$", true), ("Berlin-2024", true), ("Ubuntu24", false), ("falcon56", false)] {
            assert_eq!(is_strong(word.as_bytes()), strong, "{word}");
        }
    }
}
