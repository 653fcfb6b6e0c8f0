//! The rules of a page's style sheets that can apply to its elements.

use super::conceal;
use super::declarations::{declarations, with_variables, without_comments, Declared, Values};
use super::heads::names_of;
use super::matching::Matcher;
use super::names::{bit, Names};
use super::properties::Declaration;
use super::selectors::{selector_of, weight_of, Selector, Tag, Weight};
use super::sheets::Sheet;
use super::survey::Survey;
use crate::hash::Map;
use crate::tags::{BODY, HTML, KNOWN, UNKNOWN};
use crate::tree::{Tree, NONE, PAGE};

/// Important or not, in no layer or not; weight; order.
type Rank = (bool, bool, Weight, i64);

/// Declarations, and the elements that have them.
pub struct Rule {
    selector: u32,
    pub list: u32,
    /// The names that an element or those around it must have.
    bits: u128,
    rank: Rank,
    /// Its place among all rules, the strongest last.
    pub place: u32,
    pub is_suspect: bool,
}

/// The numbers of rules, by what an element must have to be worth a look.
#[derive(Default)]
pub struct Index {
    any: Vec<u32>,
    by_number: Vec<Vec<u32>>,
    by_tag: Map<String, Vec<u32>>,
    by_name: Vec<Vec<u32>>,
}

impl Index {
    /// Return an index of some of its rules.
    pub fn filtered(&self, is_kept: impl Fn(u32) -> bool) -> Index {
        let some = |rules: &Vec<u32>| -> Vec<u32> {
            rules.iter().copied().filter(|rule| is_kept(*rule)).collect()
        };
        let by_tag = self.by_tag.iter().map(|(tag, rules)| (tag.clone(), some(rules)));
        Index {
            any: some(&self.any),
            by_number: self.by_number.iter().map(some).collect(),
            by_tag: by_tag.collect(),
            by_name: self.by_name.iter().map(some).collect(),
        }
    }

    /// Go through the lists of rules that are worth a look: for all elements, for its name, its id,
    /// its classes.
    pub fn of<'i>(
        &'i self,
        at: u32,
        tree: &Tree,
        names: &'i Names,
        survey: &Survey,
    ) -> impl Iterator<Item = &'i Vec<u32>> {
        let number = tree.node(at).number;
        let by_number = |number: u16| self.by_number.get(usize::from(number));
        let by_tag = match (at, number) {
            (PAGE, _) => [
                by_number(HTML).filter(|_| survey.lacks_html),
                by_number(BODY).filter(|_| survey.lacks_body),
            ],
            (_, UNKNOWN) => [self.by_tag.get(tree.name(at)), None],
            _ => [by_number(number), None],
        };
        let by_name = names.of(at).map(|name| &self.by_name[name as usize]);
        [&self.any].into_iter().chain(by_tag.into_iter().flatten()).chain(by_name)
    }
}

/// The rules of a page, and what they and its elements declare.
#[derive(Default)]
pub struct Rules {
    pub values: Values,
    pub lists: Vec<Vec<Declaration>>,
    selectors: Vec<Selector>,
    pub all: Vec<Rule>,
    /// The lists of all rules, the strongest last; the place of the first important one.
    pub by_place: Vec<u32>,
    pub important: u32,
    pub index: Index,
    last_suspect: (u32, bool),
    /// None for those with several values.
    variables: Map<String, Option<u32>>,
    /// Values with variables, and what they become.
    put_in: Map<u32, u32>,
}

impl Rules {
    /// Read some sheets; return false if one is cut.
    pub fn read(&mut self, texts: &[&str], names: &Names) -> bool {
        self.last_suspect = (NONE, false);
        self.index.by_number = vec![Vec::new(); KNOWN];
        self.index.by_name = vec![Vec::new(); names.count()];
        let mut order = 0;
        let all_read = texts.iter().all(|text| {
            let text = without_comments(text);
            // a block has several selectors, but is read once
            let mut last: Option<(*const u8, usize, [u32; 2])> = None;
            let is_missing = |name: &str| names.number(name) == NONE;
            Sheet::new(&text).read(is_missing, |draft| {
                order += 1;
                let Some(selector) = possible(draft.selector, names) else {
                    return;
                };
                let place = (draft.text.as_ptr(), draft.text.len());
                let lists = match last {
                    Some((begin, length, lists)) if (begin, length) == place => lists,
                    _ => {
                        let declared = declarations(draft.text, &mut self.values);
                        self.keep(declared)
                    }
                };
                last = Some((place.0, place.1, lists));
                self.add(selector, lists, draft.layer, order);
            })
        });
        self.sort();
        all_read
    }

