//! What the name, role, class and id of an element say: boilerplate, comments or main text.

use std::sync::OnceLock;

use crate::data::File;
use crate::hash::Map;
use crate::space::{first_characters, split};
use crate::tags::{element, ASIDE, SECTION};

// Levels of a node. Of two elements around a node the greater counts; the lesser are undone first
// when too little main text is left.
pub const LEVEL_NONE: u8 = 0;
/// The opposite of boilerplate.
pub const LEVEL_MAIN: u8 = 1;
pub const LEVEL_ARTICLE: u8 = 2;
/// A list of links.
pub const LEVEL_LINKS: u8 = 3;
/// Links with a few words each, below the text.
pub const LEVEL_TEASERS: u8 = 4;
/// Beside the main element, above the main heading, or a copy of other text.
pub const LEVEL_OUTSIDE: u8 = 5;
/// A class or id that names a part of the page, or a part of something on it.
pub const LEVEL_PART: u8 = 6;
/// A class or id that names boilerplate.
pub const LEVEL_WORDS: u8 = 7;
pub const LEVEL_HEADER: u8 = 8;
pub const LEVEL_FORM: u8 = 9;
pub const LEVEL_ASIDE: u8 = 10;
/// Navigation, footers and the roles that mean the same.
pub const LEVEL_TAG: u8 = 11;
/// A class or id that names what readers wrote.
pub const LEVEL_COMMENTS: u8 = 12;
/// Levels that elements and roles have, by their names in data files.
pub const LEVELS: [(&str, u8); 6] = [
    ("main", LEVEL_MAIN),
    ("article", LEVEL_ARTICLE),
    ("header", LEVEL_HEADER),
    ("form", LEVEL_FORM),
    ("aside", LEVEL_ASIDE),
    ("tag", LEVEL_TAG),
];

/// Characters of an attribute that are looked at.
const LONGEST: usize = 500;
/// Attributes that are remembered: no page for people has as many different ones.
const MOST_KNOWN: usize = 4_096;

// What a word of a class or id names, as bits.
const BOILERPLATE: u8 = 1;
const COMMENT: u8 = 2;
const PART: u8 = 4;
const BESIDE_PART: u8 = 8;
const STATE: u8 = 16;
const NOTE: u8 = 32;
const SECTIONS: [&str; 6] = ["boilerplate", "comment", "part", "beside part", "state", "note"];

/// What `data/labels.txt` says.
struct Labels {
    words: Map<&'static str, u8>,
    begins: Vec<&'static str>,
    ends: Vec<&'static str>,
    roles: Map<&'static str, u8>,
}

fn labels() -> &'static Labels {
    static LABELS: OnceLock<Labels> = OnceLock::new();
    LABELS.get_or_init(|| {
        let file = File::new(include_str!("../data/labels.txt"));
        let roles = |(name, level): (&str, u8)| {
            let words = file.words(&format!("role {name}"));
            words.map(move |role| (role, level)).collect::<Vec<_>>()
        };
        Labels {
            words: file.bits(&SECTIONS),
            begins: file.words("boilerplate begins").collect(),
            ends: file.words("boilerplate ends").collect(),
            roles: LEVELS.into_iter().flat_map(roles).collect(),
        }
    })
}

/// Return the level of an element, and what says so: its name, or the word of its class or id. One
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
    let element = element(number);
    let mut level = element.level;
    if !role.is_empty() {
        level = level.max(labels().roles.get(role).copied().unwrap_or(LEVEL_NONE));
    }
    let is_labelled = !(classes.is_empty() && identifier.is_empty());
    if level != LEVEL_NONE {
        let name = if role == "contentinfo" { "footer" } else { element.name };
        return (level, name.into());
    }
    if !is_labelled || element.is_unlabelled {
        return none;
    }
    let Classes { mut found, in_chapter } = words.of_classes(classes);
    // the id of a chapter is made from its heading, be that "Cookies" or "Search paths"
    if number != SECTION && !in_chapter {
        for label in split(first_characters(identifier, LONGEST)) {
            words.raise(label, &mut found);
        }
    }
    if found.0 == LEVEL_PART && !element.is_large {
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
            .any(|word| meaning(word) & NOTE != 0)
}

fn is_chapter(label: &str) -> bool {
    let part = label.strip_prefix("part").map(str::as_bytes);
    ["refsect", "sect", "chapter", "appendix"].iter().any(|begin| label.starts_with(begin))
        || part.is_some_and(|rest| {
            !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        })
}

/// Return what a word names, as bits.
fn meaning(word: &str) -> u8 {
    labels().words.get(word).copied().unwrap_or(0)
}

fn is_boilerplate(word: &str, bits: u8) -> bool {
    let bytes = word.as_bytes();
    // one letter is quickly compared
    let begins = |one: &&str| bytes.first() == one.as_bytes().first() && word.starts_with(*one);
    let ends = |one: &&str| bytes.last() == one.as_bytes().last() && word.ends_with(*one);
    let labels = labels();
    bits & BOILERPLATE != 0 || labels.begins.iter().any(begins) || labels.ends.iter().any(ends)
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
        let mut boilerplate =
            all.clone().filter(|(from, to, bits)| is_boilerplate(&self.lower[*from..*to], *bits));
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
        let mut any = 0;
        let mut is_part = true;
        for (from, to, bits) in all.clone() {
            if bits & COMMENT != 0 {
                self.word.push_str(&self.lower[from..to]);
                return LEVEL_COMMENTS;
            }
            is_part &= bits & (PART | BESIDE_PART) != 0;
            any |= bits;
        }
        if any & PART == 0 || !is_part {
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
            let size =
                bytes[begin..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
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
            if bits & STATE != 0 {
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
    use crate::tags::number;

    #[test]
    fn words_of_labels() {
        let words = |label: &str| {
            let mut found = Words::default();
            found.read(label);
            (0..found.places.len()).map(|place| found.at(place).to_owned()).collect::<Vec<_>>()
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
        assert_eq!(level("div", "page-header"), (LEVEL_PART, "page-header".into()));
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
        assert_eq!(level("div", "section", "search-paths"), (LEVEL_NONE, "".into()));
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
