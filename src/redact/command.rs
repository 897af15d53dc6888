//! Passwords in the short options of commands. Of a program that is known to take one, any password is one; of a command
//! that gets a user's name, too, what is no number and no path; else what only a password is. Each line is read once.

use super::rule::Secret;
use super::scan::Never;
use super::word;

/// So much of a line is read before and behind its first option.
const BEFORE_BYTES: usize = 700;
const LINE_BYTES: usize = 4 << 10;
/// Programs that take a password in a short option; of the longer names others begin with them (`mysqldump`).
const PROGRAMS: &[&str] = &[
    "mysql", "mariadb", "7z", "7za", "7zr", "7zz", "sshpass", "mongo", "xfreerdp", "rdesktop", "useradd", "usermod",
    "restic", "redis-cli", "valkey-cli", "cryptsetup", "cqlsh", "ldap", "sqlcmd", "bcp", "zip", "unzip", "openssl",
    "snmp", "ssh-keygen", "mosquitto", "rar", "unrar", "beeline", "snowsql", "ipmitool", "isql", "tsql", "mycli",
    "psexec", "security",
];
/// Programs that take a user's name and a password as one word.
const PAIRS: &[&str] = &[
    "curl", "wget", "http", "https", "httpie", "xh", "ab", "etcdctl", "smbclient", "rpcclient", "net", "winexe", "lftp",
];
/// The options for a password: those of any program, and those of the programs that are known.
const USUAL: &[&str] = &["-p", "-P", "-w", "-hp", "-pw"];
const KNOWN: &[&str] = &["-a", "-A", "-X", "-k", "-N", "-s", "--pass", "--key"];
/// Those that it can be glued to.
const GLUED: &[&str] = &["-p", "-hp"];
/// The options for a user's name, or for it with a password.
const USERS: &[&str] =
    &["-u", "-U", "-D", "-l", "-n", "-a", "-A", "-auth", "--auth", "--user", "--username", "--proxy-user"];

/// The passwords of a text.
pub fn find(text: &[u8], never: &Never, secrets: &mut Vec<Secret>) {
    let mut done = 0_usize;
    for at in memchr::memmem::find_iter(text, b" -") {
        if at < done {
            continue;
        }
        let before = text.get(done.max(at.saturating_sub(BEFORE_BYTES))..at).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before).map_or(before, |end| before.get(end..).unwrap_or_default());
        done = end_of_line(text, at);
        Command { text, end: done, never, secrets }.read(at.saturating_sub(line.len()));
    }
}

/// Where a line ends; a backslash at its end joins it with the next one.
fn end_of_line(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..from.saturating_add(LINE_BYTES).min(text.len())).unwrap_or_default();
    let goes_on = |at: &usize| rest.get(..*at).unwrap_or_default().trim_ascii_end().ends_with(b"\\");
    let length = memchr::memchr_iter(b'\n', rest).find(|at| !goes_on(at)).unwrap_or(rest.len());
    from.saturating_add(length)
}

struct Command<'t> {
    text: &'t [u8],
    end: usize,
    never: &'t Never,
    secrets: &'t mut Vec<Secret>,
}

/// What is known of a command so far.
#[derive(Clone, Copy, Default)]
struct Known<'t> {
    takes_password: bool,
    takes_pair: bool,
    has_user: bool,
    before: &'t [u8],
}

