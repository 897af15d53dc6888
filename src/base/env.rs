//! The only place that reads the environment: folders, overrides, programs.
//! An empty variable counts as unset. A relative path in one is status 78: it would be another folder for
//! each folder that a program is started in, and a hook is started in the user's checkout. Nothing here
//! creates anything.

use crate::base::exit::{Exit, Failure};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variable that names the home of the agent, Claude Code's.
pub const AGENT_HOME: &str = "CLAUDE_CONFIG_DIR";
/// Variables of the client that a process of our own must not inherit.
pub const CLIENT_VARIABLES: &[&str] = &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT"];
const XDG_CONFIG: &str = "XDG_CONFIG_HOME";
const XDG_STATE: &str = "XDG_STATE_HOME";

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// The absolute path in a variable.
fn path(name: &str) -> Result<Option<PathBuf>, Failure> {
    let Some(path) = variable(name).map(PathBuf::from) else { return Ok(None) };
    if path.is_absolute() {
        return Ok(Some(path));
    }
    let path = path.display();
    Err(Failure::config(format!("{name} is '{path}', a relative path: set it to an absolute one, or unset it")))
}

/// `$HOME`; without it nothing can be found, which is status 78.
pub fn home() -> Result<PathBuf, Failure> {
    path("HOME")?.ok_or_else(|| Failure::config("HOME is not set: set it, or CLAUDE_CONFIG_DIR and LH_CONFIG_DIR"))
}

/// The agent's home: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub fn agent_home() -> Result<PathBuf, Failure> {
    match path(AGENT_HOME)? {
        Some(folder) => Ok(folder),
        None => Ok(home()?.join(".claude")),
    }
}

/// `config.toml`: in `$LH_CONFIG_DIR`, else in `lazy-harness` below the XDG folder.
pub fn config_file() -> Result<PathBuf, Failure> {
    if let Some(folder) = path("LH_CONFIG_DIR")? {
        return Ok(folder.join("config.toml"));
    }
    Ok(config_folder()?.join("lazy-harness/config.toml"))
}

/// `$XDG_CONFIG_HOME`, else `~/.config`: the folder of every program's configuration.
pub fn config_folder() -> Result<PathBuf, Failure> {
    xdg(XDG_CONFIG, ".config")
}

/// `lh` in `$XDG_STATE_HOME`, else in `~/.local/state`: locks and caches of what is kept in a folder that may be
/// synchronised, and receipts.
pub fn state_folder() -> Result<PathBuf, Failure> {
    Ok(xdg(XDG_STATE, ".local/state")?.join("lh"))
}

/// A relative folder is ignored, as the XDG specification says and as other programs do.
fn xdg(name: &str, usual: &str) -> Result<PathBuf, Failure> {
    match path(name) {
        Ok(Some(folder)) => Ok(folder),
        _ => Ok(home()?.join(usual)),
    }
}

/// Why the variable of [`config_folder`] is ignored, when it is.
pub fn ignored() -> Option<String> {
    path(XDG_CONFIG).err().map(|failure| format!("{}; it is ignored", failure.message))
}

/// The variables that say where programs, folders and the configuration are, those that are set: what
/// a timer must be told, since it starts without them.
pub fn for_a_timer() -> Vec<(&'static str, String)> {
    let names = [
        "PATH", AGENT_HOME, XDG_CONFIG, XDG_STATE, "LH_CONFIG_DIR", "LH_BIN", "LAZY_KNOWLEDGE_ROOT",
        "LCT_LEARNINGS_DIR",
    ];
    names.into_iter().filter_map(|name| Some((name, text(name)?))).collect()
}

/// `LCT_LEARNINGS_DIR`, which overrides the learnings folder.
pub fn learnings_override() -> Result<Option<PathBuf>, Failure> {
    path("LCT_LEARNINGS_DIR")
}

/// `LAZY_KNOWLEDGE_ROOT`, the predecessor's name for the knowledge folder.
pub fn knowledge_override() -> Result<Option<PathBuf>, Failure> {
    path("LAZY_KNOWLEDGE_ROOT")
}

/// `LH_DEPTH`: set in everything that a model of ours runs in.
pub fn inside_model() -> bool {
    variable("LH_DEPTH").is_some()
}

/// `LH_WORK`: set in the command of a task.
pub fn in_task() -> bool {
    variable("LH_WORK").is_some()
}

/// `LH_LOG`: the file that takes what a tool would say on standard error.
pub fn log_file() -> Result<Option<PathBuf>, Failure> {
    path("LH_LOG")
}

/// The user's pager: `LH_PAGER`, else `PAGER`.
pub fn pager() -> Option<String> {
    text("LH_PAGER").or_else(|| text("PAGER"))
}

