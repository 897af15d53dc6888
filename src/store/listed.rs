//! The list that a terminal's session printed last: `lists/SESSION.jsonl` in the state folder, a record a line, so that
//! a person can name what is in it by its number. It is replaced as a whole by the next list.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::base::{clock, env, log, system};
use std::ffi::OsStr;
use std::path::Path;

const FOLDER: &str = "lists";
/// A list that is older is removed: its session is mostly over.
const KEPT_SECONDS: i64 = 7 * 86_400;

/// The last list; none where this session printed none.
pub fn read() -> Result<Option<String>, Failure> {
    file::read_text(&env::state_folder()?.join(FOLDER).join(name()))
}

/// Keeps a list in place of the last one, and removes those of sessions that are long over.
pub fn keep(records: &Masked) -> Result<(), Failure> {
    let root = Root::new(&env::state_folder()?);
    let folder = root.folder(FOLDER)?;
    for old in file::names(&folder)?.iter().filter(|name| is_over(&folder.join(name))) {
        file::remove(&root.file(Path::new(FOLDER).join(old))?)?;
    }
    file::replace(&root.file(Path::new(FOLDER).join(name()))?, records, Durable::No)
}

/// Forgets the last list: what was printed since has no numbers, and a number must mean what is on the screen.
pub fn leave() {
    let left = env::state_folder().and_then(|folder| {
        let name = Path::new(FOLDER).join(name());
        if folder.join(&name).is_file() { file::remove(&Root::new(&folder).file(&name)?) } else { Ok(()) }
    });
    left.unwrap_or_else(|failure| log::say("lh", &failure.message));
}

fn name() -> String {
    format!("{}.jsonl", system::terminal_session())
}

fn is_over(path: &Path) -> bool {
    let is_ours = path.extension() == Some(OsStr::new("jsonl"));
    let age = file::modified(path).map(|time| clock::seconds_between(time, clock::now()));
    is_ours && age.is_some_and(|age| age > KEPT_SECONDS)
}
