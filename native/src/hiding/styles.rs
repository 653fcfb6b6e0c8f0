//! Styles of elements: which declarations of the page's own sheets and attributes they have; the
//! twin is `read/hiding/styles.py`.

use std::borrow::Cow;
use std::rc::Rc;

use super::colours::{self, are_alike, levels};
use super::conceal;
use super::contrast::Contrast;
use super::declarations::{declarations, without_comments};
use super::matching::{Matcher, MOST_WORK};
use super::names::Names;
use super::properties::{Declaration, Found, Look, Property, UNSET};
use super::rules::{Index, Rank, Rules};
use super::sources::{attribute, is_read, old, text_of};
use super::survey::Survey;
use crate::space::characters;
use crate::tables::{BODY, HEAD, HTML};
use crate::tree::{Tree, NONE, PAGE};

/// Characters of a page's sheets and attributes that are read.
const MOST_CSS: usize = 1 << 20;

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
    rules: Rules,
    contrast: Contrast,
    /// The two lists of each styled element, in the order of the page.
    own: Vec<(u32, [u32; 2])>,
    all_read: bool,
    is_linked: bool,
    found: Vec<Found>,
    /// Where the values of a node are in `found`, and what it inherits in `all_inherited`.
    memo: Vec<u32>,
    inherited: Vec<u32>,
    all_inherited: Vec<Inherited>,
}

impl<'t, 'h> Styles<'t, 'h> {
    pub fn new(tree: &'t Tree<'h>, survey: &'t Survey) -> Self {
        let sheets: Vec<Cow<str>> = survey.sheets.iter().map(|at| text_of(tree, *at)).collect();
        let all = survey.sheets.iter().zip(&sheets);
        let texts = all
            .filter(|(at, _)| is_read(tree, **at))
            .map(|(_, text)| text.as_ref());
        let texts: Vec<&str> = texts.collect();
        let styled = survey.styled.iter();
        let own: Vec<Cow<str>> = styled.map(|at| attribute(tree, *at, "style")).collect();
        let size: usize = texts.iter().map(|text| characters(text)).sum();
        let size = size + own.iter().map(|text| characters(text)).sum::<usize>();
        let names = match texts.iter().all(|text| text.is_empty()) || size > MOST_CSS {
            true => Names::default(),
            false => Names::new(tree),
        };
        let mut rules = Rules::default();
        let all_read = size <= MOST_CSS && rules.read(&texts, &names);
        let mut declared = Vec::new();
        if all_read {
            for (at, text) in survey.styled.iter().zip(&own) {
                let found = declarations(&without_comments(text), &mut rules.values);
                declared.push((*at, rules.keep(found)));
            }
        } else {
            rules = Rules::default();
        }
        let is_linked = survey.has_links || sheets.iter().any(|text| text.contains("@import"));
        let pictures = survey.has_pictures;
        let contrast = Contrast::new(&rules.lists, &mut rules.values, pictures, is_linked);
        if !contrast.alike.is_empty() {
            for rule in &mut rules.all {
                let mut list = rules.lists[rule.list as usize].iter();
                rule.is_suspect = rule.is_suspect || list.any(|one| contrast.alike.contains(one));
            }
        }
        Styles {
            survey,
            matcher: Matcher::new(tree, Rc::new(names), survey.lacks_html, survey.lacks_body),
            rules,
            contrast,
            own: declared,
            all_read,
            is_linked,
            found: Vec::new(),
            memo: vec![NONE; tree.nodes.len()],
            inherited: vec![NONE; tree.nodes.len()],
            all_inherited: Vec::new(),
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
        let suspects = self
            .rules
            .index
            .filtered(|rule| all[rule as usize].is_suspect);
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
    fn is_page(&self, at: u32) -> bool {
        at == PAGE || matches!(self.tree().node(at).number, HTML | HEAD | BODY)
    }

    fn may_hide_itself(&self, own: &(u32, [u32; 2])) -> bool {
        let (at, lists) = own;
        let values = &self.rules.values;
        let alike = &self.contrast.alike;
        let may_hide =
            |one: &Declaration| conceal::may_hide(one.0, values.text(one.1)) || alike.contains(one);
        let mut lists = lists.iter().map(|list| &self.rules.lists[*list as usize]);
        lists.any(|list| list.iter().any(may_hide)) || !old(self.tree(), *at).is_empty()
    }

    fn is_tried(&mut self, at: u32, suspects: &Index) -> bool {
        if !self.whole() {
            return false;
        }
        let names = Rc::clone(&self.matcher.names);
        let mut rules = suspects.of(at, self.tree(), &names, self.survey).flatten();
        rules.any(|rule| self.rules.tries(*rule, at, &mut self.matcher))
    }

    /// Return the rules that apply to an element, the strongest last.
    fn rules_of(&mut self, at: u32) -> Vec<(Rank, u32)> {
        let mut ranked = Vec::new();
        if self.rules.all.is_empty() || !self.whole() {
            return ranked;
        }
        let names = Rc::clone(&self.matcher.names);
        let rules = &self.rules;
        for rule in rules
            .index
            .of(at, self.tree(), &names, self.survey)
            .flatten()
        {
            if rules.tries(*rule, at, &mut self.matcher) {
                let rule = &rules.all[*rule as usize];
                ranked.push((rule.rank, rule.list));
            }
        }
        ranked.sort_by_key(|one| one.0);
        ranked
    }

    /// Return the number of the declarations that hold for an element in the end.
    fn of(&mut self, at: u32) -> usize {
        let known = self.memo[at as usize];
        if known != NONE {
            return known as usize;
        }
        let ranked = self.rules_of(at);
        let mut found = Found::new();
        let own = self.own.binary_search_by_key(&at, |own| own.0);
        let own = own.ok().map(|place| self.own[place].1);
        if own.is_some() {
            for (property, value) in old(self.tree(), at) {
                set(&mut found, (property, self.rules.values.number(&value)));
            }
        }
        let important = ranked.partition_point(|one| !one.0 .0);
        for (some, place) in [(&ranked[..important], 0), (&ranked[important..], 1)] {
            let lists = some
                .iter()
                .map(|one| one.1)
                .chain(own.map(|lists| lists[place]));
            for declaration in lists.flat_map(|list| &self.rules.lists[list as usize]) {
                set(&mut found, *declaration);
            }
        }
        for value in &mut found.0 {
            if *value != UNSET && self.rules.values.text(*value).contains("var(") {
                *value = self.rules.put_in(*value);
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
            values: &self.rules.values.texts,
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
            (None, other) => self.rules.values.text(other),
        };
        let unknown = if self.contrast.is_white {
            "white"
        } else {
            "var("
        };
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
