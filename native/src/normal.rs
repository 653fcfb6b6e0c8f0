//! Canonical decomposition and composition (NFC) as Unicode 13 has them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::characters::{characters, is_within};
use crate::classes::{classes, combining_class, Classes, DECOMPOSES, MARK, SECOND, UNASSIGNED};
use crate::scan::ascii_end;

/// Hangul letters, which may join.
pub const JAMO: Range<u32> = 0x1100..0x1200;
const SYLLABLES: u32 = 0xAC00;
const LEADS: (u32, u32) = (0x1100, 19);
const VOWELS: (u32, u32) = (0x1161, 21);
const TAILS: (u32, u32) = (0x11A7, 28);
/// Below, whatever decomposes is composed again.
const FIRST_EXCLUDED: u32 = 0x300;
const SYLLABLE_COUNT: u32 = LEADS.1 * VOWELS.1 * TAILS.1;

/// A character and its combining class.
pub type Classed = (u8, char);

/// Append the canonical decomposition of a character.
pub fn decompose(classes: &Classes, one: char, to: &mut Vec<Classed>) {
    let flags = classes.flags(one);
    if flags & DECOMPOSES == 0 {
        match syllable(one) {
            Some((lead, vowel, tail)) => {
                to.extend([lead, vowel, tail].into_iter().flatten().map(|one| (0, one)));
            }
            None => to.push((combining_class(flags, one), one)),
        }
        return;
    }
    // the second part never decomposes, so what is to come is a list of second parts
    let mut seconds = ['\0'; 4];
    let mut count = 0;
    let mut first = one;
    while classes.flags(first) & DECOMPOSES != 0 {
        let Some((next, second)) = decomposition(first as u32) else {
            break;
        };
        if second != '\0' && count < seconds.len() {
            seconds[count] = second;
            count += 1;
        }
        first = next;
    }
    for part in std::iter::once(first).chain(seconds[..count].iter().rev().copied()) {
        to.push((combining_class(classes.flags(part), part), part));
    }
}

/// Return what a character decomposes to in one step; NUL for no second part.
pub fn decomposition(code: u32) -> Option<(char, char)> {
    let mut parts = characters().decompositions.get(code)?.chars();
    Some((parts.next()?, parts.next().unwrap_or('\0')))
}

fn syllable(one: char) -> Option<(Option<char>, Option<char>, Option<char>)> {
    let index = (one as u32).checked_sub(SYLLABLES).filter(|&index| index < SYLLABLE_COUNT)?;
    let tail = index % TAILS.1;
    Some((
        char::from_u32(LEADS.0 + index / (VOWELS.1 * TAILS.1)),
        char::from_u32(VOWELS.0 + index / TAILS.1 % VOWELS.1),
        char::from_u32(TAILS.0 + tail).filter(|_| tail > 0),
    ))
}

/// Put marks in canonical order.
pub fn order(text: &mut [Classed]) {
    let mut at = 0;
    while at < text.len() {
        if text[at].0 == 0 {
            at += 1;
            continue;
        }
        let start = at;
        while at < text.len() && text[at].0 != 0 {
            at += 1;
        }
        if at - start > 1 {
            text[start..at].sort_by_key(|one| one.0); // stable
        }
    }
}

/// Compose decomposed text that is in canonical order.
pub fn compose(classes: &Classes, text: &mut Vec<Classed>) {
    let mut starter = None;
    let mut last = 0; // the class of the last character kept after the starter
    let mut end = 0;
    for at in 0..text.len() {
        let (class, one) = text[at];
        if let Some(place) = starter {
            let (_, first): Classed = text[place];
            if end == place + 1 || last < class {
                if let Some(joined) = composition(classes, first, one) {
                    text[place] = (0, joined);
                    continue;
                }
            }
        }
        if class == 0 {
            starter = Some(end);
        }
        last = class;
        text[end] = (class, one);
        end += 1;
    }
    text.truncate(end);
}

