//! Style sheets → blocks: declarations and the selectors that they are for. Every step is linear in
//! the size of a sheet.

use super::declarations::HOLE;
use super::heads::{split, void_selectors, LONGEST_SELECTOR};
use super::media::{is_for_screens, may_hold};
use super::text::{is_longer, push_words};
use crate::scan;

const MOST_DEPTH: usize = 20;
const MOST_SELECTORS: usize = 50_000;
/// Selectors of nested blocks that are combined.
const OUTER: usize = 4;
const INNER: usize = 20;

/// Stands for selectors that are not read: nobody knows what they select.
const UNREAD: &str = "?";

/// At-rules whose blocks style no element of the page.
const INERT: [&str; 14] = [
    "charset",
    "color-profile",
    "counter-style",
    "font-face",
    "font-feature-values",
    "font-palette-values",
    "-moz-document",
    "-ms-viewport",
    "page",
    "position-try",
    "property",
    "starting-style",
    "view-transition",
    "viewport",
];

/// What is known of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It holds.
    Certain,
    /// It may hold: nobody knows whether its conditions do.
    Doubtful,
}

/// A rule as it is written.
pub struct Draft<'s> {
    pub selector: &'s str,
    pub text: &'s str,
    /// The number of its layer; 0 if it is in none.
    pub layer: u32,
    pub kind: Kind,
}

/// An open block: the selectors that its declarations are for, if it is followed.
#[derive(Clone, Copy)]
struct Block {
    first: usize,
    end: usize,
    followed: bool,
    layer: u32,
    kind: Kind,
    /// How much of the selectors and their letters there was before it.
    selectors: usize,
    letters: usize,
    /// Where its head stands, if that selects nothing on the page, so that it was not read.
    unread: Option<(usize, usize)>,
}

/// Reads a sheet without comments block by block.
pub struct Sheet<'s> {
    text: &'s str,
    kind: Kind,
    stack: Vec<Block>,
    /// Where the selectors of open blocks stand in `letters`.
    selectors: Vec<(usize, usize)>,
    letters: String,
    head: String,
    parts: Vec<(usize, usize)>,
    /// How many layers without a name there were.
    layers: u32,
    /// How many selectors of rules that may hold there were.
    doubtful: usize,
}

impl<'s> Sheet<'s> {
    pub fn new(text: &'s str, kind: Kind) -> Self {
        Sheet {
            text,
            kind,
            stack: Vec::new(),
            selectors: Vec::new(),
            letters: String::new(),
            head: String::new(),
            parts: Vec::new(),
            layers: 0,
            doubtful: 0,
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
                    match inner.kind {
                        Kind::Certain => made += void.unwrap_or(inner.end - inner.first),
                        _ => self.doubtful += inner.end - inner.first,
                    }
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
            let (layer, kind) = (block.layer, block.kind);
            for (from, to) in &self.selectors[block.first..block.end] {
                let (selector, kind) = match &self.letters[*from..*to] {
                    UNREAD => ("*", Kind::Doubtful),
                    selector => (selector, kind),
                };
                pass(Draft { selector, text, layer, kind });
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
        Block { unread: Some((from, to)), ..self.begun() }
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
            layer: 0,
            kind: self.kind,
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
            self.enter_at_rule(&mut block);
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
                    push(part, &mut self.letters, &mut self.selectors);
                }
            }
        } else {
            for place in outer.0..outer.1.min(outer.0 + OUTER) {
                for part in parts.iter().take(INNER) {
                    self.combine(self.selectors[place], *part);
                }
            }
        }
        let all = (outer.1 - outer.0).max(1) * parts.len();
        if self.selectors.len() - block.first < all {
            push(UNREAD, &mut self.letters, &mut self.selectors);
        }
        self.parts = parts;
        block.end = self.selectors.len();
        block.followed = block.end > block.first;
        block
    }

    /// Say of a block what its at-rule means for those in it.
    fn enter_at_rule(&mut self, block: &mut Block) {
        let rest = &self.head[1..];
        let query = rest.trim_start_matches(|one: char| one.is_ascii_alphabetic() || one == '-');
        let name = rest[..rest.len() - query.len()].to_ascii_lowercase();
        let holds = match name.as_str() {
            "layer" => {
                // each without a name is one of its own
                self.layers += u32::from(query.is_empty());
                let first = block.layer ^ if query.is_empty() { self.layers } else { 0 };
                let mix = |sum: u32, byte: u8| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
                block.layer = query.bytes().fold(mix(first, 1), mix).max(1);
                return;
            }
            "supports" => !query.to_ascii_lowercase().contains("not"),
            "media" => {
                block.followed = may_hold(query);
                is_for_screens(query)
            }
            name if INERT.contains(&name) || name.ends_with("keyframes") => {
                block.followed = false;
                return;
            }
            _ => false,
        };
        if !holds {
            block.kind = Kind::Doubtful;
            block.followed &= self.doubtful < MOST_SELECTORS;
        }
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
            push(&found, &mut self.letters, &mut self.selectors);
        }
    }
}

fn push(text: &str, letters: &mut String, places: &mut Vec<(usize, usize)>) {
    let begin = letters.len();
    letters.push_str(text);
    places.push((begin, letters.len()));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn drafts(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Sheet::new(text, Kind::Certain).read(
            |name| name == ".void",
            |one| {
                let mark = ["", "?"][one.kind as usize];
                found.push(format!("{mark}{}{{{}}}", one.selector, one.text));
            },
        );
        found
    }

    #[test]
    fn blocks_are_found() {
        assert_eq!(drafts("a , b{c:d}e{f"), ["a{c:d}", "b{c:d}"]);
        assert_eq!(drafts("q{a:'}'} @media print{x{y:z}} p{q:r"), ["q{a:'}'}", "p{q:r}"]);
        assert_eq!(
            drafts(".a{b:c; &.d, e{f:g} h:i}").join(" "),
            ".a{ b:c} .a.d{f:g} .a e{f:g} .a{ h:i}".replace("{ b", "{b")
        );
    }

    #[test]
    fn blocks_may_hold() {
        assert_eq!(drafts("@scope(a){b{c:d}} @page{e{f:g}} h{i:j}"), ["?b{c:d}", "h{i:j}"]);
        assert_eq!(drafts("@media (hover){@layer{a{b:c; d{e:f}}}}"), ["?a{b:c}", "?a d{e:f}"]);
        assert_eq!(drafts("@keyframes x{50%{a:b}}"), [""; 0]);
    }

    #[test]
    fn void_blocks_are_skipped() {
        assert_eq!(drafts(".void{a:b} p .void:not(a,b)[c='d'],.void>p{c:d}").len(), 0);
        assert_eq!(drafts(".void{a:b}.e{f:g}"), [".e{f:g}"]);
        let nested = drafts(".void{a:b; &+p,q{c:d} e:f}").join(" ");
        assert_eq!(nested, ".void{ e:f}".replace(".void{", ".void+p{c:d} .void q{c:d} .void{"));
    }
}
