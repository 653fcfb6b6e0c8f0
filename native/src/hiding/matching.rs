//! Which elements a selector selects, with bounded work.

use std::rc::Rc;

use super::names::Names;
use super::selectors::{Compound, Condition, Pseudo, Selector, Tag};
use super::text::words;
use crate::attributes::{Key, Named};
use crate::hash::Map;
use crate::space::characters;
use crate::tags::{BODY, HTML, UNKNOWN};
use crate::tree::{Tree, NONE, PAGE};

/// Elements that are looked at.
pub const MOST_WORK: i64 = 400_000;
const MOST_SIBLINGS: i64 = 60;
/// How many of them are as much work as an element.
const ATTRIBUTES_AT_ONCE: usize = 16;
const CHARACTERS_AT_ONCE: usize = 64;

/// Tries selectors on the elements of a page, as long as its budget lasts.
pub struct Matcher<'t, 'h> {
    pub tree: &'t Tree<'h>,
    pub names: Rc<Names<'h>>,
    lacks_html: bool,
    lacks_body: bool,
    pub left: i64,
    /// Not all siblings of an element were counted.
    pub is_cut: bool,
    /// In which search each node was found last, for selectors and for those inside of others.
    marks: [Vec<u32>; 2],
    searches: u32,
    lists: [Lists; 2],
    /// The attributes of nodes, read once.
    attributes: Map<u32, Vec<Named<'h>>>,
    /// Values of attributes by node and place, where they had to be decoded: a long reference may
    /// become a single character, as which it counts each time.
    decoded: Map<(u32, usize), Box<str>>,
}

/// Two lists of nodes that are used again and again.
type Lists = (Vec<u32>, Vec<u32>);

impl<'t, 'h> Matcher<'t, 'h> {
    pub fn new(
        tree: &'t Tree<'h>,
        names: Rc<Names<'h>>,
        lacks_html: bool,
        lacks_body: bool,
    ) -> Self {
        let size = names.nodes();
        Matcher {
            tree,
            names,
            lacks_html,
            lacks_body,
            left: MOST_WORK,
            is_cut: false,
            marks: [vec![0; size], vec![0; size]],
            searches: 0,
            lists: Default::default(),
            attributes: Map::default(),
            decoded: Map::default(),
        }
    }

    /// Return true if an element is what a selector selects.
    pub fn matches(&mut self, at: u32, selector: &Selector) -> bool {
        self.search(at, selector, 0)
    }

    /// Selectors inside of others have no others inside, so that a depth of one is the last.
    fn search(&mut self, at: u32, selector: &Selector, depth: usize) -> bool {
        let Some(last) = selector.last() else {
            return false;
        };
        if !self.fits(at, last) {
            return false;
        }
        if selector.len() == 1 {
            return true;
        }
        let mut lists = std::mem::take(&mut self.lists[depth]);
        lists.0.clear();
        lists.0.push(at);
        let found = (1..selector.len()).rev().all(|place| {
            let combinator = selector[place].combinator;
            self.step(combinator, &selector[place - 1], &mut lists, depth);
            !lists.0.is_empty()
        });
        self.lists[depth] = lists;
        found
    }

    /// Replace elements by those related to them that fit.
    fn step(&mut self, combinator: u8, compound: &Compound, lists: &mut Lists, depth: usize) {
        let (reached, found) = lists;
        self.searches += 1;
        let search = self.searches;
        for start in reached.iter() {
            let mut at = *start;
            while let Some(related) = self.related(at, combinator) {
                self.left -= 1;
                if self.left <= 0 || self.marks[depth][related as usize] == search {
                    break;
                }
                if self.fits(related, compound) {
                    self.marks[depth][related as usize] = search;
                    found.push(related);
                }
                if related == PAGE || matches!(combinator, b'>' | b'+') {
                    break;
                }
                at = related;
            }
        }
        std::mem::swap(reached, found);
        found.clear();
    }

    /// Return the next element that is related to one: around it or before it. The page counts
    /// where it stands for html or body, even as around itself.
    fn related(&self, at: u32, combinator: u8) -> Option<u32> {
        if matches!(combinator, b'+' | b'~') {
            return self.sibling(at, false);
        }
        match self.tree.node(at).parent {
            PAGE | NONE => (self.lacks_html || self.lacks_body).then_some(PAGE),
            parent => Some(parent),
        }
    }

