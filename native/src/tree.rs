//! The tree of a page, made of its elements; the twin is `read/tree.py`.

use std::borrow::Cow;

use crate::elements::nest;
use crate::names::UNKNOWN;
use crate::tables::NAMES;
use crate::tokens::{Attribute, Sink, Tag};

/// The number of no node.
pub const NONE: u32 = u32::MAX;
/// The number of the page itself, which has no name.
pub const PAGE: u32 = 0;

/// An element or a text.
pub struct Node {
    pub parent: u32,
    pub previous: u32,
    pub next: u32,
    pub first: u32,
    pub last: u32,
    /// The number of its name; UNKNOWN for rare names, the page and texts.
    pub number: u16,
    pub is_text: bool,
    pub hidden: bool,
    /// Where its text stands, or its name if that is rare.
    start: u32,
    end: u32,
    attributes: u32,
    attributes_end: u32,
}

/// A page: all nodes in the order in which they begin.
pub struct Tree<'h> {
    pub nodes: Vec<Node>,
    text: String,
    attributes: Vec<Attribute<'h>>,
    open: u32,
    /// How much work it was to make it.
    pub work: u64,
}

impl<'h> Tree<'h> {
    /// Return the tree of a page, which is `normalized`.
    pub fn of(html: &'h str) -> Self {
        let mut tree = Tree {
            nodes: Vec::with_capacity(html.len() / 32 + 1),
            text: String::with_capacity(html.len() / 2),
            attributes: Vec::with_capacity(html.len() / 64),
            open: NONE,
            work: 0,
        };
        tree.open = tree.add(UNKNOWN, false, "");
        tree.work = nest(html, &mut tree);
        tree
    }

    pub fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// Return the name of an element; empty for the page and for text.
    pub fn name(&self, at: u32) -> &str {
        let node = self.node(at);
        match NAMES.get(usize::from(node.number)) {
            Some(name) => name,
            None if node.is_text => "",
            None => &self.text[node.start as usize..node.end as usize],
        }
    }

    /// Return the text of a node; empty for elements.
    pub fn text(&self, at: u32) -> &str {
        let node = self.node(at);
        match node.is_text {
            true => &self.text[node.start as usize..node.end as usize],
            false => "",
        }
    }

    /// Return the attributes of an element.
    pub fn attributes(&self, at: u32) -> &[Attribute<'h>] {
        let node = self.node(at);
        &self.attributes[node.attributes as usize..node.attributes_end as usize]
    }

    /// Return an attribute of an element.
    pub fn get(&self, at: u32, name: &str) -> Option<Cow<'h, str>> {
        let found = self.attributes(at).iter().find(|one| one.name == name);
        found.map(Attribute::value)
    }

    /// Return true if an element has an attribute.
    pub fn has(&self, at: u32, name: &str) -> bool {
        self.attributes(at).iter().any(|one| one.name == name)
    }

    /// Take an attribute off an element.
    pub fn remove(&mut self, at: u32, name: &str) {
        let node = self.node(at);
        let range = node.attributes as usize..node.attributes_end as usize;
        let found = self.attributes[range]
            .iter_mut()
            .find(|one| one.name == name);
        if let Some(attribute) = found {
            attribute.name = Cow::Borrowed(""); // which no attribute has
        }
    }

    /// Go through the elements and texts directly inside an element.
    pub fn children(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let mut child = self.node(at).first;
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
        let start = self.text.len() as u32;
        self.text.push_str(text);
        let attributes = self.attributes.len() as u32;
        let mut previous = NONE;
        if let Some(parent) = self.nodes.get_mut(self.open as usize) {
            previous = parent.last;
            parent.last = at;
            if previous == NONE {
                parent.first = at;
            }
        }
        if let Some(before) = self.nodes.get_mut(previous as usize) {
            before.next = at;
        }
        self.nodes.push(Node {
            parent: self.open,
            previous,
            next: NONE,
            first: NONE,
            last: NONE,
            number,
            is_text,
            hidden: false,
            start,
            end: self.text.len() as u32,
            attributes,
            attributes_end: attributes,
        });
        at
    }
}

impl<'h> Sink<'h> for Tree<'h> {
    fn text(&mut self, text: &str) {
        let last = self.nodes.len() - 1;
        if self.nodes[last].is_text && self.nodes[last].parent == self.open {
            self.text.push_str(text);
            self.nodes[last].end = self.text.len() as u32;
        } else {
            self.add(UNKNOWN, true, text);
        }
    }

    fn start(&mut self, tag: &Tag<'_, 'h>) {
        let name = if tag.number == UNKNOWN { tag.name } else { "" };
        let at = self.add(tag.number, false, name);
        self.attributes.extend_from_slice(tag.attributes);
        self.nodes[at as usize].attributes_end = self.attributes.len() as u32;
        self.open = at;
    }

    fn end(&mut self, _name: &str, _number: u16) {
        let parent = self.node(self.open).parent;
        if parent != NONE {
            self.open = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_in_their_order() {
        let tree = Tree::of("<p id=a>Tea<br>or<x-y class='b &amp; c'>coffee</p>!");
        let names: Vec<&str> = tree.elements().map(|at| tree.name(at)).collect();
        assert_eq!(names, ["p", "br", "x-y"]);
        let inner = tree.elements().last().unwrap();
        assert_eq!(tree.get(inner, "class").unwrap(), "b & c");
        assert_eq!(tree.text(tree.node(inner).first), "coffee");
        assert_eq!(tree.around(tree.node(inner).first).count(), 2);
        let tops: Vec<&str> = tree.children(PAGE).map(|at| tree.text(at)).collect();
        assert_eq!(tops, ["", "!"]);
    }
}
