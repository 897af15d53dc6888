//! Claude Code.

pub mod history;
pub mod hooks;
pub mod layout;
pub mod plugins;
pub mod reader;
pub mod sample;
pub mod tools;
pub mod wrappers;
