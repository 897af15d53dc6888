//! One line of a record stream: a JSON object whose fields keep their order and their spelling.
//! A field that a tool does not touch leaves as it came: numbers are never read and written again.

use crate::base::exit::Failure;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// More fields has no record that is meant.
const FIELDS: usize = 10_000;

/// An object as ordered (name, raw value) pairs.
#[derive(Clone, Debug, Default)]
pub struct Record {
    fields: Vec<(String, Box<RawValue>)>,
}

impl Record {
    /// A record that has only its `type`.
    pub fn new(kind: &str) -> Self {
        let mut record = Self::default();
        record.set("type", &kind);
        record
    }

    /// Reads one object; the error is what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        if !line.trim_start().starts_with('{') {
            return Err("not a JSON object".to_owned());
        }
        serde_json::from_str(line).map_err(|error| format!("not JSON: {}", fault(&error)))
    }

    /// The names of its fields, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// The `type`, or "".
    pub fn kind(&self) -> String {
        self.text("type").unwrap_or_default()
    }

    /// The field's raw JSON; the last one where a name stands twice.
    pub fn raw(&self, name: &str) -> Option<&RawValue> {
        self.fields.iter().rev().find(|(field, _)| field == name).map(|(_, value)| &**value)
    }

    /// The field as a value of type `T`; none when it is absent, null, or of another type.
    pub fn get<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Option<T> {
        self.raw(name).and_then(|value| serde_json::from_str(value.get()).ok())
    }

    /// A string field.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)
    }

    /// A path field: `<name>_base64` when there is one, since it is exact, else `name`.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let exact = self.text(&format!("{name}_base64"));
        path_from(self.text(name), exact)
    }

    /// Sets a field, in its place if it is there, at the end if it is not.
    pub fn set<T: serde::Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        let Ok(value) = to_raw_value(value) else { return };
        match self.fields.iter_mut().rev().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
    }

    /// Sets a field when there is a value; absent rather than null.
    pub fn set_some<T: serde::Serialize>(&mut self, name: &str, value: Option<&T>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Sets a text field unless the text is empty: absent rather than "".
    pub fn set_text(&mut self, name: &str, text: &str) {
        self.set_some(name, Some(&text).filter(|text| !text.is_empty()));
    }

    /// Sets a path field, with its exact form beside it when it is not UTF-8 or holds a newline.
    pub fn set_path(&mut self, name: &str, path: &Path) {
        self.set(name, &path.to_string_lossy());
        if let Some(exact) = exact_path(path) {
            self.set(&format!("{name}_base64"), &exact);
        }
    }

    /// Changes the raw JSON of each field, by its name; a field whose change is none goes.
    pub fn change(&mut self, mut change: impl FnMut(&str, &str) -> Option<String>) {
        self.fields.retain_mut(|(name, value)| {
            let Some(changed) = change(name, value.get()) else { return false };
            if changed != value.get()
                && let Ok(raw) = RawValue::from_string(changed)
            {
                *value = raw;
            }
            true
        });
    }

    /// The record on one line, with its newline.
    pub fn line(&self) -> String {
        let mut line = String::from("{");
        for (number, (name, value)) in self.fields.iter().enumerate() {
            if number > 0 {
                line.push(',');
            }
            line.push_str(&serde_json::Value::from(name.as_str()).to_string());
            line.push(':');
            line.push_str(value.get());
        }
        line.push_str("}\n");
        line
    }
}

/// What we keep as one line of JSON, with its newline; status 65 if it cannot be written so.
pub fn json_line(value: &impl serde::Serialize) -> Result<String, Failure> {
    let json = serde_json::to_string(value).map_err(|error| Failure::data(format!("not written: {error}")))?;
    Ok(json + "\n")
}

/// Where a text stops being JSON.
pub fn fault(error: &serde_json::Error) -> String {
    match (error.is_eof(), error.line()) {
        (true, _) => "it ends too early".to_owned(),
        (false, 1) => format!("see column {}", error.column()),
        (false, line) => format!("see line {line}, column {}", error.column()),
    }
}

/// The base64 form of a path that a line of text cannot hold: not UTF-8, or with a control character.
pub fn exact_path(path: &Path) -> Option<String> {
    let plain = path.to_str().is_some_and(|text| !text.contains(char::is_control));
    (!plain).then(|| STANDARD.encode(path.as_os_str().as_bytes()))
}

/// The path of a lossy text and an exact form, either of which can be missing.
pub fn path_from(lossy: Option<String>, exact: Option<String>) -> Option<PathBuf> {
    let exact = exact.and_then(|text| STANDARD.decode(text).ok());
    let path = match exact {
        Some(bytes) => PathBuf::from(OsStr::from_bytes(&bytes)),
        None => PathBuf::from(lossy?),
    };
    (!path.as_os_str().is_empty()).then_some(path)
}

impl serde::Serialize for Record {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Record;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Record, M::Error> {
                let mut fields = Vec::new();
                while let Some(pair) = map.next_entry::<String, Box<RawValue>>()? {
                    fields.push(pair);
                    if fields.len() > FIELDS {
                        return Err(M::Error::custom("too many fields"));
                    }
                }
                Ok(Record { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untouched_fields_keep_place_and_spelling() {
        let mut record = Record::parse(r#"{"b": 12345678901234567890123, "a":1e5,"type":"x","u":"\u00f1"}"#).unwrap();
        record.set("a", &2);
        assert_eq!(record.line(), "{\"b\":12345678901234567890123,\"a\":2,\"type\":\"x\",\"u\":\"\\u00f1\"}\n");
    }

    #[test]
    fn odd_paths_survive() {
        for bytes in [&b"/tmp/a\xffb"[..], b"/tmp/a\nb", b"/tmp/a\tb", b"/tmp/plain"] {
            let path = Path::new(OsStr::from_bytes(bytes));
            let mut record = Record::new("session");
            record.set_path("cwd", path);
            let back = Record::parse(&record.line()).unwrap();
            assert_eq!(back.path("cwd").unwrap(), path);
        }
    }
}
