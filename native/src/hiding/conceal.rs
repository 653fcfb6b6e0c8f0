//! What declarations do to the text of an element: whether a visitor can see it.

use super::declarations::VARIABLE;
use super::lengths::pixels;
use super::properties::{Look, Property, Property::*};
use super::values::{effect, spaced, Effect, TINY};

/// Those that hide with others, or show what others hide.
const HELPERS: [Property; 14] = [
    Position,
    Overflow,
    OverflowX,
    OverflowY,
    Padding,
    PaddingBottom,
    PaddingTop,
    MinWidth,
    MinHeight,
    Flex,
    FlexGrow,
    Animation,
    AnimationName,
    WebkitAnimation,
];

/// Which properties hide the text of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hiding {
    /// Nothing inside shows.
    All,
    Some {
        visibility: bool,
        size: bool,
    },
}

impl Hiding {
    pub fn of(look: &Look, is_cell: bool) -> Option<Self> {
        let hides = |one: Property| effect(one.name(), look.text(one)) == Effect::Hides;
        let any = |some: &[Property]| some.iter().any(|one| look.has(*one) && hides(*one));
        let is_fixed = matches!(look.text(Position), "absolute" | "fixed");
        let is_moved = is_fixed || look.text(Position) == "relative";
        // what is hidden at first will show
        let is_animated = [Animation, AnimationName, WebkitAnimation]
            .iter()
            .any(|one| look.get(*one).is_some_and(|value| value != "none"));
        if any(&[Display, ClipPath, TextIndent])
            || is_fixed && any(&[Clip])
            || is_moved && any(&[Left, Top, Right])
            || !is_animated && any(&[Opacity])
            || cuts_off(look, is_cell) && any(&[Height, MaxHeight, Width, MaxWidth])
        {
            return Some(Hiding::All);
        }
        let visibility = !is_animated && any(&[Visibility]);
        let size = any(&[if look.has(FontSize) { FontSize } else { Font }]);
        (visibility || size).then_some(Hiding::Some { visibility, size })
    }

    /// Return true if an element has a value of its own for what hides the text around it.
    pub fn is_set_anew(self, look: &Look) -> bool {
        let Hiding::Some { visibility, size } = self else {
            return false;
        };
        (visibility && look.has(Visibility)) || (size && (look.has(FontSize) || look.has(Font)))
    }
}

/// Return true if a declaration may hide text, with or without the help of others.
pub fn may_hide(property: Property, value: &str) -> bool {
    !HELPERS.contains(&property)
        && (value.contains(VARIABLE) || effect(property.name(), value) == Effect::Hides)
}

/// Return true if an element cuts off what does not fit, and its size is what it says.
fn cuts_off(look: &Look, is_cell: bool) -> bool {
    let cuts = |one: &Property| {
        let value = look.text(*one);
        value.contains("hidden") || value.contains("clip")
    };
    let grows = || [MinWidth, MinHeight, Flex, FlexGrow].iter().any(|one| look.has(*one));
    let padded = |one: &Property| spaced(look.text(*one)).filter_map(pixels).any(|by| by > TINY);
    [Overflow, OverflowX, OverflowY].iter().any(cuts)
        && !(is_cell || grows() || [Padding, PaddingBottom, PaddingTop].iter().any(padded))
}
