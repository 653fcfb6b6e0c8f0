//! What the name, role, class and id of an element say: boilerplate, comments or main text.

use crate::hash::Map;
use crate::space::{first_characters, split};
use crate::tables::{
    ASIDE, BOILERPLATE_BEGINS, BOILERPLATE_ENDS, LABEL_WORDS, LARGE, LEVEL_COMMENTS, LEVEL_NONE,
    LEVEL_OF_TAG, LEVEL_PART, LEVEL_WORDS, ROLES, SECTION, UNLABELLED, WORD_BESIDE,
    WORD_BOILERPLATE, WORD_COMMENT, WORD_PART, WORD_STATE,
};

/// Characters of an attribute that are looked at.
const LONGEST: usize = 500;
/// Attributes that are remembered: no page for people has as many different ones.
const MOST_KNOWN: usize = 4_096;
const NOTES: [&str; 9] = [
    "note",
    "notes",
    "footnote",
    "footnotes",
    "endnote",
    "endnotes",
    "sidenote",
    "sidenotes",
    "quote",
];

/// Return the level of an element, and the word of its class or id that says so, if one does. One
/// object for words serves a whole page.
pub fn level_of(
    words: &mut Words,
    number: u16,
    role: &str,
    classes: &str,
    identifier: &str,
) -> (u8, String) {
    let none = (LEVEL_NONE, String::new());
    let classes = first_characters(classes, LONGEST);
    if number == ASIDE && (is_note(role) || is_note(classes)) {
        return none;
    }
    let place = usize::from(number);
    let by_tag = LEVEL_OF_TAG.get(place).copied().unwrap_or(LEVEL_NONE);
    let level = if role.is_empty() {
        by_tag
    } else {
        let by_role = ROLES.iter().find(|(name, _)| *name == role);
        by_tag.max(by_role.map_or(LEVEL_NONE, |found| found.1))
    };
    let is_labelled = !(classes.is_empty() && identifier.is_empty());
    if level != LEVEL_NONE || !is_labelled || UNLABELLED.get(place) == Some(&true) {
        return (level, String::new());
    }
    let Classes {
        mut found,
        in_chapter,
    } = words.of_classes(classes);
    // the id of a chapter is made from its heading, be that "Cookies" or "Search paths"
    if number != SECTION && !in_chapter {
        for label in split(first_characters(identifier, LONGEST)) {
            words.raise(label, &mut found);
        }
    }
    if found.0 == LEVEL_PART && LARGE.get(place) != Some(&true) {
        return none;
    }
    found
}

/// Return true if a role or class names an aside of the text, not of the page.
fn is_note(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.contains("admonition")
        || text
            .split(|one: char| !(one.is_ascii() && is_word(one as u8)))
            .any(|word| NOTES.contains(&word))
}

fn is_chapter(label: &str) -> bool {
    let part = label.strip_prefix("part").map(str::as_bytes);
    ["refsect", "sect", "chapter", "appendix"]
        .iter()
        .any(|begin| label.starts_with(begin))
        || part.is_some_and(|rest| {
            !rest
                .first()
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        })
}

const SLOTS: usize = 512;
const FREE: u8 = 255;
/// The numbers of the words in LABEL_WORDS, by their hash.
static TABLE: [u8; SLOTS] = table();

const fn table() -> [u8; SLOTS] {
    let mut slots = [FREE; SLOTS];
    let mut number = 0;
    while number < LABEL_WORDS.len() {
        let mut slot = hash(LABEL_WORDS[number].0.as_bytes());
        while slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = number as u8;
        number += 1;
    }
    slots
}

const fn hash(word: &[u8]) -> usize {
    let mut sum = word.len() as u32;
    let mut at = 0;
    while at < word.len() {
        sum = sum.wrapping_mul(0x0100_0193) ^ word[at] as u32;
        at += 1;
    }
    ((sum ^ (sum >> 13)) as usize) % SLOTS
}

/// Return what a word names, as bits.
fn meaning(word: &str) -> u8 {
    let mut slot = hash(word.as_bytes());
    while TABLE[slot] != FREE {
        let (known, bits) = LABEL_WORDS[usize::from(TABLE[slot])];
        if known == word {
            return bits;
        }
        slot = (slot + 1) % SLOTS;
    }
    0
}

