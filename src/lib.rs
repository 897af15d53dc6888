//! `lh`: a coding agent's finished session as plain files that the next session can use.
//!
//! This is the map. A module uses only what is above it in this list, or its own folder, and no folder has
//! a circle: tests/house.rs reads the order here and checks both.

/// What every tool needs and what knows nothing of sessions: statuses, options, records as lines, streams,
/// the log, the clock, the environment, files, processes, command lines, git, the configuration.
pub mod base;

/// Reading long lines of JSON fast, and JSON with flaws. Nothing of any agent is in it.
pub mod json;

/// Masking: secrets, and what its writer marked private.
pub mod redact;

/// What the records say, as types: sessions, tasks, messages, items, and when two items make the same
/// claim. It reads no file.
pub mod record;

/// All that is known of an agent: where it keeps its sessions, its transcripts, tools, wrappers and hooks.
pub mod agent;

/// The files that stay, one owner a format: pages, journals, the handoff, progress, learnings, summaries, the
/// ledger.
pub mod store;

/// A queue of files: tasks, their states, the worker's way through them.
pub mod queue;

/// What of the memory fits the work at hand.
pub mod rank;

/// The one call to a model.
pub mod model;

/// What a session says in so many words, read without a model.
pub mod extract;

/// What each tool does, a module a tool.
pub mod tool;

/// What each tool is called with: its table of options, and what reads them.
pub mod commands;
