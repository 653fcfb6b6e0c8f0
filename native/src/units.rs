//! Units: the sentences, items, cells, headings and lines of a page, each in its place.
//!
//! A unit is what a page may keep or lose. Its key is the hash of its text as it is shown, so that
//! signs count; one that is mostly link has another key, so that a menu never keeps a sentence. Its
//! place is the heading, label or term that it belongs to, and in tables the heads of its row and
//! of its column.

use crate::columns::{
    KIND_CELL, KIND_DEFINITION, KIND_HEAD, KIND_HEADING, KIND_ITEM, KIND_LABEL, KIND_QUOTE,
    KIND_ROW, KIND_TERM, KIND_TEXT,
};
use crate::fingerprint::block_hash;
use crate::hash::Map;
use crate::parents;
use crate::scan::word_of;
use crate::similarity::characters::{is_spaceless, is_word};
use crate::similarity::split::{sentences, split};
use crate::similarity::table::{strings, Reader};

/// Of 255: from this share of links on a unit is one of a menu; less may be a sentence that ends
/// with what it refers to.
pub const MOSTLY_LINK: u8 = 204;
/// What makes the key of a unit of a menu another one.
const LINK_KEY: u64 = 0x9E37_79B9_7F4A_7C15;
/// Items and cells of more bytes are text, not what other units belong to.
const LONGEST_PARENT: usize = 120;
const PACKED: usize = 52;
/// No parent of this kind.
pub const NOWHERE: u64 = 0;

/// Where a unit belongs: the keys of its heading, label or term, of its row and of its column.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub section: u64,
    pub row: u64,
    pub column: u64,
}

/// A unit of a page.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unit {
    pub key: u64,
    pub place: Place,
    pub node: u32,
    /// Where its text begins and ends in the lines of the page, in bytes.
    pub start: u32,
    pub end: u32,
    /// How many words it has.
    pub words: u32,
    pub kind: u8,
    pub mark: u8,
    /// The share of its characters that is link text, of 255.
    pub link: u8,
}

/// The columns of an outline.
pub struct Page<'a> {
    pub kinds: &'a [u8],
    pub parents: Vec<i32>,
    pub marks: &'a [u8],
    pub links: &'a [u8],
    pub grid: &'a [u8],
    pub lines: &'a str,
}

impl<'a> Page<'a> {
    /// Read kinds, parents, marks, links, grid and lines; nothing if they do not belong together.
    pub fn read(parts: &[&'a [u8]]) -> Option<Self> {
        let [kinds, parents, marks, links, grid, lines] = parts else { return None };
        let count = kinds.len();
        let parents = parents::unpacked(parents, count)?;
        let fits = [marks, links, grid].iter().all(|column| column.len() == count);
        let rises = (0..).zip(&parents).all(|(node, &parent)| parent < node);
        let lines = std::str::from_utf8(lines).ok()?;
        (fits && rises).then_some(Page { kinds, parents, marks, links, grid, lines })
    }

    /// Return the units of the page in reading order.
    pub fn units(&self) -> Option<Vec<Unit>> {
        let texts = self.texts()?;
        let places = self.places(&texts);
        let mut units = Vec::with_capacity(2 * texts.len());
        for (node, &(start, text)) in texts.iter().enumerate() {
            if text.is_empty() {
                continue;
            }
            let kind = self.kinds[node];
            let link = link_of(text, kind, self.links[node]);
            let mut add = |part: &str, offset: usize| {
                units.push(Unit {
                    key: key_of(part, kind, link),
                    place: places[node],
                    node: node as u32,
                    start: (start + offset) as u32,
                    end: (start + offset + part.len()) as u32,
                    words: count_words(part),
                    kind,
                    mark: self.marks[node],
                    link,
                });
            };
            let base = text.as_ptr() as usize;
            each_unit(text, kind, |part| add(part, part.as_ptr() as usize - base));
        }
        Some(units)
    }

    /// Return where the text of each node begins, and it.
    fn texts(&self) -> Option<Vec<(usize, &'a str)>> {
        let parts = strings(self.lines.as_bytes(), self.kinds.len())?;
        let mut at = 0;
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            texts.push((at, &self.lines[at..at + part.len()]));
            at += part.len() + 1;
        }
        Some(texts)
    }

    /// Return the place of each node.
    fn places(&self, texts: &[(usize, &str)]) -> Vec<Place> {
        let mut places = vec![Place::default(); self.kinds.len()];
        let mut seen: Map<&str, u32> = Map::default();
        for (_, text) in texts {
            *seen.entry(text).or_default() += 1;
        }
        for node in 0..self.kinds.len() {
            let Ok(parent) = usize::try_from(self.parents[node]) else { continue };
            places[node] = places[parent];
            let text = texts[parent].1;
            let is_parent = match self.kinds[parent] {
                KIND_HEADING | KIND_LABEL | KIND_TERM => true,
                KIND_ITEM => text.len() <= LONGEST_PARENT,
                _ => false,
            };
            if is_parent && !text.is_empty() {
                // a heading that a page has more than once is told by the one above it
                let above = if seen[text] > 1 { places[parent].section.rotate_left(1) } else { 0 };
                places[node].section = block_hash(text) ^ above;
            }
        }
        self.place_cells(texts, &mut places);
        places
    }

