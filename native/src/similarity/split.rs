//! Sentence boundaries, and cuts in text that has none.

use std::sync::OnceLock;

use super::characters::{
    back, casefolded, is_decimal, is_digit, is_inside_word, is_letter, is_lowercase, is_spaceless,
    is_word, skip, start,
};
use super::languages::is_stop_word;
use super::table::put;
use crate::data::File;
use crate::fold::append_folded;
use crate::hash::Map;
use crate::space::is_space;

const LONGEST: usize = 60;
const SHORTEST: usize = 8;
const ONE_IN: u32 = 16;
const FEW_CHARACTERS: usize = 400;
const FEW_SPACES: usize = 50;
const LOOK_BACK: usize = 24;
const LOOK_AHEAD: usize = 30;
const NOTE: usize = 20;
/// Marks that may follow a character of a script without spaces.
const MOST_MARKS: usize = 4;

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

/// What is done with a text where its sentences are shown.
const ONLY_SPLIT: u64 = 0;
const ONLY_CUT: u64 = 1;

/// Return the line of each sentence, and where it begins and ends in the text.
pub fn places(text: &str, mode: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |line: u32, sentence: &str| {
        let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
        put(&mut bytes, &[line, start as u32, (start + sentence.len()) as u32]);
    };
    for (number, line) in (0..).zip(text.split('\n')) {
        match mode {
            ONLY_SPLIT => split(line, |sentence| add(number, sentence)),
            ONLY_CUT => cut(line, &mut |sentence| add(number, sentence)),
            _ => sentences(line, |sentence| add(number, sentence)),
        }
    }
    bytes
}

/// Yield the sentences of a text, the long ones cut.
pub fn sentences<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    split(text, |sentence| cut(sentence, &mut each));
}

pub fn split<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let mut start = 0;
    let mut at = 0;
    while let Some((begin, end)) = next_end(text, at) {
        at = end;
        let Some(after) = text[end..].chars().next() else {
            break;
        };
        let ends = if is_space(after) {
            ends_here(text, start, begin, end)
        } else {
            ends_unspaced(&text[..begin], &text[begin..end], after)
        };
        if ends {
            each(trimmed(&text[start..end]));
            start = end;
        }
    }
    let rest = trimmed(&text[start..]);
    if !rest.is_empty() {
        each(rest);
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '\u{37e}') || is_unspaced_mark(c)
}

/// Whether a mark ends a sentence even if no space follows.
fn is_unspaced_mark(c: char) -> bool {
    matches!(c, '।' | '॥' | '؟' | '۔' | '։' | '።' | '။' | '។' | '。' | '．' | '！' | '？' | '｡')
}

/// Whether a byte may begin a mark.
const BEGINS_MARK: [bool; 256] = begins_mark();

const fn begins_mark() -> [bool; 256] {
    let mut begins = [false; 256];
    let bytes = b".!?\xcd\xd6\xd8\xdb\xe0\xe1\xe2\xe3\xef";
    let mut at = 0;
    while at < bytes.len() {
        begins[bytes[at] as usize] = true;
        at += 1;
    }
    begins
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '“' | '‘' | '»' | '«' | '›' | '‹' | ')' | ']' | '}')
        || matches!(c, '」' | '』' | '）' | '】' | '〉' | '》' | '〕' | '］')
}

fn is_opener(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '‘' | '”' | '’' | '«' | '»' | '‹' | '›' | '„' | '‚' | '(' | '[')
        || matches!(c, '{' | '¿' | '¡' | '「' | '『' | '（' | '【' | '*' | '•' | '–' | '—' | '-')
}

