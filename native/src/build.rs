//! The builder: tree → columns, in one walk.

use std::borrow::Cow;

use crate::attributes::Key;
use crate::columns::{
    Columns, Links, Span, INHERITED, KIND_CELL, KIND_CONTROL, KIND_DEFINITION, KIND_HEAD,
    KIND_HEADING, KIND_ITEM, KIND_LABEL, KIND_LIST, KIND_ROW, KIND_TABLE, KIND_TERM, KIND_TEXT,
};
use crate::labels::{level_of, Words, LEVEL_NONE};
use crate::space::{self, characters, first_characters, is_space};
use crate::tables::{spanned, Table};
use crate::tags::{element, Way, A, BUTTON, H1, NOSCRIPT};
use crate::tree::{Tree, NONE, PAGE};
use crate::words::count_words;

const RANK_OF_ROLE: u8 = 2;
/// Below all headings.
const RANK_OF_LABEL: u8 = 7;
/// Words of a label, at most; two characters of a script without spaces are about a word.
const LABEL_WORDS: usize = 16;
const LABEL_CHARACTERS: usize = 200;
/// Words of a label that ends as a sentence does (`Purpose.`), at most.
const RUN_IN_WORDS: usize = 4;
const FULL_STOPS: [char; 4] = ['.', '\u{3002}', '\u{964}', '\u{6d4}'];
const QUESTION_MARKS: [char; 3] = ['?', '\u{ff1f}', '\u{61f}'];
/// Not after a term.
const NO_TERM: i32 = -1;
/// Not directly inside a list item.
const NO_ITEM: i32 = -2;
const NO_TEXT_YET: i32 = -1;
const NEVER: usize = usize::MAX;
/// Characters of hidden text that are kept of one place and of the page, for whoever looks at it.
const HIDDEN_IN_PLACE: usize = 80;
const HIDDEN_IN_PAGE: usize = 200;
/// Bytes of hidden text in one place that are looked at.
const HIDDEN_BYTES: usize = 16 * HIDDEN_IN_PLACE;

/// An open block, and what is restored at its end.
struct Frame {
    /// Of the element itself, and of the text directly in it.
    own_kind: u8,
    kind: u8,
    rank: u8,
    /// Headings inside do not reach beyond it.
    scope: bool,
    level: u8,
    word: String,
    /// How many sections were open before it, if it is a scope.
    sections: usize,
    floor: usize,
    item: i32,
    term: i32,
    /// Its first node; and again, if it has a level or is a list or table.
    first: usize,
    start: usize,
}

#[derive(Clone, Copy)]
enum Leave {
    Nothing,
    Block,
    Link,
    Row,
    Strong,
}

/// Gathers the nodes of a page.
pub struct Builder {
    pub columns: Columns,
    pub has_noscript: bool,
    /// What is hidden: texts, and the nodes before which they stand.
    pub hidden: Vec<(usize, String)>,
    /// Characters of it that may still be kept.
    hidden_room: usize,
    scripts: bool,
    frames: Vec<Frame>,
    /// Nodes and ranks of all open sections; the last is the parent of what follows.
    sections: Vec<(i32, u8)>,
    /// So many of them no heading ends.
    floor: usize,
    item: i32,
    /// The term that is defined.
    term: i32,
    tables: Vec<Table>,
    /// The least depth since the last node.
    reach: usize,
    /// Where the line begins in the text, and whether a space is due in it.
    line: usize,
    gap: bool,
    /// Links in the line, their characters, and whether the last of these is a space.
    links: usize,
    linked: usize,
    after_space: bool,
    open_links: usize,
    /// Open elements with strong text, and whether the line has words outside of them.
    open_strong: usize,
    has_plain: bool,
    /// The node after the last heading.
    heading: usize,
    words: Words,
}

impl Builder {
    pub fn new(scripts: bool) -> Self {
        let page = Frame {
            own_kind: KIND_TEXT,
            kind: KIND_TEXT,
            rank: 0,
            scope: false,
            level: 0,
            word: String::new(),
            sections: NEVER,
            floor: 1,
            item: NO_ITEM,
            term: NO_TERM,
            first: 0,
            start: NEVER,
        };
        Builder {
            columns: Columns::default(),
            has_noscript: false,
            hidden: Vec::new(),
            hidden_room: HIDDEN_IN_PAGE,
            scripts,
            frames: vec![page],
            sections: vec![(-1, 0)],
            floor: 1,
            item: NO_ITEM,
            term: NO_TERM,
            tables: Vec::new(),
            reach: 0,
            line: 0,
            gap: false,
            links: 0,
            linked: 0,
            after_space: false,
            open_links: 0,
            open_strong: 0,
            has_plain: false,
            heading: 0,
            words: Words::default(),
        }
    }

