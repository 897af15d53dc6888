//! The predecessor's hooks that are left, wherever the client reads hooks from.

use super::Setup;
use super::settings::{hooked, plugins};
use crate::agent::{layout, plugins as installed};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file;
use std::path::{Path, PathBuf};

/// Where a hook is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the settings of an agent home.
    Home,
    /// In the settings of the current checkout, which others share.
    Checkout,
    /// In a plugin, which its author writes.
    Plugin,
}

impl Place {
    /// How to get rid of it.
    pub fn todo(self) -> &'static str {
        match self {
            Self::Home => "run lh-setup --migrate",
            Self::Checkout => "take it out by hand, since a checkout's settings are never changed for this",
            Self::Plugin => "switch that plugin off in the client, since a plugin is never changed",
        }
    }
}

/// A hook of the predecessor that does what we do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// The file that it is in.
    pub path: PathBuf,
    /// Where that is.
    pub place: Place,
    /// The client's name of the event.
    pub event: String,
    /// What is run.
    pub command: String,
}

/// Those in the settings of all agent homes, in the current checkout's and in plugins. Files that cannot be
/// read are left out.
pub fn old_hooks(config: &Config) -> Result<Vec<Old>, Failure> {
    let top = super::checkout()?;
    let homes = config.agent_homes()?;
    let of_homes: Vec<PathBuf> = homes.iter().map(|home| layout::settings(home)).collect();
    let mut of_checkout = vec![layout::checkout_settings(&top), layout::local_settings(&top)];
    // In the user's home both are one.
    of_checkout.retain(|path| !of_homes.iter().any(|home| file::real_path(home) == file::real_path(path)));
    let text = |path: &PathBuf| file::read_text(path).ok().flatten().unwrap_or_default();
    let switches = |path: &PathBuf| plugins(&text(path));
    let shared: Vec<(String, bool)> = of_checkout.iter().flat_map(switches).collect();
    let mut files: Vec<(PathBuf, Place)> = Vec::new();
    for (home, settings) in homes.iter().zip(&of_homes) {
        files.push((settings.clone(), Place::Home));
        let switches = [switches(settings), shared.clone()].concat();
        files.extend(installed::hooks(home, &switches).into_iter().map(|path| (path, Place::Plugin)));
    }
    files.extend(of_checkout.into_iter().map(|path| (path, Place::Checkout)));
    let found = files.iter().flat_map(|(path, place)| in_text(path, *place, &text(path)).unwrap_or_default());
    Ok(found.collect())
}

/// Those in one text.
pub fn in_text(path: &Path, place: Place, text: &str) -> Result<Vec<Old>, Failure> {
    let hooked = hooked(text).map_err(|fault| Failure::data(format!("{}:{fault}", path.display())))?;
    let of_event = |(event, command)| Old { path: path.to_path_buf(), place, event, command };
    let each = hooked.into_iter().flat_map(|of| of.predecessor.into_iter().map(move |one| (of.event.clone(), one)));
    Ok(each.map(of_event).collect())
}

impl Setup<'_> {
    /// What of the predecessor's is left there does the same work once more.
    pub(super) fn tell_predecessor(&self, path: &Path, text: &str) -> Result<(), Failure> {
        if self.wish.project {
            // They are told with the others that are not changed.
            return Ok(());
        }
        in_text(path, Place::Home, text)?.iter().for_each(|old| self.tell_old(old));
        Ok(())
    }

    /// The same of files that are never changed.
    pub(super) fn tell_elsewhere(&self, config: &Config) -> Result<(), Failure> {
        let elsewhere = old_hooks(config)?.into_iter().filter(|old| old.place != Place::Home);
        elsewhere.for_each(|old| self.tell_old(&old));
        Ok(())
    }

    fn tell_old(&self, old: &Old) {
        let (path, command) = (old.path.display(), &old.command);
        let todo = match old.place {
            Place::Home => "--migrate takes it out",
            place => place.todo(),
        };
        self.say(&format!("{path}: {}: '{command}' keeps memory too, so all is kept twice: {todo}", old.event));
    }
}