/// Find the next marks that may end a sentence, with what they close and notes.
fn next_end(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_start = |at: usize| {
        BEGINS_MARK[usize::from(bytes[at])]
            && (bytes[at].is_ascii() || text[at..].starts_with(is_mark))
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
    let ends = after.map_or(true, |c| is_space(c) || matches!(c, '.' | ',' | ';' | ':' | ')'));
    ends.then(|| space.len_utf8() + closer.len_utf8())
}

/// Whether marks that no space follows end the sentence.
fn ends_unspaced(before: &str, marks: &str, after: char) -> bool {
    let before = before.chars().next_back();
    if !marks.contains(is_unspaced_mark) {
        let spaceless = before.is_some_and(is_spaceless) && is_spaceless(after);
        return spaceless && marks.starts_with(['.', '!', '?']);
    }
    let unfinished =
        matches!(after, '，' | '、' | '；' | '：' | ',' | ';' | ':' | '—' | '～' | '~');
    let inside_number = before.is_some_and(is_digit) && is_digit(after); // 3．5
    !unfinished && !inside_number
}

/// Whether the marks before a space end the sentence.
fn ends_here(text: &str, from: usize, begin: usize, end: usize) -> bool {
    let marks = &text[begin..end];
    let sentence = &text[from..begin];
    let before = &sentence[back(sentence, LOOK_BACK)..];
    let rest = text[end..].trim_start_matches(is_space).trim_start_matches(is_opener);
    let word = start(&rest[..skip(rest, LOOK_AHEAD)], is_word);
    let dot = rest[word.len()..].starts_with('.');
    let lower = word.starts_with(is_lowercase);
    let spaced = before.ends_with(is_space);
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
    if before.len() == sentence.len() && is_numbering(trimmed(before)) {
        return false;
    }
    let token = if spaced {
        ""
    } else {
        let glue = |c: char| is_space(c) || c == '/' || is_opener(c);
        before.rsplit(glue).next().unwrap_or("")
    };
    ends_after(token, word, dot, lower)
}

/// Whether a full stop between a token and a word ends the sentence.
fn ends_after(token: &str, word: &str, dot: bool, lower: bool) -> bool {
    if are_decimal(token) {
        return !(lower || (length(token) <= 2 && is_counted(word, dot)));
    }
    let starts = || word.starts_with(char::is_uppercase) && is_stop_word(&casefolded(word));
    if is_initials(token) {
        let in_name = length(token) == 1 && kinds(&casefolded(word)) & IN_NAMES > 0;
        let another = dot && length(word) == 1;
        return !in_name && !another && starts();
    }
    let small = casefolded(token);
    let of_small = kinds(&small);
    if (kinds(token) | of_small) & OPENING > 0 {
        let upper = token.contains(char::is_uppercase) && !token.contains(is_lowercase);
        return upper && starts(); // in Los Angeles, CA. He
    }
    if of_small & CLOSING > 0 {
        return starts();
    }
    if of_small & COUNTING > 0 {
        return !(lower || word.starts_with(is_decimal) || (word != "I" && is_roman(word)));
    }
    true
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether a word belongs to the ordinal number before it: 3. Oktober, 1. 2. 2010.
fn is_counted(word: &str, dot: bool) -> bool {
    kinds(word) & COUNTED > 0 || (are_decimal(word) && (dot || length(word) == "2010".len()))
}

fn are_decimal(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_decimal)
}

/// J, U.S, e.g
fn is_initials(token: &str) -> bool {
    token.split('.').all(is_one_letter)
}

fn is_one_letter(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(is_letter) && letters.next().is_none()
}

/// 2, 2.1, b, iv
fn is_numbering(text: &str) -> bool {
    let few = (2..=5).contains(&text.len());
    is_one_letter(text)
        || (few && text.bytes().all(|byte| b"ivxIVX".contains(&byte)))
        || text.split('.').all(|part| are_decimal(part) && length(part) <= 3)
}

fn is_roman(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| b"IVXLC".contains(&byte))
}

/// Cut a sentence that is too long after certain words, which are the same in every text.
fn cut<'a>(sentence: &'a str, each: &mut impl FnMut(&'a str)) {
    let at_most = |count| sentence.len() <= count || skip(sentence, count) == sentence.len();
    let few_spaces = || sentence.bytes().filter(|&byte| byte == b' ').count() < FEW_SPACES;
    if at_most(LONGEST)
        || (at_most(FEW_CHARACTERS) && few_spaces() && !sentence.contains(is_spaceless))
        || units(sentence).nth(LONGEST).is_none()
    {
        each(sentence);
        return;
    }
    let mut folded = String::new();
    let (mut start, mut count) = (0, 0);
    for (word, end) in units(sentence) {
        count += 1;
        if count == LONGEST || (count >= SHORTEST && is_edge(word, &mut folded)) {
            each(trimmed(&sentence[start..end]));
            (start, count) = (end, 0);
        }
    }
    let rest = trimmed(&sentence[start..]);
    if !rest.is_empty() {
        each(rest);
    }
}