    /// Go through all that is shown of a page.
    pub fn walk(&mut self, tree: &Tree<'_>) {
        let mut open: Vec<(u32, Leave)> = Vec::new();
        let mut at = tree.first(PAGE);
        loop {
            if at == NONE {
                let Some((element, leave)) = open.pop() else {
                    break;
                };
                self.leave(leave);
                at = tree.node(element).next;
                continue;
            }
            let node = tree.node(at);
            if node.is_text {
                match node.hidden {
                    true => self.keep_hidden(tree, at),
                    false => self.text(tree.text(at)),
                }
            } else if let Some(leave) = self.enter(tree, at) {
                open.push((at, leave));
                at = tree.first(at);
                continue;
            }
            at = node.next;
        }
        self.finish_line();
    }

    /// Begin an element; return what ends it, None if nothing in it is shown.
    fn enter(&mut self, tree: &Tree<'_>, at: u32) -> Option<Leave> {
        let node = tree.node(at);
        let element = element(node.number);
        let way = element.way;
        if way == Way::Skipped {
            return None;
        }
        if node.hidden {
            self.keep_hidden(tree, at);
            return None;
        }
        if node.number == NOSCRIPT {
            self.has_noscript = true;
            if self.scripts {
                return None;
            }
        }
        match way {
            Way::Block => {
                self.finish_line();
                self.open(tree, at);
                return Some(Leave::Block);
            }
            Way::Spaced => {
                self.text(" ");
                if element.kind == KIND_ROW {
                    self.tables.last_mut().map(Table::begin_row);
                    return Some(Leave::Row);
                }
            }
            Way::Gap => {
                self.text(" ");
                return None;
            }
            _ if node.number == A && tree.has(at, Key::Href) => {
                if self.open_links == 0 {
                    self.links += 1;
                    self.after_space = false;
                }
                self.open_links += 1;
                return Some(Leave::Link);
            }
            _ if element.is_strong => {
                self.open_strong += 1;
                return Some(Leave::Strong);
            }
            _ => {}
        }
        Some(Leave::Nothing)
    }

