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

/// Split a title at what usually divides the name of a page from that of its site.
///
/// Spaces stand around a divider, or behind a colon: core::arch::x86 and git-diff(1) are one word.
pub fn title_parts(title: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < title.len() {
        let length = divider(&title[at..]);
        if length > 0 {
            parts.push(&title[begin..at]);
            begin = at + length;
            at = begin;
        } else {
            at += title[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.push(&title[begin..]);
    parts.into_iter().map(without_brackets).filter(|part| !part.is_empty()).collect()
}

/// Return the length of what divides a title at its beginning; 0 if nothing does.
fn divider(text: &str) -> usize {
    let rest = text.trim_start();
    let spaced = rest.len() < text.len();
    let Some(first) = rest.chars().next() else { return 0 };
    let behind = |length: usize| text.len() - rest[length..].trim_start().len();
    if spaced && matches!(first, '|' | '»' | '«' | '·' | '•' | '~' | '/' | '\\') {
        let length = first.len_utf8();
        if rest[length..].starts_with(char::is_whitespace) {
            return behind(length);
        }
    }
    let is_dash = |one: char| matches!(one, '-' | '\u{2010}'..='\u{2015}' | ':');
    let dashes = rest.len() - rest.trim_start_matches(is_dash).len();
    if spaced && dashes > 0 && rest[dashes..].starts_with(char::is_whitespace) {
        return behind(dashes);
    }
    match first {
        '|' | '»' | '«' | '•' => behind(first.len_utf8()),
        ':' if !spaced && rest[1..].starts_with(char::is_whitespace) => behind(1),
        '(' | '[' | '{' if spaced => text.len() - rest.len(),
        _ => 0,
    }
}

fn without_brackets(part: &str) -> &str {
    let is_bracket = |one: char| matches!(one, '(' | ')' | '[' | ']' | '{' | '}');
    let closed = part.matches(')').count() > part.matches('(').count();
    if part.starts_with(is_bracket) || closed {
        part.trim_matches(is_bracket)
    } else {
        part
    }
}

fn put(name: &mut String, word: &str) {
    if !name.is_empty() {
        name.push(' ');
    }
    name.push_str(word);
}

/// Whether a sign makes another name, or another statement, of the text around it.
pub fn is_sign(one: char, before: char, next: Option<char>) -> bool {
    let follows_word = before.is_alphanumeric();
    match one {
        '+' | '*' | '/' | '=' | '<' | '>' | '$' | '&' | '^' | '%' | '@' | '#' | '~' | '\\' => true,
        '\u{2190}'..='\u{2bff}' => true,
        '|' => follows_word || before == '|',
        '-' => {
            before.is_whitespace() && next.is_some_and(|next| next.is_numeric())
                || follows_word && matches!(next, None | Some('(' | '-' | '='))
                || before == '-' && !matches!(next, Some(next) if next.is_whitespace())
        }
        '!' => matches!(next, Some('=' | '(')),
        '[' => next == Some(']'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_titles() {
        for (title, expected) in [
            ("Tides - The Sea | Example.org", &["Tides", "The Sea", "Example.org"][..]),
            ("X in core::arch::x86", &["X in core::arch::x86"]),
            ("git-diff(1)", &["git-diff(1)"]),
            ("Chapter 1: Tea (second edition)", &["Chapter 1", "Tea", "second edition"]),
            ("a|b»c", &["a", "b", "c"]),
            ("one -- two", &["one", "two"]),
            ("say :: it", &["say", "it"]),
            ("a /b", &["a /b"]),
            (" - ", &[]),
            ("", &[]),
        ] {
            assert_eq!(title_parts(title), expected, "{title}");
        }
    }

    #[test]
    fn signs_are_part_of_names() {
        for (text, expected) in [
            ("Bindings for C++", "bindings for c + +"),
            ("Lens -5", "lens 5 -"),
            ("-5 and up-to-7", "5 and up to 7 -"),
            ("operator!=", "operator ! ="),
            ("operator|", "operator |"),
            ("operator-", "operator -"),
            ("a | b", "a b"),
            ("well-known", "well known"),
            ("Oh, no!", "oh no"),
            ("\u{2192} next", "next \u{2192}"),
            ("", ""),
        ] {
            assert_eq!(normal(text), expected);
        }
    }
}