    fn sibling(&self, at: u32, after: bool) -> Option<u32> {
        let mut node = self.tree.node(at);
        loop {
            let next = if after { node.next } else { node.previous };
            node = self.tree.nodes.get(next as usize)?;
            if !node.is_text {
                return Some(next);
            }
        }
    }

    fn fits(&mut self, at: u32, compound: &Compound) -> bool {
        self.has_tag(at, compound)
            && compound.names.iter().all(|name| self.names.has(at, *name))
            && compound.attributes.iter().all(|one| self.has(at, one))
            && compound.pseudos.iter().all(|one| self.is(at, one))
    }

    fn has_tag(&self, at: u32, compound: &Compound) -> bool {
        match &compound.tag {
            Tag::None | Tag::Any => true,
            Tag::Known(HTML) if at == PAGE => self.lacks_html,
            Tag::Known(BODY) if at == PAGE => self.lacks_body,
            Tag::Known(number) => self.tree.node(at).number == *number,
            Tag::Rare(name) => {
                at != PAGE
                    && self.tree.node(at).number == UNKNOWN
                    && self.tree.name(at) == name.as_str()
            }
        }
    }

    fn has(&mut self, at: u32, condition: &Condition) -> bool {
        let tree = self.tree;
        let all = self.attributes.entry(at).or_insert_with(|| tree.attributes(at));
        self.left -= 1 + (all.len() / ATTRIBUTES_AT_ONCE) as i64;
        let Some(place) = all.iter().position(|one| one.name == condition.name) else {
            return false;
        };
        let value = match all[place].literal() {
            Some(value) => value,
            None => self.decoded.entry((at, place)).or_insert_with(|| all[place].value().into()),
        };
        self.left -= (characters(value) / CHARACTERS_AT_ONCE) as i64;
        fits(value, condition)
    }

    fn is(&mut self, at: u32, pseudo: &Pseudo) -> bool {
        self.left -= 1;
        match pseudo {
            Pseudo::Not(inner) => !self.any(at, inner),
            Pseudo::Is(inner) | Pseudo::Where(inner) => self.any(at, inner),
            Pseudo::Root => match at {
                PAGE => self.lacks_html,
                _ => self.tree.node(at).number == HTML,
            },
            Pseudo::Checked => self.tree.has(at, Key::Checked),
            Pseudo::Nth { of_type, step, start } => {
                let before = self.count(at, false, *of_type, MOST_SIBLINGS);
                self.is_cut |= before == MOST_SIBLINGS;
                let place = before + 1 - start;
                match step {
                    0 => place == 0,
                    step => place % step == 0 && place / step >= 0,
                }
            }
            Pseudo::First { of_type } => self.count(at, false, *of_type, 1) == 0,
            Pseudo::Last { of_type } => self.count(at, true, *of_type, 1) == 0,
        }
    }

    fn any(&mut self, at: u32, inner: &[Selector]) -> bool {
        inner.iter().any(|one| {
            self.left -= 1;
            self.search(at, one, 1)
        })
    }

    /// Count siblings up to a limit: all, or those of the same name.
    fn count(&mut self, at: u32, after: bool, of_type: bool, most: i64) -> i64 {
        let mut found = 0;
        let mut sibling = at;
        while let Some(next) = self.sibling(sibling, after) {
            sibling = next;
            self.left -= 1;
            if !of_type || self.tree.name(sibling) == self.tree.name(at) {
                found += 1;
            }
            if found == most || self.left <= 0 {
                break;
            }
        }
        found
    }
}

fn fits(value: &str, condition: &Condition) -> bool {
    let wanted = condition.value.as_str();
    match condition.operator {
        b'=' => value == wanted,
        b'~' => words(value).any(|word| word == wanted),
        b'|' => {
            value.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        b'^' => !wanted.is_empty() && value.starts_with(wanted),
        b'$' => !wanted.is_empty() && value.ends_with(wanted),
        b'*' => !wanted.is_empty() && value.contains(wanted),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hiding::selectors::selector_of;

    #[test]
    fn values_are_decoded_once() {
        let tree = Tree::of("<p title='a&#00098;' lang=de>");
        let names = Rc::new(Names::new(&tree));
        let mut matcher = Matcher::new(&tree, Rc::clone(&names), true, true);
        for (selector, expected) in
            [("[title=ab]", true), ("[title^=b]", false), ("[title$=b][lang|=de]", true)]
        {
            let selector = selector_of(selector, &names).unwrap();
            assert_eq!(matcher.matches(1, &selector), expected);
        }
        assert_eq!(matcher.decoded.len(), 1);
    }
}
