//! What differs between systems: no other module names one. Linux has the first implementation and macOS the second, which
//! uses POSIX alone and is tested on Linux too: `RUSTFLAGS="--cfg lh_posix" cargo test` builds all with it.

#[cfg(all(target_os = "linux", not(lh_posix)))]
mod linux;
#[cfg(any(lh_posix, not(target_os = "linux")))]
mod posix;

#[cfg(all(target_os = "linux", not(lh_posix)))]
pub use linux::{FOLDER, adopt_orphans, create_nameless, kill_orphans, open_folder, stopped_holder, terminal_session};
#[cfg(any(lh_posix, not(target_os = "linux")))]
pub use posix::{FOLDER, adopt_orphans, create_nameless, kill_orphans, open_folder, stopped_holder, terminal_session};
