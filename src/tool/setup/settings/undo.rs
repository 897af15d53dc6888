//! What must be known for the way back: what was taken out, and what was there without holding anything.

use super::super::splice::{self, Container, Fault, Node};
use super::read::{BOM, Entry, Settings, Went, filled};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// A hook that was taken out: what [`uninstall`] needs to put it at its place again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The client's name of the event.
    pub event: String,
    /// What was run.
    pub command: String,
    went: Went,
    /// The places of hooks, event, group and hook, each from 0 in what holds it.
    place: [usize; 4],
    /// What went, and the blanks before it, as they were.
    text: String,
    blanks: String,
    /// All from the element before it to the one behind it: with it, and as it was left. A receipt of 0.1
    /// has none.
    #[serde(default)]
    gap: [String; 2],
    /// The group with this hook alone, and what is around its hooks: by that the group is known.
    group: String,
    around: [String; 2],
}

/// What was there, empty, before our hooks were put in: as it was, so that it can be that again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Empty {
    #[serde(skip_serializing_if = "Option::is_none")]
    hooks: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    events: BTreeMap<String, String>,
}

/// What is there without holding anything.
pub fn empty(text: &str) -> Result<Empty, Fault> {
    let settings = Settings::read(filled(text.trim_start_matches(BOM)))?;
    let is_empty = |container: &Container| container.len() == 0 && container.is_bare(settings.text);
    let as_is = |range: Range<usize>| settings.text.get(range).unwrap_or_default().to_owned();
    let events = settings.events.iter().filter(|(_, list)| is_empty(list));
    Ok(Empty {
        events: events.map(|(event, list)| (event.clone(), as_is(list.whole()))).collect(),
        hooks: match (&settings.hooks, &settings.null) {
            (Some(hooks), _) => is_empty(hooks).then(|| as_is(hooks.whole())),
            (None, null) => null.clone().map(as_is),
        },
    })
}

/// Whether a text holds no setting at all.
pub fn is_nothing(text: &str) -> bool {
    let is_bare = |settings: Settings| settings.root.len() == 0 && settings.root.is_bare(settings.text);
    Settings::read(filled(text.trim_start_matches(BOM))).is_ok_and(is_bare)
}

/// Those of the hooks that were taken out that are not in a text.
pub fn absent(text: &str, taken: &[Taken]) -> Result<Vec<Taken>, Fault> {
    let mut there = Settings::read(filled(text.trim_start_matches(BOM)))?.entries;
    let is_absent = |taken: &&Taken| {
        let same = |entry: &Entry| entry.event == taken.event && entry.command.as_deref() == Some(&*taken.command);
        there.iter().position(same).map(|at| there.swap_remove(at)).is_none()
    };
    Ok(taken.iter().filter(is_absent).cloned().collect())
}

impl Settings<'_> {
    /// The text without a hook, and without what it leaves empty. What was `empty` before is that again.
    pub fn without(&self, entry: &Entry, empty: &Empty) -> String {
        let [_, hooks, groups, _] = &entry.path;
        let went = self.went(entry);
        let event = empty.events.get(&entry.event).filter(|_| matches!(went, Went::Event | Went::Hooks));
        let all = empty.hooks.as_ref().filter(|_| went == Went::Hooks);
        if let Some((was, (holder, _))) = event.map(|was| (was, groups)).or(all.map(|was| (was, hooks))) {
            return splice::replace(self.text, &holder.whole(), was);
        }
        let (container, index) = entry.holder(went);
        splice::remove(self.text, &self.layout, container, *index)
    }

    /// What must be known of a hook to put it in again.
    pub fn taken(&self, entry: &Entry) -> Option<Taken> {
        let [root, hooks, groups, inner] = &entry.path;
        let went = self.went(entry);
        let (container, index) = entry.holder(went);
        let (blanks, text) = container.element(self.text, *index)?;
        let around = self.around(entry)?;
        let [before, after] = &around;
        let (with, new) = (container.around(*index), splice::remove(self.text, &self.layout, container, *index));
        let left = new.get(with.start..(new.len() + with.end).checked_sub(self.text.len())?)?;
        Some(Taken {
            gap: [self.text.get(with)?.to_owned(), left.to_owned()],
            event: entry.event.clone(),
            command: entry.command.clone()?,
            went,
            place: [root.1, hooks.1, groups.1, inner.1],
            text: text.to_owned(),
            blanks: blanks.to_owned(),
            group: format!("{before}[{}]{after}", self.text.get(entry.at.clone())?),
            around,
        })
    }

    /// The text with a hook that was taken out: at its place, as far as that is still there.
    pub fn with_again(&self, taken: &Taken) -> String {
        let list = self.events.iter().find(|(known, _)| *known == taken.event).map(|(_, list)| list);
        let [root_at, event_at, group_at, hook_at] = taken.place;
        let fits = |entry: &&Entry| {
            entry.holder(Went::Group).1 == group_at && self.around(entry).as_ref() == Some(&taken.around)
        };
        let group = self.entries_of(&taken.event, |_| true).find(fits).map(|entry| &entry.holder(Went::Hook).0);
        let place = match (taken.went, &self.hooks, list, group) {
            (Went::Hook, _, _, Some(hooks)) => Some((hooks, hook_at)),
            (Went::Group, _, Some(list), _) => Some((list, group_at)),
            (Went::Event, Some(hooks), None, _) => Some((hooks, event_at)),
            (Went::Hooks, None, _, _) if self.null.is_none() => Some((&self.root, root_at)),
            _ => None,
        };
        let again = place.map(|(into, at)| {
            let ([with, left], now) = (&taken.gap, into.between(at));
            if !with.is_empty() && self.text.get(now.clone()) == Some(left) {
                return splice::replace(self.text, &now, with);
            }
            splice::put_back(self.text, &self.layout, into, at, &taken.blanks, &taken.text)
        });
        let is_one_more = |text: &String| {
            let more = |settings: Settings| settings.entries.len() == self.entries.len() + 1;
            Settings::read(text).is_ok_and(more)
        };
        again
            .filter(is_one_more)
            .unwrap_or_else(|| self.with(&taken.event, Node::Plain(taken.group.clone()), list.is_none()))
    }
}
