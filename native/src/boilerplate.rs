//! Boilerplate detection: what of a page is main text, what its frame, what its readers wrote.

use crate::columns::{Columns, Span, KIND_HEADING};
use crate::copies::mark_copies;
use crate::described::unmark_described;
use crate::fold::fold;
use crate::identity::Declared;
use crate::labels::{
    LEVEL_ARTICLE, LEVEL_COMMENTS, LEVEL_FORM, LEVEL_HEADER, LEVEL_LINKS, LEVEL_MAIN,
    LEVEL_OUTSIDE, LEVEL_PART, LEVEL_TAG, LEVEL_TEASERS, LEVEL_WORDS,
};
use crate::siblings::{Group, Groups, SENTENCE_ENDS};
use crate::spans::{mark_spans, outer_first, painted, sums, LONG};
use crate::words::count_words;

/// Marks of nodes that are not main text, as Python knows them.
const BY_STRUCTURE: u8 = 1;
const COMMENT: u8 = 3;
const LITTLE: f64 = 0.2;
const COMMENTED: usize = 150;
const COMMENTED_SHARE: f64 = 0.2;
const SHORTEST_COMMENT: usize = 200;
const ENOUGH_PROSE: i64 = 1000;
const TEASERS_TO_PROSE: f64 = 2.0;
const COMMENTS_TO_PROSE: i64 = 4;
/// Prose after them in their article makes teasers a part of it.
const GOES_ON: i64 = 200;
const LINKS: usize = 3;
const LINK_SHARE: f64 = 0.6;
const LONGEST_LINK: usize = 45;
const FEW: f64 = 0.1;
const FEW_WORDS: usize = 5;
const VERY_FEW: f64 = 0.05;
const UNDO: [u8; 6] =
    [LEVEL_LINKS, LEVEL_TEASERS, LEVEL_OUTSIDE, LEVEL_WORDS, LEVEL_FORM, LEVEL_TAG];

/// Return the mark of each node: 0 for main text, BY_STRUCTURE or COMMENT.
pub fn mark_boilerplate(page: &Columns, declared: &Declared) -> Vec<u8> {
    let mut levels = vec![0; page.len()];
    if !page.spans.is_empty() {
        let named = naming_headings(page, &declared.title);
        mark_spans(&mut levels, page, &named);
        unmark_titles(&mut levels, page, &named);
        mark_outside(&mut levels, page);
        mark_above(&mut levels, page, &named);
        mark_below(&mut levels, page);
        mark_comments(&mut levels, page);
        unmark_described(&mut levels, page, &declared.descriptions);
    }
    let mut controls = Vec::new();
    if !page.spans.is_empty() || !page.links.is_empty() {
        mark_bars(&mut levels, page);
        mark_copies(&mut levels, page);
        controls = mark_groups(&mut levels, page);
    }
    if controls.is_empty() && levels.iter().all(|level| *level == 0) {
        return levels;
    }
    mark_emptied(&mut levels, page);
    for node in controls {
        mark(&mut levels, node, node + 1, LEVEL_LINKS); // which empties no item
    }
    with_enough_left(&mut levels, page);
    for level in &mut levels {
        *level = match *level {
            0 => 0,
            LEVEL_COMMENTS => COMMENT,
            _ => BY_STRUCTURE,
        };
    }
    levels
}

/// Return the main headings that are in the title, the site's name at its end left out, or begin
/// with it: "ls(1) Manual Page".
fn naming_headings(page: &Columns, title: &str) -> Vec<usize> {
    let dividers = ['|', '\u{2013}', '\u{2014}', '\u{bb}', '\u{b7}', '-'];
    let end = title.match_indices(' ').find_map(|(place, _)| {
        let mut rest = title[place + 1..].chars();
        let divides = rest.next().is_some_and(|one| dividers.contains(&one));
        (divides && rest.next() == Some(' ')).then_some(place)
    });
    let name = fold(&title[..end.unwrap_or(title.len())]);
    let length = name.chars().count();
    let is_named = |node: &usize| {
        page.lengths[*node] <= 2 * length.max(LONG) && {
            let heading = fold(page.at(*node));
            name.contains(heading.as_ref()) || begins(&heading, &name)
        }
    };
    page.tops.iter().copied().filter(is_named).collect()
}

