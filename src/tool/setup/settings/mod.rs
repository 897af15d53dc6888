//! The client's settings: text in, text out. Our hooks are put in or taken out one at a time, and the
//! text is read anew after each, until there is nothing left to do; so whatever is done twice is done
//! once. All that is not ours keeps its bytes, which is looked at before a text is given back.

mod read;

use super::command::{self, Owner};
use super::splice::{self, Fault};
use crate::agent::{hooks, plugins};
use jsonc_parser::ast::Value;
pub use read::Hook;
use read::{BOM, Settings, filled};
use serde::{Deserialize, Serialize};

/// Seconds that a hook may take; being there, `SessionEnd`'s raises the client's 1.5.
const TIMEOUT_SECONDS: &str = "10";
/// More than any settings have hooks.
const STEPS: usize = 10_000;

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

/// The hooks of a settings text, in the order of the file.
pub fn hooked(text: &str) -> Result<Vec<Hook>, Fault> {
    Ok(Settings::read(filled(text))?.entries)
}

/// Whether a text hooks any of our scripts.
pub fn has_ours(text: &str) -> bool {
    hooked(text).is_ok_and(|all| all.iter().any(|hook| hook.program().is_some()))
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
    let Ok(Value::Object(root)) = splice::parse(text.trim_start_matches(BOM)).map(|(value, _)| value) else {
        return T::default();
    };
    let last = root.properties.iter().rev().find(|property| property.name.as_str() == key);
    last.map_or_else(T::default, |property| read(&property.value))
}

/// Puts our scripts in, each once; `script` gives the path of an event's, and none for one that is not wanted, which is taken
/// out. With `migrate` the predecessor's commands are taken out.
pub fn install(text: &str, script: &dyn Fn(&str) -> Option<String>, migrate: bool) -> Result<ChangedText, Fault> {
    let mut taken = Vec::new();
    let changed = change(text, true, |settings| {
        if let Some(done) = settings.install(script)? {
            return Ok(Some(done));
        }
        let old = settings.entries.iter().find(|hook| migrate && hook.owner == Owner::Predecessor);
        Ok(old.map(|old| {
            let (event, command) = (old.event.clone(), old.command.clone());
            let what = format!("{event}: '{command}' taken out");
            taken.push(Taken { event, command, group: settings.group(old) });
            (settings.without(old), what)
        }))
    })?;
    Ok(ChangedText { taken, ..changed })
}

/// Takes our scripts out, and what they leave empty; puts in again what was taken out, behind the other hooks of its event.
pub fn uninstall(text: &str, taken: &[Taken]) -> Result<ChangedText, Fault> {
    let mut taken = absent(text, taken)?.into_iter();
    // What was taken out can have comments.
    change(text, taken.len() == 0, |settings| {
        if let Some(Taken { event, command, group }) = taken.next() {
            let text = settings.with(&event, |_, _| group.clone())?;
            return Ok(Some((text, format!("{event}: '{command}' put back"))));
        }
        let ours = settings.entries.iter().rev().find(|hook| hook.program().is_some());
        Ok(ours.map(|ours| (settings.without(ours), format!("{}: {} taken out", ours.event, ours.name()))))
    })
}

/// Those of the hooks that were taken out that are not in a text.
pub fn absent(text: &str, taken: &[Taken]) -> Result<Vec<Taken>, Fault> {
    let mut there = Settings::read(filled(text))?.entries;
    let is_absent = |taken: &&Taken| {
        let same = |hook: &Hook| hook.event == taken.event && hook.command == taken.command;
        there.iter().position(same).map(|at| there.swap_remove(at)).is_none()
    };
    Ok(taken.iter().filter(is_absent).cloned().collect())
}

/// Whether a text has no setting, no hook and no comment.
pub fn is_nothing(text: &str) -> bool {
    let text = filled(text);
    let is_empty =
        |settings: Settings| settings.others.is_empty() && settings.events.iter().all(|(_, of)| of.elements.is_empty());
    is_json(text) && Settings::read(text).is_ok_and(is_empty)
}

/// Whether a text is another one without our hooks, with what was taken out, and otherwise the same.
pub fn is_without_ours(text: &str, with: &str, taken: &[Taken]) -> bool {
    !has_ours(text)
        && absent(text, taken).is_ok_and(|absent| absent.is_empty())
        && check(filled(with), filled(text), taken.is_empty()).is_ok()
}

