//! Comment threads by structure: repeated items that say who wrote them, and when.

use crate::columns::{Columns, KIND_HEADING, KIND_ITEM, KIND_QUOTE, KIND_TEXT};
use crate::hash::{Map, Set};
use crate::siblings::{Group, SENTENCE_ENDS};
use crate::similarity::facts::is_date_word;
use crate::similarity::numbers::date;

/// Items of a thread, at least, and the share of all that name author and date in the same places.
const LEAST: usize = 3;
const ALIKE: f64 = 0.75;
/// Of these items so many have another author.
const AUTHORS: f64 = 0.4;
/// Texts at the beginning and at the end of an item that may name author and date.
const FIRST: usize = 4;
const LAST: usize = 2;
/// Nodes from either side among which these are.
const NEAR: usize = 32;
const LONGEST_AUTHOR: usize = 40;
const LONGEST_DATE: usize = 100;
/// Words beside a date: a name, and that somebody says something.
const MOST_WORDS: usize = 8;
/// Characters of a text that somebody wrote, outside of links.
const WRITTEN: usize = 30;
/// Words of dates that stand before numbers elsewhere, too.
const WEAK: [&str; 8] = ["the", "and", "den", "der", "vom", "von", "las", "los"];

/// Items of one kind: the first and the last, and all authors.
type Run = (usize, usize, Vec<String>);

/// Return the part of some items, which follow each other, in which most name an author and a date in
/// the same places; nothing if an item does so that is more than all of these: the first post of a
/// forum. Each has its first node, the node after its last, and whether it is that large.
pub fn thread(page: &Columns, levels: &[u8], items: &[(Group, bool)]) -> Option<Group> {
    if items.len() < LEAST {
        return None;
    }
    let mut found: Map<(usize, usize), Run> = Map::default();
    for (number, (item, is_large)) in items.iter().enumerate() {
        for (places, author) in signatures(page, levels, *item, *is_large) {
            let run = found.entry(places).or_insert((number, number, Vec::new()));
            run.1 = number;
            run.2.push(author);
        }
    }
    let is_thread = |(first, last, authors): &&Run| {
        let count = authors.len() as f64;
        let different: Set<&String> = authors.iter().collect();
        authors.len() >= LEAST
            && count >= ALIKE * (last - first + 1) as f64
            && different.len() as f64 >= (AUTHORS * count).max(2.0)
            && items[*first..=*last].iter().all(|(_, is_large)| !is_large)
    };
    let longest = found.values().filter(is_thread).max_by_key(|run| (run.2.len(), run.0, run.1))?;
    Some((items[longest.0].0 .0, items[longest.1].0 .1))
}

/// Return the places of author and date in an item, and the author, as far as it has both, no
/// heading, and what was written. The author may stand with the date, or elsewhere.
fn signatures(
    page: &Columns,
    levels: &[u8],
    (start, end): Group,
    is_large: bool,
) -> Vec<((usize, usize), String)> {
    let is_shown = |node: &usize| levels[*node] == 0 && page.lengths[*node] > 0;
    let shown = || (start..end).filter(is_shown);
    // places at the end count from there: what was written has as many texts as it likes
    let first = (start..end).take(NEAR).filter(is_shown).take(FIRST).enumerate();
    let last = (start..end).rev().take(NEAR).filter(is_shown).take(LAST).enumerate();
    let last = last.map(|(place, node)| (FIRST + place, node));
    let mut dates = first.clone().chain(last);
    let Some((place, node, beside)) =
        dates.find_map(|(place, node)| Some((place, node, dated(page, node)?)))
    else {
        return Vec::new();
    };
    let is_written = |one: usize| {
        let linked = page.links_of(one).map_or(0, |links| links.characters);
        matches!(page.kinds[one], KIND_TEXT | KIND_ITEM | KIND_QUOTE)
            && page.lengths[one] >= WRITTEN + linked
    };
    let is_headed = || shown().any(|one| page.kinds[one] == KIND_HEADING);
    let is_comment = || !is_headed() && shown().any(|one| one != node && is_written(one));
    // a large one is looked at by each group around it: its beginning and end have to do
    if !is_large && !is_comment() {
        return Vec::new();
    }
    let mut others = first.filter(|(_, one)| *one != node && is_author(page, *one));
    let other = others.next().map(|(at, one)| ((at, place), page.at(one).to_owned()));
    let beside = Some(((place, place), beside)).filter(|(_, beside)| !beside.is_empty());
    beside.into_iter().chain(other).collect()
}

