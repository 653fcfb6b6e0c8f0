//! What hides the text of an element, by its own values and by what it inherits.

use super::colours::{are_alike, levels, FAINT};
use super::conceal;
use super::inherited::Inherited;
use super::properties::{Look, Property, UNSET};

/// Which properties hide the text of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hiding {
    /// Nothing inside shows.
    All,
    Some {
        visibility: bool,
        size: bool,
        colour: bool,
    },
}

/// What is behind text where no element says so.
#[derive(Clone, Copy)]
pub struct Ground {
    /// Other style sheets have a say.
    pub is_linked: bool,
    pub is_white: bool,
}

impl Hiding {
    pub fn of(look: &Look, inherited: &Inherited, is_cell: bool, ground: Ground) -> Option<Self> {
        if conceal::hides(look, is_cell) || inherited.opacity < FAINT {
            return Some(Hiding::All);
        }
        let visibility = conceal::is_invisible(look);
        let size = inherited.is_sized && conceal::is_tiny(inherited.size);
        let colour = has_colour_of_ground(look, inherited, ground);
        (visibility || size || colour).then_some(Hiding::Some { visibility, size, colour })
    }

    /// Return true if an element has a value of its own for what hides the text around it.
    pub fn is_set_anew(self, look: &Look) -> bool {
        use Property::*;
        let Hiding::Some { visibility, size, colour } = self else {
            return false;
        };
        (visibility && look.has(Visibility))
            || (size && (look.has(FontSize) || look.has(Font)))
            || (colour && (look.has(Color) || look.has(Background) || look.has(BackgroundColor)))
    }
}

/// Return true if text can't be told from its ground. Where other style sheets have a say, only if
/// the element itself has both colours.
fn has_colour_of_ground(look: &Look, inherited: &Inherited, page: Ground) -> bool {
    if conceal::is_transparent(look) {
        return true;
    }
    let (text, ground) = (conceal::text_colour(look), conceal::ground(look));
    if text.is_none() && ground.is_none() {
        return false;
    }
    if page.is_linked && (text.is_none() || ground.is_none()) {
        return false;
    }
    let value = |own: Option<Property>, other: u32, default| match (own, other) {
        (Some(one), _) => look.text(one),
        (None, UNSET) => default,
        (None, other) => look.values.get(other as usize).map_or("", |text| text),
    };
    let unknown = if page.is_white { "white" } else { "var(" };
    let text = value(text, inherited.text, "black");
    let ground = value(ground, inherited.ground, unknown);
    are_alike(levels(text), levels(ground))
}
