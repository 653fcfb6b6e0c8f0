//! White space, as Python's `str.split` sees it, and characters counted as in Python.

/// Return true if a character is white space.
pub fn is_space(one: char) -> bool {
    matches!(one, '\t'..='\r' | '\x1c'..=' ' | '\u{85}' | '\u{a0}' | '\u{1680}'
        | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Go through the parts of a text between white space.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|part| !part.is_empty())
}

/// Return no more than so many characters of a text.
pub fn first_characters(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().nth(most);
    end.map_or(text, |(place, _)| &text[..place])
}

/// Return how many characters a text has.
pub fn characters(text: &str) -> usize {
    // bytes that continue a character don't count
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}

/// Return a text with single spaces.
pub fn folded(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for part in split(text) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}
