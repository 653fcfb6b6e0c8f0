//! Search for postings, in sorted runs and in the table of the newest.
//!
//! A posting is 40 bits of a mixed key above 24 bits of a page's place in its run. A run is cut
//! into parts, each with an equal share of all possible values, so that the part of a key is known
//! without looking; inside a part values are spread evenly, so that a good guess is near the place.

use crate::murmur::finish;
use crate::recent::find;

/// Bits of a posting that say where a page stands in its run.
const PAGE_BITS: u32 = 24;
const PAGE_MASK: u64 = (1 << PAGE_BITS) - 1;

/// How many postings a line of memory holds.
const LINE: usize = 8;
const CORRECTIONS: usize = 2;

/// Postings as they are stored, in ascending order; they need not be aligned.
pub type Part<'p> = &'p [[u8; 8]];

/// Some pages' postings: the number of its first page, how many parts it has, and each of them.
pub struct Run<F> {
    pub base: u64,
    pub count: usize,
    pub part: F,
}

/// Return the place of each key that was found, and the page that it leads to, by ascending place; of
/// the newest pages those up to a number. Bits of `withdrawn` say which pages are left out.
pub fn search<'p, F: Fn(usize) -> Part<'p>>(
    keys: &[u64],
    runs: &[Run<F>],
    newest: &[u64],
    upto: u64,
    withdrawn: &[u8],
) -> Vec<(u32, u32)> {
    let mut guesses: Vec<Guess> = Vec::with_capacity(keys.len() * runs.len());
    for key in keys {
        let wanted = finish(*key) & !PAGE_MASK;
        let runs = runs.iter().filter(|run| run.count > 0);
        guesses.extend(runs.map(|run| Guess::new(wanted, run.base, run.count, &run.part)));
    }
    // Each place that is read is in a line of memory that no cache has. None of these depends on
    // another, so that the processor waits for many of them at the same time.
    for _ in 0..CORRECTIONS {
        guesses.iter_mut().for_each(Guess::correct);
    }
    let mut guesses = guesses.iter();
    let count = guesses.len() / keys.len().max(1);
    let mut found = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let mut add = |page: u64| {
            let bits = withdrawn.get((page >> 3) as usize).copied().unwrap_or(0);
            if bits >> (page & 7) & 1 == 0 {
                found.push((place as u32, page as u32));
            }
        };
        for guess in guesses.by_ref().take(count) {
            let same = guess.part[guess.lower_bound()..].iter().map(|one| u64::from_le_bytes(*one));
            for posting in same.take_while(|posting| posting & !PAGE_MASK == guess.wanted) {
                add(guess.base + (posting & PAGE_MASK));
            }
        }
        find(newest, *key, upto, add);
    }
    found
}

/// Where in a run a value may stand.
struct Guess<'p> {
    wanted: u64,
    base: u64,
    part: Part<'p>,
    place: usize,
    /// Of the whole run, if all its parts had as many postings.
    postings: usize,
}

impl<'p> Guess<'p> {
    /// Guess where in its part a value stands, as values are spread evenly.
    fn new(wanted: u64, base: u64, count: usize, part: impl Fn(usize) -> Part<'p>) -> Self {
        let at = part_of(wanted, count);
        let part = part(at);
        // how far into the part the value is, as a share of 2^64
        let inside = (u128::from(wanted) * count as u128 - ((at as u128) << 64)) as u64;
        let place = ((u128::from(inside) * part.len() as u128) >> 64) as usize;
        Guess { wanted, base, part, place, postings: count * part.len() }
    }

    /// Correct the guess by how far the value that stands there is off.
    fn correct(&mut self) {
        let Some(there) = self.part.get(self.place).map(|one| u64::from_le_bytes(*one)) else {
            return;
        };
        let off = u128::from(self.wanted.abs_diff(there)) * self.postings as u128;
        let off = (off >> 64) as usize;
        self.place = if there < self.wanted {
            (self.place + off).min(self.part.len())
        } else {
            self.place.saturating_sub(off)
        };
    }

    /// Return where the first posting stands that is not less than the value.
    fn lower_bound(&self) -> usize {
        let (part, mut step) = (self.part, LINE);
        let is_less = |place: usize| u64::from_le_bytes(part[place]) < self.wanted;
        let (mut low, mut high) = (self.place, self.place);
        while low > 0 && !is_less(low - 1) {
            high = low - 1;
            low = low.saturating_sub(step);
            step *= 4;
        }
        while high < part.len() && is_less(high) {
            low = high + 1;
            high = (high + step).min(part.len());
            step *= 4;
        }
        low + part[low..high].partition_point(|one| u64::from_le_bytes(*one) < self.wanted)
    }
}

/// Return the number of the part that holds a value.
fn part_of(value: u64, parts: usize) -> usize {
    ((u128::from(value) * parts as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(key: u64, page: u64) -> u64 {
        finish(key) & !PAGE_MASK | page
    }

    #[test]
    fn every_posting_is_found_and_no_other() {
        for parts in [1, 2, 7] {
            for count in [0, 1, 5, 3_000] {
                let mut all: Vec<u64> = (0..count).map(|n| posting(n / 3, n)).collect();
                all.sort_unstable();
                let mut cut: Vec<Vec<[u8; 8]>> = vec![Vec::new(); parts];
                for one in &all {
                    cut[part_of(one & !PAGE_MASK, parts)].push(one.to_le_bytes());
                }
                let run = Run { base: 10, count: parts, part: |at: usize| cut[at].as_slice() };
                let keys: Vec<u64> = (0..count + 5).collect();
                let expected: Vec<(u32, u32)> =
                    (0..count as u32).map(|n| (n / 3, n + 10)).collect();
                assert_eq!(search(&keys, &[run], &[], 0, &[]), expected);
                let run = Run { base: 10, count: parts, part: |at: usize| cut[at].as_slice() };
                let left: Vec<_> = expected.iter().copied().filter(|one| one.1 % 8 != 3).collect();
                assert_eq!(search(&keys, &[run], &[], 0, &[1 << 3; 400]), left, "page 3 mod 8");
            }
        }
    }

    #[test]
    fn values_that_are_not_spread_evenly() {
        let part: Vec<[u8; 8]> = (0..1000u64).map(|n| (n << PAGE_BITS).to_le_bytes()).collect();
        for value in [0, 1, 999, 1000, 5000] {
            let mut guess = Guess::new(value << PAGE_BITS, 0, 1, |_| &part);
            for _ in 0..3 {
                assert_eq!(guess.lower_bound(), (value as usize).min(1000));
                guess.correct();
            }
        }
    }
}
