//! Groups of sibling elements: menus and teasers, which link elsewhere, and the controls of items.

use crate::columns::{Columns, KIND_HEADING, KIND_ITEM, KIND_TEXT};
use crate::hash::Map;
use crate::threads::thread;

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

/// A control stands in so many items of a group, and in that share of them.
const ITEMS: usize = 4;
const CONTROLLED: f64 = 0.5;
const LONGEST_CONTROL: usize = 40;
pub const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', '\u{3002}'];

/// First node, node after the last.
pub type Group = (usize, usize);

/// What is inside an element, and, while it is open, how many of its children are alike.
#[derive(Default)]
struct Element {
    depth: usize,
    start: usize,
    texts: usize,
    characters: usize,
    linked: usize,
    /// Links that begin in it.
    begun: usize,
    /// It has a heading; the first is a link.
    headed: bool,
    titled: bool,
    /// Texts in children that are mostly links.
    links: usize,
    /// Children that are teasers, their characters.
    teasers: usize,
    teasing: usize,
    /// Children with several texts: first node, node after the last, texts.
    items: Vec<(usize, usize, usize)>,
}

impl Element {
    fn leaf(page: &Columns, node: usize) -> Self {
        let characters = page.lengths[node];
        let (linked, begun) =
            page.links_of(node).map_or((0, 0), |links| (links.characters, links.count));
        let linked = linked.min(characters);
        let headed = page.kinds[node] == KIND_HEADING;
        Element {
            depth: usize::MAX,
            start: node,
            texts: 1,
            characters,
            linked,
            begun: begun.min(1),
            headed,
            titled: headed && linked as f64 >= TEASER_TITLE * characters as f64,
            ..Element::default()
        }
    }

    /// Add a child, which ends before a node.
    fn add(&mut self, child: &Element, end: usize) {
        self.texts += child.texts;
        self.characters += child.characters;
        self.linked += child.linked;
        self.begun += child.begun;
        if child.headed && !self.headed {
            (self.headed, self.titled) = (true, child.titled);
        }
        let (linked, characters) = (child.linked as f64, child.characters as f64);
        if linked >= MENU_LINKED * characters {
            self.links += child.begun;
        }
        if child.characters <= TEASER_LONGEST
            && (child.titled || linked >= TEASER_LINKED * characters)
        {
            self.teasers += 1;
            self.teasing += child.characters;
        }
        if child.texts > 1 {
            self.items.push((child.start, end, child.texts));
        }
    }

    fn is_menu(&self) -> bool {
        !self.headed
            && self.links >= LEAST
            && self.links as f64 >= MOST * self.texts as f64
            && self.linked as f64 >= MENU_LINKED * self.characters as f64
            && self.characters <= MENU_MEAN * self.texts
    }

    /// Go through the items, but for one that is most of its group: so no node is looked at more
    /// often than pages can double.
    fn small_items(&self) -> impl Iterator<Item = &(usize, usize, usize)> + Clone {
        self.items.iter().filter(|item| 2 * item.2 <= self.texts)
    }

    fn has_teasers(&self) -> bool {
        self.teasers >= LEAST && self.teasing as f64 >= MOST * self.characters as f64
    }
}

/// The outermost menus and groups of teasers, and the controls that items repeat.
#[derive(Default)]
pub struct Groups {
    pub menus: Vec<Group>,
    pub teasers: Vec<Group>,
    pub controls: Vec<usize>,
    /// Threads of comments.
    pub threads: Vec<Group>,
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
                    last = groups.close(page, levels, &mut open, last, end);
                }
                if let Some(child) = &last {
                    if open.last().map_or(true, |element| element.depth < low) {
                        open.push(Element { depth: low, start: child.start, ..Element::default() });
                    }
                    if let Some(around) = open.last_mut() {
                        around.add(child, end);
                    }
                }
            }
            last = Some(Element::leaf(page, node));
            end = node + 1;
            low = usize::MAX;
        }
        while !open.is_empty() {
            last = groups.close(page, levels, &mut open, last, end);
        }
        groups
    }

    fn close(
        &mut self,
        page: &Columns,
        levels: &[u8],
        open: &mut Vec<Element>,
        last: Option<Element>,
        end: usize,
    ) -> Option<Element> {
        let mut element = open.pop()?;
        if let Some(child) = &last {
            element.add(child, end);
        }
        if element.is_menu() {
            replace_inner(&mut self.menus, (element.start, end));
        }
        if element.has_teasers() {
            replace_inner(&mut self.teasers, (element.start, end));
        }
        self.add_controls(page, levels, &element);
        let is_large = |texts: usize| 2 * texts > element.texts;
        let items: Vec<(Group, bool)> = element
            .items
            .iter()
            .map(|(start, end, texts)| ((*start, *end), is_large(*texts)))
            .collect();
        if let Some(thread) = thread(page, levels, &items) {
            replace_inner(&mut self.threads, thread);
        }
        Some(element)
    }

    /// Add the texts that half of the items in an element repeat: "Reply", "Add to cart".
    fn add_controls(&mut self, page: &Columns, levels: &[u8], element: &Element) {
        let items = element.small_items();
        let count = items.clone().count();
        if count < ITEMS {
            return;
        }
        let candidates = items.enumerate().flat_map(|(place, item)| {
            let nodes = (item.0..item.1).filter(|node| levels[*node] == 0);
            nodes.filter(|node| may_be_control(page, *node)).map(move |node| (place, node))
        });
        // by text: how many items have it, and the last that has
        let mut found: Map<&str, (usize, usize)> = Map::default();
        for (place, node) in candidates.clone() {
            let (count, last) = found.entry(page.at(node)).or_insert((0, usize::MAX));
            if *last != place {
                (*count, *last) = (*count + 1, place);
            }
        }
        let least = (CONTROLLED * count as f64).max(LEAST as f64);
        let is_repeated = |node: &usize| found[page.at(*node)].0 as f64 >= least;
        self.controls.extend(candidates.map(|(_, node)| node).filter(is_repeated));
    }
}

/// Return true if a text may be a control of an item: it is short, heads nothing, has no number, and
/// is no sentence.
fn may_be_control(page: &Columns, node: usize) -> bool {
    (1..=LONGEST_CONTROL).contains(&page.lengths[node])
        && matches!(page.kinds[node], KIND_TEXT | KIND_ITEM)
        && !page.at(node).ends_with(SENTENCE_ENDS)
        && !page.at(node).chars().any(char::is_numeric)
}

fn replace_inner(groups: &mut Vec<Group>, group: Group) {
    while groups.last().is_some_and(|last| last.0 >= group.0) {
        groups.pop();
    }
    groups.push(group);
}