fn is_boilerplate(word: &str, bits: u8) -> bool {
    let bytes = word.as_bytes();
    // one letter is quickly compared
    let begins = |one: &&str| bytes.first() == one.as_bytes().first() && word.starts_with(*one);
    let ends = |one: &&str| bytes.last() == one.as_bytes().last() && word.ends_with(*one);
    bits & WORD_BOILERPLATE != 0
        || BOILERPLATE_BEGINS.iter().any(begins)
        || BOILERPLATE_ENDS.iter().any(ends)
}

/// Finds the words of labels in lower case, without what an element has or lacks.
#[derive(Default)]
pub struct Words {
    lower: String,
    /// Where each begins and ends, and what it names.
    places: Vec<(usize, usize, u8)>,
    /// What of the label gives it its level.
    word: String,
    /// What was found of whole attributes, which are often repeated.
    known: Map<Box<str>, Classes>,
}

/// What the classes of an element say.
#[derive(Clone, Default)]
struct Classes {
    found: (u8, String),
    in_chapter: bool,
}

impl Words {
    fn of_classes(&mut self, classes: &str) -> Classes {
        if classes.is_empty() {
            return Classes::default();
        }
        if let Some(known) = self.known.get(classes) {
            return known.clone();
        }
        let mut all = Classes::default();
        for label in split(classes) {
            all.in_chapter = all.in_chapter || is_chapter(label);
            self.raise(label, &mut all.found);
        }
        if self.known.len() < MOST_KNOWN {
            self.known.insert(classes.into(), all.clone());
        }
        all
    }

    /// Make what was found that of a label if it is more.
    fn raise(&mut self, label: &str, found: &mut (u8, String)) {
        let level = self.level_of(label);
        let is_more = level > found.0 || level == found.0 && self.word > found.1;
        if level > LEVEL_NONE && is_more {
            *found = (level, self.word.clone());
        }
    }

    /// Return the level of a label; `word` becomes what of it says so.
    fn level_of(&mut self, label: &str) -> u8 {
        self.read(label);
        self.word.clear();
        let all = self.places.iter().copied();
        let mut boilerplate = all
            .clone()
            .filter(|(from, to, bits)| is_boilerplate(&self.lower[*from..*to], *bits));
        if let Some((from, to, _)) = boilerplate.next() {
            self.word.push_str(&self.lower[from..to]);
            return LEVEL_WORDS;
        }
        for (one, next) in all.clone().zip(all.clone().skip(1)) {
            self.word.clear();
            self.word.push_str(&self.lower[one.0..one.1]);
            self.word.push_str(&self.lower[next.0..next.1]);
            if is_boilerplate(&self.word, meaning(&self.word)) {
                return LEVEL_WORDS;
            }
        }
        self.word.clear();
        let mut of_part = WORD_BESIDE;
        let mut any = 0;
        for (from, to, bits) in all.clone() {
            if bits & WORD_COMMENT != 0 {
                self.word.push_str(&self.lower[from..to]);
                return LEVEL_COMMENTS;
            }
            of_part &= bits;
            any |= bits;
        }
        if any & WORD_PART == 0 || of_part == 0 {
            return LEVEL_NONE;
        }
        for (place, (from, to, _)) in all.enumerate() {
            if place > 0 {
                self.word.push('-');
            }
            self.word.push_str(&self.lower[from..to]);
        }
        LEVEL_PART
    }

