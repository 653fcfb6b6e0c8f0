//! The classes and ids on a page.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

use super::text::words;
use crate::attributes::Key;
use crate::hash::{Map, Seed, Set};
use crate::tree::{Tree, NONE};

const NAMED: u32 = Key::Class.bit() | Key::Id.bit();
const BITS: u32 = 128;
const HASHES: usize = 1 << 15;
/// With more names than these, a set finds those that are repeated.
const FEW: usize = 16;
/// Attributes that are remembered: no page for people has as many different ones.
const MOST_VALUES: usize = 4_096;

/// The classes of an element, in their order and sorted.
#[derive(Default)]
struct Classes {
    order: Vec<u32>,
    /// If they are many.
    sorted: Vec<u32>,
    bits: u128,
}

/// The names of each node, by numbers.
#[derive(Default)]
pub struct Names<'h> {
    classes: Map<Cow<'h, str>, u32>,
    ids: Map<Cow<'h, str>, u32>,
    count: u32,
    lists: Vec<Classes>,
    by_value: Map<Cow<'h, str>, u32>,
    /// The numbers of ids and of lists of classes, NONE without; the first has neither.
    pairs: Vec<(u32, u32)>,
    /// Which of these each node has.
    own: Vec<u32>,
    /// Bits of nodes and of those around them, and which of these each node has: most have those of
    /// the node around them.
    bits: Vec<u128>,
    around: Vec<u32>,
    /// A bit for each hash of a name.
    hashes: Vec<u64>,
    seed: Seed,
}

impl<'h> Names<'h> {
    pub fn new(tree: &Tree<'h>) -> Self {
        let mut names = Names {
            pairs: vec![(NONE, NONE)],
            own: vec![0; tree.nodes.len()],
            bits: vec![0],
            around: vec![0; tree.nodes.len()],
            hashes: vec![0; HASHES / 64],
            ..Names::default()
        };
        for at in tree.elements() {
            names.add(tree, at);
        }
        for name in names.classes.keys().chain(names.ids.keys()) {
            let hash = hash(name, names.seed);
            names.hashes[hash / 64] |= 1 << (hash % 64);
        }
        names
    }

    fn add(&mut self, tree: &Tree<'h>, at: u32) {
        let node = tree.node(at);
        let outer = self.around[node.parent as usize];
        self.around[at as usize] = outer;
        if node.keys & NAMED == 0 {
            return;
        }
        let (mut id, mut list) = (NONE, NONE);
        let outer = self.bits[outer as usize];
        let mut bits = outer;
        if let Some(value) = tree.get(at, Key::Id).filter(|value| !value.is_empty()) {
            id = numbered(&mut self.ids, &mut self.count, value);
            bits |= bit(id);
        }
        if let Some(value) = tree.get(at, Key::Class) {
            list = self.list(value);
            bits |= self.lists[list as usize].bits;
        }
        self.own[at as usize] = self.pairs.len() as u32;
        self.pairs.push((id, list));
        if bits != outer {
            self.around[at as usize] = self.bits.len() as u32;
            self.bits.push(bits);
        }
    }

    fn list(&mut self, value: Cow<'h, str>) -> u32 {
        if let Some(list) = self.by_value.get(&value) {
            return *list;
        }
        let mut found = Classes::default();
        let mut seen = Set::default();
        for word in parts(&value) {
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
        found.bits = found.order.iter().fold(0, |bits, one| bits | bit(*one));
        if found.order.len() >= FEW {
            found.sorted = found.order.clone();
            found.sorted.sort_unstable();
        }
        let list = self.lists.len() as u32;
        self.lists.push(found);
        if self.by_value.len() < MOST_VALUES {
            self.by_value.insert(value, list);
        }
        list
    }

    /// Return the number of a name, given as `#id` or `.class`; NONE if it is not on the page.
    pub fn number(&self, name: &str) -> u32 {
        let hash = hash(name.get(1..).unwrap_or(""), self.seed);
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
        let (id, list) = self.pairs[self.own[at as usize] as usize];
        if name == NONE {
            return false;
        }
        id == name
            || self.lists.get(list as usize).is_some_and(|list| match list.sorted.is_empty() {
                true => list.order.contains(&name),
                false => list.sorted.binary_search(&name).is_ok(),
            })
    }

    /// Go through the names of an element, its id first.
    pub fn of(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let (id, list) = self.pairs[self.own[at as usize] as usize];
        let classes = self.lists.get(list as usize).map_or(&[][..], |list| &list.order);
        let id = (id != NONE).then_some(id);
        id.into_iter().chain(classes.iter().copied())
    }

    /// Return false if an element and those around it lack a name with one of some bits.
    pub fn may_be_around(&self, bits: u128, at: u32) -> bool {
        bits & !self.bits[self.around[at as usize] as usize] == 0
    }
}

/// Return the bit of a name, though not its own.
pub fn bit(name: u32) -> u128 {
    1 << (name % BITS)
}

/// Return a hash of a name; names that share one only cost a look-up.
fn hash(name: &str, seed: Seed) -> usize {
    let mut hasher = seed.build_hasher();
    hasher.write(name.as_bytes());
    hasher.finish() as usize % HASHES
}

/// Return the words of a value, which stay where they are if it does.
fn parts<'a, 'h>(value: &'a Cow<'h, str>) -> impl Iterator<Item = Cow<'h, str>> + 'a {
    let (literal, made) = match value {
        Cow::Borrowed(literal) => (*literal, ""),
        Cow::Owned(made) => ("", made.as_str()),
    };
    let made = words(made).map(|word| Cow::Owned(word.to_owned()));
    words(literal).map(Cow::Borrowed).chain(made)
}

fn numbered<'h>(numbers: &mut Map<Cow<'h, str>, u32>, count: &mut u32, name: Cow<'h, str>) -> u32 {
    *numbers.entry(name).or_insert_with(|| {
        *count += 1;
        *count - 1
    })
}
