//! One item changed in the user's editor. What it said before stays in its history: an item of a journal, or what is
//! open, is followed by a new one, and of a learning the archive keeps a copy.

use super::{HandReceipt, with_id};
use crate::base::config::Config;
use crate::base::editor;
use crate::base::exit::Failure;
use crate::base::front_matter::FrontMatter;
use crate::base::record::Record;
use crate::base::{clock, file, log, text};
use crate::record::item::{self, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::record::written;
use crate::store::change::{self, Planned};
use crate::store::receipts::{BY_HAND, Rewritten, WrittenItem, Wrote};
use crate::store::{self, Added, handoff, journal, memories};
use crate::tool::by_id::{self, Thing};
use crate::tool::here::Here;
use crate::tool::history::{self, ToldItem};
use crate::tool::recall::{self, HitKind};
use serde_json::Value;
use std::path::Path;

/// The name of our plan for a learning.
pub const EDIT: &str = "edit";
/// What the file in the editor begins with.
const HEAD: &str = "# What it says. What it said before stays in its history: lh history ID.\n# An item that is left as it is is not changed.\n";

/// Opens the item of an id in the editor, and puts what comes of it in the place of the item.
pub fn edit(word: &str, config: &Config) -> Result<HandReceipt, Failure> {
    let done = edited(word, config)?;
    Ok(done.unwrap_or_else(|| {
        log::say("lh-persist", "nothing was changed");
        HandReceipt::default()
    }))
}

fn edited(word: &str, config: &Config) -> Result<Option<HandReceipt>, Failure> {
    let words = [word.to_owned()];
    by_id::no_empty(&words)?;
    let known = |here: &Here<'_>| {
        let open = handoff::read(&here.memory)?.items.into_iter();
        let open = open.map(|text| Thing { id: item::open_id(&text), text });
        Ok(history::read(here)?.into_iter().map(|told| told.thing).chain(open).collect::<Vec<_>>())
    };
    let (here, _) = Here::of_words(&words, known, config)?.remove(0);
    let things = known(&here)?;
    if let Some([thing, ..]) = by_id::by_ids(&[&things], &words)?.as_deref() {
        let told = history::read(&here)?.into_iter().find(|told| told.thing == **thing);
        return told.map_or_else(|| of_handoff(thing, &here), |told| of_journal(&told, &here));
    }
    let hit = recall::show(word, config)?;
    if hit.kind == HitKind::Learning {
        return of_learning(&hit.path, &here);
    }
    let what = "is not an item of lh: edit the file";
    Err(Failure::data(format!("'{word}' {what}: {}", hit.path.display())))
}

fn of_journal(told: &ToldItem, here: &Here<'_>) -> Result<Option<HandReceipt>, Failure> {
    let (old, short) = (&told.entry.item, item::short_id(&told.thing.id));
    if let Some(later) = &told.entry.replaced {
        let later = item::short_id(&later.by);
        return Err(Failure::data(format!("'{short}' was replaced by {later}: edit that one")));
    }
    if told.entry.is_forgotten() {
        return Err(Failure::data(format!("'{short}' is forgotten: 'lh forget --undo {short}' tells it again first")));
    }
    editor::edit("item.toml", &here.redactor.masked(&form(old)?), |typed| {
        let mut new = read(&typed, old).map_err(Failure::data)?;
        with_id(&mut new, &here.project, &here.redactor);
        new.replaces = vec![told.thing.id.clone()];
        let _lock = store::lock(&here.memory)?;
        let now = history::read(here)?.into_iter().find(|now| now.thing.id == told.thing.id);
        if now.is_none_or(|now| !now.entry.holds()) {
            return Err(changed(short));
        }
        let notes = here.receipts(BY_HAND);
        let added = journal::add(&here.memory, std::slice::from_mut(&mut new), &notes)?;
        if let Some(Added::DuplicateOf(id) | Added::Forgotten(id)) = added.first() {
            return Err(Failure::data(format!("{} says the same already", item::short_id(id))));
        }
        memories::sync(&here.memory, &here.project, &here.redactor)?;
        Ok(done(here, new.kind, &new.id, new.sentence(), Some(short)))
    })
}

fn changed(what: &str) -> Failure {
    Failure::data(format!("'{what}' was changed while it was in the editor"))
}

/// The content of an item, a key a line.
fn form(item: &Item) -> Result<String, Failure> {
    let mut record = Record::default();
    item.content(&mut record);
    let fields: toml::Table =
        serde_json::from_str(&record.line()).map_err(|error| Failure::data(format!("an item: {error}")))?;
    let lines = record.names().filter_map(|name| Some(format!("{name} = {}\n", fields.get(name)?)));
    Ok(HEAD.to_owned() + &lines.collect::<String>())
}

