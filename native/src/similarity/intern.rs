//! Numbers for distinct strings of bytes, and for distinct pairs of numbers, from 0 on.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

const EMPTY: u32 = u32::MAX;
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that nobody outside knows: who could choose words that collide would make pages slow.
fn secret() -> u64 {
    static SECRET: OnceLock<u64> = OnceLock::new();
    *SECRET.get_or_init(|| RandomState::new().build_hasher().finish())
}

fn mixed(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value) * u128::from(MULTIPLIER ^ (state << 1 | 1));
    (product as u64) ^ ((product >> 64) as u64)
}

fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = mixed(seed, bytes.len() as u64);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in chunks.by_ref() {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = mixed(state, u64::from_le_bytes(word));
    }
    let mut last = [0; 8];
    let rest = chunks.remainder();
    last[..rest.len()].copy_from_slice(rest);
    mixed(state, u64::from_le_bytes(last))
}

/// Open addressing: which number is in which slot; the caller knows what has the number.
struct Slots {
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Slots {
    fn new(expected: usize) -> Self {
        let size = (expected.max(8) * 2).next_power_of_two();
        Slots {
            slots: vec![(EMPTY, 0); size],
            used: 0,
        }
    }

    /// Return the number of what has this hash and passes the test; give it the next one if none.
    fn number(&mut self, hash: u64, same: impl Fn(u32) -> bool) -> (u32, bool) {
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (number, found) = self.slots[at];
            if number == EMPTY {
                break;
            }
            if found == tag && same(number) {
                return (number, false);
            }
            at = (at + 1) & mask;
        }
        let number = self.used as u32;
        self.slots[at] = (number, tag);
        self.used += 1;
        (number, true)
    }

    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (EMPTY, _) => return None,
                (number, found) if found == tag && same(number) => return Some(number),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn is_full(&self) -> bool {
        self.used * 2 > self.slots.len()
    }
}

/// Numbers for byte strings, in order of first occurrence.
pub struct Interner {
    slots: Slots,
    hashes: Vec<u64>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
    seed: u64,
}

impl Interner {
    pub fn new(expected: usize) -> Self {
        Interner {
            slots: Slots::new(expected),
            hashes: Vec::with_capacity(expected),
            ends: Vec::with_capacity(expected),
            bytes: Vec::with_capacity(expected * 8),
            seed: secret(),
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// Return the number of a string that is known.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        self.slots
            .find(hash(self.seed, text), |number| self.get(number) == text)
    }

    pub fn number(&mut self, text: &[u8]) -> u32 {
        let hash = hash(self.seed, text);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let (number, new) = self
            .slots
            .number(hash, |number| slice(bytes, ends, number) == text);
        if new {
            self.bytes.extend_from_slice(text);
            self.ends.push(self.bytes.len());
            self.hashes.push(hash);
            if self.slots.is_full() {
                self.slots = Slots::new(self.hashes.len() * 2);
                for &hash in &self.hashes {
                    self.slots.number(hash, |_| false);
                }
            }
        }
        number
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let at = number as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start..ends[at]]
}

/// Numbers for four numbers in a row.
pub struct Fours<'a> {
    slots: Slots,
    fours: Vec<&'a [u32]>,
    seed: u64,
}

impl<'a> Fours<'a> {
    /// Make room for so many; there must not be more.
    pub fn new(most: usize) -> Self {
        Fours {
            slots: Slots::new(most),
            fours: Vec::with_capacity(most),
            seed: secret(),
        }
    }

    pub fn number(&mut self, four: &'a [u32]) -> u32 {
        let mut state = self.seed;
        for pair in four.chunks_exact(2) {
            state = mixed(state, u64::from(pair[0]) << 32 | u64::from(pair[1]));
        }
        let fours = &self.fours;
        let (number, new) = self
            .slots
            .number(state, |number| fours[number as usize] == four);
        if new {
            self.fours.push(four);
        }
        number
    }
}

/// Numbers for pairs of numbers.
pub struct Pairs {
    slots: Slots,
    pairs: Vec<(u32, u32)>,
    seed: u64,
}

impl Pairs {
    /// Make room for so many pairs; there must not be more.
    pub fn new(most: usize) -> Self {
        Pairs {
            slots: Slots::new(most),
            pairs: Vec::with_capacity(most),
            seed: secret(),
        }
    }

    pub fn number(&mut self, pair: (u32, u32)) -> u32 {
        let hash = mixed(self.seed, u64::from(pair.0) << 32 | u64::from(pair.1));
        let pairs = &self.pairs;
        let (number, new) = self
            .slots
            .number(hash, |number| pairs[number as usize] == pair);
        if new {
            self.pairs.push(pair);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_equal_numbers() {
        let mut numbers = Interner::new(0);
        let words: Vec<String> = (0..1000).map(|n| format!("w{}", n % 700)).collect();
        let found: Vec<u32> = words.iter().map(|w| numbers.number(w.as_bytes())).collect();
        assert_eq!(found, (0..1000).map(|n| n % 700).collect::<Vec<u32>>());
        assert_eq!(numbers.get(699), b"w699");
        assert_eq!(numbers.len(), 700);
    }
}
