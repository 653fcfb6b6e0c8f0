//! The heaviest chain of pairs in which both numbers ascend.

const NONE: u32 = u32::MAX;

/// Return the indices of the heaviest chain; pairs must come in the order in which they may follow
/// one another: by the first number, and of equal ones the larger second number first if `strictly`.
pub fn longest_chain(pairs: &[(u32, u32)], weights: &[u64], strictly: bool) -> Vec<usize> {
    let mut values: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
    values.sort_unstable();
    values.dedup();
    let mut best = PrefixMaximum(vec![(0, NONE); values.len() + 1]);
    let mut before = vec![NONE; pairs.len()];
    let mut total = vec![0u64; pairs.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let height = values.partition_point(|&value| value < pair.1) + 1;
        let last = best.up_to(height - usize::from(strictly));
        before[index] = last;
        total[index] = weights[index] + total.get(last as usize).copied().unwrap_or(0);
        best.put(height, index as u32, total[index]);
    }
    let mut chain = Vec::new();
    let mut at = best.up_to(values.len());
    while at != NONE {
        chain.push(at as usize);
        at = before[at as usize];
    }
    chain.reverse();
    chain
}

/// The index with the greatest total among heights up to a given one, in a Fenwick tree.
struct PrefixMaximum(Vec<(u64, u32)>);

impl PrefixMaximum {
    fn up_to(&self, mut height: usize) -> u32 {
        let mut found = (0, NONE);
        while height > 0 {
            if self.0[height].0 > found.0 {
                found = self.0[height];
            }
            height &= height - 1;
        }
        found.1
    }

    fn put(&mut self, mut height: usize, index: u32, total: u64) {
        while height < self.0.len() {
            if total > self.0[height].0 {
                self.0[height] = (total, index);
            }
            height += height & height.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_chain_wins() {
        let pairs = [(0, 5), (1, 0), (2, 1), (3, 9)];
        assert_eq!(longest_chain(&pairs, &[1; 4], true), [1, 2, 3]);
        assert_eq!(longest_chain(&pairs, &[3, 1, 1, 1], true), [0, 3]);
        assert_eq!(longest_chain(&[(0, 1), (1, 1)], &[1; 2], true), [0]);
        assert_eq!(longest_chain(&[(0, 1), (1, 1)], &[1; 2], false), [0, 1]);
        assert!(longest_chain(&[], &[], true).is_empty());
    }
}
