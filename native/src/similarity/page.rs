//! A page as a table of its words and sentences, from its text.

use super::characters::{fold, is_capital, is_supported, is_word};
use super::intern::Interner;
use super::languages::{known_numbers, Hits};
use super::numbers::pieces;
use super::split::sentences;
use super::table::{put, Reader, BETWEEN, DIGIT, MARKED};
use super::texts::{joined, main_texts};

/// Words that show the language.
const SAMPLE: usize = 2_000;
/// Where more words begin with a capital (German, headings, tables), capitals mark no names.
const MOST_CAPITALS: f64 = 0.3;
/// Begins an answer that lists the texts to be split by the caller.
const SPLIT_FIRST: u32 = u32::MAX;

const UPPER: u8 = 1;
const LOWER: u8 = 2;
const NUMBER: u8 = 4;
const LOW_LINE: u8 = 8;
const WIDE: u8 = 16;
const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'_' => LOW_LINE,
            128.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    kinds
}

/// Make the table of a page, given as number of nodes, mark and text of each, and the texts that the
/// caller has split; empty if it has no words. Where the caller must split texts, say which.
pub fn prepare(input: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(input);
    let Some(texts) = main_texts(&mut reader)? else {
        return Some(Vec::new());
    };
    let foreign = reader.number()?;
    let foreign = reader.numbers(foreign)?;
    if foreign.is_empty() {
        let others = texts.iter().filter(|(_, text)| !is_plain(text));
        let others: Vec<u32> = others.map(|(node, _)| *node).collect();
        if !others.is_empty() {
            let mut bytes = SPLIT_FIRST.to_le_bytes().to_vec();
            put(&mut bytes, &others);
            return Some(bytes);
        }
    }
    let size: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut words = Words::new(size / 16);
    let (mut ends, mut places) = (Vec::new(), Vec::new());
    let mut next = foreign.iter().peekable();
    for (node, part) in &texts {
        if next.next_if_eq(&node).is_some() {
            for _ in 0..reader.number()? {
                words.add_folded(reader.part()?);
                ends.push(words.numbers.len() as u32);
                places.push(*node);
            }
            words.capitals.push(reader.part()?);
            words.identifiers.push(reader.part()?);
            continue;
        }
        sentences(part, |sentence| {
            if words.add(sentence) {
                ends.push(words.numbers.len() as u32);
                places.push(*node);
            }
        });
    }
    if words.numbers.is_empty() {
        return Some(Vec::new()); // symbols are words where there are no others
    }
    let mut found = Vec::new();
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    if texts.iter().any(|(_, text)| has_digit(text)) {
        pieces(&joined(&texts), &mut found);
    }
    Some(packed(&mut words, &ends, &places, &found))
}

fn is_plain(text: &str) -> bool {
    let odd = |byte: &u8| *byte >= 128 || byte & 0xfc == 0x1c;
    // without an early end, so that the compiler turns it into vector instructions
    let any = text.as_bytes().iter().fold(false, |any, byte| any | odd(byte));
    !any || text.chars().all(is_supported)
}

fn packed(words: &mut Words, ends: &[u32], nodes: &[u32], pieces: &[u8]) -> Vec<u8> {
    let flags = words.flags();
    let size = words.vocabulary.len();
    let mut hits = Hits::default();
    let known = known_numbers(&words.vocabulary);
    let mut vocabulary = Vec::with_capacity(size * 8);
    for (number, about) in words.about.iter().enumerate() {
        if number > 0 {
            vocabulary.push(BETWEEN);
        }
        let word = words.vocabulary.get(number as u32);
        vocabulary.extend_from_slice(word);
        hits.add(word, known[number], about.in_sample);
    }
    let head = [words.numbers.len(), size, ends.len(), vocabulary.len()];
    let mut bytes = Vec::with_capacity(words.numbers.len() * 4 + size * 16 + ends.len() * 8);
    put(&mut bytes, &head.map(|number| number as u32));
    put(&mut bytes, &words.numbers);
    put(&mut bytes, ends);
    put(&mut bytes, nodes);
    bytes.extend_from_slice(&flags);
    bytes.extend(known.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend_from_slice(&vocabulary);
    put(&mut bytes, &hits.counts());
    bytes.extend_from_slice(pieces);
    bytes
}

/// The words of a page, folded and numbered.
struct Words<'a> {
    vocabulary: Interner,
    numbers: Vec<u32>,
    about: Vec<About>,
    folded: String,
    /// Of texts that the caller has split: words with capitals, and identifiers.
    capitals: Vec<&'a [u8]>,
    identifiers: Vec<&'a [u8]>,
}

