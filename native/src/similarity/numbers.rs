//! The pieces of a text that may have identifying numbers: amounts, telephones, accounts.
//!
//! What they are is decided by the caller, who need not look at the rest of the text.

use super::characters::{back, skip, SEPARATOR};

const BEFORE: usize = 12;
const AFTER: usize = 48;
const NEAR: usize = 24;
const FEWEST_DIGITS: usize = 6;
const LONGEST: usize = 9; // " dollars"
const CURRENCIES: [&str; 21] = [
    "euro", "dollar", "pound", "franc", "ruble", "rupee", "yen", "yuan", "rs", "eur", "gbp", "chf",
    "jpy", "cny", "inr", "rub", "pln", "sek", "nok", "dkk", "czk",
];

/// Add the pieces of a text around what may be an identifying number.
pub fn pieces(text: &str, found: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let (mut at, mut end) = (0, 0);
    let mut piece = 0..0;
    while let Some(begin) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let begin = at + begin;
        let digits = number_end(bytes, begin, &mut end);
        at = end;
        if (digits >= FEWEST_DIGITS && !is_date(text, begin, end))
            || is_account(bytes, begin)
            || currency_before(&text[..begin])
            || currency_after(&text[end..])
        {
            let (from, to) = around(text, begin, end);
            if from > piece.end || piece.end == 0 {
                add(&text[piece], found);
                piece = from..to;
            } else {
                piece.end = to;
            }
        }
    }
    add(&text[piece], found);
}

fn add(piece: &str, found: &mut Vec<u8>) {
    if !piece.is_empty() {
        if !found.is_empty() {
            found.push(SEPARATOR as u8);
        }
        found.extend_from_slice(piece.as_bytes());
    }
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b' ' | b'(' | b')' | b'/' | b'-' | b'.')
}

/// Count the digits of a number; set the end of it and of signs that may belong to it.
fn number_end(bytes: &[u8], begin: usize, end: &mut usize) -> usize {
    let (mut digits, mut joints, mut at) = (0, 0, begin);
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_digit() {
            digits += 1;
            joints = 0;
            *end = at + 1;
        } else if is_joint(byte) && joints < 2 {
            joints += 1;
        } else {
            break;
        }
        at += 1;
    }
    digits
}

/// Whether a number is a date such as 2024-05-06 or 6/5/24, which identifies nothing.
fn is_date(text: &str, begin: usize, end: usize) -> bool {
    let mut lengths = [0; 4];
    for (count, part) in text[begin..end].split(['-', '/', '.']).enumerate() {
        if count == 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        lengths[count] = part.len();
    }
    let dated = matches!(lengths, [4, 1 | 2, 1 | 2, 0] | [1 | 2, 1 | 2, 2 | 4, 0]);
    dated && !text[..begin].ends_with(['.', '+', '-', '/'])
}

/// Whether two capitals and two digits begin here.
fn is_account(bytes: &[u8], begin: usize) -> bool {
    let before = &bytes[begin.saturating_sub(2)..begin];
    before.len() == 2
        && before.iter().all(u8::is_ascii_uppercase)
        && bytes.get(begin + 1).is_some_and(u8::is_ascii_digit)
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | ',' | '\'' | '-')
}

fn is_sign(c: char) -> bool {
    matches!(c, '$' | '\u{5143}' | '\u{5186}')
        || ('\u{a2}'..='\u{a5}').contains(&c)
        || ('\u{20a0}'..='\u{20cf}').contains(&c)
}

fn is_code(word: &str) -> bool {
    word.len() == 3 && word.ends_with('D') && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn currency_before(text: &str) -> bool {
    let text = text[back(text, NEAR + LONGEST)..].trim_end_matches(is_between);
    if text.ends_with(is_sign) || is_code(&text[back(text, 3)..]) {
        return true;
    }
    let tail = &text[back(text, LONGEST)..];
    if tail.is_ascii() {
        let start = tail.bytes().rposition(|byte| !byte.is_ascii_alphanumeric());
        return is_currency(&tail[start.map_or(0, |at| at + 1)..]);
    }
    let word = tail.to_lowercase();
    let single = word.strip_suffix('s').unwrap_or(&word);
    let ends = |name: &&str| {
        let before = word.strip_suffix(name).or_else(|| single.strip_suffix(name));
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    word.ends_with("k\u{10d}") || word.ends_with("z\u{142}") || CURRENCIES.iter().any(ends)
}

/// Whether an ASCII word is the name of a currency, or several of it.
fn is_currency(word: &str) -> bool {
    let is = |name: &&str| match word.len().wrapping_sub(name.len()) {
        0 => word.eq_ignore_ascii_case(name),
        1 => word[..name.len()].eq_ignore_ascii_case(name) && word.ends_with(['s', 'S']),
        _ => false,
    };
    CURRENCIES.iter().any(is)
}

fn currency_after(text: &str) -> bool {
    let text = text[..skip(text, NEAR + LONGEST)].trim_start_matches(is_between);
    if text.starts_with(is_sign) || is_code(&text[..skip(text, 3)]) {
        return true;
    }
    let head = &text[..skip(text, LONGEST)];
    if head.is_ascii() {
        let begins = |name: &&str| {
            let part = head.get(..name.len());
            part.is_some_and(|part| part.eq_ignore_ascii_case(name))
        };
        return CURRENCIES.iter().any(begins);
    }
    let word = head.to_lowercase();
    word.starts_with("k\u{10d}")
        || word.starts_with("z\u{142}")
        || CURRENCIES.iter().any(|name| word.starts_with(name))
}

/// Widen a range by some characters, and on to where no number is cut.
fn around(text: &str, begin: usize, end: usize) -> (usize, usize) {
    let is_inside = |c: char| c.is_ascii_digit() || " ()/-.,':+".contains(c);
    let from = back(&text[..begin], BEFORE);
    let from = text[..from].trim_end_matches(is_inside).len();
    let to = end + skip(&text[end..], AFTER);
    let to = text.len() - text[to..].trim_start_matches(is_inside).len();
    (from, to)
}