fn composition(classes: &Classes, first: char, second: char) -> Option<char> {
    let (one, two) = (first as u32, second as u32);
    if JAMO.contains(&two) {
        return hangul(one, two);
    }
    if classes.flags(second) & SECOND == 0 {
        return None;
    }
    let pairs = compositions();
    let place = pairs.binary_search_by_key(&(two, one), |entry| entry.0);
    Some(pairs[place.ok()?].1)
}

fn hangul(first: u32, second: u32) -> Option<char> {
    let below = |code: u32, (base, count): (u32, u32)| {
        code.checked_sub(base).filter(|&index| index < count)
    };
    if let (Some(lead), Some(vowel)) = (below(first, LEADS), below(second, VOWELS)) {
        return char::from_u32(SYLLABLES + (lead * VOWELS.1 + vowel) * TAILS.1);
    }
    let index = below(first, (SYLLABLES, SYLLABLE_COUNT))?;
    let tail = below(second, TAILS)?;
    (index % TAILS.1 == 0 && tail > 0).then(|| char::from_u32(first + tail))?
}

/// Return second and first part with what they make, sorted.
pub fn compositions() -> &'static [((u32, u32), char)] {
    static PAIRS: OnceLock<Vec<((u32, u32), char)>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let pair = |code: u32| {
            let (first, second) = decomposition(code).filter(|_| is_composition(code))?;
            Some(((second as u32, first as u32), char::from_u32(code)?))
        };
        let codes = characters().decompositions.codes();
        let mut pairs: Vec<_> = codes.filter_map(pair).collect();
        pairs.sort_unstable();
        pairs
    })
}

/// Return a text in NFC.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if is_composed(text) {
        return Cow::Borrowed(text);
    }
    let classes = classes();
    let mut out = String::with_capacity(text.len());
    let mut part = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (plain, others) = rest.split_at(ascii_end(rest.as_bytes()));
        if let Some(last) = plain.chars().next_back() {
            // no ASCII joins what stands before it, and only the last what follows
            append_composed(classes, &mut part, &mut out);
            out.push_str(&plain[..plain.len() - 1]);
            part.push((0, last));
        }
        let mut others = others.chars();
        match others.next() {
            Some(one) if classes.flags(one) & UNASSIGNED != 0 => {
                append_composed(classes, &mut part, &mut out);
                out.push(one);
            }
            Some(one) => decompose(classes, one, &mut part),
            None => {}
        }
        rest = others.as_str();
    }
    append_composed(classes, &mut part, &mut out);
    Cow::Owned(out)
}

/// Return true if a text is surely in NFC: nothing in it joins, or decomposes for good.
fn is_composed(text: &str) -> bool {
    let classes = classes();
    let changes = |one: char| {
        let flags = classes.flags(one);
        flags & MARK != 0
            || JAMO.contains(&(one as u32))
            || flags & DECOMPOSES != 0 && !is_composition(one as u32)
    };
    let mut rest = text;
    while !rest.is_empty() {
        let mut others = rest[ascii_end(rest.as_bytes())..].chars();
        if others.next().is_some_and(changes) {
            return false;
        }
        rest = others.as_str();
    }
    true
}

/// Return true if the parts of a character that decomposes make it up again.
fn is_composition(code: u32) -> bool {
    code < FIRST_EXCLUDED
        || !is_within(&characters().excluded, code)
            && decomposition(code).is_some_and(|(_, second)| second != '\0')
}

fn append_composed(classes: &Classes, part: &mut Vec<Classed>, out: &mut String) {
    order(part);
    compose(classes, part);
    out.extend(part.drain(..).map(|(_, one)| one));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_seems_composed_is() {
        for code in characters().decompositions.codes() {
            let one: String = char::from_u32(code).into_iter().collect();
            let mut part = Vec::new();
            decompose(classes(), one.chars().next().unwrap_or(' '), &mut part);
            let mut composed = String::new();
            append_composed(classes(), &mut part, &mut composed);
            assert!(!is_composed(&one) || composed == one, "{code:x}");
        }
        assert!(is_composed("Caf\u{e9}, \u{439}") && !is_composed("e\u{301}"));
    }
}
