//! Where an agent keeps its sessions, and how its transcripts are read. Claude Code is the first.

pub mod claude;
pub mod project;
