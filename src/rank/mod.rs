//! What to tell of what is remembered: for where work goes on ([`Focus`]), for what a person says ([`Prompt`]), and for what
//! a person asks ([`Query`]); and which learnings may say the same ([`pairs`]).

mod focus;
mod pairs;
mod passages;
mod prompt;
mod query;
mod scan;
mod stems;
mod words;

pub use focus::Focus;
pub use pairs::{Pair, Reason, Said, pairs};
pub use passages::{Counts, Hits, Judge, Worth};
pub use prompt::{Prompt, Text};
pub use query::Query;
pub use scan::Scanner;
