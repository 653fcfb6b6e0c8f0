//! Styles of elements: which declarations of the page's own sheets and attributes they have; the
//! twin is `read/hiding/styles.py`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::colours::{self, are_alike, levels, Levels};
use super::conceal;
use super::declarations::{declarations, with_variables, without_comments, Declared, Values};
use super::matching::{Matcher, MOST_WORK};
use super::media::is_for_screens;
use super::names::{bit, Names};
use super::properties::{Declaration, Found, Look, Property, UNSET};
use super::selectors::{key, selector_of, weight_of, Selector, Weight};
use super::sheets::{names_of, Draft, Sheet};
use super::survey::Survey;
use super::text::SPACE;
use crate::names::UNKNOWN;
use crate::space::{characters, first_characters};
use crate::tables::{BODY, HEAD, HTML, KNOWN};
use crate::tree::{Tree, NONE, PAGE};

/// Characters of a page's sheets and attributes that are read.
const MOST_CSS: usize = 1 << 20;
/// Of text, and as many of grounds, that are compared.
const MOST_COLOURS: usize = 100;
/// Characters of an old attribute that are read.
const LONGEST_OLD: usize = 20;

/// Important or not, of an attribute or not, in no layer or not; weight; order.
type Rank = (bool, bool, bool, Weight, i64);

/// Declarations, and the elements that have them.
struct Rule {
    selector: u32,
    list: u32,
    /// The names that an element or those around it must have.
    bits: u128,
    rank: Rank,
    is_suspect: bool,
}

/// The numbers of rules, by what an element must have to be worth a look.
#[derive(Default)]
struct Index {
    any: Vec<u32>,
    by_number: Vec<Vec<u32>>,
    by_tag: HashMap<String, Vec<u32>>,
    by_name: Vec<Vec<u32>>,
}

impl Index {
    /// Return an index of some of its rules.
    fn filtered(&self, is_kept: impl Fn(u32) -> bool) -> Index {
        let some = |rules: &Vec<u32>| -> Vec<u32> {
            rules
                .iter()
                .copied()
                .filter(|rule| is_kept(*rule))
                .collect()
        };
        let by_tag = self
            .by_tag
            .iter()
            .map(|(tag, rules)| (tag.clone(), some(rules)));
        Index {
            any: some(&self.any),
            by_number: self.by_number.iter().map(some).collect(),
            by_tag: by_tag.collect(),
            by_name: self.by_name.iter().map(some).collect(),
        }
    }
}

/// Which properties hide the text of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hiding {
    /// Nothing inside shows.
    All,
    Some {
        visibility: bool,
        size: bool,
        colour: bool,
    },
}

/// What an element has of those around it.
#[derive(Clone, Copy)]
struct Inherited {
    opacity: f64,
    size: f64,
    is_sized: bool,
    text: u32,
    ground: u32,
}

const NOTHING: Inherited = Inherited {
    opacity: 1.0,
    size: 16.0,
    is_sized: false,
    text: UNSET,
    ground: UNSET,
};

/// What the page's own style sheets and attributes say of its elements.
pub struct Styles<'t, 'h> {
    survey: &'t Survey,
    matcher: Matcher<'t, 'h>,
    values: Values,
    lists: Vec<Vec<Declaration>>,
    /// The two lists of each styled element, in the order of the page.
    own: Vec<(u32, [u32; 2])>,
    selectors: Vec<Selector>,
    rules: Vec<Rule>,
    index: Index,
    /// None for those with several values.
    variables: HashMap<String, Option<u32>>,
    put_in: HashMap<u32, u32>,
    colours: HashSet<Declaration>,
    all_read: bool,
    is_linked: bool,
    is_white: bool,
    found: Vec<Found>,
    buffer: Vec<u32>,
    /// Where the values of a node are in `found`, and what it inherits in `all_inherited`.
    memo: Vec<u32>,
    inherited: Vec<u32>,
    all_inherited: Vec<Inherited>,
}

