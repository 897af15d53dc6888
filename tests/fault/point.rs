//! Where a fault can strike: the calls of one process that touch the disk, as strace counts them, and
//! the shim that lets one fault strike one of them.

use super::scene::Story;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The calls that change what is on disk, or lock it; `?` before those that not every system has.
const CALLS: &[&str] = &[
    "openat", "?open", "?creat", "write", "writev", "pwrite64", "pwritev", "?rename", "renameat", "renameat2", "?link",
    "linkat", "?symlink", "symlinkat", "?unlink", "unlinkat", "?rmdir", "?mkdir", "mkdirat", "fsync", "fdatasync",
    "?sync_file_range", "ftruncate", "truncate", "fallocate", "flock", "copy_file_range", "sendfile", "splice",
    "utimensat", "?chmod", "fchmod", "fchmodat",
];
/// Those that a signal can interrupt before they have done anything.
const INTERRUPTIBLE: &[&str] =
    &["openat", "open", "write", "fsync", "fdatasync", "ftruncate", "flock", "copy_file_range", "sendfile"];
/// What lh-task's own redirections write.
const STAGED: &[&str] = &["record", "passed"];

/// One call of the first process of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    name: String,
    /// The how manieth of that name, from 1.
    number: usize,
    /// As strace shows it, the home as `~`.
    shown: String,
    /// The staged file whose calls alone are counted, in lh-task and all that it starts.
    staged: Option<&'static str>,
    /// The middle of what is written, as an offset in the file.
    middle: Option<u64>,
}

/// What strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SIGKILL at the call, which is not made. What a kill in the middle of a write leaves cannot be
    /// had from strace; see `Torn`.
    Kill,
    /// The call is not made and gives this error. That a call failed and was made all the same, or a
    /// sync that lost earlier writes, cannot be had from strace.
    Error(&'static str),
    /// No file may become longer than this: the kernel writes the first part and says how much it was
    /// (a short write), and refuses the rest, with EFBIG since there is no ENOSPC to be had so.
    Short(u64),
    /// The same, and the rest is SIGXFSZ: killed in the middle of a write.
    Torn(u64),
}

/// A fault: of which story, at which call, what.
#[derive(Clone, Debug)]
pub struct Fault {
    pub story: usize,
    pub call: Call,
    pub kind: Kind,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill => write!(out, "SIGKILL"),
            Self::Error(error) => write!(out, "{error}"),
            Self::Short(limit) => write!(out, "short write at byte {limit}"),
            Self::Torn(limit) => write!(out, "killed in a write at byte {limit}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { name, number, shown, .. } = &self.call;
        write!(out, "{name} number {number}, {}: {shown}", self.kind)
    }
}

/// The kind as a row of the table of counts.
pub fn row(kind: Kind) -> &'static str {
    match kind {
        Kind::Kill => "killed",
        Kind::Error(error) => error,
        Kind::Short(_) => "short write",
        Kind::Torn(_) => "killed in a write",
    }
}

/// The calls of a trace that touch files below `root`; `sizes` are those of the files before.
pub fn calls(trace: &str, tool: &str, root: &str, sizes: &BTreeMap<PathBuf, u64>) -> Vec<Call> {
    let mut counts: BTreeMap<(String, String, Option<&str>), usize> = BTreeMap::new();
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    let mut found: Vec<Call> = Vec::new();
    for line in trace.lines() {
        let (pid, call) = if tool == "lh-task" { line.split_once(' ').unwrap() } else { ("", line) };
        let Some((name, rest)) = call.trim_start().split_once('(') else { continue };
        let staged = STAGED.iter().find(|ending| rest.contains(&format!(".task.{ending}"))).copied();
        let staged = staged.filter(|_| tool == "lh-task");
        let number = counts.entry((pid.to_owned(), name.to_owned(), staged)).or_default();
        *number += 1;
        let reads = name.starts_with("open")
            && !["O_CREAT", "O_WRONLY", "O_RDWR", "O_TMPFILE"].iter().any(|flag| rest.contains(flag));
        let known = || found.iter().any(|call| call.name == name && call.number == *number && call.staged == staged);
        if !rest.contains(root) || reads || staged.is_some() && known() {
            continue;
        }
        let middle = (name == "write").then(|| middle(rest, &mut ends, sizes)).flatten();
        let shown = call.replace(root, "~");
        found.push(Call { name: name.to_owned(), number: *number, shown, staged, middle });
    }
    found
}

/// The middle of a write: `5</path>, ""..., 312) = 312`.
fn middle(rest: &str, ends: &mut BTreeMap<String, u64>, sizes: &BTreeMap<PathBuf, u64>) -> Option<u64> {
    let (_, path) = rest.split_once('<')?;
    let (path, _) = path.split_once('>')?;
    let written: u64 = rest.rsplit_once("= ")?.1.trim().parse().ok()?;
    let end = ends.entry(path.to_owned()).or_insert_with(|| sizes.get(Path::new(path)).copied().unwrap_or_default());
    let middle = *end + written / 2;
    *end += written;
    (written > 1).then_some(middle)
}

