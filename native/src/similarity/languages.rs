//! Words that have a class in some language: stop words, negations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::intern::Interner;
use crate::data::File;
use crate::hash::Map;

pub const ENGLISH: u8 = 0;
pub const STOP_WORD: u8 = 1;
pub const NEGATION: u8 = 2;
pub const NEGATED_VERB: u8 = 4;
pub const NEGATING_END: u8 = 8;
/// Each language has a bit.
const MOST_LANGUAGES: usize = 32;

/// Words that have a class in some language, in the order of bytes.
struct KnownWords {
    /// From 1 on.
    numbers: Map<&'static [u8], u16>,
    classes: Vec<Classes>,
    /// Of all languages.
    codes: Vec<&'static str>,
}

/// The classes of a known word.
#[derive(Clone, Copy, Default)]
struct Classes {
    /// A bit for each language of which it is a stop word.
    stop_word: u32,
    /// A bit for each language in which it negates.
    negation: u32,
    /// Its other classes in English.
    english: u8,
}

fn known_words() -> &'static KnownWords {
    static KNOWN: OnceLock<KnownWords> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let path = include_str!("../../../dedup_middleware/data/stop_words.txt");
        let file = File::new(path);
        let mut known: BTreeMap<&str, Classes> = BTreeMap::new();
        let codes: Vec<&str> = file.names().filter(|name| !name.contains(' ')).collect();
        for (language, code) in codes.iter().enumerate() {
            for word in file.words(code) {
                known.entry(word).or_default().stop_word |= 1 << language;
            }
            for word in file.words(&format!("{code} negations")) {
                let classes = known.entry(word).or_default();
                classes.stop_word |= 1 << language;
                classes.negation |= 1 << language;
            }
        }
        for (name, class) in [("negated verbs", NEGATED_VERB), ("negating ends", NEGATING_END)] {
            for word in file.words(name) {
                known.entry(word).or_default().english |= class;
            }
        }
        let numbers = known.keys().map(|word| word.as_bytes()).zip(1..).collect();
        KnownWords { numbers, classes: known.into_values().collect(), codes }
    })
}

/// Counts the stop words of each language.
#[derive(Default)]
pub struct Hits {
    all: [u32; MOST_LANGUAGES],
    distinct: [u32; MOST_LANGUAGES],
    /// How many words were counted, and how many distinct ones are not ASCII.
    words: u32,
    wide: u32,
}

impl Hits {
    /// Add a distinct word, with its number among known words, that occurs so often.
    pub fn add(&mut self, word: &[u8], known: u16, times: u32) {
        if times == 0 {
            return;
        }
        self.words += times;
        self.wide += u32::from(!word.is_ascii());
        let mut left = classes(known).stop_word;
        while left > 0 {
            let language = left.trailing_zeros() as usize;
            self.all[language] += times;
            self.distinct[language] += 1;
            left &= left - 1;
        }
    }
}

/// Words that show the language of a text.
pub const SAMPLE: usize = 2_000;
/// With fewer words, few stop words are no sign of a language without a list.
const SHORT: u32 = 40;
/// Times as many stop words as the declared language has, and so many more, show another: related
/// languages share a half to two thirds of theirs.
const CLEARLY_MORE: f64 = 1.5;
const CLEAR_LEAD: f64 = 8.0;
/// A word repeated down a table says nothing about the language.
const CLEARLY_DISTINCT: u32 = 4;
/// A declared language without a list gives way only to running text.
const FOREIGN_SHARE: f64 = 0.3;
const KNOWN_SHARE: f64 = 0.1;
const ALIASES: [(&str, &str); 5] =
    [("nb", "no"), ("nn", "no"), ("mo", "ro"), ("und", ""), ("mul", "")];

