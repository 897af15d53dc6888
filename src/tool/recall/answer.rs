//! An answer as it is printed, and many queries on one input.

use super::Found;
use super::print::{Screen, records};
use crate::base::cli::Given;
use crate::base::exit::{Exit, Failure};
use crate::base::stream::Output;
use crate::redact::Redactor;
use crate::tool::by_id;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::BufRead;
use std::os::unix::ffi::OsStrExt;

/// What is printed of hits.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Their paths alone, each once and with this byte behind it.
    pub files: Option<u8>,
    /// Lines for people, else records.
    pub text: bool,
}

impl Found {
    /// Prints the hits, of a list in a table.
    pub fn print(
        &self,
        is_list: bool,
        form: Form,
        screen: &Screen<'_>,
        redactor: &Redactor,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if let Some(end) = form.files {
            let mut known = HashSet::new();
            let mut paths = self.hits.iter().map(|hit| &hit.path).filter(|path| known.insert(*path));
            return paths.try_for_each(|path| out.bytes(&[path.as_os_str().as_bytes(), &[end]].concat()));
        }
        if form.text {
            return out.screen(&if is_list { screen.list(&self.hits) } else { screen.hits(&self.hits) });
        }
        records(&self.hits, redactor).iter().try_for_each(|line| out.masked(line))
    }

    /// What is to be said besides, each on a line.
    pub fn said(&self) -> Vec<String> {
        let mut said = Vec::new();
        said.extend((!self.instead.is_empty()).then(|| format!("{}: searched without it", self.instead)));
        let phrases = "nothing has what is between the quotation marks: searched for its words";
        said.extend(self.without_phrases.then(|| phrases.to_owned()));
        said.extend((!self.skipped.is_empty()).then(|| format!("files that were not searched: {}", self.skipped)));
        said.extend((!self.unknown.is_empty()).then(|| self.unknown.clone()));
        said
    }

    /// Whether nothing was found, for no reason that is said.
    pub fn is_nothing(&self) -> bool {
        self.hits.is_empty() && self.unknown.is_empty()
    }
}

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
