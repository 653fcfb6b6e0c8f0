//! White space, as Python's `str.split` sees it, and characters counted as in Python.

use crate::scan::{equal, word_of, HIGHS, ONES, WORD};

/// Return true if a character is white space.
pub fn is_space(one: char) -> bool {
    matches!(one, '\t'..='\r' | '\x1c'..=' ' | '\u{85}' | '\u{a0}' | '\u{1680}'
        | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// A byte begins a character that is white space, surely or perhaps.
const SURE: u8 = 1;
const PERHAPS: u8 = 2;
static BEGINS: [u8; 256] = begins();

const fn begins() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte <= b' ' {
        if (byte >= b'\t' && byte <= b'\r') || byte >= 0x1c {
            table[byte as usize] = SURE;
        }
        byte += 1;
    }
    table[0xc2] = PERHAPS;
    table[0xe1] = PERHAPS;
    table[0xe2] = PERHAPS;
    table[0xe3] = PERHAPS;
    table
}

fn is_space_at(text: &str, at: usize) -> Option<usize> {
    let one = text.get(at..)?.chars().next()?;
    is_space(one).then_some(one.len_utf8())
}

/// Return where the word ends that begins at a place.
pub fn word_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match BEGINS[usize::from(bytes[at])] {
            SURE => break,
            PERHAPS if is_space_at(text, at).is_some() => break,
            _ => at += 1,
        }
    }
    at
}

/// Return true if eight bytes have no white space but single spaces, surely, given the one behind.
fn is_plain(word: u64, next: u8) -> bool {
    let spaces = equal(word, b' ');
    let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    if controls | (spaces & spaces >> 8) != 0 {
        return false;
    }
    let ends = spaces >> 63 == 0 || BEGINS[usize::from(next)] == 0;
    let begins = |byte: u8| equal(word, byte) != 0;
    ends && (word & HIGHS == 0 || !(begins(0xc2) || begins(0xe1) || begins(0xe2) || begins(0xe3)))
}

/// Return where the words end that begin at a place and have single spaces between them.
pub fn words_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    if bytes.get(at) == Some(&b' ') {
        return at;
    }
    loop {
        while let Some([eight @ .., next]) = bytes.get(end..end + WORD + 1) {
            if !is_plain(word_of(eight), *next) {
                break;
            }
            end += WORD;
        }
        let most = end + WORD;
        while end < most {
            end = word_end(text, end);
            match (bytes.get(end), bytes.get(end + 1)) {
                (Some(b' '), Some(next)) if end > at && BEGINS[usize::from(*next)] == 0 => end += 1,
                _ => return end,
            }
        }
    }
}

const SPACES: &[u8] = &[b' '; WORD];

/// Return where the white space ends that begins at a place.
pub fn space_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while at < bytes.len() {
        // as most of it is: lines that are indented
        while let Some(SPACES) = bytes.get(at..at + WORD) {
            at += WORD;
        }
        let Some(byte) = bytes.get(at) else { break };
        at += match BEGINS[usize::from(*byte)] {
            SURE => 1,
            PERHAPS => match is_space_at(text, at) {
                Some(size) => size,
                None => break,
            },
            _ => break,
        };
    }
    at
}

/// Go through the parts of a text between white space.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut at = space_end(text, 0);
    std::iter::from_fn(move || {
        let (start, end) = (at, word_end(text, at));
        at = space_end(text, end);
        (end > start).then(|| &text[start..end])
    })
}

/// Return no more than so many characters of a text.
pub fn first_characters(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().nth(most);
    end.map_or(text, |(place, _)| &text[..place])
}

/// Return how many characters a text has.
pub fn characters(text: &str) -> usize {
    // bytes that continue a character don't count; so few at a time that the sum fits in a byte
    let begins = |byte: &u8| u8::from(byte & 0xC0 != 0x80);
    let chunks = text.as_bytes().chunks(128);
    chunks.map(|chunk| usize::from(chunk.iter().map(begins).sum::<u8>())).sum()
}

/// Return a text with single spaces.
pub fn folded(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for part in split(text) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_before_other_space() {
        let plain = "words and single spaces, some of them \u{e9}t\u{e9} \u{4e2d} and so on";
        for space in ["  ", "\t", " \u{a0}", "\u{3000}", "\n "] {
            for size in 0..plain.len() {
                let Some(words) = plain.get(..size).map(str::trim_end) else {
                    continue;
                };
                let text = format!("{words}{space}{plain}");
                assert_eq!(words_end(&text, 0), words.len(), "{text:?}");
            }
        }
        assert_eq!(words_end(plain, 0), plain.len());
        assert_eq!(words_end(" a", 0), 0);
        assert_eq!(words_end("a ", 0), 1);
    }
}
