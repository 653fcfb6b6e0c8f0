//! What elements have of those around them; elements alike in places alike share the answer.

use super::conceal;
use super::properties::{Look, Property, UNSET};
use crate::hash::Map;
use crate::tree::NONE;

/// What an element has of those around it.
#[derive(Clone, Copy)]
pub struct Inherited {
    pub opacity: f64,
    pub size: f64,
    pub is_sized: bool,
    pub text: u32,
    pub ground: u32,
}

/// The number of what an element without any around it has.
pub const NOTHING: u32 = 0;

/// Answers that are remembered: no page for people needs more.
pub const MOST_KNOWN: usize = 4_096;

/// All that elements of a page inherit, by number.
pub struct Around {
    all: Vec<Inherited>,
    /// By the number of what is around an element, that of its own values, and if it is the page.
    numbers: Map<(u32, u32, bool), u32>,
    last: ((u32, u32, bool), u32),
}

impl Around {
    pub fn new() -> Self {
        let nothing =
            Inherited { opacity: 1.0, size: 16.0, is_sized: false, text: UNSET, ground: UNSET };
        Around { all: vec![nothing], numbers: Map::default(), last: ((NONE, NONE, false), NOTHING) }
    }

    pub fn at(&self, number: u32) -> Inherited {
        self.all[number as usize]
    }

    /// Return the number of what an element has, inside one that has this.
    pub fn inside(&mut self, around: u32, own: u32, look: &Look, is_page: bool) -> u32 {
        let key = (around, own, is_page);
        if self.last.0 == key {
            return self.last.1; // as the one before it
        }
        let number = self.numbers.get(&key).copied().unwrap_or_else(|| {
            let number = self.all.len() as u32;
            self.all.push(inside(&self.all[around as usize], look, is_page));
            if self.numbers.len() < MOST_KNOWN {
                self.numbers.insert(key, number);
            }
            number
        });
        self.last = (key, number);
        number
    }
}

fn inside(around: &Inherited, look: &Look, is_page: bool) -> Inherited {
    let size = conceal::font_size(look, around.size);
    let value =
        |property: Option<Property>, other: u32| property.map_or(other, |one| look.number(one));
    Inherited {
        opacity: match is_page {
            true => 1.0,
            false => around.opacity * conceal::opacity(look),
        },
        size: size.unwrap_or(around.size),
        is_sized: size.is_some(),
        text: value(conceal::text_colour(look), around.text),
        ground: value(conceal::ground(look), around.ground),
    }
}
