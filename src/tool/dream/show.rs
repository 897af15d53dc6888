//! The plan that waits: as records, and as a page that a person reads before it is applied.

use super::{Place, apply, record_of};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::{clock, diff, file, text};
use crate::redact::Redactor;
use crate::store::plan::{self, Change};
use std::fmt::Write as _;
use std::path::Path;

/// The changes that wait: for a terminal a readable diff, else a record each; "" where none does.
pub fn show(place: &Place, terminal: bool, redactor: &Redactor) -> Result<Masked, Failure> {
    let folder = place.memory.notes();
    if apply::is_unfinished(folder)? {
        drop(apply::locked(folder, clock::now(), redactor));
    }
    let plan = plan::read(folder)?;
    let mut shown = Masked::default();
    for change in &plan {
        if terminal {
            shown.push(&redactor.masked_parts(&text::harmless(&page(change, folder)?)));
        } else {
            shown.push(&redactor.masked_record(&record_of(change, folder)?));
        }
    }
    if terminal && !plan.is_empty() {
        shown.push(&redactor.masked_parts(&closing(&plan)));
    }
    Ok(shown)
}

fn page(change: &Change, folder: &Path) -> Result<String, Failure> {
    let marks = [(change.offered, "only offered: facts may be lost"), (change.of_others, "not written by lh alone")];
    let marks: Vec<&str> = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join("; ")) };
    let mut page = format!("{}. {}{marks}\n   {}\n", change.number, change.line(), text::one_line(&change.why));
    for quote in &change.quotes {
        let _ = writeln!(page, "   > {}", text::one_line(quote));
    }
    let now = |name: &str| Ok::<_, Failure>(file::read_text(&folder.join(name))?.unwrap_or_default());
    if let (Some(keeps), Some(text)) = (&change.keeps, &change.text) {
        page += &diff::unified(&now(&keeps.file)?, text, &keeps.file, &keeps.file);
    }
    for seen in &change.retires {
        page += &diff::unified(&now(&seen.file)?, "", &seen.file, "/dev/null");
    }
    page.push('\n');
    Ok(page)
}

/// What to do with them.
fn closing(plan: &[Change]) -> String {
    let offered = plan.iter().filter(|change| change.offered).count();
    let but = match offered {
        0 => String::new(),
        count => format!(" but the {count} that are only offered"),
    };
    format!(
        "lh-dream --apply applies all{but}, --apply --only N one, --refuse N drops one for good, --undo takes back\n"
    )
}
