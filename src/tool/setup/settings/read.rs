//! A settings text, taken apart: which hooks there are, whose they are, and what holds them.

use super::super::command::{self, Owner};
use super::super::splice::{self, Container, Fault, Layout, Node};
use crate::agent::hooks;
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use std::ops::Range;

pub const BOM: char = '\u{feff}';
/// What settings are before there are any.
const NO_SETTINGS: &str = "{}\n";

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
    pub entries: Vec<HookEntry>,
    /// The other keys with their values, as they are there.
    pub others: Vec<String>,
}

/// One hook.
pub struct HookEntry {
    pub event: String,
    pub at: Range<usize>,
    /// None for a hook that is not a command.
    pub command: Option<String>,
    /// Where the command stands, quotes and all.
    pub command_at: Range<usize>,
    pub owner: Owner,
    pub group_at: Range<usize>,
    /// Why it does not run, or not always, though it is there.
    pub fault: Option<String>,
    /// What holds what, from the root on, and at which place.
    pub path: [(Container, usize); 4],
}

impl HookEntry {
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
        let root = object(text, &value, "the settings are not an object")?;
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
            let hooks = object(text, &property.value, "'hooks' is not an object")?;
            settings.hooks = Some(Container::from(hooks));
            settings.read_events(hooks, index)?;
        }
        Ok(settings)
    }

    fn read_events(&mut self, hooks: &Object, hooks_index: usize) -> Result<(), Fault> {
        for (index, property) in hooks.properties.iter().enumerate() {
            let event = property.name.as_str();
            let groups = array(self.text, &property.value, &format!("the hooks of '{event}' are not an array"))?;
            if self.events.iter().any(|(known, _)| known == event) {
                return Err(wrong(self.text, property, &format!("'{event}' is there twice")));
            }
            let list = Container::from(groups);
            for (at, group) in groups.elements.iter().enumerate() {
                let above = [(self.root.clone(), hooks_index), (Container::from(hooks), index), (list.clone(), at)];
                self.read_group(event, group, &above)?;
            }
            self.events.push((event.to_owned(), list));
        }
        Ok(())
    }

    fn read_group(&mut self, event: &str, group: &Value, above: &[(Container, usize); 3]) -> Result<(), Fault> {
        let fields = object(self.text, group, &format!("a group of hooks of '{event}' is not an object"))?;
        let Some(inner) = fields.properties.iter().find(|field| field.name.as_str() == "hooks") else { return Ok(()) };
        let what = format!("'hooks' in a group of '{event}' is not an array");
        let entries = array(self.text, &inner.value, &what)?;
        let inner = Container::from(entries);
        for (index, entry) in entries.elements.iter().enumerate() {
            let (command, command_at) = command_of(entry).unzip();
            let [root, hooks, groups] = above.clone();
            self.entries.push(HookEntry {
                event: event.to_owned(),
                at: splice::span(&entry.range()),
                owner: command.as_deref().map_or(Owner::Other, |command| command::owner(event, command)),
                command,
                command_at: command_at.unwrap_or_default(),
                group_at: splice::span(&group.range()),
                fault: fault(event, fields, entry),
                path: [root, hooks, groups, (inner.clone(), index)],
            });
        }
        Ok(())
    }

    /// The text with one more group of an event.
    pub fn with(&self, event: &str, group: Node) -> String {
        let put = |into, key, node| splice::insert(self.text, &self.layout, into, key, &node);
        if let Some((_, list)) = self.events.iter().find(|(known, _)| known == event) {
            return put(list, None, group);
        }
        let groups = Node::List(vec![group]);
        if let Some(hooks) = &self.hooks {
            return put(hooks, Some(event), groups);
        }
        let hooks = Node::Object(vec![(event.to_owned(), groups)]);
        match &self.null {
            Some(null) => splice::put_for(self.text, &self.layout, null, &hooks),
            None => put(&self.root, Some("hooks"), hooks),
        }
    }

    /// The text without a hook, and without what it leaves empty; a comment is not nothing.
    pub fn without(&self, entry: &HookEntry) -> String {
        let holds_more = |(holder, _): &&(Container, usize)| holder.len() > 1 || !holder.is_bare(self.text);
        let (holder, at) = entry.path.iter().rev().find(holds_more).unwrap_or(&entry.path[0]);
        splice::remove(self.text, &self.layout, holder, *at)
    }

    /// The group of a hook, with this hook alone.
    pub fn group(&self, entry: &HookEntry) -> String {
        let [.., (hooks, _)] = &entry.path;
        let (group, hooks) = (&entry.group_at, hooks.whole());
        let [before, hook, after] =
            [group.start..hooks.start, entry.at.clone(), hooks.end..group.end].map(|range| &self.text[range]);
        format!("{before}[{hook}]{after}")
    }
}

/// A text with an object in it, without a mark of its encoding.
pub fn filled(text: &str) -> &str {
    let text = text.trim_start_matches(BOM);
    if text.trim().is_empty() { NO_SETTINGS } else { text }
}

/// A field of an object. Of a doubled key the last counts.
fn field<'v, 'a>(fields: &'v Object<'a>, name: &str) -> Option<&'v Value<'a>> {
    fields.properties.iter().rev().find(|field| field.name.as_str() == name).map(|field| &field.value)
}

/// Why a hook does not run, or not always: its group's matcher leaves something out, or it may not run for long enough.
fn fault(event: &str, group: &Object, hook: &Value) -> Option<String> {
    let matcher = field(group, "matcher").and_then(Value::as_string_lit);
    let left_out = matcher.map_or_else(Vec::new, |matcher| hooks::left_out(event, &matcher.value));
    if !left_out.is_empty() {
        return Some(format!("{event}: its matcher leaves out {}", left_out.join(", ")));
    }
    let seconds = hook.as_object().and_then(|hook| field(hook, "timeout")?.as_number_lit()?.value.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| *seconds < hooks::LEAST_SECONDS)?;
    Some(format!("{event}: its timeout of {seconds} seconds is too short"))
}

/// The command of a hook that is one, and where it stands.
fn command_of(hook: &Value) -> Option<(String, Range<usize>)> {
    let Value::Object(fields) = hook else { return None };
    let string = |name: &str| field(fields, name).and_then(Value::as_string_lit);
    if string("type").is_some_and(|kind| kind.value != "command") {
        return None;
    }
    string("command").map(|command| (command.value.clone().into_owned(), splice::span(&command.range)))
}

fn object<'v, 'a>(text: &str, value: &'v Value<'a>, what: &str) -> Result<&'v Object<'a>, Fault> {
    value.as_object().ok_or_else(|| wrong(text, value, what))
}

fn array<'v, 'a>(text: &str, value: &'v Value<'a>, what: &str) -> Result<&'v Array<'a>, Fault> {
    value.as_array().ok_or_else(|| wrong(text, value, what))
}

fn wrong(text: &str, at: &impl Ranged, what: &str) -> Fault {
    splice::fault(text, at.range().start, what)
}
