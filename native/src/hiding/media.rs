//! Media queries: which parts of a sheet hold on a desktop screen.

use super::lengths::parsed;
use super::text::{number_end, push_words};

const SCREEN: f64 = 1280.0;
const EM: f64 = 16.0;

/// Return true if a media query holds on a desktop screen, whatever the visitor prefers.
pub fn is_for_screens(query: &str) -> bool {
    let mut plain = String::with_capacity(query.len());
    push_words(query, &mut plain);
    plain.make_ascii_lowercase();
    plain.split(',').any(|part| holds(part.trim_matches(' ')))
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
    fn wide_screens_are_meant() {
        assert!(is_for_screens("print, ONLY screen  and (min-width: 40em)"));
        assert!(is_for_screens("( width >= 48rem )") && is_for_screens(""));
        assert!(!is_for_screens("(max-width: 600px)") && !is_for_screens("(min-width:2000px)"));
    }
}
