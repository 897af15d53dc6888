//! Writing a handoff after its receipt, and taking back what a session wrote into it: to the byte where nothing came
//! after it, else only the items that are the session's alone.

use super::merge::Step;
use super::page::{self, Handoff};
use super::state::{OpenItem, STATE, Version};
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::front_matter::FrontMatter;
use crate::base::masked::Masked;
use crate::record::session;
use crate::redact::Redactor;
use crate::store;
use crate::store::receipts::{Change, Receipts, Said, Wrote};
use std::borrow::Cow;
use std::path::Path;

const PAGE: &str = "handoff.md";

/// What taking back did to a handoff.
#[derive(Debug, Default)]
pub struct Undone {
    /// Items that are no longer in it.
    pub removed: Vec<Said>,
    /// Items that are another's now, too.
    pub kept: Vec<Said>,
    /// Items that the session had closed, and that are open again.
    pub opened: Vec<String>,
    /// Whether anything was to be done.
    pub any: bool,
}

/// Writes files of a handoff, the receipt first. `items` are the ones that are new.
pub fn apply(
    memory: &Path,
    steps: &[Step],
    receipts: Option<&Receipts<'_>>,
    items: impl IntoIterator<Item = String>,
) -> Result<(), Failure> {
    if let Some(receipts) = receipts {
        let change = |name: &str| -> Result<Change, Failure> {
            let before = file::read(&memory.join(name))?;
            let of_name = steps.iter().filter(|step| step.name == name);
            let after: Vec<Option<&[u8]>> = of_name.map(|step| step.content.as_ref().map(Masked::bytes)).collect();
            Ok(receipts.change(before.as_deref(), &after))
        };
        let (page, state) = (change(PAGE)?, change(STATE)?);
        if page.is_one() || state.is_one() {
            let items = items.into_iter().map(|text| receipts.said(&text)).collect();
            receipts.add([Wrote::Handoff { items, page, state }])?;
        }
    }
    is_own(memory)?;
    for Step { name, content } in steps {
        let there = file::read(&memory.join(name))?;
        match content {
            None => file::remove(&store::own_file(memory, name)?)?,
            Some(content) if there.as_deref() == Some(content.bytes()) => {}
            Some(content) => file::replace(&store::own_file(memory, name)?, content, Durable::Yes)?,
        }
    }
    Ok(())
}

/// Status 65 where a file of the handoff is a link that leads out of the folder.
fn is_own(memory: &Path) -> Result<(), Failure> {
    [PAGE, STATE].iter().try_for_each(|name| store::own_file(memory, name).map(|_| ()))
}

/// Puts the handoff back as it was before a session wrote it, without the items of other sessions that were taken back
/// since (`gone`, each with its session); none where something came after that, or where it cannot be told what it
/// was. The caller holds the folder's lock; a `dry` run changes nothing.
pub fn put_back(
    memory: &Path,
    items: &[Said],
    (page, state): (&Change, &Change),
    gone: &[(String, Said)],
    dry: bool,
    redactor: &Redactor,
) -> Result<Option<Undone>, Failure> {
    is_own(memory)?;
    let (Some(old_page), Some(old_state)) = (page.copy(), state.copy()) else { return Ok(None) };
    let (old_page, old_state) = without_gone(old_page, old_state, gone, redactor);
    let (old_page, old_state) = (old_page.as_deref(), old_state.as_deref());
    let (now_page, now_state) = (file::read(&memory.join(PAGE))?, file::read(&memory.join(STATE))?);
    let now_text = now_state.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    // An undo that was killed left what was remembered before, with what was remembered after it.
    let begun = old_state.is_some_and(|old| now_text.lines().take(2).eq(old.lines().take(2)));
    let same_page = now_page.as_deref() == old_page.map(str::as_bytes);
    if !(same_page || page.is_of(now_page.as_deref())) || !(begun || state.is_of(now_state.as_deref())) {
        return Ok(None);
    }
    if same_page && now_state.as_deref() == old_state.map(str::as_bytes) {
        return Ok(Some(Undone::default()));
    }
    let open = page::read(memory)?.items;
    let before = page::parse(old_page.unwrap_or_default().as_bytes()).items;
    let masked = |text: &str| redactor.masked(text);
    let mut steps = Vec::new();
    let page_step = Step { name: PAGE, content: old_page.map(masked) };
    match old_state {
        // Without what is remembered of it a page counts as it is.
        None => steps.extend([Step { name: STATE, content: None }, page_step]),
        Some(old) => {
            if !same_page {
                let both: Vec<&str> = old.lines().take(2).chain(now_text.lines().skip(1).take(1)).collect();
                let both = redactor.masked_json(&format!("{}\n", both.join("\n")));
                steps.extend([Step { name: STATE, content: Some(both) }, page_step]);
            }
            steps.push(Step { name: STATE, content: Some(redactor.masked_json(old)) });
        }
    }
    if !dry {
        apply(memory, &steps, None, None)?;
    }
    let removed = items.iter().filter(|said| open.contains(&said.text) && !before.contains(&said.text));
    let removed = removed.cloned().collect();
    let opened = before.into_iter().filter(|item| !open.contains(item)).collect();
    Ok(Some(Undone { removed, opened, any: true, ..Undone::default() }))
}

