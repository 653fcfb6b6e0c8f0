//! Heads of blocks: the selectors that they list, and the names that these need.

use super::text::{name_end, table, NAMES};

/// Characters of a selector that is read.
pub const LONGEST_SELECTOR: usize = 500;

static CLEAR: [bool; 256] = clear();
static DELIMITERS: [bool; 256] = table(b",():!@%?;<[]\"'\\");
static NAMED: [bool; 256] = table(b".#[(");

/// Split a list of selectors; none if one of them is invalid, which makes the others void.
pub fn split(head: &str, parts: &mut Vec<(usize, usize)>) {
    parts.clear();
    let bytes = head.as_bytes();
    let (mut start, mut depth, mut read) = (0, 0i64, 0);
    for at in 0..=bytes.len() {
        if at < read || bytes.get(at).is_some_and(|byte| !DELIMITERS[usize::from(*byte)]) {
            continue;
        }
        match bytes.get(at) {
            None => {}
            Some(b'\\') => {
                read = at + 2;
                continue;
            }
            Some(quote @ (b'"' | b'\'')) => {
                let length = bytes[at + 1..].iter().position(|byte| byte == quote);
                read = length.map_or(at, |length| at + length + 2);
                continue;
            }
            Some(b',') if depth == 0 => {}
            Some(b'(' | b'[') => {
                depth += 1;
                continue;
            }
            Some(b')' | b']') => {
                depth -= 1;
                continue;
            }
            Some(b'!' | b'@' | b'%' | b'?' | b';' | b'<') => return parts.clear(),
            Some(b':') if bytes[at..].starts_with(b":::") => return parts.clear(),
            _ => continue,
        }
        let part = head[start..at].trim_start_matches(' ');
        let from = at - part.len();
        let to = from + part.trim_end_matches(' ').len();
        if from == to {
            return parts.clear();
        }
        parts.push((from, to));
        start = at + 1;
    }
}

/// Return how many selectors the head of a block has, if each needs a name that is missing on the
/// page; nothing if that is not clear at one glance.
pub fn void_selectors(head: &str, is_missing: impl Fn(&str) -> bool) -> Option<usize> {
    let bytes = head.as_bytes();
    let (mut count, mut begin, mut is_void) = (0, 0, false);
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(|byte| CLEAR[usize::from(*byte)]) {
            at += 1;
        }
        match bytes.get(at) {
            None | Some(b',') => {
                // a selector without a name is not void, and what is short can't be too long
                if !is_void || at - begin > LONGEST_SELECTOR {
                    return None;
                }
                count += 1;
                if at == bytes.len() {
                    return Some(count);
                }
                at += 1;
                (begin, is_void) = (at, false);
            }
            Some(b'.' | b'#') => {
                let end = name_end(bytes, at + 1);
                is_void = is_void || end > at + 1 && is_missing(&head[at..end]);
                at = end;
            }
            Some(b'(') => at = inside_end(bytes, at + 1, b')', b',')?,
            Some(b'[') => at = inside_end(bytes, at + 1, b']', b'=')?,
            Some(byte) if is_clear(bytes, at, *byte) => at += 1,
            _ => return None,
        }
    }
}

/// Return where brackets end that hold nothing unusual: only what is clear, quotes, signs for parts
/// of values, and one kind of byte more.
fn inside_end(bytes: &[u8], mut at: usize, close: u8, other: u8) -> Option<usize> {
    loop {
        let byte = *bytes.get(at)?;
        if byte == close {
            return Some(at + 1);
        }
        let is_sign = matches!(byte, b'.' | b'#' | b'"' | b'\'' | b'^' | b'$' | b'|' | b'/');
        if !is_sign && byte != other && !is_clear(bytes, at, byte) {
            return None;
        }
        at += 1;
    }
}

/// Return true for a byte that neither ends a selector nor makes it invalid.
#[inline]
fn is_clear(bytes: &[u8], at: usize, byte: u8) -> bool {
    CLEAR[usize::from(byte)] || byte == b':' && !bytes[at..].starts_with(b":::")
}

const fn clear() -> [bool; 256] {
    let mut found = table(b" \t\n\x0c\r*>+~");
    let mut byte = 0;
    while byte < 256 {
        found[byte] |= NAMES[byte];
        byte += 1;
    }
    found
}

/// Go through the classes and ids that a page must have for a selector to select anything.
pub fn names_of(selector: &str) -> impl Iterator<Item = &str> {
    let bytes = selector.as_bytes();
    let mut at = match selector.contains('\\') {
        true => bytes.len(),
        false => 0,
    };
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let begin = at;
            at += 1;
            if !NAMED[usize::from(bytes[begin])] {
                continue;
            }
            let close = match bytes[begin] {
                b'[' => b']',
                b'(' => b')',
                b'.' | b'#' => {
                    at = name_end(bytes, at);
                    if at > begin + 1 {
                        return Some(&selector[begin..at]);
                    }
                    continue;
                }
                _ => continue,
            };
            let found = bytes[at..].iter().position(|byte| *byte == close);
            at = found.map_or(bytes.len(), |length| at + length + 1);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn void_selectors_are_clear() {
        assert_eq!(void_selectors(".a #b.void > p,.void", |name| name == ".void"), Some(2));
        for head in [".void,p", ".void,", ".void%", ".void\\", "p[.void]", "p:not(.void)"] {
            assert_eq!(void_selectors(head, |name| name == ".void"), None, "{head}");
        }
    }

    #[test]
    fn names_are_found() {
        let names: Vec<&str> = names_of("a.b#c[d='.e'] :not(.f) > .g").collect();
        assert_eq!(names, [".b", "#c", ".g"]);
    }
}
