//! The words of two units, aligned: how many are the same in order, and what is left of both.

use super::facts::{Token, ADDRESS, NAME, NEGATION, NUMBER, SIGN};
use super::opposites::{are_opposed, is_restricted};

/// Words of two units that are aligned, without what they begin and end with.
const LONGEST: usize = 160;

/// Return how many words of two units are the same, in order; 64 cells at a time.
pub fn common(one: &[Token], other: &[Token]) -> usize {
    let (ends, one, other) = without_ends(one, other);
    if one.len() > LONGEST || other.len() > LONGEST {
        return ends;
    }
    let words: Vec<u64> = one.iter().map(|one| one.word).collect();
    let mut row = [!0u64; (LONGEST + 63) / 64]; // a bit is 0 where the subsequence grows
    for word in other.iter().map(|other| other.word) {
        let mut carry = false;
        for (cells, words) in row.iter_mut().zip(words.chunks(64)) {
            let equal = words.iter().rev().fold(0, |bits, &one| bits << 1 | u64::from(one == word));
            let (sum, over) = cells.overflowing_add(*cells & equal);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            carry = over || again;
            *cells = sum | (*cells & !equal);
        }
    }
    ends + row.iter().map(|cells| cells.count_zeros() as usize).sum::<usize>()
}

/// Return how many words two units begin and end with in common, and what stands between these.
fn without_ends<'a>(one: &'a [Token], other: &'a [Token]) -> (usize, &'a [Token], &'a [Token]) {
    let start = one.iter().zip(other).take_while(|(a, b)| a.word == b.word).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end =
        one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a.word == b.word).count();
    (start + end, &one[..one.len() - end], &other[..other.len() - end])
}

/// What two units have in common, and whether the rest is in dispute.
pub struct Aligned {
    pub common: usize,
    pub is_disputed: bool,
    /// Whether each has a number or an address in place of another, or only one denies.
    pub is_other: bool,
    /// Whether each has an address or an identifier in place of another.
    pub is_named: bool,
}

/// Align the words of two units, and look at what is left of both.
pub fn aligned(one: &[Token], other: &[Token]) -> Aligned {
    let (ends, one, other) = without_ends(one, other);
    if one.len() > LONGEST || other.len() > LONGEST {
        return Aligned { common: ends, is_disputed: true, is_other: false, is_named: false };
    }
    let width = other.len() + 1;
    let mut table = vec![0u16; (one.len() + 1) * width];
    for (i, a) in one.iter().enumerate().rev() {
        for (j, b) in other.iter().enumerate().rev() {
            table[i * width + j] = if a.word == b.word {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut mine, mut theirs): (Vec<Token>, Vec<Token>) = (Vec::new(), Vec::new());
    while i < one.len() && j < other.len() {
        if one[i].word == other[j].word {
            (i, j) = (i + 1, j + 1);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            mine.push(one[i]);
            i += 1;
        } else {
            theirs.push(other[j]);
            j += 1;
        }
    }
    mine.extend(&one[i..]);
    theirs.extend(&other[j..]);
    let is_named = is_swapped(&mine, &theirs, ADDRESS);
    let is_other = is_named
        || is_swapped(&mine, &theirs, NUMBER)
        || count(&mine, NEGATION) != count(&theirs, NEGATION);
    // a number that one of them says more may restrict what both say, or make another amount of it
    let is_disputed = is_other
        || are_opposed(&mine, &theirs)
        || is_restricted(&mine, &theirs)
        || count(&mine, NUMBER | SIGN) + count(&theirs, NUMBER | SIGN) > 0
        || count(&mine, NAME) > 0 && count(&theirs, NAME) > 0;
    Aligned { common: ends + usize::from(table[0]), is_disputed, is_other, is_named }
}

/// Whether each of two units has facts of a kind, among what is left of it, that the other lacks.
fn is_swapped(mine: &[Token], theirs: &[Token], fact: u8) -> bool {
    let lacks = |tokens: &[Token], others: &[Token]| {
        let mut facts = tokens.iter().filter(|one| one.fact() & fact > 0);
        facts.any(|one| others.iter().all(|other| other.stem != one.stem))
    };
    lacks(mine, theirs) && lacks(theirs, mine)
}

fn count(tokens: &[Token], flag: u8) -> usize {
    tokens.iter().filter(|one| one.flags & flag > 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(seed: &mut u64, count: usize, different: u64) -> Vec<Token> {
        let mut next = || {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) % different
        };
        (0..count)
            .map(|_| next())
            .map(|word| Token { word, stem: word, denied: 0, flags: 0 })
            .collect()
    }

    #[test]
    fn bits_count_what_the_table_counts() {
        let seed = &mut 7;
        for (one, other) in [(0, 5), (1, 1), (63, 64), (64, 65), (128, 70), (160, 160), (161, 9)] {
            for different in [2, 9, 60] {
                let (one, other) = (words(seed, one, different), words(seed, other, different));
                assert_eq!(common(&one, &other), aligned(&one, &other).common);
            }
        }
    }
}
