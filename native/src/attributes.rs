//! Attributes of elements; those that have a meaning here are known by a key.

use std::borrow::Cow;

use crate::references::decode_value;
use crate::scan;

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
    Bgcolor "bgcolor", Checked "checked", Class "class", Color "color", Content "content",
    Hidden "hidden", Href "href", HttpEquiv "http-equiv", Id "id", Lang "lang", Media "media",
    Open "open", Popover "popover", Property "property", Rel "rel", Role "role", Style "style",
    Text "text", Type "type", XmlLang "xml:lang",
}

impl Key {
    /// Return a bit of its own, for sets of keys.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// An attribute whose value is decoded only when somebody asks for it.
#[derive(Clone)]
pub struct Attribute<'h> {
    /// In lower case; empty if it was taken off its element.
    pub name: Cow<'h, str>,
    pub key: Key,
    raw: &'h str,
}

impl<'h> Attribute<'h> {
    pub fn new(name: Cow<'h, str>, key: Key, raw: &'h str) -> Self {
        Attribute { name, key, raw }
    }

    pub fn value(&self) -> Cow<'h, str> {
        decode_value(self.raw)
    }

    /// Return the value if it stands in the page as it is, so that there is nothing to decode.
    pub fn literal(&self) -> Option<&'h str> {
        let bytes = self.raw.as_bytes();
        let is_literal = !scan::contains(bytes, b'&') && !scan::contains(bytes, 0);
        is_literal.then_some(self.raw)
    }
}
