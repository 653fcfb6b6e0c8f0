//! Estimates of how much pages share, from their sketches.

use crate::scan::numbers_of;

const HEAD: usize = 12;

/// A sample of hashes up to a limit, and a sample of word pairs.
struct Sketch {
    limit: u32,
    sampled: usize,
    hashes: Vec<u32>,
}

/// Return what the first of some sketches shares with each of the others: members of both samples,
/// members of either that were compared, pairs.
pub fn estimates(input: &[u8]) -> Option<Vec<u8>> {
    let (page, mut rest) = Sketch::split(input)?;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (other, after) = Sketch::split(rest)?;
        let limit = page.limit.min(other.limit);
        let ((mine, my_pairs), (theirs, their_pairs)) = (page.upto(limit), other.upto(limit));
        let shared = count_shared(mine, theirs);
        let pairs = count_shared(my_pairs, their_pairs);
        for count in [shared, mine.len() as u32, theirs.len() as u32, pairs] {
            found.extend(count.to_le_bytes());
        }
        rest = after;
    }
    Some(found)
}

impl Sketch {
    /// Read a sketch; return what follows it, too.
    fn split(input: &[u8]) -> Option<(Sketch, &[u8])> {
        let (head, rest) = (input.get(..HEAD)?, &input[HEAD..]);
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (limit, sampled, count) = (number(0), number(4) as usize, number(8) as usize);
        let end = count.checked_mul(4)?;
        let hashes = numbers_of(rest.get(..end)?);
        (sampled <= count).then_some((Sketch { limit, sampled, hashes }, &rest[end..]))
    }

    /// Return the members of the sample up to a limit, and the pairs.
    fn upto(&self, limit: u32) -> (&[u32], &[u32]) {
        let (sample, pairs) = self.hashes.split_at(self.sampled);
        (&sample[..sample.partition_point(|one| *one <= limit)], pairs)
    }
}

/// Count the different members that two ascending lists have in common.
fn count_shared(one: &[u32], other: &[u32]) -> u32 {
    let (mut x, mut y, mut shared, mut last) = (0, 0, 0, None);
    while let (Some(a), Some(b)) = (one.get(x), other.get(y)) {
        if a == b && last != Some(a) {
            shared += 1;
            last = Some(a);
        }
        x += usize::from(a <= b);
        y += usize::from(b <= a);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(limit: u32, sample: &[u32], pairs: &[u32]) -> Vec<u8> {
        let head = [limit, sample.len() as u32, (sample.len() + pairs.len()) as u32];
        let all = head.iter().chain(sample).chain(pairs);
        all.flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn what_both_samples_cover_is_counted() {
        let page = packed(100, &[1, 5, 90], &[7, 8]);
        let others = [packed(50, &[5, 6, 40], &[8]), packed(100, &[], &[])].concat();
        let found = estimates(&[page.clone(), others].concat()).unwrap();
        let numbers: Vec<u8> =
            [1, 2, 3, 1, 0, 3, 0, 0].iter().flat_map(|number: &u32| number.to_le_bytes()).collect();
        assert_eq!(found, numbers);
        assert_eq!(estimates(&page), Some(vec![]));
        assert_eq!(estimates(&page[..page.len() - 1]), None);
    }
}
