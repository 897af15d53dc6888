//! What to tell of what is remembered: for where work goes on ([`Focus`]), for what a person says ([`PromptTerms`]), and
//! for what a person asks ([`Query`]); and which learnings may say the same ([`pairs`]).

mod pairs;
mod passages;
mod recall;
mod scan;
mod select;
mod start;
mod stems;
mod words;

pub use pairs::{Pair, PairReason, PairText, pairs};
pub use passages::{Counts, Hits, Judge, Worth};
pub use recall::Query;
pub use scan::Scanner;
pub use select::{NoteText, PromptTerms};
pub use start::Focus;
