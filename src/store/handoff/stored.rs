//! Both files of a handoff, as they are or are to be, and the one way in which they are changed.

use super::page::{self, Handoff};
use super::state::{STATE, Version};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store;
use crate::store::receipts::{Receipts, Rewritten, WrittenItem, Wrote};
use jiff::Timestamp;
use std::path::Path;

/// The name of the page.
pub const PAGE: &str = "handoff.md";

/// A file of the memory folder, by its name, and what it will hold; none for one that goes.
pub type Step = (&'static str, Option<Masked>);

/// Both files, none where one is not there, and what they say.
#[derive(Clone)]
pub struct Stored {
    /// The page; none also where the predecessor put a slim handoff in its place.
    pub page: Option<String>,
    /// What is remembered of it.
    pub state: Option<String>,
    /// When the page was last written to.
    at: Option<Timestamp>,
    /// What the page says.
    pub present: Handoff,
    /// What is remembered of it, with what a person did to the page since.
    pub known: Version,
}

impl Stored {
    /// Those of a memory folder.
    pub fn read(memory: &Path) -> Result<Self, Failure> {
        Self::read_page(memory, file::read_text(&memory.join(STATE))?)
    }

    /// The page of a memory folder, and what is remembered of it.
    pub fn read_page(memory: &Path, state: Option<String>) -> Result<Self, Failure> {
        let path = page::path(memory);
        Ok(Self::of(file::read_at_most(&path, file::PAGE_BYTES)?, state, file::modified(&path)))
    }

    /// Those with these texts.
    fn of(page: Option<Vec<u8>>, state: Option<String>, at: Option<Timestamp>) -> Self {
        let present = Handoff::of(page.as_deref());
        let known = Version::of(state.as_deref().unwrap_or(""), &present, at);
        let page = page.filter(|_| !present.is_slim).map(|page| file::text_of(&page).into_owned());
        Self { page, state, at, present, known }
    }

    /// The same with other texts.
    #[must_use]
    pub fn with(&self, page: Option<String>, state: Option<String>) -> Self {
        Self::of(page.map(String::into_bytes), state, self.at)
    }

    /// The time of the newest transcript that had a say; from the page itself where we kept none. One from the future, of a
    /// clock that was wrong, has none.
    pub fn newest(&self) -> Option<Timestamp> {
        let tomorrow = clock::after(clock::now(), 86_400);
        let times = [clock::parse(&self.known.newest), self.present.source_mtime];
        times.into_iter().flatten().filter(|time| *time < tomorrow).max()
    }

    /// Whether both files are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.page, &self.state) == (&other.page, &other.state)
    }

    /// What is to be written so that the files are these. While the page can still be the one that is there, both are
    /// remembered: if we are killed before the page is written, the page tells which of the two it is.
    pub fn steps(&self, page: Option<Masked>, state: Option<Masked>, redactor: &Redactor) -> Vec<Step> {
        // Without what is remembered of it a page counts as it is.
        let Some(state) = state else { return vec![(STATE, None), (PAGE, page)] };
        if page.as_ref().map(Masked::text).as_deref() == self.page.as_deref() {
            return vec![(STATE, Some(state))];
        }
        let (new, known) = (state.text(), self.known.text(redactor));
        let known = known.text();
        let both: Vec<&str> = new.lines().take(2).chain(known.lines().skip(1)).collect();
        let both = redactor.masked_json(&format!("{}\n", both.join("\n")));
        vec![(STATE, Some(both)), (PAGE, page), (STATE, Some(state))]
    }
}

/// Status 65 where a file of the handoff is a link that leads out of the folder.
pub fn is_own(memory: &Path) -> Result<(), Failure> {
    [PAGE, STATE].iter().try_for_each(|name| store::own_file(memory, name).map(drop))
}

/// Writes files of a handoff, the receipt first. `items` are the ones that are new. The caller holds the folder's lock.
pub fn apply(
    memory: &Path,
    steps: Vec<Step>,
    notes: &Receipts<'_>,
    items: impl IntoIterator<Item = String>,
) -> Result<(), Failure> {
    is_own(memory)?;
    let change = |name: &str| -> Result<Rewritten, Failure> {
        let before = file::read(&memory.join(name))?;
        let after = steps.iter().filter(|(of, _)| *of == name);
        Ok(notes.change(before.as_deref(), after.map(|(_, content)| content.as_ref().map(Masked::bytes))))
    };
    let (page, state) = (change(PAGE)?, change(STATE)?);
    if page.is_one() || state.is_one() {
        let items = items.into_iter().map(|text| WrittenItem::open(&text)).collect();
        notes.add([Wrote::Handoff { items, page, state, before: None }])?;
    }
    write(memory, steps)
}

/// Writes files of a handoff without a receipt.
pub fn write(memory: &Path, steps: Vec<Step>) -> Result<(), Failure> {
    for (name, content) in steps {
        let target = store::own_file(memory, name)?;
        match content {
            None => file::remove(&target)?,
            Some(content) if file::read(&target)?.as_deref() == Some(content.bytes()) => {}
            Some(content) => file::replace(&target, &content, Durable::Yes)?,
        }
    }
    Ok(())
}