/// Takes items of a session out of the handoff, and leaves all else; an item that another session said, too, stays.
/// The caller holds the folder's lock; a `dry` run changes nothing.
pub fn take_out(
    memory: &Path,
    items: &[Said],
    session_id: &str,
    dry: bool,
    redactor: &Redactor,
) -> Result<Undone, Failure> {
    is_own(memory)?;
    let present = page::read(memory)?;
    let known = Version::read(memory, &present)?;
    let mut undone = Undone::default();
    for said in items {
        let Some(line) = known.lines.iter().find(|line| line.text == said.text) else { continue };
        if goes_with(line, session_id) { &mut undone.removed } else { &mut undone.kept }.push(said.clone());
    }
    undone.any = !undone.removed.is_empty();
    if dry || !undone.any {
        return Ok(undone);
    }
    let is_gone = |text: &str| undone.removed.iter().any(|said| said.text == text);
    let raw = file::read_text(&memory.join(PAGE))?.unwrap_or_default();
    let page = without(&raw, &present, is_gone).map(|page| redactor.masked_parts(&page));
    let mut next = known.clone();
    next.lines.retain(|line| !is_gone(&line.text));
    // As in [`super::put`].
    let steps = [
        Step { name: STATE, content: Some(next.text(Some(&known), redactor)) },
        Step { name: PAGE, content: page },
        Step { name: STATE, content: Some(next.text(None, redactor)) },
    ];
    apply(memory, &steps, None, None)?;
    Ok(undone)
}

/// Whether a line goes when what a session, with its id as a file's name, wrote is taken back. A session that only
/// passed it on is among the ones that did not speak of it.
fn goes_with(line: &OpenItem, session_id: &str) -> bool {
    !line.person && (session::safe_id(&line.session_id) == session_id || line.later.contains(&line.session_id))
}

/// A handoff of before, its page and what is remembered of it, without the items that were taken back since.
fn without_gone<'a>(
    old_page: Option<&'a str>,
    old_state: Option<&'a str>,
    gone: &[(String, Said)],
    redactor: &Redactor,
) -> (Option<Cow<'a, str>>, Option<Cow<'a, str>>) {
    let as_it_was = (old_page.map(Cow::Borrowed), old_state.map(Cow::Borrowed));
    let (Some(raw), Some(state)) = (old_page, old_state) else { return as_it_was };
    let present = page::parse(raw.as_bytes());
    let versions = || state.lines().skip(1).filter_map(|line| serde_json::from_str::<Version>(line).ok());
    let is_there = |version: &Version| version.lines.iter().map(|line| &line.text).eq(&present.items);
    let Some(mut version) = versions().find(is_there).or_else(|| versions().next()) else { return as_it_was };
    let is_gone =
        |line: &OpenItem| gone.iter().any(|(session, said)| said.text == line.text && goes_with(line, session));
    let (taken, lines): (Vec<OpenItem>, Vec<OpenItem>) = version.lines.into_iter().partition(is_gone);
    if taken.is_empty() {
        return as_it_was;
    }
    version.lines = lines;
    let page = without(raw, &present, |text| taken.iter().any(|line| line.text == text));
    (page.map(Cow::Owned), Some(Cow::Owned(version.text(None, redactor).text().into_owned())))
}

/// A page without the lines of some items; none where nothing but a head of ours is left.
fn without(raw: &str, present: &Handoff, is_gone: impl Fn(&str) -> bool) -> Option<String> {
    let body = FrontMatter::parse(raw).body.len();
    let (head, body) = raw.split_at_checked(raw.len().saturating_sub(body)).unwrap_or(("", raw));
    let stays = |line: &&str| page::is_ticked(line.trim()) || !is_gone(page::without_marker(line.trim()));
    let rest: Vec<&str> = body.split_inclusive('\n').filter(stays).collect();
    let is_bare =
        rest.iter().map(|line| line.trim()).all(|line| line.is_empty() || present.heading.as_deref() == Some(line));
    (!(is_bare && present.ours)).then(|| format!("{head}{}", rest.concat()))
}