/// The user's editor: `VISUAL`, else `EDITOR`, else vi.
pub fn editor() -> String {
    text("VISUAL").or_else(|| text("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Whether the user says what less is to do.
pub fn has_less() -> bool {
    variable("LESS").is_some()
}

/// Whether a terminal may be sent colours: <https://no-color.org>, and `TERM` names one that knows them.
pub fn has_colours() -> bool {
    variable("NO_COLOR").is_none() && variable("TERM").is_some_and(|term| term != "dumb")
}

/// `LH_NOW`, unparsed.
pub fn fixed_time() -> Option<String> {
    text("LH_NOW")
}

/// `TZ` as it stands, an empty one (which means UTC) included.
pub fn zone_name() -> Option<String> {
    env::var_os("TZ").map(|value| value.to_string_lossy().into_owned())
}

/// The current folder.
pub fn current_folder() -> Result<PathBuf, Failure> {
    env::current_dir().map_err(|error| Failure::io("current folder", &error))
}

/// A path with a leading `~` or `~/` replaced by the home; status 65 for a relative one.
pub fn expand(path: &str) -> Result<PathBuf, Failure> {
    match path.strip_prefix('~') {
        Some("") => home(),
        Some(rest) if rest.starts_with('/') => Ok(home()?.join(rest.trim_start_matches('/'))),
        _ if path.starts_with('/') => Ok(PathBuf::from(path)),
        _ => Err(Failure::data(format!("'{path}' is a relative path: expected an absolute one"))),
    }
}

/// A path that a payload names: as [`expand`], but a relative one begins in the current folder.
pub fn named(path: &str) -> Result<PathBuf, Failure> {
    if path.starts_with(['/', '~']) { expand(path) } else { Ok(current_folder()?.join(path)) }
}

/// What this program was called with, its name first.
pub fn command_line() -> impl Iterator<Item = OsString> {
    env::args_os()
}

/// One of our own tools: in `$LH_BIN`, else beside the running one, else on PATH; else status 69.
pub fn own_tool(name: &str) -> Result<PathBuf, Failure> {
    let folders = path("LH_BIN")?.into_iter().chain(own_folder());
    let found = folders.map(|folder| folder.join(name)).find(|path| is_program(path)).or_else(|| program(name));
    let what = "not found beside this tool or on PATH: install it there, or set LH_BIN";
    found.ok_or_else(|| Failure::new(Exit::Missing, format!("{name}: {what}")))
}

/// A program: on PATH, or where a name with a slash says. A relative folder there would be one of the checkout in which
/// we were started.
pub fn program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    programs(name).into_iter().next()
}

/// Programs of this name on PATH, in its order.
pub fn programs(name: &str) -> Vec<PathBuf> {
    path_folders().into_iter().map(|folder| folder.join(name)).filter(|path| is_program(path)).collect()
}

fn path_folders() -> Vec<PathBuf> {
    let Some(path) = variable("PATH") else { return Vec::new() };
    env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// This program.
pub fn own_program() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// The folder of this program.
pub fn own_folder() -> Option<PathBuf> {
    own_program().and_then(|path| path.parent().map(Path::to_path_buf))
}

/// Where our scripts are looked for: in `$LH_BIN`, beside this program, where tools and scripts are on PATH.
pub fn own_folders() -> Vec<PathBuf> {
    let named = path("LH_BIN").ok().flatten();
    let on_path = ["lh-gate", "lh-worker"].into_iter().filter_map(program);
    let on_path = on_path.filter_map(|path| path.parent().map(Path::to_path_buf));
    named.into_iter().chain(own_folder()).chain(on_path).collect()
}

/// One of our scripts as PATH has it, if that leads to the same file: a package manager lets its link lead to the next
/// version and removes the folder of this one. All scripts must be linked there, as they look for each other.
pub fn as_on_path(script: PathBuf) -> PathBuf {
    let (Some(name), Ok(real)) = (script.file_name().and_then(OsStr::to_str), script.canonicalize()) else {
        return script;
    };
    let is_same = |link: &PathBuf| link.canonicalize().is_ok_and(|path| path == real);
    let is_whole = |link: &PathBuf| link.with_file_name("lh-preamble").is_file();
    let is_named = path("LH_BIN").is_ok_and(|folder| folder.is_some());
    let link = programs(name).into_iter().find(|link| !is_named && is_same(link) && is_whole(link));
    link.unwrap_or(script)
}

/// PATH with the folders of our tools first, and none that is relative.
pub fn path_of_tools() -> OsString {
    let named = path("LH_BIN").ok().flatten();
    let folders = named.into_iter().chain(own_folder()).chain(path_folders());
    // A folder with a colon in its name cannot be on PATH.
    env::join_paths(folders).or_else(|_| env::join_paths(path_folders())).unwrap_or_else(|_| OsString::new())
}

/// Whether a path is one of a program.
pub fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_absolute_or_below_the_home() {
        assert_eq!(expand("/a/~").unwrap(), Path::new("/a/~"));
        for text in ["a", "./a", "", "~user/a"] {
            let failure = expand(text).unwrap_err();
            assert_eq!(failure.message, format!("'{text}' is a relative path: expected an absolute one"));
        }
        assert_eq!(named("a/b").unwrap(), current_folder().unwrap().join("a/b"));
        assert_eq!(expand("~/a").ok(), home().ok().map(|home| home.join("a")));
    }
}
