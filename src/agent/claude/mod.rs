//! Claude Code.

pub mod reader;
