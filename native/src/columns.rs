//! What the builder gathers of a page, for the second look that finds its main text.

use crate::space::first_characters;

/// Kinds of blocks, as Python knows them by their numbers.
pub const KINDS: &str =
    "heading text item cell term definition code address quote caption control \
     list table row head label";
pub const KIND_HEADING: u8 = 0;
pub const KIND_TEXT: u8 = 1;
pub const KIND_ITEM: u8 = 2;
pub const KIND_CELL: u8 = 3;
pub const KIND_TERM: u8 = 4;
pub const KIND_DEFINITION: u8 = 5;
pub const KIND_CODE: u8 = 6;
pub const KIND_QUOTE: u8 = 8;
pub const KIND_CONTROL: u8 = 10;
pub const KIND_LIST: u8 = 11;
pub const KIND_TABLE: u8 = 12;
pub const KIND_ROW: u8 = 13;
/// A header cell of a table.
pub const KIND_HEAD: u8 = 14;
/// A short block in bold, or a question, that heads what follows it.
pub const KIND_LABEL: u8 = 15;
/// The kind of a block that has that of the block around it.
pub const INHERITED: u8 = 255;

/// The nodes of an element, its level, and what says so: its name, or the word of its class or id.
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub level: u8,
    pub word: String,
}

/// The links in a node.
pub struct Links {
    pub node: usize,
    /// Their characters.
    pub characters: usize,
    /// Those that begin in it.
    pub count: usize,
}

/// What the builder has gathered.
#[derive(Default)]
pub struct Columns {
    pub kinds: Vec<u8>,
    pub parents: Vec<i32>,
    /// The column of its cell, from 1 on, for each child of a row; else 0.
    pub grid: Vec<u8>,
    /// All texts, each ended by a line feed.
    pub text: String,
    /// Where the text of each node begins and ends.
    places: Vec<(usize, usize)>,
    /// Characters of each text.
    pub lengths: Vec<usize>,
    /// By node.
    pub links: Vec<Links>,
    /// The nodes that are headings of rank 1.
    pub tops: Vec<usize>,
    /// The depth of the innermost element that holds the node and the one before it.
    pub lows: Vec<usize>,
    /// The elements that have a level, inner ones first.
    pub spans: Vec<Span>,
}

impl Columns {
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Return the text of a node; empty for lists, tables and rows.
    pub fn at(&self, node: usize) -> &str {
        let (start, end) = self.places[node];
        &self.text[start..end]
    }

    /// Return the links in a node.
    pub fn links_of(&self, node: usize) -> Option<&Links> {
        let found = self.links.binary_search_by_key(&node, |one| one.node);
        found.ok().map(|place| &self.links[place])
    }

    /// Return for each node the share of its characters that links have, of 255.
    pub fn link_shares(&self) -> Vec<u8> {
        let mut shares = vec![0; self.len()];
        for links in &self.links {
            let length = self.lengths[links.node].max(1);
            shares[links.node] =
                ((links.characters.min(length) * 510 + length) / (2 * length)) as u8;
        }
        shares
    }

    /// Make texts of labels that nothing follows.
    pub fn settle_labels(&mut self) {
        for node in 0..self.len() {
            let next = self.parents.get(node + 1).copied();
            if self.kinds[node] == KIND_LABEL && next != i32::try_from(node).ok() {
                self.kinds[node] = KIND_TEXT;
            }
        }
    }

    /// Append a node whose text stands at the end of `text` already, from a place on; its parent
    /// comes with the column in it.
    pub fn add(&mut self, kind: u8, parent: (i32, u8), start: usize, length: usize, low: usize) {
        self.kinds.push(kind);
        self.parents.push(parent.0);
        self.grid.push(parent.1);
        self.places.push((start, self.text.len()));
        self.text.push('\n');
        self.lengths.push(length);
        self.lows.push(low);
    }

    /// Remove the last node, which is an empty container.
    pub fn pop(&mut self) {
        self.truncate(self.len().saturating_sub(1));
    }

    /// Keep no more than so many characters of text; return true if there were more.
    pub fn cut(&mut self, most: usize) -> bool {
        let mut end = 0;
        let over = self.lengths.iter().position(|length| {
            end += length;
            end > most
        });
        let Some(node) = over else { return false };
        let kept = most - (end - self.lengths[node]);
        let start = self.places[node].0;
        let shown = first_characters(self.at(node), kept).trim_end_matches(' ');
        let (size, short) = (shown.len(), crate::space::characters(shown));
        self.shorten(node + 1);
        self.text.truncate(start + size);
        self.text.push('\n');
        self.places[node].1 = start + size;
        self.lengths[node] = short;
        let last = self.lengths.iter().rposition(|length| *length > 0);
        self.shorten(last.map_or(0, |last| last + 1));
        true
    }

    fn truncate(&mut self, last: usize) {
        self.kinds.truncate(last);
        self.parents.truncate(last);
        self.grid.truncate(last);
        self.places.truncate(last);
        self.lengths.truncate(last);
        self.lows.truncate(last);
        let end = self.places.last().map_or(0, |place| place.1 + 1);
        self.text.truncate(end);
    }

    fn shorten(&mut self, last: usize) {
        self.truncate(last);
        self.links.retain(|one| one.node < last);
        self.tops.retain(|node| *node < last);
        self.spans.retain(|span| span.start < last);
        for span in &mut self.spans {
            span.end = span.end.min(last);
        }
    }
}