impl<'t, 'h> Styles<'t, 'h> {
    pub fn new(tree: &'t Tree<'h>, survey: &'t Survey) -> Self {
        let sheets: Vec<&str> = survey.sheets.iter().map(|at| text_of(tree, *at)).collect();
        let read = survey
            .sheets
            .iter()
            .zip(&sheets)
            .filter(|(at, _)| is_read(tree, **at));
        let texts: Vec<&str> = read.map(|(_, text)| *text).collect();
        let own: Vec<Cow<str>> = survey
            .styled
            .iter()
            .map(|at| attribute(tree, *at, "style"))
            .collect();
        let size: usize = texts.iter().map(|text| characters(text)).sum();
        let size = size + own.iter().map(|text| characters(text)).sum::<usize>();
        let names = match texts.iter().all(|text| text.is_empty()) || size > MOST_CSS {
            true => Names::default(),
            false => Names::new(tree),
        };
        let mut styles = Styles {
            survey,
            matcher: Matcher::new(tree, names, survey.lacks_html, survey.lacks_body),
            values: Values::default(),
            lists: Vec::new(),
            own: Vec::new(),
            selectors: Vec::new(),
            rules: Vec::new(),
            index: Index::default(),
            variables: HashMap::new(),
            put_in: HashMap::new(),
            colours: HashSet::new(),
            all_read: size <= MOST_CSS,
            is_linked: survey.has_links || sheets.iter().any(|text| text.contains("@import")),
            is_white: false,
            found: Vec::new(),
            buffer: Vec::new(),
            memo: vec![NONE; tree.nodes.len()],
            inherited: vec![NONE; tree.nodes.len()],
            all_inherited: Vec::new(),
        };
        if styles.all_read {
            styles.read(&texts);
        }
        if styles.all_read {
            for (at, text) in survey.styled.iter().zip(&own) {
                let declared = declarations(&without_comments(text), &mut styles.values);
                let lists = styles.keep(declared);
                styles.own.push((*at, lists));
            }
        } else {
            styles.rules.clear();
            styles.index = Index::default();
            styles.lists.clear();
            styles.variables.clear();
        }
        styles.compare_colours();
        styles
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

    fn read(&mut self, texts: &[&str]) {
        self.index.by_number = vec![Vec::new(); KNOWN];
        self.index.by_name = vec![Vec::new(); self.matcher.names.count()];
        let mut order = 0;
        for text in texts {
            let text = without_comments(text);
            // a block has several selectors, but is read once
            let mut last: Option<(*const u8, usize, [u32; 2])> = None;
            let whole = Sheet::new(&text).read(|draft| {
                order += 1;
                let names = &self.matcher.names;
                if !names_of(draft.selector).all(|name| names.number(name) != NONE) {
                    return;
                }
                let Some(selector) = self.selector(&draft) else {
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
            });
            if !whole {
                self.all_read = false;
                return;
            }
        }
    }

    /// Return a selector that can select something on the page.
    fn selector(&self, draft: &Draft) -> Option<Selector> {
        let selector = selector_of(draft.selector, &self.matcher.names)?;
        let void = |name: &String| matches!(name.as_str(), ".no-js" | ".nojs" | ".no_js");
        let mut compounds = selector.iter();
        let fits = compounds.all(|one| !one.numbers.contains(&NONE) && !one.names.iter().any(void));
        fits.then_some(selector)
    }

    /// Keep what a block declares; return the numbers of its two lists.
    fn keep(&mut self, declared: Declared) -> [u32; 2] {
        for (name, value) in declared.variables {
            let known = self.variables.entry(name).or_insert(Some(value));
            *known = known.filter(|one| *one == value);
        }
        declared.lists.map(|list| {
            self.lists.push(list);
            self.lists.len() as u32 - 1
        })
    }

    fn add(&mut self, selector: Selector, lists: [u32; 2], layer: bool, order: i64) {
        let Some(last) = selector.last() else {
            return;
        };
        let beside = selector
            .iter()
            .any(|one| matches!(one.combinator, b'+' | b'~'));
        let around = if beside {
            &selector[selector.len() - 1..]
        } else {
            &selector[..]
        };
        let names = around.iter().flat_map(|one| one.numbers.iter().copied());
        let bits = names.map(bit).fold(0, |bits, one| bits | one);
        let weight = weight_of(&selector);
        for (important, list) in [(false, lists[0]), (true, lists[1])] {
            let declared = &self.lists[list as usize];
            if declared.is_empty() {
                continue;
            }
            let texts = &self.values;
            let suspect = |one: &Declaration| conceal::may_hide(one.0, texts.text(one.1));
            let is_suspect = declared.iter().any(suspect);
            let rule = self.rules.len() as u32;
            self.rules.push(Rule {
                selector: self.selectors.len() as u32,
                list,
                bits,
                // of important rules those in layers are the stronger ones
                rank: (important, false, layer == important, weight, order),
                is_suspect,
            });
            let known = usize::from(last.tag_number) < KNOWN;
            let index = &mut self.index;
            let place = match (key(last), last.tag.as_str()) {
                (Some(name), _) => &mut index.by_name[last.numbers[name] as usize],
                (None, "" | "*") => &mut index.any,
                _ if known => &mut index.by_number[usize::from(last.tag_number)],
                (None, tag) => index.by_tag.entry(tag.to_owned()).or_default(),
            };
            place.push(rule);
        }
        self.selectors.push(selector);
    }

    /// Find the declarations of colours that could hide text, given all on the page.
    fn compare_colours(&mut self) {
        let values = &self.values;
        let all = || self.lists.iter().flatten().copied();
        let mut texts: Vec<Declaration> = all().filter(|one| one.0 == Property::Color).collect();
        let is_ground = |one: &Declaration| one.0.name().starts_with("background");
        let mut grounds: Vec<Declaration> = all().filter(is_ground).collect();
        texts.sort_by_key(|one| values.text(one.1));
        grounds.sort_by_key(|one| (one.0.name(), values.text(one.1)));
        texts.dedup();
        grounds.dedup();
        // no ground is white if there are pictures, or grounds that nobody knows
        let pictured = grounds
            .iter()
            .any(|one| colours::is_picture(values.text(one.1)));
        self.is_white = !self.survey.has_pictures && !pictured;
        if !(texts.is_empty() && grounds.is_empty()) && !self.is_linked {
            texts.push((Property::Color, self.values.number("black")));
            if self.is_white {
                grounds.push((Property::Background, self.values.number("white")));
            }
        }
        let values = &self.values;
        let known = |some: &[Declaration]| -> Vec<(Declaration, Option<Levels>)> {
            let last = some.len().saturating_sub(MOST_COLOURS);
            some[last..]
                .iter()
                .map(|one| (*one, levels(values.text(one.1))))
                .collect()
        };
        let behind = known(&grounds);
        for (text, one) in known(&texts) {
            for (ground, other) in &behind {
                if are_alike(one, *other) {
                    self.colours.insert(text);
                    self.colours.insert(*ground);
                }
            }
        }
        if !self.colours.is_empty() {
            for rule in &mut self.rules {
                let list = &self.lists[rule.list as usize];
                rule.is_suspect |= list.iter().any(|one| self.colours.contains(one));
            }
        }
    }

    /// Return the elements that have a declaration that may hide; never the root or body.
    pub fn suspects(&mut self) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.rules.iter().any(|rule| rule.is_suspect) {
            let own = self
                .own
                .iter()
                .filter(|own| !self.is_page(own.0) && self.may_hide_itself(own));
            found.extend(own.map(|own| own.0));
            return found;
        }
        let suspects = self
            .index
            .filtered(|rule| self.rules[rule as usize].is_suspect);
        let mut rules = Vec::new();
        let mut next = 0;
        for at in self.tree().elements() {
            let own = self.own.get(next).filter(|own| own.0 == at);
            next += usize::from(own.is_some());
            let may_hide = own.is_some_and(|own| self.may_hide_itself(own));
            if !self.is_page(at) && (may_hide || self.is_tried(at, &suspects, &mut rules)) {
                found.push(at);
            }
        }
        found
    }

    /// Return true for what always counts as shown.
    fn is_page(&self, at: u32) -> bool {
        at == PAGE || matches!(self.tree().node(at).number, HTML | HEAD | BODY)
    }

    fn may_hide_itself(&self, own: &(u32, [u32; 2])) -> bool {
        let (at, lists) = own;
        let may_hide = |one: &Declaration| {
            conceal::may_hide(one.0, self.values.text(one.1)) || self.colours.contains(one)
        };
        lists
            .iter()
            .any(|list| self.lists[*list as usize].iter().any(may_hide))
            || !old(self.tree(), *at).is_empty()
    }

    fn is_tried(&mut self, at: u32, suspects: &Index, rules: &mut Vec<u32>) -> bool {
        self.rules_of(at, suspects, rules);
        rules.iter().any(|rule| self.tries(*rule, at))
    }

    /// List the rules that are worth a look: for all elements, for its name, its id, its classes.
    fn rules_of(&self, at: u32, index: &Index, rules: &mut Vec<u32>) {
        rules.clear();
        rules.extend_from_slice(&index.any);
        let number = self.tree().node(at).number;
        if at == PAGE {
            let lacking = [
                (HTML, self.survey.lacks_html),
                (BODY, self.survey.lacks_body),
            ];
            for (number, _) in lacking.into_iter().filter(|one| one.1) {
                rules.extend_from_slice(&index.by_number[usize::from(number)]);
            }
        } else if number != UNKNOWN {
            rules.extend_from_slice(&index.by_number[usize::from(number)]);
        } else if let Some(some) = index.by_tag.get(self.tree().name(at)) {
            rules.extend_from_slice(some);
        }
        for name in self.matcher.names.of(at) {
            rules.extend_from_slice(&index.by_name[name as usize]);
        }
    }

    fn tries(&mut self, rule: u32, at: u32) -> bool {
        if !self.whole() {
            return false;
        }
        self.matcher.left -= 1;
        let rule = &self.rules[rule as usize];
        self.matcher.names.may_be_around(rule.bits, at)
            && self
                .matcher
                .matches(at, &self.selectors[rule.selector as usize])
    }

    /// Return the number of the declarations that hold for an element in the end.
    fn of(&mut self, at: u32) -> usize {
        let known = self.memo[at as usize];
        if known != NONE {
            return known as usize;
        }
        let mut ranked: Vec<(Rank, u32)> = Vec::new();
        if !self.rules.is_empty() {
            let mut rules = std::mem::take(&mut self.buffer);
            self.rules_of(at, &self.index, &mut rules);
            for rule in &rules {
                if self.tries(*rule, at) {
                    let rule = &self.rules[*rule as usize];
                    ranked.push((rule.rank, rule.list));
                }
            }
            self.buffer = rules;
        }
        ranked.sort_by_key(|one| one.0);
        let mut found = Found::new();
        let own = self.own.binary_search_by_key(&at, |own| own.0);
        let own = own.ok().map(|place| self.own[place].1);
        if own.is_some() {
            for (property, value) in old(self.tree(), at) {
                set(&mut found, (property, self.values.number(&value)));
            }
        }
        let (important, normal): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|one| one.0 .0);
        for (some, place) in [(normal, 0), (important, 1)] {
            let lists = some
                .iter()
                .map(|one| one.1)
                .chain(own.map(|lists| lists[place]));
            for list in lists {
                for declaration in &self.lists[list as usize] {
                    set(&mut found, *declaration);
                }
            }
        }
        for value in &mut found.0 {
            if *value != UNSET && self.values.text(*value).contains("var(") {
                *value = put_in(*value, &mut self.values, &mut self.put_in, &self.variables);
            }
        }
        self.found.push(found);
        let number = self.found.len() - 1;
        self.memo[at as usize] = number as u32;
        number
    }