/// The item that a form says: what it does not have is as it was.
fn read(form: &str, old: &Item) -> Result<Item, String> {
    let fields: toml::Table = form.parse().map_err(|error: toml::de::Error| {
        let (line, _) = text::position(form, error.span().map_or(0, |span| span.start));
        format!("line {line}: {}", text::one_line(error.message()))
    })?;
    let mut known = Record::default();
    old.content(&mut known);
    for (name, value) in &fields {
        let Some(old) = known.get::<Value>(name) else {
            let hint = text::did_you_mean(name, known.names(), "");
            return Err(format!("unknown key '{name}'{hint}"));
        };
        let (is_so, what) = if old.is_array() {
            let is_list = value.as_array().is_some_and(|all| all.iter().all(toml::Value::is_str));
            (is_list, "a list of texts")
        } else {
            (value.is_str(), "a text between quotation marks")
        };
        if !is_so {
            return Err(format!("{name}: expected {what}, found {value}"));
        }
    }
    let value = serde_json::to_value(&fields).map_err(|error| error.to_string())?;
    let new = Item::from_value(&value, old.kind).filter(|new| new.sentence().contains(char::is_alphanumeric));
    let new = new.ok_or("it says nothing: to say that an item is wrong, use lh forget ID")?;
    let Item { evidence, tags, seen, .. } = old.clone();
    Ok(Item { evidence, tags, seen, grounded: true, said_by: Voice::User.word().to_owned(), ..new })
}

/// Closes the old line, and adds the new one at the end.
fn of_handoff(thing: &Thing, here: &Here<'_>) -> Result<Option<HandReceipt>, Failure> {
    editor::edit("open.md", &here.redactor.masked(&format!("{}\n", thing.text)), |typed| {
        let new = text::one_line(typed.trim()).into_owned();
        if !new.contains(char::is_alphanumeric) {
            return Err(Failure::data("it says nothing: to close an item, use lh done ID"));
        }
        let _locks = here.lock()?;
        if !handoff::read(&here.memory)?.items.contains(&thing.text) {
            return Err(changed(item::short_id(&thing.id)));
        }
        let notes = here.receipts(BY_HAND);
        let (page, state) = (Rewritten::default(), Rewritten::default());
        notes.add([Wrote::Handoff {
            items: vec![WrittenItem::open(&new)],
            page,
            state,
            before: Some(thing.text.clone()),
        }])?;
        handoff::reopen(&here.memory, std::slice::from_ref(&new), here.heading(&new), &here.redactor)?;
        handoff::close(&here.memory, std::slice::from_ref(&thing.text), &here.redactor)?;
        Ok(done(here, ItemKind::Handoff, &item::open_id(&new), &new, Some(item::short_id(&thing.id))))
    })
}

fn of_learning(path: &Path, here: &Here<'_>) -> Result<Option<HandReceipt>, Failure> {
    let top = file::real_path(&here.config.learnings_top()?);
    let real = file::real_path(path);
    let name = real.strip_prefix(&top).map_err(|_| Failure::data(format!("{}: not a learning", path.display())))?;
    let before = file::read_text(path)?.unwrap_or_default();
    editor::edit("learning.md", &here.redactor.masked_parts(&before), |typed| {
        let page = FrontMatter::parse(&typed);
        let says = page.body.split_once("## Learning").is_some_and(|(_, said)| said.contains(char::is_alphanumeric));
        let Some(title) = page.get("title").filter(|title| says && !title.is_empty()) else {
            return Err(Failure::data("a learning has a title, and a text under '## Learning'"));
        };
        let _lock = store::learnings::review::lock()?;
        let (name, after) = (name.to_string_lossy().into_owned(), here.redactor.masked_parts(&typed));
        let plan = Planned::of_person(name, "edited by hand", Some(before.as_bytes()), Some(after));
        let applied = change::apply(&top, EDIT, vec![plan], clock::now())?;
        if applied.is_none_or(|made| made.entries.iter().any(|entry| entry.state != change::ChangeState::Done)) {
            return Err(changed(&path.display().to_string()));
        }
        let id = item::id(ItemKind::Learning, page.get("origin").unwrap_or(""), title);
        Ok(done(here, ItemKind::Learning, &id, title, None))
    })
}

fn done(here: &Here<'_>, kind: ItemKind, id: &str, said: &str, old: Option<&str>) -> HandReceipt {
    let why = old.map_or_else(String::new, |old| format!("in place of {old}"));
    let record = written::by_hand(None, kind.word(), id, said, "edited", &why);
    HandReceipt { said: here.redactor.masked_record(&record), any: true, failure: None }
}
