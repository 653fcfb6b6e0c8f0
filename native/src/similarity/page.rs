//! A page as a table of its words and sentences, from its text.

use super::characters::{fold, is_capital, is_supported, is_word, start, SEPARATOR};
use super::intern::Interner;
use super::numbers::pieces;
use super::split::sentences;
use super::table::{put, Reader, BETWEEN, DIGIT, MARKED};

/// Words that show the language.
const SAMPLE: u32 = 2_000;
/// Where more words begin with a capital (German, headings, tables), capitals mark no names.
const MOST_CAPITALS: f64 = 0.3;

/// Make the table of a page, given as number of texts, node of each, and the texts; nothing if it
/// has characters that are left to the twin, or no words.
pub fn prepare(input: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(input);
    let count = reader.number()?;
    let nodes = reader.numbers(count)?;
    let text = std::str::from_utf8(reader.rest()).ok()?;
    let supported = |c| is_supported(c) || c == SEPARATOR;
    if !text.chars().all(supported) || text.split(SEPARATOR).count() != count {
        return Some(Vec::new());
    }
    let mut words = Words::new(text.len() / 16);
    let (mut ends, mut places) = (Vec::new(), Vec::new());
    for (&node, part) in nodes.iter().zip(text.split(SEPARATOR)) {
        sentences(part, |sentence| {
            if words.add(sentence) {
                ends.push(words.numbers.len() as u32);
                places.push(node);
            }
        });
    }
    if ends.is_empty() {
        return Some(Vec::new()); // symbols are words where there are no others
    }
    let mut found = Vec::new();
    if text.bytes().any(|byte| byte.is_ascii_digit()) {
        pieces(&text.replace(SEPARATOR, " "), &mut found);
    }
    Some(packed(&words, &ends, &places, &found))
}

fn packed(words: &Words, ends: &[u32], nodes: &[u32], pieces: &[u8]) -> Vec<u8> {
    let size = words.vocabulary.len();
    let mut vocabulary = Vec::with_capacity(size * 8);
    for number in 0..size as u32 {
        if number > 0 {
            vocabulary.push(BETWEEN);
        }
        vocabulary.extend_from_slice(words.vocabulary.get(number));
    }
    let head = [words.numbers.len(), size, ends.len(), vocabulary.len()];
    let mut bytes = Vec::with_capacity(words.numbers.len() * 4 + size * 16 + ends.len() * 8);
    put(&mut bytes, &head.map(|number| number as u32));
    put(&mut bytes, &words.numbers);
    put(&mut bytes, ends);
    put(&mut bytes, nodes);
    bytes.extend(words.flags());
    bytes.extend_from_slice(&vocabulary);
    put(&mut bytes, &words.in_sample());
    bytes.extend_from_slice(pieces);
    bytes
}

/// The words of a page, folded and numbered.
struct Words {
    vocabulary: Interner,
    numbers: Vec<u32>,
    about: Vec<About>,
    folded: String,
}

/// What is known of a word of the vocabulary.
#[derive(Clone, Default)]
struct About {
    count: u32,
    capitals: u32,
    in_sample: u32,
    has_digit: bool,
    is_identifier: bool,
}

impl Words {
    fn new(expected: usize) -> Self {
        Words {
            vocabulary: Interner::new(expected),
            numbers: Vec::with_capacity(expected * 4),
            about: Vec::with_capacity(expected),
            folded: String::new(),
        }
    }

    /// Add the words of a sentence; return true if it has any.
    fn add(&mut self, sentence: &str) -> bool {
        let before = self.numbers.len();
        let mut rest = sentence;
        while let Some(begin) = rest.find(is_word) {
            let word = start(&rest[begin..], is_word);
            self.add_word(word);
            rest = &rest[begin + word.len()..];
        }
        self.numbers.len() > before
    }

    fn add_word(&mut self, word: &str) {
        self.folded.clear();
        for c in word.chars() {
            fold(c, false, &mut self.folded);
        }
        let number = self.vocabulary.number(self.folded.as_bytes());
        if number as usize == self.about.len() {
            self.about.push(About {
                has_digit: word.bytes().any(|byte| byte.is_ascii_digit()),
                ..About::default()
            });
        }
        let about = &mut self.about[number as usize];
        about.count += 1;
        about.capitals += u32::from(word.starts_with(is_capital));
        about.in_sample += u32::from(self.numbers.len() < SAMPLE as usize);
        about.is_identifier |= is_identifier(word.as_bytes());
        self.numbers.push(number);
    }

    fn flags(&self) -> impl Iterator<Item = u8> + '_ {
        let capitals: u32 = self.about.iter().map(|about| about.capitals).sum();
        let names = f64::from(capitals) <= MOST_CAPITALS * self.numbers.len() as f64;
        self.about.iter().map(move |about| {
            let is_name = names && about.capitals > 0 && about.capitals >= about.count;
            let marked = about.has_digit || is_name || about.is_identifier;
            (if about.has_digit { DIGIT } else { 0 }) | (if marked { MARKED } else { 0 })
        })
    }

    fn in_sample(&self) -> Vec<u32> {
        self.about.iter().map(|about| about.in_sample).collect()
    }
}

/// Whether a word is written as identifiers are: camelCase, snake_case.
fn is_identifier(word: &[u8]) -> bool {
    let small = word
        .iter()
        .position(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit());
    if small.is_some_and(|at| at > 0 && word[at].is_ascii_uppercase()) {
        return true;
    }
    let plain = word.iter().position(|byte| !byte.is_ascii_alphanumeric());
    plain.is_some_and(|at| {
        word[at] == b'_' && word.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
    })
}
