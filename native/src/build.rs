//! The builder: tree → columns, in one walk.

use std::borrow::Cow;

use crate::attributes::Key;
use crate::columns::{
    Columns, Links, Span, INHERITED, KIND_HEADING, KIND_ITEM, KIND_LIST, KIND_TABLE, KIND_TEXT,
};
use crate::labels::{level_of, Words};
use crate::space::{self, characters, is_space};
use crate::tags::{element, Way, A, H1, NOSCRIPT};
use crate::tree::{Tree, NONE, PAGE};

const RANK_OF_ROLE: u8 = 2;
/// Not directly inside a list item.
const NO_ITEM: i32 = -2;
const NO_TEXT_YET: i32 = -1;
const NEVER: usize = usize::MAX;

/// An open block, and what is restored at its end.
struct Frame {
    /// Of the text directly in it.
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
    /// Its first node, if it has a level or is a list or table.
    start: usize,
}

#[derive(Clone, Copy)]
enum Leave {
    Nothing,
    Block,
    Link,
}

/// Gathers the nodes of a page.
pub struct Builder {
    pub columns: Columns,
    pub has_noscript: bool,
    scripts: bool,
    frames: Vec<Frame>,
    /// Nodes and ranks of all open sections; the last is the parent of what follows.
    sections: Vec<(i32, u8)>,
    /// So many of them no heading ends.
    floor: usize,
    item: i32,
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
    words: Words,
}

impl Builder {
    pub fn new(scripts: bool) -> Self {
        let page = Frame {
            kind: KIND_TEXT,
            rank: 0,
            scope: false,
            level: 0,
            word: String::new(),
            sections: NEVER,
            floor: 1,
            item: NO_ITEM,
            start: NEVER,
        };
        Builder {
            columns: Columns::default(),
            has_noscript: false,
            scripts,
            frames: vec![page],
            sections: vec![(-1, 0)],
            floor: 1,
            item: NO_ITEM,
            reach: 0,
            line: 0,
            gap: false,
            links: 0,
            linked: 0,
            after_space: false,
            open_links: 0,
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
                if !node.hidden {
                    self.text(tree.text(at));
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
        let way = element(node.number).way;
        if node.hidden || way == Way::Skipped {
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
            Way::Spaced => self.text(" "),
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
            _ => {}
        }
        Some(Leave::Nothing)
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Link => self.open_links -= 1,
            Leave::Block => self.close(),
        }
    }

    /// Append text to the line, its white space folded.
    fn text(&mut self, text: &str) {
        if self.open_links > 0 {
            self.count_linked(text);
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
        let (classes, identifier) = (get(Key::Class), get(Key::Id));
        let (level, word) = level_of(&mut self.words, number, &role, &classes, &identifier);
        let scope = element.is_scope;
        let is_container = own_kind == KIND_LIST || own_kind == KIND_TABLE;
        let mut kind = own_kind;
        if is_container {
            kind = KIND_TEXT;
        } else if own_kind == INHERITED {
            (kind, rank) =
                self.frames.last().map_or((KIND_TEXT, 0), |frame| (frame.kind, frame.rank));
        }
        let node = self.columns.len();
        let sections = self.sections.len();
        self.frames.push(Frame {
            kind,
            rank,
            scope,
            level,
            word,
            sections: if scope { sections } else { NEVER },
            floor: self.floor,
            item: self.item,
            start: if level > 0 || is_container { node } else { NEVER },
        });
        if is_container {
            let parent = if self.item < 0 { self.parent() } else { self.item };
            let start = self.columns.text.len();
            self.columns.add(own_kind, parent, start, 0, self.reach);
            self.line = self.columns.text.len();
            self.sections.push((node as i32, 0));
            self.floor = sections + 1;
            self.item = NO_ITEM;
            return;
        }
        if scope {
            self.floor = sections;
        }
        if own_kind == KIND_ITEM {
            self.item = NO_TEXT_YET;
        }
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
        let end = self.columns.len();
        if frame.start == NEVER || end <= frame.start {
            return;
        }
        if end == frame.start + 1 && self.columns.lengths[frame.start] == 0 {
            self.columns.pop(); // a list or table, and empty
            self.line = self.columns.text.len();
        } else if frame.level > 0 {
            self.columns.spans.push(Span {
                start: frame.start,
                end,
                level: frame.level,
                word: frame.word,
            });
        }
    }

    fn parent(&self) -> i32 {
        self.sections.last().map_or(-1, |section| section.0)
    }

    /// Make a node of the text since the last block began or ended.
    fn finish_line(&mut self) {
        let (links, linked) = (self.links, self.linked);
        self.links = usize::from(self.open_links > 0);
        self.linked = 0;
        self.after_space = false;
        self.gap = false;
        if self.columns.text.len() == self.line {
            return;
        }
        let depth = self.frames.len() - 1;
        let (kind, rank) = (self.frames[depth].kind, self.frames[depth].rank);
        let node = self.columns.len();
        if links > 0 {
            self.columns.links.push(Links { node, characters: linked, count: links });
        }
        while rank > 0
            && self.sections.len() > self.floor
            && self.sections.last().is_some_and(|section| section.1 >= rank)
        {
            self.sections.pop();
        }
        let length = characters(&self.columns.text[self.line..]);
        let parent = self.parent();
        self.columns.add(kind, parent, self.line, length, self.reach);
        self.line = self.columns.text.len();
        self.reach = depth;
        if rank > 0 {
            self.sections.push((node as i32, rank));
            if rank == 1 {
                self.columns.tops.push(node);
            }
        } else if self.item == NO_TEXT_YET && kind == KIND_ITEM {
            self.item = node as i32;
        }
    }
}
