//! What `cargo install` leaves out: it puts this program into a folder `bin`, and nothing else. So the scripts and the
//! pages are inside the program, and scripts/install is, which puts them beside it, and takes them out by its manifest.

use super::{Setup, say};
use crate::agent::hooks;
use crate::base::exit::{Exit, Failure};
use crate::base::{env, file, process};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// Text files by their paths in the checkout.
pub type Files = &'static [(&'static str, &'static str)];

/// What is inside the program `lh`; the other programs have nothing.
static INSIDE: OnceLock<Files> = OnceLock::new();
/// Of an installation, below its folder.
const MANIFEST: &str = "share/lh/manifest";
/// How a file ends in the script that makes all of them: no line of theirs is like it.
const END: &str = "--- the end of the file ---";
/// How long all may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Says what is inside this program.
pub fn has_inside(files: Files) {
    let _ = INSIDE.set(files);
}

/// The folder above that of this program where only this program was put there: its scripts are missing, or there is a
/// manifest of what we put beside it.
fn alone() -> Option<PathBuf> {
    let program = file::real_path(&env::own_program()?);
    let bin = program.parent().filter(|bin| bin.ends_with("bin") && program.ends_with("lh"))?;
    let prefix = bin.parent()?;
    let is_alone = match file::read_text(&prefix.join(MANIFEST)).ok()? {
        Some(manifest) => manifest.lines().all(|line| line != "file bin/lh"),
        None => hooks::ALL.iter().any(|(_, script)| env::own_tool(script).is_err()),
    };
    (INSIDE.get().is_some() && is_alone).then(|| prefix.to_path_buf())
}

/// Runs scripts/install for this folder; gives what it says.
fn install(prefix: &Path, options: &[&str]) -> Result<String, Failure> {
    let mut script =
        "set -eu\numask 022\nfolder=$(mktemp -d)\ntrap 'rm -rf \"$folder\"' EXIT\ntrap 'exit 130' HUP INT TERM\n\
                      cd \"$folder\"\nmkdir -p man scripts share/lh\n"
            .to_owned();
    for (path, text) in *INSIDE.get().unwrap_or(&[].as_slice()) {
        let mode = if text.starts_with("#!") { "755" } else { "644" };
        let _ = write!(script, "cat >{path} <<'{END}'\n{text}{END}\nchmod {mode} {path}\n");
    }
    script.push_str("/bin/sh scripts/install \"$@\" </dev/null\n");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-s", "--"]).args(options).env("PREFIX", prefix).env("LH_TOOLS", prefix.join("bin"));
    // A relative folder would be one of a checkout, and its programs the checkout's.
    shell.env("PATH", env::path_of_tools()).env_remove("DESTDIR").env_remove("LH_FRONT").env_remove("LH_TARGET");
    let output = process::run(&mut shell, script.as_bytes(), PATIENCE).map_err(|error| Failure::io("sh", &error))?;
    let output = output.ok_or_else(|| Failure::later("installing the scripts takes too long: run this again"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("install: ", "");
    if output.status.success() {
        return Ok(said(&output.stdout));
    }
    let (prefix, what) = (prefix.display(), said(&output.stderr));
    let what = what.lines().next_back().unwrap_or("sh failed");
    let what = format!("the scripts could not be put beside lh: {what}; see who may write there");
    Err(Failure::new(Exit::Io, format!("{prefix}: {what}")))
}

impl Setup<'_> {
    /// Puts scripts, pages and names beside this program where it came alone; true if a dry run can show no more.
    pub(super) fn unpack(&mut self) -> Result<bool, Failure> {
        // What is only to be brought up to date changes no hook.
        let is_shown = |prefix: &PathBuf| !self.wish.dry_run || !prefix.join(MANIFEST).exists();
        let Some(prefix) = alone().filter(is_shown) else { return Ok(false) };
        let said = install(&prefix, self.dry())?;
        if self.wish.dry_run {
            self.shown += &said;
            say("next come the hooks, which can be shown when these are there");
            return Ok(true);
        }
        let what = said.lines().find(|line| line.contains(" tools, "));
        say(&format!("put beside this program: {}", what.unwrap_or("scripts and pages")));
        Ok(false)
    }

    /// Takes out again what was put beside this program.
    pub(super) fn remove_unpacked(&mut self) -> Result<(), Failure> {
        let Some(prefix) = alone().filter(|prefix| prefix.join(MANIFEST).exists()) else { return Ok(()) };
        if self.first.is_some() {
            say(
                "stays: the scripts beside lh, for a hook may still lead to them: mend what is said above, then run this again",
            );
            return Ok(());
        }
        let said = install(&prefix, &[self.dry(), &["--uninstall"]].concat())?;
        if self.wish.dry_run {
            self.shown += &said;
        } else {
            say(said.trim_end());
        }
        Ok(())
    }

    fn dry(&self) -> &'static [&'static str] {
        if self.wish.dry_run { &["-n"] } else { &[] }
    }
}
