//! The one door: what is written to a file, sent to a model or stored for reading is [`Masked`], and only
//! the redactor makes that of text. A text is masked before anything of it is cut, for half a secret looks
//! like none, and a field before it is put into JSON or a page, for a mask must not break either.

use super::{Redactor, without_private};
use crate::base::config::Privacy;
use crate::base::exit::Failure;
use crate::base::log;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::text::Words;
use std::borrow::Cow;

/// A mark inside a mark is seen when the inner one is gone: so often it is looked again.
const PASSES: usize = 8;

/// Fields of records that are used to open files, or that name something: they stay exact.
static EXACT: Words = Words::of(
    "type session_id transcript memory_dir notes_dir agent_home path task id transcript_base64 memory_dir_base64 \
    notes_dir_base64 agent_home_base64 path_base64 task_base64",
);

/// Masks what this tool says in its log, too.
pub fn mask_log(privacy: &Privacy) -> Result<(), Failure> {
    let redactor = Redactor::shared(privacy)?;
    log::mask_with(move |said| redactor.shown(said).into_owned());
    Ok(())
}

impl Redactor {
    /// What may be shown of a text: without what its writer marked private, its secrets masked.
    pub fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..PASSES {
            let Cow::Owned(without) = without_private(&text) else { break };
            text = Cow::Owned(without);
        }
        match text {
            Cow::Borrowed(text) => self.redact(text),
            Cow::Owned(text) => Cow::Owned(self.redact(&text).into_owned()),
        }
    }

    /// Something that the user says, who can answer a question for a secret; see [`Self::hear`].
    pub fn hear_user(&self, text: &str) {
        self.learned.borrow_mut().answer(&without_private(text));
    }

    /// The same of an answer at a question of the agent's tool, and of the text of its result.
    pub fn hear_answer(&self, question: &str, said: &str, whole: &str) {
        self.learned.borrow_mut().answer_in(question, &without_private(said), whole);
    }

    /// Whether two texts are the same, either of which may be masked already.
    pub fn same(&self, a: &str, b: &str) -> bool {
        // What is masked has a mark, and of two texts as they were written each is its own.
        a == b || [a, b].iter().any(|text| text.contains('[')) && self.shown(a) == self.shown(b)
    }

    /// Makes of a text what may be shown of it.
    pub fn show(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.shown(text) {
            *text = shown;
        }
    }

    /// A text, or a page, on its way out.
    pub fn masked(&self, text: &str) -> Masked {
        Masked::sealed(self.shown(text).into_owned().into_bytes())
    }

    /// A text that was put together of texts that may be shown. A mark of privacy in it is the end of none
    /// of them, so nothing is left out here: it would leave out what others said.
    pub fn masked_parts(&self, text: &str) -> Masked {
        Masked::sealed(self.redact(text).into_owned().into_bytes())
    }

    /// A file of any kind with its secrets masked; all else stays.
    pub fn masked_file(&self, bytes: &[u8]) -> Masked {
        Masked::sealed(self.redact_bytes(bytes).into_owned())
    }

    /// Makes of lines what may be shown of them. A secret of many lines becomes one.
    pub fn show_lines(&self, lines: &mut Vec<String>) {
        for line in lines.iter_mut() {
            if let Cow::Owned(without) = without_private(line) {
                *line = without;
            }
        }
        if let Cow::Owned(shown) = self.redact(&lines.join("\n")) {
            *lines = shown.lines().map(str::to_owned).collect();
        }
    }

    /// Whether there is nothing to mask in any of these texts: one look at all of them costs little more than one at the
    /// longest.
    pub fn is_shown<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        let all = texts.into_iter().collect::<Vec<_>>().join("\n");
        matches!(self.shown(&all), Cow::Borrowed(_))
    }

    /// JSON on its way out, each string in it by itself, names too. All else stays as it is spelled.
    pub fn masked_json(&self, json: &str) -> Masked {
        Masked::sealed(self.shown_json(json).into_owned().into_bytes())
    }

    /// A record on its way out: its texts masked, but for the fields that are used to open files. A masked
    /// path has no exact form beside it.
    pub fn masked_record(&self, record: &Record) -> Masked {
        Masked::sealed(self.shown_record(record).line().into_bytes())
    }

    /// The same as a record.
    pub fn shown_record(&self, record: &Record) -> Record {
        let mut shown = record.clone();
        let mut masked: Vec<String> = Vec::new();
        shown.change(|name, value| {
            if EXACT.has(name) || masked.iter().any(|path| name.strip_suffix("_base64") == Some(path)) {
                return EXACT.has(name).then(|| value.to_owned());
            }
            let text = self.shown_json(value);
            if matches!(text, Cow::Owned(_)) {
                masked.push(name.to_owned());
            }
            Some(text.into_owned())
        });
        shown
    }

    /// What may be shown of JSON.
    pub fn shown_json<'t>(&self, json: &'t str) -> Cow<'t, str> {
        let mut out = String::new();
        // Bytes of `json` that are in `out`, and where the next string is looked for.
        let (mut done, mut at) = (0_usize, 0_usize);
        while let Some(start) = json[at..].find('"').map(|found| at + found) {
            let end = start + string_length(&json[start..]);
            let literal = &json[start..end];
            let text = serde_json::from_str(literal).unwrap_or_else(|_| literal.trim_matches('"').to_owned());
            if let Cow::Owned(shown) = self.shown(&text) {
                out.push_str(&json[done..start]);
                out.push_str(&serde_json::Value::from(shown).to_string());
                done = end;
            }
            at = end;
        }
        if done == 0 {
            return Cow::Borrowed(json);
        }
        out.push_str(&json[done..]);
        Cow::Owned(out)
    }
}

