//! What identifies: amounts of money, telephone and account numbers.
//!
//! Two products, two results or two entries of a reference look alike because they share a template:
//! they differ in few words, but in those that matter. Dates, years, times and versions identify
//! nothing: they change with every revision of a page.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::characters::{is_decimal, is_word, skip, start};
use crate::space::is_space;

/// Digits and signs of an amount.
const LONGEST_AMOUNT: usize = 21;
/// Digits of a telephone or account number.
const FEWEST_DIGITS: usize = 7;
const MOST_DIGITS: usize = 21;
/// Groups of four behind the country and the check digits of an account number.
const FEWEST_GROUPS: usize = 2;
const MOST_GROUPS: usize = 7;
const CODES: [&str; 12] =
    ["EUR", "GBP", "CHF", "JPY", "CNY", "INR", "RUB", "PLN", "SEK", "NOK", "DKK", "CZK"];
/// Currencies that have a plural, and those that have none.
const COUNTED: [&str; 6] = ["euro", "dollar", "pound", "franc", "ruble", "rupee"];
const UNCOUNTED: [&str; 3] = ["yen", "yuan", "rs."];
const LETTERS: [&str; 4] = ["zł", "Kč", "元", "円"];

/// Return the identifying numbers of a text, each once, in the order of bytes.
pub fn identifying_numbers(text: &str) -> BTreeSet<String> {
    let text = without_dates(text);
    let mut found = BTreeSet::new();
    let (mut after_money, mut after_number, mut at) = (0, 0, 0);
    while let Some(begin) = next_digit(&text, at) {
        at = run(&text, begin).1;
        if begin >= after_money {
            if let Some((amount, end)) = money(&text, begin, after_money) {
                found.insert(value(amount));
                after_money = end;
            }
        }
        if begin >= after_number {
            if let Some((start, end)) = long_number(&text, begin, after_number) {
                found.insert(signs(&text[start..end]));
                after_number = end;
            }
        }
    }
    found
}

/// Find the next digit, of any script.
fn next_digit(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from..bytes.len()).find(|&at| {
        let byte = bytes[at];
        byte.is_ascii_digit() || byte >= 0xc0 && text[at..].starts_with(is_decimal)
    })
}

/// Count the digits that begin at a place; return where they end, too.
fn run(text: &str, begin: usize) -> (usize, usize) {
    let (mut count, mut at) = (0, begin);
    while let Some(end) = digit(text, at) {
        (count, at) = (count + 1, end);
    }
    (count, at)
}

/// Return where the digit ends that begins at a place.
fn digit(text: &str, at: usize) -> Option<usize> {
    let one = text[at..].chars().next().filter(|&one| is_decimal(one))?;
    Some(at + one.len_utf8())
}

fn two_digits(text: &str, at: usize) -> Option<usize> {
    digit(text, digit(text, at)?)
}

/// Return where one of some ASCII characters ends that is at a place.
fn sign(text: &str, at: usize, signs: &[u8]) -> Option<usize> {
    text.as_bytes().get(at).is_some_and(|byte| signs.contains(byte)).then_some(at + 1)
}

fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

fn follows_word(text: &str, at: usize) -> bool {
    before(text, at).is_some_and(is_word)
}

fn is_word_at(text: &str, at: usize) -> bool {
    text[at..].starts_with(is_word)
}

/// Return a text with a space in place of each date.
fn without_dates(text: &str) -> Cow<'_, str> {
    let mut rest = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(begin) = next_digit(text, at) {
        at = match date(text, begin).or_else(|| time_or_years(text, begin)) {
            Some(end) => {
                rest.push_str(&text[copied..begin]);
                rest.push(' ');
                copied = end;
                end
            }
            None => run(text, begin).1,
        };
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    rest.push_str(&text[copied..]);
    Cow::Owned(rest)
}

/// Return where a date ends: 2024-05-06, 6/5/24, 6.5.2024
pub fn date(text: &str, begin: usize) -> Option<usize> {
    if before(text, begin) == Some('.') {
        return None;
    }
    let (first, at) = run(text, begin);
    let (second, at) = run(text, sign(text, at, b"-/.")?);
    let (third, end) = run(text, sign(text, at, b"-/.")?);
    let dated = matches!((first, second, third), (4, 1 | 2, 1 | 2) | (1 | 2, 1 | 2, 2 | 4));
    let goes_on = sign(text, end, b"-/.").and_then(|at| digit(text, at)).is_some();
    (dated && !goes_on).then_some(end)
}

