//! A settings text, taken apart: which hooks there are, whose they are, and what holds them.

use super::super::command::{self, Owner};
use super::super::splice::{self, Container, Fault, Layout, Node};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub const BOM: char = '\u{feff}';
/// What settings are before there are any.
const NO_SETTINGS: &str = "{}\n";

/// How much had to go, for nothing empty to be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Went {
    /// All hooks, with their key.
    Hooks,
    /// The event with its key.
    Event,
    /// The group.
    Group,
    /// The hook alone.
    Hook,
}

/// A settings text, taken apart.
pub struct Settings<'a> {
    pub text: &'a str,
    pub layout: Layout,
    pub root: Container,
    pub hooks: Option<Container>,
    /// The value of the key of the hooks where it says that there are none.
    pub null: Option<Range<usize>>,
    /// Each event with its list of groups.
    pub events: Vec<(String, Container)>,
    pub entries: Vec<Entry>,
    /// The other keys with their values, as they are there.
    pub others: Vec<String>,
}

/// One hook.
pub struct Entry {
    pub event: String,
    pub at: Range<usize>,
    /// None for a hook that is not a command.
    pub command: Option<String>,
    /// Where the command stands, quotes and all.
    pub command_at: Range<usize>,
    pub owner: Owner,
    pub group_at: Range<usize>,
    /// What holds what, from the root on, and at which place.
    pub path: [(Container, usize); 4],
}

impl Entry {
    /// What holds what goes, and at which place.
    pub fn holder(&self, went: Went) -> &(Container, usize) {
        let [root, hooks, groups, inner] = &self.path;
        match went {
            Went::Hooks => root,
            Went::Event => hooks,
            Went::Group => groups,
            Went::Hook => inner,
        }
    }

    /// The name of our script.
    pub fn shown(&self) -> &str {
        match &self.owner {
            Owner::Ours { path, .. } => path.rsplit('/').next().unwrap_or(path),
            _ => self.command.as_deref().unwrap_or_default(),
        }
    }
}

impl<'a> Settings<'a> {
    pub fn read(text: &'a str) -> Result<Self, Fault> {
        let value = splice::parse(text, true)?;
        let Value::Object(root) = &value else { return Err(wrong(text, &value, "the settings are not an object")) };
        let mut settings = Self {
            text,
            layout: Layout::read(text, root),
            root: Container::from(root),
            hooks: None,
            null: None,
            events: Vec::new(),
            entries: Vec::new(),
            others: Vec::new(),
        };
        for (index, property) in root.properties.iter().enumerate() {
            if property.name.as_str() != "hooks" {
                settings.others.push(text[splice::span(&property.range)].to_owned());
                continue;
            }
            if settings.hooks.is_some() || settings.null.is_some() {
                return Err(wrong(text, property, "'hooks' is there twice"));
            }
            if let Value::NullKeyword(null) = &property.value {
                settings.null = Some(splice::span(&null.range));
                continue;
            }
            let Value::Object(hooks) = &property.value else {
                return Err(wrong(text, &property.value, "'hooks' is not an object"));
            };
            settings.hooks = Some(Container::from(hooks));
            settings.read_events(hooks, index)?;
        }
        Ok(settings)
    }

    fn read_events(&mut self, hooks: &Object, hooks_index: usize) -> Result<(), Fault> {
        for (index, property) in hooks.properties.iter().enumerate() {
            let event = property.name.as_str();
            let Value::Array(groups) = &property.value else {
                return Err(wrong(self.text, &property.value, &format!("the hooks of '{event}' are not an array")));
            };
            if self.events.iter().any(|(known, _)| known == event) {
                return Err(wrong(self.text, property, &format!("'{event}' is there twice")));
            }
            let list = Container::from(groups);
            let above = [(self.root.clone(), hooks_index), (Container::from(hooks), index)];
            for (at, group) in groups.elements.iter().enumerate() {
                self.read_group(event, group, &above, (&list, at))?;
            }
            self.events.push((event.to_owned(), list));
        }
        Ok(())
    }