    /// Keep the beginning of what is hidden, be it a text or an element.
    fn keep_hidden(&mut self, tree: &Tree<'_>, at: u32) {
        if self.hidden_room == 0 {
            return;
        }
        let (mut raw, mut waiting) = (String::new(), vec![at]);
        while let Some(one) = waiting.pop().filter(|_| raw.len() < HIDDEN_BYTES) {
            let node = tree.node(one);
            if one != at && node.next != NONE {
                waiting.push(node.next);
            }
            let way = element(node.number).way;
            if node.is_text {
                raw.push_str(tree.text(one));
            } else if way != Way::Skipped && node.number != NOSCRIPT {
                raw.push_str(if matches!(way, Way::Block | Way::Spaced | Way::Gap) {
                    " "
                } else {
                    ""
                });
                waiting.extend(Some(tree.first(one)).filter(|first| *first != NONE));
            }
        }
        let text = space::folded(&raw);
        let room = self.hidden_room.min(HIDDEN_IN_PLACE);
        let kept = first_characters(&text, room).trim_end();
        if !kept.is_empty() {
            self.hidden_room -= characters(kept);
            let more =
                if kept.len() < text.len() || raw.len() >= HIDDEN_BYTES { "…" } else { "" };
            let is_behind = self.columns.text.len() > self.line; // text of a node that is open
            let node = self.columns.len() + usize::from(is_behind);
            self.hidden.push((node, format!("{kept}{more}")));
        }
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Link => {
                self.open_links -= 1;
                if self.columns.text.len() == self.line {
                    (self.links, self.linked) = (0, 0); // of a picture, or its texts have ended
                }
            }
            Leave::Strong => self.open_strong -= 1,
            Leave::Row => {
                self.tables.last_mut().map(Table::end_row);
            }
            Leave::Block => self.close(),
        }
    }

    /// Append text to the line, its white space folded.
    fn text(&mut self, text: &str) {
        if self.open_links > 0 {
            self.count_linked(text);
        }
        if self.open_strong == 0 && !self.has_plain {
            self.has_plain = text.chars().any(char::is_alphanumeric);
        }
        let mut at = 0;
        while at < text.len() {
            let word = space::words_end(text, at);
            if word > at {
                if self.gap && self.columns.text.len() > self.line {
                    self.columns.text.push(' ');
                }
                self.columns.text.push_str(&text[at..word]);
                self.gap = false;
            }
            at = space::space_end(text, word);
            self.gap |= at > word;
        }
    }

    /// Count the characters of links, runs of white space as one.
    fn count_linked(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            let word = space::words_end(text, at);
            self.linked += characters(&text[at..word]);
            self.after_space &= word == at;
            at = space::space_end(text, word);
            if at > word {
                self.linked += usize::from(!self.after_space);
                self.after_space = true;
            }
        }
    }

    fn open(&mut self, tree: &Tree<'_>, at: u32) {
        let number = tree.node(at).number;
        let element = element(number);
        let is_attributed = element.is_attributed && tree.node(at).keys != 0;
        let get = |key: Key| match is_attributed {
            true => tree.value(at, key),
            false => Cow::Borrowed(""),
        };
        let role = get(Key::Role).trim_matches(is_space).to_ascii_lowercase();
        let mut own_kind = element.kind;
        let mut rank = match own_kind {
            KIND_HEADING => (number - H1) as u8 + 1,
            _ => 0,
        };
        if role == "heading" {
            own_kind = KIND_HEADING;
            let level = get(Key::AriaLevel);
            let digit = level.bytes().find(|byte| (b'1'..=b'6').contains(byte));
            rank = digit.map_or(RANK_OF_ROLE, |digit| digit - b'0');
        }
        if own_kind == KIND_CELL && matches!(role.as_str(), "columnheader" | "rowheader") {
            own_kind = KIND_HEAD;
        }
        let (classes, identifier) = (get(Key::Class), get(Key::Id));
        let (mut level, word) = level_of(&mut self.words, number, &role, &classes, &identifier);
        // a heading that opens what is below it, as in lists of questions, is a heading still
        let around = self.frames.last().map_or(KIND_TEXT, |frame| frame.kind);
        if number == BUTTON && matches!(around, KIND_HEADING | KIND_TERM) {
            (own_kind, level) = (INHERITED, LEVEL_NONE);
        }
        let scope = element.is_scope;
        let is_container = own_kind == KIND_LIST || own_kind == KIND_TABLE;
        let mut kind = own_kind;
        if is_container {
            kind = KIND_TEXT;
        } else if own_kind == INHERITED {
            (kind, rank) =
                self.frames.last().map_or((KIND_TEXT, 0), |frame| (frame.kind, frame.rank));
        }
        let first = self.columns.len();
        let inside = match own_kind {
            KIND_CELL | KIND_HEAD => self.begin_cell(tree, at),
            KIND_DEFINITION => usize::try_from(self.term).ok(),
            _ => None,
        };
        let node = self.columns.len();
        let sections = self.sections.len();
        self.frames.push(Frame {
            own_kind,
            kind,
            rank,
            scope,
            level,
            word,
            sections: if scope { sections } else { NEVER },
            floor: self.floor,
            item: self.item,
            term: self.term,
            first,
            start: if level > 0 || is_container { node } else { NEVER },
        });
        if is_container {
            let parent = if self.item < 0 { self.parent() } else { self.item };
            self.add_container(own_kind, parent);
            self.sections.push((node as i32, 0));
            self.floor = sections + 1;
            self.item = NO_ITEM;
            self.term = NO_TERM;
            if own_kind == KIND_TABLE {
                self.tables.push(Table::default());
            }
            return;
        }
        if scope {
            self.floor = sections;
        }
        if let Some(parent) = inside {
            self.sections.push((parent as i32, 0));
            self.floor = sections + 1;
        }
        if own_kind == KIND_ITEM {
            self.item = NO_TEXT_YET;
        }
    }

    /// Begin a cell, and its row if it is the first of it; return the row, if there is a table.
    fn begin_cell(&mut self, tree: &Tree<'_>, at: u32) -> Option<usize> {
        let parent = self.parent();
        let table = self.tables.last_mut()?;
        let [rows, columns] = [Key::Rowspan, Key::Colspan].map(|key| match tree.has(at, key) {
            true => spanned(&tree.value(at, key)),
            false => 1,
        });
        table.begin_cell(rows, columns);
        if table.row.is_none() {
            table.row = Some(self.columns.len());
            self.add_container(KIND_ROW, parent);
        }
        self.tables.last()?.row
    }

    fn add_container(&mut self, kind: u8, parent: i32) {
        let parent = self.with_column(parent);
        self.columns.add(kind, parent, self.columns.text.len(), 0, self.reach);
        self.line = self.columns.text.len();
    }

    /// Return a parent with the column of the open cell, if it is the row of that.
    fn with_column(&self, parent: i32) -> (i32, u8) {
        let table = self.tables.last();
        let table = table.filter(|table| table.row.is_some_and(|row| row as i32 == parent));
        (parent, table.map_or(0, |table| table.column))
    }

    fn close(&mut self) {
        self.finish_line();
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.reach = self.reach.min(self.frames.len() - 1);
        self.sections.truncate(frame.sections);
        if frame.scope || frame.level > 0 {
            self.floor = frame.floor;
            self.item = frame.item;
        }
        self.end_row_without_text(frame.first);
        self.end_label(frame.first);
        if frame.scope {
            self.term = frame.term;
        }
        if frame.own_kind == KIND_TERM {
            let text = self.columns.lengths.get(frame.first).is_some_and(|length| *length > 0);
            self.term = if text { frame.first as i32 } else { NO_TERM };
        } else if frame.own_kind == KIND_TABLE {
            self.tables.pop();
        }
        let end = self.columns.len();
        if frame.start == NEVER || end <= frame.start {
            return;
        }
        if end == frame.start + 1 && self.columns.lengths[frame.start] == 0 {
            self.pop(); // a list or table, and empty
        } else if frame.level > 0 && !(frame.own_kind == KIND_CONTROL && self.heading > frame.start)
        {
            self.columns.spans.push(Span {
                start: frame.start,
                end,
                level: frame.level,
                word: frame.word,
            });
        }
    }

    fn pop(&mut self) {
        self.columns.pop();
        self.line = self.columns.text.len();
    }

    /// Take back the row that began with an element, now at its end, if no text is in it.
    fn end_row_without_text(&mut self, first: usize) {
        let last = self.columns.len().checked_sub(1);
        if let Some(table) = self.tables.last_mut() {
            if table.row.is_some_and(|row| row >= first) && table.row == last {
                table.row = None;
                self.pop();
            }
        }
    }

    /// End the label in an element that ends, unless nothing else is in it.
    fn end_label(&mut self, first: usize) {
        let Some((node, RANK_OF_LABEL)) = self.sections.last() else { return };
        let node = *node as usize;
        if node > first || node == first && self.columns.len() > node + 1 {
            self.sections.pop();
        }
    }

    /// Return true if the line, which is text, can be the label of what follows it.
    fn is_label(&self, length: usize) -> bool {
        let text = &self.columns.text[self.line..];
        let around = usize::try_from(self.parent()).ok().map(|parent| self.columns.kinds[parent]);
        // a whole sentence in bold is stressed, and heads nothing
        let words = match text.ends_with(FULL_STOPS) {
            true => RUN_IN_WORDS,
            false => LABEL_WORDS,
        };
        length <= LABEL_CHARACTERS
            && (!self.has_plain || text.ends_with(QUESTION_MARKS))
            && !matches!(around, Some(KIND_LIST | KIND_TABLE))
            && text.chars().any(char::is_alphanumeric)
            && text.split(' ').count().max(count_words(text) / 2) <= words
    }

    fn parent(&self) -> i32 {
        self.sections.last().map_or(-1, |section| section.0)
    }

    /// Make a node of the text since the last block began or ended.
    fn finish_line(&mut self) {
        self.after_space = false;
        self.gap = false;
        if self.columns.text.len() == self.line {
            self.has_plain = false;
            return;
        }
        let (links, linked) = (self.links, self.linked);
        (self.links, self.linked) = (0, 0);
        let depth = self.frames.len() - 1;
        let (mut kind, mut rank) = (self.frames[depth].kind, self.frames[depth].rank);
        let length = characters(&self.columns.text[self.line..]);
        if kind == KIND_TEXT && self.is_label(length) {
            (kind, rank) = (KIND_LABEL, RANK_OF_LABEL);
        }
        self.has_plain = false;
        let node = self.columns.len();
        if links > 0 || linked > 0 {
            self.columns.links.push(Links { node, characters: linked, count: links });
        }
        while rank > 0
            && self.sections.len() > self.floor
            && self.sections.last().is_some_and(|section| section.1 >= rank)
        {
            self.sections.pop();
        }
        let parent = self.with_column(self.parent());
        self.columns.add(kind, parent, self.line, length, self.reach);
        self.line = self.columns.text.len();
        self.reach = depth;
        if kind == KIND_HEADING {
            self.heading = node + 1;
        }
        if rank > 0 {
            self.sections.push((node as i32, rank));
            self.term = NO_TERM;
            if rank == 1 {
                self.columns.tops.push(node);
            }
        } else if self.item == NO_TEXT_YET && kind == KIND_ITEM {
            self.item = node as i32;
        }
    }
}
