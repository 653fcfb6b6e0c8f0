//! What broken HTML means: tags → properly nested elements.

use crate::hash::Map;
use crate::scan;
use crate::tags::{
    element, A, BODY, BR, H1, H6, HEAD, HTML, KNOWN, MATH, NOBR, P, SCOPE_BLOCK, SCOPE_CLOSED,
    SCOPE_COUNT, SVG, UNKNOWN,
};
use crate::tokens::{tokenize, LeftOut, Sink, Tag};

/// Elements that are deeper are not opened.
pub const MAX_DEPTH: usize = 512;

/// Pass the elements and the text of a page, which is `normalized`, to a sink; return how much
/// work it was.
pub fn nest<'h, S: Sink<'h>>(html: &'h str, sink: &mut S) -> u64 {
    let mut builder = Builder {
        end: html.len(),
        has_nul: scan::contains(html.as_bytes(), 0),
        sink,
        work: 0,
        stack: Vec::new(),
        places: vec![Vec::new(); KNOWN],
        limits: Default::default(),
        flat: 0,
        seen: 0,
        unknown: Map::default(),
        names: Vec::new(),
        free: Vec::new(),
    };
    let work = tokenize(html, &mut builder);
    builder.close(0);
    work + builder.work
}

struct Open {
    /// Its place in the tables, or behind them in `names`.
    number: usize,
    /// Its end tag was seen, but a block is still open.
    ended: bool,
}

struct Builder<'s, S> {
    /// Where the page ends.
    end: usize,
    has_nul: bool,
    sink: &'s mut S,
    work: u64,
    stack: Vec<Open>,
    /// Where elements are open, by number.
    places: Vec<Vec<usize>>,
    limits: [Vec<usize>; SCOPE_COUNT],
    /// How many elements are too deep to be opened.
    flat: usize,
    /// Which of html, head and body were seen, as bits.
    seen: u8,
    /// Numbers of those open elements that are not in the tables.
    unknown: Map<String, usize>,
    /// Their names, and how often each is open.
    names: Vec<(String, usize)>,
    /// Numbers that can be used again.
    free: Vec<usize>,
}

impl<'h, S: Sink<'h>> Sink<'h> for Builder<'_, S> {
    fn text(&mut self, text: &str) {
        if !self.has_nul {
            return self.piece(text);
        }
        for piece in text.split('\0') {
            self.piece(piece);
        }
    }

    fn start(&mut self, tag: &Tag<'_, 'h>) {
        self.work += 1;
        if self.fits(tag.number) {
            self.begin(tag);
        } else {
            self.lose(); // browsers keep the attributes of some
        }
    }

    fn end(&mut self, name: &str, number: u16) {
        self.work += 1;
        let known = match number {
            UNKNOWN => self.unknown.get(name).copied(),
            known => Some(usize::from(known)),
        };
        if number == HTML || number == BODY {
            return; // what follows is still part of the page
        }
        if self.flat > 0 {
            self.flat -= 1;
            self.empty(name, number);
        } else if let Some(number) = known {
            self.finish(number);
        }
    }

    fn leave_out(&mut self, part: LeftOut) {
        self.sink.leave_out(part);
    }

    fn lose(&mut self) {
        self.sink.lose();
    }
}

