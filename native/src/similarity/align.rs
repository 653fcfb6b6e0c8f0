//! Alignment of two texts: what they have in common in the same order, and the gaps between.

use super::chain::longest_chain;
use super::lcs::{common_end, common_start, Matcher};
use super::shingles::Both;

pub const ANCHOR_WORDS: usize = 8;
const MOST_CELLS: u64 = 100_000_000;

/// Consecutive words that both texts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    pub first: usize,
    pub second: usize,
    pub length: usize,
}

impl Run {
    pub fn new(first: usize, second: usize, length: usize) -> Self {
        Run {
            first,
            second,
            length,
        }
    }
}

/// What lies between two runs: start and end in either text.
pub struct Gap {
    pub first: (usize, usize),
    pub second: (usize, usize),
}

/// Two texts side by side.
pub struct Alignment {
    /// What both have, in the same order.
    pub runs: Vec<Run>,
    /// Runs of eight words or more that occur once in either text, in any order.
    pub passages: Vec<Run>,
    /// Cells of tables for the longest common subsequence.
    pub work: u64,
}

/// Align two texts, given as numbers of their words and of their eight-word shingles.
pub fn align(words: &Both, eights: &Both) -> Alignment {
    let passages = passages(eights);
    let anchors = in_order(&passages);
    let mut runs = anchors.clone();
    let mut matcher = Matcher::new(words.size);
    let mut left = MOST_CELLS;
    for gap in gaps(&anchors, words.first.len(), words.second.len()) {
        common(words, &gap, &mut left, &mut matcher, &mut runs);
    }
    runs.sort_unstable();
    Alignment {
        runs: joined(&runs),
        passages,
        work: MOST_CELLS - left,
    }
}

/// List what lies before, between and after the runs, of texts of so many words.
pub fn gaps(runs: &[Run], first: usize, second: usize) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let (mut x, mut y) = (0, 0);
    let end = Run::new(first, second, 0);
    for run in runs.iter().chain(std::iter::once(&end)) {
        if run.first > x || run.second > y {
            gaps.push(Gap {
                first: (x, run.first.max(x)),
                second: (y, run.second.max(y)),
            });
        }
        (x, y) = (run.first + run.length, run.second + run.length);
    }
    gaps
}

/// Mark the words of the runs in either text, of so many words.
pub fn masks<'a>(
    runs: impl Iterator<Item = &'a Run>,
    first: usize,
    second: usize,
) -> (Vec<bool>, Vec<bool>) {
    let (mut mine, mut theirs) = (vec![false; first], vec![false; second]);
    for run in runs {
        mine[run.first..run.first + run.length].fill(true);
        theirs[run.second..run.second + run.length].fill(true);
    }
    (mine, theirs)
}

fn passages(eights: &Both) -> Vec<Run> {
    let (mine, theirs) = eights.counts();
    let mut there = vec![0; eights.size];
    for (place, &number) in eights.second.iter().enumerate() {
        there[number as usize] = place;
    }
    let mut found: Vec<Run> = Vec::new();
    for (x, &number) in eights.first.iter().enumerate() {
        let number = number as usize;
        if mine[number] != 1 || theirs[number] != 1 {
            continue;
        }
        let y = there[number];
        match found.last_mut() {
            // a run of n words has n - 7 shingles
            Some(run)
                if run.first + run.length + 1 == x + ANCHOR_WORDS
                    && run.second + run.length + 1 == y + ANCHOR_WORDS =>
            {
                run.length += 1;
            }
            _ => found.push(Run::new(x, y, ANCHOR_WORDS)),
        }
    }
    found
}

/// Choose the passages that keep the order of both texts, and cut off overlaps.
fn in_order(passages: &[Run]) -> Vec<Run> {
    let pairs: Vec<(u32, u32)> = passages
        .iter()
        .map(|run| (run.first as u32, run.second as u32))
        .collect();
    let weights: Vec<u64> = passages.iter().map(|run| run.length as u64).collect();
    let mut runs: Vec<Run> = Vec::new();
    for index in longest_chain(&pairs, &weights, true) {
        let run = passages[index];
        let end = runs.last().copied().unwrap_or(Run::new(0, 0, 0));
        let over = (end.first + end.length)
            .saturating_sub(run.first)
            .max((end.second + end.length).saturating_sub(run.second));
        if run.length > over {
            runs.push(Run::new(
                run.first + over,
                run.second + over,
                run.length - over,
            ));
        }
    }
    runs
}

fn common(words: &Both, gap: &Gap, left: &mut u64, matcher: &mut Matcher, runs: &mut Vec<Run>) {
    let ((mut a, mut b), (mut c, mut d)) = (gap.first, gap.second);
    let cells = |a: usize, b: usize, c: usize, d: usize| (b - a) as u64 * (d - c) as u64;
    if cells(a, b, c, d) > *left {
        // repetitive pages may still begin and end alike
        let before = common_start(&words.first[a..b], &words.second[c..d]);
        runs.push(Run::new(a, c, before));
        (a, c) = (a + before, c + before);
        let after = common_end(&words.first[a..b], &words.second[c..d]);
        (b, d) = (b - after, d - after);
        runs.push(Run::new(b, d, after));
    }
    let size = cells(a, b, c, d);
    if size > 0 && size <= *left {
        *left -= size;
        matcher.common(&words.first[a..b], &words.second[c..d], a, c, runs);
    }
}

fn joined(runs: &[Run]) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for run in runs.iter().filter(|run| run.length > 0) {
        match joined.last_mut() {
            Some(last)
                if last.first + last.length == run.first
                    && last.second + last.length == run.second =>
            {
                last.length += run.length;
            }
            _ => joined.push(*run),
        }
    }
    joined
}
