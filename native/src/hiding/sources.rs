//! Where styles stand: in sheets, and in attributes new and old.

use std::borrow::Cow;

use super::colours::named;
use super::media::{is_for_screens, may_hold};
use super::properties::Property;
use super::text::SPACE;
use crate::attributes::Key;
use crate::space::first_characters;
use crate::tree::Tree;

/// Characters of an old attribute that are read.
const LONGEST_OLD: usize = 20;

/// Characters in which the address of an import begins.
const LONGEST_IMPORT: usize = 40;

/// What attributes of old set, the strongest last.
pub const OLD: [Property; 4] =
    [Property::Color, Property::Color, Property::Background, Property::Background];

const OLD_KEYS: [Key; OLD.len()] = [Key::Color, Key::Text, Key::Bgcolor, Key::Background];

/// Return true if attributes of old say anything.
pub fn has_old(tree: &Tree, at: u32) -> bool {
    let is_full = |key: &Key| tree.get(at, *key).is_some_and(|value| !value.is_empty());
    OLD_KEYS.iter().any(is_full)
}

/// Return what attributes of old say of colours.
pub fn old<'h>(tree: &Tree<'h>, at: u32) -> [Option<Cow<'h, str>>; OLD.len()] {
    let colour = |key: Key| colour(tree.get(at, key)?);
    let picture = tree.get(at, Key::Background);
    [
        colour(Key::Color),
        colour(Key::Text),
        colour(Key::Bgcolor),
        picture.filter(|value| !value.is_empty()).map(|_| "url()".into()),
    ]
}

/// Return a colour of old as CSS has it.
fn colour(value: Cow<str>) -> Option<Cow<str>> {
    let is_css = |value: &str| {
        let digits = value.strip_prefix('#').filter(|digits| digits.len() < LONGEST_OLD);
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        digits.is_some_and(|digits| digits.bytes().all(is_digit))
    };
    if is_css(&value) {
        return Some(value); // as most are
    }
    let lower = value.to_ascii_lowercase();
    let short = first_characters(&lower, LONGEST_OLD);
    match named(short) {
        _ if short.is_empty() => None,
        Some(_) => Some(short.to_owned().into()),
        None => Some(format!("#{}", short.trim_start_matches('#')).into()),
    }
}

/// Return the text of a style sheet; only in drawings and formulas is it in pieces.
pub fn text_of<'t>(tree: &'t Tree, at: u32) -> Cow<'t, str> {
    let mut pieces =
        tree.children(at).filter(|child| tree.node(*child).is_text).map(|child| tree.text(child));
    let first = pieces.next().unwrap_or_default();
    pieces.fold(Cow::Borrowed(first), |text, piece| text + piece)
}

/// Return true if a sheet imports one that stands in the address itself.
pub fn imports_data(text: &str) -> bool {
    let is_data = |(at, _): (usize, &str)| {
        first_characters(&text[at..], LONGEST_IMPORT).to_ascii_lowercase().contains("data:")
    };
    text.match_indices("@import").any(is_data)
}

/// Return true if a sheet holds on a desktop screen, false if it may; None if it does not.
pub fn is_read(tree: &Tree, at: u32) -> Option<bool> {
    let outside = tree.around(at).any(|one| matches!(tree.name(one), "noscript" | "template"));
    let kind = tree.value(at, Key::Type).trim_matches(SPACE).to_ascii_lowercase();
    let media = tree.value(at, Key::Media);
    let is_void = outside || !matches!(kind.as_str(), "" | "text/css") || !may_hold(&media);
    (!is_void).then(|| is_for_screens(&media))
}
