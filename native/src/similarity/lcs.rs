//! The longest common subsequence of two lists of numbers, 64 cells at a time.
//!
//! Of several longest ones it takes the one that rapidfuzz takes, as the twin does.

use super::align::Run;

/// Finds subsequences; keeps its tables from one pair of lists to the next.
pub struct Matcher {
    /// For each number the list in which it was last met, and where it is first there.
    met: Vec<(u32, u32)>,
    list: u32,
}

impl Matcher {
    /// Prepare for numbers below `size`.
    pub fn new(size: usize) -> Self {
        Matcher {
            met: vec![(0, 0); size],
            list: 0,
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
        let matrix = self.matrix(first, second, blocks);
        let is_set = |row: usize, column: usize| {
            matrix[row * blocks + column / 64] >> (column % 64) & 1 == 1
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

    /// Return a row of bits for each number of the second list: 0 where the length grows.
    fn matrix(&mut self, first: &[u32], second: &[u32], blocks: usize) -> Vec<u64> {
        let positions = self.positions(first);
        let mut dense: Vec<Option<Vec<u64>>> = vec![None; first.len()];
        let mut matrix = Vec::with_capacity(blocks * second.len());
        let mut row = vec![!0u64; blocks];
        let mut bits = vec![0u64; blocks];
        for &number in second {
            let (list, start) = self.met[number as usize];
            if list == self.list {
                let places = &positions[start as usize];
                if places.len() <= blocks {
                    for &place in places {
                        bits[place as usize / 64] |= 1 << (place % 64);
                    }
                    advance(&mut row, &bits);
                    for &place in places {
                        bits[place as usize / 64] = 0;
                    }
                } else {
                    // few numbers occur so often, so that the tables stay small
                    let table = dense[start as usize].get_or_insert_with(|| {
                        let mut table = vec![0; blocks];
                        for &place in places {
                            table[place as usize / 64] |= 1 << (place % 64);
                        }
                        table
                    });
                    advance(&mut row, table);
                }
            }
            matrix.extend_from_slice(&row);
        }
        matrix
    }

    /// Return where each number of a list is, and note for each which entry that is.
    fn positions(&mut self, first: &[u32]) -> Vec<Vec<u32>> {
        self.list += 1;
        let mut positions: Vec<Vec<u32>> = Vec::new();
        for (place, &number) in first.iter().enumerate() {
            let met = &mut self.met[number as usize];
            if met.0 != self.list {
                *met = (self.list, positions.len() as u32);
                positions.push(Vec::new());
            }
            positions[met.1 as usize].push(place as u32);
        }
        positions
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
