//! The client's settings: text in, text out. Our hooks are put in or taken out one at a time, and the
//! text is read anew after each, until there is nothing left to do; so whatever is done twice is done
//! once. All that is not ours keeps its bytes, which is looked at before a text is given back.

use super::command::{self, Owner};
use super::splice::{self, Container, Fault, Layout, Node};
use crate::agent::{hooks, plugins};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

const BOM: char = '\u{feff}';
/// Seconds that a hook may take; being there, `SessionEnd`'s raises the client's 1.5.
const TIMEOUT_SECONDS: &str = "10";
/// What settings are before there are any.
const NO_SETTINGS: &str = "{}\n";
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
    /// The hooks of the predecessor that were taken out, in that order.
    pub taken: Vec<Taken>,
}

/// How much had to go, for nothing empty to be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Went {
    /// All hooks, with their key.
    Hooks,
    /// The event with its key.
    Event,
    /// The group.
    Group,
    /// The hook alone.
    Hook,
}

/// A hook that was taken out: what [`uninstall`] needs to put it at its place again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    event: String,
    command: String,
    went: Went,
    /// The places of hooks, event, group and hook, each from 0 in what holds it.
    place: [usize; 4],
    /// What went, and the blanks before it, as they were.
    text: String,
    blanks: String,
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

