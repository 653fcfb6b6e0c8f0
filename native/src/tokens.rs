//! The tokenizer of the HTML standard, reduced to what matters for visible text.

use std::borrow::Cow;

use crate::attributes::{
    lower, name_end, span, Attribute, Key, Mute, Written, CHANGED, CLASSES, NAME_END, SLASH, SPACE,
};
use crate::presentation::is_elsewhere;
use crate::references::decode;
use crate::scan;
use crate::tags::{self, element, Element, MATH, META, NOSCRIPT, SVG};

/// Elements of drawings and formulas in which there may be HTML.
const INTEGRATING: [&str; 9] =
    ["foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"];

/// What is made of text and tags; text may come in pieces.
pub trait Sink<'h> {
    fn text(&mut self, text: &str);
    fn start(&mut self, tag: &Tag<'_, 'h>);
    fn end(&mut self, name: &str, number: u16);
    /// Take note of a part of the page that has no say in how it looks.
    fn leave_out(&mut self, _part: LeftOut) {}
    /// Take note that something in the page is not passed on.
    fn lose(&mut self) {}
}

/// A part of a page that has no say in how it looks.
#[derive(Clone, Copy)]
pub struct LeftOut {
    pub from: usize,
    pub to: usize,
    pub what: Mute,
}

/// A start tag.
pub struct Tag<'a, 'h> {
    pub name: &'a str,
    pub number: u16,
    /// Those attributes that are asked for.
    pub attributes: &'a [Attribute<'h>],
    /// The keys of these, as bits.
    pub keys: u32,
    /// Where all attributes stand in the page: behind the name.
    pub source: usize,
    /// Whether it ends with "/>".
    pub empty: bool,
}

/// Pass the text and the tags of a page, which is `normalized`, to a sink; return how much work it
/// was.
pub fn tokenize<'h, S: Sink<'h>>(html: &'h str, sink: &mut S) -> u64 {
    let mut tokenizer = Tokenizer {
        html,
        bytes: html.as_bytes(),
        sink,
        attributes: Vec::new(),
        foreign: None,
        noscript: false,
        is_integrated: false,
        is_strange: false,
        work: html.len() as u64,
    };
    tokenizer.run();
    tokenizer.work
}

/// Return a page with line feeds for all line ends.
pub fn normalized(html: &str) -> Cow<'_, str> {
    if !scan::contains(html.as_bytes(), b'\r') {
        return Cow::Borrowed(html);
    }
    let mut normal = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('\r') {
        normal.push_str(&rest[..at]);
        normal.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    normal.push_str(rest);
    Cow::Owned(normal)
}

struct Tokenizer<'h, 's, S> {
    html: &'h str,
    bytes: &'h [u8],
    sink: &'s mut S,
    attributes: Vec<Attribute<'h>>,
    /// SVG or MATH inside of one.
    foreign: Option<u16>,
    /// Inside of one, which is text for browsers with scripts.
    noscript: bool,
    /// Inside of an element of a drawing that may have markup of HTML in it.
    is_integrated: bool,
    /// Browsers may see markup in what is text here, from here on.
    is_strange: bool,
    work: u64,
}

/// Each method begins at a position and returns the next one.
impl<'h, S: Sink<'h>> Tokenizer<'h, '_, S> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.html.len() {
            let mut end = scan::find_any(self.bytes, *b"<&", at);
            if self.byte(end) == b'&' {
                end = self.find(b'<', end).unwrap_or(self.html.len());
                self.decoded(at, end);
            } else if at < end {
                self.work += (end - at) as u64;
                self.sink.text(&self.html[at..end]);
            }
            at = if end < self.html.len() { self.markup(end) } else { end };
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn find(&mut self, what: u8, at: usize) -> Option<usize> {
        let found = scan::find(self.bytes, what, at);
        self.work += (found.unwrap_or(self.html.len()) - at + 1) as u64;
        found
    }

    /// Return the position after the next ">", or the end of the page.
    fn after_greater(&mut self, at: usize) -> usize {
        self.find(b'>', at.min(self.html.len())).map_or(self.html.len(), |found| found + 1)
    }

    fn decoded(&mut self, from: usize, to: usize) {
        if from < to {
            let sink = &mut *self.sink;
            self.work += (to - from) as u64;
            decode(&self.html[from..to], false, |piece| sink.text(piece));
        }
    }

    /// Read what begins with "<".
    fn markup(&mut self, at: usize) -> usize {
        match self.byte(at + 1) {
            first if first.is_ascii_alphabetic() => self.tag(at + 1, false),
            b'/' if self.byte(at + 2).is_ascii_alphabetic() => self.tag(at + 2, true),
            b'!' => self.declaration(at + 2),
            b'?' => self.after_greater(at + 2),
            b'/' if at + 2 < self.html.len() => self.after_greater(at + 2),
            b'/' => {
                self.sink.text("</");
                at + 2
            }
            _ => {
                self.sink.text("<");
                at + 1
            }
        }
    }

