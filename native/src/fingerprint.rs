//! The values by which a page is looked up, from its main text.

use crate::murmur::murmur;
use crate::sample::{pair_sample, sample};
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
}

/// Return the fingerprint of a main text.
pub fn fingerprint(main: &str) -> Fingerprint {
    let hashes = word_hashes(main);
    let shingles = shingle_hashes(&hashes, SHINGLE_WORDS);
    let (sample, limit) = sample(&shingles);
    Fingerprint {
        words: hashes.len() as u32,
        simhash: simhash(&hashes),
        sample,
        limit,
        pairs: pair_sample(&hashes),
        shingles,
    }
}

impl Fingerprint {
    /// Append the numbers as bytes: four counts, SimHash, limit, then the hashes.
    pub fn pack(&self, out: &mut Vec<u8>) {
        let lists = [&self.sample, &self.pairs, &self.shingles];
        out.reserve(32 + 8 * lists.iter().map(|list| list.len()).sum::<usize>());
        out.extend(self.words.to_le_bytes());
        for list in lists {
            out.extend((list.len() as u32).to_le_bytes());
        }
        out.extend(self.simhash.to_le_bytes());
        out.extend(self.limit.to_le_bytes());
        for list in lists {
            pack(list, out);
        }
    }
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