/// What a settings text hooks, by event, in the order of the file.
pub fn hooked(text: &str) -> Result<Vec<Hooked>, Fault> {
    let mut found: Vec<Hooked> = Vec::new();
    for entry in Settings::read(filled(text.trim_start_matches(BOM)))?.entries {
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

/// The plugins that a settings text switches on or off.
pub fn plugins(text: &str) -> Vec<(String, bool)> {
    let Ok(Value::Object(root)) = splice::parse(text.trim_start_matches(BOM), true) else { return Vec::new() };
    let switches = root.properties.iter().rev().find(|property| property.name.as_str() == plugins::SWITCHES);
    let Some(Value::Object(switches)) = switches.map(|property| &property.value) else { return Vec::new() };
    let switch = |property: &jsonc_parser::ast::ObjectProp| match &property.value {
        Value::BooleanLit(on) => Some((property.name.as_str().to_owned(), on.value)),
        _ => None,
    };
    switches.properties.iter().filter_map(switch).collect()
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

/// Puts our scripts in, each once; `script` gives the path of one. With `migrate` the predecessor's
/// commands are taken out.
pub fn install(text: &str, script: &dyn Fn(&str) -> String, migrate: bool) -> Result<Changed, Fault> {
    change(text, true, &mut |settings| settings.install(script, migrate))
}

/// Takes our scripts out, and what they leave empty that was not there before; puts in again what was taken
/// out.
pub fn uninstall(text: &str, empty: &Empty, taken: &[Taken]) -> Result<Changed, Fault> {
    let mut taken = absent(text, taken)?;
    // What was taken out can have comments.
    change(text, taken.is_empty(), &mut |settings| {
        // The last first: the way back.
        if let Some(taken) = taken.pop() {
            let what = format!("{}: '{}' put back", taken.event, taken.command);
            return Some(Step { text: settings.with_again(&taken), what, taken: None });
        }
        let ours = settings.entries.iter().rev().find(|entry| matches!(entry.owner, Owner::Ours { .. }))?;
        let what = format!("{}: {} taken out", ours.event, ours.shown());
        Some(Step { text: settings.without(ours, empty), what, taken: None })
    })
}

/// One change of a text.
struct Step {
    text: String,
    what: String,
    taken: Option<Taken>,
}

/// A text with an object in it.
fn filled(text: &str) -> &str {
    if text.trim().is_empty() { NO_SETTINGS } else { text }
}

/// Takes steps until there is none.
fn change(text: &str, strict: bool, step: &mut dyn FnMut(&Settings) -> Option<Step>) -> Result<Changed, Fault> {
    let (bom, rest) = text.strip_prefix(BOM).map_or(("", text), |rest| ("\u{feff}", rest));
    let old = filled(rest);
    let mut changed = Changed { text: old.to_owned(), ..Changed::default() };
    for _ in 0..STEPS {
        let settings = Settings::read(&changed.text)?;
        let Some(step) = step(&settings) else { break };
        changed.text = step.text;
        changed.changes.push(step.what);
        changed.taken.extend(step.taken);
    }
    if changed.changes.is_empty() {
        return Ok(Changed { text: text.to_owned(), ..changed });
    }
    check(old, &changed.text, strict)?;
    changed.text.insert_str(0, bom);
    Ok(changed)
}

/// That a change is one: what was valid JSON still is, where that is `strict`, and what is not ours has not
/// moved.
fn check(old: &str, new: &str, strict: bool) -> Result<(), Fault> {
    let same = |old: &Settings, new: &Settings| {
        let kept = |settings: &Settings| {
            let others = settings.entries.iter().filter(|entry| entry.owner == Owner::Other);
            let others = others.map(|entry| settings.text.get(entry.at.clone()).map(str::to_owned));
            settings.others.iter().cloned().map(Some).chain(others).collect::<Vec<_>>()
        };
        let is_json = |settings: &Settings| splice::parse(settings.text, false).is_ok();
        kept(old) == kept(new) && (!strict || !is_json(old) || is_json(new))
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
    /// The value of the key of the hooks where it says that there are none.
    null: Option<Range<usize>>,
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
    group_at: Range<usize>,
    /// What holds what, from the root on, and at which place.
    path: [(Container, usize); 4],
}

impl Entry {
    /// What holds what goes, and at which place.
    fn holder(&self, went: Went) -> &(Container, usize) {
        let [root, hooks, groups, inner] = &self.path;
        match went {
            Went::Hooks => root,
            Went::Event => hooks,
            Went::Group => groups,
            Went::Hook => inner,
        }
    }

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

    /// The next step of putting ours in.
    fn install(&self, script: &dyn Fn(&str) -> String, migrate: bool) -> Option<Step> {
        let step = |text: String, what: String| Some(Step { text, what, taken: None });
        let missing = |event: &str| !self.events.iter().any(|(known, _)| known == event);
        for (event, name) in hooks::EVENTS {
            let mut ours = self.entries_of(event, |owner| matches!(owner, Owner::Ours { .. }));
            let wanted = script(name);
            match ours.next() {
                None => {
                    let group = group_of(&wanted);
                    return step(self.with(event, group, missing(event)), format!("{event}: {name} put in"));
                }
                Some(first) => {
                    if let Some((done, old)) = self.moved(first, &wanted) {
                        return step(done, format!("{event}: {name} put in the place of {old}"));
                    }
                }
            }
            if let Some(double) = ours.next() {
                let what = format!("{event}: a second {} taken out", double.shown());
                return step(self.without(double, &Empty::default()), what);
            }
        }
        let old = self.entries.iter().find(|entry| migrate && entry.owner == Owner::Predecessor)?;
        let what = format!("{}: '{}' taken out", old.event, old.shown());
        Some(Step { text: self.without(old, &Empty::default()), what, taken: self.taken(old) })
    }

    fn entries_of<'s>(&'s self, event: &'s str, which: fn(&Owner) -> bool) -> impl Iterator<Item = &'s Entry> {
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
                let hooks = Node::Object(vec![event]);
                match &self.null {
                    Some(null) => splice::put_for(self.text, &self.layout, null, &hooks),
                    None => put(&self.root, Some("hooks"), hooks),
                }
            }
        }
    }

    /// The text with a hook of ours leading to another path, and the old path; none when it does already.
    /// What else is in the command stays.
    fn moved<'e>(&self, entry: &'e Entry, wanted: &str) -> Option<(String, &'e str)> {
        let (Owner::Ours { path, at }, Some(command)) = (&entry.owner, &entry.command) else { return None };
        let command = match command {
            bare if *at == (0..bare.len()) => command::never_fails(wanted),
            _ if path == wanted => return None,
            command => splice::replace(command, at, &command::quote(wanted)),
        };
        Some((splice::replace(self.text, &entry.command_at, &splice::quoted(&command)), path))
    }

    /// What goes with a hook, for nothing empty to be left; a comment is not nothing.
    fn went(&self, entry: &Entry) -> Went {
        let [_, hooks, groups, inner] = &entry.path;
        let holds_more = |(container, _): &(Container, usize)| container.len() > 1 || !container.is_bare(self.text);
        let outer = [(inner, Went::Hook), (groups, Went::Group), (hooks, Went::Event)];
        outer.into_iter().find(|(holder, _)| holds_more(holder)).map_or(Went::Hooks, |(_, went)| went)
    }

    /// The text without a hook, and without what it leaves empty. What was `empty` before is that again.
    fn without(&self, entry: &Entry, empty: &Empty) -> String {
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
    fn taken(&self, entry: &Entry) -> Option<Taken> {
        let [root, hooks, groups, inner] = &entry.path;
        let went = self.went(entry);
        let (container, index) = entry.holder(went);
        let (blanks, text) = container.element(self.text, *index)?;
        let around = self.around(entry)?;
        let [before, after] = &around;
        Some(Taken {
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

    /// What is around the hooks in the group of one.
    fn around(&self, entry: &Entry) -> Option<[String; 2]> {
        let hooks = entry.holder(Went::Hook).0.whole();
        let before = self.text.get(entry.group_at.start..hooks.start)?;
        Some([before.to_owned(), self.text.get(hooks.end..entry.group_at.end)?.to_owned()])
    }

    /// The text with a hook that was taken out: at its place, as far as that is still there.
    fn with_again(&self, taken: &Taken) -> String {
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
        let again =
            place.map(|(into, at)| splice::put_back(self.text, &self.layout, into, at, &taken.blanks, &taken.text));
        let is_one_more = |text: &String| {
            let more = |settings: Settings| settings.entries.len() == self.entries.len() + 1;
            Settings::read(text).is_ok_and(more)
        };
        again
            .filter(is_one_more)
            .unwrap_or_else(|| self.with(&taken.event, Node::Plain(taken.group.clone()), list.is_none()))
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
