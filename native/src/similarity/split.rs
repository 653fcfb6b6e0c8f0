//! Sentence boundaries, and cuts in text that has none.

use std::sync::OnceLock;

use super::characters::{back, fold, is_word, skip, start};
use super::languages::is_stop_word;
use crate::data::File;
use crate::hash::Map;

const LONGEST: usize = 60;
const SHORTEST: usize = 8;
const ONE_IN: u32 = 16;
const FEW_CHARACTERS: usize = 400;
const FEW_SPACES: usize = 50;
const LOOK_BACK: usize = 24;
const LOOK_AHEAD: usize = 30;
const NOTE: usize = 20;

const OPENING: u8 = 1;
const CLOSING: u8 = 2;
const COUNTING: u8 = 4;
const IN_NAMES: u8 = 8;
const COUNTED: u8 = 16;
const SECTIONS: [&str; 5] = ["opening", "closing", "counting", "in names", "counted"];

/// Return what `data/abbreviations.txt` says of a word, as bits.
fn kinds(word: &str) -> u8 {
    static KINDS: OnceLock<Map<&str, u8>> = OnceLock::new();
    let text = include_str!("../../../dedup_middleware/data/abbreviations.txt");
    let kinds = KINDS.get_or_init(|| File::new(text).bits(&SECTIONS));
    kinds.get(word).copied().unwrap_or(0)
}

/// Yield the sentences of a text, the long ones cut.
pub fn sentences<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let mut start = 0;
    let mut at = 0;
    while let Some((begin, end)) = next_end(text, at) {
        at = end;
        let Some(after) = text[end..].chars().next() else {
            break;
        };
        if after.is_whitespace() && ends_here(text, start, begin, end) {
            cut(text[start..end].trim(), &mut each);
            start = end;
        }
    }
    let rest = text[start..].trim();
    if !rest.is_empty() {
        cut(rest, &mut each);
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…')
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '“' | '‘' | '»' | '«' | '›' | '‹' | ')' | ']' | '}')
}

fn is_opener(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '‘' | '”' | '’' | '«' | '»' | '‹' | '›' | '„' | '‚' | '(' | '[')
        || matches!(c, '{' | '¿' | '¡' | '*' | '•' | '–' | '—' | '-')
}

/// Find the next marks that may end a sentence, with what they close and notes.
fn next_end(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_start = |at: usize| match bytes[at] {
        b'.' | b'!' | b'?' => true,
        0xe2 => bytes[at..].starts_with("…".as_bytes()),
        _ => false,
    };
    let begin = (from..bytes.len()).find(|&at| is_start(at))?;
    let mut end = begin + start(&text[begin..], is_mark).len();
    loop {
        let rest = &text[end..];
        end += match rest.chars().next() {
            Some(c) if is_closer(c) => c.len_utf8(),
            Some('[') => match note(rest) {
                Some(length) => length,
                None => break,
            },
            Some(' ' | '\u{a0}' | '\u{202f}') => match spaced_closer(rest) {
                Some(length) => length,
                None => break,
            },
            _ => break,
        };
    }
    Some((begin, end))
}

/// Return the length of a note: [3], [citation needed].
fn note(text: &str) -> Option<usize> {
    let inside = start(&text[1..], |c| is_word(c) || c == ' ');
    let length = inside.chars().take(NOTE + 1).count();
    let closed = text[1 + inside.len()..].starts_with(']');
    (closed && (1..=NOTE).contains(&length)).then_some(inside.len() + 2)
}

/// Return the length of a space and what it closes: French puts one before it.
fn spaced_closer(text: &str) -> Option<usize> {
    let mut characters = text.chars();
    let space = characters.next()?;
    let closer = characters.next().filter(|c| matches!(c, '»' | '›'))?;
    let after = characters.next();
    let ends =
        after.map_or(true, |c| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | ')'));
    ends.then(|| space.len_utf8() + closer.len_utf8())
}

/// Whether the marks before a space end the sentence.
fn ends_here(text: &str, from: usize, begin: usize, end: usize) -> bool {
    let marks = &text[begin..end];
    let sentence = &text[from..begin];
    let before = &sentence[back(sentence, LOOK_BACK)..];
    let rest = text[end..].trim_start().trim_start_matches(is_opener);
    let word = start(&rest[..skip(rest, LOOK_AHEAD)], is_word);
    let dot = rest[word.len()..].starts_with('.');
    let lower = word.starts_with(char::is_lowercase);
    let spaced = before.ends_with(char::is_whitespace);
    if lower && (spaced || !marks.ends_with(is_mark)) {
        return false; // a ? as placeholder, or “Why?” he asked
    }
    if marks.starts_with("..") || marks.starts_with('…') {
        return !word.is_empty() && !lower && word != "I";
    }
    if !marks.starts_with('.') {
        return true;
    }
    if dot && word.is_empty() {
        return false; // . . .
    }
    if before.len() == sentence.len() && is_numbering(before.trim()) {
        return false;
    }
    let token = if spaced {
        ""
    } else {
        let glue = |c: char| c.is_whitespace() || c == '/' || is_opener(c);
        before.rsplit(glue).next().unwrap_or("")
    };
    ends_after(token, word, dot, lower)
}

