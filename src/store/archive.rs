//! What was taken out of a memory, kept below `.archive/`: a file goes there under its name, with a time behind it.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The folder.
pub const FOLDER: &str = ".archive";

/// The name below the memory folder under which something can be put there, and whether it is there already. `read`
/// gives what has a name.
pub fn place(
    name: &Path,
    time: Timestamp,
    bytes: &[u8],
    read: impl Fn(&Path) -> Result<Option<Vec<u8>>, Failure>,
) -> Result<(PathBuf, bool), Failure> {
    let time = time.strftime("%Y%m%dT%H%M%SZ");
    let own = name.strip_prefix(FOLDER).unwrap_or(name);
    let mut number = 1;
    loop {
        let mut place = Path::new(FOLDER).join(own).into_os_string();
        place.push(if number == 1 { format!("-{time}") } else { format!("-{time}-{number}") });
        let place = PathBuf::from(place);
        match read(&place)? {
            None => return Ok((place, false)),
            Some(known) if known == bytes => return Ok((place, true)),
            Some(_) => number += 1,
        }
    }
}

/// Keeps a copy of a file of a memory folder under the name that [`place`] gave.
pub fn keep(memory: &Path, place: &str, bytes: Vec<u8>) -> Result<(), Failure> {
    let root = Root::new(memory);
    root.folder(FOLDER)?;
    file::create(&root.file(place)?, &Masked::exact(bytes), Durable::Yes).map(drop)
}
