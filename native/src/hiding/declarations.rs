//! Declarations of CSS: what a block or a `style` attribute sets, and what variables stand for.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::OnceLock;

use super::effects::{matters, Effects};
use super::properties::{Declaration, Property};
use super::text::{is_longer, lower, name_end, plain, push_words, SPACE};
use crate::data::File;
use crate::hash::{Map, Set};
use crate::scan;
use crate::space::first_characters;

const LONGEST_VALUE: usize = 500;
/// Characters that are read of longer ones.
const SHORT: usize = 50;
/// Where a comment was: it parts words, but no compounds.
pub const HOLE: char = '\u{1}';
/// How a variable begins.
pub const VARIABLE: &str = "var(";

/// The values on a page, each with a number.
#[derive(Default)]
pub struct Values {
    pub texts: Vec<Rc<str>>,
    numbers: Map<Rc<str>, u32>,
}

impl Values {
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        let text: Rc<str> = text.into();
        self.texts.push(Rc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }
}

/// What a block declares: in two lists, the important ones in the second.
#[derive(Default)]
pub struct Declared {
    pub lists: [Vec<Declaration>; 2],
    pub variables: Vec<(String, u32)>,
    pub effects: Effects,
}

/// Return CSS with a hole for each comment; what is never closed reaches to the end.
pub fn without_comments(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut found = String::new();
    // what is before `start` is done
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        at = scan::find_any(bytes, *b"/<>", at);
        let Some(byte) = bytes.get(at) else {
            break;
        };
        let (begin, end) = match byte {
            b'/' if bytes[at..].starts_with(b"/*") => {
                let length = text[at + 2..].find("*/");
                (at, length.map_or(bytes.len(), |length| at + 4 + length))
            }
            b'<' if bytes[at..].starts_with(b"<!--") => (at, at + 4),
            b'>' if bytes[start..at].ends_with(b"--") => (at - 2, at + 1),
            _ => {
                at += 1;
                continue;
            }
        };
        found.push_str(&text[start..begin]);
        found.push(HOLE);
        (start, at) = (end, end);
    }
    if start == 0 {
        return Cow::Borrowed(text);
    }
    found.push_str(&text[start..]);
    Cow::Owned(found)
}

/// Return the declarations of a block that matter.
pub fn declarations(text: &str, values: &mut Values) -> Declared {
    let text = match text.contains(HOLE) {
        true => Cow::Owned(text.replace(HOLE, " ")),
        false => Cow::Borrowed(text),
    };
    let mut found = Declared::default();
    let mut buffer = String::new();
    for part in text.split(';') {
        let Some((name, value)) = part.split_once(':') else {
            continue;
        };
        let name = plain(name);
        let name = lower(name.trim_matches(SPACE));
        let property = Property::of(&name);
        let is_variable = name.starts_with("--");
        if !(is_variable || matters(&name)) || is_hack(value) {
            continue;
        }
        if is_longer(value, LONGEST_VALUE) {
            let begin = first_characters(value, SHORT).trim_matches(SPACE).to_ascii_lowercase();
            found.effects.add(&name, &begin, true);
            continue;
        }
        buffer.clear();
        push_words(&plain(value), &mut buffer);
        buffer.make_ascii_lowercase();
        let (value, important) = importance(&buffer);
        if property == Some(Property::Display) && !is_display(value) {
            continue;
        }
        if !is_variable {
            found.effects.add(&name, value, important);
            if property.is_none() {
                continue;
            }
        }
        let number = values.number(value);
        if let Some(property) = property {
            let list = &mut found.lists[usize::from(important)];
            list.retain(|(other, _)| *other != property);
            list.push((property, number));
        } else {
            found.variables.push((name.into_owned(), number));
        }
    }
    found
}

