//! The user's pager, for a text that is longer than the terminal.

use crate::base::exit::Failure;
use crate::base::{env, process};
use std::io::{self, Seek, Write};
use std::process::Command;

/// What shows a long text where no variable names a pager.
const PAGER: &str = "less";
/// What less does unless its user says otherwise: no waiting for a short text, colours, the text stays on the screen.
const LESS: &str = "FRX";

/// Goes on as the pager, if the text has more lines than the terminal and there is a pager. It is not waited for: a key
/// that ends a program must reach the pager alone.
pub fn show(shown: &str) -> Result<(), Failure> {
    let Ok(size) = rustix::termios::tcgetwinsize(io::stdout()) else { return Ok(()) };
    let (rows, columns) = (usize::from(size.ws_row), usize::from(size.ws_col).max(1));
    let rows_of = |line: &str| line.chars().count().div_ceil(columns).max(1);
    let command = env::pager().unwrap_or_else(|| PAGER.to_owned());
    let name = command.split_whitespace().next().unwrap_or_default();
    let is_short = rows == 0 || shown.lines().map(rows_of).sum::<usize>() < rows;
    if is_short || name == "cat" || env::program(name).is_none() {
        return Ok(());
    }
    let kept = || -> io::Result<std::fs::File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(shown.as_bytes())?;
        file.rewind()?;
        Ok(file)
    };
    let kept = kept().map_err(|error| Failure::io("temporary file", &error))?;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &command]).stdin(kept);
    if !env::has_less() {
        shell.env("LESS", LESS);
    }
    Err(process::become_command(&mut shell))
}
