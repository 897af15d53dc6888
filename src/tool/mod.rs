//! What each tool does, a module a tool.

pub mod backfill;
pub mod brief;
pub mod context;
pub mod dequeue;
pub mod distill;
pub mod doctor;
pub mod done;
pub mod episode;
pub mod export;
pub mod find_session;
pub mod forget;
pub mod gate;
pub mod history;
pub mod index;
pub mod messages;
pub mod moves;
pub mod persist;
pub mod pick;
pub mod prune;
pub mod recall;
pub mod redact;
pub mod review;
pub mod select;
pub mod setup;
pub mod summarize;
pub mod trouble;
