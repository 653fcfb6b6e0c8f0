//! Numbers for the names of known elements.

use crate::tables::{KNOWN, NAMES};

/// The number of every element that is not in the tables.
pub const UNKNOWN: u16 = KNOWN as u16;

const SLOTS: usize = 1024;
/// Bytes of a name that are compared at once.
const SHORT: usize = 8;
const FREE: u8 = 255;
static TABLE: [(u64, u8); SLOTS] = table();

const fn table() -> [(u64, u8); SLOTS] {
    assert!(KNOWN < FREE as usize);
    let mut slots = [(0, FREE); SLOTS];
    let mut number = 0;
    while number < KNOWN {
        let word = word_of(NAMES[number].as_bytes());
        let mut slot = slot_of(word);
        while slots[slot].1 != FREE {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = (word, number as u8);
        number += 1;
    }
    slots
}

/// Return the last eight bytes of a name, which has no NUL.
const fn word_of(name: &[u8]) -> u64 {
    let mut word = 0;
    let mut at = 0;
    while at < name.len() {
        word = word << 8 | name[at] as u64;
        at += 1;
    }
    word
}

const fn slot_of(word: u64) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % SLOTS
}

/// Return the number of an element, given its name in lower case.
pub fn number(name: &str) -> u16 {
    let word = word_of(name.as_bytes());
    let mut slot = slot_of(word);
    loop {
        let (known, found) = TABLE[slot];
        if found == FREE {
            return UNKNOWN;
        }
        if known == word {
            let known = NAMES[found as usize];
            if known.len() == name.len() && (name.len() <= SHORT || known == name) {
                return u16::from(found);
            }
        }
        slot = (slot + 1) % SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        for (place, name) in NAMES.iter().enumerate() {
            assert_eq!(usize::from(number(name)), place);
            assert_eq!(number(&format!("x{name}")), UNKNOWN, "{name}");
        }
        assert_eq!(number(""), UNKNOWN);
    }
}
