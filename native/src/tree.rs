//! The tree of a page, made of its elements.

use std::borrow::Cow;

use crate::attributes::{all, Attribute, Key, Named};
use crate::elements::nest;
use crate::scan;
use crate::tags::{element, KNOWN, UNKNOWN};
use crate::tokens::{LeftOut, Sink, Tag};

/// The number of no node.
pub const NONE: u32 = u32::MAX;
/// The number of the page itself, which has no name.
pub const PAGE: u32 = 0;

/// An element or a text.
pub struct Node {
    pub parent: u32,
    pub previous: u32,
    pub next: u32,
    last: u32,
    /// The number of its name; UNKNOWN for rare names, the page and texts.
    pub number: u16,
    pub depth: u16,
    pub is_text: bool,
    pub hidden: bool,
    /// Its text or name is in the page as it is, not in `made`.
    is_literal: bool,
    /// Where its text stands, or its name if that is rare.
    start: u32,
    end: u32,
    attributes: u32,
    attributes_end: u32,
    /// The keys of these, as bits.
    pub keys: u32,
    /// Where all its attributes stand in the page.
    source: u32,
}

/// A page: all nodes in the order in which they begin.
pub struct Tree<'h> {
    pub nodes: Vec<Node>,
    html: &'h str,
    /// Texts that do not stand in the page as they are.
    made: String,
    /// Those that are asked for.
    attributes: Vec<Attribute<'h>>,
    /// Which elements there are, by number.
    present: [bool; KNOWN],
    open: u32,
    /// The parts of the page that have no say in how it looks, in order.
    pub left_out: Vec<LeftOut>,
    /// Something in the page is not in the tree.
    pub is_lossy: bool,
}

impl<'h> Tree<'h> {
    /// Return the tree of a page, which is `normalized`.
    pub fn of(html: &'h str) -> Self {
        let mut tree = Tree {
            nodes: Vec::with_capacity(html.len() / 32 + 1),
            html,
            made: String::new(),
            attributes: Vec::with_capacity(html.len() / 64),
            present: [false; KNOWN],
            open: NONE,
            left_out: Vec::new(),
            is_lossy: false,
        };
        tree.open = tree.add(UNKNOWN, false, "");
        nest(html, &mut tree);
        tree
    }

