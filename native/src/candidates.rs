//! Which pages are worth a look, by the keys that they share.

use crate::hash::Map;

const TAG_SHIFT: u32 = 56;
const DIGEST: u64 = 1;
const SIMHASH: u64 = 2;
const SHINGLE: u64 = 3;
const PAIR: u64 = 4;
const LEAST_PAIRS: u32 = 2;
const MOST_BY_PAIRS: usize = 8;

/// What some postings lead to.
pub struct Candidates {
    /// How many pages each key leads to.
    pub counts: Vec<u32>,
    /// Pages with the same digest, ascending.
    pub same: Vec<u32>,
    /// Pages that share the rarest keys, at most so many of each kind of key, ascending.
    pub alike: Vec<u32>,
}

/// What a page shares of one kind of key.
#[derive(Default, Clone, Copy)]
struct Shared {
    keys: u32,
    /// A key that leads to few pages weighs more.
    weight: f64,
}

/// Choose from postings, each the place of a key and a page, by ascending place.
pub fn choose(keys: &[u64], postings: &[[u32; 2]], most: usize) -> Option<Candidates> {
    let mut counts = vec![0; keys.len()];
    for [place, _] in postings {
        *counts.get_mut(*place as usize)? += 1;
    }
    let mut same = Vec::new();
    let mut kinds = [(); 3].map(|()| Map::<u32, Shared>::default());
    for [place, page] in postings {
        let place = *place as usize;
        let kind = match keys[place] >> TAG_SHIFT {
            DIGEST => {
                same.push(*page);
                continue;
            }
            SHINGLE => 0,
            SIMHASH => 1,
            PAIR => 2,
            _ => continue,
        };
        let shared = kinds[kind].entry(*page).or_default();
        shared.keys += 1;
        shared.weight += 1.0 / f64::from(counts[place]);
    }
    same.sort_unstable();
    let limits = [(1, most), (1, most), (LEAST_PAIRS, MOST_BY_PAIRS.min(most))];
    let mut alike = Vec::new();
    for (pages, (least, limit)) in kinds.into_iter().zip(limits) {
        let pages = pages.into_iter().filter(|(_, shared)| shared.keys >= least);
        let mut pages: Vec<(u32, f64)> = pages.map(|(page, one)| (page, one.weight)).collect();
        if pages.len() > limit {
            pages
                .sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            pages.truncate(limit);
        }
        alike.extend(pages.into_iter().map(|(page, _)| page));
    }
    alike.sort_unstable();
    alike.dedup();
    Some(Candidates { counts, same, alike })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_share_the_rarest_keys_are_chosen() {
        let keys = [DIGEST, SHINGLE, SHINGLE, PAIR, PAIR]
            .iter()
            .enumerate()
            .map(|(place, tag)| tag << TAG_SHIFT | place as u64)
            .collect::<Vec<_>>();
        let postings = [[0, 4], [1, 1], [1, 2], [1, 3], [2, 3], [3, 8], [3, 9], [4, 9]];
        let found = choose(&keys, &postings, 2).unwrap();
        assert_eq!(found.counts, [1, 3, 1, 2, 1]);
        assert_eq!(found.same, [4]);
        // 3 has a key of its own, 1 comes before 2, and one pair is not enough for 8
        assert_eq!(found.alike, [1, 3, 9]);
        assert!(choose(&keys, &[[5, 1]], 2).is_none(), "there is no such key");
    }
}
