//! Attributes of elements; those that have a meaning here are known by a key.

use std::borrow::Cow;

use crate::hash::Set;
use crate::references::decode_value;
use crate::scan;
use crate::tags::{A, AREA, LINK, STYLE};

macro_rules! keys {
    ($($name:ident $text:literal),* $(,)?) => {
        /// A name of an attribute that is asked for.
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Key { $($name,)* Other }

        impl Key {
            pub fn of(name: &str) -> Self {
                match name {
                    $($text => Key::$name,)*
                    _ => Key::Other,
                }
            }
        }
    };
}

keys! {
    AriaHidden "aria-hidden", AriaLevel "aria-level", Background "background",
    Bgcolor "bgcolor", Checked "checked", Class "class", Color "color", Colspan "colspan",
    Content "content", Hidden "hidden", Href "href", HttpEquiv "http-equiv", Id "id", Lang "lang",
    Media "media", Open "open", Popover "popover", Property "property", Rel "rel", Role "role",
    Rowspan "rowspan", Style "style", Text "text", Type "type", XmlLang "xml:lang",
}

impl Key {
    /// Return a bit of its own, for sets of keys.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// An attribute that is asked for.
#[derive(Clone, Copy)]
pub struct Attribute<'h> {
    pub key: Key,
    raw: &'h str,
}

impl<'h> Attribute<'h> {
    /// Return the value as it is written.
    pub fn raw(&self) -> &'h str {
        self.raw
    }

    /// Return the value, which is decoded only now.
    pub fn value(&self) -> Cow<'h, str> {
        decode_value(self.raw)
    }
}

/// An attribute as it stands in a tag.
pub struct Written<'h> {
    name: &'h str,
    raw: &'h str,
    /// The name has letters that it does not keep.
    is_changed: bool,
}

impl<'h> Written<'h> {
    /// Read the attribute that begins at a position; return where it ends, too.
    #[inline]
    pub fn new(html: &'h str, begin: usize) -> (Self, usize) {
        let bytes = html.as_bytes();
        // whatever it begins with is part of the name
        let first = CLASSES[usize::from(bytes[begin])];
        let (mut at, classes) = name_end(bytes, begin + 1, NAME_END | EQUALS);
        let name = &html[begin..at];
        let mut raw = "";
        let equals = span(bytes, at, SPACE);
        if bytes.get(equals) == Some(&b'=') {
            at = span(bytes, equals + 1, SPACE);
            match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let end = scan::find(bytes, *quote, at + 1).unwrap_or(bytes.len());
                    raw = &html[at + 1..end];
                    at = bytes.len().min(end + 1);
                }
                _ => {
                    let (end, _) = name_end(bytes, at, SPACE | GREATER);
                    raw = &html[at..end];
                    at = end;
                }
            }
        }
        let is_changed = (first | classes) & CHANGED != 0;
        let written = Written { name, raw, is_changed };
        (written, at)
    }

    /// Return it if it is asked for.
    #[inline]
    pub fn known(&self) -> Option<Attribute<'h>> {
        let key = match self.is_changed {
            false => Key::of(self.name),
            true => Key::of(&self.lower()),
        };
        let raw = self.raw;
        (key != Key::Other).then_some(Attribute { key, raw })
    }

    /// Return true for an attribute of this name.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn lower(&self) -> Cow<'h, str> {
        lower(self.name, self.is_changed)
    }

    /// Return what its value is, if it has no say in how an element looks by itself.
    #[inline]
    pub fn mute(&self, element: u16) -> Option<Mute> {
        match self.is_changed {
            false => mute(self.name, element),
            true => mute(&self.lower(), element),
        }
    }

    /// Return the value as it is written.
    pub fn raw(&self) -> &'h str {
        self.raw
    }
}

/// What has no say in how an element looks, unless styles select by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mute {
    /// The address of something, or what changes with it.
    Address,
    /// A hint, or the name of a place in the page.
    Name,
    Id,
    /// The text of a comment, script or title, which nothing selects.
    Text,
}

