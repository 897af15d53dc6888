//! What every tool needs and what knows nothing of sessions.

pub mod cli;
pub mod clock;
pub mod config;
pub mod env;
pub mod exit;
pub mod file;
pub mod front_matter;
pub mod git;
pub mod gone;
pub mod hash;
pub mod log;
pub mod masked;
pub mod process;
pub mod record;
pub mod remote;
pub mod stream;
pub mod text;
pub mod words;
