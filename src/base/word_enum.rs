//! Words of records and of the configuration as types: each word is spelled once, where its type is declared.

/// Declares enums of words that stand in records.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* })*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] $(#[$doc])* $value,)*
        }

        impl $name {
            /// All values, in the order of their declaration.
            pub const ALL: [Self; [$(Self::$value),*].len()] = [$(Self::$value),*];

            /// The word in records and files.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }

            /// The value of a word; None when it is another word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.word() == word)
            }

            /// The value of an option that is such a word; status 64 when it is another word.
            pub fn chosen(option: &str, word: &str) -> Result<Self, $crate::base::exit::Failure> {
                Self::from_word(word).ok_or_else(|| {
                    let words = Self::ALL.map(Self::word).join(", ");
                    let (others, last) = words.rsplit_once(", ").unwrap_or(("", &words));
                    let what = format!("unknown {option} '{word}': expected {others} or {last}");
                    $crate::base::exit::Failure::usage(what)
                })
            }
        }
    )* };
}

pub(crate) use words;
