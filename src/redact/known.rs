//! Names that look like chance and are known: of standards, methods and protocols, of programs with their
//! version. Behind "password" they say how one is kept or made.

use crate::base::text::Words;

/// Names of standards, methods and protocols: numbers and words follow them (`SHA-256`, `NIST-800-63B`).
static STANDARDS: Words = Words::of(
    "sha sha1 sha2 sha3 md5 aes des rsa dsa dh dhe ec ecdh ecdhe ecdsa eddsa hmac gcm cbc ctr ccm xts siv oaep pss \
    pkcs pkcs1 pkcs8 pkcs12 tls ssl dtls tlsv1 chacha20 poly1305 xchacha20 hkdf kdf pbkdf2 scrypt bcrypt argon2 \
    argon2id scram srp ntlm ntlmv2 kerberos nist fips iso iec rfc owasp pci dss gdpr soc bsi utf cve p256 p384 p521 \
    x25519 curve25519 ed25519 mlkem totp hotp fido2 oauth2 2fa mfa",
);

/// What parts of such a name stand between.
const SIGNS: [char; 4] = ['-', '_', '.', '/'];

/// The name of a standard with its numbers, or a name and its version: `AES-128-GCM`, `KeePassXC-2.7.6`.
pub fn is_known(word: &[u8]) -> bool {
    let text = String::from_utf8_lossy(word);
    let lower = text.to_lowercase();
    let number = |part: &str| {
        let digits = part.trim_matches(|c: char| c.is_ascii_lowercase());
        digits.len() <= 5 && part.len() <= digits.len() + 1 && digits.bytes().all(|c| c.is_ascii_digit())
    };
    let standard = |part: &str| {
        let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
        STANDARDS.has(part) || STANDARDS.has(name) && number(part.get(name.len()..).unwrap_or_default())
    };
    // `encoded`, `Encoded`, `ENCODED`
    let plain = |part: &str| {
        let letters = part.bytes().all(|c| c.is_ascii_alphabetic());
        let inner = part.get(1..).unwrap_or_default();
        letters && (inner == inner.to_lowercase() || part == part.to_uppercase())
    };
    let parts: Vec<&str> = lower.split(SIGNS).collect();
    let known = |(part, as_written): (&&str, &str)| standard(part) || number(part) || plain(as_written);
    let named = parts.len() > 1 && parts.first().is_some_and(|first| standard(first));
    named && parts.iter().zip(text.split(SIGNS)).all(known) || is_version(&lower)
}

/// `pwgen-2.08`, `1password-8.10.2`
fn is_version(lower: &str) -> bool {
    let Some((name, version)) = lower.rsplit_once('-') else { return false };
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let letters = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_lowercase());
    let numbers = |part: &str| matches!(part.len(), 1..=4) && part.bytes().all(|c| c.is_ascii_digit());
    name.len() >= 3
        && name.split('-').all(letters)
        && version.contains('.')
        && version.trim_start_matches('v').split('.').all(numbers)
}