/// Return true if the first words of a text are a name.
fn begins(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix(name);
    !name.is_empty() && rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Unmark main headings that name the page, and what is more than a label in article headers.
fn unmark_titles(levels: &mut [u8], page: &Columns, named: &[usize]) {
    for node in named {
        if matches!(levels[*node], LEVEL_PART | LEVEL_WORDS | LEVEL_HEADER) {
            levels[*node] = 0;
        }
    }
    let in_article = painted(page, &[LEVEL_MAIN, LEVEL_ARTICLE]);
    for node in &page.tops {
        if matches!(levels[*node], LEVEL_PART | LEVEL_WORDS) && in_article[*node] > 0 {
            levels[*node] = 0;
        }
    }
    for (node, level) in levels.iter_mut().enumerate() {
        let is_title = page.kinds[node] == KIND_HEADING || page.lengths[node] >= LONG;
        if *level == LEVEL_HEADER && in_article[node] > 0 && is_title {
            *level = 0;
        }
    }
}

/// Mark what is beside the main element, if that has most of the text.
fn mark_outside(levels: &mut [u8], page: &Columns) {
    let inside = painted(page, &[LEVEL_MAIN]);
    if inside.iter().all(|level| *level == 0) {
        return;
    }
    let left = left(levels, page);
    let within: usize =
        left.iter().zip(&inside).filter_map(|(size, level)| (*level > 0).then_some(size)).sum();
    if within * 2 >= left.iter().sum() {
        for (level, inside) in levels.iter_mut().zip(inside) {
            if inside == 0 && *level == 0 {
                *level = LEVEL_OUTSIDE;
            }
        }
    }
}

/// Mark what is above the heading that names the page, if that is little.
fn mark_above(levels: &mut [u8], page: &Columns, named: &[usize]) {
    let first = named.iter().copied().find(|node| levels[*node] == 0);
    let first = first.unwrap_or(0);
    let left = left(levels, page);
    let above: usize = left[..first].iter().sum();
    let below: usize = left[first..].iter().sum();
    if above as f64 <= LITTLE * below as f64 {
        mark(levels, 0, first, LEVEL_OUTSIDE);
    }
}

/// Mark what follows the footer of the page, if that is little: dialogs, carts, notices.
fn mark_below(levels: &mut [u8], page: &Columns) {
    let in_article = painted(page, &[LEVEL_MAIN, LEVEL_ARTICLE]);
    let is_footer = |span: &&Span| {
        span.word == "footer" && levels[span.start] > 0 && in_article[span.start] == 0
    };
    let Some(end) = page.spans.iter().filter(is_footer).map(|span| span.end).max() else { return };
    let left = left(levels, page);
    let above: usize = left[..end].iter().sum();
    let below: usize = left[end..].iter().sum();
    if below as f64 <= LITTLE * above as f64 {
        mark(levels, end, page.len(), LEVEL_OUTSIDE);
    }
}

/// Mark comments, unless they are what the page is about, as in a forum.
fn mark_comments(levels: &mut [u8], page: &Columns) {
    let first = main_heading(levels, page);
    let sums = sums(&left(levels, page));
    let total = sums[sums.len() - 1];
    let mut found: Vec<(usize, usize)> = Vec::new();
    let (mut end, mut size) = (0, 0);
    for span in outer_first(page) {
        if span.level == LEVEL_COMMENTS && span.start >= end {
            end = span.end;
            if sums[end] - sums[span.start] >= SHORTEST_COMMENT {
                found.push((span.start, span.end));
                size += sums[end] - sums[span.start];
            }
        }
    }
    let Some(begin) = found.first() else { return };
    if sums[begin.0.max(first)] - sums[first] < COMMENTED {
        return;
    }
    let below = (total - sums[first]) as f64;
    if below - size as f64 >= COMMENTED_SHARE * below {
        for (start, end) in found {
            mark(levels, start, end, LEVEL_COMMENTS);
        }
    }
}

/// Mark texts that are several links in a row, and no enumeration.
fn mark_bars(levels: &mut [u8], page: &Columns) {
    for links in &page.links {
        let node = links.node;
        if links.count < LINKS || levels[node] > 0 || page.kinds[node] == KIND_HEADING {
            continue;
        }
        let (text, length) = (page.at(node), page.lengths[node]);
        let commas = text.bytes().filter(|byte| *byte == b',').count();
        if links.characters as f64 >= LINK_SHARE * length as f64
            && length < LONGEST_LINK * links.count
            && commas < links.count - 1
            && !text.ends_with(SENTENCE_ENDS)
        {
            levels[node] = LEVEL_LINKS;
        }
    }
}

/// Mark menus, and teasers below a text that is longer than all of them; return the controls.
fn mark_groups(levels: &mut [u8], page: &Columns) -> Vec<usize> {
    let Groups { menus, teasers, controls, threads } = Groups::of(page, levels);
    if menus.is_empty() && teasers.is_empty() && threads.is_empty() {
        return controls;
    }
    let left = left(levels, page);
    let first = main_heading(levels, page);
    let mut grouped = vec![false; levels.len()];
    for (start, end) in menus.iter().chain(&teasers) {
        grouped[*start..*end].fill(true);
    }
    let mut prose = vec![0_i64; levels.len() + 1];
    for (node, size) in left.iter().enumerate() {
        let linked = page.links_of(node).map_or(0, |links| links.characters);
        let unlinked = *size as i64 - linked as i64;
        let counts = node >= first && !grouped[node] && unlinked >= LONG as i64;
        prose[node + 1] = prose[node] + if counts { unlinked } else { 0 };
    }
    let article_ends = article_ends(page);
    let goes_on = |(_, end): Group| prose[article_ends[end - 1].max(end)] - prose[end] >= GOES_ON;
    let heading = heading_with_text(levels, page, &grouped);
    for (start, end) in menus {
        if heading.is_some_and(|heading| lists(page, (start, end), heading)) {
            // the way to this page and its neighbours, however little the page itself says
            mark(levels, start_of_links(levels, page, start), end, LEVEL_FORM);
        } else if prose[start] < ENOUGH_PROSE {
            mark(levels, start, end, LEVEL_LINKS);
        } else if !goes_on((start, end)) {
            mark(levels, start, end, LEVEL_TEASERS);
        }
    }
    let size: usize =
        teasers.iter().map(|(start, end)| left[*start..*end].iter().sum::<usize>()).sum();
    let least = (ENOUGH_PROSE as f64).max(size as f64 / TEASERS_TO_PROSE);
    for (start, end) in teasers {
        if prose[start] as f64 >= least && !goes_on((start, end)) {
            mark(levels, start, end, LEVEL_TEASERS);
        }
    }
    for (start, end) in threads {
        // they are about something, or else what the page is about, as in a forum
        let size: usize = left[start..end].iter().sum();
        if prose[start] >= ENOUGH_PROSE.max(size as i64 / COMMENTS_TO_PROSE)
            && !goes_on((start, end))
        {
            mark(levels, start, end, LEVEL_COMMENTS);
        }
    }
    controls
}

/// Return for each node where the outermost article around it ends; 0 if none is.
fn article_ends(page: &Columns) -> Vec<usize> {
    let mut ends = vec![0; page.len()];
    for span in outer_first(page).into_iter().filter(|span| span.level == LEVEL_ARTICLE) {
        if ends[span.start] == 0 {
            ends[span.start..span.end].fill(span.end);
        }
    }
    ends
}

/// Return the heading of the page, if some text outside of groups stands with it: the first of rank 1
/// that is neither marked nor a link, else the first of any rank.
fn heading_with_text(levels: &[u8], page: &Columns, grouped: &[bool]) -> Option<usize> {
    let is_own = |node: &usize| levels[*node] == 0 && page.lengths[*node] > 0 && !grouped[*node];
    let is_heading = |node: &usize| page.kinds[*node] == KIND_HEADING;
    let has_text = (0..page.len()).any(|node| is_own(&node) && !is_heading(&node));
    let mut all = page.tops.iter().copied().chain((0..page.len()).filter(is_heading));
    all.find(|node| has_text && is_own(node) && page.links_of(*node).is_none())
}

/// Return true if a menu has the heading of the page, which is outside of it, as an entry.
fn lists(page: &Columns, (start, end): Group, heading: usize) -> bool {
    !(start..end).contains(&heading) && (start..end).any(|node| page.at(node) == page.at(heading))
}

/// Return where the texts begin that are nothing but links and directly above a menu.
fn start_of_links(levels: &[u8], page: &Columns, menu: usize) -> usize {
    let is_link = |node: &usize| {
        let linked = page.links_of(*node).map_or(0, |links| links.characters);
        levels[*node] == 0 && linked >= page.lengths[*node]
    };
    (0..menu).rev().take_while(is_link).last().unwrap_or(menu)
}

/// Mark lists, tables and headings when all that is under them is boilerplate.
fn mark_emptied(levels: &mut [u8], page: &Columns) {
    const NOTHING: u8 = 255;
    let mut least = vec![NOTHING; levels.len()]; // the least level under each node
    for node in (0..levels.len()).rev() {
        let heading = page.kinds[node] == KIND_HEADING;
        let empty = page.lengths[node] == 0;
        let is_top = || page.tops.binary_search(&node).is_ok();
        // a heading that is a link heads nothing
        if heading && (levels[node] > 0 || is_top() || page.links_of(node).is_some()) {
        } else if (heading || empty) && least[node] > 0 && least[node] < NOTHING {
            levels[node] = least[node];
        } else if empty {
            levels[node] = 0;
        }
        if let Ok(parent) = usize::try_from(page.parents[node]) {
            let own = if empty { NOTHING } else { levels[node] };
            least[parent] = least[parent].min(least[node]).min(own);
        }
    }
}

/// Undo the less certain marks on a page that would be left without main text.
fn with_enough_left(levels: &mut [u8], page: &Columns) {
    let size = |levels: &[u8], wanted: u8| -> usize {
        let sizes = levels.iter().zip(&page.lengths);
        sizes.filter_map(|(level, length)| (*level == wanted).then_some(length)).sum()
    };
    let total = page.lengths.iter().sum::<usize>() as f64;
    if size(levels, LEVEL_LINKS) > size(levels, 0) {
        undo(levels, LEVEL_LINKS); // an index page: the links are what it is about
    }
    for limit in UNDO {
        let left = size(levels, 0);
        if left as f64 >= FEW * total || (limit == LEVEL_TAG && left > 0) {
            return;
        }
        let enough = limit != LEVEL_LINKS || left as f64 >= VERY_FEW * total;
        if enough && has_words(levels, page) {
            return;
        }
        undo(levels, limit);
    }
}

fn has_words(levels: &[u8], page: &Columns) -> bool {
    let mut count = 0;
    (0..levels.len()).any(|node| {
        if levels[node] == 0 && page.lengths[node] > 0 {
            count += count_words(page.at(node));
        }
        count >= FEW_WORDS
    })
}

fn undo(levels: &mut [u8], limit: u8) {
    for level in levels.iter_mut().filter(|level| **level <= limit) {
        *level = 0;
    }
}

fn main_heading(levels: &[u8], page: &Columns) -> usize {
    let found = page.tops.iter().copied().find(|node| levels[*node] == 0);
    found.unwrap_or(0)
}

/// Return the length of each text that is not marked, 0 for the others.
fn left(levels: &[u8], page: &Columns) -> Vec<usize> {
    let sizes = page.lengths.iter().zip(levels);
    sizes.map(|(length, level)| if *level > 0 { 0 } else { *length }).collect()
}

fn mark(levels: &mut [u8], start: usize, end: usize, level: u8) {
    for one in &mut levels[start..end] {
        if *one == 0 {
            *one = level;
        }
    }
}
