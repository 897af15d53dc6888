//! Reading long lines of JSON fast, and JSON with flaws.

pub mod cut;
pub mod flawed;
pub mod kernel;
pub mod lines;
pub mod scan;
#[cfg(test)]
mod tests;
