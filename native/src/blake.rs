//! BLAKE2b (RFC 7693) without a key.

use crate::scan::word_of;

const BLOCK: usize = 128;
const START: [u64; 8] = [
    0x6A09_E667_F3BC_C908,
    0xBB67_AE85_84CA_A73B,
    0x3C6E_F372_FE94_F82B,
    0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1,
    0x9B05_688C_2B3E_6C1F,
    0x1F83_D9AB_FB41_BD6B,
    0x5BE0_CD19_137E_2179,
];
/// Which words of a block each step of a round takes.
const ORDER: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Return the hash of some bytes, of 32 bytes.
pub fn blake2b_256(bytes: &[u8]) -> [u8; 32] {
    let mut state = START;
    state[0] ^= 0x0101_0020; // one lane, no key, 32 bytes
    let last = bytes.len().saturating_sub(1) / BLOCK * BLOCK;
    let (full, rest) = bytes.split_at(last);
    let mut done = 0;
    for block in full.chunks_exact(BLOCK) {
        done += BLOCK as u64;
        compress(&mut state, block, done, 0);
    }
    let mut block = [0; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    compress(&mut state, &block, bytes.len() as u64, u64::MAX);
    let mut hash = [0; 32];
    for (bytes, word) in hash.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    hash
}

fn compress(state: &mut [u64; 8], block: &[u8], done: u64, last: u64) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(8)) {
        *word = word_of(bytes);
    }
    let mut v = [0; 16];
    v[..8].copy_from_slice(state);
    v[8..].copy_from_slice(&START);
    v[12] ^= done;
    v[14] ^= last;
    round::<0>(&mut v, &words);
    round::<1>(&mut v, &words);
    round::<2>(&mut v, &words);
    round::<3>(&mut v, &words);
    round::<4>(&mut v, &words);
    round::<5>(&mut v, &words);
    round::<6>(&mut v, &words);
    round::<7>(&mut v, &words);
    round::<8>(&mut v, &words);
    round::<9>(&mut v, &words);
    round::<0>(&mut v, &words);
    round::<1>(&mut v, &words);
    for (place, word) in state.iter_mut().enumerate() {
        *word ^= v[place] ^ v[place + 8];
    }
}

/// Do one round; its order is known when this is compiled.
#[inline(always)]
fn round<const ROUND: usize>(v: &mut [u64; 16], words: &[u64; 16]) {
    let word = |place: usize| words[ORDER[ROUND][place]];
    mix(v, [0, 4, 8, 12], word(0), word(1));
    mix(v, [1, 5, 9, 13], word(2), word(3));
    mix(v, [2, 6, 10, 14], word(4), word(5));
    mix(v, [3, 7, 11, 15], word(6), word(7));
    mix(v, [0, 5, 10, 15], word(8), word(9));
    mix(v, [1, 6, 11, 12], word(10), word(11));
    mix(v, [2, 7, 8, 13], word(12), word(13));
    mix(v, [3, 4, 9, 14], word(14), word(15));
}

#[inline(always)]
fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], one: u64, other: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(one);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(other);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_eight(bytes: &[u8]) -> u64 {
        blake2b_256(bytes)[..8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    }

    #[test]
    fn known_values() {
        let bytes: Vec<u8> = (0..1000_u32).map(|one| (one % 251) as u8).collect();
        let known = [
            (0, 0x0E57_51C0_26E5_43B2),
            (3, 0x3D8C_3D59_4928_271F),
            (127, 0xF2FE_67FF_342E_21B8),
            (128, 0xC358_2F71_EBB2_BE66),
            (129, 0xF7F3_C46B_A256_4FF4),
            (256, 0x582F_7822_2601_8EC3),
            (1000, 0xB372_D060_8F72_0C8C),
        ];
        for (length, expected) in known {
            assert_eq!(first_eight(&bytes[..length]), expected, "{length}");
        }
    }
}
