//! Styles of elements: which declarations of the page's own sheets and attributes they have.

use std::borrow::Cow;
use std::rc::Rc;

use super::cascade::Cascade;
use super::conceal::{self, Hiding};
use super::declarations::{declarations, without_comments};
use super::matching::{Matcher, MOST_WORK};
use super::names::Names;
use super::properties::{Declaration, Look};
use super::rules::{Index, Rules, Source};
use super::sources::{imports_data, is_read, text_of};
use super::survey::Survey;
use crate::attributes::Key;
use crate::hash::Map;
use crate::space::characters;
use crate::tags::{BODY, HEAD, HTML};
use crate::tree::{Tree, NONE, PAGE};

/// Characters of a page's sheets and attributes that are read.
const MOST_CSS: usize = 1 << 20;

/// The values of an element, and if it is a cell: what decides if it is hidden.
type Situation = (u32, bool);

/// What the page's own style sheets and attributes say of its elements.
pub struct Styles<'t, 'h> {
    pub survey: &'t Survey,
    pub matcher: Matcher<'t, 'h>,
    pub rules: Rules,
    /// A sheet imports one that is in its own address.
    pub has_data: bool,
    /// The numbers of what each styled element's own declarations may do.
    pub effects: Vec<(u32, u32)>,
    /// The two lists of each styled element, in the order of the page; the places of these by node.
    own: Vec<(u32, [u32; 2])>,
    places: Vec<u32>,
    all_read: bool,
    cascade: Cascade,
    /// The number of each node's values.
    memo: Vec<u32>,
    /// What hides elements.
    hiding: Map<Situation, Option<Hiding>>,
    /// Memory that is used again and again.
    lists: Vec<u32>,
}

impl<'t, 'h> Styles<'t, 'h> {
    pub fn new(tree: &'t Tree<'h>, survey: &'t Survey) -> Self {
        let sheets: Vec<Cow<str>> = survey.sheets.iter().map(|at| text_of(tree, *at)).collect();
        let all = survey.sheets.iter().zip(&sheets);
        let texts = all.filter_map(|(at, text)| Some((text.as_ref(), is_read(tree, *at)?)));
        let texts: Vec<Source> = texts.collect();
        let styled = survey.styled.iter();
        let own: Vec<Cow<str>> = styled.map(|at| tree.value(*at, Key::Style)).collect();
        let certain = texts.iter().filter(|(_, is_certain)| *is_certain);
        let size: usize = certain.map(|(text, _)| characters(text)).sum();
        let size = size + own.iter().map(|text| characters(text)).sum::<usize>();
        let names = match texts.iter().all(|(text, _)| text.is_empty()) || size > MOST_CSS {
            true => Names::default(),
            false => Names::new(tree),
        };
        let mut rules = Rules::default();
        let all_read = size <= MOST_CSS && rules.read(&texts, &names);
        let (mut declared, mut effects) = (Vec::new(), Vec::new());
        if all_read {
            let mut known: Map<&str, ([u32; 2], u32)> = Map::default();
            for (at, text) in survey.styled.iter().zip(&own) {
                let lists = known.entry(text).or_insert_with(|| {
                    let found = declarations(&without_comments(text), &mut rules.values);
                    rules.keep(found)
                });
                declared.push((*at, lists.0));
                effects.push((*at, lists.1));
            }
        } else {
            rules = Rules::default();
        }
        let has_data = sheets.iter().any(|text| imports_data(text));
        let mut places = vec![NONE; if declared.is_empty() { 0 } else { tree.nodes.len() }];
        for (place, own) in declared.iter().enumerate() {
            places[own.0 as usize] = place as u32;
        }
        Styles {
            survey,
            matcher: Matcher::new(tree, Rc::new(names), survey.lacks_html, survey.lacks_body),
            rules,
            has_data,
            effects,
            own: declared,
            places,
            all_read,
            cascade: Cascade::default(),
            memo: vec![NONE; tree.nodes.len()],
            hiding: Map::default(),
            lists: Vec::new(),
        }
    }

    /// How many elements were looked at so far.
    pub fn work(&self) -> i64 {
        MOST_WORK - self.matcher.left
    }

    /// All styles were read, and tried on all elements.
    pub fn whole(&self) -> bool {
        self.all_read && self.matcher.left > 0
    }

