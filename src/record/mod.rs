//! What the records say, as types. lh-record(5) has the fields.

pub mod claim;
pub mod episode;
pub mod fix;
pub mod gists;
pub mod injected;
pub mod item;
pub mod line;
pub mod lost;
pub mod message;
pub mod outcome;
pub mod pruned;
pub mod refusal;
pub mod replaces;
pub mod restated;
pub mod said;
pub mod session;
pub mod speaker;
pub mod task;
pub mod written;