impl Command<'_> {
    fn read(&mut self, mut at: usize) {
        let mut known = Known::default();
        let line = self.text.get(at..self.end).unwrap_or_default();
        for word in line.split(u8::is_ascii_whitespace) {
            let place = at;
            at = at.saturating_add(word.len()).saturating_add(1);
            if word.is_empty() || word == b"\\" {
                continue;
            }
            self.word(place, word, known);
            if matches!(word.last(), Some(b'|' | b';' | b'&')) {
                known = Known::default();
                continue;
            }
            let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte);
            let name = bare(word).rsplit(is_sign).next().unwrap_or_default();
            let is_of = |programs: &[&str]| programs.iter().any(|program| is_program(name, program.as_bytes()));
            if !word.starts_with(b"-") {
                known.takes_password |= is_of(PROGRAMS);
                known.takes_pair |= is_of(PAIRS);
            }
            known.has_user |= is_of_list(bare(known.before), USERS) && !word.starts_with(b"-");
            known.before = if known.before.ends_with(b"sudo") { b"" } else { word };
        }
    }

    /// A word that can have a password, or be one.
    fn word(&mut self, place: usize, word: &[u8], known: Known<'_>) {
        let option = bare(known.before);
        let is_usual = |option: &[u8]| is_of_list(option, USUAL);
        let is_option = |option: &[u8]| is_usual(option) || known.takes_password && is_of_list(option, KNOWN);
        if is_option(option) {
            self.push(place, known);
        } else if is_of_list(option, USERS) {
            let sign = word.iter().position(|byte| b":%,".contains(byte)).filter(|at| *at > 0);
            if let Some(at) = sign {
                let known = Known { takes_password: known.takes_pair, has_user: false, ..known };
                self.push(place.saturating_add(at).saturating_add(1), known);
            }
        }
        // Glued to the option's letter.
        let place = place.saturating_add(word.iter().take_while(|byte| is_around(**byte)).count());
        let word = bare(word);
        let length = if word.starts_with(b"-hp") { 3 } else { 2 };
        let (option, value) = word.split_at_checked(length).unwrap_or((word, b""));
        let is_sure = is_of_list(option, GLUED) || known.takes_password && is_of_list(option, USUAL);
        let equals = usize::from(value.starts_with(b"="));
        if value.len() >= 4 && is_sure {
            self.push(place.saturating_add(length).saturating_add(equals), known);
        }
    }

    /// Masks the word or the text in quotation marks here, if it is a password.
    fn push(&mut self, place: usize, known: Known<'_>) {
        let rest = self.text.get(place..self.end).unwrap_or_default();
        let quote = rest.first().copied().filter(|byte| b"\"'`".contains(byte));
        let start = place.saturating_add(usize::from(quote.is_some()));
        let rest = self.text.get(start..self.end).unwrap_or_default();
        let is_end = |byte: &u8| match quote {
            Some(quote) => *byte == quote,
            None => byte.is_ascii_whitespace() || b"\"'`\\".contains(byte),
        };
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let (end, masked) = word::ends(self.text, start, start.saturating_add(length));
        let password = self.text.get(start..end).unwrap_or_default();
        let is_place =
            password.iter().any(|byte| b"/:\\[(".contains(byte)) || !password.iter().any(u8::is_ascii_alphabetic);
        let is_password = if known.takes_password {
            word::looks_like_password(password, quote.is_some())
        } else if known.has_user {
            !is_place && password.len() >= 6 && word::looks_like_password(password, quote.is_some())
        } else {
            !is_place && word::is_mixed_password(password)
        };
        if is_password && !self.never.is(password) {
            self.secrets.push(Secret { start, end: masked, kind: "password-option".to_owned() });
        }
    }
}

/// A word without the quotation marks and brackets around it.
fn bare(word: &[u8]) -> &[u8] {
    let start = word.iter().position(|byte| !is_around(*byte)).unwrap_or(word.len());
    let end = word.iter().rposition(|byte| !is_around(*byte)).map_or(start, |at| at.saturating_add(1));
    word.get(start..end.max(start)).unwrap_or_default()
}

fn is_around(byte: u8) -> bool {
    b"\"'`$({[,]})+".contains(&byte)
}

fn is_of_list(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|item| item.as_bytes() == word)
}

fn is_program(name: &[u8], program: &[u8]) -> bool {
    name == program || program.len() >= 4 && name.starts_with(program)
}
