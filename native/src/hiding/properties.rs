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
    Display "display", Visibility "visibility", ContentVisibility "content-visibility",
    Opacity "opacity", Filter "filter", Height "height", MaxHeight "max-height", Width "width",
    MaxWidth "max-width", LineHeight "line-height", Left "left", Top "top", Right "right",
    Inset "inset", InsetInlineStart "inset-inline-start", Margin "margin",
    MarginLeft "margin-left", MarginTop "margin-top", Clip "clip", ClipPath "clip-path",
    Mask "mask", MaskImage "mask-image", WebkitMaskImage "-webkit-mask-image",
    Transform "transform", Scale "scale", Translate "translate", TextIndent "text-indent",
    LetterSpacing "letter-spacing", FontSize "font-size", Font "font", Color "color",
    WebkitTextFillColor "-webkit-text-fill-color", Position "position", Overflow "overflow",
    OverflowX "overflow-x", OverflowY "overflow-y", Padding "padding",
    PaddingBottom "padding-bottom", PaddingTop "padding-top", MinWidth "min-width",
    MinHeight "min-height", Flex "flex", FlexGrow "flex-grow", Animation "animation",
    AnimationName "animation-name", WebkitAnimation "-webkit-animation",
    TextShadow "text-shadow", Background "background", BackgroundColor "background-color",
    BackgroundImage "background-image", BackgroundClip "background-clip",
    WebkitBackgroundClip "-webkit-background-clip",
}

impl Property {
    /// Return a bit of its own, for sets of properties.
    pub const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// Return what a later shorthand sets anew.
    pub fn parts(self) -> &'static [Property] {
        use Property::*;
        match self {
            Margin => &[MarginLeft, MarginTop],
            Inset => &[Left, Top, Right],
            Font => &[FontSize, LineHeight],
            Background => &[BackgroundColor, BackgroundImage, BackgroundClip],
            Overflow => &[OverflowX, OverflowY],
            Mask => &[MaskImage],
            _ => &[],
        }
    }
}

/// The number of no value.
pub const UNSET: u32 = u32::MAX;

/// A property with the number of its value.
pub type Declaration = (Property, u32);

/// The numbers of the values that an element has in the end.
pub struct Found {
    values: [u32; COUNT],
    /// Properties that have a value, as bits.
    set: u64,
}

impl Found {
    pub fn new() -> Self {
        Found {
            values: [UNSET; COUNT],
            set: 0,
        }
    }

    /// Give a property a value; what a shorthand stands for loses its own.
    pub fn set(&mut self, (property, value): Declaration) {
        for part in property.parts() {
            self.values[*part as usize] = UNSET;
            self.set &= !part.bit();
        }
        self.values[property as usize] = value;
        self.set |= property.bit();
    }

    pub fn get(&self, property: Property) -> u32 {
        self.values[property as usize]
    }

    pub fn has(&self, property: Property) -> bool {
        self.set & property.bit() != 0
    }

    /// Return true if one of some properties has a value.
    pub fn has_any(&self, bits: u64) -> bool {
        self.set & bits != 0
    }

    /// Go through the values that are set.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.values.iter_mut().filter(|value| **value != UNSET)
    }
}

/// The values of an element as text.
pub struct Look<'a> {
    pub found: &'a Found,
    pub values: &'a [Rc<str>],
}

impl<'a> Look<'a> {
    pub fn get(&self, property: Property) -> Option<&'a str> {
        let number = self.found.get(property);
        self.values.get(number as usize).map(|value| &**value)
    }

    /// Return a value; empty if there is none.
    pub fn text(&self, property: Property) -> &'a str {
        self.get(property).unwrap_or("")
    }

    pub fn has(&self, property: Property) -> bool {
        self.found.has(property)
    }
}
