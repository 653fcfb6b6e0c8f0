//! What sentences and names need to know of a character, as Unicode 13 and Python have it.

use crate::characters::{characters, is_within};
use crate::classes::{classes, MARK, SPACELESS, UNASSIGNED, UNSETTLED, WORD};

/// Return true for what `\w` matches in Python: a letter or number of any script, or a low line.
#[inline]
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c == '_' || c.is_ascii_alphanumeric();
    }
    classes().flags(c) & (WORD | MARK | UNASSIGNED) == WORD && !is_joiner(c)
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Return true for what belongs to a word: marks and invisible characters, too.
pub fn is_inside_word(c: char) -> bool {
    if c.is_ascii() {
        return is_word(c);
    }
    classes().flags(c) & WORD > 0 || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// Return true for characters of scripts that have no spaces between words, and for what may become
/// one: these scripts have room for more.
pub fn is_spaceless(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let flags = classes().flags(c);
    flags & SPACELESS > 0 || flags & UNASSIGNED > 0 && is_within(&characters().spaceless, c as u32)
}

/// Return true for digits of any script.
pub fn is_decimal(c: char) -> bool {
    c.is_ascii_digit() || !c.is_ascii() && is_within(&characters().decimal, c as u32)
}

/// Return true for digits of any script in any form, raised and circled ones, too.
pub fn is_digit(c: char) -> bool {
    is_decimal(c) || is_within(&characters().digit, c as u32)
}

pub fn is_letter(c: char) -> bool {
    is_word(c) && c != '_' && !is_decimal(c)
}

pub fn is_lowercase(c: char) -> bool {
    match c {
        '\u{295}' => true, // later versions of Unicode see these three in other ways
        '\u{10fc}' | '\u{ab69}' => false,
        _ => c.is_lowercase(),
    }
}

/// Whether a capital letter begins a word that may be a name.
pub fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase()
        || matches!(c,
            'À'..='Ö' | 'Ø'..='Þ' | 'Ā' | 'Ł' | 'Ś' | 'Š' | 'Ż' | 'Ž' | 'Α'..='Ϋ' | 'А'..='Я' | 'Ё')
}

/// Return a text as `str.casefold` does.
pub fn casefolded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        let letters = if c.is_ascii() { None } else { characters().case_folds.get(c as u32) };
        match letters {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c.to_ascii_lowercase()),
        }
    }
    folded
}

/// Return true if the words of a text are what `\w` matches, each folded by itself.
pub fn has_plain_words(text: &str) -> bool {
    let classes = classes();
    let is_plain = |c: char| {
        let (flags, folded) = classes.folded(c);
        let settled = flags & (UNSETTLED | SPACELESS | MARK) == 0 && !is_joiner(c);
        let stays = || folded == c || flags & WORD == classes.flags(folded) & WORD;
        c.is_ascii() || settled && stays() || c == 'ß'
    };
    text.is_ascii() || text.chars().all(is_plain)
}

/// Return how a text begins, up to the first character that fails the test.
pub fn start(text: &str, test: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !test(c)).unwrap_or(text.len());
    &text[..end]
}

/// Return where a text goes on after `count` characters, at most.
pub fn skip(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// Return where the last `count` characters of a text begin.
pub fn back(text: &str, count: usize) -> usize {
    if count == 0 {
        return text.len();
    }
    text.char_indices().nth_back(count - 1).map_or(0, |(at, _)| at)
}
