//! A skill that tells the agent when to search what is remembered, and how. Its last line has the hash of the lines
//! before it, so that of each file can be told whether it is as we wrote it, whichever version did. Any other file is
//! a person's, and stays as it is.

use super::{Setup, may_be_replaced};
use crate::agent::layout;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file;
use crate::record::item;

const NAME: &str = "lh-recall";
const TEXT: &str = include_str!("skill.md");
/// What the last line has around the hash.
const MARK: (&str, &str) = ("\n<!-- as lh-setup wrote it: ", " -->\n");

/// The whole file.
fn text() -> String {
    marked(TEXT)
}

fn marked(text: &str) -> String {
    format!("{text}{}{}{}", MARK.0, item::hash(text.as_bytes()), MARK.1)
}

/// Whether a file is as this or another version wrote it.
fn is_ours(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix(MARK.1));
    let parts = text.and_then(|text| text.rsplit_once(MARK.0));
    parts.is_some_and(|(text, hash)| item::hash(text.as_bytes()) == hash)
}

impl Setup<'_> {
    /// Puts the skill into each agent home for a user who wishes it, and brings one up to date that is there.
    pub(super) fn skill(&mut self, config: &Config) -> Result<(), Failure> {
        for home in config.agent_homes()? {
            let path = layout::skill(&home, NAME);
            let done = match file::read(&path) {
                // What cannot be read matters only to a user who wants it replaced.
                Ok(None) | Err(_) if !self.wish.skill => Ok(()),
                Ok(Some(bytes)) if !is_ours(&bytes) => {
                    if self.wish.skill {
                        let what = "not as lh-setup wrote it, so it stays: move it away, then run this again";
                        self.say(&format!("{}: {what}", path.display()));
                    }
                    Ok(())
                }
                Ok(_) => may_be_replaced(&path).and_then(|()| self.put(&path, Some(&text())).map(drop)),
                Err(failure) => Err(failure),
            };
            self.remember(done);
        }
        Ok(())
    }

    /// Takes the skill away where it is as we wrote it.
    pub(super) fn no_skill(&mut self, config: &Config) -> Result<(), Failure> {
        for home in config.agent_homes()? {
            let path = layout::skill(&home, NAME);
            let Ok(Some(bytes)) = file::read(&path) else { continue };
            if !is_ours(&bytes) {
                self.say(&format!("stays: {}, which is not as lh-setup wrote it", path.display()));
                continue;
            }
            let done = self.put(&path, None).map(drop);
            if self.remember(done) && !self.wish.dry_run {
                // Files beside it are a person's.
                let _ = path.parent().is_some_and(file::remove_folder);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_what_nobody_changed() {
        let ours = text();
        assert!(is_ours(ours.as_bytes()) && is_ours(marked("of another version\n").as_bytes()));
        let bytes = ours.as_bytes();
        for at in 0..bytes.len() {
            let mut other = bytes.to_vec();
            other[at] ^= 1;
            assert!(!is_ours(&other), "{at}");
        }
        for other in ["", "x", "\n", &format!("{ours}\n"), &format!("x{ours}"), &ours[..ours.len() - 1]] {
            assert!(!is_ours(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn it_costs_few_tokens_and_names_what_there_is() {
        let (_, rest) = TEXT.split_once("description: ").unwrap();
        let (description, body) = rest.split_once("\n---\n").unwrap();
        let words = |text: &str| text.split_whitespace().count();
        assert!(TEXT.starts_with(&format!("---\nname: {NAME}\ndescription: ")));
        assert!(words(description) < 60 && !description.contains('\n') && !description.contains(": "), "{description}");
        assert!(words(body) < 200, "{}", words(body));
    }
}