/// Whether a full stop between a token and a word ends the sentence.
fn ends_after(token: &str, word: &str, dot: bool, lower: bool) -> bool {
    if is_decimal(token) {
        return !(lower || (token.len() <= 2 && is_counted(word, dot)));
    }
    let starts = || word.starts_with(char::is_uppercase) && is_stop_word(&casefolded(word));
    if is_initials(token) {
        let single = token.chars().nth(1).is_none();
        let in_name = single && kinds(&casefolded(word)) & IN_NAMES > 0;
        let another = dot && word.chars().count() == 1;
        return !in_name && !another && starts();
    }
    let small = casefolded(token);
    let of_small = kinds(&small);
    if (kinds(token) | of_small) & OPENING > 0 {
        let upper = token.chars().any(char::is_uppercase);
        return upper && !token.chars().any(is_small) && starts(); // in Los Angeles, CA. He
    }
    if of_small & CLOSING > 0 {
        return starts();
    }
    if of_small & COUNTING > 0 {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        return !(lower || number || (word != "I" && is_roman(word)));
    }
    true
}

/// Whether `str.isupper` fails for what has this character: title case fails too.
fn is_small(c: char) -> bool {
    c.is_lowercase() || matches!(c, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ')
}

/// Whether a word belongs to the ordinal number before it: 3. Oktober, 1. 2. 2010.
fn is_counted(word: &str, dot: bool) -> bool {
    kinds(word) & COUNTED > 0 || (is_decimal(word) && (dot || word.len() == "2010".len()))
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_letter(c: char) -> bool {
    is_word(c) && c != '_' && !c.is_ascii_digit()
}

/// J, U.S, e.g
fn is_initials(token: &str) -> bool {
    !token.is_empty()
        && token.split('.').all(|part| {
            let mut letters = part.chars();
            letters.next().is_some_and(is_letter) && letters.next().is_none()
        })
}

/// 2, 2.1, b, iv
fn is_numbering(text: &str) -> bool {
    let mut characters = text.chars();
    let one_letter = characters.next().is_some_and(is_letter) && characters.next().is_none();
    let few = (2..=5).contains(&text.len());
    one_letter
        || (few && text.bytes().all(|byte| b"ivxIVX".contains(&byte)))
        || text.split('.').all(|part| part.len() <= 3 && is_decimal(part))
}

fn is_roman(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| b"IVXLC".contains(&byte))
}

fn casefolded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    text.chars().for_each(|c| fold(c, true, &mut folded));
    folded
}

/// Cut a sentence that is too long after certain words, which are the same in every text.
fn cut<'a>(sentence: &'a str, each: &mut impl FnMut(&'a str)) {
    let short = sentence.len() <= FEW_CHARACTERS
        || sentence.chars().take(FEW_CHARACTERS + 1).count() <= FEW_CHARACTERS;
    let few = sentence.len() <= LONGEST
        || (short && sentence.bytes().filter(|&byte| byte == b' ').count() < FEW_SPACES);
    if few || units(sentence, 0).nth(LONGEST).is_none() {
        each(sentence);
        return;
    }
    let (mut start, mut count) = (0, 0);
    for (word, end) in units(sentence, 0) {
        count += 1;
        if count == LONGEST || (count >= SHORTEST && is_edge(word)) {
            each(sentence[start..end].trim());
            (start, count) = (end, 0);
        }
    }
    let rest = sentence[start..].trim();
    if !rest.is_empty() {
        each(rest);
    }
}

/// Yield the words of a text and where each ends with the punctuation after it.
fn units(text: &str, from: usize) -> impl Iterator<Item = (&str, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let begin = at + text[at..].find(is_word)?;
        let word = start(&text[begin..], is_word);
        let end = begin + word.len();
        at = end + start(&text[end..], |c| !is_word(c) && !c.is_whitespace()).len();
        Some((word, at))
    })
}

fn is_edge(word: &str) -> bool {
    let mut folded = String::with_capacity(word.len());
    word.chars().for_each(|c| fold(c, false, &mut folded));
    crc32(folded.as_bytes()) % ONE_IN == 0
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut state = !0u32;
    for &byte in bytes {
        state ^= u32::from(byte);
        for _ in 0..8 {
            state = state >> 1 ^ (0xedb8_8320 & (state & 1).wrapping_neg());
        }
    }
    !state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        sentences(text, |sentence| found.push(sentence));
        found
    }

    #[test]
    fn ends_of_sentences() {
        for (text, expected) in [
            ("", &[][..]),
            ("One. Two? Three!", &["One.", "Two?", "Three!"]),
            (
                "Dr. Who paid 3.50 for No. 5. He left.",
                &["Dr. Who paid 3.50 for No. 5.", "He left."],
            ),
            ("It was so, e.g. here. Then not.", &["It was so, e.g. here.", "Then not."]),
            ("J. R. Doe came. So did I.", &["J. R. Doe came.", "So did I."]),
            (
                "He said: \u{201c}No!\u{201d} She left.",
                &["He said: \u{201c}No!\u{201d}", "She left."],
            ),
            ("Wait ... and see", &["Wait ... and see"]),
            ("It ended.[3] Then more.", &["It ended.[3]", "Then more."]),
            ("am 3. Oktober war es so", &["am 3. Oktober war es so"]),
        ] {
            assert_eq!(split(text), expected);
        }
    }

    #[test]
    fn long_sentences_are_cut_at_the_same_words_in_any_text() {
        let words: Vec<String> = (0..300).map(|number| format!("word{number}")).collect();
        let whole = words.join(" ");
        let found = split(&whole);
        assert!(found.len() > 3);
        assert!(found.iter().all(|one| one.split(' ').count() <= LONGEST));
        assert_eq!(found.join(" "), whole);
        let rest = words[40..].join(" ");
        let same = split(&rest).iter().filter(|one| found.contains(one)).count();
        assert!(same + 3 >= found.len() - 40 / SHORTEST);
    }
}
