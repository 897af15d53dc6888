//! What a tool has to say besides its result: on standard error, or in the file that `LH_LOG`
//! names, with the time before it. A line is one line, whatever it quotes; saying it never fails.

use crate::base::{clock, env, text};
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A log is renamed to `<name>.1` when it has grown to this.
pub const ROTATE_BYTES: u64 = 1 << 20;

/// What may be said of a text.
type Mask = Box<dyn Fn(&str) -> String>;

thread_local! {
    static MASK: RefCell<Option<Mask>> = const { RefCell::new(None) };
}

/// Masks with `mask` whatever is said from now on. Tools that work in a hook have no masker: what they say
/// is paths, ids and reasons.
pub fn mask_with(mask: impl Fn(&str) -> String + 'static) {
    MASK.with_borrow_mut(|own| *own = Some(Box::new(mask)));
}

/// Says `message` in the name of `tool`.
pub fn say(tool: &str, message: &str) {
    let masked = MASK.with_borrow(|mask| mask.as_ref().map(|mask| mask(message)));
    let message = text::one_line(masked.as_deref().unwrap_or(message));
    let message = text::harmless(&message);
    match env::log_file().ok().flatten() {
        Some(path) => {
            let line = format!("{} {tool}: {message}\n", clock::local(clock::now()));
            if append(&path, line.as_bytes()).is_none() {
                standard_error(&line);
            }
        }
        None => standard_error(&format!("{tool}: {message}\n")),
    }
}

/// Says to a person that a tool found nothing: only where standard error is a terminal. A pipe has the status.
pub fn say_on_terminal(tool: &str, message: &str) {
    if std::io::stderr().is_terminal() {
        say(tool, message);
    }
}

/// Opens `path` for appending, 0600, rotated when it is large. None where that cannot be done, which is so
/// for a FIFO, whose opening would wait for a reader, and for a link in the agent's home that leads out.
pub fn open(path: &Path) -> Option<std::fs::File> {
    if leads_out(path) {
        return None;
    }
    if let Some(folder) = path.parent() {
        let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    }
    turn_over(path);
    let at_once = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(at_once).open(path).ok()?;
    // A terminal or /dev/null is as good as a file.
    let kind = file.metadata().ok()?.file_type();
    (kind.is_file() || kind.is_char_device()).then_some(file)
}

/// Renames a log that is large to `<name>.1`: who has it open writes on into that, so no line is lost.
pub fn turn_over(path: &Path) {
    if path.metadata().is_ok_and(|data| data.is_file() && data.len() > ROTATE_BYTES) {
        let mut old = path.as_os_str().to_owned();
        old.push(".1");
        let _ = std::fs::rename(path, PathBuf::from(old));
    }
}

/// Whether a log in the agent's home is behind a link that leads out of it. A log elsewhere is where its
/// user wants it.
fn leads_out(path: &Path) -> bool {
    let Some(home) = env::agent_home().ok().filter(|home| path.starts_with(home)) else { return false };
    let Ok(home) = home.canonicalize() else { return false };
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let file = match path.symlink_metadata() {
        Ok(data) if data.is_symlink() => path.canonicalize().ok(),
        _ => folder.clone().or(Some(home.clone())),
    };
    folder.is_some_and(|folder| !folder.starts_with(&home)) || file.is_none_or(|file| !file.starts_with(&home))
}

fn append(path: &Path, line: &[u8]) -> Option<()> {
    open(path)?.write_all(line).ok()
}

fn standard_error(line: &str) {
    let _ = std::io::stderr().write_all(line.as_bytes());
}
