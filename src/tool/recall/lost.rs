//! Sessions of which only the prompts are left, in the client's own history.

use super::places::{Found, Source};
use super::{Kind, Wish};
use crate::agent::lost::{self, Kept, Prompt};
use crate::agent::{checkout, layout};
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::record::session;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Bytes of prompts that are searched; what comes later in the history is left out.
const BYTES: usize = 16 << 20;

/// The prompts of each session that has neither a transcript nor one of the `known` pages any more. Prompts that do not name
/// their session are together by folder and day.
pub fn sessions(wish: &Wish, config: &Config, known: &[Source]) -> Result<Vec<Source>, Failure> {
    let pages: Vec<_> = known.iter().filter(|source| source.kind == Kind::Session).map(Source::name).collect();
    let homes = config.agent_homes()?;
    let mut kept = Kept::in_homes(&homes)?;
    let mut projects = HashMap::new();
    let mut found = Vec::new();
    for home in &homes {
        let (mut all, mut bytes) = (BTreeMap::new(), 0);
        // A history that cannot be read hides nothing else.
        let _ = lost::each_prompt(home, &mut kept, &mut |prompt| {
            if bytes < BYTES && wish.is_in_span(prompt.time) {
                bytes += prompt.text.len();
                add(&mut all, prompt);
            }
            Ok(())
        });
        let has_page = |id: &str| {
            let end = format!("-{}.md", session::short_id(id));
            !id.is_empty() && pages.iter().any(|name| name.ends_with(&end))
        };
        for (cwd, item) in all.into_values().filter(|(_, item)| !has_page(&item.session_id)) {
            let project: &String = projects.entry(cwd).or_insert_with_key(|cwd| checkout::identify(cwd).name);
            if wish.is_of(project) {
                let (path, project) = (layout::history(home), Some(project.clone()));
                found.push(Source { kind: Kind::Lost, path, item: Some(item), project });
            }
        }
    }
    Ok(found)
}

fn add(all: &mut BTreeMap<String, (PathBuf, Found)>, prompt: Prompt) {
    let Prompt { text, time, cwd, session_id } = prompt;
    let by_folder = || format!("{} {}", time.map_or_else(String::new, clock::local_day), cwd.display());
    let key = session_id.clone().unwrap_or_else(by_folder);
    let (_, item) = all.entry(key).or_insert_with(|| {
        let session_id = session_id.map_or_else(String::new, |id| id);
        (cwd, Found { session_id, time, ..Found::default() })
    });
    if !item.text.is_empty() {
        item.text.push('\n');
    }
    item.text.push_str(text.trim());
}
