//! What a hook is told, whichever agent runs it.

use std::path::PathBuf;

/// Why a session starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moment {
    /// It is new, or was cleared.
    #[default]
    Fresh,
    /// It goes on where it was left.
    Resume,
    /// Its client has just compacted it.
    Compact,
}

/// A hook's payload. A field that is absent, or empty, is None.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The session's id.
    pub session_id: Option<String>,
    /// The transcript, as the agent writes it: it can begin with `~`.
    pub transcript: Option<String>,
    /// Where the agent runs.
    pub cwd: Option<PathBuf>,
    /// The agent's name of the event.
    pub event: Option<String>,
    /// What the user just said.
    pub prompt: Option<String>,
    /// The file that a tool is about to change.
    pub file: Option<PathBuf>,
    /// The command line that a tool ran and that failed, and what it printed.
    pub failed: Option<(String, String)>,
    /// Why the session starts; [`Moment::Fresh`] where the payload does not say it.
    pub moment: Moment,
}
