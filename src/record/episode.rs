//! An episode: what one session did and how it ended, in about 500 bytes of JSON, so that a session can choose from a
//! menu of them. Seven of its fields are those of a completion checkpoint, which reads as an episode, too.

use crate::base::clock;
use crate::base::text;
use crate::base::word_enum::words;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Characters of what was done.
pub const DONE_CHARS: usize = 160;
/// Files that are named, and the characters of all their names.
const FILES: usize = 8;
const FILES_CHARS: usize = 160;
/// Files that a line of the menu names.
const MENU_FILES: usize = 3;

words! {
    /// How a session ended.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    Ended {
        /// Its last turn came to its end.
        Completed = "completed",
        /// The user, or a kill, stopped it.
        Interrupted = "interrupted",
        /// What it did last failed.
        Failed = "failed",
        /// Nothing says it.
        #[default]
        Unknown = "unknown",
    }
}

/// Where a session worked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The folder.
    pub cwd: String,
    /// The normalised remote, `github.com/org/repo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_remote: Option<String>,
}

/// What one session did. The texts are masked where it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Episode {
    /// The session.
    pub session_id: String,
    /// Where it worked.
    pub project: Place,
    /// The skill or the slash command that it used first, without the slash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_used: Option<String>,
    /// One sentence.
    pub what_was_done: String,
    /// Paths below the folder, the last changed first.
    pub files_changed: Vec<String>,
    /// How it ended.
    pub outcome: Ended,
    /// From its first record to its last.
    pub duration_minutes: u64,
    /// RFC 3339; "" where nothing says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub started_at: String,
    /// The same of its end.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ended_at: String,
}

impl Episode {
    /// Reads one; None for what is not an object, or has a field of another type.
    pub fn parse(text: &str) -> Option<Self> {
        // A struct is read from an array, too.
        if !text.trim_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    /// The same within its bounds: each text one line, so many files.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let line = |text: &str, chars: usize| text::cut(text::one_line(text).trim(), chars).into_owned();
        self.what_was_done = line(&self.what_was_done, DONE_CHARS);
        self.skill_used = self.skill_used.map(|skill| line(skill.trim_start_matches('/'), 60));
        self.skill_used = self.skill_used.filter(|skill| !skill.is_empty());
        let mut room = FILES_CHARS;
        self.files_changed.retain(|file| {
            let chars = file.chars().count();
            let fits = chars <= room && !file.contains('\n');
            room = room.saturating_sub(if fits { chars } else { 0 });
            fits
        });
        self.files_changed.truncate(FILES);
        self
    }

    /// When it ended, else when it began.
    pub fn time(&self) -> Option<Timestamp> {
        clock::parse(&self.ended_at).or_else(|| clock::parse(&self.started_at))
    }

    /// Its line in the menu, after the name of its file: `/skill: what was done [files]`.
    pub fn summary(&self) -> String {
        let skill = self.skill_used.as_ref().map(|skill| format!("/{skill}: ")).unwrap_or_default();
        let mut files: Vec<&str> = self.files_changed.iter().map(String::as_str).collect();
        let more = files.len().saturating_sub(MENU_FILES);
        files.truncate(MENU_FILES);
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        let files = if files.is_empty() { String::new() } else { format!(" [{}{more}]", files.join(", ")) };
        let ended = match self.outcome {
            Ended::Interrupted | Ended::Failed => format!(" ({})", self.outcome.word()),
            Ended::Completed | Ended::Unknown => String::new(),
        };
        format!("{skill}{}{ended}{files}", self.what_was_done)
    }
}

/// What episodes are sorted by: the newest first, ties by the session's id.
pub fn order(episode: &Episode) -> (Reverse<Option<Timestamp>>, String) {
    (Reverse(episode.time()), episode.session_id.clone())
}

/// Sorts them so.
pub fn newest_first(episodes: &mut [Episode]) {
    episodes.sort_by_cached_key(order);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::record;

    #[test]
    fn a_checkpoint_is_an_episode_and_comes_back() {
        let seed = r#"{"session_id": "2026-01-30T14:22:00", "project": {"cwd": "/path/to/project", "git_remote": "github.com/org/repo"},
            "skill_used": "melt", "what_was_done": "Added logout button to navbar", "files_changed": ["src/components/Navbar.tsx"],
            "outcome": "completed", "duration_minutes": 12, "unknown": [1]}"#;
        let episode = Episode::parse(seed).unwrap();
        assert_eq!(Episode::parse(&record::json_line(&episode).unwrap()), Some(episode.clone()));
        assert_eq!(episode.summary(), "/melt: Added logout button to navbar [src/components/Navbar.tsx]");
        assert!(record::json_line(&episode).unwrap().len() < 500);
        for bad in ["", "[]", "{", r#"{"outcome": "great"}"#, r#"{"duration_minutes": -1}"#] {
            assert_eq!(Episode::parse(bad), None, "{bad}");
        }
    }
}