    fn tree(&self) -> &'t Tree<'h> {
        self.matcher.tree
    }

    /// Return the elements that have a declaration that may hide; never the root or body.
    pub fn suspects(&mut self) -> Vec<u32> {
        let all = &self.rules.all;
        if !all.iter().any(|rule| rule.is_suspect) {
            let own = self.own.iter();
            let some = own.filter(|own| !self.is_page(own.0) && self.may_hide_itself(own));
            return some.map(|own| own.0).collect();
        }
        let suspects = self.rules.index.filtered(|rule| all[rule as usize].is_suspect);
        let mut found = Vec::new();
        let mut next = 0;
        for at in self.tree().elements() {
            let own = self.own.get(next).filter(|own| own.0 == at);
            next += usize::from(own.is_some());
            let may_hide = own.is_some_and(|own| self.may_hide_itself(own));
            if !self.is_page(at) && (may_hide || self.is_tried(at, &suspects)) {
                found.push(at);
            }
        }
        found
    }

    /// Return true for what always counts as shown.
    pub fn is_page(&self, at: u32) -> bool {
        at == PAGE || matches!(self.tree().node(at).number, HTML | HEAD | BODY)
    }

    fn may_hide_itself(&self, own: &(u32, [u32; 2])) -> bool {
        let may_hide = |one: &Declaration| conceal::may_hide(one.0, self.rules.values.text(one.1));
        let mut lists = own.1.iter().map(|list| &self.rules.lists[*list as usize]);
        lists.any(|list| list.iter().any(may_hide))
    }

    fn is_tried(&mut self, at: u32, suspects: &Index) -> bool {
        if !self.whole() {
            return false;
        }
        let names = Rc::clone(&self.matcher.names);
        let mut rules = suspects.of(at, self.tree(), &names, self.survey).flatten();
        rules.any(|rule| self.rules.tries(*rule, at, &mut self.matcher))
    }

    /// Add the places of the rules that apply to an element, the strongest last.
    fn rules_of(&mut self, at: u32, found: &mut Vec<u32>) {
        if self.rules.all.is_empty() || !self.whole() {
            return;
        }
        let names = Rc::clone(&self.matcher.names);
        let rules = &self.rules;
        let lists = rules.index.of(at, self.tree(), &names, self.survey);
        for rule in lists.flatten() {
            if rules.tries(*rule, at, &mut self.matcher) {
                found.push(rules.all[*rule as usize].place);
            }
        }
        found.sort_unstable();
    }

    /// Return the number of the values that an element has in the end.
    fn of(&mut self, at: u32) -> u32 {
        let known = self.memo[at as usize];
        if known != NONE {
            return known;
        }
        let mut lists = std::mem::take(&mut self.lists);
        lists.clear();
        self.rules_of(at, &mut lists);
        let rules = &self.rules;
        let important = lists.partition_point(|place| *place < rules.important);
        for place in &mut lists {
            *place = rules.by_place[*place as usize];
        }
        if let Some(place) = self.places.get(at as usize).filter(|place| **place != NONE) {
            let [normal, strong] = self.own[*place as usize].1;
            let is_full = |list: u32| !self.rules.lists[list as usize].is_empty();
            if is_full(strong) {
                lists.push(strong);
            }
            if is_full(normal) {
                lists.insert(important, normal);
            }
        }
        let left = &mut self.matcher.left;
        let number = self.cascade.number(&lists, &mut self.rules, left);
        self.lists = lists;
        self.memo[at as usize] = number;
        number
    }

    fn look(&self, found: u32) -> Look<'_> {
        self.cascade.look(found, &self.rules)
    }

    /// Return true if an element has a value of its own for what hides the text around it.
    pub fn sets_anew(&mut self, at: u32, hiding: Hiding) -> bool {
        let found = self.of(at);
        hiding.is_set_anew(&self.look(found))
    }

    /// Return what hides the text of an element.
    pub fn hides(&mut self, at: u32) -> Option<Hiding> {
        let found = self.of(at);
        let is_cell = matches!(self.tree().name(at), "td" | "th");
        let look = self.cascade.look(found, &self.rules);
        *self.hiding.entry((found, is_cell)).or_insert_with(|| Hiding::of(&look, is_cell))
    }
}
