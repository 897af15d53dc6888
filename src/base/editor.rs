//! The user's editor, for a text that is given to it in a file of its own.

use crate::base::env;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use signal_hook::consts::{SIGINT, SIGQUIT};
use signal_hook::flag;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opens a text under this name, waits for the editor, and hands over the text as it is then, unless it was not changed.
/// What a person typed is kept in its file if it cannot be taken, and the error says where.
pub fn edit<T>(
    name: &'static str,
    text: &Masked,
    take: impl FnOnce(String) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let folder = file::scratch(None, "lh-edit-")?;
    let target = Root::new(folder.path()).file(name)?;
    file::create(&target, text, Durable::No)?;
    let ran = run(&target);
    let typed = file::read_text(&target)?.filter(|typed| typed.as_bytes() != text.bytes());
    let is_typed = typed.is_some();
    ran.and_then(|()| typed.map(take).transpose()).map_err(|failure| {
        if !is_typed {
            return failure;
        }
        let kept = folder.keep().join(name);
        let what = format!("{}; your text is in {}", failure.message, kept.display());
        Failure::new(failure.exit, what)
    })
}

/// Runs the user's editor on a file. Ctrl-C is the editor's: the terminal sends it here, too, and what is typed would be
/// lost with this process. An editor that it ends gives an error, so that this one ends as well.
fn run(target: &Path) -> Result<(), Failure> {
    let editor = env::editor();
    let is_over = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGQUIT] {
        let kept = flag::register_conditional_default(signal, Arc::clone(&is_over));
        kept.map_err(|error| Failure::io("a signal", &error))?;
    }
    // As git does it: the variable can hold options, and quotation marks.
    let line = format!("trap : INT QUIT; {editor} \"$1\"");
    let status = Command::new("/bin/sh").args(["-c", &line, &editor]).arg(target).status();
    is_over.store(true, Ordering::Relaxed);
    let status = status.map_err(|error| Failure::io(&editor, &error))?;
    if status.code() == Some(127) {
        let what = "the editor is not there: install it, or set VISUAL or EDITOR";
        return Err(Failure::new(Exit::Missing, format!("'{editor}': {what}")));
    }
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(Exit::No, format!("'{editor}' ended with an error: nothing was changed")))
    }
}
