//! What a tool has to say besides its result: on standard error, or in the file that `LH_LOG`
//! names, with the time before it. A line is one line, whatever it quotes; saying it never fails.

use crate::{clock, place, text};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A log is renamed to `<name>.1` when it has grown to this.
const ROTATE_BYTES: u64 = 1 << 20;

/// Says `message` in the name of `tool`.
pub fn say(tool: &str, message: &str) {
    let message = text::one_line(message);
    match place::log_file() {
        Some(path) => {
            let line = format!("{} {tool}: {message}\n", clock::local(clock::now()));
            if append(&path, line.as_bytes()).is_none() {
                standard_error(&line);
            }
        }
        None => standard_error(&format!("{tool}: {message}\n")),
    }
}

/// Opens `path` for appending, 0600, rotated when it is large. None where that cannot be done.
pub fn open(path: &Path) -> Option<std::fs::File> {
    if let Some(folder) = path.parent() {
        let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    }
    if path.metadata().is_ok_and(|data| data.len() > ROTATE_BYTES) {
        let mut old = path.as_os_str().to_owned();
        old.push(".1");
        let _ = std::fs::rename(path, PathBuf::from(old));
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path).ok()
}

fn append(path: &Path, line: &[u8]) -> Option<()> {
    open(path)?.write_all(line).ok()
}

fn standard_error(line: &str) {
    let _ = std::io::stderr().write_all(line.as_bytes());
}
