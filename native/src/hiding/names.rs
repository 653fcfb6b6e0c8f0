//! The classes and ids on a page; the twin is `read/hiding/names.py`.

use std::borrow::Cow;

use super::text::words;
use crate::attributes::Key;
use crate::hash::{Map, Set};
use crate::tree::{Tree, NONE};

const BITS: u32 = 128;
const HASHES: usize = 1 << 15;
/// With more names than these, a set finds those that are repeated.
const FEW: usize = 16;

/// The classes of an element, in their order and sorted.
#[derive(Default)]
struct Classes {
    order: Vec<u32>,
    sorted: Vec<u32>,
}

/// The names of each node, by numbers.
#[derive(Default)]
pub struct Names<'h> {
    classes: Map<String, u32>,
    ids: Map<String, u32>,
    count: u32,
    lists: Vec<Classes>,
    by_value: Map<Cow<'h, str>, u32>,
    /// The number of the id and of the list of classes of each node, NONE without.
    own: Vec<(u32, u32)>,
    /// The bits of each node and of those around it.
    around: Vec<u128>,
    /// A bit for each hash of a name.
    hashes: Vec<u64>,
}

impl<'h> Names<'h> {
    pub fn new(tree: &Tree<'h>) -> Self {
        let mut names = Names {
            own: vec![(NONE, NONE); tree.nodes.len()],
            around: vec![0; tree.nodes.len()],
            hashes: vec![0; HASHES / 64],
            ..Names::default()
        };
        for at in tree.elements() {
            names.add(tree, at);
        }
        for name in names.classes.keys().chain(names.ids.keys()) {
            let hash = hash(name);
            names.hashes[hash / 64] |= 1 << (hash % 64);
        }
        names
    }

    fn add(&mut self, tree: &Tree<'h>, at: u32) {
        let (mut id, mut list) = (NONE, NONE);
        let mut bits = self.around[tree.node(at).parent as usize];
        if let Some(value) = tree.get(at, Key::Id).filter(|value| !value.is_empty()) {
            id = numbered(&mut self.ids, &mut self.count, &value);
            bits |= bit(id);
        }
        if let Some(value) = tree.get(at, Key::Class) {
            list = self.list(value);
            for number in &self.lists[list as usize].order {
                bits |= bit(*number);
            }
        }
        self.own[at as usize] = (id, list);
        self.around[at as usize] = bits;
    }

    fn list(&mut self, value: Cow<'h, str>) -> u32 {
        if let Some(list) = self.by_value.get(&value) {
            return *list;
        }
        let mut found = Classes::default();
        let mut seen = Set::default();
        for word in words(&value) {
            let number = numbered(&mut self.classes, &mut self.count, word);
            let known = if found.order.len() < FEW {
                found.order.contains(&number)
            } else {
                if seen.is_empty() {
                    seen.extend(found.order.iter().copied());
                }
                !seen.insert(number)
            };
            if !known {
                found.order.push(number);
            }
        }
        found.sorted = found.order.clone();
        found.sorted.sort_unstable();
        let list = self.lists.len() as u32;
        self.lists.push(found);
        self.by_value.insert(value, list);
        list
    }

    /// Return the number of a name, given as `#id` or `.class`; NONE if it is not on the page.
    pub fn number(&self, name: &str) -> u32 {
        let hash = hash(name.get(1..).unwrap_or(""));
        let bits = self.hashes.get(hash / 64).copied().unwrap_or(0);
        if bits >> (hash % 64) & 1 == 0 {
            return NONE; // most of those in a sheet
        }
        let found = match name.strip_prefix('#') {
            Some(id) => self.ids.get(id),
            None => self.classes.get(name.strip_prefix('.').unwrap_or(name)),
        };
        found.copied().unwrap_or(NONE)
    }

    /// Return how many names there are; their numbers are smaller.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Return how many nodes there are.
    pub fn nodes(&self) -> usize {
        self.own.len()
    }

    /// Return true if an element has a name.
    pub fn has(&self, at: u32, name: u32) -> bool {
        let (id, list) = self.own[at as usize];
        if name == NONE {
            return false;
        }
        id == name
            || self
                .lists
                .get(list as usize)
                .is_some_and(|list| match list.sorted.len() < FEW {
                    true => list.order.contains(&name),
                    false => list.sorted.binary_search(&name).is_ok(),
                })
    }

    /// Go through the names of an element, its id first.
    pub fn of(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let (id, list) = self.own[at as usize];
        let classes = self
            .lists
            .get(list as usize)
            .map_or(&[][..], |list| &list.order);
        let id = (id != NONE).then_some(id);
        id.into_iter().chain(classes.iter().copied())
    }

    /// Return false if an element and those around it lack a name with one of some bits.
    pub fn may_be_around(&self, bits: u128, at: u32) -> bool {
        bits & !self.around[at as usize] == 0
    }
}

/// Return the bit of a name, though not its own.
pub fn bit(name: u32) -> u128 {
    1 << (name % BITS)
}

/// Return a hash of a name that is quick to compute; names that share one only cost a look-up.
fn hash(name: &str) -> usize {
    let mut sum = name.len() as u32;
    for byte in name.bytes() {
        sum = sum.wrapping_mul(0x0100_0193) ^ u32::from(byte);
    }
    ((sum ^ (sum >> 15)) as usize) % HASHES
}

fn numbered(numbers: &mut Map<String, u32>, count: &mut u32, name: &str) -> u32 {
    if let Some(number) = numbers.get(name) {
        return *number;
    }
    let number = *count;
    *count += 1;
    numbers.insert(name.to_owned(), number);
    number
}
