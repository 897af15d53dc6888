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
use crate::store::receipts::{BY_HAND, Receipts, Rewritten, Said, Wrote};
use jiff::Timestamp;
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

/// Both files of a handoff, none where one is not there.
#[derive(Clone, PartialEq, Eq)]
struct Both {
    page: Option<String>,
    state: Option<String>,
    /// When the page was last written to.
    at: Option<Timestamp>,
}

/// Writes files of a handoff, the receipt first. `items` are the ones that are new.
pub fn apply(
    memory: &Path,
    steps: &[Step],
    receipts: Option<&Receipts<'_>>,
    items: impl IntoIterator<Item = String>,
) -> Result<(), Failure> {
    if let Some(receipts) = receipts {
        let change = |name: &str| -> Result<Rewritten, Failure> {
            let before = file::read(&memory.join(name))?;
            let of_name = steps.iter().filter(|step| step.name == name);
            let after: Vec<Option<&[u8]>> = of_name.map(|step| step.content.as_ref().map(Masked::bytes)).collect();
            Ok(receipts.change(before.as_deref(), &after))
        };
        let (page, state) = (change(PAGE)?, change(STATE)?);
        if page.is_one() || state.is_one() {
            let items = items.into_iter().map(|text| receipts.said(&text)).collect();
            receipts.add([Wrote::Handoff { items, page, state, before: None }])?;
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

/// Takes back what a session wrote. With `whole`, its change of the page and of what is remembered of it, that is the
/// handoff as it was before, without the items of other sessions that were taken back since (`gone`, each with its
/// session). Where something came after that, or where it cannot be told what it was, and without `whole`, only these
/// items go; one that another session said, too, stays. The caller holds the folder's lock; a `dry` run changes nothing.
pub fn take_back(
    memory: &Path,
    items: &[Said],
    session_id: &str,
    whole: Option<(&Rewritten, &Rewritten)>,
    gone: &[(String, Said)],
    (dry, redactor): (bool, &Redactor),
) -> Result<Undone, Failure> {
    is_own(memory)?;
    let (page, state) = (file::read_text(&memory.join(PAGE))?, file::read_text(&memory.join(STATE))?);
    let now = Both { page, state, at: file::modified(&memory.join(PAGE)) };
    let before = whole.and_then(|change| now.before(change, gone, redactor));
    let is_whole = before.is_some();
    let says = |line: &OpenItem| items.iter().any(|said| said.text == line.text) && goes_with(line, session_id);
    let next = before.unwrap_or_else(|| now.without(says, redactor));
    let (open, rest) = (now.items(), next.items());
    let there = items.iter().filter(|said| open.contains(&said.text)).cloned();
    let (mut kept, removed): (Vec<Said>, Vec<Said>) = there.partition(|said| rest.contains(&said.text));
    if is_whole {
        kept.clear();
    }
    let undone = Undone {
        removed,
        kept,
        opened: rest.into_iter().filter(|item| !open.contains(item)).collect(),
        any: next != now,
    };
    if undone.any && !dry {
        apply(memory, &next.steps(&now, redactor), None, None)?;
    }
    Ok(undone)
}

/// What is to become of both files without what a session, with its id as a file's name, said first and last; nothing
/// where there is none of it.
pub fn without(
    memory: &Path,
    session_id: &str,
    redactor: &Redactor,
) -> Result<Vec<(&'static str, Option<Masked>)>, Failure> {
    let (page, state) = (file::read_text(&memory.join(PAGE))?, file::read_text(&memory.join(STATE))?);
    let now = Both { page, state, at: file::modified(&memory.join(PAGE)) };
    let is_it = |id: &str| session::safe_id(id) == session_id;
    let is_its = |line: &OpenItem| line.is_of(&line.session_id) && is_it(&line.session_id);
    let mut next = now.without(is_its, redactor);
    let mut version = next.version();
    version.lines.iter_mut().for_each(|line| line.later.retain(|id| !is_it(id)));
    version.closed.retain(|closed| !is_its(&closed.line));
    if next.state.is_some() && version != next.version() {
        next.state = Some(version.text(None, redactor).text().into_owned());
    }
    // The page is that of a session of which it has an item.
    let other = version.lines.iter().find(|line| !line.session_id.is_empty() && !is_it(&line.session_id));
    if let (Some(page), Some(other), Some(own)) =
        (&mut next.page, other, now.present().session_id.filter(|id| is_it(id)))
    {
        *page = page.replacen(&format!("session_id: {own}\n"), &format!("session_id: {}\n", other.session_id), 1);
    }
    if next == now {
        return Ok(Vec::new());
    }
    let page = next.page.as_deref().map(|page| redactor.masked_parts(page));
    Ok(vec![(PAGE, page), (STATE, next.state.as_deref().map(|state| redactor.masked_json(state)))])
}

/// Whether a line goes when what a session, with its id as a file's name, wrote is taken back. A session that only
/// passed it on is among the ones that did not speak of it. Of what is written by hand each line of a person can go.
fn goes_with(line: &OpenItem, session_id: &str) -> bool {
    if line.person {
        return session_id == BY_HAND;
    }
    session::safe_id(&line.session_id) == session_id || line.later.contains(&line.session_id)
}

impl Both {
    fn state(&self) -> &str {
        self.state.as_deref().unwrap_or("")
    }

    fn present(&self) -> Handoff {
        let page = self.page.as_deref().map(|page| page::parse(page.as_bytes()));
        page.unwrap_or_default().with_remembered(self.state())
    }

    fn items(&self) -> Vec<String> {
        self.present().items
    }

    fn version(&self) -> Version {
        Version::of(self.state(), &self.present(), self.at)
    }

    /// What it was before a session wrote it; none where something came after that.
    fn before(
        &self,
        (page, state): (&Rewritten, &Rewritten),
        gone: &[(String, Said)],
        redactor: &Redactor,
    ) -> Option<Self> {
        let text = |change: &Rewritten| change.copy().map(|text| text.map(str::to_owned));
        let old = Self { page: text(page)?, state: text(state)?, at: self.at };
        let is_gone =
            |line: &OpenItem| gone.iter().any(|(session, said)| said.text == line.text && goes_with(line, session));
        let old = if old.state.is_some() { old.without(is_gone, redactor) } else { old };
        let bytes = |text: &Option<String>| text.as_ref().map(|text| text.as_bytes().to_vec());
        let is_page = self.page == old.page || page.is_of(bytes(&self.page).as_deref());
        // An undo that was killed left what was remembered before, with what was remembered after it.
        let begun = old.state.is_some() && self.state().lines().take(2).eq(old.state().lines().take(2));
        (is_page && (begun || state.is_of(bytes(&self.state).as_deref()))).then_some(old)
    }

    /// The same without some lines; the page goes where nothing but a head of ours is left.
    fn without(&self, goes: impl Fn(&OpenItem) -> bool, redactor: &Redactor) -> Self {
        let mut version = self.version();
        let (gone, lines): (Vec<OpenItem>, Vec<OpenItem>) = version.lines.into_iter().partition(goes);
        let Some(raw) = self.page.as_deref().filter(|_| !gone.is_empty()) else { return self.clone() };
        version.lines = lines;
        let is_gone = |text: &str| gone.iter().any(|line| line.text == text);
        let body = FrontMatter::parse(raw).body.len();
        let (head, body) = raw.split_at_checked(raw.len().saturating_sub(body)).unwrap_or(("", raw));
        let stays = |line: &&str| page::is_ticked(line.trim()) || !is_gone(page::without_marker(line.trim()));
        let rest: Vec<&str> = body.split_inclusive('\n').filter(stays).collect();
        let present = self.present();
        let is_bare =
            rest.iter().map(|line| line.trim()).all(|line| line.is_empty() || present.heading.as_deref() == Some(line));
        let page = (!(is_bare && present.ours)).then(|| format!("{head}{}", rest.concat()));
        Self { page, state: Some(version.text(None, redactor).text().into_owned()), at: self.at }
    }

    /// What is to be written so that the handoff is this one and not that of `now` any longer: as in [`super::put`].
    fn steps(&self, now: &Self, redactor: &Redactor) -> Vec<Step> {
        let page = Step { name: PAGE, content: self.page.as_deref().map(|page| redactor.masked_parts(page)) };
        let state = Step { name: STATE, content: self.state.as_deref().map(|state| redactor.masked_json(state)) };
        // Without what is remembered of it a page counts as it is.
        if self.page == now.page || self.state.is_none() {
            return vec![state, page];
        }
        let known = now.version().text(None, redactor);
        let known = known.text();
        let both: Vec<&str> = self.state().lines().take(2).chain(known.lines().skip(1).take(1)).collect();
        let both = redactor.masked_json(&format!("{}\n", both.join("\n")));
        vec![Step { name: STATE, content: Some(both) }, page, state]
    }
}
