//! What the value of a declaration does to text: shows it, hides it, or nobody can say.

use super::conceal;
use super::lengths::pixels;
use super::properties::Property;
use super::text::number_end;

/// The width of a screen, in pixels.
pub const SCREEN: f64 = 1280.0;
/// The sizes of letters, and moves, beyond which text can't be read or is out of sight.
const TINY: f64 = 2.0;
const FAR: f64 = 900.0;

/// How sure it is what a value does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    Shows,
    Hides,
    Unknown,
}
use Effect::*;

pub fn one_of(value: &str, shows: &[&str], hides: &[&str]) -> Effect {
    match value {
        _ if shows.contains(&value) => Shows,
        _ if hides.contains(&value) => Hides,
        _ => Unknown,
    }
}

pub fn display(value: &str) -> Effect {
    let old = ["-webkit-", "-moz-", "-ms-"].iter().find_map(|prefix| value.strip_prefix(prefix));
    let plain = old.unwrap_or(value);
    let words = [
        "block",
        "inline",
        "contents",
        "flow",
        "flow-root",
        "list-item",
        "flex",
        "grid",
        "table",
        "inline-block",
        "inline-flex",
        "inline-grid",
        "inline-table",
        "ruby",
        "math",
        "box",
        "flexbox",
        "inline-box",
        "inline-flexbox",
        "inline-stack",
        "table-row",
        "table-cell",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "table-caption",
        "inline flex",
        "inline grid",
        "block flex",
        "block flow",
        "run-in",
    ];
    one_of(plain, &words, &["none", "table-column", "table-column-group"])
}

pub fn number(value: &str) -> Option<f64> {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    let end = number_end(digits.as_bytes(), 0)?;
    (end == digits.len()).then(|| value.parse().unwrap_or(0.0))
}

pub fn opacity(value: &str) -> Effect {
    let share = match value.strip_suffix('%') {
        Some(digits) => number(digits).map(|one| one / 100.0),
        None => number(value),
    };
    match share {
        Some(share) if share >= 0.5 => Shows,
        Some(_) => Hides,
        None => Unknown,
    }
}

pub fn filter(value: &str) -> Effect {
    if value == "none" || value.contains("progid:") || value.starts_with("alpha(") {
        return Shows;
    }
    let all = functions(value).map(|all| {
        all.iter()
            .map(|(name, inside)| match *name {
                "grayscale" | "sepia" | "saturate" | "hue-rotate" | "drop-shadow" | "invert" => {
                    Shows
                }
                "blur" => {
                    pixels(inside).map_or(Unknown, |size| if size < 4.0 { Shows } else { Hides })
                }
                "opacity" => opacity(inside),
                "brightness" | "contrast" => match opacity(inside) {
                    Shows => Shows,
                    _ => Unknown,
                },
                _ => Unknown,
            })
            .max()
    });
    all.flatten().unwrap_or(Unknown)
}

/// Return the functions that a value is made of, with what is inside of them.
pub fn functions(value: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    let mut rest = value.trim_matches(' ');
    while !rest.is_empty() {
        let open = rest.find('(')?;
        let end = brackets_length(rest)?;
        found.push((&rest[..open], &rest[open + 1..end - 1]));
        rest = rest[end..].trim_matches(' ');
    }
    Some(found)
}

/// Return the length of what begins with a name and brackets.
pub fn brackets_length(text: &str) -> Option<usize> {
    let mut depth = 0;
    let close = text.bytes().position(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        byte == b')' && depth == 0
    });
    close.map(|at| at + 1)
}

pub fn size(value: &str) -> Effect {
    let words = [
        "auto",
        "none",
        "min-content",
        "max-content",
        "fit-content",
        "revert",
        "stretch",
        "-webkit-fill-available",
        "-moz-available",
        "-webkit-fit-content",
        "-moz-fit-content",
        "-webkit-max-content",
        "-moz-max-content",
        "-webkit-min-content",
        "intrinsic",
        "-webkit-stretch",
        "-moz-min-content",
        "revert-layer",
    ];
    if words.contains(&value) || value.starts_with("fit-content(") {
        return Shows;
    }
    pixels(value).map_or(Unknown, |size| if size > TINY { Shows } else { Hides })
}

pub fn line_height(value: &str) -> Effect {
    match number(value) {
        Some(lines) if lines > 0.2 => Shows,
        Some(_) => Hides,
        None if value == "normal" => Shows,
        None => size(value),
    }
}

/// Return what lengths do by which something is moved.
pub fn moves(value: &str) -> Effect {
    let word = |word: &str| match pixels(word) {
        _ if matches!(word, "auto" | "revert" | "0") => Shows,
        Some(by) if by <= -FAR && !word.ends_with('%') => Hides,
        Some(by) if by <= -1.2 * SCREEN || by >= 4.0 * SCREEN => Hides,
        Some(_) => Shows,
        None => Unknown,
    };
    spaced(value).map(word).max().unwrap_or(Unknown)
}

/// Go through what stands between spaces, but not inside of brackets.
pub fn spaced(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    value.split(move |one: char| {
        depth += i32::from(one == '(') - i32::from(one == ')');
        one == ' ' && depth == 0
    })
}

