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
    let mut found = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let wanted = finish(*key) & !PAGE_MASK;
        let mut add = |page: u64| {
            let bits = withdrawn.get((page >> 3) as usize).copied().unwrap_or(0);
            if bits >> (page & 7) & 1 == 0 {
                found.push((place as u32, page as u32));
            }
        };
        for run in runs.iter().filter(|run| run.count > 0) {
            let at = part_of(wanted, run.count);
            let part = (run.part)(at);
            let start = lower_bound(part, wanted, at, run.count);
            let same = part[start..].iter().map(|one| u64::from_le_bytes(*one));
            for posting in same.take_while(|posting| posting & !PAGE_MASK == wanted) {
                add(run.base + (posting & PAGE_MASK));
            }
        }
        find(newest, *key, upto, add);
    }
    found
}

/// Return the number of the part that holds a value.
fn part_of(value: u64, parts: usize) -> usize {
    ((u128::from(value) * parts as u128) >> 64) as usize
}

/// Return where in a part the first posting stands that is not less than a value.
fn lower_bound(part: Part, value: u64, at: usize, parts: usize) -> usize {
    // how far into the part the value is, as a share of 2^64
    let inside = (value as u128 * parts as u128 - ((at as u128) << 64)) as u64;
    let guess = ((u128::from(inside) * part.len() as u128) >> 64) as usize;
    let is_less = |place: usize| u64::from_le_bytes(part[place]) < value;
    let mut step = 8;
    let (mut low, mut high) = (guess, guess);
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
    low + part[low..high].partition_point(|one| u64::from_le_bytes(*one) < value)
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
                let left: Vec<_> =
                    expected.iter().copied().filter(|one| one.1 % 8 != 3).collect();
                assert_eq!(search(&keys, &[run], &[], 0, &[1 << 3; 400]), left, "page 3 mod 8");
            }
        }
    }

    #[test]
    fn values_that_are_not_spread_evenly() {
        let part: Vec<[u8; 8]> = (0..1000u64).map(|n| (n << PAGE_BITS).to_le_bytes()).collect();
        for value in [0, 1, 999, 1000, 5000] {
            let found = lower_bound(&part, value << PAGE_BITS, 0, 1);
            assert_eq!(found, (value as usize).min(1000));
        }
    }
}
