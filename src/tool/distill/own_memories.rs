//! Whether a session's memories are kept.

use crate::agent::transcript::Conversation;
use crate::base::config::Config;
use crate::base::{file, log};
use crate::record::session::Session;
use crate::store::memories;
use std::path::Path;

/// Not where the configuration says so, and not if the session's agent wrote some itself.
pub fn are_kept(session: &Session, conversation: &Conversation, config: &Config) -> bool {
    let tools = conversation.messages.iter().flat_map(|message| &message.tools).filter(|tool| tool.edits());
    let wrote = tools.filter_map(|tool| tool.file.as_deref()).any(|path| is_memory(path, session));
    if config.memory.extract && wrote {
        log::say("lh-distill", &format!("{}: it wrote memories itself; none are distilled", session.session_id));
    }
    config.memory.extract && !wrote
}

/// Whether a file is a memory of the session's project, or their index.
fn is_memory(path: &str, session: &Session) -> bool {
    // The client says it as it knows it, which can be by way of a link.
    let path = file::real_path(&session.cwd.join(path));
    let is_below = |folder: &Path| !folder.as_os_str().is_empty() && path.starts_with(file::real_path(folder));
    path.file_name().is_some_and(|name| name == memories::index::NAME || memories::is_note(&name.to_string_lossy()))
        && (is_below(&session.notes_dir) || is_below(&session.memory_dir))
}
