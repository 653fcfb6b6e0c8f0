//! Look-up keys: by which pages that are alike are found.

const SIMHASH: u64 = 2;
const SHINGLE: u64 = 3;
const PAIR: u64 = 4;
const TAG_SHIFT: u32 = 56;
const PAYLOAD: u64 = (1 << TAG_SHIFT) - 1;
/// The blocks of a SimHash: their lowest bit, and how many bits they have.
const BLOCKS: [(u32, u32); 5] = [(0, 13), (13, 13), (26, 13), (39, 13), (52, 12)];

/// Return the keys of a SimHash, a sample of shingles and one of word pairs, ascending.
pub fn alike_keys(simhash: u64, sample: &[u64], pairs: &[u64]) -> Vec<u64> {
    let mut keys = Vec::with_capacity(10 + sample.len() + pairs.len());
    let blocks = BLOCKS.map(|(shift, bits)| simhash >> shift & ((1 << bits) - 1));
    for first in 0..blocks.len() {
        for second in first + 1..blocks.len() {
            let number = keys.len() as u64;
            keys.push(SIMHASH << TAG_SHIFT | number << 32 | blocks[first] << 13 | blocks[second]);
        }
    }
    for (tag, hashes) in [(SHINGLE, sample), (PAIR, pairs)] {
        let start = keys.len();
        keys.extend(hashes.iter().map(|hash| tag << TAG_SHIFT | hash & PAYLOAD));
        keys[start..].sort_unstable();
    }
    keys.dedup();
    keys
}
