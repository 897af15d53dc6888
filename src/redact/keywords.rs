//! Where the keywords of the forms are in a text, in any case. The text is read once, and each three bytes are looked up
//! in a table. An automaton of all words takes milliseconds to make, more than a start may; the table takes microseconds.

/// The bytes of a word's prefix, by which it is looked up.
const PREFIX: usize = 3;
/// Bits of a bucket's number: there are eight times as many buckets as words.
const BITS: u32 = 12;

/// What a word is to a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// The form can be where it is.
    Here(usize),
    /// The form can be in the text.
    Also(usize),
}

/// A word, in small letters, with what it is used for.
type Word = (&'static str, Vec<Use>);

/// The keywords of all forms.
pub struct Keywords {
    /// By the hash of their prefix.
    words: Table,
    /// Those that are shorter than a prefix, by their first byte.
    short: Table,
}

impl Keywords {
    /// From words in small letters. One can come several times, each time with one use, which stay in their order.
    pub fn new(mut all: Vec<(&'static str, Use)>) -> Self {
        all.sort_by(|one, other| one.0.cmp(other.0));
        let same = all.chunk_by(|one, other| one.0 == other.0);
        let of = |same: &[(&'static str, Use)]| Some((same.first()?.0, same.iter().map(|(_, of)| *of).collect()));
        let (words, short) = same.filter_map(of).partition(|(word, _): &Word| word.len() >= PREFIX);
        Self {
            words: Table::new(words, 1 << BITS, |word| bucket(word.bytes().take(PREFIX).fold(0, push))),
            short: Table::new(short, 1 << u8::BITS, |word| word.bytes().next().map_or(0, usize::from)),
        }
    }

    /// Calls `tell` for each keyword in a text with its uses, its start and its end, in the order of the starts.
    pub fn each_in(&self, text: &[u8], mut tell: impl FnMut(&[Use], usize, usize)) {
        let mut prefix = text.iter().take(PREFIX - 1).copied().fold(0, push);
        for (at, first) in text.iter().enumerate() {
            let mut look = |words: &[Word]| {
                for (word, uses) in words {
                    let is_there = |there: &[u8]| there.iter().map(u8::to_ascii_lowercase).eq(word.bytes());
                    let end = at + word.len();
                    if text.get(at..end).is_some_and(is_there) {
                        tell(uses, at, end);
                    }
                }
            };
            look(self.short.at(usize::from(first.to_ascii_lowercase())));
            if let Some(third) = text.get(at + PREFIX - 1) {
                prefix = push(prefix, *third);
                look(self.words.at(bucket(prefix)));
            }
        }
    }
}

/// Words in buckets.
struct Table {
    /// Those of a bucket together.
    words: Vec<Word>,
    /// The words of bucket `b` are `words[begins[b]..begins[b + 1]]`.
    begins: Vec<u16>,
}

impl Table {
    fn new(mut words: Vec<Word>, buckets: usize, bucket_of: impl Fn(&str) -> usize) -> Self {
        words.sort_by_cached_key(|(word, _)| bucket_of(word));
        let mut begins = vec![0; buckets + 1];
        for (word, _) in &words {
            begins[bucket_of(word) + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        Self { words, begins }
    }

    fn at(&self, bucket: usize) -> &[Word] {
        &self.words[usize::from(self.begins[bucket])..usize::from(self.begins[bucket + 1])]
    }
}

/// The last bytes with one more. The bit makes small letters of large ones, and a few signs equal: what is found is
/// compared byte by byte.
fn push(prefix: u32, byte: u8) -> u32 {
    (prefix << 8 | u32::from(byte | 0x20)) & 0x00ff_ffff
}

/// The bucket of a prefix.
fn bucket(prefix: u32) -> usize {
    (prefix.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::{Keywords, Use};

    #[test]
    fn each_keyword_is_found_in_any_case_wherever_it_is() {
        let words = ["@", "-p", "key", "apikey", "pass", "password", "eyj"];
        let keywords = Keywords::new(words.iter().enumerate().map(|(form, word)| (*word, Use::Here(form))).collect());
        let text = "ApiKey@x -P PASSWORD keeyj ke".as_bytes();
        let (mut found, mut wanted) = (Vec::new(), Vec::new());
        keywords.each_in(text, |uses, start, end| found.push((start, uses[0], end)));
        for start in 0..text.len() {
            for (form, word) in words.iter().enumerate() {
                let end = start + word.len();
                let is_there = text.get(start..end).is_some_and(|part| part.to_ascii_lowercase() == word.as_bytes());
                wanted.extend(is_there.then_some((start, Use::Here(form), end)));
            }
        }
        found.sort_unstable();
        assert_eq!(found, wanted);
        for text in ["", "@", "-p", "ke"] {
            let mut count = 0;
            keywords.each_in(text.as_bytes(), |_, _, _| count += 1);
            assert_eq!(count, usize::from(text.starts_with(['@', '-'])), "{text}");
        }
        let both = Keywords::new(vec![("key", Use::Here(1)), ("token", Use::Here(1)), ("key", Use::Also(2))]);
        let mut found = Vec::new();
        both.each_in(b"a KEY", |uses, start, end| found.push((uses.to_vec(), start, end)));
        assert_eq!(found, [(vec![Use::Here(1), Use::Also(2)], 2, 5)]);
    }
}