impl<'h, S: Sink<'h>> Builder<'_, S> {
    fn piece(&mut self, text: &str) {
        let mut rest = text;
        if self.in_head() {
            rest = text.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
            self.pass(&text[..text.len() - rest.len()]);
            if !rest.is_empty() {
                self.close(self.stack.len() - 1);
            }
        }
        self.pass(rest);
    }

    fn pass(&mut self, text: &str) {
        if !text.is_empty() {
            self.sink.text(text);
        }
    }

    fn in_head(&self) -> bool {
        self.stack.last().is_some_and(|open| open.number == usize::from(HEAD))
    }

    /// html, head and body begin once, while nothing else but these is open.
    fn fits(&mut self, number: u16) -> bool {
        let (bit, around): (u8, &[u16]) = match number {
            HTML => (1, &[]),
            HEAD => (2, &[HTML]),
            BODY => (4, &[HTML, HEAD]),
            _ => return true,
        };
        let fits = self.seen & bit == 0
            && self
                .stack
                .iter()
                .all(|open| around.iter().any(|one| usize::from(*one) == open.number));
        if fits {
            self.seen |= bit;
        }
        fits
    }

    fn begin(&mut self, tag: &Tag<'_, 'h>) {
        let number = usize::from(tag.number);
        let about = element(tag.number);
        if self.in_head() && !about.is_in_head {
            self.close(self.stack.len() - 1);
        }
        for (target, scope) in &about.ends {
            self.work += 1;
            if let Some(place) = self.within(usize::from(*target), *scope) {
                self.close(place);
            }
        }
        if (tag.number == A || tag.number == NOBR) && self.flat == 0 {
            self.finish(number);
        }
        self.sink.start(&Tag { empty: false, ..*tag });
        if about.is_void || (tag.empty && self.foreign(tag.number)) {
            self.sink.end(tag.name, tag.number);
        } else if self.stack.len() >= MAX_DEPTH {
            self.flat += 1;
            self.sink.end(tag.name, tag.number);
        } else {
            let place = self.stack.len();
            let number = match tag.number {
                UNKNOWN => self.opened(tag.name),
                _ => number,
            };
            self.places[number].push(place);
            for scope in scopes(number) {
                self.limits[scope].push(place);
            }
            self.stack.push(Open { number, ended: false });
        }
    }

    fn finish(&mut self, number: usize) {
        let short = number.min(KNOWN) as u16;
        let about = element(short);
        if let Some(place) = self.innermost(number, about.end.unwrap_or(SCOPE_BLOCK)) {
            self.close(place);
        } else if matches!(short, BR | P) {
            self.empty(about.name, short);
        } else if about.end.is_none() {
            if let Some(place) = self.within(number, SCOPE_CLOSED) {
                self.places[number].pop();
                self.stack[place].ended = true;
            }
        }
    }

    /// End elements until so many are open, and those whose end tag came too early.
    fn close(&mut self, depth: usize) {
        while self.stack.len() > depth || self.stack.last().is_some_and(|open| open.ended) {
            let Some(open) = self.stack.pop() else { return };
            self.work += 1;
            if !open.ended {
                self.places[open.number].pop();
            }
            for scope in scopes(open.number) {
                self.limits[scope].pop();
            }
            self.flat = 0;
            match open.number.checked_sub(KNOWN) {
                None => {
                    let number = open.number as u16;
                    self.sink.end(element(number).name, number);
                }
                Some(place) => self.closed(place),
            }
        }
    }

    fn empty(&mut self, name: &str, number: u16) {
        self.sink.start(&Tag {
            name,
            number,
            attributes: &[],
            keys: 0,
            source: self.end,
            empty: false,
        });
        self.sink.end(name, number);
    }

    fn foreign(&self, number: u16) -> bool {
        let open = |number: u16| !self.places[usize::from(number)].is_empty();
        number == SVG || number == MATH || open(SVG) || open(MATH)
    }

    /// Return the number of an element that is not in the tables, while it is open.
    fn opened(&mut self, name: &str) -> usize {
        if let Some(number) = self.unknown.get(name) {
            self.names[number - KNOWN].1 += 1;
            return *number;
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.names.push((String::new(), 0));
            self.places.push(Vec::new());
            KNOWN + self.names.len() - 1
        });
        self.names[number - KNOWN] = (name.to_owned(), 1);
        self.unknown.insert(name.to_owned(), number);
        number
    }

    fn closed(&mut self, place: usize) {
        let (name, count) = &mut self.names[place];
        self.sink.end(name, UNKNOWN);
        *count -= 1;
        if *count == 0 {
            self.unknown.remove(name.as_str());
            self.free.push(KNOWN + place);
        }
    }

    /// Return the place of an open element, or of the heading that any end of a heading ends.
    fn innermost(&self, number: usize, scope: u8) -> Option<usize> {
        let headings = usize::from(H1)..=usize::from(H6);
        if headings.contains(&number) {
            return headings.filter_map(|one| self.within(one, scope)).max();
        }
        self.within(number, scope)
    }

    /// Return the place of the innermost open element of a name, unless its scope ends before.
    fn within(&self, number: usize, scope: u8) -> Option<usize> {
        let place = *self.places[number].last()?;
        let limit = self.limits[usize::from(scope)].last().copied();
        (Some(place) >= limit).then_some(place)
    }
}

