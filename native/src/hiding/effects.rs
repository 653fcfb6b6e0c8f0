//! What declarations may do to text, said with caution: whatever is not known for certain to show it
//! may hide it.

use super::colours::{is_clear, lightness};
use super::conceal;
use super::declarations::VARIABLE;
use super::lengths::pixels;
use super::properties::Property;
use super::values::Effect::{Hides, Shows, Unknown};
use super::values::*;

/// What an element has that can hide text, as bits: `ALONE` does by itself, the others in pairs.
pub const ALONE: u32 = 1;
/// What does not fit is cut off.
pub const CUT: u32 = 1 << 1;
pub const SMALL: u32 = 1 << 2;
/// It is moved by its sides.
pub const PLACED: u32 = 1 << 3;
pub const AWAY: u32 = 1 << 4;
/// Nothing is painted, unless an animation changes that.
pub const FAINT: u32 = 1 << 5;
pub const ANIMATED: u32 = 1 << 6;
/// Text that is dark, of middling lightness or light; and the ground behind it.
pub const TEXT: u32 = 1 << 7;
pub const GROUND: u32 = TEXT << SHADES;
const SHADES: u32 = 3;
const ALL_SHADES: u32 = (1 << SHADES) - 1;
pub const TEXTS: u32 = ALL_SHADES * TEXT;
pub const GROUNDS: u32 = ALL_SHADES * GROUND;
/// Text is not painted, but its shadow is, or its ground through the letters.
const CLEAR: u32 = GROUND << SHADES;
const SEEN_THROUGH: u32 = CLEAR << 1;
/// What hides in pairs: each of the first with any of the second.
const PAIRS: [(u32, u32); 7] = [
    (CLEAR, SEEN_THROUGH),
    (CUT, SMALL),
    (PLACED, AWAY),
    (FAINT, ANIMATED),
    (TEXT, GROUND),
    (TEXT << 1, GROUND << 1),
    (TEXT << 2, GROUND << 2),
];
const TIGHT: f64 = 8.0;
const DARK: f64 = 0.4;
const LIGHT: f64 = 0.7;

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

    /// Return the same of declarations of which nobody knows whether they hold.
    pub fn all_unsure(self) -> Marks {
        Marks { unsure: self.set, ..self }
    }

    /// Return true if text may be hidden, by what nobody can be sure of.
    pub fn may_hide(self) -> bool {
        let has = |bits: u32, one: u32| bits & one != 0;
        let pair = |(one, other): &(u32, u32)| {
            has(self.set, *one)
                && has(self.set, *other)
                && (has(self.unsure, *one) || has(self.unsure, *other))
        };
        has(self.unsure, ALONE) || PAIRS.iter().any(pair)
    }
}

/// What a block does, and what that depends on.
#[derive(Default)]
pub struct Effects {
    pub marks: Marks,
    /// Names and values with variables.
    pub open: Vec<(String, String)>,
    /// Values that name animations.
    pub animations: Vec<String>,
}

impl Effects {
    pub fn is_empty(&self) -> bool {
        self.marks.set == 0 && self.open.is_empty() && self.animations.is_empty()
    }

    pub fn add(&mut self, name: &str, value: &str) {
        if value.contains(VARIABLE) {
            self.open.push((name.to_owned(), value.to_owned()));
        } else {
            self.marks = self.marks.and(marks(name, value));
            if name.contains("animation") && value != "none" {
                self.animations.push(value.to_owned());
            }
        }
    }
}

/// Return true if a property may have a say in whether text is seen.
pub fn matters(name: &str) -> bool {
    const MORE: [&str; 25] = [
        "block-size",
        "max-block-size",
        "inline-size",
        "max-inline-size",
        "overflow-block",
        "overflow-inline",
        "contain",
        "-webkit-opacity",
        "-webkit-filter",
        "bottom",
        "-webkit-clip-path",
        "-webkit-mask",
        "mask-border",
        "-webkit-transform",
        "-moz-transform",
        "-ms-transform",
        "-o-transform",
        "rotate",
        "zoom",
        "offset",
        "offset-path",
        "mix-blend-mode",
        "-webkit-text-security",
        "word-spacing",
        "content",
    ];
    let is_more =
        || MORE.contains(&name) || name.starts_with("margin-") || name.starts_with("inset-");
    Property::of(name).is_some() || is_more() || name.ends_with("animation-name")
}

/// Return what a declaration does; its value is in small letters, with single spaces.
pub fn marks(name: &str, value: &str) -> Marks {
    let mut found = cautious_marks(name, value);
    let is_known = Property::of(name).is_some_and(|one| conceal::may_hide(one, value));
    if !is_known {
        found.unsure |= found.set & (ALONE | SMALL | AWAY | FAINT); // what hides was not found
    }
    found
}

