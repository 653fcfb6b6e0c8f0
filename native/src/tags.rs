//! Known elements: numbers for their names, and what `data/elements.txt` says of them.

use std::sync::OnceLock;

use crate::columns::{INHERITED, KINDS};
use crate::hash::Map;
use crate::labels::{LEVELS, LEVEL_NONE};

/// The number of every element that is not in the file.
pub const UNKNOWN: u16 = 255;
pub const KNOWN: usize = UNKNOWN as usize;

macro_rules! tags {
    ($($constant:ident $name:literal),* $(,)?) => {
        #[allow(clippy::upper_case_acronyms)]
        enum Number { $($constant),* }
        $(#[allow(dead_code)] pub const $constant: u16 = Number::$constant as u16;)*
        const FIRST: &[&str] = &[$($name),*];
    };
}

// These are numbered first; headings in the order of their ranks.
tags! {
    A "a", AREA "area", ASIDE "aside", BASE "base", BODY "body", BR "br", BUTTON "button", DIV "div", H1 "h1", H2 "h2", H3 "h3",
    H4 "h4", H5 "h5", H6 "h6", HEAD "head", HTML "html", LINK "link", MATH "math", META "meta",
    NOBR "nobr", NOSCRIPT "noscript", P "p", SCRIPT "script", SECTION "section", STYLE "style", SVG "svg",
    TEMPLATE "template", TITLE "title",
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
    pub is_raw: bool,
    pub is_escapable: bool,
    pub is_in_head: bool,
    pub is_breakout: bool,
    pub is_attributed: bool,
    pub is_scope: bool,
    pub is_strong: bool,
    pub is_large: bool,
    pub is_unlabelled: bool,
    pub is_plain: bool,
}

/// What `data/elements.txt` says: elements by number, and numbers by name.
struct Elements {
    all: Vec<Element>,
    numbers: Map<u64, u16>,
}

fn elements() -> &'static Elements {
    static ELEMENTS: OnceLock<Elements> = OnceLock::new();
    ELEMENTS.get_or_init(|| {
        let file = include_str!("../data/elements.txt");
        let lines = file.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.filter_map(|line| line.split_once(' '));
        let others = lines.clone().map(|line| line.0);
        let others = others.filter(|name| !FIRST.contains(name));
        let names = FIRST.iter().copied().chain(others);
        let numbers: Map<_, _> = names.map(word_of).zip(0..UNKNOWN).collect();
        let mut all: Vec<Element> = Vec::new();
        all.resize_with(KNOWN + 1, || Element::new("", "inline", &numbers));
        for (name, about) in lines {
            all[usize::from(numbers[&word_of(name)])] = Element::new(name, about, &numbers);
        }
        Elements { all, numbers }
    })
}

/// Return what is known of an element.
#[inline]
pub fn element(number: u16) -> &'static Element {
    &elements().all[usize::from(number.min(UNKNOWN))]
}

/// Return the number of an element, given its name in lower case.
pub fn number(name: &str) -> u16 {
    let Elements { all, numbers } = elements();
    let found = numbers.get(&word_of(name)).copied().unwrap_or(UNKNOWN);
    let known = all[usize::from(found)].name;
    let is_same = known.len() == name.len() && (name.len() <= SHORT || known == name);
    if is_same {
        found
    } else {
        UNKNOWN
    }
}

/// Bytes of a name that are compared at once.
const SHORT: usize = 8;

/// Return the last bytes of a name, which has no NUL.
fn word_of(name: &str) -> u64 {
    name.bytes().fold(0, |word, byte| word << 8 | u64::from(byte))
}

impl Element {
    fn new(name: &'static str, about: &'static str, numbers: &Map<u64, u16>) -> Self {
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
                .chain(ends.map(|(name, scope)| (numbers[&word_of(name)], place(SCOPES, scope))))
                .collect(),
            is_void: has("void"),
            is_raw: has("raw"),
            is_escapable: has("escapable"),
            is_in_head: has("head"),
            is_breakout: has("breakout"),
            is_attributed: has("attributed"),
            is_scope: has("scope"),
            is_strong: has("strong"),
            is_large: has("large"),
            is_unlabelled: has("unlabelled"),
            is_plain: has("plain"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        for (place, Element { name, .. }) in elements().all.iter().enumerate() {
            assert_eq!(usize::from(number(name)), if name.is_empty() { KNOWN } else { place });
            assert_eq!(number(&format!("x{name}")), UNKNOWN, "{name}");
        }
        assert_eq!((element(A).name, element(TITLE).name), ("a", "title"));
    }
}
