//! Colours in CSS values, as far as they can be known.

use std::sync::OnceLock;

use super::lengths::{number, share};
use crate::data::{numbers, File};
use crate::hash::Map;

/// An alpha or opacity below it is not seen.
pub const FAINT: f64 = 0.1;
/// From which on it is seen well.
const SEEN: f64 = 0.5;
/// The greatest difference of two colours that can't be distinguished.
const SAME: u8 = 24;

/// Red, green and blue.
pub type Levels = [u8; 3];

struct Colour {
    levels: Option<Levels>,
    alpha: f64,
}

type Names = Map<&'static str, Levels>;

pub fn named(name: &str) -> Option<Levels> {
    static COLOURS: OnceLock<Names> = OnceLock::new();
    COLOURS.get_or_init(|| names("colours")).get(name).copied()
}

/// Return the colours of a part of the file.
fn names(part: &str) -> Names {
    let file = File::new(include_str!("../../data/css.txt"));
    let all = file.words(part).filter_map(|one| one.split_once('='));
    let levels = |code| numbers(code).next().unwrap_or(0).to_be_bytes();
    all.map(|(name, code)| (name, levels(code)))
        .map(|(name, [_, red, green, blue])| (name, [red, green, blue]))
        .collect()
}

/// Return true if a value is a picture, or anything.
pub fn is_picture(value: &str) -> bool {
    let is_code = |byte: u8| byte == b'#' || byte.is_ascii_hexdigit();
    let pictures = ["url(", "gradient", "var(", "image"];
    !value.bytes().all(is_code) && pictures.iter().any(|part| value.contains(part))
}

/// Return true if a value is a colour that is not seen.
pub fn is_clear(value: &str) -> bool {
    token_end(value, 0) == Some(value.len())
        && colour(value).is_some_and(|colour| colour.alpha < FAINT)
}

/// Return true if a value is a colour that lets through most of what is behind it.
pub fn is_thin(value: &str) -> bool {
    colour(value).is_some_and(|colour| colour.alpha < SEEN)
}

/// Return a colour that can be known; None for what shines through, pictures and rare names.
pub fn levels(value: &str) -> Option<Levels> {
    if is_picture(value) {
        return None;
    }
    let mut at = 0;
    while at < value.len() {
        let Some(end) = token_end(value, at) else {
            at += 1;
            continue;
        };
        if let Some(colour) = colour(&value[at..end]) {
            return colour.levels.filter(|_| colour.alpha >= 1.0);
        }
        at = end;
    }
    None
}

/// Return true if two colours are known and can't be distinguished.
pub fn are_alike(one: Option<Levels>, other: Option<Levels>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.iter().zip(other).all(|(a, b)| a.abs_diff(b) <= SAME),
        _ => false,
    }
}

/// Return how light a colour is, from 0 to 1; None for what is not known, or shines through.
pub fn lightness(value: &str) -> Option<f64> {
    let is_light = |part: &str| {
        let share = number(part)?;
        Some(if share.unit.is_empty() { share.number } else { share.number / 100.0 })
    };
    if let Some((name, inside)) = value.strip_suffix(')').and_then(|value| value.split_once('(')) {
        let mut parts = inside.split([' ', ',', '/']).filter(|part| !part.is_empty());
        let light = match name {
            "oklch" | "oklab" | "lab" | "lch" => parts.next().and_then(is_light),
            "hsl" | "hsla" => parts.nth(2).and_then(is_light),
            _ => None,
        };
        let light = light.map(|light| if light > 1.0 { light / 100.0 } else { light });
        if light.is_some() {
            let alpha = parts.nth(if name.starts_with("hsl") { 0 } else { 2 });
            return light.filter(|_| alpha.map_or(Some(1.0), share) >= Some(SEEN));
        }
    }
    static MORE: OnceLock<Names> = OnceLock::new();
    let more = || MORE.get_or_init(|| names("more-colours")).get(value).copied();
    let known = colour(value).filter(|colour| colour.alpha >= SEEN).and_then(|one| one.levels);
    let [red, green, blue] = known.or_else(more)?.map(|level| f64::from(level) / 255.0);
    Some((0.3 * red * red + 0.59 * green * green + 0.11 * blue * blue).sqrt())
}