    /// Give what is in cells the heads of its row and of its column.
    fn place_cells(&self, texts: &[(usize, &str)], places: &mut [Place]) {
        let head = |node: usize| match texts[node].1 {
            text if text.len() <= LONGEST_PARENT => block_hash(text),
            _ => NOWHERE,
        };
        // the first text of each row, and the heads of each table by their columns
        let mut rows: Map<usize, usize> = Map::default();
        let mut first_rows: Map<usize, usize> = Map::default();
        let mut columns: Map<(usize, u8), u64> = Map::default();
        for node in 0..self.kinds.len() {
            let Ok(row) = usize::try_from(self.parents[node]) else { continue };
            if self.kinds[row] != KIND_ROW || texts[node].1.is_empty() {
                continue;
            }
            let table = usize::try_from(self.parents[row]).unwrap_or(row);
            let leader = *rows.entry(row).or_insert(node);
            let is_first = *first_rows.entry(table).or_insert(row) == row;
            let column = self.grid[node];
            if is_first && self.kinds[node] == KIND_HEAD {
                columns.entry((table, column)).or_insert(head(node));
            }
            places[node].row = head(leader); // that of a row is its own head
            if !is_first {
                places[node].column = columns.get(&(table, column)).copied().unwrap_or(NOWHERE);
            }
        }
    }
}

fn key_of(text: &str, kind: u8, link: u8) -> u64 {
    let key = block_hash(text);
    // a heading is one, whether it links to what it is the heading of or not
    if link >= MOSTLY_LINK && kind != KIND_HEADING {
        key ^ LINK_KEY
    } else {
        key
    }
}

/// Count the words of a unit; in scripts without spaces each character is one, and where there are
/// none at all each sign.
fn count_words(text: &str) -> u32 {
    let (mut count, mut inside) = (0, false);
    for one in text.chars() {
        let is_part = is_word(one);
        let alone = is_part && is_spaceless(one);
        count += u32::from(is_part && (alone || !inside));
        inside = is_part && !alone;
    }
    match count {
        0 => text.chars().filter(|one| *one != ' ').count() as u32,
        _ => count,
    }
}

/// Whether the text of a node is split into sentences.
fn is_prose(kind: u8) -> bool {
    matches!(kind, KIND_TEXT | KIND_ITEM | KIND_DEFINITION | KIND_QUOTE | KIND_CELL)
}

/// Call a function with the node and the key of each unit of a page, in order.
pub fn each_key<'a>(
    kinds: &[u8],
    links: &[u8],
    texts: impl Iterator<Item = &'a str>,
    mut each: impl FnMut(u32, u64),
) {
    let columns = (0..).zip(kinds.iter().zip(links)).zip(texts);
    for ((node, (&kind, &link)), text) in columns.filter(|(_, text)| !text.is_empty()) {
        let link = link_of(text, kind, link);
        each_unit(text, kind, |part| each(node, key_of(part, kind, link)));
    }
}

/// Return the share of links of the text of a node; text of several sentences is no entry of a menu
/// if it is in a link: it is a teaser that leads to the page that it is from.
fn link_of(text: &str, kind: u8, link: u8) -> u8 {
    if link < MOSTLY_LINK || text.len() <= LONGEST_PARENT || !is_prose(kind) {
        return link;
    }
    let mut count = 0;
    split(text, |_| count += 1);
    if count > 1 {
        0
    } else {
        link
    }
}

/// Call a function with each unit of the text of a node.
fn each_unit<'a>(text: &'a str, kind: u8, mut each: impl FnMut(&'a str)) {
    if is_prose(kind) {
        sentences(text, each);
    } else {
        each(text);
    }
}

/// Return the units of a page as bytes; the parts are the columns of its outline.
pub fn packed(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let units = Page::read(parts)?.units()?;
    let mut bytes = Vec::with_capacity(PACKED * units.len());
    for unit in &units {
        let Place { section, row, column } = unit.place;
        for number in [unit.key, section, row, column] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [unit.node, unit.start, unit.end, unit.words] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[unit.kind, unit.mark, unit.link, 0]);
    }
    Some(bytes)
}

/// Read units as they were packed; nothing if they are not of this text.
pub fn unpacked(bytes: &[u8], lines: &str) -> Option<Vec<Unit>> {
    if bytes.len() % PACKED != 0 {
        return None;
    }
    let mut reader = Reader::new(bytes);
    let mut units = Vec::with_capacity(bytes.len() / PACKED);
    for _ in 0..bytes.len() / PACKED {
        let keys = reader.bytes(32)?;
        let [key, section, row, column] = [0, 8, 16, 24].map(|at| word_of(&keys[at..at + 8]));
        let numbers = reader.numbers(4)?;
        let about = reader.bytes(4)?;
        lines.get(numbers[1] as usize..numbers[2] as usize)?;
        units.push(Unit {
            key,
            place: Place { section, row, column },
            node: numbers[0],
            start: numbers[1],
            end: numbers[2],
            words: numbers[3],
            kind: about[0],
            mark: about[1],
            link: about[2],
        });
    }
    Some(units)
}