fn cautious_marks(name: &str, value: &str) -> Marks {
    let name = ["-webkit-", "-moz-", "-ms-", "-o-"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    if matches!(value, "inherit" | "initial" | "unset" | "") {
        return Marks::default();
    }
    match name {
        "color" | "text-fill-color" | "text-stroke" | "text-stroke-color" => return text(value),
        "background" | "background-color" | "background-image" => return ground(value),
        "overflow" | "overflow-x" | "overflow-y" | "overflow-block" | "overflow-inline" => {
            let cut = |one: &str| match one {
                "visible" => Shows,
                "hidden" | "clip" if name.len() <= "overflow-x".len() => Hides,
                _ => Unknown,
            };
            return of(CUT, value.split(' ').map(cut).max().unwrap_or(Shows));
        }
        "position" => return known(PLACED, !matches!(value, "static" | "sticky")),
        "contain" => {
            let any = |words: &[&str]| value.split(' ').any(|one| words.contains(&one));
            let cut = known(CUT, any(&["paint", "strict", "content"]));
            return cut.and(of(SMALL, if any(&["size", "strict"]) { Unknown } else { Shows }));
        }
        "visibility" => {
            let effect = one_of(value, &["visible", "revert"], &["hidden", "collapse"]);
            return of(FAINT | ALONE, effect);
        }
        "opacity" => return of(FAINT | ALONE, opacity(value)),
        "height" | "block-size" | "max-height" | "max-block-size" | "width" | "inline-size"
        | "max-width" | "max-inline-size" => return of(SMALL, size(value)),
        "inset" | "left" | "right" | "top" | "bottom" => return of(AWAY, moves(value)),
        _ => {}
    }
    let effect = match name {
        "display" => display(value),
        "content-visibility" => one_of(value, &["visible", "auto"], &["hidden"]),
        "filter" => filter(value),
        "line-height" => return of(SMALL, line_height(value)),
        "clip" => clip(value),
        "clip-path" => clip_path(value),
        "mask" | "mask-image" | "mask-border" | "mask-border-source" => match value {
            "none" => Shows,
            _ => Unknown,
        },
        "transform" => transform(value),
        "scale" => transform(&format!("scale({})", value.replace(' ', ","))),
        "rotate" => transform(&format!("rotate({})", value.rsplit(' ').next().unwrap_or(""))),
        "translate" => transform(&format!("translate({})", value.replace(' ', ","))),
        "zoom" => match number(value.trim_end_matches('%')) {
            Some(zoom) if zoom >= 0.2 => Shows,
            _ => one_of(value, &["normal", "reset"], &[]),
        },
        "offset" | "offset-path" => one_of(value, &["none"], &[]),
        "mix-blend-mode" => one_of(value, &["normal"], &[]),
        "text-security" => one_of(value, &["none"], &[]),
        "background-clip" | "text-shadow" => {
            let is_seen = name == "text-shadow" && value != "none" || value.contains("text");
            return of(SEEN_THROUGH, if is_seen { Unknown } else { Shows });
        }
        "letter-spacing" | "word-spacing" => match value {
            "normal" => Shows,
            _ => pixels(value).map_or(Unknown, |size| if size > -TIGHT { Shows } else { Hides }),
        },
        "font-size" => font_size(value),
        "font" => font(value),
        "text-indent" => moves(value.trim_end_matches(" hanging").trim_end_matches(" each-line")),
        "content" => match value.contains("url(") || value.contains("gradient") {
            true => Unknown,
            false => Shows,
        },
        "animation" | "animation-name" => return known(ANIMATED, value != "none"),
        _ if name.starts_with("inset-") => return of(AWAY, moves(value)),
        _ if name == "margin" || name.starts_with("margin-") => moves(value),
        _ => Shows,
    };
    of(ALONE, effect)
}

fn known(bit: u32, is_set: bool) -> Marks {
    Marks { set: if is_set { bit } else { 0 }, unsure: 0 }
}

/// Return the marks of an effect; where two bits are given, one for what hides and one beside it for
/// what is not known.
fn of(bits: u32, effect: Effect) -> Marks {
    match effect {
        Shows => Marks::default(),
        Hides => Marks { set: bits, unsure: 0 },
        Unknown => Marks { set: bits, unsure: bits },
    }
}

/// Return the shade of a colour as a bit, for those of middling lightness with a neighbour.
fn shade(value: &str) -> Option<u32> {
    lightness(value).map(|light| match light {
        _ if light < DARK - 0.1 => 1,
        _ if light < DARK => 3,
        _ if light > LIGHT + 0.1 => 4,
        _ if light > LIGHT => 6,
        _ => 2,
    })
}

fn of_shade(bits: u32, is_sure: bool) -> Marks {
    of(bits, if is_sure { Hides } else { Unknown })
}

fn text(value: &str) -> Marks {
    if is_clear(value) {
        return known(ALONE | CLEAR, true);
    }
    if matches!(value, "currentcolor" | "revert" | "windowtext" | "canvastext" | "linktext") {
        return Marks::default();
    }
    let is_sure = super::colours::levels(value).is_some();
    match spaced(value).find_map(shade) {
        Some(shade) => of_shade(shade * TEXT, is_sure),
        None if !value.contains('(') => Marks::default(), // no colour
        None => of_shade(TEXTS, false),
    }
}

/// Return what is behind text; pictures in other files are not looked at.
fn ground(value: &str) -> Marks {
    if matches!(value, "none" | "currentcolor" | "revert" | "0") || is_clear(value) {
        return Marks::default();
    }
    let is_data = value.contains("url(data:")
        || value.contains("url('data:")
        || value.contains("url(\"data:");
    if value.contains("url(") || value.contains("image(") || value.contains("image-set(") {
        return match is_data {
            true => of_shade(GROUNDS, false),
            false => Marks::default(),
        };
    }
    if value.contains("gradient(") {
        let colours = value.split([',', '(', ')', ' ']).filter_map(shade);
        let all = colours.fold(ALL_SHADES, |all, one| all & one);
        return of_shade(all * GROUND, false);
    }
    let is_sure = super::colours::levels(value).is_some();
    match spaced(value).find_map(shade) {
        Some(shade) => of_shade(shade * GROUND, is_sure),
        None if spaced(value).any(super::colours::is_thin) => Marks::default(),
        None if !value.contains('(') => Marks::default(), // no colour
        None => of_shade(GROUNDS, false),
    }
}
