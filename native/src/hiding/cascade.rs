//! Which declarations hold in the end: elements that have the same ones share the answer.

use super::declarations::VARIABLE;
use super::properties::{Declaration, Found, Look, UNSET};
use super::rules::Rules;
use crate::hash::Map;

/// All values that elements of a page have, by number.
#[derive(Default)]
pub struct Cascade {
    all: Vec<Found>,
    /// By the lists of declarations that give them.
    numbers: Map<Box<[u32]>, u32>,
    /// Lists that were asked for last.
    last: Vec<u32>,
    number: u32,
}

impl Cascade {
    /// Return the number of what lists of declarations give, the strongest last. Variables are put
    /// in while the budget lasts.
    pub fn number(&mut self, lists: &[u32], rules: &mut Rules, left: &mut i64) -> u32 {
        if self.last == lists && !self.all.is_empty() {
            return self.number;
        }
        let number = self.known(lists, rules, left);
        self.last.clear();
        self.last.extend_from_slice(lists);
        self.number = number;
        number
    }

    fn known(&mut self, lists: &[u32], rules: &mut Rules, left: &mut i64) -> u32 {
        if let Some(number) = self.numbers.get(lists) {
            return *number;
        }
        let mut found = Found::new();
        for list in lists {
            for declaration in &rules.lists[*list as usize] {
                set(&mut found, *declaration);
            }
        }
        let lasts = *left > 0;
        for value in &mut found.0 {
            if *value != UNSET && rules.values.text(*value).contains(VARIABLE) {
                *value = rules.put_in(*value, lasts, left);
            }
        }
        let number = self.all.len() as u32;
        self.all.push(found);
        self.numbers.insert(lists.into(), number);
        number
    }

    pub fn look<'a>(&'a self, number: u32, rules: &'a Rules) -> Look<'a> {
        Look {
            found: &self.all[number as usize],
            values: &rules.values.texts,
        }
    }
}

fn set(found: &mut Found, (property, value): Declaration) {
    for part in property.parts() {
        found.0[*part as usize] = UNSET;
    }
    found.0[property as usize] = value;
}
