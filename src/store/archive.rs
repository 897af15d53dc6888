//! `.archive/` below a folder of ours: copies of what was taken out of it or changed in it, each under its name with a time
//! behind it. [`super::change`] puts them there and gives them back.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The folder.
pub const FOLDER: &str = ".archive";

/// Whether the archive has a file of this name, with whatever time behind it.
pub fn has(folder: &Path, name: &str) -> bool {
    let place = folder.join(FOLDER).join(name);
    let Some((above, name)) = place.parent().zip(place.file_name()) else { return false };
    let name = format!("{}-", name.to_string_lossy());
    file::names(above).is_ok_and(|names| names.iter().any(|other| other.to_string_lossy().starts_with(&name)))
}

/// The name in the archive of what is taken out at a time; the number tells those of one name and time apart.
pub(super) fn numbered(name: &Path, time: Timestamp, number: usize) -> PathBuf {
    let time = time.strftime("%Y%m%dT%H%M%SZ");
    let own = name.strip_prefix(FOLDER).unwrap_or(name);
    let mut place = Path::new(FOLDER).join(own).into_os_string();
    place.push(if number == 1 { format!("-{time}") } else { format!("-{time}-{number}") });
    PathBuf::from(place)
}

/// Keeps a copy of a file of a memory folder, unless it is there, and says under which name.
pub fn keep(memory: &Path, name: &str, time: Timestamp, bytes: &[u8]) -> Result<String, Failure> {
    let mut number = 1;
    loop {
        let place = numbered(Path::new(name), time, number);
        match file::read(&memory.join(&place))? {
            Some(known) if known != bytes => number += 1,
            Some(_) => return Ok(place.to_string_lossy().into_owned()),
            None => keep_at(memory, &place, bytes.to_vec())?,
        }
    }
}

/// Keeps a copy under the name that [`numbered`] gave.
pub(super) fn keep_at(memory: &Path, place: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
    let root = Root::new(memory);
    root.folder(place.parent().unwrap_or(Path::new(FOLDER)))?;
    file::create(&root.file(place)?, &Masked::exact(bytes), Durable::Yes).map(drop)
}