    fn declaration(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        if rest.starts_with(b"--") {
            if rest[2..].starts_with(b">") {
                return at + 3;
            }
            if rest[2..].starts_with(b"->") {
                return at + 4;
            }
            return self.comment_end(at + 2);
        }
        if self.foreign.is_some() && rest.starts_with(b"[CDATA[") {
            let begin = at + 7;
            let found = self.html[begin..].find("]]>");
            let end = found.map_or(self.html.len(), |place| begin + place);
            self.work += (end - begin + 1) as u64;
            if begin < end {
                self.sink.text(&self.html[begin..end]);
            }
            return self.html.len().min(end + 3);
        }
        self.after_greater(at)
    }

    fn comment_end(&mut self, begin: usize) -> usize {
        let mut at = begin;
        while let Some(found) = self.find(b'>', at) {
            let inside = &self.bytes[begin..found];
            at = found + 1;
            if inside.ends_with(b"--") || inside.ends_with(b"--!") {
                self.leave_text_out(begin, at);
                return at;
            }
        }
        self.sink.lose();
        self.html.len()
    }

    /// Leave a value out, unless it is the address of something in the page itself, or may be markup.
    fn leave_out(&mut self, value: &str, what: Mute) {
        let is_text = self.noscript || self.is_strange || value.contains('<');
        if !is_text && (what != Mute::Address || is_elsewhere(value)) {
            if let Some(from) = scan::place_in(self.html, value) {
                self.sink.leave_out(LeftOut { from, to: from + value.len(), what });
            }
        }
    }

    fn leave_text_out(&mut self, from: usize, to: usize) {
        if !self.noscript && !self.is_strange {
            self.sink.leave_out(LeftOut { from, to, what: Mute::Text });
        }
    }

    fn tag(&mut self, begin: usize, end_tag: bool) -> usize {
        let (source, classes) = name_end(self.bytes, begin, NAME_END);
        let name = lower(&self.html[begin..source], classes & CHANGED != 0);
        let number = tags::number(&name);
        let is_html = self.foreign.is_none() && !end_tag;
        let mut is_named = false;
        self.attributes.clear();
        let mut keys = 0;
        let mut at = source;
        let mut gap;
        loop {
            gap = at;
            at = span(self.bytes, at, SPACE | SLASH);
            self.work += 1;
            match self.bytes.get(at) {
                None => {
                    self.work += (at - begin) as u64;
                    self.sink.lose();
                    return at; // the tag never ends
                }
                Some(b'>') => break,
                _ => {}
            }
            let (written, end) = Written::new(self.html, at);
            at = end;
            if let Some(what) = written.mute(number).filter(|_| is_html) {
                self.leave_out(written.raw(), what);
            }
            is_named |= number == META && written.is("name");
            if let Some(known) = written.known().filter(|one| keys & one.key.bit() == 0) {
                keys |= known.key.bit();
                self.attributes.push(known);
            }
        }
        self.work += (at - begin) as u64;
        let has = |key: Key| keys & key.bit() != 0;
        if number == META && is_html && has(Key::Property) && !has(Key::HttpEquiv) && !is_named {
            // what the page says of itself to those who link to it
            let content = self.attributes.iter().find(|one| one.key == Key::Content);
            if let Some(raw) = content.map(Attribute::raw) {
                self.leave_out(raw, Mute::Name);
            }
        }
        if number == NOSCRIPT {
            self.noscript = !end_tag;
        }
        if end_tag {
            self.sink.end(&name, number);
            if self.foreign == Some(number) {
                self.foreign = None;
                self.is_integrated = false;
            }
            return at + 1;
        }
        let empty = at > gap && self.bytes[at - 1] == b'/';
        self.sink.start(&Tag {
            name: &name,
            number,
            attributes: &self.attributes,
            keys,
            source,
            empty,
        });
        if self.foreign.is_some() {
            // what follows such an element may be in the drawing still
            self.is_integrated |= INTEGRATING.contains(&&*name);
            let leaves = element(number).is_breakout || name == "foreignobject";
            let is_inner = number == SVG || number == MATH;
            self.is_strange |= is_inner || leaves && (self.is_integrated || name == "font");
            if leaves {
                self.foreign = None;
            }
        } else if number == SVG || number == MATH {
            self.foreign = (!empty).then_some(number);
        } else {
            return self.raw(at + 1, element(number));
        }
        at + 1
    }

