//! Style sheets → blocks: declarations and the selectors that they are for; the twin is
//! `read/hiding/sheets.py`. Every step is linear in the size of a sheet.

use super::declarations::HOLE;
use super::media::is_for_screens;
use super::text::{is_longer, is_name, name_end, push_words, table};
use crate::scan;

const MOST_DEPTH: usize = 20;
const MOST_SELECTORS: usize = 50_000;
const LONGEST_SELECTOR: usize = 500;
/// Selectors of nested blocks that are combined.
const OUTER: usize = 4;
const INNER: usize = 20;

static CLEAR: [bool; 256] = table(b" \t\n\x0c\r*>+~");
static DELIMITERS: [bool; 256] = table(b",():!@%?;<");
static NAMED: [bool; 256] = table(b".#[(");

/// A rule as it is written.
pub struct Draft<'s> {
    pub selector: &'s str,
    pub text: &'s str,
    pub layer: bool,
}

/// An open block: the selectors that its declarations are for, if it is followed.
#[derive(Clone, Copy)]
struct Block {
    first: usize,
    end: usize,
    followed: bool,
    layer: bool,
    /// How much of the selectors and their letters there was before it.
    selectors: usize,
    letters: usize,
    /// Where its head stands, if that selects nothing on the page, so that it was not read.
    unread: Option<(usize, usize)>,
}

/// Reads a sheet without comments block by block.
pub struct Sheet<'s> {
    text: &'s str,
    stack: Vec<Block>,
    /// Where the selectors of open blocks stand in `letters`.
    selectors: Vec<(usize, usize)>,
    letters: String,
    head: String,
    parts: Vec<(usize, usize)>,
}

impl<'s> Sheet<'s> {
    pub fn new(text: &'s str) -> Self {
        Sheet {
            text,
            stack: Vec::new(),
            selectors: Vec::new(),
            letters: String::new(),
            head: String::new(),
            parts: Vec::new(),
        }
    }

    /// Pass each block once for each of its selectors, but for some that need names that are missing
    /// on the page; return false if the sheet is cut.
    pub fn read(mut self, is_missing: impl Fn(&str) -> bool, mut pass: impl FnMut(Draft)) -> bool {
        let text = self.text;
        let bytes = text.as_bytes();
        let (mut start, mut at, mut made) = (0, 0, 0);
        loop {
            at = scan::find_any(bytes, *b"{}\"'\\", at);
            let Some(byte) = bytes.get(at).copied() else {
                break;
            };
            at += 1;
            match byte {
                b'{' => {
                    let before = &text[start..at - 1];
                    let (before, head) = before.rsplit_once(';').unwrap_or(("", before));
                    self.drafts(before, &mut pass);
                    self.read_head();
                    let void = match self.is_outermost() {
                        true => void_selectors(head, &is_missing),
                        false => None,
                    };
                    let inner = match void {
                        Some(_) => self.unread(at - 1 - head.len(), at - 1),
                        None => self.inner(head),
                    };
                    made += void.unwrap_or(inner.end - inner.first);
                    if self.stack.len() == MOST_DEPTH || made > MOST_SELECTORS {
                        return false;
                    }
                    self.stack.push(inner);
                    start = at;
                }
                b'}' => {
                    self.drafts(&text[start..at - 1], &mut pass);
                    if let Some(block) = self.stack.pop() {
                        self.selectors.truncate(block.selectors);
                        self.letters.truncate(block.letters);
                    }
                    start = at;
                }
                b'"' | b'\'' => at = string_end(bytes, at, byte),
                b'\\' => at += 1,
                _ => {}
            }
        }
        self.drafts(&text[start..], &mut pass);
        true
    }

    fn drafts(&self, text: &str, pass: &mut impl FnMut(Draft)) {
        let Some(block) = self.stack.last() else {
            return;
        };
        if block.followed && text.contains(':') {
            for (from, to) in &self.selectors[block.first..block.end] {
                pass(Draft {
                    selector: &self.letters[*from..*to],
                    text,
                    layer: block.layer,
                });
            }
        }
    }

    /// Return true if no rule is open, but at-rules that are followed may be.
    fn is_outermost(&self) -> bool {
        let open = self.stack.last();
        open.map_or(true, |block| block.followed && block.first == block.end)
    }

    /// Return a block whose head stands somewhere and is not read.
    fn unread(&self, from: usize, to: usize) -> Block {
        Block {
            unread: Some((from, to)),
            ..self.begun()
        }
    }

    /// Read the head of the innermost block after all: there is another in it.
    fn read_head(&mut self) {
        let text = self.text;
        if let Some((from, to)) = self.stack.last().and_then(|block| block.unread) {
            self.stack.pop();
            let block = self.inner(&text[from..to]);
            self.stack.push(block);
        }
    }

    /// Return a block that is as the one around it.
    fn begun(&self) -> Block {
        let mut block = self.stack.last().copied().unwrap_or(Block {
            first: 0,
            end: 0,
            followed: true,
            layer: false,
            selectors: 0,
            letters: 0,
            unread: None,
        });
        block.selectors = self.selectors.len();
        block.letters = self.letters.len();
        block
    }

