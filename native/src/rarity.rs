//! How many different pages of a host show a unit of text, as the host's memory says it.

const KEY: usize = 8;
const COUNT: usize = 2;

/// The document frequencies of a host's units, read where they stand: the keys ascending, eight bytes
/// each, then as many counts, two bytes each, all little-endian. Units on few pages are not there.
pub struct Rarity<'m> {
    keys: &'m [u8],
    counts: &'m [u8],
}

impl<'m> Rarity<'m> {
    /// Return the frequencies that some bytes hold; nothing if no such columns have their length.
    pub fn of(columns: &'m [u8]) -> Option<Rarity<'m>> {
        if columns.len() % (KEY + COUNT) != 0 {
            return None;
        }
        let (keys, counts) = columns.split_at(columns.len() / (KEY + COUNT) * KEY);
        Some(Rarity { keys, counts })
    }

    /// Return how many different pages show a unit; 0 if it is not known to be frequent.
    pub fn df(&self, key: u64) -> u32 {
        let (mut low, mut high) = (0, self.keys.len() / KEY);
        while low < high {
            let middle = low + (high - low) / 2;
            if number(self.keys, KEY, middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low < self.keys.len() / KEY && number(self.keys, KEY, low) == key {
            number(self.counts, COUNT, low) as u32
        } else {
            0
        }
    }
}

/// Return the number at a place of a column.
#[inline]
fn number(column: &[u8], width: usize, place: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..width].copy_from_slice(&column[width * place..width * (place + 1)]);
    u64::from_le_bytes(bytes)
}

/// Return the frequencies of some units as bytes.
#[cfg(test)]
pub fn packed(units: &[(u64, u16)]) -> Vec<u8> {
    let mut units = units.to_vec();
    units.sort_unstable();
    let keys = units.iter().flat_map(|(key, _)| key.to_le_bytes());
    keys.chain(units.iter().flat_map(|(_, count)| count.to_le_bytes())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::murmur::finish;

    #[test]
    fn each_unit_has_its_count_and_others_have_none() {
        for size in [0, 1, 2, 3, 7, 64, 1_000] {
            let units: Vec<(u64, u16)> = (0..size).map(|n| (finish(n + 1), n as u16 + 3)).collect();
            let columns = packed(&units);
            let rarity = Rarity::of(&columns).unwrap();
            assert!(units.iter().all(|&(key, count)| rarity.df(key) == u32::from(count)));
            let others = (size..size + 100).map(|n| finish(n + 1)).chain([0, u64::MAX]);
            assert!(others.into_iter().all(|key| rarity.df(key) == 0));
        }
    }

    #[test]
    fn the_lowest_and_the_highest_numbers_are_read_at_any_address() {
        let columns = [&[9][..], &packed(&[(0, 3), (u64::MAX, u16::MAX)])].concat();
        let rarity = Rarity::of(&columns[1..]).unwrap();
        assert_eq!([0, 1, u64::MAX].map(|key| rarity.df(key)), [3, 0, 65_535]);
    }

    #[test]
    fn columns_of_another_length_are_refused() {
        assert!((1..10).all(|length| Rarity::of(&[0; 10][..length]).is_none()));
    }
}
