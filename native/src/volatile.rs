//! Volatile text: short texts with numbers, by their shape, and what a revisit shows of them.
//!
//! The shape of a text is its words without its numbers, and without the words of a date. A host
//! learns which of its shapes change by themselves (`fingerprint/volatile.py`).

use crate::columns::{KIND_ITEM, KIND_LABEL, KIND_TEXT};
use crate::fold::fold;
use crate::hash::Map;
use crate::murmur::murmur;
use crate::similarity::characters::{is_decimal, is_word};
use crate::similarity::facts::{is_date_word, is_stating, is_volatile};
use crate::similarity::texts::main_texts;

/// The mark of blocks whose shape is volatile on their host.
pub const VOLATILE: u8 = 4;
/// Bytes of a text that has a shape.
const LONGEST: usize = 160;
/// Numbers of a text that has a shape at most, and shapes of a page that are told: those with the
/// lowest keys, so that they are the same on every page.
const NUMBERS: usize = 8;
const MOST_SHAPES: usize = 16;
const SEED: u64 = 0x51A9E;

const CHANGED: u8 = 1;
const LISTED: u8 = 2;

/// A text of a page that has a shape.
#[derive(Clone, Copy)]
struct Shaped<'a> {
    node: u32,
    text: &'a str,
    numbers: [u32; NUMBERS],
}

/// Return the shape of a text and its numbers; nothing if it has none, too many, or states an amount.
fn shape(text: &str, kind: u8) -> Option<(u64, [u32; NUMBERS])> {
    let is_short = text.len() <= LONGEST && matches!(kind, KIND_TEXT | KIND_ITEM | KIND_LABEL);
    if !is_short || !text.contains(is_decimal) || text.contains(is_stating) {
        return None;
    }
    let mut words = vec![kind];
    let (mut numbers, mut count, mut rest) = ([0; NUMBERS], 0, text);
    while let Some(first) = rest.chars().next() {
        let is_number = is_decimal(first);
        let belongs = |one: char| is_word(one) == is_word(first) && is_decimal(one) == is_number;
        let end = rest.find(|one| !belongs(one)).unwrap_or(rest.len());
        if is_number {
            let digits = rest[..end].chars().filter_map(|one| one.to_digit(10));
            *numbers.get_mut(count)? =
                digits.fold(0, |sum: u32, digit| sum.saturating_mul(10).saturating_add(digit));
            count += 1;
        } else if is_word(first) && !is_date_word(&rest[..end]) {
            words.extend_from_slice(fold(&rest[..end]).as_bytes());
            words.push(b' ');
        }
        rest = &rest[end..];
    }
    if words.len() == 1 {
        words.push(count as u8); // a date and a result of a match have no words
    }
    Some((murmur(&words, SEED), numbers))
}

/// Return the texts of the main text of a page by their shapes, if it has one of that shape only.
fn shapes<'a>(kinds: &[u8], marks: &[u8], lines: &'a [u8]) -> Option<Map<u64, Option<Shaped<'a>>>> {
    if kinds.len() != marks.len() {
        return None;
    }
    let mut found: Map<u64, Option<Shaped>> = Map::default();
    for (node, text) in main_texts(marks, lines)? {
        if let Some((key, numbers)) = shape(text, kinds[node as usize]) {
            let only = |known: &mut Option<Shaped>| *known = None;
            found.entry(key).and_modify(only).or_insert(Some(Shaped { node, text, numbers }));
        }
    }
    Some(found)
}

/// Return what a page shows that was seen before: the shapes that both visits have, ascending, each
/// with whether its text has changed, whether it is a date of edit or a counter by its words, and
/// its numbers before and now, which compare as bytes.
///
/// The parts are the kinds, the marks and the lines of what was seen, and of what is shown now.
pub fn revisit(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [old_kinds, old_marks, old_lines, kinds, marks, lines] = parts else { return None };
    let before = shapes(old_kinds, old_marks, old_lines)?;
    let now = shapes(kinds, marks, lines)?;
    let both = now.iter().filter_map(|(key, now)| {
        let before = before.get(key).copied().flatten()?;
        now.map(|now| (*key, before, now))
    });
    let mut both: Vec<(u64, Shaped, Shaped)> = both.collect();
    both.sort_unstable_by_key(|one| one.0);
    let mut bytes = Vec::new();
    for (key, before, now) in both.into_iter().take(MOST_SHAPES) {
        let changed = if before.text != now.text { CHANGED } else { 0 };
        let listed = if is_volatile(now.text) { LISTED } else { 0 };
        bytes.extend_from_slice(&key.to_le_bytes());
        bytes.push(changed | listed);
        let numbers = before.numbers.into_iter().chain(now.numbers);
        bytes.extend(numbers.flat_map(u32::to_be_bytes));
    }
    Some(bytes)
}