    fn inner(&mut self, head: &str) -> Block {
        let mut block = self.begun();
        if !block.followed {
            return block;
        }
        self.normalize(head);
        if self.head.starts_with('@') {
            let rest = &self.head[1..];
            let query =
                rest.trim_start_matches(|one: char| one.is_ascii_alphabetic() || one == '-');
            let name = rest[..rest.len() - query.len()].to_ascii_lowercase();
            match name.as_str() {
                "layer" => block.layer = true,
                "supports" => block.followed = !query.to_ascii_lowercase().contains("not"),
                "media" => block.followed = is_for_screens(query),
                _ => block.followed = false,
            }
            return block;
        }
        let mut parts = std::mem::take(&mut self.parts);
        split(&self.head, &mut parts);
        let outer = (block.first, block.end);
        block.first = self.selectors.len();
        if outer.0 == outer.1 {
            for (from, to) in &parts {
                let part = &self.head[*from..*to];
                if !is_longer(part, LONGEST_SELECTOR) {
                    let begin = self.letters.len();
                    self.letters.push_str(part);
                    self.selectors.push((begin, self.letters.len()));
                }
            }
        } else {
            for place in outer.0..outer.1.min(outer.0 + OUTER) {
                for part in parts.iter().take(INNER) {
                    self.combine(self.selectors[place], *part);
                }
            }
        }
        self.parts = parts;
        block.end = self.selectors.len();
        block.followed = block.end > block.first;
        block
    }

    /// Keep the head of a block with single spaces, and without holes.
    fn normalize(&mut self, head: &str) {
        self.head.clear();
        if head.contains(HOLE) {
            push_words(&head.replace(HOLE, ""), &mut self.head);
        } else {
            push_words(head, &mut self.head);
        }
    }

    /// Add a selector of a block in another, unless it is too long.
    fn combine(&mut self, outer: (usize, usize), part: (usize, usize)) {
        let part = &self.head[part.0..part.1];
        let outer = &self.letters[outer.0..outer.1];
        let found = if part.contains('&') {
            let times = part.matches('&').count();
            let size = part.chars().count() + times * (outer.chars().count() - 1);
            if size > LONGEST_SELECTOR {
                return;
            }
            part.replace('&', outer)
        } else if is_longer(part, LONGEST_SELECTOR) {
            return;
        } else {
            format!("{outer} {part}")
        };
        if !is_longer(&found, LONGEST_SELECTOR) {
            let begin = self.letters.len();
            self.letters.push_str(&found);
            self.selectors.push((begin, self.letters.len()));
        }
    }
}

/// Return the position after a string that begins before one.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => at += 2,
            other => {
                at += 1;
                if *other == quote {
                    return at;
                }
            }
        }
    }
    at
}

/// Split a list of selectors; none if one of them is invalid, which makes the others void.
fn split(head: &str, parts: &mut Vec<(usize, usize)>) {
    parts.clear();
    let bytes = head.as_bytes();
    let (mut start, mut depth) = (0, 0i64);
    for at in 0..=bytes.len() {
        if bytes
            .get(at)
            .is_some_and(|byte| !DELIMITERS[usize::from(*byte)])
        {
            continue;
        }
        match bytes.get(at) {
            None => {}
            Some(b',') if depth == 0 => {}
            Some(b'(') => {
                depth += 1;
                continue;
            }
            Some(b')') => {
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
fn void_selectors(head: &str, is_missing: impl Fn(&str) -> bool) -> Option<usize> {
    let bytes = head.as_bytes();
    let (mut count, mut begin, mut is_void) = (0, 0, false);
    let mut at = 0;
    loop {
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
fn is_clear(bytes: &[u8], at: usize, byte: u8) -> bool {
    match byte {
        b':' => !bytes[at..].starts_with(b":::"),
        _ => CLEAR[usize::from(byte)] || is_name(byte),
    }
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

    fn drafts(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Sheet::new(text).read(
            |name| name == ".void",
            |one| found.push(format!("{}{{{}}}", one.selector, one.text)),
        );
        found
    }

    #[test]
    fn blocks_are_found() {
        assert_eq!(drafts("a , b{c:d}e{f"), ["a{c:d}", "b{c:d}"]);
        assert_eq!(
            drafts("q{a:'}'} @media print{x{y:z}} p{q:r"),
            ["q{a:'}'}", "p{q:r}"]
        );
        assert_eq!(
            drafts(".a{b:c; &.d, e{f:g} h:i}").join(" "),
            ".a{ b:c} .a.d{f:g} .a e{f:g} .a{ h:i}".replace("{ b", "{b")
        );
    }

    #[test]
    fn void_blocks_are_skipped() {
        assert_eq!(
            drafts(".void{a:b} p .void:not(a,b)[c='d'],.void>p{c:d}").len(),
            0
        );
        assert_eq!(drafts(".void{a:b}.e{f:g}"), [".e{f:g}"]);
        let nested = drafts(".void{a:b; &+p,q{c:d} e:f}").join(" ");
        assert_eq!(
            nested,
            ".void{ e:f}".replace(".void{", ".void+p{c:d} .void q{c:d} .void{")
        );
        for head in [
            ".void,p",
            ".void,",
            ".void%",
            ".void\\",
            "p[.void]",
            "p:not(.void)",
        ] {
            assert_eq!(void_selectors(head, |name| name == ".void"), None, "{head}");
        }
    }

    #[test]
    fn names_are_found() {
        let names: Vec<&str> = names_of("a.b#c[d='.e'] :not(.f) > .g").collect();
        assert_eq!(names, [".b", "#c", ".g"]);
    }
}
