//! Where words are in a text, in any case: keywords of secrets, and what patterns need. The text is read once, and each three bytes are looked up
//! in a table. An automaton of all words takes milliseconds to make, more than a start may; the table takes microseconds.

/// The bytes of a word's prefix, by which it is looked up.
const PREFIX: usize = 3;
/// Bits of a bucket's number: there are eight times as many buckets as words.
const BITS: u32 = 12;

/// A word, in small letters.
struct Keyword<U> {
    text: &'static str,
    uses: Vec<U>,
    /// The next one of its bucket.
    next: Link,
}

/// One more than the place of a word; 0 where there is none.
type Link = u16;

/// Words, each with its uses.
pub struct Keywords<U> {
    words: Vec<Keyword<U>>,
    /// The first word of each bucket, by the hash of a prefix.
    by_prefix: Vec<Link>,
    /// Of those that are shorter than a prefix, by their first byte.
    short: Vec<Link>,
}

impl<U> Keywords<U> {
    /// From words in small letters. One can come several times, each time with one use.
    pub fn new(all: impl IntoIterator<Item = (&'static str, U)>) -> Self {
        let mut keywords =
            Self { words: Vec::new(), by_prefix: vec![0; 1 << BITS], short: vec![0; usize::from(u8::MAX) + 1] };
        all.into_iter().for_each(|(word, used)| keywords.add(word, used));
        keywords
    }

    fn add(&mut self, word: &'static str, used: U) {
        let first = match *word.as_bytes() {
            [a, b, c, ..] => &mut self.by_prefix[bucket([a, b, c].into_iter().fold(0, push))],
            [first, ..] => &mut self.short[usize::from(first)],
            [] => return,
        };
        let mut at = *first;
        while let Some(known) = at.checked_sub(1).map(|at| &mut self.words[usize::from(at)]) {
            if known.text == word {
                known.uses.push(used);
                return;
            }
            at = known.next;
        }
        self.words.push(Keyword { text: word, uses: vec![used], next: *first });
        *first = Link::try_from(self.words.len()).expect("fewer words than links");
    }

    /// Calls `tell` for each keyword in a text with its uses, its start and its end, in the order of the starts.
    pub fn each_in(&self, text: &[u8], mut tell: impl FnMut(&[U], usize, usize)) {
        let mut prefix = text.iter().take(PREFIX - 1).copied().fold(0, push);
        for (at, first) in text.iter().enumerate() {
            let mut look = |mut link: Link| {
                while let Some(Keyword { text: word, uses, next }) =
                    link.checked_sub(1).map(|at| &self.words[usize::from(at)])
                {
                    let end = at + word.len();
                    if text.get(at..end).is_some_and(|there| there.eq_ignore_ascii_case(word.as_bytes())) {
                        tell(uses, at, end);
                    }
                    link = *next;
                }
            };
            look(self.short[usize::from(first.to_ascii_lowercase())]);
            if let Some(third) = text.get(at + PREFIX - 1) {
                prefix = push(prefix, *third);
                look(self.by_prefix[bucket(prefix)]);
            }
        }
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
    use super::Keywords;

    #[test]
    fn each_keyword_is_found_in_any_case_wherever_it_is() {
        let words = ["@", "-p", "key", "apikey", "pass", "password", "eyj"];
        let keywords = Keywords::new(words.iter().enumerate().map(|(form, word)| (*word, form)));
        let text = "ApiKey@x -P PASSWORD keeyj ke".as_bytes();
        let (mut found, mut wanted) = (Vec::new(), Vec::new());
        keywords.each_in(text, |uses, start, end| found.push((start, uses[0], end)));
        for start in 0..text.len() {
            for (form, word) in words.iter().enumerate() {
                let end = start + word.len();
                let is_there = text.get(start..end).is_some_and(|part| part.to_ascii_lowercase() == word.as_bytes());
                wanted.extend(is_there.then_some((start, form, end)));
            }
        }
        found.sort_unstable();
        assert_eq!(found, wanted);
        for text in ["", "@", "-p", "ke"] {
            let mut count = 0;
            keywords.each_in(text.as_bytes(), |_, _, _| count += 1);
            assert_eq!(count, usize::from(text.starts_with(['@', '-'])), "{text}");
        }
        let both = Keywords::new([("key", 'a'), ("token", 'a'), ("key", 'b')]);
        let mut found = Vec::new();
        both.each_in(b"a KEY", |uses, start, end| found.push((uses.to_vec(), start, end)));
        assert_eq!(found, [(vec!['a', 'b'], 2, 5)]);
    }
}
