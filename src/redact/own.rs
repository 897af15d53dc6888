//! Forms of secrets that gitleaks' rules don't have, or have in a way that suits a scanner and not a
//! redactor: whole key blocks, passwords in URLs, Authorization headers.

use super::Rule;

/// What stands where a secret will stand: words that nobody would guess at.
pub const PLACEHOLDERS: &[&str] = &[
    // Masked already.
    r"^\[redacted:",
    r#"(?i)^["'`]?(?:change[_-]?(?:me|it)|pass(?:word|wd)?|secret|token|example|dummy|placeholder|your[_-][a-z_-]*|x{3,}|\*{3,}|\.{3,}|<[^>]*>)["'`]?$"#,
];

/// The rules. Each pattern's first group is the secret.
pub const RULES: &[Rule] = &[
    Rule {
        id: "private-key",
        // A block that was cut has no end: it reaches to the end of the text or of its base64.
        pattern: r"(?i)(-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----|(?:\\n|[A-Za-z0-9+/=\s:,.-])*))",
        keywords: &["private key"],
        ..Rule::PLAIN
    },
    Rule {
        id: "url-password",
        // The name can be masked already; a bracket in it can be nothing else.
        pattern: r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?:\[redacted:[\w-]{1,60}\]|[^\s/:@'"<>\[]){0,100}:([^\s/@'"<>]{3,200})@[^\s/@'"<>]"#,
        keywords: &["://"],
        allowed: &[
            r"^\$",
            r"^\{",
            r"^<",
            r"^\*+$",
            r"^(?i:password|passwd|pass|pwd|secret|token|xxx+|\.\.\.)$",
            r"^%[sd]$",
            r"^[0-9]{1,5}$",
        ],
        ..Rule::PLAIN
    },
    Rule {
        id: "authorization-header",
        pattern: r#"(?i)\b(?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|token|digest|apikey|api-key|negotiate)\s{1,3})?([\w.~+/=:-]{8,4000})"#,
        keywords: &["authorization"],
        entropy: 2.5,
        allowed: &[r"^\$", r"^<", r"^(?i:bearer|basic|token|required|undefined|string)$"],
        ..Rule::PLAIN
    },
    Rule {
        id: "bearer-token",
        pattern: r"\b[Bb]earer\s{1,3}([\w.~+/-]{20,4000}={0,2})",
        keywords: &["bearer"],
        entropy: 3.5,
        ..Rule::PLAIN
    },
    Rule {
        id: "jwt",
        pattern: r"\b(eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{10,2000})",
        keywords: &["eyj"],
        ..Rule::PLAIN
    },
    Rule {
        id: "aws-secret-access-key",
        pattern: r#"(?i)aws_?(?:secret)?_?(?:access)?_?key(?:_id)?["']?\s{0,3}[:=]\s{0,3}["']?([a-z0-9/+]{40})(?:[^a-z0-9/+]|$)"#,
        keywords: &["aws"],
        entropy: 3.5,
        ..Rule::PLAIN
    },
    Rule {
        id: "airtable-personal-access-token",
        pattern: r"\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b",
        keywords: &["pat"],
        ..Rule::PLAIN
    },
    Rule {
        id: "sourcegraph-access-token",
        pattern: r"\b(sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40})\b",
        keywords: &["sgp_"],
        ..Rule::PLAIN
    },
];
