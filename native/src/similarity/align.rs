//! Alignment of two texts: what they have in common in the same order, and the gaps between.

use super::chain::longest_chain;
use super::intern::Rows;
use super::lcs::{common_end, common_start, Matcher};
use super::shingles::Both;

pub const ANCHOR_WORDS: usize = 8;
const FOUR: usize = ANCHOR_WORDS / 2;
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
        Run { first, second, length }
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

/// Align two texts, given as numbers of their words and of their four-word shingles, and how often
/// either text has each of these.
pub fn align(words: &Both, fours: &Both, counts: (&[u32], &[u32])) -> Alignment {
    let passages = passages(fours, counts);
    let anchors = in_order(&passages);
    let mut runs = anchors.clone();
    let mut matcher = Matcher::new(words.size);
    let mut left = MOST_CELLS;
    for gap in gaps(&anchors, words.first.len(), words.second.len()) {
        common(words, &gap, &mut left, &mut matcher, &mut runs);
    }
    runs.sort_unstable();
    Alignment { runs: joined(&runs), passages, work: MOST_CELLS - left }
}

/// List what lies before, between and after the runs, of texts of so many words.
pub fn gaps(runs: &[Run], first: usize, second: usize) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let (mut x, mut y) = (0, 0);
    let end = Run::new(first, second, 0);
    for run in runs.iter().chain(std::iter::once(&end)) {
        if run.first > x || run.second > y {
            gaps.push(Gap { first: (x, run.first.max(x)), second: (y, run.second.max(y)) });
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

/// Find the longest passages whose eight-word shingles all occur once in either text.
fn passages(fours: &Both, counts: (&[u32], &[u32])) -> Vec<Run> {
    let is_shared = |four: u32| counts.0[four as usize] > 0 && counts.1[four as usize] > 0;
    // eight words as their halves
    let eights = |text: &[u32]| -> Vec<(usize, [u32; 2])> {
        let halves = text.iter().zip(text.get(FOUR..).unwrap_or(&[])).enumerate();
        let both = halves.filter(|(_, (one, other))| is_shared(**one) && is_shared(**other));
        both.map(|(place, (&one, &other))| (place, [one, other])).collect()
    };
    let (first, second) = (eights(&fours.first), eights(&fours.second));
    let mut numbers = Rows::new(first.len() + second.len());
    // how often either text has them, and where the second
    let mut found: Vec<(u32, u32, usize)> = vec![(0, 0, 0); first.len() + second.len()];
    for (place, eight) in second {
        let one = &mut found[numbers.number(eight) as usize];
        *one = (0, one.1 + 1, place);
    }
    let first: Vec<(usize, usize)> =
        first.into_iter().map(|(place, eight)| (place, numbers.number(eight) as usize)).collect();
    for &(_, number) in &first {
        found[number].0 += 1;
    }
    let mut runs: Vec<Run> = Vec::new();
    for (x, number) in first {
        let (1, 1, y) = found[number] else {
            continue;
        };
        match runs.last_mut() {
            // a run of n words has n - 7 shingles
            Some(run)
                if run.first + run.length + 1 == x + ANCHOR_WORDS
                    && run.second + run.length + 1 == y + ANCHOR_WORDS =>
            {
                run.length += 1;
            }
            _ => runs.push(Run::new(x, y, ANCHOR_WORDS)),
        }
    }
    runs
}

/// Choose the passages that keep the order of both texts, and cut off overlaps.
fn in_order(passages: &[Run]) -> Vec<Run> {
    let pairs: Vec<(u32, u32)> =
        passages.iter().map(|run| (run.first as u32, run.second as u32)).collect();
    let weights: Vec<u64> = passages.iter().map(|run| run.length as u64).collect();
    let mut runs: Vec<Run> = Vec::new();
    for index in longest_chain(&pairs, &weights, true) {
        let run = passages[index];
        let end = runs.last().copied().unwrap_or(Run::new(0, 0, 0));
        let over = (end.first + end.length)
            .saturating_sub(run.first)
            .max((end.second + end.length).saturating_sub(run.second));
        if run.length > over {
            runs.push(Run::new(run.first + over, run.second + over, run.length - over));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::murmur::finish;

    fn aligned(first: &[u32], second: &[u32]) -> Alignment {
        let size = 1 + first.iter().chain(second).copied().max().unwrap_or(0) as usize;
        let words = Both { first: first.to_vec(), second: second.to_vec(), size };
        let fours = words.shingles(FOUR);
        let (mine, theirs) = fours.counts();
        let found = align(&words, &fours, (&mine, &theirs));
        assert_sound(&found.runs, first, second);
        found
    }

    /// Runs are in order, apart from each other, and the same in both texts; gaps are the rest.
    fn assert_sound(runs: &[Run], first: &[u32], second: &[u32]) {
        for run in runs {
            assert!(run.length > 0);
            let mine = &first[run.first..run.first + run.length];
            assert_eq!(mine, &second[run.second..run.second + run.length]);
        }
        for pair in runs.windows(2) {
            let ends = (pair[0].first + pair[0].length, pair[0].second + pair[0].length);
            assert!(ends.0 <= pair[1].first && ends.1 <= pair[1].second);
            assert_ne!(ends, (pair[1].first, pair[1].second), "they are joined");
        }
        let (mine, theirs) = masks(runs.iter(), first.len(), second.len());
        let between = gaps(runs, first.len(), second.len());
        let places = |mask: &[bool]| (0..mask.len()).filter(|&at| !mask[at]).collect::<Vec<_>>();
        let first: Vec<usize> = between.iter().flat_map(|gap| gap.first.0..gap.first.1).collect();
        let second: Vec<usize> =
            between.iter().flat_map(|gap| gap.second.0..gap.second.1).collect();
        assert_eq!((first, second), (places(&mine), places(&theirs)));
    }

    fn total(found: &Alignment) -> usize {
        found.runs.iter().map(|run| run.length).sum()
    }

    /// Count the words of the longest common subsequence, by the textbook's table.
    fn common_subsequence(first: &[u32], second: &[u32]) -> usize {
        let mut row = vec![0; second.len() + 1];
        for one in first {
            let above = row.clone();
            for (place, other) in second.iter().enumerate() {
                row[place + 1] = match one == other {
                    true => above[place] + 1,
                    false => row[place].max(above[place + 1]),
                };
            }
        }
        row[second.len()]
    }

    /// A text that looks random: `length` words below `size`.
    fn text(seed: u64, length: usize, size: u64) -> Vec<u32> {
        let numbers = (0..length as u64).map(|at| finish(seed << 32 | at));
        numbers.map(|number| (number % size) as u32).collect()
    }

    #[test]
    fn short_texts_are_aligned_optimally() {
        for seed in 1..200 {
            let (first, second) = (text(seed, seed as usize % 8, 5), text(seed + 999, 60, 9));
            let best = common_subsequence(&first, &second);
            assert_eq!(total(&aligned(&first, &second)), best);
            assert_eq!(total(&aligned(&second, &first)), best);
        }
    }

    #[test]
    fn long_texts_are_aligned_soundly() {
        for seed in 1..60 {
            for size in [2, 9, 50] {
                let (first, second) = (text(seed, 60, size), text(seed + 999, 70, size));
                let best = common_subsequence(&first, &second);
                assert!(total(&aligned(&first, &second)) <= best);
                assert_eq!(total(&aligned(&first, &first)), first.len());
                let start = seed as usize;
                let moved = [&first[start..], &first[..start]].concat();
                assert!(total(&aligned(&first, &moved)) <= common_subsequence(&first, &moved));
            }
        }
    }

    #[test]
    fn words_that_occur_nowhere_else_are_anchors() {
        let held: Vec<u32> = (100..120).collect();
        for seed in 1..40 {
            let (before, after) = (text(seed, 7, 9), text(seed + 99, 7, 9));
            let first = [&before[..], &held, &after].concat();
            let second = [&after[..], &held, &before].concat();
            let found = aligned(&first, &second);
            assert!(total(&found) >= held.len());
            assert!(found.passages.iter().any(|run| run.length >= held.len()));
        }
    }

    #[test]
    fn passages_that_moved_are_found_in_any_order() {
        let (one, other): (Vec<u32>, Vec<u32>) = ((0..20).collect(), (50..70).collect());
        let found = aligned(&[&one[..], &other].concat(), &[&other[..], &one].concat());
        assert_eq!(found.passages, [Run::new(0, 20, 20), Run::new(20, 0, 20)]);
        assert_eq!(total(&found), 20);
    }

    #[test]
    fn what_is_too_long_is_aligned_at_its_ends_only() {
        let words = |middle: u32| -> Vec<u32> {
            let middle = (0..20_000).map(|at| middle + at % 2);
            [1, 2].into_iter().chain(middle).chain([3, 4]).collect()
        };
        let found = aligned(&words(10), &words(11));
        assert!(found.work <= MOST_CELLS);
        assert_eq!(found.runs[0], Run::new(0, 0, 2));
        assert_eq!(found.runs.last().unwrap(), &Run::new(20_002, 20_002, 2));
    }

    #[test]
    fn gaps_of_texts_without_anything_in_common() {
        let found = |runs: &[Run], first: usize, second: usize| -> Vec<_> {
            let gaps = gaps(runs, first, second);
            gaps.iter().map(|gap| (gap.first, gap.second)).collect()
        };
        assert_eq!(found(&[], 0, 0), []);
        assert_eq!(found(&[], 2, 0), [((0, 2), (0, 0))]);
        assert_eq!(found(&[Run::new(1, 0, 2)], 3, 2), [((0, 1), (0, 0))]);
    }
}
