//! The newest postings, in a hash table whose memory belongs to the caller.
//!
//! The table is an odd number that nobody can guess, so that nobody can choose keys that collide;
//! how many postings there are; and slots of a key and a page, 0 where there is none. A key that
//! leads to several pages has a slot for each, in the order in which they came.

const HEAD: usize = 2;

/// Add postings, each a key and a page; return false, and add none, if more than half of the slots
/// would be taken.
pub fn add(table: &mut [u64], postings: &[[u64; 2]]) -> bool {
    let Some((head, slots)) = split(table) else {
        return false;
    };
    if 2 * (head[1] as usize + postings.len()) > slots.len() / 2 {
        return false;
    }
    head[1] += postings.len() as u64;
    for [key, page] in postings {
        let mut at = place(*key, head[0], slots.len() / 2);
        while slots[2 * at + 1] != 0 {
            at = (at + 1) % (slots.len() / 2);
        }
        slots[2 * at] = *key;
        slots[2 * at + 1] = *page;
    }
    true
}

/// Call `found` with each page up to a number that a key leads to.
pub fn find(table: &[u64], key: u64, upto: u64, mut found: impl FnMut(u64)) {
    let (Some(seed), Some(slots)) = (table.first(), table.get(HEAD..)) else {
        return;
    };
    let count = slots.len() / 2;
    if count == 0 {
        return;
    }
    let mut at = place(key, *seed, count);
    // half of the slots are free, so that this ends
    while slots[2 * at + 1] != 0 {
        if slots[2 * at] == key && slots[2 * at + 1] <= upto {
            found(slots[2 * at + 1]);
        }
        at = (at + 1) % count;
    }
}

fn split(table: &mut [u64]) -> Option<(&mut [u64], &mut [u64])> {
    (table.len() >= HEAD).then(|| table.split_at_mut(HEAD))
}

/// Return the slot at which the search for a key begins.
fn place(key: u64, seed: u64, count: usize) -> usize {
    let mixed = u128::from(key ^ seed) * u128::from(seed | 1);
    let mixed = (mixed as u64) ^ (mixed >> 64) as u64;
    ((u128::from(mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15)) * count as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found() {
        let mut table = vec![0; HEAD + 2 * 64];
        table[0] = 0x1234_5678_9ABC_DEF1;
        assert!(add(&mut table, &[[7, 1], [8, 1], [7, 2], [7, 5]]));
        let pages = |key, upto| {
            let mut pages = Vec::new();
            find(&table, key, upto, |page| pages.push(page));
            pages
        };
        assert_eq!(pages(7, 9), [1, 2, 5]);
        assert_eq!(pages(7, 2), [1, 2]);
        assert_eq!(pages(8, 9), [1]);
        assert!(pages(9, 9).is_empty());
    }

    #[test]
    fn half_of_the_slots_stay_free() {
        let mut table = vec![1; HEAD];
        table.extend([0; 16]);
        table[1] = 0;
        let full: Vec<[u64; 2]> = (0..4).map(|key| [key, 1]).collect();
        assert!(add(&mut table, &full));
        assert!(!add(&mut table, &[[9, 2]]));
        assert!(!add(&mut [], &[[9, 2]]));
        find(&table, 9, 9, |_| panic!("it was not added"));
    }
}
