//! A page as a table of its words and sentences, from its text.

use std::collections::BTreeSet;

use super::characters::{has_plain_words, is_capital, is_decimal, is_word, start};
use super::intern::Interner;
use super::languages::{known_numbers, language, Hits, SAMPLE};
use super::numbers::identifying_numbers;
use super::split::sentences;
use super::table::{put, BETWEEN, DIGIT, MARKED};
use super::texts::{joined, main_texts};
use crate::fold::fold;
use crate::words::each_word;

/// Where more words begin with a capital (German, headings, tables), capitals mark no names.
const MOST_CAPITALS: f64 = 0.3;

/// Make the table of a page: return its length, the table, and the language of the page.
///
/// The parts are the marks and the lines of the page, and the language that it declares.
pub fn prepare(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [marks, lines, declared] = parts else { return None };
    let texts = main_texts(marks, lines)?;
    let declared = std::str::from_utf8(declared).ok()?;
    let size: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut words = Words::new(size / 16);
    let (mut ends, mut places) = (Vec::new(), Vec::new());
    for symbols in [false, true] {
        for (node, text) in &texts {
            let plain = !symbols && has_plain_words(text);
            sentences(text, |sentence| {
                let any = if plain {
                    words.add_plain(sentence)
                } else if symbols {
                    words.add(sentence)
                } else {
                    sentence.contains(is_word) && (words.add(sentence) || words.add_blank())
                };
                if any {
                    ends.push(words.numbers.len() as u32);
                    places.push(*node);
                }
            });
            if !plain {
                words.add_names(text);
            }
        }
        if !words.numbers.is_empty() {
            break; // symbols are words only where there are no others
        }
    }
    let has_digit = |text: &str| {
        text.bytes().any(|byte| byte.is_ascii_digit())
            || !text.is_ascii() && text.contains(is_decimal)
    };
    let found = if texts.iter().any(|(_, text)| has_digit(text)) {
        identifying_numbers(&joined(&texts))
    } else {
        BTreeSet::new()
    };
    Some(packed(&mut words, &ends, &places, &found, declared))
}

