//! Media queries: which parts of a sheet hold on a desktop screen.

use super::lengths::parsed;
use super::text::{number_end, push_words};

const SCREEN: f64 = 1280.0;
const EM: f64 = 16.0;
/// The width of the widest screen, and the height of a low window.
const WIDEST: f64 = 3840.0;
const LOW: f64 = 600.0;

/// Return true if a media query holds on a desktop screen, whatever the visitor prefers.
pub fn is_for_screens(query: &str) -> bool {
    let mut plain = String::with_capacity(query.len());
    push_words(query, &mut plain);
    plain.make_ascii_lowercase();
    plain.split(',').any(|part| holds(part.trim_matches(' ')))
}

/// Return true if a media query may hold on a screen that is no smaller than that, for a visitor
/// who prefers nothing.
pub fn may_hold(query: &str) -> bool {
    let mut plain = String::with_capacity(query.len());
    push_words(query, &mut plain);
    plain.make_ascii_lowercase();
    plain.split(',').any(|part| !part.split(" and ").any(|part| is_void(part.trim_matches(' '))))
}

/// Return true if a condition never holds there.
fn is_void(part: &str) -> bool {
    let kind = part.strip_prefix("only ").unwrap_or(part);
    let other = ["print", "speech", "handheld", "projection", "tv", "tty", "aural", "braille"];
    if other.contains(&kind) || matches!(part, "not all" | "not screen") {
        return true;
    }
    let Some(inside) = part.strip_prefix('(').and_then(|part| part.strip_suffix(')')) else {
        return false;
    };
    let Some((name, value)) = inside.split_once([':', '<', '>']) else {
        return false;
    };
    let (name, value) = (name.trim_matches(' '), value.trim_matches([' ', '=']));
    let size = || least_width(&format!("(min-width:{value})"));
    match name {
        "max-width" | "max-device-width" => size().is_some_and(|width| width < SCREEN),
        "width" | "device-width" if inside.contains('<') => {
            size().is_some_and(|width| width <= SCREEN)
        }
        "min-width" | "min-device-width" => size().is_some_and(|width| width > WIDEST),
        "max-height" | "max-device-height" => size().is_some_and(|height| height < LOW),
        "min-height" => size().is_some_and(|height| height > SCREEN),
        "orientation" => value == "portrait",
        "prefers-color-scheme" => value == "dark",
        "prefers-reduced-motion" | "prefers-reduced-transparency" => value == "reduce",
        "prefers-contrast" => value != "no-preference",
        "forced-colors" | "inverted-colors" => value != "none",
        "hover" | "any-hover" => value == "none",
        "pointer" | "any-pointer" => value != "fine",
        "scripting" | "update" => value == "none",
        "-ms-high-contrast" => true,
        _ => false,
    }
}

fn holds(query: &str) -> bool {
    query.is_empty() || query.split(" and ").all(|part| holds_part(part.trim_matches(' ')))
}

fn holds_part(part: &str) -> bool {
    matches!(part, "all" | "screen" | "only all" | "only screen")
        || least_width(part).is_some_and(|width| width <= SCREEN)
}

/// Return the width in pixels that a screen must have.
fn least_width(part: &str) -> Option<f64> {
    let rest = after_space(part.strip_prefix('(')?);
    let rest = if let Some(rest) = rest.strip_prefix("min-width") {
        after_space(rest).strip_prefix(':')?
    } else {
        let rest = after_space(rest.strip_prefix("width")?).strip_prefix('>')?;
        rest.strip_prefix('=').unwrap_or(rest)
    };
    let rest = after_space(rest);
    let end = number_end(rest.as_bytes(), 0)?;
    let unit = rest[end..].strip_suffix(')')?;
    let number = parsed(&rest[..end]);
    match unit.strip_suffix(' ').unwrap_or(unit) {
        "" | "px" => Some(number),
        "em" | "rem" => Some(number * EM),
        _ => None,
    }
}

fn after_space(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_is_more() {
        for query in ["(max-width:9999px)", "(min-width:1400px)", "not print", "(hover:hover)", "x"]
        {
            assert!(may_hold(query) && !is_for_screens(query), "{query}");
        }
        for query in ["print", "screen and (max-width: 40em)", "(width < 600px)", "(hover: none)"] {
            assert!(!may_hold(query), "{query}");
        }
    }

    #[test]
    fn wide_screens_are_meant() {
        assert!(is_for_screens("print, ONLY screen  and (min-width: 40em)"));
        assert!(is_for_screens("( width >= 48rem )") && is_for_screens(""));
        assert!(!is_for_screens("(max-width: 600px)") && !is_for_screens("(min-width:2000px)"));
    }
}
