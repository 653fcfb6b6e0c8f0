//! What the value of a declaration does to text: shows it, hides it, or nobody can say. Only what
//! pages hide text with is evaluated; of all else ordinary values show it, others may hide it.

use super::declarations::displays;
use super::lengths::{number, pixels, share};

/// The width of a screen, in pixels.
const SCREEN: f64 = 1280.0;
/// Sizes and moves beyond which text can't be read or is out of sight.
pub const TINY: f64 = 2.0;
const SMALL: f64 = 8.0;
const FAR: f64 = 900.0;
/// What is seen of text of this opacity is next to nothing, or enough.
const FAINT: f64 = 0.1;
const SEEN: f64 = 0.5;

/// How sure it is what a value does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    Shows,
    Hides,
    Unknown,
}
use Effect::*;

/// Return what a value does that is in small letters, with single spaces; of some properties only
/// together with others.
pub fn effect(name: &str, value: &str) -> Effect {
    match name {
        "display" => display(value),
        "visibility" => one_of(value, &["visible", "revert"], &["hidden", "collapse"]),
        "content-visibility" => one_of(value, &["visible", "auto"], &[]),
        "opacity" => share(value).map_or(Unknown, |seen| scale(seen, FAINT, SEEN)),
        "height" | "block-size" | "max-height" | "max-block-size" | "width" | "inline-size"
        | "max-width" | "max-inline-size" => size(value),
        "line-height" => shows(
            value == "normal"
                || number(value).map_or_else(|| size(value) == Shows, |lines| lines > 0.2),
        ),
        "text-indent" => moves(value.trim_end_matches(" hanging").trim_end_matches(" each-line")),
        "inset" | "left" | "right" | "top" | "bottom" => moves(value),
        "margin" => shows(moves(value) == Shows),
        _ if name.starts_with("inset-") => moves(value),
        _ if name.starts_with("margin-") => shows(moves(value) == Shows),
        "clip" => clip(value),
        "clip-path" => clip_path(value),
        "transform" => transform(value),
        "scale" => transform(&format!("scale({})", value.replace(' ', ","))),
        "rotate" => transform(&format!("rotate({value})")),
        "translate" => transform(&format!("translate({})", value.replace(' ', ","))),
        "zoom" => shows(share(value).map_or(value == "normal", |zoom| zoom >= 0.2)),
        "filter" => shows(
            value == "none"
                || functions(value)
                    .is_some_and(|all| all.iter().all(|one| HARMLESS.contains(&one.0))),
        ),
        "mask" | "mask-image" | "mask-border" | "mask-border-source" | "offset" | "offset-path"
        | "text-security" | "animation" | "animation-name" => one_of(value, &["none"], &[]),
        "mix-blend-mode" => one_of(value, &["normal"], &[]),
        "letter-spacing" | "word-spacing" => {
            shows(value == "normal" || pixels(value).is_some_and(|space| space > -SMALL))
        }
        "font-size" => font_size(value),
        "font" => font(value),
        "content" => shows(!value.contains("url(") && !value.contains("gradient")),
        _ => Shows,
    }
}

/// Filters that leave text as it is seen.
const HARMLESS: [&str; 6] =
    ["grayscale", "sepia", "saturate", "hue-rotate", "drop-shadow", "invert"];

fn shows(is_ordinary: bool) -> Effect {
    match is_ordinary {
        true => Shows,
        false => Unknown,
    }
}

pub fn one_of(value: &str, shows: &[&str], hides: &[&str]) -> Effect {
    match value {
        _ if shows.contains(&value) => Shows,
        _ if hides.contains(&value) => Hides,
        _ => Unknown,
    }
}

/// Return what a size does that hides up to a limit, and shows from another on.
fn scale(size: f64, hides: f64, shows: f64) -> Effect {
    match size {
        _ if size <= hides => Hides,
        _ if size >= shows => Shows,
        _ => Unknown,
    }
}

fn display(value: &str) -> Effect {
    match value {
        "none" => Hides,
        "-webkit-box" | "-moz-box" | "-webkit-inline-box" | "-ms-inline-flexbox" => Shows,
        "table-column" | "table-column-group" | "revert" | "revert-layer" => Unknown,
        _ => {
            let old = ["-webkit-", "-ms-"].iter().find_map(|begin| value.strip_prefix(begin));
            shows(displays().contains(old.unwrap_or(value)))
        }
    }
}

