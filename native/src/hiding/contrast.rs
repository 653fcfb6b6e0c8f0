//! Colours of text and grounds on a page that can't be distinguished.

use super::colours::{are_alike, is_picture, levels, Levels};
use super::declarations::Values;
use super::properties::{Declaration, Property};
use crate::hash::Set;

/// Of text, and as many of grounds, that are compared.
const MOST_COLOURS: usize = 100;

/// Declarations of colours that could hide text.
#[derive(Default)]
pub struct Contrast {
    pub alike: Set<Declaration>,
    /// The page is white where no ground is declared.
    pub is_white: bool,
}

impl Contrast {
    /// Compare the colours of all declarations on a page.
    pub fn new(
        lists: &[Vec<Declaration>],
        values: &mut Values,
        has_pictures: bool,
        is_linked: bool,
    ) -> Self {
        let texts = |one: &Declaration| one.0 == Property::Color;
        let grounds = |one: &Declaration| one.0.name().starts_with("background");
        let mut texts = sorted(lists, values, texts);
        let mut grounds = sorted(lists, values, grounds);
        // no ground is white if there are pictures, or grounds that nobody knows
        let mut known = grounds.iter().map(|one| values.text(one.1));
        let is_white = !has_pictures && !known.any(is_picture);
        if !(is_linked || texts.is_empty() && grounds.is_empty()) {
            texts.push((Property::Color, values.number("black")));
            if is_white {
                grounds.push((Property::Background, values.number("white")));
            }
        }
        let mut alike = Set::default();
        let behind = last(&grounds, values);
        for (text, one) in last(&texts, values) {
            for (ground, other) in &behind {
                if are_alike(one, *other) {
                    alike.insert(text);
                    alike.insert(*ground);
                }
            }
        }
        Contrast { alike, is_white }
    }
}

/// Return some declarations, each once, by name and value.
fn sorted(
    lists: &[Vec<Declaration>],
    values: &Values,
    is_kept: impl Fn(&Declaration) -> bool,
) -> Vec<Declaration> {
    let all = lists.iter().flatten().copied();
    let mut found: Vec<Declaration> = all.filter(is_kept).collect();
    found.sort_by_key(|one| (one.0.name(), values.text(one.1)));
    found.dedup();
    found
}

fn last(some: &[Declaration], values: &Values) -> Vec<(Declaration, Option<Levels>)> {
    let first = some.len().saturating_sub(MOST_COLOURS);
    let colour = |one: &Declaration| (*one, levels(values.text(one.1)));
    some[first..].iter().map(colour).collect()
}
