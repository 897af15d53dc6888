//! What a transcript tells about its session besides what was said: when, with which client and
//! tools, for how much, under which title.

use super::key::key;
use super::members::Raw;
use crate::base::text;
use crate::json::scan::{Line, Span};
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
pub struct Facts {
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
    custom_title: Option<String>,
    ai_title: Option<String>,
    summary: Option<String>,
    first_prompt: Option<String>,
}

impl Facts {
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

    /// Takes what a record tells. `is_leaf` says whether a record of that uuid is in the file: a
    /// summary whose leaf does not is another session's.
    pub fn see(&mut self, line: Line<'_>, raw: &Raw, mut is_leaf: impl FnMut(&Span) -> bool) {
        let text = |span: &Span| some(line.text(span).into_owned());
        if self.first_time.is_none() {
            self.first_time = text(&raw.timestamp);
        }
        if !raw.version.is_empty() {
            self.version = text(&raw.version).or(self.version.take());
        }
        match &*line.word(&raw.kind) {
            b"custom-title" => self.custom_title = text(&raw.custom_title).or(self.custom_title.take()),
            b"ai-title" => self.ai_title = text(&raw.ai_title).or(self.ai_title.take()),
            b"summary" if is_leaf(&raw.leaf) => self.summary = text(&raw.summary).or(self.summary.take()),
            b"system" if *line.word(&raw.subtype) == *b"compact_boundary" => {
                self.compactions = self.compactions.saturating_add(1);
            }
            b"cost-state" => {
                if let Some(total) = number(line, &raw.total_cost) {
                    self.cost_usd = Some(total);
                    self.cost_is_total = true;
                }
            }
            b"assistant" if !line.is_true(&raw.sidechain) => self.spent(line, raw),
            _ => {}
        }
    }

    fn spent(&mut self, line: Line<'_>, raw: &Raw) {
        for block in raw.blocks.iter().filter(|block| *line.word(&block.kind) == *b"tool_use") {
            let name = line.text(&block.name).into_owned();
            // Nothing is cut that is not masked yet.
            let name = if name.chars().nth(TOOL_CHARS).is_some() { TOO_LONG.to_owned() } else { name };
            let known = self.tools.contains_key(&name) || self.tools.len() < TOOLS;
            if let Some(count) = known.then(|| self.tools.entry(name).or_default()) {
                *count = count.saturating_add(1);
            }
        }
        if let Some(cost) = number(line, &raw.cost).filter(|_| !self.cost_is_total) {
            self.cost_usd = Some(self.cost_usd.unwrap_or_default() + cost);
        }
        if raw.usage.is_empty() {
            return;
        }
        let mut tokens = 0_u64;
        let counted = line.object(raw.usage.start, |key, at| {
            let end = line.skip(at)?;
            let counts: [&[u8]; 4] =
                [b"input_tokens", b"output_tokens", b"cache_creation_input_tokens", b"cache_read_input_tokens"];
            if counts.contains(&key) {
                tokens = tokens.saturating_add(line.json(&(at..end)).parse().unwrap_or_default());
            }
            Some(end)
        });
        if counted.is_some() {
            let before = key(line, &raw.message_id).and_then(|id| self.turn.insert(id.get(), tokens));
            self.tokens = self.tokens.saturating_sub(before.unwrap_or_default()).saturating_add(tokens);
        }
    }

    /// A prompt was typed: the messages before it are whole.
    pub fn prompt(&mut self, prompt: &str) {
        self.turn.clear();
        if self.first_prompt.is_none() {
            self.first_prompt = some(text::cut_at_blank(prompt.trim(), PROMPT_CHARS).to_owned());
        }
    }

    /// Changes every text.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        let texts = [&mut self.custom_title, &mut self.ai_title, &mut self.summary, &mut self.first_prompt];
        texts.into_iter().chain([&mut self.version]).flatten().for_each(&mut change);
        let mut tools = BTreeMap::new();
        for (mut name, count) in std::mem::take(&mut self.tools) {
            change(&mut name);
            let all: &mut u64 = tools.entry(name).or_default();
            *all = all.saturating_add(count);
        }
        self.tools = tools;
    }
}

fn some(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

fn number(line: Line<'_>, span: &Span) -> Option<f64> {
    if span.is_empty() { None } else { line.json(span).parse::<f64>().ok().filter(|number| number.is_finite()) }
}
