//! The words of a unit with what they state: numbers, names, addresses, denials.

use super::characters::{is_capital, is_decimal, is_spaceless, is_word};
use super::languages::stops_or_denies;
use super::porter;
use crate::data::File;
use crate::fold::fold;
use crate::hash::Map;
use crate::murmur::murmur;
use crate::names::is_sign;

/// A number, or a word that says of what there is so much.
pub const NUMBER: u8 = 1;
/// A name or an identifier.
pub const NAME: u8 = 2;
/// A part of an address: of mail, of the web, of an account.
pub const ADDRESS: u8 = 4;
pub const NEGATION: u8 = 8;
/// Not a stop word, and not a sign.
pub const CONTENT: u8 = 16;
/// A word behind a number, which says of what there is so much.
const MEASURE: u8 = 32;
/// A sign that states something.
pub const SIGN: u8 = 64;
/// A character of a script that does not divide words.
const ALONE: u8 = 128;

const SEED: u64 = 0xFAC7;
/// Characters of letters and digits together that make a word an account or a wallet.
const ACCOUNT: usize = 16;
/// Words of a unit that is nothing but a date or a counter.
const MOST_VOLATILE: usize = 24;
/// Words of it that are neither a name nor listed.
const MOST_OTHERS: usize = 1;

/// First letters that deny the rest of a word, and how many letters that has at least.
const DENYING: [&str; 7] = ["un", "in", "im", "il", "ir", "dis", "non"];
const LEAST_DENIED: usize = 4;

/// What follows the number of a part of something else.
const ELSEWHERE: [&str; 9] = ["of", "des", "der", "du", "de", "del", "della", "do", "van"];
/// Years before this one are no dates of edit.
const FIRST_EDIT: &str = "1990";

const LABEL: u8 = 1;
const EDITED: u8 = 2;
const COUNTED: u8 = 4;
const DATE: u8 = 8;
const NUMBERED: u8 = 16;

/// A word or a sign.
#[derive(Clone, Copy)]
pub struct Token {
    pub word: u64,
    pub stem: u64,
    /// The stem of what a word denies by its first letters (unfair: fair); 0 for most words.
    pub denied: u64,
    pub flags: u8,
}

/// Return the words and signs of a unit.
pub fn tokens(text: &str, is_heading: bool) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(text.len() / 5 + 1);
    let mut is_numbered = true; // by what stands before: nothing at the beginning of a unit
    let mut chunks = text.split(' ').peekable();
    let mut place = 0;
    while let Some(chunk) = chunks.next() {
        let name = chunk.trim_matches(|one| !is_word(one));
        let is_address = is_address(name);
        // section 7 of an act is no part of this text, section 7.1 of it may be
        let next = chunks.peek().filter(|_| place > 0 && !chunk.contains('.'));
        let is_own = !next.is_some_and(|next| ELSEWHERE.contains(next));
        let is_first = place == 0 && !is_heading;
        let is_number = is_numbered && is_own && is_numbering(chunk, is_first) || is_note(chunk);
        place += 1;
        let begin = found.len();
        let mut rest = chunk;
        let mut before = ' ';
        while let Some(first) = rest.chars().next() {
            let length =
                if first == '\\' && rest[1..].starts_with(|one: char| one.is_ascii_alphabetic()) {
                    let end = rest[1..].find(|one: char| !one.is_ascii_alphabetic());
                    end.map_or(rest.len(), |end| end + 1) // a command of TeX
                } else if is_word(first) && first != '_' {
                    let length = word_length(rest, first);
                    let flags = if is_address { ADDRESS } else { 0 };
                    let token = word(&rest[..length], flags, before, found.last());
                    found.push(token);
                    length
                } else {
                    let length = first.len_utf8();
                    let next = rest[length..].chars().next();
                    let is_minus = matches!(first, '-' | '\u{2212}')
                        && !is_word(before)
                        && next.is_some_and(is_decimal);
                    // C# is not C
                    let is_part = first == '#' && is_word(before);
                    let states = is_stating(first) || is_minus || is_part;
                    if states || is_sign(first, before, next) {
                        let word = murmur(rest[..length].as_bytes(), SEED);
                        let flags = if states { SIGN } else { 0 };
                        found.push(Token { word, stem: word, denied: 0, flags });
                    }
                    length
                };
            before = rest[..length].chars().next_back().unwrap_or(' ');
            rest = &rest[length..];
        }
        if is_address && !is_number {
            // a path says something else if any part of it is another, or one more
            let word = murmur(name.as_bytes(), SEED);
            found.push(Token { word, stem: word, denied: 0, flags: ADDRESS });
        }
        if is_number {
            found[begin..].iter_mut().for_each(|one| one.flags &= CONTENT);
        }
        is_numbered = is_numbered_word(chunk);
        // "Table 3" names nothing, an "Index of Tables" does
        if is_numbered && chunks.peek().is_some_and(|next| is_numbering(next, false)) {
            found[begin..].iter_mut().for_each(|one| one.flags &= !NAME);
        }
    }
    if let Some(first) = found.first_mut().filter(|first| first.flags & CONTENT == 0) {
        first.flags &= !NAME; // every sentence begins with a capital
    }
    mark_measures(&mut found);
    join_spaceless(&mut found);
    found
}