/// What is known of a word of the vocabulary.
#[derive(Clone, Default)]
struct About {
    count: u32,
    capitals: u32,
    in_sample: u32,
    is_identifier: bool,
    has_digit: bool,
}

impl Words<'_> {
    fn new(expected: usize) -> Self {
        Words {
            vocabulary: Interner::new(expected),
            numbers: Vec::with_capacity(expected * 4),
            about: Vec::with_capacity(expected),
            folded: String::new(),
            capitals: Vec::new(),
            identifiers: Vec::new(),
        }
    }

    /// Add the words of a sentence; return true if it has any.
    fn add(&mut self, sentence: &str) -> bool {
        let bytes = sentence.as_bytes();
        let before = self.numbers.len();
        let mut at = 0;
        while at < bytes.len() {
            let begin = at;
            let mut kinds = 0;
            while let Some(&byte) = bytes.get(at) {
                let kind = KINDS[byte as usize];
                if kind == WIDE {
                    let Some(c) = sentence[at..].chars().next().filter(|&c| is_word(c)) else {
                        break;
                    };
                    at += c.len_utf8();
                } else if kind > 0 {
                    at += 1;
                } else {
                    break;
                }
                kinds |= kind;
            }
            if at > begin {
                self.add_word(&sentence[begin..at], kinds);
            }
            at += sentence[at..].chars().next().map_or(1, char::len_utf8);
        }
        self.numbers.len() > before
    }

    fn add_word(&mut self, word: &str, kinds: u8) {
        let bytes = word.as_bytes();
        let number = if kinds & (UPPER | WIDE) == 0 {
            self.vocabulary.number(bytes)
        } else {
            self.folded.clear();
            if kinds & WIDE == 0 {
                self.folded.push_str(word);
                self.folded.make_ascii_lowercase();
            } else {
                word.chars().for_each(|c| fold(c, false, &mut self.folded));
            }
            self.vocabulary.number(self.folded.as_bytes())
        };
        let is_identifier = kinds & (UPPER | LOW_LINE) > 0 && is_identifier(bytes);
        let about = self.count(number, kinds & NUMBER > 0);
        about.capitals += u32::from(kinds & (UPPER | WIDE) > 0 && word.starts_with(is_capital));
        about.is_identifier |= is_identifier;
    }

    /// Add the words of a sentence that the caller has folded.
    fn add_folded(&mut self, words: &[u8]) {
        for word in words.split(|&byte| byte == BETWEEN) {
            // a mark before the word says whether it has a digit of any script
            let (&mark, word) = word.split_first().unwrap_or((&0, word));
            let number = self.vocabulary.number(word);
            self.count(number, mark == b'1');
        }
    }

    fn count(&mut self, number: u32, has_digit: bool) -> &mut About {
        if number as usize == self.about.len() {
            self.about.push(About { has_digit, ..About::default() });
        }
        let about = &mut self.about[number as usize];
        about.count += 1;
        about.in_sample += u32::from(self.numbers.len() < SAMPLE);
        self.numbers.push(number);
        about
    }

    fn flags(&mut self) -> Vec<u8> {
        let mut capitals: usize = self.about.iter().map(|one| one.capitals as usize).sum();
        for list in std::mem::take(&mut self.capitals) {
            for word in list.split(|&byte| byte == BETWEEN).filter(|w| !w.is_empty()) {
                capitals += 1;
                if let Some(number) = self.vocabulary.find(word) {
                    self.about[number as usize].capitals += 1;
                }
            }
        }
        for list in std::mem::take(&mut self.identifiers) {
            for word in list.split(|&byte| byte == BETWEEN) {
                if let Some(number) = self.vocabulary.find(word) {
                    self.about[number as usize].is_identifier = true;
                }
            }
        }
        let names = capitals as f64 <= MOST_CAPITALS * self.numbers.len() as f64;
        let flag = |about: &About| {
            let is_name = names && about.capitals > 0 && about.capitals >= about.count;
            let marked = about.has_digit || is_name || about.is_identifier;
            (if about.has_digit { DIGIT } else { 0 }) | (if marked { MARKED } else { 0 })
        };
        self.about.iter().map(flag).collect()
    }
}

/// Whether a word is written as identifiers are: camelCase, snake_case.
fn is_identifier(word: &[u8]) -> bool {
    let small = word.iter().position(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit());
    if small.is_some_and(|at| at > 0 && word[at].is_ascii_uppercase()) {
        return true;
    }
    let plain = word.iter().position(|byte| !byte.is_ascii_alphanumeric());
    plain.is_some_and(|at| {
        word[at] == b'_' && word.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
    })
}
