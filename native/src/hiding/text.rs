//! Letters and white space as HTML and CSS see them: ASCII only, whatever Unicode says.

use std::borrow::Cow;

pub const SPACE: [char; 5] = [' ', '\t', '\n', '\u{c}', '\r'];
/// Escaped characters that would end a name stand in the private range while a selector is read.
const PRIVATE: u32 = 0xE000;

/// Return true for an ASCII letter, digit, hyphen or underscore, or anything beyond ASCII.
#[inline]
pub fn is_name(byte: u8) -> bool {
    static TABLE: [bool; 256] = NAMES;
    TABLE[usize::from(byte)]
}

pub const NAMES: [bool; 256] = names();

const fn names() -> [bool; 256] {
    let mut found = table(b"-_");
    let mut byte = 0;
    while byte < 256 {
        found[byte] |= byte >= 0x80 || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    found
}

/// Return where a name ends that begins at a position; that position if none does.
pub fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_name(*byte)) {
        at += 1;
    }
    at
}

/// Return where a number without sign ends that begins at a position.
pub fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let whole = digits_end(bytes, at);
    if bytes.get(whole) != Some(&b'.') {
        return (whole > at).then_some(whole);
    }
    let end = digits_end(bytes, whole + 1);
    (whole > at || end > whole + 1).then_some(end)
}

pub fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Go through what stands between white space.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(SPACE).filter(|word| !word.is_empty())
}

/// Add the words of a text, with one space between two.
pub fn push_words(text: &str, to: &mut String) {
    let bytes = text.as_bytes();
    let begin = to.len();
    let mut at = 0;
    while at < bytes.len() {
        if is_space(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        // a single space may stay as it is
        while at < bytes.len()
            && (!is_space(bytes[at])
                || (bytes[at] == b' ' && bytes.get(at + 1).is_some_and(|next| !is_space(*next))))
        {
            at += 1;
        }
        if to.len() > begin {
            to.push(' ');
        }
        to.push_str(&text[start..at]);
    }
}

static SPACES: [bool; 256] = table(b" \t\n\x0c\r");

fn is_space(byte: u8) -> bool {
    SPACES[usize::from(byte)]
}

/// Return a table that says of each byte whether it is one of some: quicker than comparisons.
pub const fn table(bytes: &[u8]) -> [bool; 256] {
    let mut found = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        found[bytes[at] as usize] = true;
        at += 1;
    }
    found
}

pub fn is_longer(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().nth(most).is_some()
}

/// Return a text with small letters, but for those beyond ASCII.
pub fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

/// Return CSS without escapes.
pub fn plain(text: &str) -> Cow<'_, str> {
    unescaped(text, |character| character)
}

/// Return CSS without escapes, in which only those characters end a name that did before.
pub fn protected(text: &str) -> Cow<'_, str> {
    unescaped(text, |character| {
        let special = character.is_ascii() && !character.is_ascii_alphanumeric();
        let private = char::from_u32(PRIVATE + u32::from(character));
        private.filter(|_| special).unwrap_or(character)
    })
}

/// Return the name that was meant.
pub fn unprotected(name: &str) -> Cow<'_, str> {
    // what is escaped stands in three bytes that begin with this one
    if !name.as_bytes().contains(&0xEE) {
        return Cow::Borrowed(name);
    }
    let meant = |character: char| {
        let code = u32::from(character).wrapping_sub(PRIVATE);
        char::from_u32(code).filter(char::is_ascii).unwrap_or(character)
    };
    name.chars().map(meant).collect()
}

fn unescaped(text: &str, meant: impl Fn(char) -> char) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        found.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits > 0 {
            let code = u32::from_str_radix(&rest[..digits], 16).unwrap_or(0);
            let character = char::from_u32(code).filter(|one| *one != '\0');
            found.push(meant(character.unwrap_or('\u{fffd}')));
            rest = &rest[digits..];
            rest = rest.strip_prefix(SPACE).unwrap_or(rest);
        } else if let Some(character) = rest.chars().next() {
            found.push(meant(character));
            rest = &rest[character.len_utf8()..];
        } else {
            found.push('\\');
        }
    }
    found.push_str(rest);
    Cow::Owned(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        assert_eq!(plain(r"d\69 splay\"), r"display\");
        assert_eq!(plain(r"\d800 \0\110000x\:"), "\u{fffd}\u{fffd}\u{fffd}x:");
        assert_eq!(unprotected(&protected(r"sm\:x")), "sm:x");
        assert!(protected(r"sm\:x").bytes().all(is_name));
    }

    #[test]
    fn numbers_end() {
        for (text, end) in [("1.5x", Some(3)), ("2.", Some(2)), (".5", Some(2)), (".", None)] {
            assert_eq!(number_end(text.as_bytes(), 0), end);
        }
    }
}