pub fn clip(value: &str) -> Effect {
    let inside = value.strip_prefix("rect(").and_then(|rest| rest.strip_suffix(')'));
    match inside {
        _ if value == "auto" => Shows,
        _ if conceal::may_hide(Property::Clip, value) => Hides,
        Some(inside) => {
            let known = |side: &str| side == "auto" || pixels(side).is_some();
            let mut sides = inside.split([',', ' ']).filter(|side| !side.is_empty());
            if sides.all(known) {
                Shows
            } else {
                Unknown
            }
        }
        None => Unknown,
    }
}

pub fn clip_path(value: &str) -> Effect {
    if value == "none" {
        return Shows;
    }
    if conceal::may_hide(Property::ClipPath, value) {
        return Hides;
    }
    let Some([(name, inside)]) =
        functions(value).as_deref().map(<[_; 1]>::try_from).and_then(Result::ok)
    else {
        return Unknown;
    };
    let sides = inside.split([',', ' ']).filter(|side| !side.is_empty());
    let sizes: Option<Vec<f64>> = sides.map(pixels).collect();
    let Some(sizes) = sizes else {
        return Unknown;
    };
    match name {
        "inset" if sizes.iter().all(|side| *side < 0.3 * SCREEN) => Shows,
        "polygon" => {
            let points: Vec<&[f64]> = sizes.chunks(2).filter(|two| two.len() == 2).collect();
            let next = points.iter().cycle().skip(1);
            let double: f64 = points.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
            if double.abs() > 0.2 * SCREEN * SCREEN {
                Shows
            } else {
                Unknown
            }
        }
        _ => Unknown,
    }
}

pub fn transform(value: &str) -> Effect {
    if value == "none" || value.ends_with("(none)") {
        return Shows;
    }
    let Some(all) = functions(value) else {
        return Unknown;
    };
    all.iter().map(|(name, inside)| transformed(name, inside)).max().unwrap_or(Unknown)
}

pub fn transformed(name: &str, inside: &str) -> Effect {
    let parts: Vec<&str> = inside.split(',').map(|part| part.trim_matches(' ')).collect();
    let all = |fits: &dyn Fn(&str) -> Option<bool>| {
        let each = parts.iter().map(|part| match fits(part) {
            Some(true) => Shows,
            Some(false) => Hides,
            None => Unknown,
        });
        each.max().unwrap_or(Unknown)
    };
    match name {
        "scale" | "scalex" | "scaley" | "scalez" | "scale3d" => all(&|part| {
            let share = match part.strip_suffix('%') {
                Some(digits) => number(digits)? / 100.0,
                None => number(part)?,
            };
            Some(share.abs() >= 0.1)
        }),
        "rotate" | "rotatez" => all(&|part| angle(part).map(|_| true)),
        "rotatex" | "rotatey" => all(&|part| {
            let degrees = angle(part)?.rem_euclid(360.0);
            Some(!(60.0..=300.0).contains(&degrees))
        }),
        "skew" | "skewx" | "skewy" => all(&|part| Some(angle(part)?.abs() <= 60.0)),
        "translate" | "translatex" | "translatey" | "translatez" | "translate3d" => {
            all(&|part| Some(pixels(part)?.abs() <= 1.5 * SCREEN))
        }
        "matrix" => {
            let numbers: Option<Vec<f64>> = parts.iter().map(|part| number(part)).collect();
            match numbers.as_deref() {
                Some([a, b, c, d, x, y]) => {
                    let is_near = x.abs() <= SCREEN && y.abs() <= SCREEN;
                    if (a * d - b * c).abs() > 0.05 && is_near {
                        Shows
                    } else {
                        Hides
                    }
                }
                _ => Unknown,
            }
        }
        "perspective" => Shows,
        _ => Unknown,
    }
}

/// Return an angle in degrees.
pub fn angle(value: &str) -> Option<f64> {
    let units = [("deg", 1.0), ("grad", 0.9), ("rad", 57.295_779_513), ("turn", 360.0), ("", 1.0)];
    units.iter().find_map(|(unit, factor)| Some(number(value.strip_suffix(unit)?)? * factor))
}

pub fn font_size(value: &str) -> Effect {
    let words = [
        "xx-small",
        "x-small",
        "small",
        "medium",
        "large",
        "x-large",
        "xx-large",
        "xxx-large",
        "smaller",
        "larger",
        "revert",
        "math",
    ];
    if words.contains(&value) {
        return Shows;
    }
    match (value.strip_suffix('%').and_then(number), pixels(value)) {
        (Some(percent), _) => {
            if percent > 25.0 {
                Shows
            } else {
                Hides
            }
        }
        (None, Some(size)) => {
            if size > 2.0 * TINY {
                Shows
            } else {
                Hides
            }
        }
        (None, None) => Unknown,
    }
}

pub fn font(value: &str) -> Effect {
    let size = value.split('/').next().unwrap_or("");
    let words = size.split(' ');
    let known = |word: &&str| pixels(word).is_some() && !word.ends_with("00");
    match words.filter(known).last() {
        _ if value.contains('(') => Unknown,
        Some(size) => font_size(size),
        None => Shows,
    }
}