/// Return where a time or years end: 12:30, 12:30:59, 1998–2004, 1998/99, 20240506
fn time_or_years(text: &str, begin: usize) -> Option<usize> {
    if follows_word(text, begin) {
        return None;
    }
    let at_edge = |end: &usize| !is_word_at(text, *end);
    let (count, at) = run(text, begin);
    if count <= 2 {
        let minutes = two_digits(text, sign(text, at, b":")?)?;
        let seconds = sign(text, minutes, b":").and_then(|at| two_digits(text, at));
        return seconds.filter(at_edge).or(Some(minutes).filter(at_edge));
    }
    let is_century = |at: usize| text[at..].starts_with("19") || text[at..].starts_with("20");
    let year = Some(begin).filter(|&begin| is_century(begin))?;
    let year = two_digits(text, year + 2)?;
    let skipped = |at: usize| sign(text, at, b" ").unwrap_or(at);
    let dash = skipped(year);
    let dash = sign(text, dash, b"-/")
        .or_else(|| text[dash..].starts_with('–').then_some(dash + '–'.len_utf8()));
    if let Some(other) = dash.map(skipped) {
        let whole =
            Some(other).filter(|&at| is_century(at)).and_then(|at| two_digits(text, at + 2));
        return whole.filter(at_edge).or_else(|| two_digits(text, other).filter(at_edge));
    }
    let month = match text.as_bytes().get(year..year + 3)? {
        [b'0', b'1'..=b'9', b'0'..=b'3'] | [b'1', b'0'..=b'2', b'0'..=b'3'] => year + 2,
        _ => return None,
    };
    two_digits(text, month).filter(at_edge)
}

/// Return the amount that begins at a place, if a currency is beside it, and where both end.
fn money(text: &str, begin: usize, from: usize) -> Option<(&str, usize)> {
    if matches!(before(text, begin), Some('.' | ',' | '\'')) {
        return None;
    }
    let most = &text[begin..begin + skip(&text[begin..], LONGEST_AMOUNT)];
    let is_inside = |c: char| is_decimal(c) || matches!(c, '.' | ',' | '\'');
    let amount = start(most, is_inside);
    let end = begin + amount.len();
    if currency_before(text, begin).is_some_and(|start| start >= from) {
        return Some((amount, end));
    }
    let at = sign(text, end, b"-").unwrap_or(end);
    let space = text[at..].chars().next().filter(|&one| is_space(one));
    Some((amount, currency_at(text, at + space.map_or(0, char::len_utf8))?))
}

fn is_currency_sign(c: char) -> bool {
    matches!(c, '$' | '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20cf}')
}

fn is_code(code: &str) -> bool {
    let dollars = code.ends_with('D') && code.bytes().all(|byte| byte.is_ascii_uppercase());
    dollars || CODES.contains(&code)
}

/// Return where a currency begins that ends at a place, or before a space there.
fn currency_before(text: &str, end: usize) -> Option<usize> {
    let head = &text[..end];
    let spaced = head.ends_with(is_space);
    let head = head.strip_suffix(is_space).unwrap_or(head);
    let last = head.chars().next_back()?;
    if is_currency_sign(last) {
        return Some(head.len() - last.len_utf8());
    }
    if let Some(found) = LETTERS.iter().find_map(|letters| head.strip_suffix(letters)) {
        return Some(found.len());
    }
    let code = head.len().checked_sub(3).and_then(|start| Some((start, head.get(start..)?)));
    let start = match code {
        Some((start, code)) if spaced && is_code(code) => Some(start),
        _ => {
            let counted = without_end(head, "s").unwrap_or(head);
            let names = COUNTED.iter().find_map(|name| without_end(counted, name));
            let names = names.or_else(|| UNCOUNTED.iter().find_map(|name| without_end(head, name)));
            names.map(str::len)
        }
    };
    start.filter(|&start| !follows_word(head, start))
}

/// Return where a currency ends that begins at a place.
fn currency_at(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    if is_currency_sign(first) {
        return Some(at + first.len_utf8());
    }
    if let Some(letters) = LETTERS.iter().find(|letters| rest.starts_with(**letters)) {
        return Some(at + letters.len());
    }
    if follows_word(text, at) {
        return None;
    }
    if rest.get(..3).is_some_and(is_code) && !is_word_at(rest, 3) {
        return Some(at + 3);
    }
    let counted = COUNTED.iter().find_map(|name| without_start(rest, name));
    let counted = counted.map(|left| without_start(left, "s").unwrap_or(left));
    let left = counted.or_else(|| UNCOUNTED.iter().find_map(|name| without_start(rest, name)))?;
    Some(text.len() - left.len())
}

/// Whether a character is a letter of a name, as regular expressions that ignore case have it.
fn is_same(letter: char, c: char) -> bool {
    c.to_ascii_lowercase() == letter || (letter == 's' && c == 'ſ')
}

fn without_start<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    name.chars()
        .all(|letter| rest.next().is_some_and(|c| is_same(letter, c)))
        .then(|| rest.as_str())
}

fn without_end<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    let same = |letter: char| rest.next_back().is_some_and(|c| is_same(letter, c));
    name.chars().rev().all(same).then(|| rest.as_str())
}