/// A character says little: where words are not divided, each is looked up with the next.
fn join_spaceless(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        if tokens[at - 1].flags & tokens[at].flags & ALONE > 0 {
            let next = tokens[at].word;
            tokens[at - 1].stem = tokens[at - 1].word.rotate_left(17) ^ next;
        }
    }
}

/// Whether a text without spaces numbers what follows it, or what is told before it: 5.4.3, E.21
fn is_numbering(chunk: &str, is_first: bool) -> bool {
    let chunk = chunk.trim_matches(|one: char| one.is_ascii_punctuation() && one != '.');
    let plain = chunk.trim_end_matches('.');
    let parts = || plain.split('.');
    // a part of an address is 0, a thousand has three digits
    let is_one = !plain.contains('.');
    let is_part = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            && (is_one || part.len() < 3 && !part.starts_with('0'))
            || part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    let is_divided = plain.len() < chunk.len() || parts().count() > 2;
    !plain.is_empty()
        && parts().all(|part| !part.is_empty() && is_part(part))
        && (is_divided || !is_first)
}

/// Whether a sign states something on its own: an amount, a comparison, a yes or no.
pub fn is_stating(one: char) -> bool {
    matches!(one, '<' | '>' | '$' | '%' | '+' | '=' | '±' | '£' | '¥' | '°' | '@')
        || matches!(one, '\u{20a0}'..='\u{20cf}' | '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// Whether a text without spaces has the mark of a note: word[23]
fn is_note(chunk: &str) -> bool {
    let Some(begin) = chunk.rfind('[') else { return false };
    let inside = chunk[begin + 1..].trim_end_matches(|one: char| one != ']');
    let inside = inside.strip_suffix(']').unwrap_or("");
    let is_number = !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !chunk[..begin].contains(is_decimal)
}

/// Whether numbers behind a word mean nothing on another page.
fn is_numbered_word(chunk: &str) -> bool {
    let word = chunk.trim_matches(|one| !is_word(one));
    word.len() <= 24 && classes().get(fold(word).as_ref()).is_some_and(|bits| bits & NUMBERED > 0)
}

/// Return the addresses, paths and identifiers of a text.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split(' ').map(|chunk| chunk.trim_matches(|one| !is_word(one)));
    names.filter(|name| is_address(name) || is_mixed(name))
}

/// Whether a text without spaces is an address or the number of an account.
fn is_address(chunk: &str) -> bool {
    if chunk.len() < 5 {
        return false;
    }
    let at = chunk.find('@');
    at.is_some_and(|at| at > 0 && at + 1 < chunk.len())
        || chunk.contains("://")
        || is_path(chunk)
        || chunk.len() >= ACCOUNT
            && chunk.bytes().any(|byte| byte.is_ascii_digit())
            && chunk.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether a text without spaces is a qualified name or a path: core::fmt, org.apache.math, usr/bin/x
fn is_path(chunk: &str) -> bool {
    let bytes = chunk.as_bytes();
    let joins = |at: usize, length: usize| {
        let is_name = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        is_name(bytes.get(at.wrapping_sub(1))) && is_name(bytes.get(at + length))
    };
    let qualified = chunk.match_indices("::").any(|(at, _)| joins(at, 2));
    let joined = |one: &(usize, u8)| matches!(one.1, b'.' | b'/') && joins(one.0, 1);
    let has_letters =
        bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count() > bytes.len() / 2;
    let snake =
        chunk.match_indices('_').any(|(at, _)| at > 1 && joins(at, 1) && at + 2 < bytes.len());
    qualified
        || snake
        || has_letters && bytes.iter().copied().enumerate().filter(joined).count() >= 2
}

fn word_length(text: &str, first: char) -> usize {
    if is_spaceless(first) {
        return first.len_utf8();
    }
    text.find(|one| !is_word(one) || one == '_' || is_spaceless(one)).unwrap_or(text.len())
}

fn word(text: &str, flags: u8, before: char, last: Option<&Token>) -> Token {
    if text.starts_with(is_spaceless) {
        let hash = murmur(text.as_bytes(), SEED);
        let denies = text.starts_with(['不', '没', '沒', '无', '無', '非', '未', '勿', '否']);
        let class = if denies { NEGATION } else { 0 };
        return Token { word: hash, stem: hash, denied: 0, flags: flags | CONTENT | ALONE | class };
    }
    let folded = fold(text);
    if let Some(number) = spelled(&folded) {
        let hash = murmur(number.as_bytes(), SEED);
        return Token { word: hash, stem: hash, denied: 0, flags: flags | NUMBER | CONTENT };
    }
    let hash = murmur(without_ordinal(&folded).as_bytes(), SEED);
    let mut flags = flags;
    let has_digit = text.chars().any(is_decimal);
    if has_digit {
        flags |= NUMBER;
    }
    if text.starts_with(is_capital) && text.chars().nth(1).is_some() {
        flags |= NAME;
    }
    if is_mixed(text) {
        flags |= ADDRESS;
    }
    let is_denied = folded == "t" && matches!(before, '\'' | '’') && last.is_some();
    let (is_stop_word, denies) = stops_or_denies(&folded);
    if is_denied || denies {
        flags |= NEGATION;
    } else if !is_stop_word {
        flags |= CONTENT;
    }
    let folded = without_ordinal(&folded);
    let stem = if has_digit { hash } else { stem_of(folded) };
    Token { word: hash, stem, denied: denied_stem(folded), flags }
}

/// Return the hash of the stem of a word in small letters.
pub fn stem_of(word: &str) -> u64 {
    if !word.is_ascii() || word.len() > porter::LONGEST {
        return murmur(word.as_bytes(), SEED);
    }
    let mut stem = word.as_bytes().to_vec();
    porter::stem(&mut stem);
    murmur(&stem, SEED)
}

/// Return the stem of what a word denies by its first letters; 0 if it may not deny anything.
fn denied_stem(word: &str) -> u64 {
    let rest = DENYING.iter().find_map(|first| word.strip_prefix(first));
    rest.filter(|rest| rest.len() >= LEAST_DENIED).map_or(0, stem_of)
}

/// Return the digits of a number that is written as a word; one may be a pronoun.
fn spelled(word: &str) -> Option<&'static str> {
    Some(match word {
        "two" => "2",
        "three" => "3",
        "four" => "4",
        "five" => "5",
        "six" => "6",
        "seven" => "7",
        "eight" => "8",
        "nine" => "9",
        "ten" => "10",
        "eleven" => "11",
        "twelve" => "12",
        "thirteen" => "13",
        "fourteen" => "14",
        "fifteen" => "15",
        "sixteen" => "16",
        "seventeen" => "17",
        "eighteen" => "18",
        "nineteen" => "19",
        "twenty" => "20",
        "thirty" => "30",
        "forty" => "40",
        "fifty" => "50",
        "sixty" => "60",
        "seventy" => "70",
        "eighty" => "80",
        "ninety" => "90",
        "hundred" => "100",
        "thousand" => "1000",
        _ => return None,
    })
}

/// Return a number without the ending that makes it a rank: the 31st is the 31.
fn without_ordinal(word: &str) -> &str {
    match word.find(|one| !is_decimal(one)) {
        Some(end) if end > 0 && matches!(&word[end..], "st" | "nd" | "rd" | "th") => &word[..end],
        _ => word,
    }
}

/// Whether a word is written as identifiers are: camelCase, PascalCase.
fn is_mixed(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// A word behind a number may say of what there is so much.
fn mark_measures(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let after_number = tokens[at - 1].flags & NUMBER > 0 && tokens[at - 1].flags & CONTENT > 0;
        if after_number && tokens[at].flags & (NUMBER | CONTENT) == CONTENT {
            tokens[at].flags |= MEASURE;
        }
    }
}

impl Token {
    /// Return what the word states, as one of the facts; 0 if it states nothing.
    pub fn fact(&self) -> u8 {
        let flags = if self.flags & MEASURE > 0 { self.flags | NUMBER } else { self.flags };
        flags & (NUMBER | NAME | ADDRESS)
    }
}

/// Whether a unit is nothing but a date of edit or a counter, with its label.
pub fn is_volatile(text: &str) -> bool {
    if text.len() > 16 * MOST_VOLATILE || !text.chars().any(is_decimal) {
        return false;
    }
    if text.starts_with('\u{a9}') {
        let numbers = text.split(|one| !is_decimal(one)).filter(|one| !one.is_empty());
        return numbers.map(str::len).all(|length| length == 4) && !text.contains('@');
    }
    let classes = classes();
    let (mut seen, mut count) = (0, 0);
    let (mut is_label, mut is_listed, mut is_edited) = (true, true, false);
    // a date follows what is edited, and perhaps a name: no thing, no measure, no story
    let (mut others, mut is_dated, mut after_edited, mut after_number) = (0, true, false, false);
    for word in text.split(|one| !is_word(one)).filter(|word| !word.is_empty()) {
        count += 1;
        if word.chars().all(is_decimal) || is_ordinal(word) {
            (after_edited, after_number) = (false, true);
            is_dated &= word.len() != FIRST_EDIT.len() || word >= FIRST_EDIT;
            continue;
        }
        let class = classes.get(fold(word).as_ref()).copied().unwrap_or(0);
        if class & !NUMBERED == 0 {
            let is_name = word.starts_with(is_capital);
            others += usize::from(!is_name);
            is_dated &= !(after_edited || after_number && !is_name);
        }
        (after_edited, after_number) = (class & EDITED > 0, false);
        is_listed &= class & !NUMBERED != 0;
        is_label &= class & (LABEL | EDITED) > 0;
        is_edited |= is_label && class & EDITED > 0;
        seen |= class;
    }
    let is_edited = is_edited && is_dated && others <= MOST_OTHERS;
    count <= MOST_VOLATILE && (is_edited || is_listed && seen & (EDITED | COUNTED) > 0)
}

/// Whether a word is part of a date or of a time of day.
pub fn is_date_word(word: &str) -> bool {
    classes().get(fold(word).as_ref()).is_some_and(|bits| bits & DATE > 0)
}

fn is_ordinal(word: &str) -> bool {
    let rest = word.trim_start_matches(is_decimal);
    rest.len() < word.len()
        && matches!(rest, "st" | "nd" | "rd" | "th" | "h" | "T" | "Z" | "am" | "pm")
}

fn classes() -> &'static Map<&'static str, u8> {
    static CLASSES: std::sync::OnceLock<Map<&str, u8>> = std::sync::OnceLock::new();
    let text = include_str!("../../../dedup_middleware/data/volatile.txt");
    CLASSES
        .get_or_init(|| File::new(text).bits(&["labels", "edited", "counted", "dates", "numbered"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> usize {
        tokens(text, false).iter().filter(|one| one.fact() > 0).count()
    }

    #[test]
    fn what_words_state() {
        assert_eq!(facts("take it twice a day"), 0);
        assert_eq!(facts("take 20 mg of it"), 2);
        assert_eq!(facts("5.4.3. see section 7.1, and a note[23]"), 0);
        assert_eq!(facts("20 of them"), 1);
        assert_eq!(facts("10.0.0.1 is it"), 4);
        assert_eq!(facts("1.500.000 of them"), 3);
        assert_eq!(facts("see section 7 of the act, and 7 here"), 2);
        assert_eq!(facts("in org.apache.math of it"), 4);
        assert_eq!(facts("write to anna@example.org now"), 4);
        assert_eq!(facts("we went to Oslo in May with her"), 2);
        assert_eq!(facts("see the Index of Tables and Table 3 there"), 2);
        assert_eq!(tokens("don't", false).iter().filter(|one| one.flags & NEGATION > 0).count(), 1);
    }

    #[test]
    fn dates_of_edit_and_counters() {
        for text in [
            "Last modified: 12 May 2024 10:33:01 UTC",
            "1,234 views",
            "Updated 3 days ago",
            "Letzte Änderung am 3. Mai 2020",
            "Published 23 October 2018 by the Daily Courier staff",
            "Copyright © 2019 Travis",
            "© 2012-2024 Acme Inc.",
        ] {
            assert!(is_volatile(text), "{text}");
        }
        for text in [
            "12 May 2024",
            "Price: 12",
            "Room 14",
            "The law was published on 12 May 2024",
            "views",
            "The published price is 41 euros.",
            "Built 1920 by John Smith",
            "© 2024 Acme Inc. Call 555-1234 to order.",
            "Updated 12 May: the bridge is open again.",
        ] {
            assert!(!is_volatile(text), "{text}");
        }
    }
}
