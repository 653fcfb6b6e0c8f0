//! Known elements: numbers for their names, and what `data/elements.txt` says of them.

use std::sync::OnceLock;

use crate::columns::{INHERITED, KINDS};
use crate::labels::{LEVELS, LEVEL_NONE};

const FILE: &str = include_str!("../data/elements.txt");
const MOST: usize = 254;
/// Where the name of each element stands in the file, and how many there are.
const NAMES: ([(usize, usize); MOST], usize) = names();
pub const KNOWN: usize = NAMES.1;
/// The number of every element that is not in the file.
pub const UNKNOWN: u16 = KNOWN as u16;

macro_rules! tags {
    ($($constant:ident $name:literal),* $(,)?) => { $(pub const $constant: u16 = known($name);)* };
}

tags! {
    A "a", ASIDE "aside", BASE "base", BODY "body", BR "br", DIV "div", H1 "h1", H6 "h6",
    HEAD "head", HTML "html", LINK "link", MATH "math", META "meta", NOBR "nobr",
    NOSCRIPT "noscript", P "p", SCRIPT "script", SECTION "section", SVG "svg", TEMPLATE "template",
    TITLE "title",
}

/// An end tag, or an implied end, does not reach out of the elements that limit its scope.
const SCOPES: &str = "block closed button list item table foreign";
pub const SCOPE_COUNT: usize = 7;
pub const SCOPE_BLOCK: u8 = 0;
pub const SCOPE_CLOSED: u8 = 1;
const SCOPE_FOREIGN: u8 = 6;

/// What the builder makes of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Inline,
    Block,
    Skipped,
    Spaced,
    Gap,
}

/// What is known of an element.
pub struct Element {
    pub name: &'static str,
    pub way: Way,
    /// The kind of its block.
    pub kind: u8,
    pub level: u8,
    /// The scope in which its end tag looks for it; none if it is inline.
    pub end: Option<u8>,
    /// The scopes that it limits, as bits.
    pub limits: u8,
    /// Elements that its start tag ends, each with the scope in which it is looked for.
    pub ends: Vec<(u16, u8)>,
    pub is_void: bool,
    pub is_in_head: bool,
    pub is_breakout: bool,
    pub is_attributed: bool,
    pub is_scope: bool,
    pub is_large: bool,
    pub is_unlabelled: bool,
}

/// Return what is known of an element; of those with another number, that they are inline.
#[inline]
pub fn element(number: u16) -> &'static Element {
    static ELEMENTS: OnceLock<Vec<Element>> = OnceLock::new();
    let elements = ELEMENTS.get_or_init(|| {
        let lines = FILE.lines().filter(|line| !line.starts_with('#'));
        lines.chain([" inline"]).map(Element::new).collect()
    });
    &elements[usize::from(number).min(KNOWN)]
}

impl Element {
    fn new(line: &'static str) -> Self {
        let (name, about) = line.split_once(' ').unwrap_or((line, ""));
        let has = |word: &str| about.split(' ').any(|one| one == word);
        let get = |key: &str| {
            let value = |word: &'static str| word.strip_prefix(key)?.strip_prefix('=');
            about.split(' ').find_map(value)
        };
        let each = |key: &str| get(key).into_iter().flat_map(|value| value.split(','));
        let place = |names: &str, name: &str| {
            let found = names.split(' ').position(|one| one == name);
            found.expect("a name that is known") as u8
        };
        let level = |name: &str| LEVELS.iter().find(|level| level.0 == name);
        let breakout = [(MATH, SCOPE_FOREIGN), (SVG, SCOPE_FOREIGN)];
        let ends = each("ends").filter_map(|end| end.split_once(':'));
        Element {
            name,
            way: match about.split(' ').next() {
                Some("block") => Way::Block,
                Some("skipped") => Way::Skipped,
                Some("spaced") => Way::Spaced,
                Some("gap") => Way::Gap,
                _ => Way::Inline,
            },
            kind: get("kind").map_or(INHERITED, |kind| place(KINDS, kind)),
            level: get("level").and_then(level).map_or(LEVEL_NONE, |one| one.1),
            end: get("end").map(|scope| place(SCOPES, scope)),
            limits: each("limits").fold(0, |bits, one| bits | 1 << place(SCOPES, one)),
            ends: (breakout.into_iter().filter(|_| has("breakout")))
                .chain(ends.map(|(name, scope)| (number(name), place(SCOPES, scope))))
                .collect(),
            is_void: has("void"),
            is_in_head: has("head"),
            is_breakout: has("breakout"),
            is_attributed: has("attributed"),
            is_scope: has("scope"),
            is_large: has("large"),
            is_unlabelled: has("unlabelled"),
        }
    }
}

const fn names() -> ([(usize, usize); MOST], usize) {
    let text = FILE.as_bytes();
    let (mut places, mut count, mut at) = ([(0, 0); MOST], 0, 0);
    while at < text.len() {
        let start = at;
        while text[at] > b' ' {
            at += 1;
        }
        if text[start] != b'#' {
            places[count] = (start, at);
            count += 1;
        }
        while text[at] != b'\n' {
            at += 1;
        }
        at += 1;
    }
    (places, count)
}

/// Return the number of a name that is in the file, and has no more than eight letters.
const fn known(name: &str) -> u16 {
    let mut number = 0;
    loop {
        let (start, end) = NAMES.0[number];
        let same = end - start == name.len();
        if same && word_of(FILE, start, end) == word_of(name, 0, name.len()) {
            return number as u16;
        }
        number += 1; // beyond the last one, this does not compile
    }
}

const SLOTS: usize = 1024;
/// Bytes of a name that are compared at once.
const SHORT: usize = 8;
const FREE: u8 = 255;
static TABLE: [(u64, u8); SLOTS] = table();

const fn table() -> [(u64, u8); SLOTS] {
    let mut slots = [(0, FREE); SLOTS];
    let mut number = 0;
    while number < KNOWN {
        let (start, end) = NAMES.0[number];
        let word = word_of(FILE, start, end);
        let mut slot = slot_of(word);
        while slots[slot].1 != FREE {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = (word, number as u8);
        number += 1;
    }
    slots
}

/// Return the last eight bytes of a part of a text, which has no NUL.
const fn word_of(text: &str, start: usize, end: usize) -> u64 {
    let mut word = 0;
    let mut at = start;
    while at < end {
        word = word << 8 | text.as_bytes()[at] as u64;
        at += 1;
    }
    word
}

const fn slot_of(word: u64) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % SLOTS
}

/// Return the number of an element, given its name in lower case.
pub fn number(name: &str) -> u16 {
    static PLACES: [(usize, usize); MOST] = NAMES.0;
    let word = word_of(name, 0, name.len());
    let mut slot = slot_of(word);
    loop {
        let (known, found) = TABLE[slot];
        if found == FREE {
            return UNKNOWN;
        }
        let (start, end) = PLACES[usize::from(found)];
        let is_long = name.len() > SHORT;
        if known == word && end - start == name.len() && !(is_long && &FILE[start..end] != name) {
            return u16::from(found);
        }
        slot = (slot + 1) % SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        for place in 0..UNKNOWN {
            let name = element(place).name;
            assert_eq!(number(name), place);
            assert_eq!(number(&format!("x{name}")), UNKNOWN, "{name}");
            assert!(place == 0 || element(place - 1).name < name);
        }
        assert_eq!(number(""), UNKNOWN);
        assert_eq!((element(TITLE).name, element(UNKNOWN).name), ("title", ""));
    }
}
