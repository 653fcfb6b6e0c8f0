//! What blocks of two pages tell that runs of words do not: lists, text beside the main text, and
//! whether nothing but the name of a page is its own.

use super::table::strings;
use crate::hash::Set;
use crate::names::normal;
use crate::words::count_words;

/// Boilerplate by how the page is built, and by what the pages of its host share.
const BY_STRUCTURE: u8 = 1;
pub const BY_MEMORY: u8 = 2;
/// The number of list items among the kinds of nodes.
const ITEM: u8 = 2;

/// Blocks of so many words are prose, not entries of a menu.
const PASSAGE_WORDS: usize = 12;
/// So are blocks of so many words that end as a sentence does.
const SENTENCE_WORDS: usize = 4;
/// Words of prose, and their share of all words, that make a page more than a list.
const FEWEST_WORDS: f64 = 20.0;
const LEAST_PROSE: f64 = 0.1;
/// The share of the text beside its main text that the other page must show, too.
const AGREES: f64 = 0.5;

const NEW_ENTRIES: u8 = 1;
const REST_DIFFERS: u8 = 2;
const ONLY_NAME_DIFFERS: u8 = 4;

/// The nodes of a page, in columns.
pub struct Blocks<'a> {
    kinds: &'a [u8],
    marks: &'a [u8],
    texts: Vec<&'a str>,
}

impl<'a> Blocks<'a> {
    /// Read the kinds, marks and lines of a page; nothing if they do not belong together.
    pub fn read(kinds: &'a [u8], marks: &'a [u8], lines: &'a [u8]) -> Option<Self> {
        let lines = std::str::from_utf8(lines).ok()?;
        let parts = strings(lines.as_bytes(), marks.len())?;
        let mut at = 0;
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            texts.push(&lines[at..at + part.len()]);
            at += part.len() + 1;
        }
        (kinds.len() == marks.len()).then_some(Blocks { kinds, marks, texts })
    }

    /// Yield the text of each block that has some and whose mark passes a test.
    fn texts(&self, test: fn(u8) -> bool) -> impl Iterator<Item = &'a str> + '_ {
        let columns = self.marks.iter().zip(&self.texts);
        columns.filter(move |(&mark, text)| !text.is_empty() && test(mark)).map(|(_, &text)| text)
    }

    /// Whether hardly any of the main text is prose: entries of a menu, an index, a table.
    pub fn is_list(&self) -> bool {
        let (mut prose, mut total) = (0, 0);
        for (at, text) in self.texts.iter().enumerate() {
            if text.is_empty() || self.marks[at] != 0 {
                continue;
            }
            let count = if text.is_ascii() { spaced_words(text) } else { count_words(text) };
            total += count;
            prose += if is_prose(text, count, self.kinds[at] == ITEM) { count } else { 0 };
        }
        (prose as f64) < FEWEST_WORDS.max(LEAST_PROSE * total as f64)
    }

    /// Whether the page has blocks of main text that are not main text of another.
    fn has_new_entries(&self, known: &Blocks) -> bool {
        let there: Set<&str> = known.texts(|mark| mark == 0).collect();
        self.texts(|mark| mark == 0).any(|text| !there.contains(text))
    }

    /// Whether the page shows more text outside its main text than in it, and other text.
    ///
    /// Main text is a guess, and may have missed the point. What the pages of a host share does not
    /// count; what structure alone excluded, such as an article in an aside, does.
    fn rest_differs(&self, known: &Blocks, own_words: usize) -> bool {
        let beside = self.texts(|mark| mark == BY_STRUCTURE);
        let passages: Vec<&str> =
            beside.filter(|text| spaced_words(text) >= PASSAGE_WORDS).collect();
        if passages.is_empty() {
            return false;
        }
        let shown: Set<&str> = known.texts.iter().copied().collect();
        let (mut total, mut new) = (0, 0);
        for text in passages {
            let count = count_words(text);
            total += count;
            new += if shown.contains(text) { 0 } else { count };
        }
        total > own_words && new as f64 > (1.0 - AGREES) * total as f64
    }

    /// Whether another page says all that this one says, in the same order, but for its names.
    ///
    /// What structure takes for boilerplate counts, too, as it may be where the pages differ; what
    /// the pages of the host share does not.
    fn is_said_by(&self, known: &Blocks, names: &Set<&str>) -> bool {
        let theirs: Vec<&str> = known.texts(|mark| mark != BY_MEMORY).collect();
        let there: Set<&str> = theirs.iter().copied().collect();
        let mut rest = theirs.iter();
        let mut in_order = true;
        for text in self.texts(|mark| mark != BY_MEMORY) {
            if there.contains(text) {
                in_order = in_order && rest.any(|one| *one == text);
            } else if !names.contains(normal(text).as_str()) {
                return false;
            }
        }
        in_order
    }
}