/// Bytes of the JSON string that `json` begins with, its quotation marks included.
fn string_length(json: &str) -> usize {
    let mut escaped = false;
    let ends = |(at, byte): (usize, u8)| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end.then(|| at + 2)
    };
    json.bytes().skip(1).enumerate().find_map(ends).unwrap_or(json.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redactor;

    fn secret() -> String {
        ["ghp_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].concat()
    }

    #[test]
    fn json_is_masked_string_by_string_and_stays_json() {
        let redactor = redactor();
        let json = format!(
            r#"{{"a":"say \"{0}\" and <private>x","{0}":[1e5,12345678901234567890123,"\u0067hp_{1}"],"b":"</private>"}}"#,
            secret(),
            &secret()[4..]
        );
        let shown = redactor.shown_json(&json);
        let mask = "[redacted:github-pat]";
        assert_eq!(
            shown,
            format!(
                r#"{{"a":"say \"{mask}\" and ","{mask}":[1e5,12345678901234567890123,"{mask}"],"b":"</private>"}}"#
            )
        );
        assert!(serde_json::from_str::<serde_json::Value>(&shown).is_ok());
        assert_eq!(redactor.shown_json(&shown), shown);
        for broken in ["\"", "\"\\", "{\"a", "", "\"\\ud800\"", "é\"é\\\"é"] {
            assert_eq!(redactor.shown_json(broken), broken);
        }
    }

    #[test]
    fn a_record_keeps_what_opens_files() {
        let redactor = redactor();
        let (secret, mut record) = (secret(), Record::new("written"));
        for name in ["path", "cwd", "summary"] {
            record.set(name, &format!("/src/{secret}/x"));
        }
        record.set("cwd_base64", "eA==");
        record.set("path_base64", "eA==");
        let shown = redactor.shown_record(&record);
        assert_eq!(shown.text("path"), Some(format!("/src/{secret}/x")));
        assert_eq!(shown.text("cwd").as_deref(), Some("/src/[redacted:github-pat]/x"));
        assert_eq!(shown.text("summary").as_deref(), Some("/src/[redacted:github-pat]/x"));
        assert_eq!((shown.text("cwd_base64"), shown.text("path_base64").as_deref()), (None, Some("eA==")));
    }

    #[test]
    fn a_private_mark_that_hides_in_another_goes_at_once() {
        let redactor = redactor();
        let once = redactor.shown("a <pri<private>x</private>vate>b</private> c").into_owned();
        assert_eq!(once, "a  c");
        assert_eq!(redactor.shown(&once), once);
    }
}
