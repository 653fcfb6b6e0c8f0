//! Where style sheets stand.

use std::borrow::Cow;

use super::media::{is_for_screens, may_hold};
use super::text::SPACE;
use crate::attributes::Key;
use crate::space::first_characters;
use crate::tree::Tree;

/// Characters in which the address of an import begins.
const LONGEST_IMPORT: usize = 40;

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
