//! The client's settings: text in, text out. Our hooks are put in or taken out one at a time, and the
//! text is read anew after each, until there is nothing left to do; so whatever is done twice is done
//! once. All that is not ours keeps its bytes, which is looked at before a text is given back.

mod read;

use super::command::{self, Owner};
use super::splice::{self, Fault, Node};
use crate::agent::{hooks, plugins};
use jsonc_parser::ast::Value;
use read::{BOM, HookEntry, Settings, filled};
use serde::{Deserialize, Serialize};

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
    /// The programs of these, as the shell sees them.
    pub programs: Vec<String>,
    /// Commands of lazy-harness that do what we do.
    pub predecessor: Vec<String>,
    /// Other tools'.
    pub others: Vec<String>,
    /// Why one of ours does not run, or not always.
    pub faults: Vec<String>,
}

/// A changed text, with a line on each change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedText {
    /// The new text; the old one if nothing changes.
    pub text: String,
    /// What was done: `Stop: lh-hook-stop put in`.
    pub changes: Vec<String>,
    /// The hooks of the predecessor that were taken out, in that order.
    pub taken: Vec<Taken>,
}

/// A hook of the predecessor that was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Taken {
    /// The client's name of the event.
    pub event: String,
    /// What was run.
    pub command: String,
    /// Its group, with this hook alone.
    pub group: String,
}

/// What a settings text hooks, by event, in the order of the file.
pub fn hooked(text: &str) -> Result<Vec<Hooked>, Fault> {
    let mut found: Vec<Hooked> = Vec::new();
    for entry in Settings::read(filled(text))?.entries {
        let Some(command) = entry.command else { continue };
        if found.last().is_none_or(|hooked| hooked.event != entry.event) {
            found.push(Hooked { event: entry.event, ..Hooked::default() });
        }
        if let Some(hooked) = found.last_mut() {
            match entry.owner {
                Owner::Ours { path, .. } => {
                    hooked.ours.push(command);
                    hooked.programs.push(path);
                    hooked.faults.extend(entry.fault);
                }
                Owner::Predecessor => hooked.predecessor.push(command),
                Owner::Other => hooked.others.push(command),
            }
        }
    }
    Ok(found)
}

/// Whether a text hooks any of our scripts.
pub fn has_ours(text: &str) -> bool {
    hooked(text).is_ok_and(|found| found.iter().any(|hooked| !hooked.ours.is_empty()))
}

/// Whether the settings switch all hooks off.
pub fn is_disabled(text: &str) -> bool {
    of_key(text, hooks::SWITCH, |value| matches!(value, Value::BooleanLit(literal) if literal.value))
}

/// The plugins that a settings text switches on or off.
pub fn plugins(text: &str) -> Vec<(String, bool)> {
    of_key(text, plugins::SWITCHES, |value| {
        let Value::Object(switches) = value else { return Vec::new() };
        let switch = |property: &jsonc_parser::ast::ObjectProp| match &property.value {
            Value::BooleanLit(on) => Some((property.name.as_str().to_owned(), on.value)),
            _ => None,
        };
        switches.properties.iter().filter_map(switch).collect()
    })
}

/// What is read in the value of a key; of a doubled one the last counts.
fn of_key<T: Default>(text: &str, key: &str, read: impl Fn(&Value) -> T) -> T {
    let Ok(Value::Object(root)) = splice::parse(text.trim_start_matches(BOM), true) else { return T::default() };
    let last = root.properties.iter().rev().find(|property| property.name.as_str() == key);
    last.map_or_else(T::default, |property| read(&property.value))
}

/// Puts our scripts in, each once; `script` gives the path of an event's, and none for one that is not wanted, which is taken
/// out. With `migrate` the predecessor's commands are taken out.
pub fn install(text: &str, script: &dyn Fn(&str) -> Option<String>, migrate: bool) -> Result<ChangedText, Fault> {
    change(text, true, &mut |settings| settings.install(script, migrate))
}

/// Takes our scripts out, and what they leave empty; puts in again what was taken out, behind the other hooks of its event.
pub fn uninstall(text: &str, taken: &[Taken]) -> Result<ChangedText, Fault> {
    let mut taken = absent(text, taken)?.into_iter();
    // What was taken out can have comments.
    change(text, taken.len() == 0, &mut |settings| {
        if let Some(taken) = taken.next() {
            let text = settings.with(&taken.event, Node::Plain(taken.group));
            return Some(Edited { text, what: format!("{}: '{}' put back", taken.event, taken.command), taken: None });
        }
        let ours = settings.entries.iter().rev().find(|entry| matches!(entry.owner, Owner::Ours { .. }))?;
        let what = format!("{}: {} taken out", ours.event, ours.shown());
        Some(Edited { text: settings.without(ours), what, taken: None })
    })
}

/// Those of the hooks that were taken out that are not in a text.
pub fn absent(text: &str, taken: &[Taken]) -> Result<Vec<Taken>, Fault> {
    let mut there = Settings::read(filled(text))?.entries;
    let is_absent = |taken: &&Taken| {
        let same = |entry: &HookEntry| entry.event == taken.event && entry.command.as_deref() == Some(&*taken.command);
        there.iter().position(same).map(|at| there.swap_remove(at)).is_none()
    };
    Ok(taken.iter().filter(is_absent).cloned().collect())
}

