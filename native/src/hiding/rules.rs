//! The rules of a page's style sheets that can apply to its elements.

use super::conceal;
use super::declarations::{declarations, with_variables, without_comments, Declared, Values};
use super::effects::Effects;
use super::heads::names_of;
use super::matching::Matcher;
use super::names::{bit, Names};
use super::properties::Declaration;
use super::selectors::{
    is_rough, loose_selector_of, selector_of, weight_of, Compound, Selector, Tag, Weight,
};
use super::sheets::{Draft, Kind, Sheet};
use super::survey::Survey;
use crate::hash::Map;
use crate::tags::{BODY, HTML, KNOWN, UNKNOWN};
use crate::tree::{Tree, NONE, PAGE};

/// Important or not, in no layer or not; weight; order.
type Rank = (bool, bool, Weight, i64);

/// A sheet, and whether it holds for certain.
pub type Source<'s> = (&'s str, bool);

/// What was read last: where a block stands, the number of its effects, its lists if they are kept.
type Last = (*const u8, usize, u32, Option<[u32; 2]>);

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

/// A rule that may hide text, if nobody can be sure of what it does, or if it holds.
pub struct Watched {
    selector: u32,
    bits: u128,
    /// The number of what its block does.
    pub effects: u32,
    /// Whether it holds, and selects what its selector does: else that may be less.
    pub is_certain: bool,
    pub layer: u32,
    /// The first of its two lists, if it is certain.
    pub list: u32,
    /// How strong it is.
    pub rank: (Weight, i64),
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

    fn add(&mut self, rule: u32, last: Option<&Compound>) {
        let Some(last) = last else {
            return;
        };
        let place = match (last.key, &last.tag) {
            (Some(name), _) => &mut self.by_name[name as usize],
            (None, Tag::None | Tag::Any) => &mut self.any,
            (None, Tag::Known(number)) => &mut self.by_number[usize::from(*number)],
            (None, Tag::Rare(tag)) => self.by_tag.entry(tag.clone()).or_default(),
        };
        place.push(rule);
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
    pub watched: Vec<Watched>,
    pub watched_index: Index,
    /// Variables are declared in other ways.
    pub has_properties: bool,
    /// What the blocks of rules and the elements' own declarations may do.
    pub effects: Vec<Effects>,
    last_suspect: (u32, bool),
    /// None for those with several values.
    variables: Map<String, Option<u32>>,
    /// All values of each, be they of rules that do not hold.
    meanings: Map<String, Vec<u32>>,
    /// Values with variables, and what they become.
    put_in: Map<u32, u32>,
}

impl Rules {
    /// Read some sheets; return false if one is cut.
    pub fn read(&mut self, sources: &[Source], names: &Names) -> bool {
        self.last_suspect = (NONE, false);
        for index in [&mut self.index, &mut self.watched_index] {
            index.by_number = vec![Vec::new(); KNOWN];
            index.by_name = vec![Vec::new(); names.count()];
        }
        let mut order = 0;
        let all_read = sources.iter().all(|(text, is_certain)| {
            self.has_properties |= text.contains("@property");
            let text = without_comments(text);
            let mut last: Option<Last> = None;
            let is_missing = |name: &str| names.number(name) == NONE;
            let kind = if *is_certain { Kind::Certain } else { Kind::Doubtful };
            Sheet::new(&text, kind).read(is_missing, |draft| {
                order += 1;
                self.add_draft(&draft, order, names, &mut last);
            })
        });
        self.sort();
        all_read
    }

