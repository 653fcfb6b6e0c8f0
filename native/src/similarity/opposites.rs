//! Words that exclude one another: before and after, fair and unfair.

use std::sync::OnceLock;

use super::facts::{stem_of, Token};
use crate::fold::fold;
use crate::hash::Map;

/// Whether one of two lists of words has a word that excludes one of the other.
pub fn are_opposed(mine: &[Token], theirs: &[Token]) -> bool {
    let denies = |one: &Token, others: &[Token]| {
        one.denied != 0 && others.iter().any(|other| other.stem == one.denied)
    };
    mine.iter().any(|one| denies(one, theirs))
        || theirs.iter().any(|one| denies(one, mine))
        || mine.iter().any(|one| {
            let choices = choices_of(one);
            !choices.is_empty() && theirs.iter().any(|other| excludes(choices, choices_of(other)))
        })
}

fn excludes(mine: &[(u16, u8)], theirs: &[(u16, u8)]) -> bool {
    let is_other = |one: &(u16, u8), other: &(u16, u8)| one.0 == other.0 && one.1 != other.1;
    mine.iter().any(|one| theirs.iter().any(|other| is_other(one, other)))
}

fn choices_of(token: &Token) -> &'static [(u16, u8)] {
    choices().get(&token.stem).map_or(&[], Vec::as_slice)
}

/// Return for each stem its lines, and its choice in each.
fn choices() -> &'static Map<u64, Vec<(u16, u8)>> {
    static CHOICES: OnceLock<Map<u64, Vec<(u16, u8)>>> = OnceLock::new();
    CHOICES.get_or_init(|| {
        let text = include_str!("../../../dedup_middleware/data/opposites.txt");
        let mut found: Map<u64, Vec<(u16, u8)>> = Map::default();
        let lines = text.lines().filter(|line| line.contains(" | "));
        for (number, line) in (0..).zip(lines) {
            for (choice, words) in (0..).zip(line.split('|')) {
                for word in words.split_ascii_whitespace() {
                    let places = found.entry(stem_of(&fold(word))).or_default();
                    if !places.contains(&(number, choice)) {
                        places.push((number, choice));
                    }
                }
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::super::facts::tokens;
    use super::*;

    fn opposed(one: &str, other: &str) -> bool {
        are_opposed(&tokens(one, false), &tokens(other, false))
    }

    #[test]
    fn opposites_and_their_likes() {
        for (one, other) in [
            ("before", "after"),
            ("increases", "decreased"),
            ("is fair", "is unfair"),
            ("legally", "illegally"),
            ("avant", "après"),
            ("red", "blue"),
        ] {
            assert!(opposed(one, other) && opposed(other, one), "{one} {other}");
        }
        for (one, other) in [("before", "prior"), ("quick", "fast"), ("form", "shape"), ("", "")] {
            assert!(!opposed(one, other) && !opposed(other, one), "{one} {other}");
        }
    }
}
