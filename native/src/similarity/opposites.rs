//! Words that exclude one another: before and after, fair and unfair.

use std::sync::OnceLock;

use super::facts::{stem_of, Token};
use crate::fold::fold;
use crate::hash::Map;

/// The line and the choice of words that restrict.
const RESTRICTING: (u16, u8) = (0, 0);

/// Whether only one of two lists of words restricts what is said: if, only, without.
pub fn is_restricted(mine: &[Token], theirs: &[Token]) -> bool {
    let count = |tokens: &[Token]| {
        let restricting = tokens.iter().filter(|one| choices_of(one).contains(&RESTRICTING));
        restricting.count()
    };
    count(mine) != count(theirs)
}

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
        let mut add = |word: &str, place: (u16, u8)| {
            let places = found.entry(stem_of(&fold(word))).or_default();
            if !places.contains(&place) {
                places.push(place);
            }
        };
        for word in text
            .lines()
            .filter_map(|line| line.strip_prefix("+ "))
            .flat_map(str::split_ascii_whitespace)
        {
            add(word, RESTRICTING);
        }
        for (number, line) in (1..).zip(lines) {
            for (choice, words) in (0..).zip(line.split('|')) {
                for word in words.split_ascii_whitespace() {
                    add(word, (number, choice));
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
    fn restrictions() {
        let restricted = |one, other| is_restricted(&tokens(one, false), &tokens(other, false));
        assert!(restricted("in the flat", "in the flat if the owner agrees"));
        assert!(restricted("nur mit Ausweis", "mit Ausweis"));
        assert!(!restricted("only members", "members only") && !restricted("if", "unless"));
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
