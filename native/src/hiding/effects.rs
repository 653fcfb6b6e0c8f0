//! What declarations may do to text, said with caution: whatever is not known for certain to show it
//! may hide it.

use super::colours::colour;
use super::declarations::VARIABLE;
use super::properties::Property;
use super::values::Effect::{self, Hides, Shows, Unknown};
use super::values::{effect, spaced};

/// Half of the greatest difference of lightness that can't be distinguished.
const SAME: f64 = 0.04;
/// Colours with less alpha let through most of what is behind them.
const SEEN: f64 = 0.5;

/// What an element has that can hide text, as bits: `ALONE` does by itself, the others in pairs.
pub const ALONE: u32 = 1;
/// What does not fit is cut off.
pub const CUT: u32 = 1 << 1;
pub const SMALL: u32 = 1 << 2;
/// It is moved by its sides.
pub const PLACED: u32 = 1 << 3;
pub const AWAY: u32 = 1 << 4;
/// The shades of text, from dark to light; and those of the ground behind it.
const TEXT: u32 = 1 << 5;
const GROUND: u32 = TEXT << SHADES;
const SHADES: u32 = 12;
const ALL_SHADES: u32 = (1 << SHADES) - 1;
pub const TEXTS: u32 = ALL_SHADES * TEXT;
pub const GROUNDS: u32 = ALL_SHADES * GROUND;
/// Black text, and a white ground.
pub const BLACK: u32 = TEXT;
pub const WHITE: u32 = GROUND << (SHADES - 1);

/// What declarations do: what they set, and what of that nobody can be sure of.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    pub set: u32,
    pub unsure: u32,
}

impl Marks {
    /// Return what both do.
    pub fn and(self, other: Marks) -> Marks {
        Marks { set: self.set | other.set, unsure: self.unsure | other.unsure }
    }

    /// Return the colours that replace those of weaker declarations: all or none of a kind.
    pub fn sure(self, colours: u32) -> u32 {
        if self.unsure & colours == 0 {
            self.set & colours
        } else {
            0
        }
    }

    /// Return the same of declarations of which nobody knows whether they hold.
    pub fn all_unsure(self) -> Marks {
        Marks { unsure: self.set, ..self }
    }

    /// Return true if text may be hidden, by what nobody can be sure of.
    pub fn may_hide(self) -> bool {
        let pair = |one: u32, other: u32| {
            self.set & one != 0 && self.set & other != 0 && self.unsure & (one | other) != 0
        };
        let is_alike = (self.set / GROUND) & (self.set / TEXT) & ALL_SHADES != 0;
        self.unsure & ALONE != 0 || pair(CUT, SMALL) || pair(PLACED, AWAY) || is_alike
    }
}

/// What a block does, and what that depends on.
#[derive(Default)]
pub struct Effects {
    pub marks: Marks,
    /// Names and values with variables, and whether they are important.
    pub open: Vec<(String, String, bool)>,
}

impl Effects {
    pub fn is_empty(&self) -> bool {
        self.marks == Marks::default() && self.open.is_empty()
    }

    pub fn add(&mut self, name: &str, value: &str, important: bool) {
        if value.contains(VARIABLE) {
            self.open.push((name.to_owned(), value.to_owned(), important));
        } else {
            let mut found = marks(name, value);
            if important {
                found.unsure |= found.set & (TEXTS | GROUNDS); // others don't replace it
            }
            self.marks = self.marks.and(found);
        }
    }
}

/// Return true if a property may have a say in whether text is seen.
pub fn matters(name: &str) -> bool {
    let plain = unprefixed(name);
    Property::of(name).is_some()
        || OTHERS.contains(&plain)
        || plain.starts_with("margin")
        || plain.starts_with("inset")
}

/// Those of which no value is known to hide.
const OTHERS: [&str; 39] = [
    "animation",
    "animation-name",
    "background",
    "background-color",
    "background-image",
    "block-size",
    "bottom",
    "clip-path",
    "color",
    "contain",
    "content",
    "content-visibility",
    "filter",
    "inline-size",
    "letter-spacing",
    "line-height",
    "mask",
    "mask-border",
    "mask-border-source",
    "mask-image",
    "max-block-size",
    "max-inline-size",
    "mix-blend-mode",
    "offset",
    "offset-path",
    "opacity",
    "overflow-block",
    "overflow-inline",
    "rotate",
    "scale",
    "text-fill-color",
    "text-security",
    "text-stroke",
    "text-stroke-color",
    "transform",
    "translate",
    "visibility",
    "word-spacing",
    "zoom",
];