    fn read(&mut self, label: &str) {
        self.lower.clear();
        self.lower.push_str(label);
        self.lower.make_ascii_lowercase();
        self.places.clear();
        let mut skip = false;
        let mut begin = 0;
        let bytes = label.as_bytes();
        while begin < bytes.len() {
            let size = bytes[begin..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count();
            let piece = &bytes[begin..begin + size];
            let is_code = |two: &[u8]| two[0].is_ascii_digit() && two[1].is_ascii_alphabetic();
            // css-1ad9nav
            if !piece.windows(2).any(is_code) {
                self.add(piece, begin, &mut skip);
            }
            begin += size + 1;
        }
        let all = |wanted: &str| (0..self.places.len()).find(|place| self.at(*place) == wanted);
        if all("result").or(all("results")).is_some() {
            if let Some(place) = all("search") {
                self.places.remove(place); // what was found, not the form
            }
        }
    }

    fn at(&self, place: usize) -> &str {
        let (start, end, _) = self.places[place];
        &self.lower[start..end]
    }

    fn add(&mut self, piece: &[u8], begin: usize, skip: &mut bool) {
        let mut at = 0;
        while at < piece.len() {
            let end = word_end(piece, at);
            if end == at {
                at += 1;
                continue;
            }
            let (from, to) = (begin + at, begin + end);
            at = end;
            let bits = meaning(&self.lower[from..to]);
            if bits & WORD_STATE != 0 {
                *skip = true;
                continue;
            }
            if !*skip {
                self.places.push((from, to, bits));
            }
            *skip = false;
        }
    }
}

/// Return where a word of "HTMLPage" or "navBar" ends; where it begins if none does.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let run = |from: usize, of: fn(&u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| of(byte)).count()
    };
    let capitals = run(at, u8::is_ascii_uppercase);
    let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    if capitals == at {
        return run(at, u8::is_ascii_lowercase);
    }
    if !is_lower(capitals) {
        return capitals;
    }
    if capitals - at > 1 {
        return capitals - 1;
    }
    run(capitals, u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::number;

    #[test]
    fn words_of_labels() {
        let words = |label: &str| {
            let mut found = Words::default();
            found.read(label);
            (0..found.places.len())
                .map(|place| found.at(place).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(words("HTMLPage-navBar2"), ["html", "page", "nav", "bar"]);
        assert_eq!(words("css-1ad9nav has-sidebar"), ["css"]);
        assert_eq!(words("search_results"), ["results"]);
    }

    #[test]
    fn levels() {
        let level =
            |name: &str, class: &str| level_of(&mut Words::default(), number(name), "", class, "");
        assert_eq!(level("div", "main-topBar"), (LEVEL_WORDS, "topbar".into()));
        assert_eq!(level("aside", "footnote"), (LEVEL_NONE, "".into()));
        assert_eq!(
            level("div", "page-header"),
            (LEVEL_PART, "page-header".into())
        );
        assert_eq!(level("p", "page-header"), (LEVEL_NONE, "".into()));
    }

    #[test]
    fn levels_of_classes() {
        let level = |class: &str| level_of(&mut Words::default(), number("div"), "", class, "").0;
        for class in [
            "elementor-element-38ad5ea",
            "css-1nav2",
            "with-sidebar",
            "body--withSidebar",
            "margin-bottom",
            "entry-header",
            "search-results",
            "navy",
            "sharepoint",
            "footnotes",
        ] {
            assert_eq!(level(class), LEVEL_NONE, "{class}");
        }
        for class in ["top-0", "page-header", "header"] {
            assert_eq!(level(class), LEVEL_PART, "{class}");
        }
        for class in ["search-form", "sidebar2", "comment-form", "relatedPosts"] {
            assert_eq!(level(class), LEVEL_WORDS, "{class}");
        }
        assert_eq!(level("user-comments"), LEVEL_COMMENTS);
    }

    #[test]
    fn ids_of_chapters_name_no_boilerplate() {
        let level = |name: &str, class: &str, id: &str| {
            level_of(&mut Words::default(), number(name), "", class, id)
        };
        assert_eq!(level("section", "", "cookies"), (LEVEL_NONE, "".into()));
        assert_eq!(
            level("div", "section", "search-paths"),
            (LEVEL_NONE, "".into())
        );
        assert_eq!(level("div", "", "cookies"), (LEVEL_WORDS, "cookies".into()));
    }

    #[test]
    fn roles_count_as_elements_do() {
        let level = |role: &str| level_of(&mut Words::default(), number("div"), role, "", "").0;
        assert_eq!(
            level("navigation"),
            level_of(&mut Words::default(), number("nav"), "", "", "").0
        );
        assert_eq!(level("nothing"), LEVEL_NONE);
    }
}