    /// Read the text of an element in which there are no tags.
    fn raw(&mut self, at: usize, about: &Element) -> usize {
        let escapable = about.is_escapable;
        let end = match about.name {
            _ if !about.is_raw => return at,
            "script" => self.script_end(at),
            "plaintext" => self.html.len(),
            name => self.raw_end(at, name),
        };
        match about.name {
            _ if end == self.html.len() => self.sink.lose(),
            "script" | "title" => {
                self.leave_text_out(at, end);
            }
            _ => {}
        }
        if scan::contains(&self.bytes[at..end], 0) {
            let text = self.html[at..end].replace('\0', "\u{fffd}");
            if escapable {
                let sink = &mut *self.sink;
                decode(&text, false, |piece| sink.text(piece));
            } else {
                self.sink.text(&text);
            }
        } else if escapable {
            self.decoded(at, end);
        } else if at < end {
            self.sink.text(&self.html[at..end]);
        }
        end
    }

    /// Return where the text of an element ends: at its end tag, or with the noscript around it,
    /// all of which is text for browsers with scripts.
    fn raw_end(&mut self, mut at: usize, name: &str) -> usize {
        while let Some(found) = self.find(b'<', at) {
            let ends = |name: &str| self.names(found + 2, name);
            if self.byte(found + 1) == b'/' && (ends(name) || self.noscript && ends("noscript")) {
                return found;
            }
            at = found + 1;
        }
        self.html.len()
    }

    /// Return true if a name stands here, and something that ends it.
    fn names(&self, at: usize, name: &str) -> bool {
        let end = at + name.len();
        end < self.bytes.len()
            && self.bytes[at..end].eq_ignore_ascii_case(name.as_bytes())
            && CLASSES[self.bytes[end] as usize] & NAME_END != 0
    }

    /// Return where a script ends: not inside `<!-- <script> … </script> -->`.
    fn script_end(&mut self, mut at: usize) -> usize {
        let (mut escaped, mut doubly) = (false, false);
        loop {
            let found = if escaped {
                let rest = &self.bytes[at..];
                let place = rest.iter().position(|byte| matches!(byte, b'<' | b'-'));
                self.work += place.unwrap_or(rest.len()) as u64 + 1;
                place.map(|place| at + place)
            } else {
                self.find(b'<', at)
            };
            let Some(found) = found else {
                return self.html.len();
            };
            let rest = &self.bytes[found..];
            at = found + 1;
            if rest.starts_with(b"<!--") {
                escaped = true;
                at = found + 2; // "<!-->" is an end as well
            } else if rest.starts_with(b"-->") {
                (escaped, doubly) = (false, false);
                at = found + 3;
            } else if rest.starts_with(b"</") && self.names(found + 2, "script") {
                if !doubly {
                    return found;
                }
                doubly = false;
            } else if rest[0] == b'<' && self.names(found + 1, "script") {
                doubly = escaped;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Text in brackets, start tags and end tags.
    struct Listed(Vec<String>);

    impl<'h> Sink<'h> for Listed {
        fn text(&mut self, text: &str) {
            self.0.push(format!("[{text}]"));
        }

        fn start(&mut self, tag: &Tag<'_, 'h>) {
            let end = if tag.empty { "/" } else { "" };
            self.0.push(format!("<{}{end}>", tag.name));
        }

        fn end(&mut self, name: &str, _: u16) {
            self.0.push(format!("</{name}>"));
        }
    }

    fn listed(html: &str) -> String {
        let html = normalized(html);
        let mut sink = Listed(Vec::new());
        tokenize(&html, &mut sink);
        sink.0.concat().replace("][", "") // text comes in pieces
    }

    #[test]
    fn text_and_tags() {
        for (html, expected) in [
            ("", ""),
            ("a<P ID=1>b</P >c", "[a]<p>[b]</p>[c]"),
            ("<br/><br / ><a b=c/>", "<br/><br><a>"),
            ("a<!-- <p> -->b<!doctype html>c<?php <p> ?>d", "[abc ?>d]"),
            ("a<!-->b<!--->c<!--!>d--!>e<!---->f", "[abcef]"),
            ("a<!-- -- > - -->b<!-- never ends", "[ab]"),
            ("a < b <3 <", "[a < b <3 <]"),
            ("a</", "[a</]"),
            ("a<p b='>", "[a]"),
            ("a\r\nb\rc", "[a\nb\nc]"),
        ] {
            assert_eq!(listed(html), expected, "{html}");
        }
    }

    #[test]
    fn text_without_tags() {
        for (html, expected) in [
            ("<title>a&amp;<b></title >c", "<title>[a&<b>]</title>[c]"),
            ("<style>&amp;<b></style/>c", "<style>[&amp;<b>]</style>[c]"),
            ("<xmp></xmp", "<xmp>[</xmp]"),
            ("<plaintext>&lt;</plaintext>", "<plaintext>[&lt;</plaintext>]"),
            ("<script><!-- </script>b", "<script>[<!-- ]</script>[b]"),
            (
                "<script><!-- <script></script> --></script>b",
                "<script>[<!-- <script></script> -->]</script>[b]",
            ),
            ("<svg><![CDATA[a>&lt;]]>b</svg><![CDATA[c>d", "<svg>[a>&lt;b]</svg>[d]"),
        ] {
            assert_eq!(listed(html), expected, "{html}");
        }
    }
}
