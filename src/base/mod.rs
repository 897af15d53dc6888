//! What every tool needs and what knows nothing of sessions.

#[cfg(test)]
pub mod cases;
pub mod cli;
pub mod clock;
pub mod config;
pub mod diff;
pub mod editor;
pub mod env;
pub mod exit;
pub mod file;
pub mod front_matter;
pub mod git;
pub mod hash;
pub mod keywords;
pub mod log;
pub mod masked;
pub mod needed;
pub mod pager;
pub mod pattern;
pub mod process;
pub mod record;
pub mod remote;
pub mod shell;
pub mod stale_names;
pub mod stream;
pub mod system;
pub mod text;
pub mod word_enum;
pub mod wrap;

/// The allocator of static tools. musl's own gives freed memory back to the system at once, and with two threads each
/// of these calls waits for the other's: a search took three times as long with it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