/// Whether a text has no setting, no hook and no comment.
pub fn is_nothing(text: &str) -> bool {
    let text = filled(text);
    let is_empty =
        |settings: Settings| settings.others.is_empty() && settings.events.iter().all(|(_, of)| of.len() == 0);
    splice::parse(text, false).is_ok() && Settings::read(text).is_ok_and(is_empty)
}

/// Whether a text is another one without our hooks, with what was taken out, and otherwise the same.
pub fn is_without_ours(text: &str, with: &str, taken: &[Taken]) -> bool {
    !has_ours(text)
        && absent(text, taken).is_ok_and(|absent| absent.is_empty())
        && check(filled(with), filled(text), taken.is_empty()).is_ok()
}

/// One change of a text.
struct Edited {
    text: String,
    what: String,
    taken: Option<Taken>,
}

/// Takes steps until there is none.
fn change(text: &str, strict: bool, step: &mut dyn FnMut(&Settings) -> Option<Edited>) -> Result<ChangedText, Fault> {
    let (bom, rest) = text.strip_prefix(BOM).map_or(("", text), |rest| ("\u{feff}", rest));
    let old = filled(rest);
    let mut changed = ChangedText { text: old.to_owned(), ..ChangedText::default() };
    for _ in 0..STEPS {
        let settings = Settings::read(&changed.text)?;
        let Some(step) = step(&settings) else { break };
        changed.text = step.text;
        changed.changes.push(step.what);
        changed.taken.extend(step.taken);
    }
    if changed.changes.is_empty() {
        return Ok(ChangedText { text: text.to_owned(), ..changed });
    }
    check(old, &changed.text, strict)?;
    changed.text.insert_str(0, bom);
    Ok(changed)
}

/// That a change is one: what was valid JSON still is, where that is `strict`, and what is not ours has not
/// moved.
fn check(old: &str, new: &str, strict: bool) -> Result<(), Fault> {
    let wrong = || splice::fault(old, 0, "no safe way to change it: put the hooks in by hand, see lh(7)");
    let (before, after) = (Settings::read(old)?, Settings::read(new).map_err(|_| wrong())?);
    let kept = |settings: &Settings| {
        let others = settings.entries.iter().filter(|entry| entry.owner == Owner::Other);
        let others = others.map(|entry| settings.text[entry.at.clone()].to_owned());
        settings.others.iter().cloned().chain(others).collect::<Vec<_>>()
    };
    let is_json = |text: &str| splice::parse(text, false).is_ok();
    let is_safe = kept(&before) == kept(&after) && (!strict || !is_json(old) || is_json(new));
    if is_safe { Ok(()) } else { Err(wrong()) }
}

impl Settings<'_> {
    /// The next step of putting ours in.
    fn install(&self, script: &dyn Fn(&str) -> Option<String>, migrate: bool) -> Option<Edited> {
        let step = |text: String, what: String| Some(Edited { text, what, taken: None });
        for (event, name) in hooks::ALL {
            let is_ours = |entry: &&HookEntry| entry.event == event && matches!(entry.owner, Owner::Ours { .. });
            let mut ours = self.entries.iter().filter(is_ours);
            let Some(wanted) = script(event) else {
                let Some(ours) = ours.next() else { continue };
                return step(self.without(ours), format!("{event}: {name} taken out"));
            };
            match ours.next() {
                None => {
                    return step(self.with(event, group_of(event, &wanted)), format!("{event}: {name} put in"));
                }
                Some(first) => {
                    if let Some((done, old)) = self.moved(first, &wanted) {
                        return step(done, format!("{event}: {name} put in the place of {old}"));
                    }
                }
            }
            if let Some(double) = ours.next() {
                let what = format!("{event}: a second {} taken out", double.shown());
                return step(self.without(double), what);
            }
        }
        let old = self.entries.iter().find(|entry| migrate && entry.owner == Owner::Predecessor)?;
        let (event, command) = (old.event.clone(), old.command.clone()?);
        let what = format!("{event}: '{command}' taken out");
        Some(Edited { text: self.without(old), what, taken: Some(Taken { event, command, group: self.group(old) }) })
    }

    /// The text with a hook of ours leading to another path, and the old path; none when it does already.
    /// What else is in the command stays.
    fn moved<'e>(&self, entry: &'e HookEntry, wanted: &str) -> Option<(String, &'e str)> {
        let (Owner::Ours { path, at }, Some(command)) = (&entry.owner, &entry.command) else { return None };
        let command = match command {
            bare if *at == (0..bare.len()) => command::never_fails(wanted),
            _ if path == wanted => return None,
            command => splice::replace(command, at, &command::quote(wanted)),
        };
        Some((splice::replace(self.text, &entry.command_at, &splice::quoted(&command)), path))
    }
}

/// `{"hooks":[{"type":"command","command":…,"timeout":10}]}`, behind the `matcher` of an event that has one
fn group_of(event: &str, script: &str) -> Node {
    let hook = Node::Object(vec![
        ("type".to_owned(), Node::string("command")),
        ("command".to_owned(), Node::string(&command::never_fails(script))),
        ("timeout".to_owned(), Node::Plain(TIMEOUT_SECONDS.to_owned())),
    ]);
    let matcher = hooks::matcher(event).map(|tools| ("matcher".to_owned(), Node::string(tools)));
    Node::Object(matcher.into_iter().chain([("hooks".to_owned(), Node::List(vec![hook]))]).collect())
}
