//! What is to be shown, and many queries on one input.

use crate::base::cli::Given;
use crate::base::exit::{Exit, Failure};
use crate::tool::by_id;
use std::ffi::{OsStr, OsString};
use std::io::BufRead;
use std::os::unix::ffi::OsStrExt;

/// The ids and names that are to be shown.
pub fn to_show(given: &Given) -> Result<Vec<String>, Failure> {
    let words = by_id::wanted(given, &[], "")?;
    if words.is_empty() || words.iter().any(String::is_empty) {
        return Err(Failure::usage("--show needs an id or a name; see --help"));
    }
    Ok(words)
}

/// Gives the words of each line to `answer`; status 1 where none of them found anything.
pub fn each_query(
    input: impl BufRead,
    mut answer: impl FnMut(&[OsString]) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let mut exit = Exit::No;
    for line in input.split(b'\n') {
        let line = line.map_err(|error| Failure::io("standard input", &error))?;
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let words: Vec<OsString> = words.map(|word| OsStr::from_bytes(word).to_owned()).collect();
        if answer(&words)? == Exit::Done {
            exit = Exit::Done;
        }
    }
    Ok(exit)
}
