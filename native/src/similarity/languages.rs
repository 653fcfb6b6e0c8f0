//! Words that have a class in some language: stop words, negations.

use std::sync::OnceLock;

use super::intern::Interner;
use super::known_words::{ENGLISH_CLASSES, KNOWN_WORDS, LANGUAGES, NEGATIONS, STOP_WORDS};

pub use super::known_words::{ENGLISH, NEGATED_VERB, NEGATING_END, NEGATION, STOP_WORD};

/// Counts the stop words of each language.
#[derive(Default)]
pub struct Hits {
    all: [u32; LANGUAGES],
    distinct: [u32; LANGUAGES],
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
        let mut left = of_known(&STOP_WORDS, known);
        while left > 0 {
            let language = left.trailing_zeros() as usize;
            self.all[language] += times;
            self.distinct[language] += 1;
            left &= left - 1;
        }
    }

    /// Return how many words are not ASCII, then all hits, then the distinct ones.
    pub fn counts(&self) -> Vec<u32> {
        let hits = self.all.iter().chain(&self.distinct);
        std::iter::once(&self.wide).chain(hits).copied().collect()
    }
}

/// Return the number among known words of each word of a vocabulary, from 1 on; 0 if it has no class.
pub fn known_numbers(vocabulary: &Interner) -> Vec<u16> {
    let known = known_words();
    let words = 0..vocabulary.len() as u32;
    words
        .map(|word| from_one(known.find_same(vocabulary, word)))
        .collect()
}

fn from_one(number: Option<u32>) -> u16 {
    number.map_or(0, |number| number as u16 + 1)
}

/// Return the classes that a known word has in a language.
pub fn class(known: u16, language: u8) -> u8 {
    let has = |masks: &[u32]| of_known(masks, known) >> (language & 31) & 1 == 1;
    if known == 0 || usize::from(language) >= LANGUAGES {
        return 0;
    }
    let mut class = 0;
    if has(&STOP_WORDS) {
        class |= STOP_WORD;
    }
    if has(&NEGATIONS) {
        class |= NEGATION;
    }
    if language == ENGLISH {
        class |= of_known(&ENGLISH_CLASSES, known);
    }
    class
}

/// Whether a word is a stop word of any language.
pub fn is_stop_word(word: &str) -> bool {
    of_known(&STOP_WORDS, from_one(known_words().find(word.as_bytes()))) != 0
}

fn of_known<T: Copy + Default>(values: &[T], known: u16) -> T {
    let place = usize::from(known).wrapping_sub(1);
    values.get(place).copied().unwrap_or_default()
}

fn known_words() -> &'static Interner {
    static NUMBERS: OnceLock<Interner> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let mut numbers = Interner::new(KNOWN_WORDS.len());
        for word in KNOWN_WORDS {
            numbers.number(word.as_bytes());
        }
        numbers
    })
}
