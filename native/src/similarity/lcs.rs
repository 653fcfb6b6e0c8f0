//! The longest common subsequence of two lists of numbers, 64 cells at a time.
//!
//! Of several longest ones it takes the one that rapidfuzz takes: scores rest on it.

use super::align::Run;

const NOWHERE: u32 = u32::MAX;

/// Finds subsequences; keeps its tables from one pair of lists to the next.
pub struct Matcher {
    /// For each number the list in which it was last met, and its entry there.
    met: Vec<(u32, u32)>,
    list: u32,
    entries: Vec<Entry>,
    /// For each place of the first list the place before it that has the same number.
    before: Vec<u32>,
    matrix: Vec<u64>,
}

/// A distinct number of the first list.
struct Entry {
    last: u32,
    count: usize,
    /// Its places as bits, if they are few blocks or many places.
    bits: Vec<u64>,
}

impl Matcher {
    /// Prepare for numbers below `size`.
    pub fn new(size: usize) -> Self {
        Matcher {
            met: vec![(0, 0); size],
            list: 0,
            entries: Vec::new(),
            before: Vec::new(),
            matrix: Vec::new(),
        }
    }

    /// Add the runs that two lists have in common, which begin at `x` and `y` of the texts.
    pub fn common(
        &mut self,
        first: &[u32],
        second: &[u32],
        x: usize,
        y: usize,
        runs: &mut Vec<Run>,
    ) {
        let before = common_start(first, second);
        let (first, second) = (&first[before..], &second[before..]);
        let after = common_end(first, second);
        runs.push(Run::new(x, y, before));
        let (rows, columns) = (second.len() - after, first.len() - after);
        let (x, y) = (x + before, y + before);
        if rows > 0 && columns > 0 {
            self.trace(&first[..columns], &second[..rows], x, y, runs);
        }
        runs.push(Run::new(x + columns, y + rows, after));
    }

    fn trace(&mut self, first: &[u32], second: &[u32], x: usize, y: usize, runs: &mut Vec<Run>) {
        let blocks = (first.len() + 63) / 64;
        self.list_places(first);
        self.fill(second, blocks);
        let is_set = |row: usize, column: usize| {
            self.matrix[row * blocks + column / 64] >> (column % 64) & 1 == 1
        };
        let (mut column, mut row) = (first.len(), second.len());
        while row > 0 && column > 0 {
            if is_set(row - 1, column - 1) {
                column -= 1;
                continue;
            }
            row -= 1;
            if row == 0 || is_set(row - 1, column - 1) {
                column -= 1;
                runs.push(Run::new(x + column, y + row, 1));
            }
        }
    }

    /// Note where each number of the first list is.
    fn list_places(&mut self, first: &[u32]) {
        self.list += 1;
        self.entries.clear();
        self.before.clear();
        for (place, &number) in first.iter().enumerate() {
            let met = &mut self.met[number as usize];
            if met.0 != self.list {
                *met = (self.list, self.entries.len() as u32);
                self.entries.push(Entry { last: NOWHERE, count: 0, bits: Vec::new() });
            }
            let entry = &mut self.entries[met.1 as usize];
            self.before.push(entry.last);
            entry.last = place as u32;
            entry.count += 1;
        }
    }

    /// Make a row of bits for each number of the second list: 0 where the length grows.
    fn fill(&mut self, second: &[u32], blocks: usize) {
        let mut row = vec![!0u64; blocks];
        let mut scratch = vec![0u64; blocks];
        self.matrix.clear();
        self.matrix.reserve(blocks * second.len());
        for &number in second {
            let (list, entry) = self.met[number as usize];
            if list == self.list {
                let entry = &mut self.entries[entry as usize];
                if entry.count > blocks && entry.bits.is_empty() {
                    // few numbers occur so often, so that these tables stay small
                    entry.bits = vec![0; blocks];
                    mark(&mut entry.bits, entry.last, &self.before);
                }
                if entry.bits.is_empty() {
                    mark(&mut scratch, entry.last, &self.before);
                    advance(&mut row, &scratch);
                    let mut place = entry.last;
                    while place != NOWHERE {
                        scratch[place as usize / 64] = 0;
                        place = self.before[place as usize];
                    }
                } else {
                    advance(&mut row, &entry.bits);
                }
            }
            self.matrix.extend_from_slice(&row);
        }
    }
}

/// Mark a place and those before it that have the same number.
fn mark(bits: &mut [u64], last: u32, before: &[u32]) {
    let mut place = last;
    while place != NOWHERE {
        bits[place as usize / 64] |= 1 << (place % 64);
        place = before[place as usize];
    }
}

/// Hyyrö's step: the next row of a table of lengths, as bits.
fn advance(row: &mut [u64], matches: &[u64]) {
    let mut carry = false;
    for (state, &bits) in row.iter_mut().zip(matches) {
        let both = *state & bits;
        let (sum, one) = state.overflowing_add(both);
        let (sum, two) = sum.overflowing_add(u64::from(carry));
        carry = one || two;
        *state = sum | (*state - both);
    }
}

/// Count the numbers that both lists begin with.
pub fn common_start(first: &[u32], second: &[u32]) -> usize {
    let pairs = first.iter().zip(second);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Count the numbers that both lists end with.
pub fn common_end(first: &[u32], second: &[u32]) -> usize {
    let pairs = first.iter().rev().zip(second.iter().rev());
    pairs.take_while(|(one, other)| one == other).count()
}
