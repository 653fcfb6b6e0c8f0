//! Selectors of CSS: what they say, and how much they weigh.

use std::borrow::Cow;

use super::names::Names;
use super::text::{digits_end, name_end, protected, unprotected};
use crate::tags::{number as tag_number, UNKNOWN};
use crate::tree::NONE;

/// How many ids, how many classes and the like, and how many names.
pub type Weight = (u32, u32, u32);

pub type Selector = Vec<Compound>;

/// Conditions on one element.
#[derive(Default)]
pub struct Compound {
    /// How it is related to the compound before it: a space, ">", "+", "~" or 0.
    pub combinator: u8,
    pub tag: Tag,
    /// Classes and ids by their numbers, NONE for what is not on the page.
    pub names: Vec<u32>,
    /// How many of them are ids.
    ids: u32,
    /// The number of the first of them by name: which an element must have to be worth a look.
    pub key: Option<u32>,
    pub attributes: Vec<Condition>,
    pub pseudos: Vec<Pseudo>,
}

/// The name of an element that a compound asks for.
#[derive(Default)]
pub enum Tag {
    #[default]
    None,
    Any,
    Known(u16),
    Rare(String),
}

/// A condition on an attribute.
pub struct Condition {
    pub name: String,
    /// What stands before the equals sign, "=" for that alone, 0 for none.
    pub operator: u8,
    pub value: String,
    /// A letter behind it says how case counts.
    is_folded: bool,
}

/// A pseudo-class.
pub enum Pseudo {
    Not(Vec<Selector>),
    Is(Vec<Selector>),
    Where(Vec<Selector>),
    Nth { of_type: bool, step: i64, start: i64 },
    First { of_type: bool },
    Last { of_type: bool },
    Root,
    Checked,
}

/// States that an element has only while somebody does something, or of parts that are no text.
const STATES: [&str; 24] = [
    "active",
    "autofill",
    "backdrop",
    "current",
    "focus",
    "focus-visible",
    "focus-within",
    "focusring",
    "fullscreen",
    "future",
    "host",
    "host-context",
    "hover",
    "modal",
    "past",
    "picture-in-picture",
    "placeholder",
    "popover-open",
    "selection",
    "target",
    "target-within",
    "user-invalid",
    "user-valid",
    "visited",
];

impl Condition {
    fn is_rough(&self) -> bool {
        self.is_folded || self.value.bytes().any(|byte| byte.is_ascii_uppercase())
    }
}

impl Compound {
    /// Be no empty compound, though nothing is known of it.
    fn or_any(&mut self) {
        if self.is_empty() {
            self.tag = Tag::Any;
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self.tag, Tag::None)
            && self.names.is_empty()
            && self.attributes.is_empty()
            && self.pseudos.is_empty()
    }
}

/// Return the compounds of a selector; none if it is not understood, or can't select anything because
/// the page lacks a name or runs scripts.
pub fn selector_of(text: &str, names: &Names) -> Option<Selector> {
    Parser { text: &protected(text), names, own: Vec::new(), is_inside: false, is_loose: false }
        .parse()
}

/// Return a selector that selects all that one may select of which not all is understood; none if
/// that can't be anything while nobody does anything.
pub fn loose_selector_of(text: &str, names: &Names) -> Option<Selector> {
    Parser { text: &protected(text), names, own: Vec::new(), is_inside: false, is_loose: true }
        .parse()
}

/// Return true if a selector may select more than it seems to: case is not always looked at.
pub fn is_rough(selector: &Selector) -> bool {
    selector.iter().any(|one| one.attributes.iter().any(Condition::is_rough))
}

/// Reads a selector, or one that stands in a pseudo-class.
struct Parser<'t> {
    text: &'t str,
    names: &'t Names<'t>,
    /// The classes and ids of the compound that is read.
    own: Vec<Cow<'t, str>>,
    is_inside: bool,
    /// What is not understood is no condition.
    is_loose: bool,
}

impl<'t> Parser<'t> {
    fn parse(mut self) -> Option<Selector> {
        let bytes = self.text.as_bytes();
        let mut compounds = Vec::with_capacity(1); // of most
        let mut current = Compound::default();
        let mut at = 0;
        while at < bytes.len() {
            if let Some((combinator, end)) = combinator(bytes, at) {
                self.finish(&mut current, &mut compounds)?;
                current.combinator = combinator;
                at = end;
            } else if self.is_loose {
                at = self.loose(at, &mut current)?;
            } else {
                at = self.simple(at, &mut current)?;
            }
        }
        self.finish(&mut current, &mut compounds)?;
        Some(compounds)
    }

    fn finish(&mut self, current: &mut Compound, compounds: &mut Selector) -> Option<()> {
        let names = self.own.drain(..).zip(&current.names);
        let first = names.min_by(|one, other| one.0.cmp(&other.0));
        current.key = first.map(|(_, number)| *number);
        if current.is_empty() {
            return None;
        }
        compounds.push(std::mem::take(current));
        Some(())
    }