/// Return where a word, function or number of a colour ends that begins at a position.
fn token_end(value: &str, at: usize) -> Option<usize> {
    let bytes = value.as_bytes();
    let span = |mut at: usize, fits: fn(u8) -> bool| {
        while bytes.get(at).is_some_and(|byte| fits(*byte)) {
            at += 1;
        }
        at
    };
    if bytes.get(at) == Some(&b'#') {
        let end = span(at + 1, |byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
        return (end > at + 1).then_some(end);
    }
    let end = span(at, |byte| byte == b'-' || byte.is_ascii_lowercase());
    if end == at {
        return None;
    }
    if bytes.get(end) == Some(&b'(') {
        let close = span(end + 1, |byte| !matches!(byte, b'(' | b')'));
        if bytes.get(close) == Some(&b')') {
            return Some(close + 1);
        }
    }
    Some(end)
}

fn colour(token: &str) -> Option<Colour> {
    if let Some(levels) = named(token) {
        return Some(Colour { levels: Some(levels), alpha: 1.0 });
    }
    if token == "transparent" {
        return Some(Colour { levels: None, alpha: 0.0 });
    }
    if let Some(digits) = token.strip_prefix('#') {
        return of_digits(digits);
    }
    let (name, arguments) = token.split_once('(')?;
    let arguments = arguments.strip_suffix(')')?;
    let is_rgb = match name {
        "rgb" | "rgba" => true,
        "hsl" | "hsla" => false,
        _ => return None,
    };
    let mut parts = arguments.split([' ', ',', '/']).filter(|part| !part.is_empty());
    let three = [parts.next()?, parts.next()?, parts.next()?];
    let alpha = parts.next().map_or(Some(1.0), share)?;
    let levels = if is_rgb { of_rgb(three) } else { of_hsl(three) };
    Some(Colour { levels, alpha })
}

fn of_digits(digits: &str) -> Option<Colour> {
    let values: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let values = values?;
    let pairs: Vec<u8> = match values.len() {
        3 | 4 => values.iter().map(|value| 17 * value).collect(),
        6 | 8 => values.chunks(2).map(|pair| 16 * pair[0] + pair[1]).collect(),
        _ => return None,
    };
    let alpha = pairs.get(3).copied().unwrap_or(255);
    Some(Colour { levels: Some([pairs[0], pairs[1], pairs[2]]), alpha: f64::from(alpha) / 255.0 })
}

fn of_rgb(parts: [&str; 3]) -> Option<Levels> {
    let mut levels = [0; 3];
    for (level, part) in levels.iter_mut().zip(parts) {
        let found = number(part)?;
        *level = rounded(match found.unit {
            "" => found.number,
            _ => found.number * 2.55,
        });
    }
    Some(levels)
}

/// Return a grey; other colours are not computed.
fn of_hsl(parts: [&str; 3]) -> Option<Levels> {
    let (saturation, light) = (number(parts[1])?, number(parts[2])?);
    if saturation.unit.is_empty() || light.unit.is_empty() {
        return None;
    }
    if saturation.number != 0.0 && 0.0 < light.number && light.number < 100.0 {
        return None;
    }
    Some([rounded(light.number * 2.55); 3])
}

fn rounded(value: f64) -> u8 {
    (value + 0.5).min(255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known() {
        assert_eq!(levels("#fff url"), Some([255; 3]));
        assert_eq!(levels("none rgb(100% 0 0 / 1)"), Some([255, 0, 0]));
        assert_eq!(levels("hsla(9, 0%, 50%, 100%)"), Some([127; 3]));
        assert_eq!(levels("rgba(0,0,0,.5)"), None);
        assert!(is_clear("rgba(0, 0, 0, 0)") && is_clear("#ffff0000") && !is_clear("#fff"));
    }
}