/// Return the nodes of the main text of a page whose shapes are volatile, which ascend.
pub fn nodes(volatile: &[u64], kinds: &[u8], marks: &[u8], lines: &[u8]) -> Option<Vec<usize>> {
    if volatile.is_empty() {
        return Some(Vec::new());
    }
    let found = shapes(kinds, marks, lines)?.into_iter();
    let found = found.filter(|(key, _)| volatile.binary_search(key).is_ok());
    Some(found.filter_map(|(_, shaped)| Some(shaped?.node as usize)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::KIND_CELL;
    use crate::scan::words_of;

    fn key(text: &str) -> Option<u64> {
        shape(text, KIND_TEXT).map(|shape| shape.0)
    }

    #[test]
    fn shapes_leave_out_numbers_and_dates() {
        let clock = key("It is Wed 18 Nov 2026, 10:31:05 now. You are visitor 4711.");
        assert!(clock.is_some());
        assert_eq!(clock, key("It is Thu 3 Dec 2026, 9:05:59 now. You are visitor 12."));
        assert_eq!(key("2026-11-18T10:31:05Z"), key("2026-12-01T00:00:00Z"));
        assert_ne!(key("Room 14"), key("Floor 14"));
        assert_ne!(key("14"), shape("14", KIND_ITEM).map(|shape| shape.0));
        assert_eq!(
            shape("9:05, visitor 1 of 99999999999", KIND_TEXT).unwrap().1[..5],
            [9, 5, 1, u32::MAX, 0]
        );
    }

    #[test]
    fn what_has_no_shape() {
        for text in ["no number", "Price: \u{20ac} 14", "14 % off", "14\u{b0} today"] {
            assert_eq!(key(text), None, "{text}");
        }
        assert_eq!(key(&"14 ".repeat(60)), None);
        assert_eq!(key("1 2 3 4 5 6 7 8 9"), None);
        assert_eq!(shape("14", KIND_CELL), None);
    }

    #[test]
    fn revisits_tell_what_has_changed() {
        let kinds = [KIND_TEXT; 5];
        let told = |before: &str, now: &str| {
            let marks = [0, 0, 0, 0, 1];
            let parts: [&[u8]; 6] =
                [&kinds, &marks, before.as_bytes(), &kinds, &marks, now.as_bytes()];
            let told = revisit(&parts).unwrap();
            let units = told.chunks(73);
            let mut units: Vec<(u64, u8)> =
                units.map(|unit| (words_of(&unit[..8])[0], unit[8])).collect();
            units.sort_unstable_by_key(|unit| unit.1);
            units
        };
        let expected = [("room 9", 0), ("at 9:05 am", CHANGED), ("7 views", CHANGED | LISTED)];
        let expected = expected.map(|(text, flags)| (key(text).unwrap(), flags));
        let before = "room 9\nat 9:05\nwords\n7 views\n7 boxes";
        assert_eq!(told(before, "room 9\nat 9:06\nother words\n8 views\n8 boxes"), expected);
        // two texts of one shape can't be told apart
        assert_eq!(told(before, "room 9\nroom 8\nat 9:06\n8 views\n"), expected[1..]);
        assert!(revisit(&[&kinds[..]; 5]).is_none());
        assert!(revisit(&[&[1], &[], b"a", &[1], &[0], b"a"]).is_none());
    }

    #[test]
    fn nodes_of_volatile_texts() {
        let kinds = [KIND_TEXT; 3];
        let mut volatile = [key("room 9").unwrap(), key("at 9:05").unwrap()];
        volatile.sort_unstable();
        let found = |lines: &str| {
            let mut found = nodes(&volatile, &kinds, &[0; 3], lines.as_bytes()).unwrap();
            found.sort_unstable();
            found
        };
        assert_eq!(found("at 7:01\nroom 9 is open\nroom 3"), [0, 2]);
        assert_eq!(found("at 7:01\nat 7:02\nroom"), []);
    }
}
