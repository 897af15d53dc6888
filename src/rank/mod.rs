//! What of the past matters now: for where work goes on ([`Focus`]), and for what somebody says ([`Prompt`]).

mod focus;
mod prompt;

pub use focus::Focus;
pub use prompt::{Prompt, Text};
