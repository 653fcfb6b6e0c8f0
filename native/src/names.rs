//! Numbers for the names of known elements.

use crate::tables::{KNOWN, NAMES};

/// The number of every element that is not in the tables.
pub const UNKNOWN: u16 = KNOWN as u16;

const SLOTS: usize = 1024;
const LONGEST: usize = 14;
const FREE: u8 = 255;
static TABLE: [u8; SLOTS] = table();

const fn table() -> [u8; SLOTS] {
    assert!(KNOWN < FREE as usize);
    let mut slots = [FREE; SLOTS];
    let mut number = 0;
    while number < KNOWN {
        assert!(NAMES[number].len() <= LONGEST);
        let mut slot = hash(NAMES[number].as_bytes());
        while slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = number as u8;
        number += 1;
    }
    slots
}

const fn hash(name: &[u8]) -> usize {
    let mut sum = name.len() as u32;
    let mut at = 0;
    while at < name.len() {
        sum = sum.wrapping_mul(0x0100_0193) ^ name[at] as u32;
        at += 1;
    }
    ((sum ^ (sum >> 13)) as usize) % SLOTS
}

/// Return the number of an element, given its name in lower case.
pub fn number(name: &str) -> u16 {
    if name.len() > LONGEST {
        return UNKNOWN;
    }
    let mut slot = hash(name.as_bytes());
    loop {
        let found = TABLE[slot];
        if found == FREE {
            return UNKNOWN;
        }
        if NAMES[found as usize] == name {
            return u16::from(found);
        }
        slot = (slot + 1) % SLOTS;
    }
}