    /// Add the condition that begins at a position; return where it ends.
    fn simple(&mut self, at: usize, current: &mut Compound) -> Option<usize> {
        let text = self.text;
        let bytes = text.as_bytes();
        match bytes[at] {
            b'*' => {
                current.tag = Tag::Any;
                Some(at + 1)
            }
            b'.' | b'#' => {
                let end = nonempty(at + 1, name_end(bytes, at + 1))?;
                self.name(unprotected(&text[at..end]), current)?;
                Some(end)
            }
            b'[' => condition(text, at + 1, current),
            b':' => pseudo(text, at + 1, current, self.names),
            _ => {
                let end = nonempty(at, name_end(bytes, at))?;
                let name = unprotected(&text[at..end]).to_ascii_lowercase();
                current.tag = match tag_number(&name) {
                    UNKNOWN if name == "*" => Tag::Any, // escaped
                    UNKNOWN => Tag::Rare(name),
                    number => Tag::Known(number),
                };
                Some(end)
            }
        }
    }

    /// Add the condition that begins at a position, if it is understood; return where it ends.
    fn loose(&mut self, at: usize, current: &mut Compound) -> Option<usize> {
        let bytes = self.text.as_bytes();
        match bytes[at] {
            b'&' | b'|' => {
                current.tag = Tag::Any;
                Some(at + 1)
            }
            b'[' => {
                let end = brackets_end(bytes, at);
                let known = current.attributes.len();
                if condition(self.text, at + 1, current) != Some(end) {
                    current.attributes.truncate(known);
                    current.or_any();
                } else if let Some(one) = current.attributes.last_mut() {
                    one.operator = if one.is_rough() { 0 } else { one.operator };
                }
                Some(end)
            }
            b':' => {
                let begin = at + 1 + usize::from(bytes.get(at + 1) == Some(&b':'));
                let name = self.text[begin..name_end(bytes, begin)].to_ascii_lowercase();
                let end = match bytes.get(begin + name.len()) {
                    Some(b'(') => brackets_end(bytes, begin + name.len()),
                    _ => begin + name.len(),
                };
                let prefixes = ["-webkit-", "-moz-", "-ms-", "-o-"];
                let short = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
                let short = short.unwrap_or(&name);
                let is_part = begin > at + 1 || matches!(short, "before" | "after");
                let is_text = matches!(short, "first-line" | "first-letter");
                if is_part && !is_text || STATES.contains(&short) || short.contains("placeholder") {
                    return None;
                }
                if name == "empty" && end == bytes.len() {
                    return None; // it has no text
                }
                let known = current.pseudos.len();
                let found = pseudo(self.text, at + 1, current, self.names);
                if found != Some(end) || matches!(current.pseudos.last(), Some(Pseudo::Nth { .. }))
                {
                    current.pseudos.truncate(known); // only so many siblings are counted
                    current.or_any();
                }
                Some(end)
            }
            _ => self.simple(at, current),
        }
    }

    fn name(&mut self, name: Cow<'t, str>, current: &mut Compound) -> Option<()> {
        let number = self.names.number(&name);
        let is_without_scripts = matches!(name.as_ref(), ".no-js" | ".nojs" | ".no_js");
        let is_void = number == NONE || is_without_scripts && !self.is_loose;
        if is_void && !self.is_inside {
            return None;
        }
        if !self.own.contains(&name) {
            current.ids += u32::from(name.starts_with('#'));
            current.names.push(number);
            self.own.push(name);
        }
        Some(())
    }
}

fn combinator(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let is_space = |at: usize| bytes.get(at) == Some(&b' ');
    let sign = at + usize::from(is_space(at));
    match bytes.get(sign) {
        Some(byte @ (b'>' | b'+' | b'~')) => {
            Some((*byte, sign + 1 + usize::from(is_space(sign + 1))))
        }
        _ if sign > at => Some((b' ', sign)),
        _ => None,
    }
}

fn nonempty(begin: usize, end: usize) -> Option<usize> {
    (end > begin).then_some(end)
}

fn condition(text: &str, at: usize, current: &mut Compound) -> Option<usize> {
    let bytes = text.as_bytes();
    let skip = |at: usize| at + usize::from(bytes.get(at) == Some(&b' '));
    let begin = skip(at);
    let end = nonempty(begin, name_end(bytes, begin))?;
    let name = unprotected(&text[begin..end]).to_ascii_lowercase();
    let mut at = skip(end);
    let mut operator = 0;
    let mut value = "";
    if bytes.get(at) != Some(&b']') {
        operator = *bytes.get(at)?;
        at += match operator {
            b'=' => 1,
            b'~' | b'|' | b'^' | b'$' | b'*' if bytes.get(at + 1) == Some(&b'=') => 2,
            _ => return None,
        };
        (value, at) = condition_value(text, skip(at))?;
    }
    let before = text[..at].trim_end_matches(' ').strip_suffix(['i', 'I']);
    let is_folded = before.is_some_and(|before| before.ends_with([' ', '"', '\'']));
    current.attributes.push(Condition {
        name,
        operator,
        value: unprotected(value.trim_matches(['"', '\''])).into_owned(),
        is_folded,
    });
    Some(at + 1)
}

