//! Shingle hashes of pages: sorted, distinct, and how many two pages share.

use super::texts::{joined, main_texts};
use crate::fingerprint::packed_hashes;
use crate::scan::words_of;
use crate::shingles::{shingle_hashes, SHINGLE_WORDS};
use crate::words::word_hashes;

/// Return the distinct shingle hashes of the main text, ascending.
///
/// The parts are the marks and the lines of a page.
pub fn main_shingles(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [marks, lines] = parts else { return None };
    let hashes = word_hashes(&joined(&main_texts(marks, lines)?));
    Some(distinct(shingle_hashes(&hashes, SHINGLE_WORDS)))
}

/// Return the distinct ones of some hashes, ascending.
pub fn distinct_hashes(input: &[u8]) -> Vec<u8> {
    distinct(words_of(input))
}

fn distinct(mut hashes: Vec<u64>) -> Vec<u8> {
    hashes.sort_unstable();
    hashes.dedup();
    packed_hashes(&hashes)
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
