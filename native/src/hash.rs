//! A quick hash for the maps and sets inside the core. No answer depends on its values.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use crate::scan::word_of;

pub type Map<K, V> = HashMap<K, V, Seed>;
pub type Set<K> = HashSet<K, Seed>;

/// Two numbers that nobody outside knows: who could choose names that collide would make pages slow.
#[derive(Clone, Copy)]
pub struct Seed(u64, u64);

impl Default for Seed {
    fn default() -> Self {
        static SEED: OnceLock<Seed> = OnceLock::new();
        *SEED.get_or_init(|| {
            let random = || RandomState::new().build_hasher().finish();
            Seed(random(), random())
        })
    }
}

impl BuildHasher for Seed {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer { secret: self.0, state: self.1 }
    }
}

/// Multiplies sixteen bytes at a time into its state.
pub struct Mixer {
    secret: u64,
    state: u64,
}

impl Mixer {
    fn mix(&mut self, one: u64, other: u64) {
        let product = u128::from(one ^ self.secret) * u128::from(other ^ self.state);
        self.state = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let size = bytes.len();
        let mut rest = bytes;
        while rest.len() > 16 {
            self.mix(word_of(&rest[..8]), word_of(&rest[8..16]));
            rest = &rest[16..];
        }
        // the last ones may overlap: what else could be in their place has another size
        let (one, other) = match size {
            16.. => (word_of(&bytes[size - 16..size - 8]), word_of(&bytes[size - 8..])),
            8.. => (word_of(&bytes[..8]), word_of(&bytes[size - 8..])),
            4.. => (half(bytes), half(&bytes[size - 4..])),
            1.. => {
                let three = [bytes[0], bytes[size / 2], bytes[size - 1]];
                (three.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)), 0)
            }
            0 => (0, 0),
        };
        self.state = self.state.wrapping_add(size as u64);
        self.mix(one, other);
    }

    fn write_u8(&mut self, one: u8) {
        self.state ^= u64::from(one); // it ends each text, whose size is in the state already
    }

    fn write_u32(&mut self, one: u32) {
        self.mix(u64::from(one), 0);
    }

    fn write_u64(&mut self, one: u64) {
        self.mix(one, 0);
    }

    fn write_usize(&mut self, one: usize) {
        self.mix(one as u64, 0);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

fn half(bytes: &[u8]) -> u64 {
    let mut half = [0; 4];
    half.copy_from_slice(&bytes[..4]);
    u64::from(u32::from_le_bytes(half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differ() {
        let long = "the words of a page, some of them long, others short, and none alike".repeat(3);
        let hash = |text: &str| Seed::default().hash_one(text);
        let all: Set<u64> = (0..=long.len()).map(|end| hash(&long[..end])).collect();
        assert_eq!(all.len(), long.len() + 1);
        for at in 0..long.len() {
            let mut other = long.clone();
            other.replace_range(at..=at, "#");
            assert_ne!(hash(&other), hash(&long));
        }
    }
}
