//! Names of pages in the form in which they are compared.

use crate::words::words;

const LONGEST: usize = 1_000;
/// Words of a name that count.
const MOST_WORDS: usize = 48;

/// Return a name as it is compared: its words, and the signs that make another name of it. C++ is
/// not C, the index of "$" not that of "/", and a lens of -5 not one of +5.
pub fn normal(text: &str) -> String {
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let found = words(text);
    let mut name = String::with_capacity(text.len());
    for word in found.split('\n').take(MOST_WORDS).filter(|word| !word.is_empty()) {
        put(&mut name, word);
    }
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(one) = characters.next() {
        let next = characters.peek().copied();
        if is_sign(one, before, next) {
            put(&mut name, one.encode_utf8(&mut [0; 4]));
        }
        before = one;
    }
    name
}

fn put(name: &mut String, word: &str) {
    if !name.is_empty() {
        name.push(' ');
    }
    name.push_str(word);
}

fn is_sign(one: char, before: char, next: Option<char>) -> bool {
    match one {
        '+' | '*' | '/' | '=' | '<' | '>' | '$' | '&' | '^' | '%' | '@' | '#' | '~' | '\\' => true,
        '\u{2190}'..='\u{2bff}' => true,
        '-' => before.is_whitespace() && next.is_some_and(|next| next.is_numeric()),
        '!' => next == Some('='),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_part_of_names() {
        for (text, expected) in [
            ("Bindings for C++", "bindings for c + +"),
            ("Lens -5", "lens 5 -"),
            ("-5 and up-to-7", "5 and up to 7 -"),
            ("operator!=", "operator ! ="),
            ("Oh, no!", "oh no"),
            ("\u{2192} next", "next \u{2192}"),
            ("", ""),
        ] {
            assert_eq!(normal(text), expected);
        }
    }
}
