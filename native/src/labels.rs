//! What the name, role, class and id of an element say: boilerplate, comments or main text; the
//! twin is `read/labels.py`.

use crate::space::{first_characters, split};
use crate::tables::{
    ASIDE, BESIDE_PARTS, BOILERPLATE_BEGINS, BOILERPLATE_ENDS, BOILERPLATE_WORDS, COMMENT_WORDS,
    LARGE, LEVEL_COMMENTS, LEVEL_NONE, LEVEL_OF_TAG, LEVEL_PART, LEVEL_WORDS, PARTS, ROLES,
    SECTION, STATES, UNLABELLED,
};

/// Characters of an attribute that are looked at.
const LONGEST: usize = 500;
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

/// Return the level of an element, and the word of its class or id that says so, if one does.
pub fn level_of(number: u16, role: &str, classes: &str, identifier: &str) -> (u8, String) {
    let none = (LEVEL_NONE, String::new());
    let classes = first_characters(classes, LONGEST);
    if number == ASIDE && (is_note(role) || is_note(classes)) {
        return none;
    }
    let place = usize::from(number);
    let by_tag = LEVEL_OF_TAG.get(place).copied().unwrap_or(LEVEL_NONE);
    let by_role = ROLES.binary_search_by(|(name, _)| (*name).cmp(role));
    let level = by_tag.max(by_role.map_or(LEVEL_NONE, |found| ROLES[found].1));
    if level != LEVEL_NONE || UNLABELLED.get(place) == Some(&true) {
        return (level, String::new());
    }
    let mut found = none.clone();
    let mut in_chapter = false;
    for label in split(classes) {
        in_chapter = in_chapter || is_chapter(label);
        found = found.max(level_of_label(label));
    }
    // the id of a chapter is made from its heading, be that "Cookies" or "Search paths"
    if number != SECTION && !in_chapter {
        for label in split(first_characters(identifier, LONGEST)) {
            found = found.max(level_of_label(label));
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

fn has(words: &[&str], word: &str) -> bool {
    words.binary_search(&word).is_ok()
}

fn is_boilerplate(word: &str) -> bool {
    has(&BOILERPLATE_WORDS, word)
        || BOILERPLATE_BEGINS.iter().any(|one| word.starts_with(one))
        || BOILERPLATE_ENDS.iter().any(|one| word.ends_with(one))
}

fn level_of_label(label: &str) -> (u8, String) {
    let words = words(label);
    if let Some(word) = words.iter().find(|word| is_boilerplate(word)) {
        return (LEVEL_WORDS, word.clone());
    }
    for two in words.windows(2) {
        let word = two.concat();
        if is_boilerplate(&word) {
            return (LEVEL_WORDS, word);
        }
    }
    if let Some(word) = words.iter().find(|word| has(&COMMENT_WORDS, word)) {
        return (LEVEL_COMMENTS, word.clone());
    }
    let names_part = words.iter().any(|word| has(&PARTS, word));
    if names_part && words.iter().all(|word| has(&BESIDE_PARTS, word)) {
        return (LEVEL_PART, words.join("-"));
    }
    (LEVEL_NONE, String::new())
}

/// Return the words of a label in lower case, without what an element has or lacks.
fn words(label: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut skip = false;
    for piece in label.split(|one: char| !one.is_ascii_alphanumeric()) {
        let bytes = piece.as_bytes();
        let is_code = |two: &[u8]| two[0].is_ascii_digit() && two[1].is_ascii_alphabetic();
        if bytes.windows(2).any(is_code) {
            continue; // css-1ad9nav
        }
        let mut at = 0;
        while at < bytes.len() {
            let end = word_end(bytes, at);
            if end == at {
                at += 1;
                continue;
            }
            let word = piece[at..end].to_ascii_lowercase();
            at = end;
            if has(&STATES, &word) {
                skip = true;
                continue;
            }
            if !skip {
                found.push(word);
            }
            skip = false;
        }
    }
    let results = found
        .iter()
        .any(|word| word == "result" || word == "results");
    if let (true, Some(place)) = (results, found.iter().position(|word| word == "search")) {
        found.remove(place); // what was found, not the form
    }
    found
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
        assert_eq!(words("HTMLPage-navBar2"), ["html", "page", "nav", "bar"]);
        assert_eq!(words("css-1ad9nav has-sidebar"), Vec::<String>::new());
        assert_eq!(words("search_results"), ["results"]);
    }

    #[test]
    fn levels() {
        let level = |name: &str, class: &str| level_of(number(name), "", class, "");
        assert_eq!(level("div", "main-navBar"), (LEVEL_WORDS, "navbar".into()));
        assert_eq!(level("aside", "footnote"), (LEVEL_NONE, "".into()));
        assert_eq!(
            level("div", "page-header"),
            (LEVEL_PART, "page-header".into())
        );
        assert_eq!(level("p", "page-header"), (LEVEL_NONE, "".into()));
    }
}
