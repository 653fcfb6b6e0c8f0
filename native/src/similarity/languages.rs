//! Words that have a class in some language: stop words, negations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::intern::Interner;
use crate::data::File;

pub const ENGLISH: u8 = 0;
pub const STOP_WORD: u8 = 1;
pub const NEGATION: u8 = 2;
pub const NEGATED_VERB: u8 = 4;
pub const NEGATING_END: u8 = 8;
/// Each language has a bit.
const MOST_LANGUAGES: usize = 32;

/// Words that have a class in some language, in the order of bytes.
struct KnownWords {
    numbers: Interner,
    classes: Vec<Classes>,
    languages: usize,
}

/// The classes of a known word.
#[derive(Clone, Copy, Default)]
struct Classes {
    /// A bit for each language of which it is a stop word.
    stop_word: u32,
    /// A bit for each language in which it negates.
    negation: u32,
    /// Its other classes in English.
    english: u8,
}

fn known_words() -> &'static KnownWords {
    static KNOWN: OnceLock<KnownWords> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let path = include_str!("../../../dedup_middleware/data/stop_words.txt");
        let file = File::new(path);
        let mut known: BTreeMap<&str, Classes> = BTreeMap::new();
        let codes: Vec<&str> = file.names().filter(|name| !name.contains(' ')).collect();
        for (language, code) in codes.iter().enumerate() {
            for word in file.words(code) {
                known.entry(word).or_default().stop_word |= 1 << language;
            }
            for word in file.words(&format!("{code} negations")) {
                let classes = known.entry(word).or_default();
                classes.stop_word |= 1 << language;
                classes.negation |= 1 << language;
            }
        }
        for (name, class) in [("negated verbs", NEGATED_VERB), ("negating ends", NEGATING_END)] {
            for word in file.words(name) {
                known.entry(word).or_default().english |= class;
            }
        }
        let mut numbers = Interner::new(known.len());
        for word in known.keys() {
            numbers.number(word.as_bytes());
        }
        KnownWords { numbers, classes: known.into_values().collect(), languages: codes.len() }
    })
}

/// Counts the stop words of each language.
#[derive(Default)]
pub struct Hits {
    all: [u32; MOST_LANGUAGES],
    distinct: [u32; MOST_LANGUAGES],
    /// How many distinct words are not ASCII.
    wide: u32,
}

impl Hits {
    /// Add a distinct word, with its number among known words, that occurs so often.
    pub fn add(&mut self, word: &[u8], known: u16, times: u32) {
        if times == 0 {
            return;
        }
        self.wide += u32::from(!word.is_ascii());
        let mut left = classes(known).stop_word;
        while left > 0 {
            let language = left.trailing_zeros() as usize;
            self.all[language] += times;
            self.distinct[language] += 1;
            left &= left - 1;
        }
    }

    /// Return how many words are not ASCII, then all hits, then the distinct ones.
    pub fn counts(&self) -> Vec<u32> {
        let languages = known_words().languages;
        let hits = self.all[..languages].iter().chain(&self.distinct[..languages]);
        std::iter::once(&self.wide).chain(hits).copied().collect()
    }
}

/// Return the number among known words of each word of a vocabulary, from 1 on; 0 if it has no class.
pub fn known_numbers(vocabulary: &Interner) -> Vec<u16> {
    let known = &known_words().numbers;
    let words = 0..vocabulary.len() as u32;
    words.map(|word| from_one(known.find_same(vocabulary, word))).collect()
}

fn from_one(number: Option<u32>) -> u16 {
    number.map_or(0, |number| number as u16 + 1)
}

/// Return the classes that a known word has in a language.
pub fn class(known: u16, language: u8) -> u8 {
    if known == 0 || usize::from(language) >= MOST_LANGUAGES {
        return 0;
    }
    let classes = classes(known);
    let if_set = |bits: u32, class: u8| if bits >> language & 1 == 1 { class } else { 0 };
    let english = if language == ENGLISH { classes.english } else { 0 };
    if_set(classes.stop_word, STOP_WORD) | if_set(classes.negation, NEGATION) | english
}

/// Whether a word is a stop word of any language.
pub fn is_stop_word(word: &str) -> bool {
    let known = from_one(known_words().numbers.find(word.as_bytes()));
    classes(known).stop_word != 0
}

fn classes(known: u16) -> Classes {
    let place = usize::from(known).wrapping_sub(1);
    known_words().classes.get(place).copied().unwrap_or_default()
}
