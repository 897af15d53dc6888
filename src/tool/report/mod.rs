//! Everything that is remembered on one HTML page, for a browser: nothing of it is loaded from a network, and it is read
//! without script. The same files give the same bytes, but for the time that it says.

mod chart;
mod html;
mod material;
mod page;

pub use crate::tool::find_session::since;
pub(in crate::tool) use material::{JournalPoint, Material};

use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Target};
use crate::base::log;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use html::Html;
use jiff::Timestamp;
use material::TOOL;
use std::path::Path;

/// A page that was made.
pub struct Report {
    /// It.
    pub page: Masked,
    /// What is in it, in a line.
    pub says: String,
    /// Done, or why something could not be read.
    pub exit: Exit,
}

/// Makes the page of what is not older than `since`. What cannot be read is said, and costs itself alone.
pub fn make(since: Option<Timestamp>, config: &Config, redactor: &Redactor) -> Result<Report, Failure> {
    let all = Material::read(since, config)?;
    all.unread.iter().for_each(|failure| log::say(TOOL, &format!("not read: {}", failure.message)));
    // Each text in it is masked. A mask over the whole could hide a part of the markup.
    let page = Masked::exact(page::page(&all, clock::now(), Html(redactor)));
    let says = format!(
        "sessions: {}, open: {}, decisions: {}, failures: {}, learnings: {}; {} bytes\n",
        all.sessions.len(),
        all.open.len(),
        all.decisions.len(),
        all.failures.len(),
        all.learnings.len(),
        page.bytes().len()
    );
    Ok(Report { page, says, exit: all.unread.first().map_or(Exit::Done, |failure| failure.exit) })
}

/// Writes it into a file that the user named.
pub fn save(report: &Report, path: &Path) -> Result<(), Failure> {
    file::replace(&Target::named(path)?, &report.page, Durable::Yes)
}