    fn add_draft(&mut self, draft: &Draft, order: i64, names: &Names, last: &mut Option<Last>) {
        if names_of(draft.selector).any(|name| names.number(name) == NONE) {
            return;
        }
        let certain = match draft.kind {
            Kind::Certain => selector_of(draft.selector, names),
            _ => None,
        };
        // a block has several selectors, but is read once
        let place = (draft.text.as_ptr(), draft.text.len());
        let known = last.filter(|last| (last.0, last.1) == place);
        let (effects, lists) = match known {
            Some((_, _, effects, lists)) if lists.is_some() || certain.is_none() => {
                (effects, lists)
            }
            _ => {
                let mut declared = declarations(draft.text, &mut self.values);
                let lists = std::mem::take(&mut declared.lists);
                let variables = declared.variables.clone();
                let effects = self.keep_effects(declared);
                (effects, certain.is_some().then(|| self.keep_lists(lists, variables)))
            }
        };
        *last = Some((place.0, place.1, effects, lists));
        let is_loose = certain.as_ref().map_or(true, is_rough);
        let is_watched = draft.layer != 0 || !self.effects[effects as usize].is_empty();
        if let (Some(selector), Some(lists)) = (certain, lists) {
            let number = self.selectors.len() as u32;
            self.add(selector, lists, draft.layer, order);
            if is_watched {
                self.watch(number, effects, Some((lists[0], draft.layer)), order);
            }
        }
        if is_loose && is_watched {
            if let Some(selector) = loose_selector_of(draft.selector, names) {
                self.selectors.push(selector);
                self.watch(self.selectors.len() as u32 - 1, effects, None, order);
            }
        }
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

    /// Keep what an element declares itself; return the numbers of its two lists and its effects.
    pub fn keep(&mut self, mut declared: Declared) -> ([u32; 2], u32) {
        let lists = std::mem::take(&mut declared.lists);
        let variables = declared.variables.clone();
        let effects = self.keep_effects(declared);
        (self.keep_lists(lists, variables), effects)
    }

    fn keep_lists(
        &mut self,
        lists: [Vec<Declaration>; 2],
        variables: Vec<(String, u32)>,
    ) -> [u32; 2] {
        for (name, value) in variables {
            let known = self.variables.entry(name).or_insert(Some(value));
            *known = known.filter(|one| *one == value);
        }
        lists.map(|list| {
            self.lists.push(list);
            self.lists.len() as u32 - 1
        })
    }

    fn keep_effects(&mut self, declared: Declared) -> u32 {
        for (name, value) in declared.variables {
            let known = self.meanings.entry(name).or_default();
            if !known.contains(&value) {
                known.push(value);
            }
        }
        self.effects.push(declared.effects);
        self.effects.len() as u32 - 1
    }

    /// Return all that a variable may mean.
    pub fn meanings(&self, name: &str) -> impl Iterator<Item = &str> {
        self.meanings.get(name).into_iter().flatten().map(|value| self.values.text(*value))
    }

    /// Add the rules of a block for one of its selectors.
    fn add(&mut self, selector: Selector, lists: [u32; 2], layer: u32, order: i64) {
        let (bits, weight) = (bits_of(&selector), weight_of(&selector));
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
                rank: (important, (layer != 0) == important, weight, order),
                place: 0,
                is_suspect,
            });
            self.index.add(rule, selector.last());
        }
        self.selectors.push(selector);
    }

    /// Watch a rule; if it is certain, its lists and its layer are given.
    fn watch(&mut self, selector: u32, effects: u32, certain: Option<(u32, u32)>, order: i64) {
        let (list, layer) = certain.unwrap_or((NONE, 0));
        let rule = self.watched.len() as u32;
        let wanted = &self.selectors[selector as usize];
        let (bits, is_certain) = (bits_of(wanted), certain.is_some());
        self.watched_index.add(rule, wanted.last());
        let rank = (weight_of(wanted), order);
        self.watched.push(Watched { selector, bits, effects, is_certain, layer, list, rank });
    }

    /// Return true if an element is what a rule that is watched selects.
    pub fn is_watched(&self, rule: u32, at: u32, matcher: &mut Matcher) -> bool {
        let rule = &self.watched[rule as usize];
        matcher.left -= 1;
        matcher.names.may_be_around(rule.bits, at)
            && matcher.matches(at, &self.selectors[rule.selector as usize])
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

/// Return the names that an element or those around it must have, as bits.
fn bits_of(selector: &Selector) -> u128 {
    let beside = selector.iter().any(|one| matches!(one.combinator, b'+' | b'~'));
    let around = if beside { &selector[selector.len().saturating_sub(1)..] } else { &selector[..] };
    let names = around.iter().flat_map(|one| one.names.iter().copied());
    names.map(bit).fold(0, |bits, one| bits | one)
}
