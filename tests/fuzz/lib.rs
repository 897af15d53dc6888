//! What the targets share with the tests on stable.

#[path = "../bodies.rs"]
pub mod bodies;
#[path = "../forms.rs"]
pub mod forms;
#[path = "../oracle.rs"]
pub mod oracle;
