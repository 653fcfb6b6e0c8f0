//! Data files: sections, `[name]`, of words; a line that begins with `#` is a comment.

use crate::hash::Map;

/// The sections of a file.
pub struct File(Vec<(&'static str, &'static str)>);

impl File {
    pub fn new(text: &'static str) -> Self {
        let sections = text.split("\n[").skip(1);
        File(sections.filter_map(|one| one.split_once("]\n")).collect())
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|section| section.0)
    }

    /// Go through the words of a section, which must be there.
    pub fn words(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let found = self.0.iter().find(|section| section.0 == name);
        let lines = found.expect("a section of the file").1.lines();
        let lines = lines.filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_ascii_whitespace)
    }

    /// Return the words of some sections, with a bit for each section that has them.
    pub fn bits(&self, names: &[&str]) -> Map<&'static str, u8> {
        let mut bits = Map::default();
        for (bit, name) in names.iter().enumerate() {
            for word in self.words(name) {
                *bits.entry(word).or_default() |= 1 << bit;
            }
        }
        bits
    }
}

/// Return the hexadecimal numbers of a list.
pub fn numbers(list: &str) -> impl Iterator<Item = u32> + '_ {
    list.split(',').map(|number| u32::from_str_radix(number, 16).expect("a hexadecimal number"))
}

/// Return the first and the last of a range, and the list of what it becomes.
pub fn range(word: &str) -> (u32, u32, &str) {
    let (range, list) = word.split_once('=').unwrap_or((word, ""));
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let number = |text| numbers(text).next().unwrap_or_default();
    (number(first), number(last), list)
}
