//! Which files a session wrote, edited and read, and how often.

use crate::extract::progress::files;
use crate::record::message::{Action, Message};
use crate::redact::Redactor;
use std::collections::HashMap;
use std::path::Path;

/// Files that are named.
const FILES: usize = 15;

#[derive(Default)]
struct Touched {
    file: String,
    wrote: usize,
    edited: usize,
    read: usize,
}

/// A line a file: those that were changed first, the more often touched the earlier. A name is masked by
/// itself, for what follows it in its line can hide that a secret is in it.
pub fn touched(messages: &[Message], cwd: &Path, redactor: &Redactor) -> Vec<String> {
    let mut all: Vec<Touched> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for tool in messages.iter().flat_map(|message| &message.tools) {
        let Some(file) = tool.file.as_ref().filter(|file| files::is_name(file)) else { continue };
        let below = files::below(file, cwd);
        let shown = if below.is_empty() { file } else { below };
        let position = *positions.entry(shown).or_insert_with(|| {
            all.push(Touched { file: shown.to_owned(), ..Touched::default() });
            all.len() - 1
        });
        let touched = &mut all[position];
        *match tool.action {
            Action::Write(_) => &mut touched.wrote,
            Action::Edit(_) => &mut touched.edited,
            _ => &mut touched.read,
        } += 1;
    }
    let changes = |touched: &Touched| touched.wrote + touched.edited;
    all.sort_by_key(|touched| std::cmp::Reverse((changes(touched), touched.read)));
    let more = all.len().saturating_sub(FILES);
    all.truncate(FILES);
    for touched in &mut all {
        redactor.show(&mut touched.file);
    }
    let mut lines: Vec<String> = all.iter().map(Touched::line).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

impl Touched {
    fn line(&self) -> String {
        let counts = [("written", self.wrote), ("edited", self.edited), ("read", self.read)];
        let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what} {count} times"));
        format!("{}: {}", self.file, counts.collect::<Vec<_>>().join(", ")).replace(" 1 times", " once")
    }
}
