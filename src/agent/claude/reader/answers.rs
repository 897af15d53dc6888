//! What the user answered to the questions of the client's own tool. The questions and the options are
//! the agent's words, and the client writes them and the answers into one text. So the answers are taken
//! from the record's own fields; where a client wrote none, from the text, if one question alone was asked.

use super::members::{Block, Members};
use super::tree::{Key, key};
use crate::agent::claude::{tools, wrappers};
use crate::json::scan::Line;
use crate::record::message::Answer;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// How its result begins when the user answered, from its first versions on.
const STARTS: &[&str] =
    &["User has answered your questions: ", "Your questions have been answered: ", "The user answered: "];
/// What the client adds behind the answers.
const ENDS: &[&str] = &[". You can now continue", ". Read the answers carefully"];
/// What the client writes in place of a choice.
const NOTHING: &[&str] = &["(notes only)", "(no option selected)"];
/// What it writes behind an answer, before the user's own words, and before what an option shows.
const MORE: [&str; 2] = ["\" notes: ", "\" selected preview:"];
/// Larger inputs and results are not taken apart.
const BYTES: usize = 256 << 10;

/// The uses of the tool that asks the user, by their ids.
#[derive(Default)]
pub struct Questions {
    /// Each with its input as JSON until it is answered; none where that is not known or too large.
    uses: HashMap<Key, Option<String>>,
}

impl Questions {
    /// Those that an earlier reading saw.
    pub fn resumed(keys: Vec<Key>) -> Self {
        Self { uses: keys.into_iter().map(|key| (key, None)).collect() }
    }

    /// Takes a tool use, if it asks the user.
    pub fn see(&mut self, line: Line<'_>, block: &Block) {
        if *line.word(&block.name) != *tools::ASK.as_bytes() {
            return;
        }
        if let Some(key) = key(line, &block.id) {
            let input = (block.input.len() <= BYTES).then(|| line.json(&block.input));
            self.uses.insert(key, input);
        }
    }

    /// Whether a result is of such a use.
    pub fn has(&self, line: Line<'_>, result: &Block) -> bool {
        key(line, &result.tool_use_id).is_some_and(|id| self.uses.contains_key(&id))
    }

    /// What the user said in a result of such a use, and what the agent wrote about the option that was chosen, where it is
    /// known what was asked; None where it must be known and is not.
    pub fn answers(&mut self, line: Line<'_>, raw: &Members, result: &Block) -> Option<Vec<Answer>> {
        let asked = key(line, &result.tool_use_id).and_then(|id| self.uses.get_mut(&id));
        let Some(input) = asked.filter(|_| raw.tool_result.len() <= BYTES) else { return Some(Vec::new()) };
        let input = input.take().and_then(|input| serde_json::from_str::<AskedQuestions>(&input).ok());
        let mut found = match serde_json::from_str::<GivenAnswers>(&line.json(&raw.tool_result)) {
            Ok(given) => read_fields(&given, input.as_ref().unwrap_or(&AskedQuestions::default())),
            Err(_) => match result.content.texts().next().filter(|span| span.len() <= BYTES) {
                Some(text) => read_text(&line.text(text), input.as_ref()?),
                None => Vec::new(),
            },
        };
        if let Some(input) = &input {
            for answer in &mut found {
                add_options(answer, input);
            }
        }
        Some(found)
    }

    /// The ids, in order.
    pub fn keys(self) -> Vec<Key> {
        let mut keys: Vec<Key> = self.uses.into_keys().collect();
        keys.sort_unstable();
        keys
    }
}

/// The tool's input.
#[derive(Default, Deserialize)]
struct AskedQuestions {
    questions: Vec<AskedQuestion>,
}

#[derive(Deserialize)]
struct AskedQuestion {
    question: String,
    #[serde(default)]
    options: Vec<AskedOption>,
}

#[derive(Deserialize)]
struct AskedOption {
    label: String,
    #[serde(default)]
    description: String,
}

/// `toolUseResult`: what was chosen or typed, and what was noted beside it, by the questions.
#[derive(Deserialize)]
struct GivenAnswers {
    answers: Map<String, Value>,
    #[serde(default)]
    annotations: Option<Map<String, Value>>,
}

