//! The values by which a page is looked up, from its main text.

use crate::keys::alike_keys;
use crate::murmur::murmur;
use crate::sample::{dense_sample, pair_sample, sample, word_sample, WORD_BINS};
use crate::shingles::{shingle_hashes, simhash, SHINGLE_WORDS};
use crate::words::word_hashes;

const BLOCK_SEED: u64 = 0x517E;

/// What `fingerprint` in fingerprint/scheme.py computes of the main text.
pub struct Fingerprint {
    /// Number of words.
    pub words: u32,
    pub simhash: u64,
    /// The smallest shingles, ascending: all that are not above the limit.
    pub sample: Vec<u64>,
    pub limit: u64,
    pub pairs: Vec<u64>,
    /// All shingles, in order.
    pub shingles: Vec<u64>,
    /// More of the smallest shingles, and their limit.
    dense: Vec<u64>,
    dense_limit: u64,
    /// The look-up keys of pages that are alike.
    keys: Vec<u64>,
    /// Of its words, by which a host tells its pages apart.
    word_sample: [u8; WORD_BINS],
}

/// Return the fingerprint of a main text.
pub fn fingerprint(main: &str) -> Fingerprint {
    let hashes = word_hashes(main);
    let shingles = shingle_hashes(&hashes, SHINGLE_WORDS);
    let (sample, limit) = sample(&shingles);
    let (dense, dense_limit) = dense_sample(&shingles);
    let (simhash, pairs) = (simhash(&hashes), pair_sample(&hashes));
    Fingerprint {
        words: hashes.len() as u32,
        simhash,
        keys: alike_keys(simhash, &sample, &pairs),
        word_sample: word_sample(&hashes),
        sample,
        limit,
        pairs,
        shingles,
        dense,
        dense_limit,
    }
}

impl Fingerprint {
    /// Append the numbers as bytes: counts, SimHash, limits, the sample of words, then the hashes; those
    /// of a sketch with half of their bits.
    pub fn pack(&self, out: &mut Vec<u8>) {
        let lists = [&self.sample, &self.pairs, &self.shingles, &self.keys];
        let sketch = self.dense.iter().chain(&self.pairs);
        out.reserve(
            48 + WORD_BINS + 8 * lists.iter().map(|list| list.len()).sum::<usize>() + 4 * 512,
        );
        out.extend(self.words.to_le_bytes());
        for list in lists.iter().chain([&&self.dense]) {
            out.extend((list.len() as u32).to_le_bytes());
        }
        out.extend(short(self.dense_limit).to_le_bytes());
        out.extend(self.simhash.to_le_bytes());
        out.extend(self.limit.to_le_bytes());
        out.extend(self.word_sample);
        for list in lists {
            pack(list, out);
        }
        for one in sketch {
            out.extend_from_slice(&short(*one).to_le_bytes());
        }
    }
}

fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Return hashes as bytes.
pub fn packed_hashes(hashes: &[u64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 * hashes.len());
    pack(hashes, &mut out);
    out
}

/// Append hashes as bytes.
pub fn pack(hashes: &[u64], out: &mut Vec<u8>) {
    for one in hashes {
        out.extend_from_slice(&one.to_le_bytes());
    }
}

/// Return the hash by which a host's memory knows a block of text.
pub fn block_hash(text: &str) -> u64 {
    murmur(text.as_bytes(), BLOCK_SEED)
}
