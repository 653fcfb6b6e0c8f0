//! Text → words in one normal form, and their hashes.

use crate::classes::{classes, MARK, SPACE, SPACELESS, WORD};
use crate::fold::fold;
use crate::murmur::murmur;

const SEED: u64 = 0x5CA7;

/// Return the hash of each word of a text, in order.
pub fn word_hashes(text: &str) -> Vec<u64> {
    let folded = fold(text);
    let mut hashes = Vec::with_capacity(folded.len() / 5);
    each_word(&folded, &mut |word| {
        hashes.push(murmur(word.as_bytes(), SEED));
    });
    hashes
}

/// Return the words of a text in order, a line each.
pub fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    each_word(&fold(text), &mut |word| {
        if !words.is_empty() {
            words.push('\n');
        }
        words.push_str(word);
    });
    words
}

/// Return how many words a text has.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    each_word(&fold(text), &mut |_| count += 1);
    count
}

/// Return how many words a text has, where symbols are none.
pub fn count_real_words(text: &str) -> usize {
    let mut count = 0;
    each_real_word(&fold(text), &mut |_| count += 1);
    count
}

/// Call a function with each word of a folded text; with each symbol if it has no words.
pub fn each_word(folded: &str, found: &mut impl FnMut(&str)) {
    if !each_real_word(folded, found) {
        let mut symbol = [0; 4];
        for one in folded.chars() {
            if classes().flags(one) & SPACE == 0 {
                found(one.encode_utf8(&mut symbol));
            }
        }
    }
}

/// Call a function with each word of a folded text; return false if it has none.
fn each_real_word(folded: &str, found: &mut impl FnMut(&str)) -> bool {
    let mut any = false;
    let mut rest = folded;
    loop {
        rest = &rest[skipped(rest)..];
        if rest.is_empty() {
            break;
        }
        let (length, spaceless) = run(rest);
        let (word, others) = rest.split_at(length);
        if spaceless {
            each_piece(word, found);
        } else {
            found(word);
        }
        any = true;
        rest = others;
    }
    any
}

/// Return how many bytes stand before the next word.
fn skipped(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if is_plain_word(byte) {
                break;
            }
            at += 1;
        } else {
            let Some(one) = text[at..].chars().next() else { break };
            if classes().flags(one) & WORD != 0 {
                break;
            }
            at += one.len_utf8();
        }
    }
    at
}

/// Return the length of the word with which a text begins, and if it has to be cut.
fn run(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut seen = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if !is_plain_word(byte) {
                break;
            }
            at += 1;
        } else {
            let Some(one) = text[at..].chars().next() else { break };
            let flags = classes().flags(one);
            if flags & WORD == 0 {
                break;
            }
            seen |= flags;
            at += one.len_utf8();
        }
    }
    (at, seen & SPACELESS != 0)
}

#[inline]
fn is_plain_word(byte: u8) -> bool {
    PLAIN_WORD[usize::from(byte)]
}

static PLAIN_WORD: [bool; 256] = plain_word();

const fn plain_word() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
}

/// Cut a folded word where its script changes, and spaceless scripts into character pairs.
fn each_piece(word: &str, found: &mut impl FnMut(&str)) {
    let is_cut = |one: char| classes().flags(one) & (SPACELESS | MARK) != 0;
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let inside = is_cut(first);
        let end = rest.find(|one| is_cut(one) != inside).unwrap_or(rest.len());
        let (segment, others) = rest.split_at(end);
        if classes().flags(first) & SPACELESS != 0 && segment.len() > first.len_utf8() {
            each_pair(segment, found);
        } else {
            found(segment);
        }
        rest = others;
    }
}

fn each_pair(segment: &str, found: &mut impl FnMut(&str)) {
    let starts = || segment.char_indices().map(|(place, _)| place);
    let ends = starts().skip(2).chain([segment.len()]);
    for (start, end) in starts().zip(ends) {
        found(&segment[start..end]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_scripts() {
        for (text, expected) in [
            ("The Cat's whiskers, 3.50", "the cat s whiskers 3 50"),
            ("na\u{ef}ve Stra\u{df}e", "na\u{ef}ve strasse"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("co\u{ad}opera\u{200b}tion", "cooperation"),
            ("\u{65e5}\u{672c}\u{8a9e}", "\u{65e5}\u{672c} \u{672c}\u{8a9e}"),
            ("iPhone\u{624b}\u{673a}", "iphone \u{624b}\u{673a}"),
            ("\u{4e2d}", "\u{4e2d}"),
            ("\u{2192} \u{2605}", "\u{2192} \u{2605}"),
            ("\u{2192} a", "a"),
            (" \n\t\u{a0}", ""),
            ("", ""),
        ] {
            assert_eq!(words(text).replace('\n', " "), expected, "{text}");
            assert_eq!(count_words(text), expected.split_whitespace().count());
        }
    }

    #[test]
    fn hashes_are_those_of_words() {
        let text = "Two tides a day: \u{4e2d}\u{6587}\u{5b57}";
        let expected: Vec<u64> =
            words(text).split('\n').map(|word| murmur(word.as_bytes(), SEED)).collect();
        assert_eq!(word_hashes(text), expected);
    }
}