fn unprefixed(name: &str) -> &str {
    let mut prefixes = ["-webkit-", "-moz-", "-ms-", "-o-"].iter();
    match name.starts_with('-') {
        true => prefixes.find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name),
        false => name,
    }
}

/// Return what a declaration does; its value is in small letters, with single spaces.
pub fn marks(name: &str, value: &str) -> Marks {
    let plain = unprefixed(name);
    if matches!(value, "inherit" | "initial" | "unset" | "") && !is_colour(plain) {
        return Marks::default();
    }
    let bit = match plain {
        "color" => return text(value),
        "text-fill-color" | "text-stroke" | "text-stroke-color" => {
            let found = text(value); // it counts beside the colour
            return Marks { unsure: found.unsure | found.set, ..found };
        }
        "background" | "background-color" | "background-image" => return ground(value),
        "overflow" | "overflow-x" | "overflow-y" | "overflow-block" | "overflow-inline" => {
            let cut = |one: &str| match one {
                "visible" => Shows,
                "hidden" | "clip" if plain.len() <= "overflow-x".len() => Hides,
                _ => Unknown,
            };
            return of(CUT, value.split(' ').map(cut).max().unwrap_or(Shows));
        }
        "position" if !matches!(value, "static" | "sticky") => return of(PLACED, Hides),
        "contain" if value.contains("size") || value == "strict" => {
            return of(CUT | SMALL, Unknown);
        }
        "contain" if matches!(value, "none" | "layout" | "style") => return of(CUT, Shows),
        "contain" => return of(CUT, Unknown),
        "height" | "block-size" | "max-height" | "max-block-size" | "width" | "inline-size"
        | "max-width" | "max-inline-size" | "line-height" => SMALL,
        "left" | "right" | "top" | "bottom" => AWAY,
        _ if plain.starts_with("inset") => AWAY,
        _ => ALONE,
    };
    match effect(plain, value) {
        Hides if Property::of(name).is_none() => of(bit, Unknown), // it was not found
        found => of(bit, found),
    }
}

fn of(bits: u32, effect: Effect) -> Marks {
    match effect {
        Shows => Marks::default(),
        Hides => Marks { set: bits, unsure: 0 },
        Unknown => Marks { set: bits, unsure: bits },
    }
}

/// Return the shade of a colour as a bit, with a neighbour if it is close to that.
fn shade(value: &str) -> Option<u32> {
    let found = colour(value).filter(|colour| colour.alpha >= SEEN)?;
    let number = |light: f64| (light * f64::from(SHADES)).clamp(0.0, f64::from(SHADES - 1)) as u32;
    let (first, last) = (number(found.light - SAME), number(found.light + SAME));
    Some((first..=last).map(|shade| 1 << shade).sum())
}

fn is_clear(value: &str) -> bool {
    colour(value).is_some_and(|colour| colour.alpha < SEEN)
}

fn is_colour(name: &str) -> bool {
    name == "color" || name.starts_with("background")
}

fn text(value: &str) -> Marks {
    match shades(value) {
        _ if is_clear(value) => of(ALONE, Unknown),
        _ if value == "initial" => Marks { set: BLACK, unsure: TEXTS },
        0 => Marks { set: 0, unsure: TEXTS }, // that around it
        found if found == ALL_SHADES => of(TEXTS, Unknown),
        found => of(found * TEXT, Hides),
    }
}

/// Return what is behind text; pictures in other files are not looked at.
fn ground(value: &str) -> Marks {
    let is_data =
        || ["", "'", "\""].iter().any(|quote| value.contains(&format!("url({quote}data:")));
    if value.contains("url(") || value.contains("image(") || value.contains("image-set(") {
        return of(if is_data() { GROUNDS } else { 0 }, Unknown);
    }
    if value.contains("gradient(") {
        let colours = value.split([',', '(', ')', ' ']).filter_map(shade);
        return of(colours.fold(ALL_SHADES, |all, one| all & one) * GROUND, Unknown);
    }
    match shades(value) {
        0 => Marks { set: 0, unsure: GROUNDS }, // that around it
        _ if spaced(value).any(is_clear) => Marks { set: 0, unsure: GROUNDS },
        found if found == ALL_SHADES => of(GROUNDS, Unknown),
        found => of(found * GROUND, Hides),
    }
}

/// Return the shades of a colour; none if it is a word that is none, or takes that around it.
fn shades(value: &str) -> u32 {
    let all = if value.contains('(') { ALL_SHADES } else { 0 };
    spaced(value).find_map(shade).unwrap_or(all)
}
