//! Shingle hashes of pages: sorted, distinct, and how many two pages share.

use super::texts::{joined, main_texts};
use crate::fingerprint::packed_hashes;
use crate::scan::words_of;
use crate::shingles::{shingle_hashes, SHINGLE_WORDS};
use crate::words::word_hashes;

/// Return how many distinct shingle hashes the main text of each of some pages has, and all of these,
/// those of a page ascending.
///
/// The parts are the marks and the lines of each page.
pub fn main_shingles(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let (mut counts, mut all) = (Vec::new(), Vec::new());
    for page in parts.chunks(2) {
        let [marks, lines] = page else { return None };
        let hashes = word_hashes(&joined(&main_texts(marks, lines)?));
        let found = distinct(&shingle_hashes(&hashes, SHINGLE_WORDS));
        counts.extend_from_slice(&(found.len() as u32).to_le_bytes());
        all.extend_from_slice(&found);
    }
    counts.extend(packed_hashes(&all));
    Some(counts)
}

/// Return the distinct ones of some hashes, ascending.
pub fn distinct_hashes(input: &[u8]) -> Vec<u8> {
    packed_hashes(&distinct(&words_of(input)))
}

/// Sort hashes, and leave out those that are equal to others.
fn distinct(hashes: &[u64]) -> Vec<u64> {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// Count what a list of ascending hashes shares with each of some others.
pub fn shared_hashes(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let (first, others) = parts.split_first()?;
    let first = words_of(first);
    let counts = others.iter().map(|other| shared(&first, &words_of(other)));
    Some(counts.flat_map(u32::to_le_bytes).collect())
}

fn shared(first: &[u64], second: &[u64]) -> u32 {
    let (mut x, mut y, mut shared) = (0, 0, 0u32);
    while let (Some(one), Some(other)) = (first.get(x), second.get(y)) {
        shared += u32::from(one == other);
        x += usize::from(one <= other);
        y += usize::from(other <= one);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::murmur::finish;

    #[test]
    fn hashes_are_sorted_and_distinct() {
        for count in [0, 1, 5, 1_000, 100_000] {
            for spread in [finish, |one: u64| one % 7] {
                let hashes: Vec<u64> = (0..count).map(|one| spread(one / 2)).collect();
                let mut expected = hashes.clone();
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(distinct(&hashes), expected);
            }
        }
    }
}
