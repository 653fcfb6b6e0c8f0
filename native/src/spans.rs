//! Elements with a level, and the nodes that they mark; used by `boilerplate`.

use crate::columns::{Columns, Span};
use crate::hash::Map;
use crate::labels::{
    LEVEL_ARTICLE, LEVEL_ASIDE, LEVEL_COMMENTS, LEVEL_FORM, LEVEL_HEADER, LEVEL_PART, LEVEL_TAG,
    LEVEL_WORDS,
};

const MANY: usize = 12;
const FEW_PARTS: usize = 3;
const NEARLY_ALL: f64 = 0.9;

/// How much text, and how much of it outside links, any run of nodes has.
struct Sizes {
    text: Vec<usize>,
    prose: Vec<usize>,
}

type Size = (usize, usize);

impl Sizes {
    fn of(page: &Columns) -> Self {
        let mut lengths = page.lengths.clone();
        let text = sums(&lengths);
        for links in &page.links {
            lengths[links.node] -= links.characters.min(lengths[links.node]);
        }
        let prose = sums(&lengths);
        Sizes { text, prose }
    }

    fn between(&self, span: &Span) -> Size {
        let of = |sums: &[usize]| sums[span.end] - sums[span.start];
        (of(&self.text), of(&self.prose))
    }

    fn total(&self) -> Size {
        let last = self.text.len() - 1;
        (self.text[last], self.prose[last])
    }

    fn is_most(&self, (text, prose): Size) -> bool {
        let (all, all_prose) = self.total();
        2 * prose > all_prose && 3 * text > all
    }

    fn is_nearly_all(&self, (text, prose): Size) -> bool {
        let (all, all_prose) = self.total();
        prose as f64 > NEARLY_ALL * all_prose as f64 && text as f64 > NEARLY_ALL * all as f64
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
    let spans = outer_first(page);
    let mut uses: Map<&str, Uses> = Map::default();
    for span in &spans {
        let size = sizes.between(span);
        if matches!(span.level, LEVEL_PART | LEVEL_WORDS) && !sizes.is_most(size) {
            let of_word = uses.entry(&span.word).or_default();
            if span.start >= of_word.end {
                of_word.count += 1;
                of_word.end = span.end;
                of_word.size.0 += size.0;
                of_word.size.1 += size.1;
                of_word.headed |= is_in(span, &page.tops);
            }
        }
    }
    let is_boilerplate = |span: &&&Span| {
        let size = sizes.between(span);
        match span.level {
            // with nearly all in it, it was never closed
            LEVEL_TAG => !(sizes.is_nearly_all(size) && is_in(span, &page.tops)),
            LEVEL_ASIDE => !is_in(span, named),
            LEVEL_COMMENTS => false,
            level if level <= LEVEL_ARTICLE || sizes.is_most(size) => false,
            LEVEL_HEADER => true,
            LEVEL_FORM => !is_in(span, &page.tops),
            level => {
                let Some(of_word) = uses.get(span.word.as_str()) else {
                    return false;
                };
                if level == LEVEL_PART && of_word.count > FEW_PARTS {
                    return false;
                }
                let common =
                    sizes.is_most(of_word.size) && (of_word.headed || of_word.count >= MANY);
                !common && !is_in(span, named)
            }
        }
    };
    paint(levels, spans.iter().filter(is_boilerplate).copied());
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
