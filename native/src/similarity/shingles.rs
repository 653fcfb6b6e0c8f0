//! Shingles of two texts as joint numbers, and what the texts share of them.

use super::intern::Rows;

/// Two texts as numbers of their words or shingles, in order.
pub struct Both {
    pub first: Vec<u32>,
    pub second: Vec<u32>,
    /// All numbers are below it.
    pub size: usize,
}

/// How many distinct shingles each text has, and how many both.
#[derive(Debug, PartialEq)]
pub struct Shared {
    pub first: u32,
    pub second: u32,
    pub both: u32,
}

impl Both {
    /// Number the shingles of `width` words, four at most.
    pub fn shingles(&self, width: usize) -> Both {
        let mut rows = Rows::new(self.first.len() + self.second.len());
        let mut number = |text: &[u32]| -> Vec<u32> {
            let shingles = text.windows(width).map(|words| {
                let mut shingle = [u32::MAX; 4];
                shingle[..width].copy_from_slice(words);
                rows.number(shingle)
            });
            shingles.collect()
        };
        let (first, second) = (number(&self.first), number(&self.second));
        Both { first, second, size: rows.len() }
    }

    /// Count how often each number occurs in either text.
    pub fn counts(&self) -> (Vec<u32>, Vec<u32>) {
        (counted(&self.first, self.size), counted(&self.second, self.size))
    }
}

fn counted(text: &[u32], size: usize) -> Vec<u32> {
    let mut counts = vec![0; size];
    for &number in text {
        counts[number as usize] += 1;
    }
    counts
}

/// Compare the shingle sets of two texts.
pub fn shared(mine: &[u32], theirs: &[u32]) -> Shared {
    let mut found = Shared { first: 0, second: 0, both: 0 };
    for (&one, &other) in mine.iter().zip(theirs) {
        found.first += u32::from(one > 0);
        found.second += u32::from(other > 0);
        found.both += u32::from(one > 0 && other > 0);
    }
    found
}

/// Count the words that lie in a shingle of `width` words which the other text has too.
pub fn covered(text: &[u32], theirs: &[u32], width: usize) -> u32 {
    let (mut count, mut end) = (0, 0);
    for (place, &number) in text.iter().enumerate() {
        if theirs[number as usize] > 0 {
            count += place + width - end.max(place);
            end = place + width;
        }
    }
    count as u32
}

/// Count what two texts have in common, each as often as both have it.
pub fn common(mine: &[u32], theirs: &[u32]) -> u32 {
    let pairs = mine.iter().zip(theirs);
    pairs.map(|(&one, &other)| one.min(other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shingles_of_two_texts() {
        let words = Both {
            first: vec![0, 1, 2, 0, 1, 2, 0, 1],
            second: vec![0, 1, 2, 0, 1, 3, 4, 5],
            size: 6,
        };
        let fours = words.shingles(4);
        let (mine, theirs) = fours.counts();
        let expected = Shared { first: 3, second: 5, both: 2 };
        assert_eq!(shared(&mine, &theirs), expected);
        assert_eq!(covered(&fours.first, &theirs, 4), 8);
        assert_eq!(covered(&fours.second, &mine, 4), 5);
        assert_eq!(words.shingles(1).first, words.first);
    }
}
