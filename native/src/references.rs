//! Character references.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::data::{numbers, File};
use crate::hash::{Map, Set};
use crate::scan;

const LONGEST_NAME: usize = 31;
const LONGEST_BARE: usize = 6;
const LAST: u32 = 0x10_FFFF;
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// What a reference stands for; the second is NUL if there is none.
type Characters = [char; 2];

/// Return what each reference stands for, and whether it needs no semicolon.
fn references() -> &'static Map<&'static str, (Characters, bool)> {
    static REFERENCES: OnceLock<Map<&str, (Characters, bool)>> = OnceLock::new();
    REFERENCES.get_or_init(|| {
        let file = File::new(include_str!("../data/entities.txt"));
        let bare: Set<&str> = file.words("bare").collect();
        let all = file.words("entities").filter_map(|one| one.split_once('='));
        let all = all.map(|(name, codes)| {
            let mut found = numbers(codes).filter_map(char::from_u32);
            let characters = [found.next(), found.next()].map(Option::unwrap_or_default);
            (name, (characters, bare.contains(name)))
        });
        all.collect()
    })
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
        for one in replacement.into_iter().filter(|one| *one != '\0') {
            out(one.encode_utf8(&mut [0; 4]));
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
fn reference(text: &str, at: usize, attribute: bool) -> Option<(Characters, usize)> {
    let bytes = text.as_bytes();
    match bytes.get(at)? {
        b'#' => number(bytes, at + 1),
        first if first.is_ascii_alphabetic() => name(text, at, attribute),
        _ => None,
    }
}

fn number(bytes: &[u8], mut at: usize) -> Option<(Characters, usize)> {
    let base = match bytes.get(at)? {
        b'x' | b'X' => 16,
        _ => 10,
    };
    at += usize::from(base == 16);
    let begin = at;
    let mut value = 0;
    while let Some(digit) = bytes.get(at).and_then(|byte| (*byte as char).to_digit(base)) {
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
    Some(([character, '\0'], at))
}

fn name(text: &str, at: usize, attribute: bool) -> Option<(Characters, usize)> {
    let bytes = text.as_bytes();
    let known = references();
    let most = bytes.len().min(at + LONGEST_NAME);
    let mut end = at;
    while end < most && bytes[end].is_ascii_alphanumeric() {
        end += 1;
    }
    if bytes.get(end) == Some(&b';') {
        if let Some((characters, _)) = known.get(&text[at..end]) {
            return Some((*characters, end + 1));
        }
    }
    let mut ends = (at..=end.min(at + LONGEST_BARE)).rev();
    let (characters, end) = ends.find_map(|end| match known.get(&text[at..end]) {
        Some((characters, true)) => Some((*characters, end)),
        _ => None,
    })?;
    let continued =
        bytes.get(end).is_some_and(|next| *next == b'=' || next.is_ascii_alphanumeric());
    if attribute && continued {
        return None;
    }
    Some((characters, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for (name, (characters, is_bare)) in references() {
            let meant: String = characters.iter().filter(|one| **one != '\0').collect();
            assert_eq!(decode_value(&format!("&{name};")), meant, "{name}");
            assert_eq!(decode_value(&format!("&{name}")) == meant, *is_bare, "{name}");
        }
        assert_eq!(
            decode_value("&sup2;&NotEqualTilde;&ampx&#x80;"),
            "\u{b2}\u{2242}\u{338}&ampx\u{20ac}"
        );
    }

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
            ("&#0;&#xD800;&#x110000;&#99999999999999999999;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
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
        assert_eq!(decoded("&lt;&copy=1&copy;&ampx&amp", true), "<&copy=1\u{a9}&ampx&");
        assert_eq!(decode_value("a\0&amp;"), "a\u{fffd}&");
        assert!(matches!(decode_value("plain"), Cow::Borrowed("plain")));
    }
}
