//! Where styles stand: in sheets, and in attributes new and old.

use std::borrow::Cow;

use super::colours::named;
use super::media::is_for_screens;
use super::properties::Property;
use super::text::SPACE;
use crate::attributes::Key;
use crate::space::first_characters;
use crate::tree::Tree;

/// Characters of an old attribute that are read.
const LONGEST_OLD: usize = 20;

/// Return what attributes of old say of colours.
pub fn old(tree: &Tree, at: u32) -> Vec<(Property, String)> {
    let mut found = Vec::new();
    let old = [
        (Key::Color, Property::Color),
        (Key::Text, Property::Color),
        (Key::Bgcolor, Property::Background),
    ];
    for (key, property) in old {
        let value = tree.value(at, key).to_ascii_lowercase();
        let value = first_characters(&value, LONGEST_OLD);
        match named(value) {
            _ if value.is_empty() => {}
            Some(_) => found.push((property, value.to_owned())),
            None => found.push((property, format!("#{}", value.trim_start_matches('#')))),
        }
    }
    if !tree.value(at, Key::Background).is_empty() {
        found.push((Property::Background, "url()".to_owned()));
    }
    found
}

/// Return the text of a style sheet; only in drawings and formulas is it in pieces.
pub fn text_of<'t>(tree: &'t Tree, at: u32) -> Cow<'t, str> {
    let mut pieces = tree
        .children(at)
        .filter(|child| tree.node(*child).is_text)
        .map(|child| tree.text(child));
    let first = pieces.next().unwrap_or_default();
    pieces.fold(Cow::Borrowed(first), |text, piece| text + piece)
}

/// Return true if a sheet holds on a desktop screen.
pub fn is_read(tree: &Tree, at: u32) -> bool {
    let outside = tree
        .around(at)
        .any(|one| matches!(tree.name(one), "noscript" | "template"));
    let kind = tree
        .value(at, Key::Type)
        .trim_matches(SPACE)
        .to_ascii_lowercase();
    matches!(kind.as_str(), "" | "text/css")
        && !outside
        && is_for_screens(&tree.value(at, Key::Media))
}
