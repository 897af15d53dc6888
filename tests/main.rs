//! One integration target, one file a tool or flow, each test in a home of its own.

mod contract;
mod home;
mod house;
