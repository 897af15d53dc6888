//! What the targets share with the tests on stable.

#[path = "../tests/bodies.rs"]
pub mod bodies;
#[path = "../tests/forms.rs"]
pub mod forms;
#[path = "../tests/oracle.rs"]
pub mod oracle;
