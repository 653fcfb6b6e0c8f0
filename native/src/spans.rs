//! Elements with a level, and the nodes that they mark; used by `boilerplate`.

use crate::columns::{Columns, Span};
use crate::hash::Map;
use crate::labels::{
    LEVEL_ARTICLE, LEVEL_ASIDE, LEVEL_COMMENTS, LEVEL_FORM, LEVEL_HEADER, LEVEL_MAIN, LEVEL_PART,
    LEVEL_TAG, LEVEL_WORDS,
};

/// Uses of one word that name no part of a page any more, but what it is made of.
const MANY: usize = 3;
const FEW_PARTS: usize = 3;
const NEARLY_ALL: f64 = 0.9;
/// A text that is more than a label.
pub const LONG: usize = 60;
/// What has such a part of a page is no frame if there is prose of the page before and after it.
const CONSIDERABLE: usize = 8;
const PROSE_AROUND: usize = 200;

/// How much text some nodes have, how much of it outside links, and of that in long texts.
#[derive(Clone, Copy, Default)]
struct Size {
    text: usize,
    prose: usize,
    long: usize,
}

impl Size {
    fn add(&mut self, other: Size) {
        self.text += other.text;
        self.prose += other.prose;
        self.long += other.long;
    }

    fn is_most_of(self, all: Size) -> bool {
        2 * self.prose > all.prose && 3 * self.text > all.text
    }

    fn is_nearly_all_of(self, all: Size) -> bool {
        let is_nearly = |part: usize, of: usize| part as f64 > NEARLY_ALL * of as f64;
        is_nearly(self.prose, all.prose) && is_nearly(self.text, all.text)
    }

    fn is_considerable_in(self, all: Size) -> bool {
        CONSIDERABLE * self.prose > all.prose && CONSIDERABLE * self.text > all.text
    }

    /// Return true if it reads on, as no list of labels does.
    fn has_long_texts(self) -> bool {
        2 * self.long > self.prose
    }
}

/// The sizes of any runs of nodes, as sums.
struct Sizes {
    text: Vec<usize>,
    prose: Vec<usize>,
    long: Vec<usize>,
}

impl Sizes {
    fn of(page: &Columns) -> Self {
        let mut lengths = page.lengths.clone();
        let text = sums(&lengths);
        for links in &page.links {
            lengths[links.node] -= links.characters.min(lengths[links.node]);
        }
        let prose = sums(&lengths);
        for (length, whole) in lengths.iter_mut().zip(&page.lengths) {
            *length = if *whole >= LONG { *length } else { 0 };
        }
        Sizes { text, prose, long: sums(&lengths) }
    }

    fn between(&self, start: usize, end: usize) -> Size {
        let of = |sums: &[usize]| sums[end] - sums[start];
        Size { text: of(&self.text), prose: of(&self.prose), long: of(&self.long) }
    }

    fn of_span(&self, span: &Span) -> Size {
        self.between(span.start, span.end)
    }

    fn total(&self) -> Size {
        self.between(0, self.text.len() - 1)
    }

    /// Return the sums of the unlinked characters of long texts that are not marked.
    fn unmarked(&self, levels: &[u8]) -> Vec<usize> {
        let long = self.long.windows(2).zip(levels);
        sums(
            &long
                .map(|(two, level)| if *level > 0 { 0 } else { two[1] - two[0] })
                .collect::<Vec<_>>(),
        )
    }
}

/// Return the sums of all numbers before each place, and of all.
pub fn sums(numbers: &[usize]) -> Vec<usize> {
    let mut sum = 0;
    let mut found = Vec::with_capacity(numbers.len() + 1);
    found.push(0);
    found.extend(numbers.iter().map(|number| {
        sum += number;
        sum
    }));
    found
}

/// All elements with one word in class or id, those inside others left out.
#[derive(Default)]
struct Uses {
    count: usize,
    start: usize,
    end: usize,
    size: Size,
    headed: bool,
}

/// Return the spans of a page, outer ones first.
pub fn outer_first(page: &Columns) -> Vec<&Span> {
    let mut spans: Vec<&Span> = page.spans.iter().collect();
    spans.sort_by_key(|span| (span.start, usize::MAX - span.end));
    spans
}