/// Put in what variables stand for, three deep; what stays unknown keeps its `var`. Return how many
/// there were, too.
pub fn with_variables<'v>(value: &str, meaning: impl Fn(&str) -> Option<&'v str>) -> (String, i64) {
    let mut value = value.to_owned();
    let mut count = 0;
    for _ in 0..3 {
        let mut found = String::with_capacity(value.len());
        let mut rest = value.as_str();
        while let Some(at) = rest.find(VARIABLE) {
            found.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some((length, name, other)) = variable(rest) else {
                found.push_str(VARIABLE);
                rest = &rest[4..];
                continue;
            };
            count += 1;
            match (meaning(name), other) {
                (Some(meant), _) => found.push_str(meant),
                (None, "") => found.push_str(&rest[..length]),
                (None, other) => found.push_str(other),
            }
            rest = &rest[length..];
        }
        found.push_str(rest);
        found.truncate(first_characters(&found, LONGEST_VALUE).len());
        value = found;
    }
    (value.trim_matches(' ').to_owned(), count)
}

/// Read what begins with "var(": return its length, its name, and what stands for it if unknown.
fn variable(text: &str) -> Option<(usize, &str, &str)> {
    let bytes = text.as_bytes();
    let skip = |at: usize| at + usize::from(bytes.get(at) == Some(&b' '));
    let begin = skip(4);
    let end = name_end(bytes, begin);
    let name = text[begin..end].strip_prefix("--").filter(|rest| !rest.is_empty());
    name?;
    let mut at = skip(end);
    let mut other = "";
    if bytes.get(at) == Some(&b',') {
        let length = text[at + 1..].find(['(', ')'])?;
        other = &text[at + 1..at + 1 + length];
        at += 1 + length;
    }
    (bytes.get(at) == Some(&b')')).then_some((at + 1, &text[begin..end], other))
}

/// Return true for what only old browsers understand.
fn is_hack(value: &str) -> bool {
    let bytes = value.as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b'\\' | b'(' | b':')) {
        return false;
    }
    let escaped = |at: usize| {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        matches!(bytes.get(at + 1), Some(b'0' | b'9')) && !bytes.get(at + 2).is_some_and(word)
    };
    value.match_indices('\\').any(|(at, _)| escaped(at))
        || value.contains("expression(")
        || value.contains("progid:")
}

fn importance(value: &str) -> (&str, bool) {
    let before = value.strip_suffix("important").map(|rest| rest.trim_end_matches(' '));
    match before.and_then(|before| before.strip_suffix('!')) {
        Some(short) => (short.trim_end_matches(' '), true),
        None => (value, false),
    }
}

/// Return true if a browser would not drop a value of `display`.
fn is_display(value: &str) -> bool {
    let prefixes = ["table-", "-webkit-", "-moz-", "-ms-"];
    displays().contains(value)
        || prefixes.iter().any(|begin| value.starts_with(begin))
        || value.contains(VARIABLE)
        || value.contains(' ')
}

/// Return the usual values of `display`.
pub fn displays() -> &'static Set<&'static str> {
    static DISPLAYS: OnceLock<Set<&str>> = OnceLock::new();
    let file = include_str!("../../data/css.txt");
    DISPLAYS.get_or_init(|| File::new(file).words("display").collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read() {
        let mut values = Values::default();
        let text = without_comments("display:/**/ NONE ! important; opacity: 0;--A:b;color:a\\9");
        let found = declarations(&text, &mut values);
        assert_eq!(found.lists[0], [(Property::Opacity, 1)]);
        assert_eq!(found.lists[1], [(Property::Display, 0)]);
        assert_eq!(found.variables, [("--a".to_owned(), 2)]);
        assert_eq!(values.texts.concat(), "none0b");
    }

    #[test]
    fn variables_are_put_in() {
        let meaning = |name: &str| (name == "--a").then_some("var( --b , c)");
        assert_eq!(with_variables("x var(--a) var(--d)", meaning), ("x  c var(--d)".to_owned(), 5));
    }
}
