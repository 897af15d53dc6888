//! The name of a repository that is the same on every machine and for every way to clone it: the host and the path
//! of its remote, `github.com/owner/name`. Only files are read, and git is not run. The rules are those of lazy-harness
//! 0.45, whose folders we read: of the user's own git and ssh configuration the shorthands count; files that these
//! include do not. The host is in lower case here, and as it was typed there.

use super::{env, file};
use std::path::Path;

/// Characters of one part of a name; longer ones are no folders.
const PART_BYTES: usize = 200;
/// The remote that decides.
const ORIGIN: &str = "origin";

/// The name of the repository whose git folder (the common one) this is; None without a remote that has one.
/// The remote is `origin`, or the only one there is.
pub fn of(git_dir: &Path) -> Option<String> {
    let config = file::read_text(&git_dir.join("config")).ok()??;
    let mut remotes: Vec<(String, String)> = Vec::new();
    for GitSetting { section, name, key, value } in settings(&config) {
        // Of several addresses of one remote git fetches from the first.
        if section == "remote" && key == "url" && !remotes.iter().any(|(known, _)| *known == name) {
            remotes.push((name, value));
        }
    }
    let origin = remotes.iter().find(|(name, _)| name == ORIGIN);
    let (_, url) = origin.or(if let [one] = remotes.as_slice() { Some(one) } else { None })?;
    let own = Shorthands::read();
    name(&own.expand(url), &own)
}

/// The name that an address gives.
fn name(url: &str, own: &Shorthands) -> Option<String> {
    let url = url.trim();
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        // host:path, as scp has it; a colon behind a slash is part of a folder's name.
        None => url.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let port = host.rfind(':').filter(|colon| host.rfind(']').is_none_or(|end| end < *colon));
    let host = &host[..port.unwrap_or(host.len())];
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let host = own.host(host).to_lowercase();
    let parts = std::iter::once(host.as_str()).chain(path.split('/'));
    let parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let fits = |part: &&str| part.len() <= PART_BYTES && !part.contains(|letter: char| letter.is_control());
    (parts.len() > 1 && parts.iter().all(fits)).then(|| parts.join("/"))
}

/// What the user's own configuration calls otherwise.
#[derive(Default)]
struct Shorthands {
    /// The beginning of an address, and what git puts in its place.
    addresses: Vec<(String, String)>,
    /// A host of ssh, and its name.
    hosts: Vec<(String, String)>,
}

impl Shorthands {
    fn read() -> Self {
        let text = |path: &Path| file::read_text(path).ok().flatten().unwrap_or_default();
        let Ok(home) = env::home() else { return Self::default() };
        let folder = env::config_folder().unwrap_or_else(|_| home.join(".config"));
        let mut own = Self::default();
        for path in [folder.join("git/config"), home.join(".gitconfig")] {
            own.read_git(&text(&path));
        }
        own.read_ssh(&text(&home.join(".ssh/config")));
        own
    }

    fn read_git(&mut self, text: &str) {
        for GitSetting { section, name, key, value } in settings(text) {
            // An empty one would be the beginning of every address.
            if section == "url" && key == "insteadof" && !value.is_empty() {
                self.addresses.push((value, name));
            }
        }
    }

    fn read_ssh(&mut self, text: &str) {
        let mut meant: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let end = line.find(|letter: char| letter.is_whitespace() || letter == '=').unwrap_or(line.len());
            let (key, value) = line.split_at(end);
            let value = value.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '=').trim();
            match key.to_ascii_lowercase().as_str() {
                // A pattern says nothing of one host.
                "host" => meant = value.split_whitespace().filter(|host| !host.contains(['*', '?', '!'])).collect(),
                "match" => meant.clear(),
                "hostname" => {
                    let host = value.trim_matches('"');
                    // An address in numbers is less of a name than the shorthand is.
                    let plain = !host.is_empty() && !host.contains('%') && host.parse::<std::net::IpAddr>().is_err();
                    let new = meant.iter().filter(|_| plain).map(|known| (known.to_lowercase(), host.to_owned()));
                    self.hosts.extend(new);
                }
                _ => {}
            }
        }
    }

    /// An address as git uses it: of the shorthands that it begins with the longest one counts.
    fn expand(&self, url: &str) -> String {
        let begins = self.addresses.iter().filter(|(short, _)| url.starts_with(short.as_str()));
        let longest = begins.max_by_key(|(short, _)| short.len());
        longest.map_or_else(|| url.to_owned(), |(short, long)| url.replacen(short, long, 1))
    }

    /// A host as ssh calls it; the first line that names it counts.
    fn host<'h>(&'h self, host: &'h str) -> &'h str {
        let lower = host.to_lowercase();
        self.hosts.iter().find(|(known, _)| *known == lower).map_or(host, |(_, name)| name)
    }
}

/// One line of a git configuration: `[section "name"] key = value`.
#[derive(Clone, Default)]
struct GitSetting {
    section: String,
    name: String,
    key: String,
    value: String,
}

/// The settings of a git configuration, in their order. What cannot be read is left out.
fn settings(text: &str) -> Vec<GitSetting> {
    let mut found = Vec::new();
    let mut one = GitSetting::default();
    // A line can go on in the next one.
    for line in text.trim_start_matches('\u{feff}').replace("\\\n", "").lines() {
        let mut line = line.trim();
        if let Some(head) = line.strip_prefix('[') {
            let (inner, Some(rest)) = unquoted(head, &[']']) else { continue };
            // A point before the name is an older way to write it.
            let is_end = |letter: char| letter.is_whitespace() || letter == '.';
            let (section, name) = inner.split_once(is_end).unwrap_or((&inner, ""));
            let name = if inner.contains(char::is_whitespace) { name.to_owned() } else { name.to_lowercase() };
            one = GitSetting { section: section.to_lowercase(), name, ..one };
            line = rest.trim();
        }
        if !line.is_empty() && !line.starts_with(['#', ';']) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let (value, _) = unquoted(value, &['#', ';']);
            found.push(GitSetting { key: key.trim().to_lowercase(), value, ..one.clone() });
        }
    }
    found
}

/// A text without its quotation marks, up to one of some signs outside of them, and what is behind that.
fn unquoted<'t>(text: &'t str, ends: &[char]) -> (String, Option<&'t str>) {
    let (mut value, mut quoted, mut kept) = (String::new(), false, 0);
    let mut letters = text.trim_start().chars();
    let mut behind = None;
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => value.extend(letters.next()),
            _ if !quoted && ends.contains(&letter) => {
                behind = Some(letters.as_str());
                break;
            }
            _ => value.push(letter),
        }
        if quoted || !letter.is_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    (value, behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    /// What no repository can be called; the usual ways to write an address are in tests/lazy-harness/remotes.tsv.
    #[test]
    fn a_name_leads_nowhere_else() {
        let own = Shorthands::default();
        for [url, wanted] in rows(include_str!("remote.tsv")) {
            assert_eq!(name(&url, &own).unwrap_or_default(), wanted, "{url:?}");
        }
        assert_eq!(name(&format!("h:{}", "x".repeat(300)), &own), None);
    }

    #[test]
    fn a_git_configuration_is_read_as_git_does() {
        for [text, wanted] in rows(include_str!("git_config.tsv")) {
            let of = |of: GitSetting| format!("{}|{}|{}|{}", of.section, of.name, of.key, of.value);
            assert_eq!(settings(&text).into_iter().map(of).collect::<Vec<_>>().join(", "), wanted);
        }
    }
}
