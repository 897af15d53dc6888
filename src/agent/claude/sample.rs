//! A transcript that the client could have written, for a trial.

use jiff::Timestamp;
use serde_json::json;
use std::path::Path;

/// A session in which the user and the agent said this in turn.
pub fn transcript(cwd: &Path, said: &[&str], time: Timestamp) -> String {
    let mut text = String::new();
    for (number, said) in said.iter().enumerate() {
        let role = if number % 2 == 0 { "user" } else { "assistant" };
        let record = json!({
            "type": role, "uuid": format!("u{number}"), "parentUuid": number.checked_sub(1).map(|before| format!("u{before}")),
            "timestamp": time.to_string(), "cwd": cwd, "entrypoint": "cli", "isSidechain": false,
            "message": {"role": role, "id": format!("m{number}"), "content": [{"type": "text", "text": said}]},
        });
        text.push_str(&record.to_string());
        text.push('\n');
    }
    text
}
