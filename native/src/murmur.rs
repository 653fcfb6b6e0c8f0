//! MurmurHash3 x64-128, of which the first half is used.

const C1: u64 = 0x87C3_7B91_1142_53D5;
const C2: u64 = 0x4CF5_AD43_2745_937F;

/// Return the first half of the hash of some bytes.
pub fn murmur(bytes: &[u8], seed: u64) -> u64 {
    let (mut one, mut two) = (seed, seed);
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        let (low, high) = block.split_at(8);
        one = (one ^ mixed_low(start_of(low)))
            .rotate_left(27)
            .wrapping_add(two)
            .wrapping_mul(5)
            .wrapping_add(0x52DC_E729);
        two = (two ^ mixed_high(start_of(high)))
            .rotate_left(31)
            .wrapping_add(one)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5AB5);
    }
    let tail = blocks.remainder();
    let (low, high) = tail.split_at(tail.len().min(8));
    one ^= mixed_low(start_of(low)) ^ bytes.len() as u64;
    two ^= mixed_high(start_of(high)) ^ bytes.len() as u64;
    one = one.wrapping_add(two);
    two = two.wrapping_add(one);
    finish(one).wrapping_add(finish(two))
}

fn mixed_low(value: u64) -> u64 {
    value.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mixed_high(value: u64) -> u64 {
    value.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

/// Read up to eight bytes as a number, the first one lowest.
#[inline]
fn start_of(bytes: &[u8]) -> u64 {
    let four = |at: usize| match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => 0,
    };
    let at = |place: usize| u64::from(bytes[place]);
    match bytes.len() {
        0 => 0,
        length @ 1..=3 => {
            at(0) | at(length / 2) << (length / 2 * 8) | at(length - 1) << ((length - 1) * 8)
        }
        length => four(0) | four(length - 4) << ((length - 4) * 8),
    }
}

/// Spread every input bit over all output bits.
#[inline]
pub fn finish(mut value: u64) -> u64 {
    value ^= value >> 33;
    value = value.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    value ^= value >> 33;
    value = value.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    value ^ value >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_lowest_first() {
        for length in 0..=8 {
            let bytes: Vec<u8> = (1..=length).collect();
            let expected = bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            assert_eq!(start_of(&bytes), expected);
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(murmur(b"sea", 0x5CA7), 622_920_118_163_341_721);
    }
}
