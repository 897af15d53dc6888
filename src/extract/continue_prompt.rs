//! Prompts that ask for nothing new.

use super::patterns::says;

/// Whether a prompt only tells the agent to go on: a letter or a number alone chooses what was offered.
pub fn goes_on(prompt: &str) -> bool {
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        word.chars().count() == 1 || word.chars().all(|c| c.is_ascii_digit()) || says("going-on", &word.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_only_goes_on_is_no_goal() {
        for prompt in ["Continue.", "yes", "ok, commit and push it", "2", "b", "sí, dale", "go ahead please!"] {
            assert!(goes_on(prompt), "{prompt}");
        }
        for prompt in ["fix it", "continue with the importer", "no, use tabs", "commit the README alone", "por qué"] {
            assert!(!goes_on(prompt), "{prompt}");
        }
    }
}
