//! The client's settings: text in, text out. Our hooks are put in or taken out one at a time, and the
//! text is read anew after each, until there is nothing left to do; so whatever is done twice is done
//! once. All that is not ours keeps its bytes, which is looked at before a text is given back.

use super::command::{self, HOOKS, Owner};
use super::splice::{self, Container, Fault, Layout, Node};
use crate::agent::hooks;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use std::ops::Range;

const BOM: char = '\u{feff}';
/// Seconds that a hook may take; being there, `SessionEnd`'s raises the client's 1.5.
const TIMEOUT_SECONDS: &str = "10";
/// More than any settings have hooks.
const STEPS: usize = 10_000;

/// What one event is hooked with: commands, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooked {
    /// The client's name of the event.
    pub event: String,
    /// Our scripts.
    pub ours: Vec<String>,
    /// Commands of lazy-harness that do what we do.
    pub predecessor: Vec<String>,
    /// Other tools'.
    pub others: Vec<String>,
}

/// A changed text, with a line on each change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The new text; the old one when there is no change.
    pub text: String,
    /// What was done: `Stop: lh-hook-stop put in`.
    pub changes: Vec<String>,
}

/// What a settings text hooks, by event, in the order of the file.
pub fn hooked(text: &str) -> Result<Vec<Hooked>, Fault> {
    let mut found: Vec<Hooked> = Vec::new();
    for entry in Settings::read(text.trim_start_matches(BOM))?.entries {
        let Some(command) = entry.command else { continue };
        if found.last().is_none_or(|hooked| hooked.event != entry.event) {
            found.push(Hooked { event: entry.event, ..Hooked::default() });
        }
        if let Some(hooked) = found.last_mut() {
            match entry.owner {
                Owner::Ours { .. } => hooked.ours.push(command),
                Owner::Predecessor => hooked.predecessor.push(command),
                Owner::Other => hooked.others.push(command),
            }
        }
    }
    Ok(found)
}

/// Whether the settings switch all hooks off.
pub fn is_disabled(text: &str) -> bool {
    let text = text.trim_start_matches(BOM);
    let Ok(Value::Object(root)) = splice::parse(text, true) else { return false };
    let last = root.properties.iter().rev().find(|property| property.name.as_str() == hooks::SWITCH);
    last.is_some_and(|property| matches!(&property.value, Value::BooleanLit(literal) if literal.value))
}

/// Puts our scripts in, each once; `script` gives the path of one. With `migrate` the predecessor's
/// commands are taken out.
pub fn install(text: &str, script: &dyn Fn(&str) -> String, migrate: bool) -> Result<Changed, Fault> {
    change(text, &|settings| settings.install(script, migrate))
}

/// Takes our scripts out, and what they leave empty.
pub fn uninstall(text: &str) -> Result<Changed, Fault> {
    change(text, &|settings| {
        // The last first: the way back.
        let ours = settings.entries.iter().rev().find(|entry| matches!(entry.owner, Owner::Ours { .. }))?;
        Some((settings.without(ours), format!("{}: {} taken out", ours.event, ours.shown())))
    })
}

/// Takes steps until there is none.
fn change(text: &str, step: &dyn Fn(&Settings) -> Option<(String, String)>) -> Result<Changed, Fault> {
    let (bom, old) = text.strip_prefix(BOM).map_or(("", text), |rest| ("\u{feff}", rest));
    let mut changed = Changed { text: old.to_owned(), changes: Vec::new() };
    for _ in 0..STEPS {
        let settings = Settings::read(&changed.text)?;
        let Some((new, what)) = step(&settings) else { break };
        changed.text = new;
        changed.changes.push(what);
    }
    check(old, &changed.text)?;
    changed.text.insert_str(0, bom);
    Ok(changed)
}

/// That a change is one: what was valid JSON still is, and what is not ours has not moved.
fn check(old: &str, new: &str) -> Result<(), Fault> {
    let same = |old: &Settings, new: &Settings| {
        let kept = |settings: &Settings| {
            let others = settings.entries.iter().filter(|entry| entry.owner == Owner::Other);
            let others = others.map(|entry| settings.text.get(entry.at.clone()).map(str::to_owned));
            settings.others.iter().cloned().map(Some).chain(others).collect::<Vec<_>>()
        };
        kept(old) == kept(new) && (splice::parse(old.text, false).is_err() || splice::parse(new.text, false).is_ok())
    };
    let wrong = || Fault::at(old, 0, "no safe way to change it: put the hooks in by hand, see lh(7)");
    let (old, new) = (Settings::read(old)?, Settings::read(new).map_err(|_| wrong())?);
    if same(&old, &new) { Ok(()) } else { Err(wrong()) }
}

/// A settings text, taken apart.
struct Settings<'a> {
    text: &'a str,
    layout: Layout,
    root: Container,
    hooks: Option<Container>,
    /// Each event with its list of groups.
    events: Vec<(String, Container)>,
    entries: Vec<Entry>,
    /// The other keys with their values, as they are there.
    others: Vec<String>,
}