/// Yield the words of a text and where each ends with the punctuation after it; in scripts without
/// spaces, a character with its marks.
fn units(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + text[at..].find(is_inside_word)?;
        let rest = &text[begin..];
        let mut word = start(rest, |c| is_inside_word(c) && !is_spaceless(c));
        if word.is_empty() {
            let marks = &rest[skip(rest, 1)..];
            let marks = &marks[..skip(marks, MOST_MARKS)];
            let marks = start(marks, |c| is_inside_word(c) && !is_word(c));
            word = &rest[..skip(rest, 1) + marks.len()];
        }
        let end = begin + word.len();
        at = end + start(&text[end..], |c| !is_inside_word(c) && !is_space(c)).len();
        Some((word, at))
    })
}

fn is_edge(word: &str, folded: &mut String) -> bool {
    folded.clear();
    append_folded(word, folded);
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

    fn found(text: &str) -> Vec<&str> {
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
            assert_eq!(found(text), expected);
        }
    }

    #[test]
    fn sentences_of_other_scripts() {
        for marked in [
            "यह एक वाक्य है।| डॉ. राम आए।| क्या हुआ?| कुछ नहीं॥| ठीक है।",
            "هل أنت بخير؟| نعم.| أنا بخير!| شكرا.",
            "یہ ایک جملہ ہے۔| وہ گیا۔| کیوں؟",
            "Սա նախադասություն է։| Նա գնաց։| Լավ է։",
            "Ο Α. Παπαδόπουλος έφυγε.| Πού πήγε\u{37e}| Δεν ξέρω.",
            "이것은 문장입니다.| 그는 갔다.| 왜?| 몰라요.",
            "今天天气很好。|我们去公园吧！|你呢？|好。",
            "他说：「你好。」|她笑了！？|（真的。）|价格是３．５元。",
            "これは文です。|「本当？」|はい、そうです。|終わり",
            "什么！，他说。|走吧.|好",
            "am ٣. ٢. ٢٠١٠ dort",
        ] {
            let expected: Vec<&str> = marked.split('|').map(trimmed).collect();
            assert_eq!(found(&marked.replace('|', "")), expected);
        }
    }

    #[test]
    fn each_character_is_matched_once() {
        for part in [".", ". ", "a. ", "?! ", ".[", ".[a ", ".\u{a0}»", "。", "好。", "x"] {
            let text = part.repeat(10_000);
            let (mut at, mut matched) = (0, 0);
            while let Some((begin, end)) = next_end(&text, at) {
                assert!(begin >= at && end > begin);
                matched += end - begin;
                at = end;
            }
            assert!(matched <= text.len());
            assert_eq!(found(&text).concat().replace(' ', ""), text.replace(' ', ""));
        }
    }

    #[test]
    fn scripts_without_spaces_are_cut_by_characters() {
        let lengths = |text: &str| -> Vec<usize> { found(text).into_iter().map(length).collect() };
        assert_eq!(lengths(&"字".repeat(150)), [60, 60, 30]);
        let marks = format!("ก{}", "ี".repeat(10_000));
        assert!(lengths(&marks).into_iter().all(|length| length <= (1 + MOST_MARKS) * LONGEST));
    }

    #[test]
    fn places_are_those_of_sentences() {
        let text = "One. Two?\n\n好。Three";
        let places = crate::scan::numbers_of(&places(text, 2));
        let found: Vec<(u32, &str)> =
            places.chunks(3).map(|one| (one[0], &text[one[1] as usize..one[2] as usize])).collect();
        assert_eq!(found, [(0, "One."), (0, "Two?"), (2, "好。"), (2, "Three")]);
    }

    #[test]
    fn long_sentences_are_cut_at_the_same_words_in_any_text() {
        let words: Vec<String> = (0..300).map(|number| format!("word{number}")).collect();
        let whole = words.join(" ");
        let pieces = found(&whole);
        assert!(pieces.len() > 3);
        assert!(pieces.iter().all(|one| one.split(' ').count() <= LONGEST));
        assert_eq!(pieces.join(" "), whole);
        let rest = words[40..].join(" ");
        let same = found(&rest).iter().filter(|one| pieces.contains(one)).count();
        assert!(same + 3 >= pieces.len() - 40 / SHORTEST);
    }
}
