//! Groups of sibling elements that link elsewhere: menus and teasers.

use crate::columns::{Columns, KIND_HEADING};

const LEAST: usize = 3;
/// Of the members of a group must be of its kind.
const MOST: f64 = 0.75;
/// The texts of a menu are links, and short on average.
const MENU_LINKED: f64 = 0.8;
const MENU_MEAN: usize = 90;
/// A teaser is a link with a few words, or has a heading that is a link.
const TEASER_LINKED: f64 = 0.6;
const TEASER_TITLE: f64 = 0.9;
const TEASER_LONGEST: usize = 600;

/// First node, node after the last.
pub type Group = (usize, usize);

/// What is inside an element, and, while it is open, how many of its children are alike.
#[derive(Clone, Copy, Default)]
struct Element {
    depth: usize,
    start: usize,
    texts: usize,
    characters: usize,
    linked: usize,
    /// It has a heading; the first is a link.
    headed: bool,
    titled: bool,
    /// Texts in children that are mostly links.
    links: usize,
    /// Children that are teasers, their characters.
    teasers: usize,
    teasing: usize,
}

impl Element {
    fn leaf(page: &Columns, node: usize) -> Self {
        let characters = page.lengths[node];
        let linked = page.links_of(node).map_or(0, |links| links.characters);
        let linked = linked.min(characters);
        let headed = page.kinds[node] == KIND_HEADING;
        Element {
            depth: usize::MAX,
            start: node,
            texts: 1,
            characters,
            linked,
            headed,
            titled: headed && linked as f64 >= TEASER_TITLE * characters as f64,
            ..Element::default()
        }
    }

    fn add(&mut self, child: &Element) {
        self.texts += child.texts;
        self.characters += child.characters;
        self.linked += child.linked;
        if child.headed && !self.headed {
            (self.headed, self.titled) = (true, child.titled);
        }
        let (linked, characters) = (child.linked as f64, child.characters as f64);
        if linked >= MENU_LINKED * characters {
            self.links += child.texts;
        }
        if child.characters <= TEASER_LONGEST
            && (child.titled || linked >= TEASER_LINKED * characters)
        {
            self.teasers += 1;
            self.teasing += child.characters;
        }
    }

    fn is_menu(&self) -> bool {
        !self.headed
            && self.links >= LEAST
            && self.links as f64 >= MOST * self.texts as f64
            && self.linked as f64 >= MENU_LINKED * self.characters as f64
            && self.characters <= MENU_MEAN * self.texts
    }

    fn has_teasers(&self) -> bool {
        self.teasers >= LEAST && self.teasing as f64 >= MOST * self.characters as f64
    }
}

/// The outermost menus and groups of teasers.
#[derive(Default)]
pub struct Groups {
    pub menus: Vec<Group>,
    pub teasers: Vec<Group>,
}

impl Groups {
    /// Return the groups among the nodes whose level is 0.
    pub fn of(page: &Columns, levels: &[u8]) -> Self {
        let mut groups = Groups::default();
        let mut open: Vec<Element> = Vec::new();
        // the last that is complete, not yet added to the one around
        let mut last: Option<Element> = None;
        let mut end = 0;
        let mut low = usize::MAX;
        for (node, level) in levels.iter().enumerate() {
            low = low.min(page.lows[node]);
            if page.lengths[node] == 0 || *level > 0 {
                continue;
            }
            if last.is_some() {
                while open.last().is_some_and(|element| element.depth > low) {
                    last = groups.close(&mut open, last, end);
                }
                if let Some(child) = &last {
                    if open.last().map_or(true, |element| element.depth < low) {
                        open.push(Element { depth: low, start: child.start, ..Element::default() });
                    }
                    if let Some(around) = open.last_mut() {
                        around.add(child);
                    }
                }
            }
            last = Some(Element::leaf(page, node));
            end = node + 1;
            low = usize::MAX;
        }
        while !open.is_empty() {
            last = groups.close(&mut open, last, end);
        }
        groups
    }

    fn close(
        &mut self,
        open: &mut Vec<Element>,
        last: Option<Element>,
        end: usize,
    ) -> Option<Element> {
        let mut element = open.pop()?;
        if let Some(child) = &last {
            element.add(child);
        }
        if element.is_menu() {
            replace_inner(&mut self.menus, (element.start, end));
        }
        if element.has_teasers() {
            replace_inner(&mut self.teasers, (element.start, end));
        }
        Some(element)
    }
}

fn replace_inner(groups: &mut Vec<Group>, group: Group) {
    while groups.last().is_some_and(|last| last.0 >= group.0) {
        groups.pop();
    }
    groups.push(group);
}