    fn read_group(
        &mut self,
        event: &str,
        group: &Value,
        [root, hooks]: &[(Container, usize); 2],
        (list, at): (&Container, usize),
    ) -> Result<(), Fault> {
        let Value::Object(fields) = group else {
            return Err(wrong(self.text, group, &format!("a group of hooks of '{event}' is not an object")));
        };
        let Some(inner) = fields.properties.iter().find(|field| field.name.as_str() == "hooks") else { return Ok(()) };
        let Value::Array(entries) = &inner.value else {
            return Err(wrong(self.text, &inner.value, &format!("'hooks' in a group of '{event}' is not an array")));
        };
        let inner = Container::from(entries);
        for (index, entry) in entries.elements.iter().enumerate() {
            let command = command_of(entry);
            let (text, command_at) = command.clone().map_or((None, 0..0), |(text, at)| (Some(text), at));
            self.entries.push(Entry {
                event: event.to_owned(),
                at: splice::span(&entry.range()),
                owner: text.as_deref().map_or(Owner::Other, |command| command::owner(event, command)),
                command: text,
                command_at,
                group_at: splice::span(&group.range()),
                path: [root.clone(), hooks.clone(), (list.clone(), at), (inner.clone(), index)],
            });
        }
        Ok(())
    }

    /// The hooks of an event that belong to such an owner.
    pub fn entries_of<'s>(&'s self, event: &'s str, which: fn(&Owner) -> bool) -> impl Iterator<Item = &'s Entry> {
        self.entries.iter().filter(move |entry| entry.event == event && which(&entry.owner))
    }

    /// The text with one more group of an event.
    pub fn with(&self, event: &str, group: Node, event_is_missing: bool) -> String {
        let put = |into, key, node| splice::insert(self.text, &self.layout, into, key, &node);
        let list = self.events.iter().find(|(known, _)| known == event).map(|(_, list)| list);
        match (&self.hooks, list) {
            (_, Some(list)) if !event_is_missing => put(list, None, group),
            (Some(hooks), _) => put(hooks, Some(event), Node::List(vec![group])),
            (None, _) => {
                let event = (event.to_owned(), Node::List(vec![group]));
                let hooks = Node::Object(vec![event]);
                match &self.null {
                    Some(null) => splice::put_for(self.text, &self.layout, null, &hooks),
                    None => put(&self.root, Some("hooks"), hooks),
                }
            }
        }
    }

    /// What goes with a hook, for nothing empty to be left; a comment is not nothing.
    pub fn went(&self, entry: &Entry) -> Went {
        let [_, hooks, groups, inner] = &entry.path;
        let holds_more = |(container, _): &(Container, usize)| container.len() > 1 || !container.is_bare(self.text);
        let outer = [(inner, Went::Hook), (groups, Went::Group), (hooks, Went::Event)];
        outer.into_iter().find(|(holder, _)| holds_more(holder)).map_or(Went::Hooks, |(_, went)| went)
    }

    /// What is around the hooks in the group of one.
    pub fn around(&self, entry: &Entry) -> Option<[String; 2]> {
        let hooks = entry.holder(Went::Hook).0.whole();
        let before = self.text.get(entry.group_at.start..hooks.start)?;
        Some([before.to_owned(), self.text.get(hooks.end..entry.group_at.end)?.to_owned()])
    }
}

/// A text with an object in it.
pub fn filled(text: &str) -> &str {
    if text.trim().is_empty() { NO_SETTINGS } else { text }
}

/// The command of a hook that is one, and where it stands. Of a doubled key the last counts.
fn command_of(hook: &Value) -> Option<(String, Range<usize>)> {
    let Value::Object(fields) = hook else { return None };
    let string = |name: &str| {
        let field = fields.properties.iter().rev().find(|field| field.name.as_str() == name);
        field.and_then(|field| field.value.as_string_lit())
    };
    if string("type").is_some_and(|kind| kind.value != "command") {
        return None;
    }
    string("command").map(|command| (command.value.clone().into_owned(), splice::span(&command.range)))
}

fn wrong(text: &str, at: &impl Ranged, what: &str) -> Fault {
    Fault::at(text, at.range().start, what)
}
