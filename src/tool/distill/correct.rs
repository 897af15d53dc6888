//! What is known already that a new item may take the place of. A session's text can lie, so its word alone hides
//! nothing: the item is trusted, the earlier one is of the same kind, and both are about the same thing.

use crate::base::text;
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::store::journal::Entry;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// The most that one session replaces.
const MOST: usize = 10;
/// The share of the words of the shorter sentence that two items have in common which are about the same.
const SHARE: f64 = 1.0 / 3.0;
/// Words of which every second item has one.
const COMMON: &[&str] =
    &["add", "decid", "decis", "file", "keep", "make", "new", "project", "us", "use", "usa", "work", "¬"];

/// The items that hold, oldest first in each kind.
#[derive(Debug, Default)]
pub struct Corrigible(pub Vec<Item>);

impl Corrigible {
    /// Adds those of a journal, its whole ids filled in. What is newer than the session stays as it is.
    pub fn add(&mut self, entries: &[Entry], ts: Timestamp) {
        let older = entries.iter().filter(|known| known.holds() && known.time.is_none_or(|time| time <= ts));
        self.0.extend(older.map(|known| Item { id: known.id().into_owned(), ..(*known.item).clone() }));
    }

    /// Those of a kind.
    pub fn of(&self, kind: ItemKind) -> impl Iterator<Item = &Item> {
        self.0.iter().filter(move |item| item.kind == kind)
    }

    /// Takes the head of a known id from before an item's sentence: a model can copy it with the line that it was shown.
    pub fn without_id(&self, item: &mut Item) {
        let Some((head, rest)) = item.summary.split_once(' ') else { return };
        if head.len() >= item::SHORT_ID && self.of(item.kind).any(|known| known.id.starts_with(head)) {
            item.summary = rest.trim_start().to_owned();
        }
    }

    /// Leaves of the ids that an item replaces those that it can, in full; `replaced` has those of the whole session.
    pub fn check(&self, item: &mut Item, replaced: &mut BTreeSet<String>) {
        let named = std::mem::take(&mut item.replaces);
        if !item.grounded || item.voice() == Some(Voice::Tool) {
            return;
        }
        for head in named {
            let mut meant = self.of(item.kind).filter(|known| known.id.starts_with(&head));
            let (Some(known), None) = (meant.next(), meant.next()) else { continue };
            let full = replaced.len() >= MOST && !replaced.contains(&known.id);
            if !full && known.id != item.id && corrects(item, known) && !item.replaces.contains(&known.id) {
                replaced.insert(known.id.clone());
                item.replaces.push(known.id.clone());
            }
        }
    }
}

/// Whether an item is about the same as an earlier one, and says something else: a third of the words of the shorter
/// sentence is in the other item too, in what was not chosen or in its quotes.
fn corrects(new: &Item, old: &Item) -> bool {
    let (mut own, mut known) = (words(new.sentence()), words(old.sentence()));
    let least = own.len().min(known.len());
    let quotes = new.evidence.iter().filter(|evidence| evidence.line.is_some()).map(|evidence| &evidence.quote);
    own.extend(new.alternatives.iter().chain(quotes).flat_map(|text| words(text)));
    known.extend(old.alternatives.iter().flat_map(|text| words(text)));
    text::share(own.intersection(&known).count(), least) >= SHARE
        && !Gist::of_item(new).is_near(&Gist::of_item(old), false)
}

fn words(text: &str) -> BTreeSet<String> {
    text::terms(text).into_iter().filter(|word| !COMMON.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use crate::record::item::Evidence;

    fn item(summary: &str, alternatives: &[&str], quote: &str) -> Item {
        let evidence = Evidence { quote: quote.to_owned(), line: Some(1), ..Evidence::default() };
        Item {
            id: item::id(ItemKind::Decision, "", summary),
            alternatives: alternatives.iter().map(|text| (*text).to_owned()).collect(),
            evidence: vec![Evidence { said_by: Some("user".to_owned()), ..evidence }],
            grounded: true,
            ..Item::new(ItemKind::Decision, summary)
        }
    }

    #[test]
    fn only_what_is_about_the_same_and_says_something_else_is_corrected() {
        for [old, new, over, quote, wanted] in rows(include_str!("correct.tsv")) {
            let over = Some(&*over).filter(|over| !over.is_empty());
            let (old, new) = (item(&old, &[], ""), item(&new, over.as_slice(), &quote));
            assert_eq!(corrects(&new, &old).to_string(), wanted, "{new:?} {old:?}");
        }
    }

    #[test]
    fn few_are_replaced_by_one_session_and_none_by_what_is_not_trusted() {
        let known = (0..30).map(|number| item(&format!("Keep port {number}00 open"), &[], ""));
        let known = Corrigible(known.collect());
        let mut replaced = BTreeSet::new();
        let ids: Vec<String> = known.of(ItemKind::Decision).map(|item| item.id.clone()).collect();
        let mut hidden = 0;
        for ids in ids.chunks(3) {
            let mut new = Item { replaces: ids.to_vec(), ..item("Close every port but 7", &[], "close every port") };
            for (kind, grounded, said_by) in [
                (ItemKind::Failure, true, "user"),
                (ItemKind::Decision, false, "user"),
                (ItemKind::Decision, true, "tool"),
            ] {
                let mut other = Item { kind, grounded, ..new.clone() };
                other.evidence[0].said_by = Some(said_by.to_owned());
                known.check(&mut other, &mut replaced);
                assert!(other.replaces.is_empty(), "{other:?}");
            }
            known.check(&mut new, &mut replaced);
            hidden += new.replaces.len();
        }
        assert_eq!((hidden, replaced.len()), (10, 10));
        let mut itself =
            Item { replaces: vec![ids[0].clone(), ids[0][..6].to_owned()], ..item("Keep port 000 open", &[], "") };
        known.check(&mut itself, &mut BTreeSet::new());
        assert!(itself.replaces.is_empty());
    }
}