/// Return true if a text may be the name of whoever wrote: short, without numbers, no sentence.
fn is_author(page: &Columns, node: usize) -> bool {
    let text = page.at(node);
    page.lengths[node] <= LONGEST_AUTHOR
        && text.chars().any(char::is_alphabetic)
        && !text.chars().any(char::is_numeric)
        && !text.ends_with(SENTENCE_ENDS)
}

/// Return the few words beside a date or a time that is past, if a text has one and little else.
fn dated(page: &Columns, node: usize) -> Option<String> {
    let text = page.at(node);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    if page.lengths[node] > LONGEST_DATE || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = text.char_indices().filter(|(_, one)| one.is_ascii_digit());
    let mut is_date = digits.map(|(at, _)| at).any(|at| date(text, at).is_some());
    let (mut before, mut beside) = (0, Vec::new()); // 1 after a number, 2 after a word of a date
    for word in text.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if is_number(word) {
            is_date |= before == 2;
            before = 1;
        } else if !is_date_word(word) {
            if !word.as_bytes()[0].is_ascii_digit() {
                beside.push(word);
            }
            before = 0;
        } else if word.len() > 2 && !WEAK.contains(&word) {
            is_date |= before == 1;
            before = 2;
        }
    }
    (is_date && beside.len() <= MOST_WORDS).then(|| beside.join(" "))
}

#[cfg(test)]
mod tests {
    use crate::reading::Reading;

    const COMMENT: u8 = 3;
    const NAMES: [&str; 4] = ["Anna", "Bert", "Cleo", "Anna"];

    fn prose(words: usize) -> String {
        (0..words).map(|n| format!("word{n} ")).collect()
    }

    /// Return how many texts are comments on a page with a text of so many words and some items.
    fn comments(words: usize, item: impl Fn(usize, &str) -> String) -> usize {
        let items: String = NAMES
            .iter()
            .enumerate()
            .map(|(n, name)| format!("<div>{}</div>", item(n, name)))
            .collect();
        let html = format!(
            "<nav><a href=/>Home</a></nav><div><h1>Tea</h1><p>{}</div><div>{items}</div>",
            prose(words)
        );
        let page = Reading::of(&html, 1 << 20, true, true);
        page.marks.iter().filter(|mark| **mark == COMMENT).count()
    }

    fn said(n: usize) -> String {
        format!("<p>What I think of it, number {n}, is that it is good.")
    }

    #[test]
    fn items_with_author_and_date_are_comments() {
        let dates = ["May 3, 2021 at 5:00", "2 days ago", "3.5.2021, 12:00 Uhr", "le 3 mars 2021"];
        for date in dates {
            let two = |n, name: &str| format!("<b>{name}</b><div>{date}</div>{}", said(n));
            assert_eq!(comments(200, two), 12, "{date}");
            let one = |n, name: &str| format!("<div>{name} says: {date}</div>{}", said(n));
            assert_eq!(comments(200, one), 8, "{date}");
            let behind = |n, name: &str| format!("{}<div>Posted by {name}, {date}</div>", said(n));
            assert_eq!(comments(200, behind), 8, "{date}");
        }
    }

    #[test]
    fn other_items_are_not() {
        let date = "May 3, 2021";
        let posts = |n, name: &str| format!("<b>{name}</b><div>{date}</div>{}", said(n));
        assert_eq!(comments(20, posts), 0); // a forum: nothing else is on the page
        let news = |n, name: &str| format!("<h3>{name}</h3><div>{date}</div>{}", said(n));
        assert_eq!(comments(200, news), 0);
        let versions = |n, _: &str| format!("<div>Released {date}</div>{}", said(n));
        assert_eq!(comments(200, versions), 0);
        let options = |n, name: &str| format!("<b>{name}</b><div>Default: 20{n}</div>{}", said(n));
        assert_eq!(comments(200, options), 0);
        let cards =
            |n, name: &str| format!("<b>{name}</b><div>{date}</div><a href=/{n}>{name}</a>");
        assert_eq!(comments(200, cards), 0);
        let one_differs =
            |n, name: &str| if n % 2 == 0 { posts(n, name) } else { said(n) + &said(n + 9) };
        assert_eq!(comments(200, one_differs), 0);
    }
}