/// Return what an attribute of an element is that has no say in how it looks. In drawings an address
/// may say where a text is, and the title of a style sheet may switch it off.
#[inline]
pub fn mute(name: &str, element: u16) -> Option<Mute> {
    match name {
        "href" => matches!(element, A | AREA | LINK).then_some(Mute::Address),
        "src" | "srcset" | "action" | "cite" | "nonce" | "integrity" | "poster" => {
            Some(Mute::Address)
        }
        "title" => (!matches!(element, LINK | STYLE)).then_some(Mute::Name),
        "name" => (element == A).then_some(Mute::Name),
        "id" => Some(Mute::Id),
        _ => None,
    }
}

/// Any attribute of an element.
pub struct Named<'h> {
    /// In lower case.
    pub name: Cow<'h, str>,
    pub key: Key,
    raw: &'h str,
}

impl<'h> Named<'h> {
    pub fn value(&self) -> Cow<'h, str> {
        decode_value(self.raw)
    }

    /// Return the value as it is written.
    pub fn raw(&self) -> &'h str {
        self.raw
    }

    /// Return the value if it stands in the page as it is, so that there is nothing to decode.
    pub fn literal(&self) -> Option<&'h str> {
        let bytes = self.raw.as_bytes();
        let is_literal = !scan::contains(bytes, b'&') && !scan::contains(bytes, 0);
        is_literal.then_some(self.raw)
    }
}

/// Return all attributes of a tag whose name ends at a position, the first of each name.
pub fn all(html: &str, mut at: usize) -> Vec<Named<'_>> {
    let bytes = html.as_bytes();
    let mut found: Vec<Named> = Vec::new();
    let mut seen: Set<Cow<str>> = Set::default();
    loop {
        at = span(bytes, at, SPACE | SLASH);
        if matches!(bytes.get(at), None | Some(b'>')) {
            return found;
        }
        let (written, end) = Written::new(html, at);
        at = end;
        let name = written.lower();
        let is_new = if found.len() < FEW {
            found.iter().all(|other| other.name != name)
        } else {
            if seen.is_empty() {
                seen.extend(found.iter().map(|other| other.name.clone()));
            }
            seen.insert(name.clone())
        };
        if is_new {
            let (key, raw) = (Key::of(&name), written.raw);
            found.push(Named { name, key, raw });
        }
    }
}

pub const SPACE: u8 = 1;
pub const SLASH: u8 = 2;
const GREATER: u8 = 4;
const EQUALS: u8 = 8;
/// Upper-case letters and NUL, which names do not keep.
pub const CHANGED: u8 = 16;
/// What ends the name of a tag.
pub const NAME_END: u8 = SPACE | SLASH | GREATER;
pub static CLASSES: [u8; 256] = classes();
/// With more attributes than these, a set finds those that are repeated.
const FEW: usize = 16;

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    classes[b'\t' as usize] = SPACE;
    classes[b'\n' as usize] = SPACE;
    classes[0x0C] = SPACE;
    classes[b' ' as usize] = SPACE;
    classes[b'/' as usize] = SLASH;
    classes[b'>' as usize] = GREATER;
    classes[b'=' as usize] = EQUALS;
    classes[0] = CHANGED;
    let mut letter = b'A';
    while letter <= b'Z' {
        classes[letter as usize] = CHANGED;
        letter += 1;
    }
    classes
}

/// Return where bytes of these classes end.
#[inline]
pub fn span(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while at < bytes.len() && CLASSES[usize::from(bytes[at])] & classes != 0 {
        at += 1;
    }
    at
}

/// Return where a byte of these classes stands, or all ends, and the classes of those before it.
#[inline]
pub fn name_end(bytes: &[u8], mut at: usize, stop: u8) -> (usize, u8) {
    let mut found = 0;
    while at < bytes.len() {
        let class = CLASSES[usize::from(bytes[at])];
        if class & stop != 0 {
            break;
        }
        found |= class;
        at += 1;
    }
    (at, found)
}

/// Return a name in lower case, and without NUL.
pub fn lower(name: &str, is_changed: bool) -> Cow<'_, str> {
    if !is_changed {
        return Cow::Borrowed(name);
    }
    let mut lower = name.replace('\0', "\u{fffd}");
    lower.make_ascii_lowercase();
    Cow::Owned(lower)
}