fn scopes(number: usize) -> impl Iterator<Item = usize> {
    let bits = element(number.min(KNOWN) as u16).limits;
    (0..SCOPE_COUNT).filter(move |scope| bits >> scope & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Packer;
    use crate::tags::UNKNOWN;

    /// Return elements as markup, each start with its end.
    pub struct Written(String);

    impl<'h> Sink<'h> for Written {
        fn text(&mut self, text: &str) {
            self.0.push_str(text);
        }

        fn start(&mut self, tag: &Tag<'_, 'h>) {
            self.0.push_str(&format!("<{}>", tag.name));
        }

        fn end(&mut self, name: &str, _: u16) {
            self.0.push_str(&format!("</{name}>"));
        }
    }

    fn written(html: &str) -> String {
        let mut sink = Written(String::new());
        nest(html, &mut sink);
        sink.0
    }

    #[test]
    fn broken_html() {
        for (html, expected) in [
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<p>a<div>b</p>c", "<p>a</p><div>b<p></p>c</div>"),
            ("<b><p>a</b>b</p>c", "<b><p>ab</p></b>c"),
            ("<h2>a<h3>b</h2>c", "<h2>a</h2><h3>b</h3>c"),
            (
                "<ul><li>a<li><div>b<li>c</ul>d",
                "<ul><li>a</li><li><div>b</div></li><li>c</li></ul>d",
            ),
            (
                "<table><tr><td><table><td>a</table>b</table>c",
                "<table><tr><td><table><td>a</td></table>b</td></tr></table>c",
            ),
            ("<a>a<a>b</a>c", "<a>a</a><a>b</a>c"),
            ("a</i>b</p>c</br>d</img>e", "ab<p></p>c<br></br>de"),
            ("<svg><g/><path>a</svg>b", "<svg><g></g><path>a</path></svg>b"),
            ("<svg><g><p>a", "<svg><g></g></svg><p>a</p>"),
            (
                "<html><head></head><body>a</body></html>b<body><html>",
                "<html><head></head><body>ab</body></html>",
            ),
            ("<p>a\0b\0", "<p>ab</p>"),
        ] {
            assert_eq!(written(html), expected, "{html}");
        }
    }

    #[test]
    fn what_is_too_deep_is_flat() {
        let html = format!("{}a", "<div>".repeat(MAX_DEPTH + 3));
        let flat = "<div></div>".repeat(3);
        let ends = "</div>".repeat(MAX_DEPTH);
        let expected = format!("{}{flat}a{ends}", "<div>".repeat(MAX_DEPTH));
        assert_eq!(written(&html), expected);
    }

    #[test]
    fn work_is_linear() {
        for part in ["<div>", "<p>a", "<b><p></b>", "</b>a", "<a><div>", "<td>", "<x><y>"] {
            let work = |times: usize| {
                let html = part.repeat(times);
                nest(&html, &mut Packer::new(&html))
            };
            assert!(work(2_000) <= 2 * work(1_000) + 3_000, "{part}");
        }
    }

    #[test]
    fn tables_speak_of_scopes_and_of_elements_that_can_be_open() {
        for (name, scope) in (0..UNKNOWN).flat_map(|number| element(number).ends.iter()) {
            assert!(usize::from(*scope) < SCOPE_COUNT);
            assert!(!element(*name).is_void);
        }
    }
}
