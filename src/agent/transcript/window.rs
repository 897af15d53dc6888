//! As much of a conversation as is kept in memory to be distilled: the first and the last part of one that
//! is too large, and of a huge message its two ends. Sessions of people are far below these bounds.

use crate::base::text;
use crate::record::message::{Message, Role};
use std::collections::VecDeque;

/// What is kept of the beginning and of the end, in bytes with all that belongs to a message.
const HEAD_BYTES: usize = 1 << 20;
const TAIL_BYTES: usize = 7 << 20;
/// A longer text is cut to so many characters, half of them from its end.
const TEXT_BYTES: usize = 256 << 10;
const TEXT_CHARS: usize = 200_000;
/// The same of what a tool says of its failure.
const ERROR_CHARS: usize = 20_000;
/// The last tools of a message that are kept.
const TOOLS: usize = 1000;
/// What a message, a tool's use and a text in it take besides their texts.
const MESSAGE_BYTES: usize = 256;
const TOOL_BYTES: usize = 160;
const TEXT_OF_TOOL_BYTES: usize = 48;

/// The messages that are kept, each with its number.
pub struct Window<'a> {
    /// None: all is kept as it is.
    shown: Option<&'a dyn Fn(&str) -> String>,
    head: Vec<(usize, Message)>,
    tail: VecDeque<(usize, Message)>,
    head_bytes: usize,
    tail_bytes: usize,
    count: usize,
}

impl<'a> Window<'a> {
    /// Without bounds.
    pub fn whole() -> Self {
        let (head, tail) = (Vec::new(), VecDeque::new());
        Self { shown: None, head, tail, head_bytes: 0, tail_bytes: 0, count: 0 }
    }

    /// With bounds; `shown` is what may be cut.
    pub fn new(shown: &'a dyn Fn(&str) -> String) -> Self {
        Self { shown: Some(shown), ..Self::whole() }
    }

    /// Takes the next message.
    pub fn add(&mut self, mut message: Message) {
        let number = self.count;
        self.count += 1;
        let Some(shown) = self.shown else { return self.head.push((number, message)) };
        shorten(&mut message, shown);
        let size = size(&message);
        if self.tail.is_empty() && self.head_bytes + size <= HEAD_BYTES {
            self.head_bytes += size;
            return self.head.push((number, message));
        }
        self.tail_bytes += size;
        self.tail.push_back((number, message));
        while self.tail_bytes > TAIL_BYTES && self.tail.len() > 1 {
            self.tail_bytes -= self.tail.pop_front().map_or(0, |(_, message)| self::size(&message));
        }
    }

    /// What was kept, those of `abandoned` (numbers, ascending) marked; and how many did not fit.
    pub fn messages(self, abandoned: &[usize]) -> (Vec<Message>, usize) {
        let kept = self.head.into_iter().chain(self.tail).map(|(number, mut message)| {
            message.marks.abandoned = abandoned.binary_search(&number).is_ok();
            message
        });
        let kept: Vec<Message> = kept.collect();
        let left_out = self.count - kept.len();
        (kept, left_out)
    }
}

fn shorten(message: &mut Message, shown: &dyn Fn(&str) -> String) {
    let is_error = message.role == Role::Tool && message.answers.is_empty();
    let (bytes, chars) = if is_error { (ERROR_CHARS, ERROR_CHARS) } else { (TEXT_BYTES, TEXT_CHARS) };
    if message.text.len() > bytes {
        message.text = text::ends(&shown(&message.text), chars).into_owned();
    }
    message.text.shrink_to_fit();
    message.tools.drain(..message.tools.len().saturating_sub(TOOLS));
}

fn size(message: &Message) -> usize {
    let of = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let mut all = MESSAGE_BYTES + message.text.len() + of(&message.time) + of(&message.uuid) + of(&message.tool_use_id);
    for tool in &message.tools {
        let words = tool.command().or(tool.plan()).map_or(0, str::len);
        all += TOOL_BYTES + tool.name.len() + tool.id.len() + of(&tool.file) + words;
        all += tool.todo_texts().iter().map(|text| text.len() + TEXT_OF_TOOL_BYTES).sum::<usize>();
    }
    for answer in &message.answers {
        all += answer.question.len() + answer.said.len() + answer.about.len();
        all += answer.others.iter().map(String::len).sum::<usize>();
    }
    all
}
