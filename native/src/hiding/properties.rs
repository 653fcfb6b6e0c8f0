//! The properties that have a say in whether text is seen, and the values that an element has.

use std::rc::Rc;

macro_rules! properties {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Property { $($name),* }

        pub const COUNT: usize = [$($text),*].len();
        const NAMES: [&str; COUNT] = [$($text),*];

        impl Property {
            pub fn of(name: &str) -> Option<Self> {
                Some(match name {
                    $($text => Property::$name,)*
                    _ => return None,
                })
            }

            pub fn name(self) -> &'static str {
                NAMES[self as usize]
            }
        }
    };
}

properties! {
    Display "display", Visibility "visibility", Opacity "opacity", Height "height",
    MaxHeight "max-height", Width "width", MaxWidth "max-width", Left "left", Top "top",
    Right "right", Clip "clip", ClipPath "clip-path", TextIndent "text-indent",
    FontSize "font-size", Font "font", Position "position", Overflow "overflow",
    OverflowX "overflow-x", OverflowY "overflow-y", Padding "padding",
    PaddingBottom "padding-bottom", PaddingTop "padding-top", MinWidth "min-width",
    MinHeight "min-height", Flex "flex", FlexGrow "flex-grow", Animation "animation",
    AnimationName "animation-name", WebkitAnimation "-webkit-animation",
}

impl Property {
    /// Return a bit of its own, for sets of properties.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Return what a later shorthand sets anew.
    pub fn parts(self) -> &'static [Property] {
        use Property::*;
        match self {
            Font => &[FontSize],
            Overflow => &[OverflowX, OverflowY],
            _ => &[],
        }
    }
}

/// The number of no value.
pub const UNSET: u32 = u32::MAX;

/// A property with the number of its value.
pub type Declaration = (Property, u32);

/// Declarations put together: the numbers of the values that hold in the end.
pub struct Found {
    values: [u32; COUNT],
    /// Properties that have a value, as bits.
    pub set: u32,
}

impl Found {
    pub fn new() -> Self {
        Found { values: [UNSET; COUNT], set: 0 }
    }

    /// Give a property a value; what a shorthand stands for loses its own.
    pub fn set(&mut self, (property, value): Declaration) {
        for part in property.parts() {
            self.set &= !part.bit();
        }
        self.values[property as usize] = value;
        self.set |= property.bit();
    }

    /// Go through the values in the order of their properties.
    pub fn values(&self) -> impl Iterator<Item = u32> + '_ {
        let is_set = |place: &usize| self.set >> place & 1 == 1;
        (0..COUNT).filter(is_set).map(|place| self.values[place])
    }
}

/// The values that an element has in the end.
pub struct Look<'a> {
    /// Properties that have a value, as bits.
    pub set: u32,
    /// The numbers of these values, in the order of the properties.
    pub numbers: &'a [u32],
    /// All values on the page.
    pub values: &'a [Rc<str>],
}

impl<'a> Look<'a> {
    pub fn number(&self, property: Property) -> u32 {
        if !self.has(property) {
            return UNSET;
        }
        let before = self.set & (property.bit() - 1);
        self.numbers[before.count_ones() as usize]
    }

    pub fn get(&self, property: Property) -> Option<&'a str> {
        let number = self.number(property);
        self.values.get(number as usize).map(|value| &**value)
    }

    /// Return a value; empty if there is none.
    pub fn text(&self, property: Property) -> &'a str {
        self.get(property).unwrap_or("")
    }

    pub fn has(&self, property: Property) -> bool {
        self.set & property.bit() != 0
    }
}
