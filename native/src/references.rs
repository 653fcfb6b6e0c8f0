//! Character references.

use std::borrow::Cow;

use crate::entities::{BARE, BARE_FROM, ENTITIES, ENTITIES_FROM};
use crate::scan;

const LONGEST_NAME: usize = 31;
const LAST: u32 = 0x10_FFFF;
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

enum Replacement {
    Text(&'static str),
    Character(char),
}

/// Pass on a text in pieces, with its character references replaced.
pub fn decode(text: &str, attribute: bool, mut out: impl FnMut(&str)) {
    let mut from = 0;
    let mut at = 0;
    while let Some(begin) = scan::find(text.as_bytes(), b'&', at) {
        at = begin + 1;
        let Some((replacement, end)) = reference(text, at, attribute) else {
            continue;
        };
        if from < begin {
            out(&text[from..begin]);
        }
        match replacement {
            Replacement::Text(text) => out(text),
            Replacement::Character(one) => out(one.encode_utf8(&mut [0; 4])),
        }
        from = end;
        at = end;
    }
    if from < text.len() {
        out(&text[from..]);
    }
}

/// Return the value of an attribute.
pub fn decode_value(raw: &str) -> Cow<'_, str> {
    let mut value = Cow::Borrowed(raw);
    if scan::find_any(raw.as_bytes(), *b"&\0", 0) == raw.len() {
        return value; // as nearly all are
    }
    if scan::contains(raw.as_bytes(), b'&') {
        let mut decoded = String::with_capacity(raw.len());
        decode(raw, true, |piece| decoded.push_str(piece));
        value = Cow::Owned(decoded);
    }
    if scan::contains(value.as_bytes(), 0) {
        value = Cow::Owned(value.replace('\0', "\u{fffd}"));
    }
    value
}

/// Return what the reference after an "&" stands for, and where it ends.
fn reference(text: &str, at: usize, attribute: bool) -> Option<(Replacement, usize)> {
    let bytes = text.as_bytes();
    match bytes.get(at)? {
        b'#' => number(bytes, at + 1),
        first if first.is_ascii_alphabetic() => name(text, at, attribute),
        _ => None,
    }
}

fn number(bytes: &[u8], mut at: usize) -> Option<(Replacement, usize)> {
    let base = match bytes.get(at)? {
        b'x' | b'X' => 16,
        _ => 10,
    };
    at += usize::from(base == 16);
    let begin = at;
    let mut value = 0;
    while let Some(digit) = bytes
        .get(at)
        .and_then(|byte| (*byte as char).to_digit(base))
    {
        value = LAST.saturating_add(1).min(value * base + digit);
        at += 1;
    }
    if at == begin {
        return None;
    }
    at += usize::from(bytes.get(at) == Some(&b';'));
    let character = match value {
        0 => '\u{fffd}',
        0x80..=0x9F => WINDOWS[value as usize - 0x80],
        _ => char::from_u32(value).unwrap_or('\u{fffd}'),
    };
    Some((Replacement::Character(character), at))
}

fn name(text: &str, at: usize, attribute: bool) -> Option<(Replacement, usize)> {
    let bytes = text.as_bytes();
    let most = bytes.len().min(at + LONGEST_NAME);
    let mut end = at;
    while end < most && bytes[end].is_ascii_alphanumeric() {
        end += 1;
    }
    if bytes.get(end) == Some(&b';') {
        let some = starting_with(bytes[at], &ENTITIES, &ENTITIES_FROM);
        if let Ok(place) = some.binary_search_by_key(&&text[at..end], |entity| entity.0) {
            return Some((Replacement::Text(some[place].1), end + 1));
        }
    }
    // sorted, so the last one that fits is the longest
    let (name, value) = starting_with(bytes[at], &BARE, &BARE_FROM)
        .iter()
        .rfind(|entity| text[at..end].starts_with(entity.0))?;
    let end = at + name.len();
    let continued = bytes
        .get(end)
        .is_some_and(|next| *next == b'=' || next.is_ascii_alphanumeric());
    if attribute && continued {
        return None;
    }
    Some((Replacement::Text(value), end))
}

fn starting_with<'t, T>(first: u8, sorted: &'t [T], from: &[u16; 129]) -> &'t [T] {
    let first = usize::from(first);
    &sorted[usize::from(from[first])..usize::from(from[first + 1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    fn decoded(text: &str, attribute: bool) -> String {
        let mut found = String::new();
        decode(text, attribute, |piece| found.push_str(piece));
        found
    }

    #[test]
    fn references_in_text() {
        for (text, expected) in [
            ("&amp;&lt&GT;&AMP", "&<>&"),
            ("&notit;&notin;&noti", "\u{ac}it;\u{2209}\u{ac}i"),
            ("&nosuch; &; & &a; &fjlig;", "&nosuch; &; & &a; fj"),
            ("&#65;&#x42&#X43;&# &#x &#xg", "ABC&# &#x &#xg"),
            (
                "&#0;&#xD800;&#x110000;&#99999999999999999999;",
                "\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("&#128;&#x9f;&#129;", "\u{20ac}\u{178}\u{81}"),
            ("&CounterClockwiseContourIntegral;", "\u{2233}"),
        ] {
            assert_eq!(decoded(text, false), expected, "{text}");
        }
        let zeros = format!("&#{}65;", "0".repeat(5_000));
        assert_eq!(decoded(&zeros, false), "A");
    }

    #[test]
    fn references_in_attributes_need_an_end() {
        assert_eq!(
            decoded("&lt;&copy=1&copy;&ampx&amp", true),
            "<&copy=1\u{a9}&ampx&"
        );
        assert_eq!(decode_value("a\0&amp;"), "a\u{fffd}&");
        assert!(matches!(decode_value("plain"), Cow::Borrowed("plain")));
    }
}
