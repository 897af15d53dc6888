//! One integration target, one file a tool or flow, each test in a home of its own.

#![allow(clippy::unwrap_used)] // helpers of tests: a panic is how a test fails

mod backfill;
mod bad_input;
mod bodies;
mod bounds;
mod checkout;
mod configuration;
mod context;
mod contract;
mod corpus;
mod corrections;
mod detach;
mod distill;
mod doctor;
mod done;
mod export;
mod fault;
mod feedback;

mod find;
mod flow;
mod forms;
mod fuzz_seeds;
mod gate;
mod gone;
mod home;
mod house;
mod install;
mod kinds;
mod kinds_records;
mod limits;
mod links;
mod modes;
mod notes;
mod oracle;
mod pages;
mod persist;
mod places;
mod poison;
mod predecessor;
mod private;
mod progress;
mod queue;
mod quickstart;
mod redact;
mod secrets;
mod select;
mod setup;
mod summarize;
mod takeover;
mod terminal;
mod transcript;
mod trouble;
mod undo;
