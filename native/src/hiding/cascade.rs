//! Which declarations hold in the end: elements that have the same ones share the answer.

use super::declarations::VARIABLE;
use super::properties::{Found, Look};
use super::rules::Rules;
use crate::hash::Map;
use crate::tree::NONE;

/// All values that elements of a page have, by number.
#[derive(Default)]
pub struct Cascade {
    /// Which properties have one, as bits, and where these begin in `values`: most elements have few.
    all: Vec<(u32, usize)>,
    values: Vec<u32>,
    /// The numbers of those of no list and of each single one, NONE if not known.
    single: Vec<u32>,
    /// By the lists of declarations that give them.
    several: Map<Box<[u32]>, u32>,
}

impl Cascade {
    /// Return the number of what lists of declarations give, the strongest last. Variables are put
    /// in while the budget lasts.
    pub fn number(&mut self, lists: &[u32], rules: &mut Rules, left: &mut i64) -> u32 {
        let number = self.all.len() as u32;
        if lists.len() < 2 {
            let place = lists.first().map_or(0, |list| *list as usize + 1);
            if place >= self.single.len() {
                self.single.resize(rules.lists.len().max(place) + 1, NONE);
            }
            if self.single[place] != NONE {
                return self.single[place];
            }
            self.single[place] = number;
        } else {
            if let Some(number) = self.several.get(lists) {
                return *number;
            }
            self.several.insert(lists.into(), number);
        }
        let mut found = Found::new();
        for list in lists {
            for declaration in &rules.lists[*list as usize] {
                found.set(*declaration);
            }
        }
        let lasts = *left > 0;
        self.all.push((found.set, self.values.len()));
        for value in found.values() {
            let has_variable = rules.values.text(value).contains(VARIABLE);
            self.values.push(match has_variable {
                true => rules.put_in(value, lasts, left),
                false => value,
            });
        }
        number
    }

    pub fn look<'a>(&'a self, number: u32, rules: &'a Rules) -> Look<'a> {
        let (set, first) = self.all[number as usize];
        Look { set, numbers: &self.values[first..], values: &rules.values.texts }
    }
}
