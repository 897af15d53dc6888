//! What differs between systems: no other module names one. Linux has the first implementation and macOS the second, which
//! uses POSIX alone. `RUSTFLAGS="--cfg lh_posix" cargo test` tries it on Linux.

#[cfg(all(target_os = "linux", not(lh_posix)))]
mod linux;
#[cfg(any(lh_posix, not(target_os = "linux")))]
mod posix;

#[cfg(all(target_os = "linux", not(lh_posix)))]
pub use linux::{FOLDER, adopt_orphans, create_nameless, kill_orphans, open_folder, stopped_holder, terminal_session};
#[cfg(any(lh_posix, not(target_os = "linux")))]
pub use posix::{FOLDER, adopt_orphans, create_nameless, kill_orphans, open_folder, stopped_holder, terminal_session};
