//! The smallest hashes of a page's shingles and word pairs.
//!
//! Rewording breaks shingles, but some words of a sentence stay, if not side by side. Two words near
//! each other are a pair, in whatever order; words that are frequent on the page (most are stop
//! words) take no part. Pages of which a quarter of the pairs is the same share some of the sample
//! nearly always.

use crate::hash::Map;
use crate::shingles::mixed;

const RATE: u64 = 12;
const LEAST: usize = 8;
const MOST: usize = 640;
const DENSE_RATE: u64 = 4;
const DENSE_MOST: usize = 256;
const PAIRS: usize = 32;
const REACH: usize = 6;
const FREQUENT: f64 = 3.0;
const FREQUENT_SHARE: f64 = 0.01;
/// Parts of the range of hashes of which a sample of words has a byte each.
pub const WORD_BINS: usize = 64;

/// Return the sample of a page's shingles, and up to which hash it is complete.
pub fn sample(shingles: &[u64]) -> (Vec<u64>, u64) {
    let (found, limit) = up_to(shingles, u64::MAX / RATE, MOST);
    if found.len() >= LEAST {
        return (found, limit);
    }
    let found = smallest(shingles, LEAST, u64::MAX);
    let limit = match found.get(LEAST - 1) {
        Some(&last) => last,
        None => u64::MAX,
    };
    (found, limit)
}

/// Return the sample that estimates are made from, and up to which hash it is complete.
pub fn dense_sample(shingles: &[u64]) -> (Vec<u64>, u64) {
    up_to(shingles, u64::MAX / DENSE_RATE, DENSE_MOST)
}

/// Return the smallest shingles up to a limit, at most so many, and up to which all are there.
fn up_to(shingles: &[u64], limit: u64, most: usize) -> (Vec<u64>, u64) {
    let mut found = smallest(shingles, most + 1, limit);
    if found.len() <= most {
        return (found, limit);
    }
    found.truncate(most);
    let last = found[most - 1];
    (found, last)
}

/// Return the smallest of some hashes up to a limit, ascending, each once, at most so many.
fn smallest(hashes: &[u64], kept: usize, limit: u64) -> Vec<u64> {
    let mut smallest = Smallest::new(kept, limit);
    hashes.iter().for_each(|&one| smallest.add(one));
    smallest.sorted()
}

/// Return the smallest hashes of the pairs of words that stand near each other.
pub fn pair_sample(hashes: &[u64]) -> Vec<u64> {
    let content = without_frequent(hashes);
    smallest_pairs(&content)
}

/// Return a byte for each part of the range of hashes: of the smallest word hash in it, 0 if there is
/// none. The share of bytes that two pages have in common estimates how many of their words are the
/// same. A word that changes moves one or two of them, where it would break four shingles.
pub fn word_sample(hashes: &[u64]) -> [u8; WORD_BINS] {
    let mut smallest = [u64::MAX; WORD_BINS];
    for &hash in hashes {
        let bin = &mut smallest[(hash >> 58) as usize];
        *bin = (*bin).min(hash);
    }
    smallest.map(|hash| if hash == u64::MAX { 0 } else { (hash % 255) as u8 + 1 })
}

fn smallest_pairs(content: &[u64]) -> Vec<u64> {
    let mut smallest = Smallest::new(PAIRS, u64::MAX);
    for distance in 1..=REACH.min(content.len()) {
        for (&one, &other) in content.iter().zip(&content[distance..]) {
            smallest.add(mixed(one.min(other), one.max(other)));
        }
    }
    smallest.sorted()
}

/// Keeps the smallest distinct numbers up to a limit, never sorting many.
struct Smallest {
    kept: usize,
    limit: u64,
    found: Vec<u64>,
}

impl Smallest {
    fn new(kept: usize, limit: u64) -> Smallest {
        Smallest { kept, limit, found: Vec::with_capacity(4 * kept) }
    }

    #[inline]
    fn add(&mut self, one: u64) {
        if one <= self.limit {
            self.found.push(one);
            if self.found.len() == 4 * self.kept {
                self.reduce();
            }
        }
    }

    #[cold]
    fn reduce(&mut self) {
        self.found.sort_unstable();
        self.found.dedup();
        if self.found.len() >= self.kept {
            self.found.truncate(self.kept);
            self.limit = self.found[self.kept - 1];
        }
    }

    fn sorted(mut self) -> Vec<u64> {
        self.reduce();
        self.found
    }
}

fn without_frequent(hashes: &[u64]) -> Vec<u64> {
    let most = (FREQUENT_SHARE * hashes.len() as f64).max(FREQUENT) as u32;
    let mut counts: Map<u64, u32> = Map::default();
    for &one in hashes {
        *counts.entry(one).or_default() += 1;
    }
    hashes.iter().copied().filter(|one| counts[one] <= most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::murmur::finish;

    fn hashes(count: u64) -> Vec<u64> {
        (0..count).map(|number| finish(number + 1)).collect()
    }

    #[test]
    fn samples_are_all_hashes_up_to_their_limit() {
        for count in [0, 1, 7, 8, 9, 50, 200, 3_000, 20_000] {
            let all = hashes(count);
            let (found, limit) = sample(&[&all[..], &all].concat());
            let mut expected: Vec<u64> = all.iter().copied().filter(|&one| one <= limit).collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
            assert!(found.len() >= all.len().min(8) && found.len() <= 640);
            let (dense, limit) = dense_sample(&all);
            let mut expected: Vec<u64> = all.iter().copied().filter(|&one| one <= limit).collect();
            expected.sort_unstable();
            assert_eq!(dense, expected);
            assert!(dense.len() <= 256);
        }
    }

    #[test]
    fn samples_of_words_hold_the_smallest_of_each_part() {
        assert_eq!(word_sample(&[]), [0; WORD_BINS]);
        let all = hashes(500);
        let reversed: Vec<u64> = all.iter().rev().chain(&all).copied().collect();
        let sample = word_sample(&all);
        assert_eq!(sample, word_sample(&reversed));
        for (bin, &byte) in sample.iter().enumerate() {
            let within = all.iter().filter(|&hash| (hash >> 58) as usize == bin);
            assert_eq!(u64::from(byte), within.min().map_or(0, |hash| hash % 255 + 1));
        }
        let changed = word_sample(&hashes(499));
        assert!(sample.iter().zip(&changed).filter(|(one, other)| one != other).count() <= 1);
    }

    #[test]
    fn pairs_do_not_depend_on_order() {
        let all = hashes(4);
        let reversed: Vec<u64> = all.iter().rev().copied().collect();
        assert_eq!(pair_sample(&all).len(), 6);
        assert_eq!(pair_sample(&all), pair_sample(&reversed));
        assert_eq!(pair_sample(&all[..1]), []);
    }

    #[test]
    fn pairs_are_few_and_without_frequent_words() {
        let many = hashes(500);
        let found = pair_sample(&many);
        assert_eq!(found.len(), 32);
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
        let filled: Vec<u64> = many.iter().flat_map(|&one| [one, 7]).collect();
        assert_eq!(pair_sample(&filled), found);
    }
}
