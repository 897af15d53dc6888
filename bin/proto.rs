#![allow(missing_docs, clippy::pedantic, clippy::print_stdout, clippy::unwrap_used)]
use lh::agent::claude::transcript::{self, Keep};
use lh::base::config::Config;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let found = transcript::read(std::path::Path::new(&path), None, Keep::Conversation).unwrap();
    let redactor = lh::redact::Redactor::new(&Config::default().privacy).unwrap();
    let cwd = found.cwd.clone().unwrap_or_default();
    for point in lh::extract::progress::points(&found.messages, &Default::default(), std::path::Path::new(&cwd), &redactor) {
        println!("- {point}");
    }
}