/// Return the value of a condition, and where the bracket stands that ends it.
fn condition_value(text: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    if let Some(quote @ (b'"' | b'\'')) = bytes.get(at) {
        let length = bytes[at + 1..].iter().position(|byte| byte == quote);
        if let Some(length) = length {
            let end = at + length + 2;
            if let Some(close) = closing(bytes, end) {
                return Some((&text[at..end], close));
            }
        }
    }
    let length = bytes.get(at..)?.iter().position(|byte| matches!(byte, b']' | b' '))?;
    let end = nonempty(at, at + length)?;
    Some((&text[at..end], closing(bytes, end)?))
}

/// Return where a bracket stands behind a value, perhaps after a letter for its case.
fn closing(bytes: &[u8], at: usize) -> Option<usize> {
    let skip = |at: usize| at + usize::from(bytes.get(at) == Some(&b' '));
    let mut at = skip(at);
    if matches!(bytes.get(at), Some(b'i' | b's' | b'I' | b'S')) {
        at += 1;
    }
    at = skip(at);
    (bytes.get(at) == Some(&b']')).then_some(at)
}

fn pseudo(text: &str, at: usize, current: &mut Compound, names: &Names) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = nonempty(at, name_end(bytes, at))?;
    let name = text[at..end].to_ascii_lowercase();
    let mut argument = "";
    if bytes.get(end) == Some(&b'(') {
        let rest = &text[end + 1..];
        if let Some(length) = rest.find(['(', ')']) {
            if rest[length..].starts_with(')') {
                argument = rest[..length].trim_matches(' ');
                end += length + 2;
            }
        }
    }
    let inner = || -> Option<Vec<Selector>> {
        argument
            .split(',')
            .map(|part| {
                let text = part.trim_matches(' ');
                Parser { text, names, own: Vec::new(), is_inside: true, is_loose: false }.parse()
            })
            .collect()
    };
    current.pseudos.push(match name.as_str() {
        "not" => Pseudo::Not(inner()?),
        "is" => Pseudo::Is(inner()?),
        "where" => Pseudo::Where(inner()?),
        "nth-child" => nth(argument, false)?,
        "nth-of-type" => nth(argument, true)?,
        "first-child" => Pseudo::First { of_type: false },
        "first-of-type" => Pseudo::First { of_type: true },
        "last-child" => Pseudo::Last { of_type: false },
        "last-of-type" => Pseudo::Last { of_type: true },
        "root" => Pseudo::Root,
        "checked" => Pseudo::Checked,
        _ => return None,
    });
    Some(end)
}

/// Return where brackets end that begin at a position, with all that are in them.
fn brackets_end(bytes: &[u8], begin: usize) -> usize {
    let (mut at, mut depth) = (begin, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'"' | b'\'' => {
                let length = bytes[at..].iter().position(|one| one == byte);
                at = length.map_or(bytes.len(), |length| at + length + 1);
            }
            _ => {}
        }
        if depth <= 0 {
            break;
        }
    }
    at
}

/// Read 2n+1, odd, even or a number.
fn nth(argument: &str, of_type: bool) -> Option<Pseudo> {
    let short = argument.replace(' ', "").to_ascii_lowercase();
    let text = match short.as_str() {
        "odd" => "2n+1",
        "even" => "2n",
        other => other,
    };
    let (step, start) = match text.split_once('n') {
        None => (0, integer(text)?),
        Some((step, start)) => {
            let step = match step {
                "" | "+" => 1,
                "-" => -1,
                other => integer(other)?,
            };
            let start = match start {
                "" => 0,
                other if other.starts_with(['+', '-']) => integer(other)?,
                _ => return None,
            };
            (step, start)
        }
    };
    Some(Pseudo::Nth { of_type, step, start })
}

/// Return a number of at most six digits.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let all = digits_end(digits.as_bytes(), 0) == digits.len();
    if !all || digits.is_empty() || digits.len() > 6 {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    Some(if text.starts_with('-') { -number } else { number })
}

/// Return how many ids, how many classes and the like, and how many names it has.
pub fn weight_of(selector: &Selector) -> Weight {
    let (mut a, mut b, mut c) = (0, 0, 0);
    for one in selector {
        a += one.ids;
        b += (one.names.len() + one.attributes.len()) as u32 - one.ids;
        c += u32::from(matches!(one.tag, Tag::Known(_) | Tag::Rare(_)));
        for pseudo in &one.pseudos {
            let most = match pseudo {
                Pseudo::Where(_) => continue,
                Pseudo::Not(inner) | Pseudo::Is(inner) => inner
                    .iter()
                    .map(weight_of)
                    .max_by(|one, other| one.cmp(other))
                    .unwrap_or((0, 0, 0)),
                _ => (0, 1, 0),
            };
            (a, b, c) = (a + most.0, b + most.1, c + most.2);
        }
    }
    (a, b, c)
}