/// One hook.
struct Entry {
    event: String,
    at: Range<usize>,
    /// None for a hook that is not a command.
    command: Option<String>,
    /// Where the command stands, quotes and all.
    command_at: Range<usize>,
    owner: Owner,
    /// What holds what, from the root on, and at which place.
    path: [(Container, usize); 4],
}

impl Entry {
    /// The name of our script.
    fn shown(&self) -> &str {
        match &self.owner {
            Owner::Ours { path, .. } => path.rsplit('/').next().unwrap_or(path),
            _ => self.command.as_deref().unwrap_or_default(),
        }
    }
}

impl<'a> Settings<'a> {
    fn read(text: &'a str) -> Result<Self, Fault> {
        let value = splice::parse(text, true)?;
        let Value::Object(root) = &value else { return Err(wrong(text, &value, "the settings are not an object")) };
        let mut settings = Self {
            text,
            layout: Layout::of(text, root),
            root: Container::from(root),
            hooks: None,
            events: Vec::new(),
            entries: Vec::new(),
            others: Vec::new(),
        };
        for (index, property) in root.properties.iter().enumerate() {
            if property.name.as_str() != "hooks" {
                settings.others.push(text[splice::span(&property.range)].to_owned());
                continue;
            }
            let Value::Object(hooks) = &property.value else {
                return Err(wrong(text, &property.value, "'hooks' is not an object"));
            };
            if settings.hooks.is_some() {
                return Err(wrong(text, property, "'hooks' is there twice"));
            }
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
                path: [root.clone(), hooks.clone(), (list.clone(), at), (inner.clone(), index)],
            });
        }
        Ok(())
    }

    /// The next step of putting ours in.
    fn install(&self, script: &dyn Fn(&str) -> String, migrate: bool) -> Option<(String, String)> {
        let missing = |event: &str| !self.events.iter().any(|(known, _)| known == event);
        for (event, name) in HOOKS {
            let mut ours = self.of(event, |owner| matches!(owner, Owner::Ours { .. }));
            let wanted = script(name);
            match ours.next() {
                None => {
                    let group = group_of(&wanted);
                    return Some((self.with(event, group, missing(event)), format!("{event}: {name} put in")));
                }
                Some(first) => {
                    if let Some(done) = self.moved(first, &wanted) {
                        return Some((done, format!("{event}: {name} put in the place of {}", first.shown_path())));
                    }
                }
            }
            if let Some(double) = ours.next() {
                return Some((self.without(double), format!("{event}: a second {} taken out", double.shown())));
            }
        }
        let old = self.entries.iter().find(|entry| migrate && entry.owner == Owner::Predecessor)?;
        Some((self.without(old), format!("{}: '{}' taken out", old.event, old.shown())))
    }

    fn of<'s>(&'s self, event: &'s str, which: fn(&Owner) -> bool) -> impl Iterator<Item = &'s Entry> {
        self.entries.iter().filter(move |entry| entry.event == event && which(&entry.owner))
    }

    /// The text with one more group of an event.
    fn with(&self, event: &str, group: Node, event_is_missing: bool) -> String {
        let put = |into, key, node| splice::insert(self.text, &self.layout, into, key, &node);
        let list = self.events.iter().find(|(known, _)| known == event).map(|(_, list)| list);
        match (&self.hooks, list) {
            (_, Some(list)) if !event_is_missing => put(list, None, group),
            (Some(hooks), _) => put(hooks, Some(event), Node::List(vec![group])),
            (None, _) => {
                let event = (event.to_owned(), Node::List(vec![group]));
                put(&self.root, Some("hooks"), Node::Object(vec![event]))
            }
        }
    }

    /// The text with a hook of ours leading to another path; none when it does already. What else
    /// is in the command stays.
    fn moved(&self, entry: &Entry, wanted: &str) -> Option<String> {
        let (Owner::Ours { path, at }, Some(command)) = (&entry.owner, &entry.command) else { return None };
        let quoted = command::quote(wanted);
        let command = match command {
            bare if *at == (0..bare.len()) => command::never_fails(wanted),
            _ if path == wanted => return None,
            command => splice::replace(command, at, &quoted),
        };
        Some(splice::replace(self.text, &entry.command_at, &splice::quoted(&command)))
    }

    /// The text without a hook, and without what it leaves empty; a comment is not nothing.
    fn without(&self, entry: &Entry) -> String {
        let [root, hooks, groups, inner] = &entry.path;
        let outer = [inner, groups, hooks]
            .into_iter()
            .find(|(container, _)| container.len() > 1 || !container.is_bare(self.text));
        let (container, index) = outer.unwrap_or(root);
        splice::remove(self.text, &self.layout, container, *index)
    }
}

impl Entry {
    fn shown_path(&self) -> &str {
        match &self.owner {
            Owner::Ours { path, .. } => path,
            _ => "",
        }
    }
}

/// `{"hooks":[{"type":"command","command":…,"timeout":10}]}`
fn group_of(script: &str) -> Node {
    let hook = Node::Object(vec![
        ("type".to_owned(), Node::string("command")),
        ("command".to_owned(), Node::string(&command::never_fails(script))),
        ("timeout".to_owned(), Node::Plain(TIMEOUT_SECONDS.to_owned())),
    ]);
    Node::Object(vec![("hooks".to_owned(), Node::List(vec![hook]))])
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