/// Return the functions that a value is made of, with what is inside of them.
fn functions(value: &str) -> Option<Vec<(&str, &str)>> {
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

fn size(value: &str) -> Effect {
    const WORDS: [&str; 9] = [
        "auto",
        "none",
        "content",
        "revert",
        "revert-layer",
        "stretch",
        "fill-available",
        "available",
        "intrinsic",
    ];
    let plain = ["-webkit-", "-moz-", "min-", "max-", "fit-"];
    let plain = plain.iter().fold(value, |rest, begin| rest.strip_prefix(begin).unwrap_or(rest));
    match pixels(value) {
        Some(size) if size <= TINY => Hides,
        Some(_) => Shows,
        None => shows(WORDS.contains(&plain) || value.starts_with("fit-content(")),
    }
}

/// Return what lengths do by which something is moved; a percentage may mean anything.
fn moves(value: &str) -> Effect {
    let word = |word: &str| match pixels(word) {
        _ if matches!(word, "auto" | "revert") => Shows,
        Some(by) if by <= -FAR && !word.ends_with('%') => Hides,
        Some(by) => shows(by > -1.2 * SCREEN && by < 4.0 * SCREEN),
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

fn clip(value: &str) -> Effect {
    let inside = value.strip_prefix("rect(").and_then(|rest| rest.strip_suffix(')'));
    let sides = inside.unwrap_or("").split([',', ' ']).filter(|side| !side.is_empty());
    let sides: Option<Vec<f64>> = sides.map(pixels).collect();
    match sides.as_deref() {
        Some([top, right, bottom, left]) => {
            let is_tiny = bottom - top <= TINY || right - left <= TINY;
            if is_tiny {
                Hides
            } else {
                Shows
            }
        }
        _ => one_of(value, &["auto"], &[]),
    }
}

/// Return what a path does that cuts out what is seen; only insets are evaluated.
fn clip_path(value: &str) -> Effect {
    let inside = value.strip_prefix("inset(").and_then(|rest| rest.strip_suffix(')'));
    let Some(inside) = inside else {
        return one_of(value, &["none"], &[]);
    };
    let sides: Option<Vec<f64>> = inside.split(' ').map(pixels).collect();
    let half = 0.5 * SCREEN;
    match sides.as_deref() {
        Some([all]) if *all >= half && inside.ends_with('%') => Hides,
        Some(sides) => shows(sides.iter().all(|side| *side < 0.3 * SCREEN)),
        None => Unknown,
    }
}

fn transform(value: &str) -> Effect {
    let is_ordinary = |(name, inside): &(&str, &str)| {
        let mut parts = inside.split(',').map(|part| part.trim_matches(' '));
        match *name {
            "scale" | "scalex" | "scaley" | "scalez" | "scale3d" => {
                parts.all(|part| share(part).is_some_and(|share| share.abs() >= 0.1))
            }
            "translate" | "translatex" | "translatey" | "translatez" | "translate3d" => {
                parts.all(|part| pixels(part).is_some_and(|by| by.abs() <= 1.5 * SCREEN))
            }
            "rotate" | "rotatez" | "perspective" => true,
            _ => false,
        }
    };
    let all = || functions(value).is_some_and(|all| all.iter().all(is_ordinary));
    shows(value == "none" || value.ends_with("(none)") || all())
}

fn font_size(value: &str) -> Effect {
    const WORDS: [&str; 7] = ["small", "medium", "large", "smaller", "larger", "revert", "math"];
    let size = match value.strip_suffix('%').and_then(number) {
        Some(percent) => Some(percent * 0.16),
        None => pixels(value),
    };
    let is_word = || WORDS.contains(&value.trim_start_matches(['x', '-']));
    size.map_or_else(|| shows(is_word()), |size| scale(size, TINY, SMALL))
}

fn font(value: &str) -> Effect {
    let size = value.split('/').next().unwrap_or("");
    let known = |word: &&str| pixels(word).is_some() && !word.ends_with("00");
    match size.split(' ').filter(known).last() {
        _ if value.contains('(') => Unknown,
        Some(size) => font_size(size),
        None => Shows,
    }
}
