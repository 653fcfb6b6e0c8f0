//! Texts that a page shows twice: for other screens, or quoted.

use crate::columns::{Columns, KIND_HEADING, KIND_QUOTE, KIND_TEXT};
use crate::hash::{Map, Seed};
use crate::labels::LEVEL_OUTSIDE;
use crate::spans::LONG;

/// Characters that no two places have in common by chance.
const COPY: usize = 200;

/// Mark runs of texts that repeat an earlier run: for other screens, or quoted.
pub fn mark_copies(levels: &mut [u8], page: &Columns) {
    let order: Vec<usize> =
        (0..page.len()).filter(|node| page.lengths[*node] > 0 && levels[*node] == 0).collect();
    let mut first: Map<&str, usize> = Map::with_capacity_and_hasher(order.len(), Seed::default());
    // of the run: its place, the place it repeats, its characters
    let (mut start, mut source, mut size) = (0, 0, 0);
    let heading = |node: usize| {
        let parent = usize::try_from(page.parents[node]);
        parent.map_or("", |parent| page.at(parent))
    };
    // a text may be repeated in another section, as items, cells and code may be alike in theirs; and
    // headings repeat a table of contents
    let is_same = |(node, source): (&usize, &usize)| match page.kinds[*node] {
        KIND_TEXT => heading(*node) == heading(*source),
        kind => matches!(kind, KIND_HEADING | KIND_QUOTE),
    };
    let mut mark = |from: usize, to: usize, source: usize, size: usize| {
        let run = &order[from..to];
        let has_text = run.iter().any(|node| page.kinds[*node] != KIND_HEADING);
        let least = match has_text && run.iter().zip(&order[source..]).all(is_same) {
            true => LONG,
            false => COPY,
        };
        if size >= least {
            for node in run {
                levels[*node] = LEVEL_OUTSIDE;
            }
        }
    };
    for (place, node) in order.iter().enumerate() {
        let text = page.at(*node);
        if size > 0 {
            let following = source + place - start;
            if following < start && page.at(order[following]) == text {
                size += page.lengths[*node];
                first.entry(text).or_insert(place);
                continue;
            }
            mark(start, place, source, size);
        }
        start = place;
        source = *first.entry(text).or_insert(place);
        size = if source < place { page.lengths[*node] } else { 0 };
    }
    mark(start, order.len(), source, size);
}
