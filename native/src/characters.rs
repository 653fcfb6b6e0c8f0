//! Characters as Unicode 13 has them, and what scripts need: `data/characters.txt`, `scripts.txt`.

use std::sync::OnceLock;

use crate::data::{numbers, range, File};

/// The first and the last of each range.
pub type Ranges = Vec<(u32, u32)>;

/// What the files say; all is sorted.
pub struct Characters {
    /// Not assigned: these count as U+FFFD.
    pub unassigned: Ranges,
    pub word: Ranges,
    pub mark: Ranges,
    /// Digits of any script.
    pub decimal: Ranges,
    /// Other forms of digits: raised, circled.
    pub digit: Ranges,
    /// Of scripts that have no spaces between words.
    pub spaceless: Ranges,
    pub space: Ranges,
    pub invisible: Ranges,
    /// Of Hebrew and Arabic.
    pub points: Ranges,
    /// Combining classes that are not 0.
    pub classes: Vec<(u32, u32, u8)>,
    /// Canonical decompositions in one step.
    pub decompositions: Mapping,
    /// Never composed.
    pub excluded: Ranges,
    pub case_folds: Mapping,
    /// Variants of Arabic letters and digits.
    pub letters: Mapping,
    /// Wide and narrow forms; forms of Arabic letters.
    pub forms: Mapping,
}

pub fn characters() -> &'static Characters {
    static CHARACTERS: OnceLock<Characters> = OnceLock::new();
    CHARACTERS.get_or_init(|| {
        let unicode = include_str!("../../dedup_middleware/data/characters.txt");
        let scripts = include_str!("../../dedup_middleware/data/scripts.txt");
        let (unicode, scripts) = (File::new(unicode), File::new(scripts));
        let classes = unicode.words("classes").map(range);
        let class = |list| numbers(list).next().unwrap_or_default() as u8;
        Characters {
            unassigned: ranges(&unicode, "unassigned"),
            word: ranges(&unicode, "word"),
            mark: ranges(&unicode, "mark"),
            decimal: ranges(&unicode, "decimal"),
            digit: ranges(&unicode, "digit"),
            spaceless: ranges(&scripts, "spaceless"),
            space: ranges(&scripts, "space"),
            invisible: ranges(&scripts, "invisible"),
            points: ranges(&scripts, "points"),
            classes: classes.map(|(first, last, list)| (first, last, class(list))).collect(),
            decompositions: Mapping::new(&unicode, "decompositions"),
            excluded: ranges(&unicode, "excluded"),
            case_folds: Mapping::new(&unicode, "case folds"),
            letters: Mapping::new(&scripts, "letters"),
            forms: Mapping::new(&unicode, "forms"),
        }
    })
}

fn ranges(file: &File, section: &str) -> Ranges {
    let ranges = file.words(section).map(range);
    ranges.map(|(first, last, _)| (first, last)).collect()
}

/// Return true if a character is in one of some ranges.
pub fn is_within(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= ranges[after - 1].1
}

/// What characters become.
pub struct Mapping {
    /// Each with the place where what it becomes begins in the text.
    from: Vec<(u32, u32)>,
    text: String,
}

impl Mapping {
    fn new(file: &File, section: &str) -> Self {
        let (mut from, mut text) = (Vec::new(), String::new());
        for (first, last, list) in file.words(section).map(range) {
            for code in first..=last {
                from.push((code, text.len() as u32));
                // in a range, the first part counts on
                let parts = numbers(list).enumerate();
                let parts =
                    parts.map(|(place, one)| if place == 0 { one + code - first } else { one });
                text.extend(parts.filter_map(char::from_u32));
            }
        }
        Mapping { from, text }
    }

    /// Go through the characters that become others.
    pub fn codes(&self) -> impl Iterator<Item = u32> + '_ {
        self.from.iter().map(|one| one.0)
    }

    pub fn get(&self, code: u32) -> Option<&str> {
        let place = self.from.binary_search_by_key(&code, |one| one.0).ok()?;
        let end = self.from.get(place + 1).map_or(self.text.len(), |next| next.1 as usize);
        Some(&self.text[self.from[place].1 as usize..end])
    }
}