/// Return an amount in one form, however it was written: 1.000,00 and 1,000 are the same.
fn value(amount: &str) -> String {
    let digits = amount.trim_end_matches(['.', ',', '\'']);
    let cents = digits.char_indices().nth_back(1).map_or(0, |(at, _)| at);
    let (whole, cents) = digits.split_at(cents);
    match whole.strip_suffix(['.', ',']) {
        Some(whole) if cents == "00" => format!("${}", signs(whole)),
        Some(whole) if cents.chars().all(is_decimal) => format!("${}.{cents}", signs(whole)),
        _ => format!("${}", signs(amount)),
    }
}

/// Return the capitals and digits of a number.
fn signs(number: &str) -> String {
    number.chars().filter(|c| c.is_ascii_uppercase() || c.is_ascii_digit()).collect()
}

/// Return where a telephone or account number begins and ends whose first digit is at a place.
fn long_number(text: &str, begin: usize, from: usize) -> Option<(usize, usize)> {
    let capitals = begin.checked_sub(2).filter(|&start| {
        start >= from && text.as_bytes()[start..begin].iter().all(u8::is_ascii_uppercase)
    });
    if let Some(start) = capitals {
        let found = Some(start).filter(|&start| !follows_word(text, start));
        return found.and_then(|start| Some((start, account_end(text, begin)?)));
    }
    if before(text, begin).is_some_and(|c| c == '.' || is_word(c)) {
        return None;
    }
    let end = telephone_end(text, begin).or_else(|| dotted_end(text, begin))?;
    Some((begin, end))
}

/// 030 1234-567, +49 (30) 901820
fn telephone_end(text: &str, begin: usize) -> Option<usize> {
    let (mut at, mut found) = (begin, None);
    for count in 1..=MOST_DIGITS {
        let Some(end) = digit(text, at) else {
            break;
        };
        if count >= FEWEST_DIGITS && !is_word_at(text, end) {
            found = Some(end);
        }
        let joint = |at: usize| sign(text, at, b" ()/-").unwrap_or(at);
        at = joint(joint(end));
    }
    found
}

/// 030.1234.567
fn dotted_end(text: &str, begin: usize) -> Option<usize> {
    let (mut groups, mut at) = (0, begin);
    loop {
        let (count, end) = run(text, at);
        if !(2..=4).contains(&count) {
            return None;
        }
        match sign(text, end, b".") {
            Some(next) if groups < 4 => (groups, at) = (groups + 1, next),
            dot => return (groups >= 2 && dot.is_none() && !is_word_at(text, end)).then_some(end),
        }
    }
}

/// GB82 WEST 1234 5698 7654 32
fn account_end(text: &str, begin: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_sign = |at: usize| {
        bytes.get(at).is_some_and(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    let skipped = |at: usize| sign(text, at, b" ").unwrap_or(at);
    let mut ends = vec![two_digits(text, begin)?];
    while ends.len() <= MOST_GROUPS {
        let group = skipped(ends[ends.len() - 1]);
        if !(group..group + 4).all(is_sign) {
            break;
        }
        ends.push(group + 4);
    }
    let groups = ends.iter().skip(FEWEST_GROUPS).rev();
    groups.copied().find_map(|end| {
        let rest = skipped(end);
        let signs = (rest..rest + 3).take_while(|&at| is_sign(at)).count();
        let tails = (1..=signs).rev().map(|length| rest + length);
        tails.chain([end]).find(|&end| !is_word_at(text, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_identifies_a_page() {
        for (text, expected) in [
            ("Call 030 1234-567 by 2024-05-06: $ 3.50, version 2.3.1", "$3.50 0301234567"),
            ("1.000,00 EUR, EUR 1,000, 5,5 euros and 7-yen", "$1000 $55 $7"),
            ("12 Rs. 500 or Rs.500, 9USD, USD 9", "$12 $9"),
            ("GB82 WEST 1234 5698 7654 32 is one", "GB82WEST12345698765432"),
            ("+49 (30) 901820 or 030.1234.567", "0301234567 4930901820"),
            ("6/5/24, 12:30:59, 1998\u{2013}2004, 20240506 and 10.0.0.12", ""),
            ("12345678x, x12345678 and 12.34.56.78.90.12", ""),
            ("٣ 元, ３０ Kč and 12345 67", "$ 1234567"),
            ("no number", ""),
        ] {
            let found: Vec<String> = identifying_numbers(text).into_iter().collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn long_runs_of_digits_are_read_in_one_pass() {
        for part in ["1", "1-", "12.", "1 ", "$1", "19 20", "AB12 CDEF ", "٣"] {
            let text = part.repeat(50_000);
            assert!(identifying_numbers(&text).len() < text.len());
        }
    }
}
