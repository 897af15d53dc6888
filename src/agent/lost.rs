//! Sessions whose transcript the client deleted. Of these only the prompts are left, in the client's own history.

pub use super::claude::history::TypedPrompt;

use super::claude::{history, layout};
use super::{removed, transcript};
use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::record::session;
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The most folders of which the sessions are held.
const FOLDERS: usize = 1000;

/// The sessions of some homes that still have their transcript.
pub struct KeptSessions<'a> {
    homes: &'a [PathBuf],
    ids: HashSet<String>,
    /// From when to when the sessions of a folder went, for prompts that do not name theirs.
    times: HashMap<PathBuf, Vec<(Timestamp, Timestamp)>>,
}

impl<'a> KeptSessions<'a> {
    /// The sessions that are there now.
    pub fn in_homes(homes: &'a [PathBuf]) -> Result<Self, Failure> {
        let mut ids = HashSet::new();
        for home in homes {
            ids.extend(layout::sessions(home)?.iter().map(|(_, path)| session::id_of(path)));
            ids.extend(removed::all(home));
        }
        Ok(Self { homes, ids, times: HashMap::new() })
    }

    /// Whether the transcript of a prompt's session is there. A prompt that does not name its session belongs to any
    /// session of its folder that went on at its time.
    fn has(&mut self, prompt: &TypedPrompt) -> bool {
        if let Some(id) = &prompt.session_id {
            return self.ids.contains(id) || self.ids.contains(&session::safe_id(id));
        }
        if self.times.len() >= FOLDERS && !self.times.contains_key(&prompt.cwd) {
            self.times.clear();
        }
        let homes = self.homes;
        let times = self.times.entry(prompt.cwd.clone()).or_insert_with(|| times_in(homes, &prompt.cwd));
        prompt.time.is_some_and(|time| times.iter().any(|(first, last)| (*first..=*last).contains(&time)))
    }
}

/// When each session of a folder began and ended.
fn times_in(homes: &[PathBuf], cwd: &Path) -> Vec<(Timestamp, Timestamp)> {
    let real = file::real_path(cwd);
    let transcripts = homes.iter().flat_map(|home| layout::sessions_of(home, &[cwd, &real]));
    let times = transcripts.filter_map(|(modified, path)| {
        // The prompt is in the history a little before it is in the transcript.
        let first = transcript::first_time(&path)?.checked_sub(jiff::SignedDuration::from_mins(1)).ok()?;
        Some((first, clock::from_system(modified)?))
    });
    times.collect()
}

/// Gives each prompt of a home's history whose session is not `kept` to `act`, in the order of the file; gives how many
/// lines of it could not be read. Memory does not grow with the file.
pub fn each_prompt(
    home: &Path,
    kept: &mut KeptSessions<'_>,
    act: &mut dyn FnMut(TypedPrompt) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    history::each_prompt(home, &mut |prompt| if kept.has(&prompt) { Ok(()) } else { act(prompt) })
}
