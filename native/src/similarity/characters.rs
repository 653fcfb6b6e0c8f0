//! Characters whose properties no version of Unicode has changed: Latin, Greek, Cyrillic, signs.
//!
//! Text of nothing else is split here; other text is left to the caller.

/// Between the texts of a page.
pub const SEPARATOR: char = '\u{1e}';

pub fn is_supported(c: char) -> bool {
    if c.is_ascii() {
        return !('\u{1c}'..='\u{1f}').contains(&c);
    }
    // without soft hyphens, combining marks, and what folds to several letters or to marks
    match c as u32 {
        0x130 | 0x149 | 0x1f0 | 0x390 | 0x3b0 => false,
        0x80..=0xac | 0xae..=0x2ff | 0x370..=0x373 | 0x376..=0x377 | 0x37b..=0x37d => true,
        0x37f | 0x384..=0x386 | 0x388..=0x38a | 0x38c | 0x38e..=0x3a1 => true,
        0x3a3..=0x481 | 0x48a..=0x52f => true,
        0x2000..=0x200a | 0x2010..=0x2027 | 0x202f | 0x2030..=0x205f | 0x20a0..=0x20bf => true,
        0x2116 | 0x2122 | 0x2190..=0x23ff | 0x2500..=0x2775 | 0xfffd => true,
        _ => false,
    }
}

pub fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric())
}

/// Add the folded form of a character: as words are compared, or as `str.casefold` if `exactly`.
pub fn fold(c: char, exactly: bool, text: &mut String) {
    if c.is_ascii() {
        text.push(c.to_ascii_lowercase());
        return;
    }
    match c {
        'ß' => text.push_str("ss"),
        'µ' => text.push('μ'),
        'ſ' => text.push('s'),
        'ς' => text.push('σ'),
        'ϐ' => text.push('β'),
        'ϑ' => text.push('θ'),
        'ϕ' => text.push('φ'),
        'ϖ' => text.push('π'),
        'ϰ' => text.push('κ'),
        'ϱ' => text.push('ρ'),
        'ϵ' => text.push('ε'),
        'Ё' | 'ё' if !exactly => text.push('е'),
        _ => text.extend(c.to_lowercase()),
    }
}

/// Whether a capital letter begins a word that may be a name.
pub fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase()
        || matches!(c,
            'À'..='Ö' | 'Ø'..='Þ' | 'Ā' | 'Ł' | 'Ś' | 'Š' | 'Ż' | 'Ž' | 'Α'..='Ϋ' | 'А'..='Я' | 'Ё')
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
