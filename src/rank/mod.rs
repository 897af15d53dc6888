//! What of the past matters now: for where work goes on ([`Focus`]), for what somebody says ([`Prompt`]), and for what
//! somebody asks ([`Query`]).

mod focus;
mod passages;
mod prompt;
mod query;
mod scan;
mod stems;

pub use focus::Focus;
pub use passages::{Counts, Hits, Judge, Worth};
pub use prompt::{Prompt, Text};
pub use query::Query;
pub use scan::Scanner;
