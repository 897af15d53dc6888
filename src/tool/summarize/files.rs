//! Which files a session wrote, edited and read, and how often.

use crate::extract::progress::files;
use crate::extract::reported_speech::short_path;
use crate::record::message::{Action, Message};
use crate::redact::Redactor;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

/// Files that are named.
const FILES: usize = 15;

/// A line a file: those that were changed first, the more often touched the earlier. A name is masked by
/// itself, for what follows it in its line can hide that a secret is in it.
pub fn touched(messages: &[Message], cwd: &Path, redactor: &Redactor) -> Vec<String> {
    // How often each was written, edited and read, and which of them it was.
    let mut counts: HashMap<&str, ([usize; 3], usize)> = HashMap::new();
    for tool in messages.iter().flat_map(|message| &message.tools) {
        let Some(file) = tool.file.as_ref().filter(|file| files::is_name(file)) else { continue };
        let below = files::below(file, cwd);
        let known = counts.len();
        let (counts, _) = counts.entry(if below.is_empty() { file } else { below }).or_insert(([0; 3], known));
        counts[match tool.action {
            Action::Write(_) => 0,
            Action::Edit(_) => 1,
            _ => 2,
        }] += 1;
    }
    let mut all: Vec<(&str, ([usize; 3], usize))> = counts.into_iter().collect();
    all.sort_by_key(|(_, ([wrote, edited, read], first))| (Reverse((wrote + edited, *read)), *first));
    let line = |(file, (counts, _)): &(&str, ([usize; 3], usize))| {
        let counts = ["written", "edited", "read"].into_iter().zip(counts).filter(|(_, count)| **count > 0);
        let counts: Vec<String> = counts.map(|(what, count)| format!("{what} {count} times")).collect();
        format!("{}: {}", short_path(&redactor.shown(file)), counts.join(", ").replace(" 1 times", " once"))
    };
    let mut lines: Vec<String> = all.iter().take(FILES).map(line).collect();
    if all.len() > FILES {
        lines.push(format!("and {} more", all.len() - FILES));
    }
    lines
}