/// Compare a page with others by their blocks: whether it is a list, then bits for each other.
///
/// The parts are the names of the page, a line each; the number of words of the main text of each
/// page; and kinds, marks and lines of each page.
pub fn compare(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [names, words, columns @ ..] = parts else { return None };
    let names = std::str::from_utf8(names).ok()?;
    let names: Set<&str> = names.split('\n').filter(|name| !name.is_empty()).collect();
    let words = crate::scan::numbers_of(words);
    let pages = columns.chunks_exact(3).map(|page| Blocks::read(page[0], page[1], page[2]));
    let pages: Vec<Blocks> = pages.collect::<Option<_>>()?;
    let (page, others) = pages.split_first()?;
    if words.len() != pages.len() {
        return None;
    }
    let is_list = page.is_list();
    let mut bytes = vec![u8::from(is_list)];
    for (known, &known_words) in others.iter().zip(&words[1..]) {
        let rest_differs = page.rest_differs(known, words[0] as usize)
            || known.rest_differs(page, known_words as usize);
        let mut bits = 0;
        if is_list && page.has_new_entries(known) {
            bits |= NEW_ENTRIES;
        }
        if rest_differs {
            bits |= REST_DIFFERS;
        }
        if page.is_said_by(known, &names) {
            bits |= ONLY_NAME_DIFFERS;
        }
        bytes.push(bits);
    }
    Some(bytes)
}

fn spaced_words(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b' ').count() + 1
}

/// Whether a block of so many words is prose; entries of lists must be whole sentences.
fn is_prose(text: &str, count: usize, is_item: bool) -> bool {
    let ends = text.ends_with(['.', '!', '?', '…', '。', '！', '？']);
    match (ends, is_item) {
        (true, false) => count >= SENTENCE_WORDS,
        (false, true) => false,
        _ => count >= PASSAGE_WORDS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: u8 = 1;

    fn flags(page: (&[u8], &[u8], &str), known: (&[u8], &[u8], &str), names: &str) -> Vec<u8> {
        let words: Vec<u8> = [3u32, 3].iter().flat_map(|one| one.to_le_bytes()).collect();
        let parts: [&[u8]; 8] = [
            names.as_bytes(),
            &words,
            page.0,
            page.1,
            page.2.as_bytes(),
            known.0,
            known.1,
            known.2.as_bytes(),
        ];
        compare(&parts).unwrap()
    }

    #[test]
    fn entries_of_lists() {
        let page = (&[ITEM, ITEM][..], &[0, 0][..], "one\ntwo");
        assert_eq!(flags(page, (&[ITEM, ITEM], &[0, 0], "two\none"), ""), [1, 0]);
        assert_eq!(flags(page, (&[ITEM], &[0], "two"), ""), [1, NEW_ENTRIES]);
        assert_eq!(flags(page, page, ""), [1, ONLY_NAME_DIFFERS]);
    }

    #[test]
    fn a_name_may_be_new_but_order_counts() {
        let page = (&[TEXT, TEXT, TEXT][..], &[0, 1, 0][..], "Multiply\nsays this\nand that");
        let known = (&[TEXT, TEXT, TEXT][..], &[0, 0, 0][..], "Add\nsays this\nand that");
        assert_eq!(flags(page, known, "multiply")[1], NEW_ENTRIES | ONLY_NAME_DIFFERS);
        assert_eq!(flags(page, known, "divide")[1], NEW_ENTRIES);
        let known = (&[TEXT, TEXT][..], &[0, 0][..], "and that\nsays this");
        assert_eq!(flags(page, known, "multiply")[1], NEW_ENTRIES);
    }

    #[test]
    fn text_beside_the_main_text() {
        let passage = "a passage of a dozen words that stands beside the main text here";
        let page = (&[TEXT, TEXT][..], &[0, 1][..], &*format!("own text\n{passage}"));
        let other = (&[TEXT][..], &[0][..], "own text");
        assert_eq!(flags(page, other, "")[1] & REST_DIFFERS, REST_DIFFERS);
        assert_eq!(flags(other, page, "")[1] & REST_DIFFERS, REST_DIFFERS);
        assert_eq!(flags(page, page, "")[1] & REST_DIFFERS, 0);
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        assert!(Blocks::read(&[1], &[0, 0], b"a\nb").is_none());
        assert!(Blocks::read(&[1, 1], &[0, 0], b"a").is_none());
        assert!(compare(&[b"", &[0; 4], &[1], &[0], b"a", &[1], &[0], b"a"]).is_none());
    }
}