    pub fn html(&self) -> &'h str {
        self.html
    }

    pub fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// Return the name of an element; empty for the page and for text.
    pub fn name(&self, at: u32) -> &str {
        let node = self.node(at);
        match node.number {
            UNKNOWN if node.is_text => "",
            UNKNOWN => self.letters(node),
            known => element(known).name,
        }
    }

    /// Return the text of a node; empty for elements.
    pub fn text(&self, at: u32) -> &str {
        let node = self.node(at);
        match node.is_text {
            true => self.letters(node),
            false => "",
        }
    }

    fn letters(&self, node: &Node) -> &str {
        let all = if node.is_literal { self.html } else { &self.made };
        &all[node.start as usize..node.end as usize]
    }

    /// Return true if there is such an element.
    pub fn has_any(&self, number: u16) -> bool {
        self.present.get(usize::from(number)) == Some(&true)
    }

    /// Return what comes first inside an element; NONE if nothing does.
    pub fn first(&self, at: u32) -> u32 {
        match self.node(at).last {
            NONE => NONE,
            _ => at + 1,
        }
    }

    /// Return all attributes of an element, which are read only now.
    pub fn attributes(&self, at: u32) -> Vec<Named<'h>> {
        let node = self.node(at);
        let mut all = all(self.html, node.source as usize);
        // some may have been taken off
        all.retain(|one| one.key == Key::Other || node.keys & one.key.bit() != 0);
        all
    }

    /// Return an attribute of an element.
    pub fn get(&self, at: u32, key: Key) -> Option<Cow<'h, str>> {
        if !self.has(at, key) {
            return None;
        }
        let node = self.node(at);
        let known = &self.attributes[node.attributes as usize..node.attributes_end as usize];
        let found = known.iter().find(|one| one.key == key);
        found.map(Attribute::value)
    }

    /// Return an attribute of an element; empty if there is none.
    pub fn value(&self, at: u32, key: Key) -> Cow<'h, str> {
        self.get(at, key).unwrap_or_default()
    }

    /// Return true if an element has an attribute.
    pub fn has(&self, at: u32, key: Key) -> bool {
        self.node(at).keys & key.bit() != 0
    }

    /// Take an attribute off an element.
    pub fn remove(&mut self, at: u32, key: Key) {
        self.nodes[at as usize].keys &= !key.bit();
    }

    /// Go through the elements and texts directly inside an element.
    pub fn children(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let mut child = self.first(at);
        std::iter::from_fn(move || {
            let found = child;
            child = self.nodes.get(found as usize)?.next;
            Some(found)
        })
    }

    /// Go through the elements around a node, the innermost first; not to the page itself.
    pub fn around(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let mut parent = self.node(at).parent;
        std::iter::from_fn(move || {
            let found = parent;
            if found == PAGE {
                return None;
            }
            parent = self.nodes.get(found as usize)?.parent;
            Some(found)
        })
    }

    /// Go through all elements in the order of the page.
    pub fn elements(&self) -> impl Iterator<Item = u32> + '_ {
        (1..self.nodes.len() as u32).filter(|at| !self.node(*at).is_text)
    }

    fn add(&mut self, number: u16, is_text: bool, text: &str) -> u32 {
        let at = self.nodes.len() as u32;
        let attributes = self.attributes.len() as u32;
        let (start, is_literal) = match scan::place_in(self.html, text) {
            Some(place) => (place, true),
            None => (self.made.len(), false),
        };
        if !is_literal {
            self.made.push_str(text);
        }
        let (mut previous, mut depth) = (NONE, 0);
        if let Some(parent) = self.nodes.get_mut(self.open as usize) {
            previous = parent.last;
            depth = parent.depth.saturating_add(1);
            parent.last = at;
        }
        if let Some(before) = self.nodes.get_mut(previous as usize) {
            before.next = at;
        }
        self.nodes.push(Node {
            parent: self.open,
            previous,
            next: NONE,
            last: NONE,
            number,
            depth,
            is_text,
            hidden: false,
            is_literal,
            start: start as u32,
            end: (start + text.len()) as u32,
            attributes,
            attributes_end: attributes,
            keys: 0,
            source: self.html.len() as u32,
        });
        at
    }

    /// Append to the text of the last node.
    fn extend(&mut self, text: &str) {
        let Some(node) = self.nodes.last_mut() else {
            return;
        };
        if node.is_literal {
            if scan::place_in(self.html, text) == Some(node.end as usize) {
                node.end += text.len() as u32;
                return;
            }
            let begin = self.made.len() as u32;
            self.made.push_str(&self.html[node.start as usize..node.end as usize]);
            (node.start, node.is_literal) = (begin, false);
        }
        self.made.push_str(text);
        node.end = self.made.len() as u32;
    }
}

impl<'h> Sink<'h> for Tree<'h> {
    fn text(&mut self, text: &str) {
        let open = self.open;
        match self.nodes.last() {
            Some(last) if last.is_text && last.parent == open => self.extend(text),
            _ => {
                self.add(UNKNOWN, true, text);
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_, 'h>) {
        let name = if tag.number == UNKNOWN { tag.name } else { "" };
        let at = self.add(tag.number, false, name);
        if let Some(present) = self.present.get_mut(usize::from(tag.number)) {
            *present = true;
        }
        self.attributes.extend_from_slice(tag.attributes);
        let node = &mut self.nodes[at as usize];
        node.attributes_end = self.attributes.len() as u32;
        node.keys = tag.keys;
        node.source = tag.source as u32;
        self.open = at;
    }

    fn end(&mut self, _name: &str, _number: u16) {
        let parent = self.node(self.open).parent;
        if parent != NONE {
            self.open = parent;
        }
    }

    fn leave_out(&mut self, part: LeftOut) {
        self.left_out.push(part);
    }

    fn lose(&mut self) {
        self.is_lossy = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_in_their_order() {
        let tree = Tree::of("<p id=a>Tea<br>or<x-y class='b &amp; c'>coff&#101;e</p>!");
        let names: Vec<&str> = tree.elements().map(|at| tree.name(at)).collect();
        assert_eq!(names, ["p", "br", "x-y"]);
        let inner = tree.elements().last().unwrap();
        assert_eq!(tree.get(inner, Key::Class).unwrap(), "b & c");
        assert_eq!(tree.text(tree.first(inner)), "coffee");
        assert_eq!(tree.around(tree.first(inner)).count(), 2);
        let tops: Vec<&str> = tree.children(PAGE).map(|at| tree.text(at)).collect();
        assert_eq!(tops, ["", "!"]);
    }
}
