//! Whole flows: the real hook scripts and the real worker, with a model that answers by rote
//! (flow/claude). Each test has a home of its own; what runs detached is waited for, never slept for.

#![cfg(test)]

mod backend;
mod continued;
mod crowd;
mod doors;
mod export;
mod grown;
pub mod home;
mod hooks;
#[cfg(target_os = "linux")]
mod killed;
mod limits;
pub mod session;
mod short;
mod sweep;
