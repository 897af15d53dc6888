//! What is special about memories: whether a session's are kept, and which ones others wrote already.

use super::correct::Corrigible;
use crate::agent::transcript::Conversation;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{file, log};
use crate::record::item::{self, ItemKind};
use crate::record::session::Session;
use crate::store::{Memory, memories};
use std::path::Path;

/// Whether a session's memories are kept: not where the configuration says so, and not if the session wrote some itself.
pub fn are_kept(session: &Session, conversation: &Conversation, config: &Config) -> bool {
    let wrote = wrote_some(session, conversation);
    if config.memory.extract && wrote {
        log::say("lh-distill", &format!("{}: it wrote memories itself; none are distilled", session.session_id));
    }
    config.memory.extract && !wrote
}

/// Whether the session's agent wrote memories itself.
fn wrote_some(session: &Session, conversation: &Conversation) -> bool {
    let is_below = |path: &str| {
        // The client says it as it knows it, which can be by way of a link.
        let path = file::real_path(&session.cwd.join(path));
        let folders = [&session.notes_dir, &session.memory_dir].into_iter();
        let mut folders = folders.filter(|folder| !folder.as_os_str().is_empty()).map(|folder| file::real_path(folder));
        folders.any(|folder| path.starts_with(folder)) && path.file_name().is_some_and(is_memory)
    };
    let tools = conversation.messages.iter().flat_map(|message| &message.tools).filter(|tool| tool.edits());
    tools.filter_map(|tool| tool.file.as_deref()).any(is_below)
}

fn is_memory(name: &std::ffi::OsStr) -> bool {
    let name = Path::new(name).to_string_lossy();
    memories::is_note(&name) || name == memories::index::NAME
}

/// Adds the memories that others wrote to what an item can correct, and gives them as lines.
pub fn of_others(memory: &Memory, project: &str, corrigible: &mut Corrigible) -> Result<Vec<String>, Failure> {
    let others = memories::of_others(memory)?.into_iter().map(|note| note.item(project));
    let line = |item: &item::Item| format!("{} {}", item::short_id(&item.id), item.sentence(ItemKind::Memory));
    Ok(others
        .map(|item| {
            let line = line(&item);
            corrigible.add_one(ItemKind::Memory, item);
            line
        })
        .collect())
}