    fn look(&self, found: usize) -> Look<'_> {
        Look {
            found: &self.found[found],
            values: &self.values.texts,
        }
    }

    /// Return true if an element has a value of its own for what hides the text around it.
    pub fn sets_anew(&mut self, at: u32, hiding: Hiding) -> bool {
        use Property::*;
        let found = self.of(at);
        let look = self.look(found);
        let Hiding::Some {
            visibility,
            size,
            colour,
        } = hiding
        else {
            return false;
        };
        (visibility && look.has(Visibility))
            || (size && (look.has(FontSize) || look.has(Font)))
            || (colour && (look.has(Color) || look.has(Background) || look.has(BackgroundColor)))
    }

    /// Return what hides the text of an element.
    pub fn hides(&mut self, at: u32) -> Option<Hiding> {
        let found = self.of(at);
        // most that is hidden needs no look around
        let alone = self.is_linked && !conceal::is_relative(&self.look(found));
        let inherited = if alone {
            NOTHING
        } else {
            self.of_all_around(at)
        };
        let look = self.look(found);
        if conceal::hides(&look, self.tree().name(at)) || inherited.opacity < colours::FAINT {
            return Some(Hiding::All);
        }
        let visibility = conceal::is_invisible(&look);
        let size = inherited.is_sized && conceal::is_tiny(inherited.size);
        let colour = self.has_colour_of_ground(&look, &inherited);
        (visibility || size || colour).then_some(Hiding::Some {
            visibility,
            size,
            colour,
        })
    }

    /// Return what an element has of those around it, each looked at once.
    fn of_all_around(&mut self, at: u32) -> Inherited {
        let mut missing = Vec::new();
        let mut around = at;
        let mut found = NOTHING;
        while around != NONE {
            let known = self.inherited[around as usize];
            if known != NONE {
                found = self.all_inherited[known as usize];
                break;
            }
            missing.push(around);
            around = self.tree().node(around).parent;
        }
        self.matcher.left -= missing.len() as i64;
        for one in missing.into_iter().rev() {
            let own = self.of(one);
            found = self.inside(found, own, self.is_page(one));
            self.inherited[one as usize] = self.all_inherited.len() as u32;
            self.all_inherited.push(found);
        }
        found
    }

    /// Return what an element has, inside one that has this.
    fn inside(&self, around: Inherited, own: usize, is_page: bool) -> Inherited {
        let look = self.look(own);
        let size = conceal::font_size(&look, around.size);
        let value = |property: Option<Property>, other: u32| {
            property.map_or(other, |one| look.found.0[one as usize])
        };
        Inherited {
            opacity: match is_page {
                true => 1.0,
                false => around.opacity * conceal::opacity(&look),
            },
            size: size.unwrap_or(around.size),
            is_sized: size.is_some(),
            text: value(conceal::text_colour(&look), around.text),
            ground: value(conceal::ground(&look), around.ground),
        }
    }

    /// Return true if text can't be told from its ground. Where other style sheets have a say, only
    /// if the element itself has both colours.
    fn has_colour_of_ground(&self, look: &Look, inherited: &Inherited) -> bool {
        if conceal::is_transparent(look) {
            return true;
        }
        let (text, ground) = (conceal::text_colour(look), conceal::ground(look));
        if text.is_none() && ground.is_none() {
            return false;
        }
        if self.is_linked && (text.is_none() || ground.is_none()) {
            return false;
        }
        let value = |own: Option<Property>, other: u32, default| match (own, other) {
            (Some(one), _) => look.text(one),
            (None, UNSET) => default,
            (None, other) => self.values.text(other),
        };
        let unknown = if self.is_white { "white" } else { "var(" };
        let text = value(text, inherited.text, "black");
        are_alike(
            levels(text),
            levels(value(ground, inherited.ground, unknown)),
        )
    }
}