/// What strace is called with to run a tool, and to kill it at a call.
pub fn strace(tool: &str, trace: &Path, killed_at: Option<&Call>) -> Vec<String> {
    let fault = killed_at.map(|call| Fault { story: 0, call: call.clone(), kind: Kind::Kill });
    let options = options(tool, fault.as_ref());
    ["-o", trace.to_str().unwrap()].into_iter().chain(options.split(' ')).map(str::to_owned).collect()
}

/// All faults at a story's calls.
pub fn faults(story: usize, of: Story, calls: &[Call]) -> Vec<Fault> {
    let kinds = |call: &Call| {
        let mut kinds = vec![Kind::Kill, Kind::Error("ENOSPC"), Kind::Error("EIO")];
        kinds.extend(INTERRUPTIBLE.contains(&call.name.as_str()).then_some(Kind::Error("EINTR")));
        // lh-task writes nothing itself, and what it starts would be under the limit too.
        let middle = call.middle.filter(|_| of.tool != "lh-task");
        kinds.extend(middle.into_iter().flat_map(|at| [Kind::Short(at), Kind::Torn(at)]));
        kinds
    };
    let at =
        |call: &Call| kinds(call).into_iter().map(|kind| Fault { story, call: call.clone(), kind }).collect::<Vec<_>>();
    calls.iter().flat_map(at).collect()
}

/// A folder of the tools in which the first process of one of them is traced, and struck if there is a
/// fault; and the file that the trace goes to.
pub fn shim(root: &Path, tool: &str, fault: Option<&Fault>) -> (PathBuf, PathBuf) {
    let (folder, trace) = (root.join("shim"), root.join("trace"));
    fs::create_dir_all(&folder).unwrap();
    let source = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let real = |name: &str| if name == "lh-task" { source("scripts/lh-task") } else { crate::home::binary(name) };
    let mut says: BTreeMap<&str, String> = BTreeMap::new();
    let under = match fault.map(|fault| fault.kind) {
        Some(Kind::Short(limit)) => format!("trap '' XFSZ; exec prlimit --fsize={limit}: --"),
        // The status is kept, since a limit leaves no trace; what started the tests may ignore the signal.
        Some(Kind::Torn(limit)) => {
            let kept = trace.display();
            format!(
                "trap 'status=$?; echo $status >{kept}; exit $status' EXIT\nenv --default-signal=XFSZ prlimit --core=0 --fsize={limit}: --"
            )
        }
        _ => format!("exec strace -o '{}' {}", trace.display(), options(tool, fault)),
    };
    if under.contains("prlimit") {
        // Only the one tool is under the limit: what it starts, it starts behind a guard.
        let guard = real("lh-detach");
        says.insert("lh-detach", format!("exec prlimit --fsize=unlimited: -- '{}' \"$@\"\n", guard.display()));
    }
    let (once, itself) = (root.join("once"), real(tool));
    let (once, itself) = (once.display(), itself.display());
    let text = format!("mkdir '{once}' 2>/dev/null || exec '{itself}' \"$@\"\n{under} '{itself}' \"$@\"\n");
    says.insert(tool, text);
    for name in crate::home::tools().iter().map(String::as_str).chain(["lh-task"]) {
        let stand_in = says.get(name).map(|text| fs::write(folder.join(format!("{name}.says")), text).unwrap());
        let target = stand_in.map_or_else(|| real(name), |()| source("tests/fault/shim"));
        symlink(target, folder.join(name)).unwrap();
    }
    if tool == "lh-setup" {
        link_scripts(&folder);
    } else {
        symlink(source("scripts/lh-preamble"), folder.join("lh-preamble")).unwrap();
    }
    (folder, trace)
}

/// Puts the scripts into a folder of tools.
pub fn link_scripts(folder: &Path) {
    for script in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")).unwrap().flatten() {
        let name = script.file_name();
        if name.to_str().is_some_and(|name| name.starts_with("lh-")) && !folder.join(&name).exists() {
            symlink(script.path(), folder.join(name)).unwrap();
        }
    }
}

fn options(tool: &str, fault: Option<&Fault>) -> String {
    let mut options = format!("-y -s 0 -e trace={}", CALLS.join(","));
    if tool == "lh-task" {
        let wanted = |ending: &&&str| fault.is_none_or(|fault| fault.call.staged == Some(**ending));
        options.push_str(" -f");
        for ending in STAGED.iter().filter(wanted) {
            let _ = write!(options, " -P \"$LH_WORK.{ending}\"");
        }
    }
    if let Some(Fault { call, kind, .. }) = fault {
        let what = match kind {
            Kind::Error(error) => format!("error={error}"),
            _ => "signal=SIGKILL".to_owned(),
        };
        let _ = write!(options, " -e inject={}:{what}:when={}", call.name, call.number);
    }
    options
}

/// Whether the fault struck, as its trace says. What becomes of a short write only the tool knows.
pub fn struck(kind: Kind, trace: &Path) -> bool {
    let text = fs::read_to_string(trace).unwrap_or_default();
    match kind {
        Kind::Kill => text.contains("+++ killed by SIGKILL +++"),
        Kind::Error(_) => text.contains("(INJECTED)"),
        // 128 and SIGXFSZ.
        Kind::Torn(_) => text == "153\n",
        Kind::Short(_) => true,
    }
}
