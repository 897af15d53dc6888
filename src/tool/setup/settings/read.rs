//! A settings text, taken apart: which hooks there are, whose they are, and what holds them.

use super::super::command::{self, Owner};
use super::super::splice::{self, Container, Fault, Source};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use std::ops::Range;

pub const BOM: char = '\u{feff}';
/// What settings are before there are any.
const NO_SETTINGS: &str = "{}\n";

/// A settings text, taken apart.
pub struct Settings<'a> {
    pub source: Source<'a>,
    pub root: Container,
    pub hooks: Option<Container>,
    /// The value of the key of the hooks where it says that there are none.
    pub null: Option<Range<usize>>,
    /// Each event with its list of groups.
    pub events: Vec<(String, Container)>,
    pub entries: Vec<Hook>,
    /// The other keys with their values, as they are there.
    pub others: Vec<String>,
}

/// One hook.
pub struct Hook {
    /// The client's name of the event.
    pub event: String,
    /// What is run; empty for a hook that is not a command.
    pub command: String,
    /// Who it is of.
    pub owner: Owner,
    /// Where the command is, quotes and all.
    pub(super) command_at: Range<usize>,
    /// What holds what, from the root on, and at which place.
    pub(super) path: [(Container, usize); 4],
}

impl Hook {
    /// The program as the shell sees it, if it is one of our scripts.
    pub fn program(&self) -> Option<&str> {
        if let Owner::Ours { path, .. } = &self.owner { Some(path) } else { None }
    }

    /// The name of our script.
    pub fn name(&self) -> &str {
        self.program().and_then(|path| path.rsplit('/').next()).unwrap_or(&self.command)
    }
}

impl<'a> Settings<'a> {
    pub fn read(text: &'a str) -> Result<Self, Fault> {
        let (value, bare) = splice::parse(text)?;
        let root = object(text, &value, "the settings are not an object")?;
        let mut settings = Self {
            source: Source::new(text, bare, root),
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
            } else if settings.hooks.is_some() || settings.null.is_some() {
                return Err(wrong(text, property, "'hooks' is there twice"));
            } else if let Value::NullKeyword(null) = &property.value {
                settings.null = Some(splice::span(&null.range));
            } else {
                let hooks = object(text, &property.value, "'hooks' is not an object")?;
                settings.hooks = Some(Container::from(hooks));
                settings.read_events(hooks, index)?;
            }
        }
        Ok(settings)
    }

    fn read_events(&mut self, hooks: &Object, hooks_index: usize) -> Result<(), Fault> {
        let text = self.source.text;
        for (index, property) in hooks.properties.iter().enumerate() {
            let event = property.name.as_str();
            let groups = array(text, &property.value, &format!("the hooks of '{event}' are not an array"))?;
            if self.events.iter().any(|(known, _)| known == event) {
                return Err(wrong(text, property, &format!("'{event}' is there twice")));
            }
            let list = Container::from(groups);
            for (at, group) in groups.elements.iter().enumerate() {
                let fields = object(text, group, &format!("a group of hooks of '{event}' is not an object"))?;
                let Some(inner) = fields.properties.iter().find(|field| field.name.as_str() == "hooks") else {
                    continue;
                };
                let entries = array(text, &inner.value, &format!("'hooks' in a group of '{event}' is not an array"))?;
                for (place, entry) in entries.elements.iter().enumerate() {
                    let (command, command_at) = command_of(entry).unwrap_or_else(|| (String::new(), 0..0));
                    let path = [
                        (self.root.clone(), hooks_index),
                        (Container::from(hooks), index),
                        (list.clone(), at),
                        (Container::from(entries), place),
                    ];
                    let (owner, event) = (command::owner(event, &command), event.to_owned());
                    self.entries.push(Hook { event, command, owner, command_at, path });
                }
            }
            self.events.push((event.to_owned(), list));
        }
        Ok(())
    }

    /// The text with one more group of an event, which `group` makes; first with the list and the object that hold it.
    pub fn with(&self, event: &str, group: impl Fn(&Source, &str) -> String) -> Result<String, Fault> {
        let source = &self.source;
        let text = match (self.events.iter().find(|(known, _)| known == event), &self.hooks, &self.null) {
            (Some((_, list)), ..) => return Ok(source.insert(list, |line| group(source, line))),
            (None, Some(hooks), _) => source.insert(hooks, |_| format!("{}: []", splice::quoted(event))),
            (None, None, Some(null)) => splice::replace(source.text, null, "{}"),
            (None, None, None) => source.insert(&self.root, |_| "\"hooks\": {}".to_owned()),
        };
        Settings::read(&text)?.with(event, group)
    }

    /// The text without a hook, and without what it leaves empty; a comment is not nothing.
    pub fn without(&self, entry: &Hook) -> String {
        let holds_more =
            |(holder, _): &&(Container, usize)| holder.elements.len() > 1 || self.source.has_comment(holder);
        let (holder, at) = entry.path.iter().rev().find(holds_more).unwrap_or(&entry.path[0]);
        self.source.remove(holder, *at)
    }

    /// What a hook is in the text.
    pub fn text_of(&self, entry: &Hook) -> &'a str {
        let [.., (hooks, at)] = &entry.path;
        &self.source.text[hooks.elements[*at].clone()]
    }

    /// The group of a hook, with this hook alone.
    pub fn group(&self, entry: &Hook) -> String {
        let [.., (groups, at), (hooks, _)] = &entry.path;
        let (group, inner) = (&groups.elements[*at], &hooks.whole);
        let (before, behind) = (group.start..inner.start, inner.end..group.end);
        format!("{}[{}]{}", &self.source.text[before], self.text_of(entry), &self.source.text[behind])
    }
}

/// A text with an object in it, without a mark of its encoding.
pub fn filled(text: &str) -> &str {
    let text = text.trim_start_matches(BOM);
    if text.trim().is_empty() { NO_SETTINGS } else { text }
}

/// The command of a hook that is one, and where it stands.
fn command_of(hook: &Value) -> Option<(String, Range<usize>)> {
    let fields = hook.as_object()?;
    // Of a doubled key the last counts.
    let field = |name: &str| fields.properties.iter().rev().find(|field| field.name.as_str() == name);
    let string = |name: &str| field(name).and_then(|field| field.value.as_string_lit());
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