/// A changed text and what was done; none where there is nothing left to do.
type Step = Result<Option<(String, String)>, Fault>;

/// Takes steps until there is none.
fn change(text: &str, strict: bool, mut step: impl FnMut(&Settings) -> Step) -> Result<ChangedText, Fault> {
    let (bom, rest) = text.strip_prefix(BOM).map_or(("", text), |rest| ("\u{feff}", rest));
    let old = filled(rest);
    let mut changed = ChangedText { text: old.to_owned(), ..ChangedText::default() };
    for _ in 0..STEPS {
        let Some((text, what)) = step(&Settings::read(&changed.text)?)? else { break };
        changed.text = text;
        changed.changes.push(what);
    }
    if changed.changes.is_empty() {
        return Ok(ChangedText { text: text.to_owned(), ..changed });
    }
    check(old, &changed.text, strict)?;
    changed.text.insert_str(0, bom);
    Ok(changed)
}

/// Whether it is JSON without comments and trailing commas.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// That a change is one: what was valid JSON still is, where that is `strict`, and what is not ours has not
/// moved.
fn check(old: &str, new: &str, strict: bool) -> Result<(), Fault> {
    let wrong = || splice::fault(old, 0, "no safe way to change it: put the hooks in by hand, see lh(7)");
    let (before, after) = (Settings::read(old)?, Settings::read(new).map_err(|_| wrong())?);
    let kept = |settings: &Settings| {
        let others = settings.entries.iter().filter(|entry| entry.owner == Owner::Other);
        let others = others.map(|entry| settings.text_of(entry).to_owned());
        settings.others.iter().cloned().chain(others).collect::<Vec<_>>()
    };
    let is_safe = kept(&before) == kept(&after) && (!strict || !is_json(old) || is_json(new));
    if is_safe { Ok(()) } else { Err(wrong()) }
}

impl Settings<'_> {
    /// The next step of putting ours in.
    fn install(&self, script: &dyn Fn(&str) -> Option<String>) -> Step {
        for (event, name) in hooks::ALL {
            let mut ours = self.entries.iter().filter(|hook| hook.event == event && hook.program().is_some());
            match (ours.next(), script(event)) {
                (None, None) => {}
                (Some(first), None) => return Ok(Some((self.without(first), format!("{event}: {name} taken out")))),
                (None, Some(wanted)) => {
                    let group = group_of(event, &wanted);
                    let text = self.with(event, |source, line| source.laid_out(&group, line))?;
                    return Ok(Some((text, format!("{event}: {name} put in"))));
                }
                (Some(first), Some(wanted)) => {
                    let double =
                        |hook: &Hook| (self.without(hook), format!("{event}: a second {} taken out", hook.name()));
                    let moved = self.moved(first, &wanted);
                    let moved = moved.map(|(text, old)| (text, format!("{event}: {name} put in the place of {old}")));
                    if let Some(done) = moved.or_else(|| ours.next().map(double)) {
                        return Ok(Some(done));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The text with a hook of ours leading to another path, and the old path; none when it does already.
    /// What else is in the command stays.
    fn moved<'e>(&self, entry: &'e Hook, wanted: &str) -> Option<(String, &'e str)> {
        let Owner::Ours { path, at } = &entry.owner else { return None };
        let command = match &entry.command {
            bare if *at == (0..bare.len()) => command::never_fails(wanted),
            _ if path == wanted => return None,
            command => splice::replace(command, at, &command::quote(wanted)),
        };
        Some((splice::replace(self.source.text, &entry.command_at, &splice::quoted(&command)), path))
    }
}

/// The group of one of our scripts, behind the `matcher` of an event that has one.
fn group_of(event: &str, script: &str) -> String {
    let matcher = hooks::matcher(event).map(|tools| format!("  \"matcher\": {},\n", splice::quoted(tools)));
    let (matcher, command) = (matcher.unwrap_or_default(), splice::quoted(&command::never_fails(script)));
    format!(
        "{{\n{matcher}  \"hooks\": [\n    {{\n      \"type\": \"command\",\n      \"command\": {command},\n      \
         \"timeout\": {TIMEOUT_SECONDS}\n    }}\n  ]\n}}"
    )
}
