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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_values_share_a_key() {
        let value = 0x0123_4567_89ab_cdef;
        let mine = alike_keys(value, &[], &[]);
        assert_eq!(mine.len(), 10);
        for first in 0..64 {
            for second in first..64 {
                for third in second..64 {
                    let other = value ^ 1 << first ^ 1 << second ^ 1 << third;
                    let theirs = alike_keys(other, &[], &[]);
                    assert!(mine.iter().any(|key| theirs.contains(key)));
                }
            }
        }
    }

    #[test]
    fn keys_ascend_and_say_what_they_are_made_of() {
        let keys = alike_keys(5, &[9, u64::MAX], &[4, 3]);
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
        let tags: Vec<u64> = keys[10..].iter().map(|key| key >> TAG_SHIFT).collect();
        assert_eq!(tags, [SHINGLE, SHINGLE, PAIR, PAIR]);
    }
}
