//! Colours in CSS values: how light they are, as far as that can be known.

use std::sync::OnceLock;

use super::lengths::{number, share};
use crate::data::File;
use crate::hash::Map;

pub struct Colour {
    /// From 0 to 1.
    pub light: f64,
    pub alpha: f64,
}

/// Return a colour that can be known.
pub fn colour(value: &str) -> Option<Colour> {
    static NAMES: OnceLock<Map<&str, &str>> = OnceLock::new();
    let file = include_str!("../../data/css.txt");
    let pairs = || File::new(file).words("colours").filter_map(|one| one.split_once('='));
    if value == "transparent" {
        return Some(Colour { light: 0.0, alpha: 0.0 });
    }
    if let Some((name, inside)) = value.strip_suffix(')').and_then(|value| value.split_once('(')) {
        return of_parts(name, inside);
    }
    let named = || NAMES.get_or_init(|| pairs().collect()).get(value).copied();
    of_digits(value.strip_prefix('#').or_else(named)?)
}

fn of_digits(digits: &str) -> Option<Colour> {
    let values: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(16)).collect();
    let values = values?;
    let levels: Vec<f64> = match values.len() {
        3 | 4 => values.iter().map(|value| f64::from(*value) / 15.0).collect(),
        6 | 8 => values.chunks(2).map(|pair| f64::from(16 * pair[0] + pair[1]) / 255.0).collect(),
        _ => return None,
    };
    Some(mixed(&levels))
}

fn of_parts(name: &str, inside: &str) -> Option<Colour> {
    let parts: Vec<&str> = inside.split([' ', ',', '/']).filter(|part| !part.is_empty()).collect();
    let alpha = parts.get(3).map_or(Some(1.0), |part| share(part))?;
    let light = match (name, &parts[..]) {
        ("rgb" | "rgba", [red, green, blue, ..]) => {
            let level = |part: &&str| number(part).map(|level| level / 255.0).or(share(part));
            mixed(&[level(red)?, level(green)?, level(blue)?]).light
        }
        ("hsl" | "hsla", [_, _, light, ..]) | ("oklch" | "oklab" | "lab" | "lch", [light, ..]) => {
            let light = share(light)?;
            if light > 1.0 {
                light / 100.0
            } else {
                light
            }
        }
        _ => return None,
    };
    Some(Colour { light, alpha })
}

fn mixed(levels: &[f64]) -> Colour {
    let [red, green, blue] = [levels[0], levels[1], levels[2]].map(|level| level.powi(2));
    let light = (0.3 * red + 0.59 * green + 0.11 * blue).sqrt();
    Colour { light, alpha: levels.get(3).copied().unwrap_or(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known() {
        let of = |value| colour(value).map(|one| ((100.0 * one.light).round(), one.alpha));
        for light in ["#fff", "white", "rgb(255 100% 255 / 1)", "hsl(0, 0%, 100%)", "oklch(1 0 0)"]
        {
            assert_eq!(of(light), Some((100.0, 1.0)), "{light}");
        }
        assert_eq!(of("rgba(0,0,0,.5)"), Some((0.0, 0.5)));
        assert_eq!(of("#f000"), Some((55.0, 0.0)));
        assert_eq!(of("color-mix(in srgb,white,white)"), None);
    }
}