/// Return the declared language of a text, unless its stop words show another; empty if unknown.
pub fn language(declared: &str, found: &Hits) -> String {
    let code = code(declared);
    let codes = &known_words().codes;
    let hits = &found.all[..codes.len()];
    let most = hits.iter().copied().max().unwrap_or(0);
    let best = hits.iter().position(|&one| one == most).unwrap_or(0); // English before all others
    let distinct = found.distinct[best];
    let share = if found.words > 0 { f64::from(most) / f64::from(found.words) } else { 0.0 };
    if let Some(place) = codes.iter().position(|&one| one == code) {
        let own = f64::from(hits[place]);
        let clear = f64::from(most) >= (CLEARLY_MORE * own).max(own + CLEAR_LEAD);
        return if clear && distinct >= CLEARLY_DISTINCT { codes[best].into() } else { code };
    }
    if !code.is_empty() {
        let foreign = share >= FOREIGN_SHARE && distinct >= CLEARLY_DISTINCT;
        return if foreign { codes[best].into() } else { code };
    }
    if share >= KNOWN_SHARE && distinct > 1 {
        return codes[best].into();
    }
    let plain = (found.words < SHORT || best == usize::from(ENGLISH)) && found.wide == 0;
    if plain && found.words > 0 {
        codes[usize::from(ENGLISH)].into()
    } else {
        String::new()
    }
}

/// Return the language of a language tag.
fn code(declared: &str) -> String {
    let small = declared.trim().to_lowercase();
    let end = small.bytes().take_while(u8::is_ascii_lowercase).count();
    if !(2..=3).contains(&end) {
        return String::new();
    }
    let alias = ALIASES.iter().find(|alias| alias.0 == &small[..end]);
    alias.map_or(&small[..end], |alias| alias.1).into()
}

/// Return the language of a text, given as what is declared and its words, a line each.
pub fn language_of(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [declared, words] = parts else { return None };
    let declared = std::str::from_utf8(declared).ok()?;
    let mut numbers = Interner::new(SAMPLE);
    let mut counts: Vec<u32> = Vec::new();
    let words = words.split(|&byte| byte == b'\n').filter(|word| !word.is_empty());
    for word in words.take(SAMPLE) {
        let number = numbers.number(word) as usize;
        counts.resize(counts.len().max(number + 1), 0);
        counts[number] += 1;
    }
    let mut hits = Hits::default();
    let known = known_numbers(&numbers);
    for (number, times) in counts.into_iter().enumerate() {
        hits.add(numbers.get(number as u32), known[number], times);
    }
    Some(language(declared, &hits).into_bytes())
}

/// Return the number among known words of each word of a vocabulary, from 1 on; 0 if it has no class.
pub fn known_numbers(vocabulary: &Interner) -> Vec<u16> {
    (0..vocabulary.len() as u32).map(|word| number_of(vocabulary.get(word))).collect()
}

fn number_of(word: &[u8]) -> u16 {
    known_words().numbers.get(word).copied().unwrap_or(0)
}

/// Return the classes that a known word has in a language.
pub fn class(known: u16, language: u8) -> u8 {
    if known == 0 || usize::from(language) >= MOST_LANGUAGES {
        return 0;
    }
    let classes = classes(known);
    let if_set = |bits: u32, class: u8| if bits >> language & 1 == 1 { class } else { 0 };
    let english = if language == ENGLISH { classes.english } else { 0 };
    if_set(classes.stop_word, STOP_WORD) | if_set(classes.negation, NEGATION) | english
}

/// Whether a word is a stop word of any language.
pub fn is_stop_word(word: &str) -> bool {
    classes(number_of(word.as_bytes())).stop_word != 0
}

/// Whether a word is a stop word of any language, and whether it denies in one.
pub fn stops_or_denies(word: &str) -> (bool, bool) {
    let classes = classes(number_of(word.as_bytes()));
    (classes.stop_word != 0, classes.negation != 0)
}

fn classes(known: u16) -> Classes {
    let place = usize::from(known).wrapping_sub(1);
    known_words().classes.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_by_declaration_and_stop_words() {
        let german = "der hund und die katze sind im garten aber wo ist das kind";
        for (declared, text, expected) in [
            ("en-US", german, "de"),
            ("nb_NO", "fjord", "no"),
            ("", "opening hours", "en"),
            ("", "\u{f6}ppettider", ""),
            (" EN-us ", "", "en"),
            ("{{ lang }}", "", ""),
            ("cs", "neco", "cs"),
        ] {
            let words = text.replace(' ', "\n");
            let found = language_of(&[declared.as_bytes(), words.as_bytes()]).unwrap();
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{declared} {text}");
        }
    }
}
