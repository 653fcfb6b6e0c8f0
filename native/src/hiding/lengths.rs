//! Numbers and lengths in CSS values.

use super::text::number_end;

pub const EM: f64 = 16.0;
/// Pixels, of the width of a screen.
pub const PERCENT: f64 = 12.8;
const GREATEST: f64 = 1e9;
/// Brackets in brackets that are computed.
const DEEPEST: usize = 8;

/// A number with its unit.
pub struct Length<'v> {
    pub number: f64,
    pub unit: &'v str,
    factor: f64,
}

impl Length<'_> {
    pub fn pixels(&self) -> f64 {
        self.number * self.factor
    }
}

fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "px" => 1.0,
        "em" | "rem" => EM,
        "ex" | "ch" | "vh" => 8.0,
        "pt" => 1.33,
        "pc" => 16.0,
        "cm" => 38.0,
        "mm" => 3.8,
        "in" => 96.0,
        "vw" | "vi" => 12.8,
        "%" => PERCENT,
        _ => return None,
    })
}

/// Go through the lengths in a value; a number without unit is one.
pub fn lengths(value: &str) -> impl Iterator<Item = Length<'_>> {
    let bytes = value.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let begin = at;
            let digits = begin + usize::from(matches!(bytes[at], b'+' | b'-'));
            let Some(end) = number_end(bytes, digits) else {
                at += 1;
                continue;
            };
            at = end;
            if bytes.get(at) == Some(&b'%') {
                at += 1;
            } else {
                while bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
                    at += 1;
                }
            }
            let unit = &value[end..at];
            if let Some(factor) = factor(unit) {
                let number = parsed(&value[begin..end]);
                return Some(Length { number, unit, factor });
            }
        }
        None
    })
}

/// Return a value that is a number or percentage without sign.
pub fn number(value: &str) -> Option<Length<'_>> {
    let end = number_end(value.as_bytes(), 0)?;
    let unit = &value[end..];
    matches!(unit, "" | "%").then(|| Length { number: parsed(&value[..end]), unit, factor: 1.0 })
}

/// Return a number or percentage, of which 100 is one.
pub fn share(value: &str) -> Option<f64> {
    let found = number(value)?;
    Some(match found.unit {
        "" => found.number,
        _ => found.number * 0.01,
    })
}

/// Return the least length in pixels.
pub fn least(value: &str, percent: f64, default: f64) -> f64 {
    in_pixels(value, percent).reduce(f64::min).unwrap_or(default)
}

/// Return the greatest length in pixels.
pub fn most(value: &str, percent: f64) -> f64 {
    in_pixels(value, percent).reduce(f64::max).unwrap_or(0.0)
}

pub fn parsed(digits: &str) -> f64 {
    let number = digits.parse::<f64>().unwrap_or(0.0);
    number.clamp(-GREATEST, GREATEST)
}

/// Return a single length in pixels on a desktop screen, be it computed; None if it is not known.
pub fn pixels(value: &str) -> Option<f64> {
    let mut sum = Sum { rest: value.trim_matches(' ') };
    let found = sum.all(DEEPEST)?;
    (sum.rest.is_empty() && found.is_finite()).then_some(found)
}

/// Reads what is computed, as far as it is known how.
struct Sum<'v> {
    rest: &'v str,
}

impl Sum<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.skip();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn all(&mut self, deep: usize) -> Option<f64> {
        let mut found = self.product(deep)?;
        loop {
            if self.takes("+ ") {
                found += self.product(deep)?;
            } else if self.takes("- ") {
                found -= self.product(deep)?;
            } else {
                return Some(found);
            }
        }
    }

    fn product(&mut self, deep: usize) -> Option<f64> {
        let mut found = self.one(deep)?;
        loop {
            if self.takes("*") {
                found *= self.one(deep)?;
            } else if self.takes("/") {
                found /= self.one(deep)?;
            } else {
                return Some(found);
            }
        }
    }

    fn one(&mut self, deep: usize) -> Option<f64> {
        self.skip();
        let signed = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
        let sign = self.rest.len() - signed.len();
        if let Some(end) = number_end(signed.as_bytes(), 0) {
            let number = parsed(&self.rest[..sign + end]);
            let after = &signed[end..];
            let is_unit = |one: char| one.is_ascii_lowercase() || one == '%';
            let behind = after.trim_start_matches(is_unit);
            self.rest = behind;
            return Some(number * any_factor(&after[..after.len() - behind.len()])?);
        }
        let name = ["calc(", "min(", "max(", "clamp(", "("];
        let name = name.into_iter().find(|name| self.takes(name))?;
        let deep = deep.checked_sub(1)?;
        let mut found = vec![self.all(deep)?];
        while self.takes(",") {
            found.push(self.all(deep)?);
        }
        if !self.takes(")") {
            return None;
        }
        match (name, found[..].as_ref()) {
            ("min(", all) => all.iter().copied().reduce(f64::min),
            ("max(", all) => all.iter().copied().reduce(f64::max),
            ("clamp(", [least, value, most]) => Some(value.min(*most).max(*least)),
            ("calc(" | "(", [value]) => Some(*value),
            _ => None,
        }
    }
}

/// Return how many pixels a unit has, rare ones included.
fn any_factor(unit: &str) -> Option<f64> {
    factor(unit).or(match unit {
        "dvw" | "svw" | "lvw" | "dvi" | "svi" | "lvi" | "vmax" => Some(PERCENT),
        "dvh" | "svh" | "lvh" | "vb" | "vmin" | "dvb" | "svb" | "lvb" => Some(8.0),
        "lh" | "rlh" | "ic" | "ric" => Some(EM),
        "cap" | "rcap" | "rex" | "rch" => Some(8.0),
        "q" => Some(0.95),
        _ => None,
    })
}

fn in_pixels(value: &str, percent: f64) -> impl Iterator<Item = f64> + '_ {
    lengths(value).map(move |one| match one.unit {
        "%" => one.number * percent,
        _ => one.pixels(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_computed() {
        assert_eq!(pixels("calc(1px - 1px)"), Some(0.0));
        assert_eq!(pixels("calc( (100vw - 2em)/2 + -4px )"), Some(620.0));
        assert_eq!(pixels("clamp(1rem, 2vw + 1px, 2rem)"), Some(26.6));
        for unknown in ["calc(1px -1px)", "sin(1)", "5x", "calc(1px", "1px 2px", "calc(1/0)", ""] {
            assert_eq!(pixels(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn lengths_are_found() {
        let pixels = |value| lengths(value).map(|one| one.pixels()).collect::<Vec<_>>();
        assert_eq!(pixels("calc(-1em + 2 * 3px) 90deg"), [-16.0, 2.0, 3.0]);
        assert_eq!(pixels("+-5 5..5px 1e5px"), [-5.0, 5.0, 0.5, 5.0]);
    }
}
