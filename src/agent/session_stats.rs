//! What a transcript tells about its session besides what was said: when, with which client and
//! tools, for how much, under which title.

use crate::base::text;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The longest first prompt that is a topic, in characters; one more says that it was cut.
const TOPIC_CHARS: usize = 79;
/// Different tools that are counted, and the longest name of one; a longer name is not one of a tool.
const TOOLS: usize = 1000;
const TOOL_CHARS: usize = 200;
const TOO_LONG: &str = "…";
/// So much of the first prompt is kept, as it was typed: it is folded and cut to a topic when its secrets are
/// masked, for half a secret looks like none, and so does one with a blank in it.
const PROMPT_CHARS: usize = 4000;

/// The facts. Only what is not a subagent's counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The first timestamp, as it stands.
    pub first_time: Option<String>,
    /// The client's version, the last one.
    pub version: Option<String>,
    /// Uses of each tool.
    pub tools: BTreeMap<String, u64>,
    /// Compactions.
    pub compactions: u64,
    /// Tokens of all messages: input, output and cache, each message's last count.
    pub tokens: u64,
    /// What the session cost so far, in US dollars, as the client has it; none where it does not say.
    pub cost_usd: Option<f64>,
    /// Whether the cost is the client's own total, and not a sum of ours.
    cost_is_total: bool,
    /// The tokens of this turn's messages, by a hash of their ids.
    turn: BTreeMap<u64, u64>,
    pub(super) custom_title: Option<String>,
    pub(super) ai_title: Option<String>,
    pub(super) summary: Option<String>,
    first_prompt: Option<String>,
}

impl SessionFacts {
    /// What the session is about: the title that the user gave, the client's, its summary, else the
    /// first prompt, on one line and cut. The texts are masked before they are asked for this.
    pub fn topic(&self) -> Option<Cow<'_, str>> {
        let titles = [&self.custom_title, &self.ai_title, &self.summary];
        let title = titles.into_iter().find_map(|title| title.as_deref()).map(Cow::Borrowed);
        title.or_else(|| {
            let line = text::one_line(self.first_prompt.as_deref()?);
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(Cow::Owned(text::cut(&line, TOPIC_CHARS).into_owned()))
        })
    }

    /// Counts the use of a tool.
    pub fn used(&mut self, tool: &str) {
        // Nothing is cut that is not masked yet.
        let name = if tool.chars().nth(TOOL_CHARS).is_some() { TOO_LONG } else { tool };
        if let Some(count) = self.tools.get_mut(name) {
            *count += 1;
        } else if self.tools.len() < TOOLS {
            self.tools.insert(name.to_owned(), 1);
        }
    }

    /// Adds the cost of one message.
    pub fn add_cost(&mut self, cost: f64) {
        if !self.cost_is_total {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }

    /// Takes the client's own total of the cost.
    pub fn set_cost(&mut self, total: f64) {
        self.cost_usd = Some(total);
        self.cost_is_total = true;
    }

    /// Counts the tokens of a message in place of what was counted for it before; `id` is a hash of its id.
    pub fn count_tokens(&mut self, id: Option<u64>, tokens: u64) {
        let before = id.and_then(|id| self.turn.insert(id, tokens));
        self.tokens = self.tokens.saturating_sub(before.unwrap_or_default()).saturating_add(tokens);
    }

    /// A prompt was typed: the messages before it are whole.
    pub fn prompt(&mut self, prompt: &str) {
        self.turn.clear();
        if self.first_prompt.is_none() {
            let kept = text::cut_at_blank(prompt.trim(), PROMPT_CHARS);
            self.first_prompt = (!kept.trim().is_empty()).then(|| kept.to_owned());
        }
    }

    /// Changes every text.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        let texts = [&mut self.custom_title, &mut self.ai_title, &mut self.summary, &mut self.first_prompt];
        texts.into_iter().chain([&mut self.version]).flatten().for_each(&mut change);
        let mut tools = BTreeMap::new();
        for (mut name, count) in std::mem::take(&mut self.tools) {
            change(&mut name);
            *tools.entry(name).or_insert(0) += count;
        }
        self.tools = tools;
    }
}
