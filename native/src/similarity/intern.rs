//! Numbers for distinct strings of bytes, and for distinct rows of numbers, from 0 on.

use crate::hash::secret;
use crate::murmur::start_of;
use crate::scan::word_of;

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const WORD: usize = 8;

fn mixed(state: u64, value: u64) -> u64 {
    let product = u128::from(state ^ value) * u128::from(MULTIPLIER ^ (state << 1 | 1));
    (product as u64) ^ ((product >> 64) as u64)
}

/// Return the first bytes of a string as a number.
#[inline]
fn beginning(bytes: &[u8]) -> u64 {
    start_of(bytes.get(..WORD).unwrap_or(bytes))
}

/// Hash a string that begins like this.
#[inline]
fn hash(seed: u64, bytes: &[u8], beginning: u64) -> u64 {
    let mut state = mixed(seed ^ bytes.len() as u64, beginning);
    if bytes.len() > WORD {
        for chunk in bytes[WORD..].chunks_exact(WORD) {
            state = mixed(state, word_of(chunk));
        }
        // it may overlap: what else could be in its place has another length
        state = mixed(state, word_of(&bytes[bytes.len() - WORD..]));
    }
    state
}

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
    seed: u64,
}

/// A string: most words are no longer than what is compared at once.
struct Entry {
    hash: u64,
    beginning: u64,
    start: usize,
    length: usize,
}

impl Entry {
    #[inline]
    fn is(&self, text: &[u8], beginning: u64, bytes: &[u8]) -> bool {
        self.beginning == beginning
            && self.length == text.len()
            && (text.len() <= WORD || bytes[self.start..self.start + self.length] == *text)
    }
}

impl Interner {
    pub fn new(expected: usize) -> Self {
        Interner {
            slots: Slots::new(expected),
            entries: Vec::with_capacity(expected),
            bytes: Vec::with_capacity(expected * 8),
            seed: secret(),
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        let entry = &self.entries[number as usize];
        &self.bytes[entry.start..entry.start + entry.length]
    }

    /// Return the number of a string that is known.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        let beginning = beginning(text);
        self.find_hashed(text, beginning, hash(self.seed, text, beginning))
    }

    /// Return the number of a string that is known, given as a number of another interner.
    pub fn find_same(&self, other: &Interner, number: u32) -> Option<u32> {
        let entry = &other.entries[number as usize];
        self.find_hashed(other.get(number), entry.beginning, entry.hash)
    }

    fn find_hashed(&self, text: &[u8], beginning: u64, hash: u64) -> Option<u32> {
        let same = |number: u32| self.entries[number as usize].is(text, beginning, &self.bytes);
        self.slots.search(hash, same).ok()
    }

    pub fn number(&mut self, text: &[u8]) -> u32 {
        let beginning = beginning(text);
        let hash = hash(self.seed, text, beginning);
        let (bytes, entries) = (&self.bytes, &self.entries);
        let (number, new) =
            self.slots.number(hash, |number| entries[number as usize].is(text, beginning, bytes));
        if new {
            self.entries.push(Entry {
                hash,
                beginning,
                start: self.bytes.len(),
                length: text.len(),
            });
            self.bytes.extend_from_slice(text);
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

/// Numbers for rows of numbers.
pub struct Rows<const N: usize> {
    slots: Slots,
    rows: Vec<[u32; N]>,
    seed: u64,
}

impl<const N: usize> Rows<N> {
    /// Make room for so many; there must not be more.
    pub fn new(most: usize) -> Self {
        Rows { slots: Slots::new(most), rows: Vec::with_capacity(most), seed: secret() }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub fn number(&mut self, row: [u32; N]) -> u32 {
        let pairs = row.chunks_exact(2);
        let pairs = pairs.map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1]));
        let rows = &self.rows;
        let same = |number: u32| rows[number as usize] == row;
        let (number, new) = self.slots.number(pairs.fold(self.seed, mixed), same);
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