fn set(found: &mut Found, (property, value): Declaration) {
    for part in property.parts() {
        found.0[*part as usize] = UNSET;
    }
    found.0[property as usize] = value;
}

/// Return a value in which variables are replaced by what they stand for.
fn put_in(
    value: u32,
    values: &mut Values,
    known: &mut HashMap<u32, u32>,
    variables: &HashMap<String, Option<u32>>,
) -> u32 {
    if let Some(found) = known.get(&value) {
        return *found;
    }
    let meaning = |name: &str| -> Option<String> {
        let number = (*variables.get(name)?)?;
        Some(values.text(number).to_owned())
    };
    let text = with_variables(values.text(value), meaning);
    let found = values.number(&text);
    known.insert(value, found);
    found
}

/// Return what attributes of old say of colours.
fn old(tree: &Tree, at: u32) -> Vec<(Property, String)> {
    let mut found = Vec::new();
    let old = [
        ("color", Property::Color),
        ("text", Property::Color),
        ("bgcolor", Property::Background),
    ];
    for (name, property) in old {
        let value = attribute(tree, at, name).to_ascii_lowercase();
        let value = first_characters(&value, LONGEST_OLD);
        match colours::named(value) {
            _ if value.is_empty() => {}
            Some(_) => found.push((property, value.to_owned())),
            None => found.push((property, format!("#{}", value.trim_start_matches('#')))),
        }
    }
    if !attribute(tree, at, "background").is_empty() {
        found.push((Property::Background, "url()".to_owned()));
    }
    found
}

fn attribute<'h>(tree: &Tree<'h>, at: u32, name: &str) -> Cow<'h, str> {
    tree.get(at, name).unwrap_or_default()
}

/// Return the text of a style sheet, which is one piece if there is any.
fn text_of<'t>(tree: &'t Tree, at: u32) -> &'t str {
    tree.children(at)
        .find(|child| tree.node(*child).is_text)
        .map_or("", |child| tree.text(child))
}

fn is_read(tree: &Tree, at: u32) -> bool {
    let outside = tree
        .around(at)
        .any(|one| matches!(tree.name(one), "noscript" | "template"));
    let kind = attribute(tree, at, "type")
        .trim_matches(SPACE)
        .to_ascii_lowercase();
    matches!(kind.as_str(), "" | "text/css")
        && !outside
        && is_for_screens(&attribute(tree, at, "media"))
}
