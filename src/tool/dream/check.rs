//! Which changes can be made together, in one plan. What does not fit is dropped, and said.

use super::TOOL;
use super::folder::Fact;
use crate::base::{log, text};
use crate::store::plan::{PlanAction, PlanState, PlannedChange, SeenFile};
use std::collections::BTreeSet;

/// The longest description of a memory, and reason of a change, in characters.
pub const CHARS: usize = 300;
/// A plan changes at most this part of a folder.
const PART: usize = 4;

/// A change that retires these memories, with what stays of them.
pub fn change(retires: &[&Fact], keeps: Option<&Fact>, why: &str, quotes: Vec<String>) -> PlannedChange {
    PlannedChange {
        kind: "change".to_owned(),
        of_others: retires.iter().any(|fact| fact.of_others),
        keeps: keeps.map(|fact| fact.seen.clone()),
        retires: retires.iter().map(|fact| fact.seen.clone()).collect(),
        why: text::cut(&text::one_line(why), CHARS).into_owned(),
        quotes,
        ..PlannedChange::default()
    }
}

/// Of changes of a folder with so many memories those that can be made together, numbered. What loses nothing comes
/// first.
pub fn together(mut changes: Vec<PlannedChange>, count: usize, state: &PlanState) -> Vec<PlannedChange> {
    let mut plan: Vec<PlannedChange> = Vec::new();
    changes.sort_by_key(|change| change.offered);
    for change in changes {
        match fits_beside(&change, &plan, count / PART, state) {
            Ok(()) => plan.push(PlannedChange { number: plan.len() + 1, ..change }),
            Err(why) => {
                let about = about(change.action, change.retires.iter().chain(&change.keeps));
                say_dropped(&format!("{about}: {why}"));
            }
        }
    }
    plan
}

/// A change in a few words.
pub fn about<'s>(action: PlanAction, files: impl Iterator<Item = &'s SeenFile>) -> String {
    let files: Vec<&str> = files.map(|seen| seen.file.as_str()).collect();
    text::cut(&format!("{} {}", action.word(), files.join(", ")), CHARS).into_owned()
}

/// Says which change is dropped, and why.
pub fn say_dropped(why: &str) {
    log::say(TOOL, &text::one_line(&format!("dropped: {why}")));
}

/// That a change can be made beside the others of a plan, which changes `most` files at most.
fn fits_beside(change: &PlannedChange, others: &[PlannedChange], most: usize, state: &PlanState) -> Result<(), String> {
    let touched: BTreeSet<&SeenFile> = others.iter().flat_map(PlannedChange::touches).collect();
    let kept = |seen: &SeenFile| others.iter().any(|other| other.keeps.as_ref() == Some(seen));
    let clash = change.keeps.iter().find(|seen| touched.contains(seen));
    if let Some(seen) = clash.or_else(|| change.touches().find(|seen| touched.contains(seen) || kept(seen))) {
        return Err(format!("another change of the plan is about '{}'", seen.file));
    }
    if state.refused.contains(&change.about()) {
        return Err("a person refused it".to_owned());
    }
    let count = change.touches().count();
    if touched.len() + count <= most {
        return Ok(());
    }
    let what_to_do = if count > most {
        format!("here {most}, and this changes {count}: change them by hand")
    } else {
        "apply this plan, then run lh-dream --force again".to_owned()
    };
    Err(format!("a plan changes at most 1/{PART} of the memories: {what_to_do}"))
}
