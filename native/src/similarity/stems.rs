//! Stems of the words of an English page.

use super::languages::{class, ENGLISH, STOP_WORD};
use super::porter::{stem, LONGEST};
use super::table::{Table, BETWEEN};

/// Return the stem of each word of the vocabulary of a table, none for stop words. Nothing at all if
/// nltk must be asked: a word is in Cherokee, whose folded letters are capitals, or no UTF-8.
pub fn english_stems(table: &[u8]) -> Option<Vec<u8>> {
    let table = Table::read(table)?;
    let mut stems = Vec::with_capacity(table.vocabulary.len() * 8);
    let mut letters = Vec::with_capacity(LONGEST + 1);
    for (place, (word, &known)) in table.vocabulary.iter().zip(&table.known).enumerate() {
        if place > 0 {
            stems.push(BETWEEN);
        }
        if class(known, ENGLISH) & STOP_WORD > 0 {
            continue;
        }
        if word.is_ascii() {
            if word.len() > LONGEST {
                stems.extend_from_slice(word);
                continue;
            }
            letters.clear();
            letters.extend_from_slice(word);
            stem(&mut letters);
            stems.extend_from_slice(&letters);
        } else {
            match std::str::from_utf8(word) {
                Ok(word) if !word.contains(is_cherokee) => put_wide(word, &mut letters, &mut stems),
                _ => return Some(Vec::new()),
            }
        }
    }
    Some(stems)
}

fn is_cherokee(letter: char) -> bool {
    matches!(letter, '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}')
}

/// Append the stem of a word with letters beyond ASCII.
fn put_wide(word: &str, letters: &mut Vec<u8>, stems: &mut Vec<u8>) {
    if word.chars().nth(LONGEST).is_some() {
        stems.extend_from_slice(word.as_bytes());
        return;
    }
    // a byte for each letter: no rule knows those beyond ASCII, but they must stay different
    let mut wide: Vec<char> = Vec::new();
    letters.clear();
    for letter in word.chars() {
        letters.push(if letter.is_ascii() {
            letter as u8
        } else {
            let known = wide.iter().position(|&one| one == letter);
            let place = known.unwrap_or_else(|| {
                wide.push(letter);
                wide.len() - 1
            });
            128 + place as u8
        });
    }
    stem(letters);
    let mut bytes = [0; 4];
    for &letter in letters.iter() {
        let letter = match letter {
            128.. => wide[usize::from(letter) - 128],
            _ => char::from(letter),
        };
        stems.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
    }
}