/// Mark elements that are boilerplate by name, role, class or id, unless they hold the page.
pub fn mark_spans(levels: &mut [u8], page: &Columns, named: &[usize]) {
    let sizes = Sizes::of(page);
    let all = sizes.total();
    let spans = outer_first(page);
    let uses = uses_of(&spans, &sizes, page);
    let main = spans.iter().find(|span| span.level == LEVEL_MAIN);
    let is_most_of_main = |span: &Span, size: Size| {
        main.is_some_and(|main| {
            main.start <= span.start
                && span.end <= main.end
                && size.is_most_of(sizes.of_span(main))
                && size.has_long_texts()
        })
    };
    let is_boilerplate = |span: &&Span| {
        let size = sizes.of_span(span);
        match span.level {
            // with nearly all in it, it was never closed
            LEVEL_TAG => !(size.is_nearly_all_of(all) && is_in(span, &page.tops)),
            LEVEL_ASIDE => !is_in(span, named),
            LEVEL_COMMENTS => false,
            level if level <= LEVEL_ARTICLE || size.is_most_of(all) => false,
            LEVEL_HEADER => true,
            LEVEL_FORM => !is_in(span, &page.tops),
            level => {
                let Some(of_word) = uses.get(span.word.as_str()) else {
                    return false;
                };
                if level == LEVEL_PART && of_word.count > FEW_PARTS {
                    return false;
                }
                let is_common =
                    of_word.headed || of_word.count >= MANY && of_word.size.has_long_texts();
                let is_page = of_word.size.is_most_of(all) && is_common;
                !is_page && !is_in(span, named) && !is_most_of_main(span, size)
            }
        }
    };
    let mut marked: Vec<&Span> = spans.iter().copied().filter(is_boilerplate).collect();
    paint(levels, marked.iter().copied());
    // a class or id may name what a part is about: what the page goes on after is no frame of it
    let own = sizes.unmarked(levels);
    let is_amid = |span: &Span| {
        let by_word = matches!(span.level, LEVEL_PART | LEVEL_WORDS);
        let of_word = uses.get(span.word.as_str()).filter(|_| by_word);
        of_word.is_some_and(|of_word| {
            of_word.size.is_considerable_in(all)
                && own[of_word.start] >= PROSE_AROUND
                && own[own.len() - 1] - own[of_word.end] >= PROSE_AROUND
        })
    };
    let count = marked.len();
    marked.retain(|span| !is_amid(span));
    if marked.len() < count {
        levels.fill(0);
        paint(levels, marked.into_iter());
    }
}

/// Return where each word that names parts of the page is used, but for what is most of it.
fn uses_of<'p>(spans: &[&'p Span], sizes: &Sizes, page: &Columns) -> Map<&'p str, Uses> {
    let all = sizes.total();
    let mut uses: Map<&str, Uses> = Map::default();
    for span in spans {
        let size = sizes.of_span(span);
        if matches!(span.level, LEVEL_PART | LEVEL_WORDS) && !size.is_most_of(all) {
            let new = Uses { start: span.start, ..Uses::default() };
            let of_word = uses.entry(&span.word).or_insert(new);
            if span.start >= of_word.end {
                of_word.count += 1;
                of_word.end = span.end;
                of_word.size.add(size);
                of_word.headed |= is_in(span, &page.tops);
            }
        }
    }
    uses
}

/// Return true if one of the nodes, which ascend, is in a span.
fn is_in(span: &Span, nodes: &[usize]) -> bool {
    let place = nodes.partition_point(|node| *node < span.start);
    nodes.get(place).is_some_and(|node| *node < span.end)
}

/// Give each node the greatest level of the spans around it, which come outer first.
pub fn paint<'a>(levels: &mut [u8], spans: impl Iterator<Item = &'a Span>) {
    let mut done = 0;
    // the ends and levels of all spans that are open
    let mut around = vec![(levels.len(), 0)];
    for span in spans {
        leave(levels, &mut around, &mut done, span.start);
        fill(levels, &around, &mut done, span.start);
        let level = around.last().map_or(0, |open| open.1);
        around.push((span.end, level.max(span.level)));
    }
    leave(levels, &mut around, &mut done, usize::MAX);
}

fn leave(levels: &mut [u8], around: &mut Vec<(usize, u8)>, done: &mut usize, place: usize) {
    while around.len() > 1 {
        let end = around[around.len() - 1].0;
        if end > place {
            return;
        }
        fill(levels, around, done, end);
        around.pop();
    }
}

fn fill(levels: &mut [u8], around: &[(usize, u8)], done: &mut usize, end: usize) {
    if end > *done {
        let level = around.last().map_or(0, |open| open.1);
        if level > 0 {
            levels[*done..end].fill(level);
        }
        *done = end;
    }
}

/// Return for each node whether an element of one of these levels is around it.
pub fn painted(page: &Columns, wanted: &[u8]) -> Vec<u8> {
    let mut painted = vec![0; page.len()];
    let spans = outer_first(page);
    let found = spans.into_iter().filter(|span| wanted.contains(&span.level));
    paint(&mut painted, found);
    painted
}
