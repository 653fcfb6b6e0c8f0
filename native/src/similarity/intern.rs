//! Numbers for distinct strings of bytes, and for distinct rows of numbers, from 0 on.

use std::hash::{BuildHasher, Hasher};

use crate::hash::Seed;

/// Open addressing: which number is in which slot; the caller knows what has the number.
struct Slots {
    /// The upper half of a hash, and one more than the number; 0 where there is none.
    slots: Vec<u64>,
    used: usize,
}

impl Slots {
    fn new(expected: usize) -> Self {
        let size = (expected.max(8) / 2 * 3).next_power_of_two();
        Slots { slots: vec![0; size], used: 0 }
    }

    /// Return the number of what has this hash and passes the test; give it the next one if none.
    #[inline]
    fn number(&mut self, hash: u64, same: impl Fn(u32) -> bool) -> (u32, bool) {
        match self.search(hash, same) {
            Ok(number) => (number, false),
            Err(at) => {
                let number = self.used as u32;
                self.used += 1;
                self.slots[at] = hash >> 32 << 32 | self.used as u64;
                (number, true)
            }
        }
    }

    /// Return the number of what has this hash and passes the test, or the slot that is free for it.
    #[inline]
    fn search(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            let number = (slot as u32).wrapping_sub(1);
            if slot >> 32 == hash >> 32 && same(number) {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
    }

    fn is_full(&self) -> bool {
        self.used * 4 > self.slots.len() * 3
    }
}

/// Numbers for byte strings, in order of first occurrence.
pub struct Interner {
    slots: Slots,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

struct Entry {
    hash: u64,
    start: usize,
    end: usize,
}

impl Interner {
    pub fn new(expected: usize) -> Self {
        Interner {
            slots: Slots::new(expected),
            entries: Vec::with_capacity(expected),
            bytes: Vec::with_capacity(expected * 8),
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        let entry = &self.entries[number as usize];
        &self.bytes[entry.start..entry.end]
    }

    /// Return the number of a string that is known.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        self.slots.search(hash(text), |number| self.get(number) == text).ok()
    }

    pub fn number(&mut self, text: &[u8]) -> u32 {
        let hash = hash(text);
        let (bytes, entries) = (&self.bytes, &self.entries);
        let (number, new) = self.slots.number(hash, |number| {
            let entry = &entries[number as usize];
            &bytes[entry.start..entry.end] == text
        });
        if new {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(text);
            self.entries.push(Entry { hash, start, end: self.bytes.len() });
            if self.slots.is_full() {
                self.slots = Slots::new(self.entries.len() * 2);
                for entry in &self.entries {
                    self.slots.number(entry.hash, |_| false);
                }
            }
        }
        number
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = Seed::default().build_hasher();
    hasher.write(text);
    hasher.finish()
}

/// Numbers for rows of numbers.
pub struct Rows<const N: usize> {
    slots: Slots,
    rows: Vec<[u32; N]>,
    seed: Seed,
}

impl<const N: usize> Rows<N> {
    /// Make room for so many; there must not be more.
    pub fn new(most: usize) -> Self {
        Rows { slots: Slots::new(most), rows: Vec::with_capacity(most), seed: Seed::default() }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub fn number(&mut self, row: [u32; N]) -> u32 {
        let mut hasher = self.seed.build_hasher();
        for pair in row.chunks_exact(2) {
            hasher.write_u64(u64::from(pair[0]) << 32 | u64::from(pair[1]));
        }
        let rows = &self.rows;
        let same = |number: u32| rows[number as usize] == row;
        let (number, new) = self.slots.number(hasher.finish(), same);
        if new {
            self.rows.push(row);
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