/// The answers in the order of the questions.
fn read_fields(given: &GivenAnswers, input: &AskedQuestions) -> Vec<Answer> {
    let place = |question: &str| input.questions.iter().position(|asked| asked.question == question);
    let mut questions: Vec<&String> = given.answers.keys().collect();
    questions.sort_by_key(|question| place(question).unwrap_or(usize::MAX));
    let mut found = Vec::new();
    for question in questions {
        let chosen = given.answers.get(question).and_then(Value::as_str);
        let beside = given.annotations.as_ref().and_then(|all| all.get(question));
        let notes = beside.and_then(|beside| beside.get("notes")).and_then(Value::as_str);
        put(&mut found, question, chosen);
        put(&mut found, question, notes);
    }
    found
}

/// Adds what the agent wrote about the option that was chosen, and the other ones. A number can be the answer, or the place
/// of one: that option is told beside it.
fn add_options(answer: &mut Answer, input: &AskedQuestions) {
    let asked = input.questions.iter().filter(|asked| asked.question == answer.question);
    let options: Vec<&AskedOption> = asked.flat_map(|asked| &asked.options).collect();
    let number = Some(&answer.said).filter(|said| said.bytes().all(|byte| byte.is_ascii_digit()));
    let place = number.and_then(|said| said.parse::<usize>().ok()?.checked_sub(1));
    if let Some(chosen) = options.iter().find(|option| option.label == answer.said) {
        answer.about.clone_from(&chosen.description);
        let others = options.iter().filter(|option| option.label != answer.said);
        answer.others = others.map(|option| option.label.clone()).collect();
    } else if let Some(named) = place.and_then(|at| options.get(at)) {
        answer.about = format!("option {}: {}", answer.said, named.label);
    }
}

fn put(found: &mut Vec<Answer>, question: &str, said: Option<&str>) {
    let said = said.map(str::trim).filter(|said| !said.is_empty() && !NOTHING.contains(said));
    found.extend(said.map(|said| Answer {
        question: question.to_owned(),
        said: wrappers::without_pastes(said).into_owned(),
        ..Answer::default()
    }));
}

/// The answer of a text `"question"="answer"`, where one question was asked. What is behind the answer can be more than
/// what the user typed, and then nothing is taken; of several questions one can be written so that it answers another.
fn read_text(text: &str, input: &AskedQuestions) -> Vec<Answer> {
    let mut found = Vec::new();
    let list = STARTS.iter().find_map(|start| text.strip_prefix(start)).unwrap_or("");
    let list = &list[..ENDS.iter().filter_map(|end| list.rfind(end)).max().unwrap_or(list.len())];
    if let [asked] = input.questions.as_slice() {
        let given = list.strip_prefix(&format!("\"{}\"=\"", asked.question)).and_then(|given| given.strip_suffix('"'));
        put(&mut found, &asked.question, given.filter(|given| !MORE.iter().any(|more| given.contains(more))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use serde_json::json;

    fn input(questions: &str) -> AskedQuestions {
        let asked = questions.split(" / ").filter(|question| !question.is_empty());
        let questions = asked.map(|question| AskedQuestion { question: question.to_owned(), options: Vec::new() });
        AskedQuestions { questions: questions.collect() }
    }

    fn told(found: &[Answer]) -> String {
        found.iter().map(|answer| format!("{}: {}", answer.question, answer.said)).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn of_a_text_only_what_nobody_can_forge_is_taken() {
        for [questions, list, wanted] in rows(include_str!("answers.tsv")) {
            for (start, end) in STARTS.iter().zip([ENDS[0], ENDS[0], ENDS[1]]) {
                let text = format!("{start}{list}{end} with what follows.");
                assert_eq!(told(&read_text(&text, &input(&questions))), wanted, "{list}");
            }
        }
    }

    #[test]
    fn the_fields_of_a_record_say_what_was_answered() {
        for [given, wanted] in rows(include_str!("given.tsv")) {
            let given: GivenAnswers = serde_json::from_str(&given).unwrap();
            assert_eq!(told(&read_fields(&given, &input("A? / B?"))), wanted);
        }
    }

    #[test]
    fn an_option_is_known_with_what_the_agent_wrote_about_it() {
        let options = json!([{"label": "One", "description": "It is first."}, {"label": "Two"}]);
        let input = json!({"questions": [{"question": "Which?", "options": options}, {"question": "Who?"}]});
        let input: AskedQuestions = serde_json::from_value(input).unwrap();
        for [question, said, about, others] in rows(include_str!("options.tsv")) {
            let mut answer = Answer { question, said, ..Answer::default() };
            add_options(&mut answer, &input);
            assert_eq!((&answer.about, answer.others.join(", ")), (&about, others), "{}", answer.said);
        }
    }
}
