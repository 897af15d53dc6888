//! `lh`: a coding agent's finished session as plain files that the next session can use.
//!
//! The modules stand on floors; a module uses only floors below its own (tests/house.rs).

pub mod exit;

pub mod claim;
pub mod cli;
pub mod clock;
pub mod flawed;
pub mod injected;
pub mod log;
pub mod place;
pub mod record;
pub mod sum;
pub mod text;

pub mod config;
pub mod file;
pub mod front;
pub mod git;
pub mod process;
pub mod redact;
pub mod stream;

pub mod lesson;
pub mod message;
pub mod session;
pub mod task;

pub mod extract;
pub mod knowledge;
pub mod ledger;
pub mod memory;
pub mod model;
pub mod project;
pub mod queue;
pub mod rank;
pub mod transcript;
pub mod trouble;

pub mod context;
pub mod distill;
pub mod doctor;
pub mod export;
pub mod find;
pub mod gate;
pub mod persist;
pub mod setup;
pub mod summary;
pub mod sweep;
