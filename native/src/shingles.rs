//! Shingle hashes and SimHash of word hashes.

use crate::murmur::finish;

pub const SHINGLE_WORDS: usize = 4;
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Combine each so many neighbouring word hashes into one; a shorter text is one shingle.
pub fn shingle_hashes(hashes: &[u64], width: usize) -> Vec<u64> {
    if hashes.is_empty() {
        return Vec::new();
    }
    hashes
        .windows(width.clamp(1, hashes.len()))
        .map(|shingle| match *shingle {
            // nearly all of them; the compiler makes no loop of these
            [a, b, c, d] => finish(join(join(join(a, b), c), d)),
            _ => finish(shingle.iter().fold(0, |sum, &one| join(sum, one))),
        })
        .collect()
}

fn join(sum: u64, one: u64) -> u64 {
    sum.wrapping_mul(MULTIPLIER).wrapping_add(one)
}

/// Combine two hashes.
pub fn mixed(first: u64, second: u64) -> u64 {
    finish(join(first, second))
}

/// Fold hashes into 64 bits: a bit is set where more than half of them have it.
pub fn simhash(hashes: &[u64]) -> u64 {
    let mut counter = Counter::default();
    for &one in hashes {
        counter.add(one);
    }
    counter.above(hashes.len() as u64 / 2)
}

/// How often each bit was set: place k holds bit k of all 64 numbers.
#[derive(Default)]
struct Counter {
    places: [u64; 32],
}

impl Counter {
    fn add(&mut self, bits: u64) {
        let mut carry = bits;
        for place in &mut self.places {
            if carry == 0 {
                break;
            }
            (*place, carry) = (*place ^ carry, *place & carry);
        }
    }

    /// Return the bits that were set more often than so many times, from the highest place down.
    fn above(&self, most: u64) -> u64 {
        let (mut above, mut equal) = (0, u64::MAX);
        for (place, bits) in self.places.iter().enumerate().rev() {
            if most >> place & 1 == 0 {
                above |= equal & bits;
                equal &= !bits;
            } else {
                equal &= bits;
            }
        }
        above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_more_than_half() {
        assert_eq!(simhash(&[]), 0);
        assert_eq!(simhash(&[0b1100, 0b1100, 0b1010]), 0b1100);
        for count in 1..100_u64 {
            let hashes: Vec<u64> = (0..count).map(|one| finish(one + 1)).collect();
            let expected = (0..64).fold(0, |bits, bit| {
                let set = hashes.iter().filter(|&one| one >> bit & 1 == 1).count();
                bits | u64::from(set * 2 > hashes.len()) << bit
            });
            assert_eq!(simhash(&hashes), expected);
        }
    }
}