fn packed(
    words: &mut Words,
    ends: &[u32],
    nodes: &[u32],
    found: &BTreeSet<String>,
    declared: &str,
) -> Vec<u8> {
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
    let found = found.iter().map(String::as_str).collect::<Vec<_>>();
    let lines = found.join("\n");
    let head = [words.numbers.len(), size, ends.len(), vocabulary.len(), found.len(), lines.len()];
    let mut bytes = Vec::with_capacity(words.numbers.len() * 4 + size * 16 + ends.len() * 8);
    put(&mut bytes, &[0]);
    put(&mut bytes, &head.map(|number| number as u32));
    put(&mut bytes, &words.numbers);
    put(&mut bytes, ends);
    put(&mut bytes, nodes);
    bytes.extend_from_slice(&flags);
    bytes.extend(known.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend_from_slice(&vocabulary);
    bytes.extend_from_slice(lines.as_bytes());
    let length = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(language(declared, &hits).as_bytes());
    bytes
}

/// The words of a page, folded and numbered.
struct Words {
    vocabulary: Interner,
    numbers: Vec<u32>,
    about: Vec<About>,
    /// How many words of texts begin with a capital.
    capitals: usize,
    /// What may be a name or an identifier, of texts with words that are not plain.
    names: Vec<Name>,
}

/// A capitalised word or an identifier, which may not be in the vocabulary.
struct Name {
    folded: String,
    is_capital: bool,
    is_identifier: bool,
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

impl Words {
    fn new(expected: usize) -> Self {
        Words {
            vocabulary: Interner::new(expected),
            numbers: Vec::with_capacity(expected * 4),
            about: Vec::with_capacity(expected),
            capitals: 0,
            names: Vec::new(),
        }
    }

    /// Add the words of a sentence; return true if it has any.
    fn add(&mut self, sentence: &str) -> bool {
        let before = self.numbers.len();
        each_word(&fold(sentence), &mut |word| {
            self.count(word);
        });
        self.numbers.len() > before
    }

    /// Add a word without letters: what the sentence has only lengthens others, and is dropped.
    fn add_blank(&mut self) -> bool {
        let number = self.count("");
        self.about[number as usize].is_identifier = true;
        true
    }

    /// Note the names and identifiers of a text whose words were added.
    fn add_names(&mut self, text: &str) {
        let mut rest = text;
        while let Some(begin) = rest.find(is_word) {
            let word = start(&rest[begin..], is_word);
            let (is_capital, is_identifier) = (word.starts_with(is_capital), is_identifier(word));
            self.capitals += usize::from(is_capital);
            if is_capital || is_identifier {
                let folded = fold(word).into_owned();
                self.names.push(Name { folded, is_capital, is_identifier });
            }
            rest = &rest[begin + word.len()..];
        }
    }

    /// Add the words of a sentence of a text that has plain words; return true if it has any.
    fn add_plain(&mut self, sentence: &str) -> bool {
        let before = self.numbers.len();
        for word in sentence.split(|one| !is_word(one)).filter(|word| !word.is_empty()) {
            let number = self.count(&fold(word));
            let about = &mut self.about[number as usize];
            let is_capital = word.starts_with(is_capital);
            about.capitals += u32::from(is_capital);
            about.is_identifier |= is_identifier(word);
            self.capitals += usize::from(is_capital);
        }
        self.numbers.len() > before
    }

    /// Add a folded word; return its number.
    fn count(&mut self, word: &str) -> u32 {
        let number = self.vocabulary.number(word.as_bytes());
        if number as usize == self.about.len() {
            self.about.push(About { has_digit: word.contains(is_decimal), ..About::default() });
        }
        let about = &mut self.about[number as usize];
        about.count += 1;
        about.in_sample += u32::from(self.numbers.len() < SAMPLE);
        self.numbers.push(number);
        number
    }

    fn flags(&mut self) -> Vec<u8> {
        for name in &self.names {
            if let Some(number) = self.vocabulary.find(name.folded.as_bytes()) {
                let about = &mut self.about[number as usize];
                about.capitals += u32::from(name.is_capital);
                about.is_identifier |= name.is_identifier;
            }
        }
        let names = self.capitals as f64 <= MOST_CAPITALS * self.numbers.len() as f64;
        let flag = |about: &About| {
            let is_name = names && about.capitals > 0 && about.capitals >= about.count;
            let marked = about.has_digit || is_name || about.is_identifier;
            (if about.has_digit { DIGIT } else { 0 }) | (if marked { MARKED } else { 0 })
        };
        self.about.iter().map(flag).collect()
    }
}

/// Whether a word is written as identifiers are: camelCase, snake_case.
fn is_identifier(word: &str) -> bool {
    let word = word.as_bytes();
    let small = word.iter().position(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit());
    if small.is_some_and(|at| at > 0 && word[at].is_ascii_uppercase()) {
        return true;
    }
    let plain = word.iter().position(|byte| !byte.is_ascii_alphanumeric());
    plain.is_some_and(|at| {
        word[at] == b'_' && word.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::*;

    /// Return the words of each sentence of a page, with a mark behind numbers and names.
    fn table(texts: &[&str]) -> Vec<String> {
        let marks = vec![0; texts.len()];
        let packed = prepare(&[&marks, texts.join("\n").as_bytes(), b"en"]).unwrap();
        let table = Table::read(&packed[4..packed.len() - 2]).unwrap();
        let shown = |&word: &u32| {
            let mark = ["", "#", "*", "#"][usize::from(table.flags[word as usize] & 3)];
            String::from_utf8_lossy(table.vocabulary[word as usize]).into_owned() + mark
        };
        let starts = std::iter::once(&0).chain(&table.ends);
        let spans = starts.zip(&table.ends).map(|(&from, &to)| from as usize..to as usize);
        let words = spans.map(|span| table.words[span].iter().map(shown).collect::<Vec<String>>());
        words.map(|one| one.join(" ")).collect()
    }

    #[test]
    fn words_of_many_scripts() {
        for (text, expected) in [
            ("we met in Oslo. It was 9.", "we met in oslo*|it* was 9#"),
            ("die straße war im Januar offen", "die strasse war im januar* offen"),
            ("he saw her in har\u{ad}bour Nine", "he saw her in harbour nine*"),
            ("on a cafe\u{301} of Riga I sat", "on a caf\u{e9} of riga* i* sat"),
            ("今天很好。去吧！", "今天 天很 很好|去吧"),
            ("iPhone手机 is a_b", "iphone 手机 is a_b*"),
            ("कि ٣ ２", "कि ٣# 2#"),
            ("♥ \u{640} ♠", "♥ ♠"),
            ("♥ a", "a"),
            ("\u{640}", "*"),
            ("", ""),
        ] {
            assert_eq!(table(&[text]).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn names_of_all_texts_count() {
        // what begins with a capital in one text is a name only if it does so in the others
        assert_eq!(table(&["co\u{ad}op of Riga in it", "so riga is"])[0], "coop of riga in it");
        assert_eq!(table(&["co\u{ad}op of Riga in it", "so it is"])[0], "coop of riga* in it");
    }
}
