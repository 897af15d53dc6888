//! What each tool does, a module a tool.

pub mod context;
pub mod dequeue;
pub mod distill;
pub mod doctor;
pub mod export;
pub mod find_session;
pub mod gate;
pub mod persist;
pub mod redact;
pub mod setup;
pub mod summarize;
pub mod trouble;
