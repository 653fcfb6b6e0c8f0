//! Stop words: how many of each language a text has.

use std::sync::OnceLock;

use super::abbreviations::{LANGUAGES, STARTERS, STARTER_LANGUAGES};
use super::intern::Interner;

/// Counts the stop words of each language.
pub struct Hits {
    all: [u32; LANGUAGES],
    distinct: [u32; LANGUAGES],
    /// How many distinct words are not ASCII.
    wide: u32,
}

impl Default for Hits {
    fn default() -> Self {
        Hits {
            all: [0; LANGUAGES],
            distinct: [0; LANGUAGES],
            wide: 0,
        }
    }
}

impl Hits {
    /// Add a distinct word that occurs so often.
    pub fn add(&mut self, word: &[u8], times: u32) {
        if times == 0 {
            return;
        }
        self.wide += u32::from(!word.is_ascii());
        let Some(number) = stop_words().find(word) else {
            return;
        };
        let mut left = STARTER_LANGUAGES[number as usize];
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

fn stop_words() -> &'static Interner {
    static NUMBERS: OnceLock<Interner> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let mut numbers = Interner::new(STARTERS.len());
        for word in STARTERS {
            numbers.number(word.as_bytes());
        }
        numbers
    })
}