    fn sort(&mut self) {
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        order.sort_unstable_by_key(|rule| self.all[*rule as usize].rank);
        for (place, rule) in order.iter().enumerate() {
            let rule = &mut self.all[*rule as usize];
            rule.place = place as u32;
            self.by_place.push(rule.list);
        }
        self.important = order.partition_point(|rule| !self.all[*rule as usize].rank.0) as u32;
    }

    /// Keep what a block declares; return the numbers of its two lists.
    pub fn keep(&mut self, declared: Declared) -> [u32; 2] {
        for (name, value) in declared.variables {
            let known = self.variables.entry(name).or_insert(Some(value));
            *known = known.filter(|one| *one == value);
        }
        declared.lists.map(|list| {
            self.lists.push(list);
            self.lists.len() as u32 - 1
        })
    }

    /// Add the rules of a block for one of its selectors.
    fn add(&mut self, selector: Selector, lists: [u32; 2], layer: bool, order: i64) {
        let Some(last) = selector.last() else {
            return;
        };
        let beside = selector.iter().any(|one| matches!(one.combinator, b'+' | b'~'));
        let around = if beside { &selector[selector.len() - 1..] } else { &selector[..] };
        let names = around.iter().flat_map(|one| one.names.iter().copied());
        let bits = names.map(bit).fold(0, |bits, one| bits | one);
        let weight = weight_of(&selector);
        for (important, list) in [(false, lists[0]), (true, lists[1])] {
            if self.lists[list as usize].is_empty() {
                continue;
            }
            let is_suspect = self.is_suspect(list);
            let rule = self.all.len() as u32;
            self.all.push(Rule {
                selector: self.selectors.len() as u32,
                list,
                bits,
                // of important rules those in layers are the stronger ones
                rank: (important, layer == important, weight, order),
                place: 0,
                is_suspect,
            });
            let index = &mut self.index;
            let place = match (last.key, &last.tag) {
                (Some(name), _) => &mut index.by_name[name as usize],
                (None, Tag::None | Tag::Any) => &mut index.any,
                (None, Tag::Known(number)) => &mut index.by_number[usize::from(*number)],
                (None, Tag::Rare(tag)) => index.by_tag.entry(tag.clone()).or_default(),
            };
            place.push(rule);
        }
        self.selectors.push(selector);
    }

    /// Return true if a declaration of a list may hide; blocks with many selectors are looked at once.
    fn is_suspect(&mut self, list: u32) -> bool {
        if self.last_suspect.0 != list {
            let texts = &self.values;
            let suspect = |one: &Declaration| conceal::may_hide(one.0, texts.text(one.1));
            let found = self.lists[list as usize].iter().any(suspect);
            self.last_suspect = (list, found);
        }
        self.last_suspect.1
    }

    /// Return true if an element is what a rule selects, as long as the budget lasts.
    pub fn tries(&self, rule: u32, at: u32, matcher: &mut Matcher) -> bool {
        if matcher.left <= 0 {
            return false;
        }
        matcher.left -= 1;
        let rule = &self.all[rule as usize];
        matcher.names.may_be_around(rule.bits, at)
            && matcher.matches(at, &self.selectors[rule.selector as usize])
    }

    /// Return a value in which variables are replaced by what they stand for, if that is known or the
    /// budget lasts; each of them is as much work as an element.
    pub fn put_in(&mut self, value: u32, lasts: bool, left: &mut i64) -> u32 {
        if let Some(found) = self.put_in.get(&value) {
            return *found;
        }
        if !lasts {
            return value;
        }
        let meaning = |name: &str| -> Option<&str> {
            let number = (*self.variables.get(name)?)?;
            Some(self.values.text(number))
        };
        let (text, count) = with_variables(self.values.text(value), meaning);
        *left -= count;
        let found = self.values.number(&text);
        self.put_in.insert(value, found);
        found
    }
}

/// Return a selector that can select something on the page.
fn possible(text: &str, names: &Names) -> Option<Selector> {
    if names_of(text).any(|name| names.number(name) == NONE) {
        return None;
    }
    selector_of(text, names)
}
