//! Lengths in CSS values.

use super::text::number_end;

const EM: f64 = 16.0;
/// Pixels, of the width of a screen.
const PERCENT: f64 = 12.8;
const GREATEST: f64 = 1e9;
/// Brackets in brackets that are computed.
const DEEPEST: usize = 8;

pub fn parsed(digits: &str) -> f64 {
    let number = digits.parse::<f64>().unwrap_or(0.0);
    number.clamp(-GREATEST, GREATEST)
}

/// Return a number without a unit.
pub fn number(value: &str) -> Option<f64> {
    let (number, unit) = parts(value)?;
    unit.is_empty().then_some(number)
}

/// Return a number or a percentage, of which 100 is one.
pub fn share(value: &str) -> Option<f64> {
    match parts(value)? {
        (number, "") => Some(number),
        (number, "%") => Some(number / 100.0),
        _ => None,
    }
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
            return Some(number * factor(&after[..after.len() - behind.len()])?);
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

/// Return a number and its unit.
fn parts(value: &str) -> Option<(f64, &str)> {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let end = value.len() - digits.len() + number_end(digits.as_bytes(), 0)?;
    Some((parsed(&value[..end]), &value[end..]))
}

/// Return how many pixels a unit has.
fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "px" => 1.0,
        "em" | "rem" | "pc" => EM,
        "ex" | "ch" | "vh" | "dvh" | "svh" | "lvh" => 8.0,
        "pt" => 1.33,
        "cm" => 38.0,
        "mm" => 3.8,
        "in" => 96.0,
        "vw" | "dvw" | "svw" | "lvw" | "%" => PERCENT,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_known() {
        assert_eq!(share("5%"), Some(0.05));
        assert_eq!(pixels("calc(1px - 1px)"), Some(0.0));
        assert_eq!(pixels("calc( (100vw - 2em)/2 + -4px )"), Some(620.0));
        assert_eq!(pixels("clamp(1rem, 2vw + 1px, 2rem)"), Some(26.6));
        for unknown in ["calc(1px -1px)", "sin(1)", "5x", "calc(1px", "1px 2px", "calc(1/0)", ""] {
            assert_eq!(pixels(unknown), None, "{unknown}");
        }
    }
}
