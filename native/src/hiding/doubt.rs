//! Text of which nobody can be sure that it is shown: what selects it, or what that does, can't be
//! evaluated. It is read, but is no reason to drop a page of another site.

use super::effects::{marks, Marks, ALONE, BLACK, GROUNDS, TEXTS, WHITE};
use super::matching::MOST_WORK;
use super::properties::Declaration;
use super::rules::Rules;
use super::selectors::Weight;
use super::styles::Styles;
use super::values::brackets_length;
use super::{conceal, declarations::VARIABLE};
use crate::attributes::Key;
use crate::hash::Map;
use crate::space::characters;
use crate::tags::{element, Way, LINK, TEMPLATE};
use crate::tree::{Tree, NONE, PAGE};

/// Elements that show what is in them in part only, or not at all.
const ODD: [&str; 3] = ["mphantom", "maction", "frameset"];
/// Values that variables may have which are tried.
const MOST_VALUES: usize = 64;
/// One part in so many of what a page shows: less that is uncertain does not count, as little as what
/// may be lost of a page by default.
const LITTLE: usize = 20;
/// What is light or dark where no element or other style sheet says so.
const PAPER: Marks = Marks { set: BLACK | WHITE, unsure: 0 };
const COLOURS: u32 = TEXTS | GROUNDS;
/// No rule is as strong as an element's own declarations.
const OWN: (Weight, i64) = ((u32::MAX, 0, 0), 0);

/// Return true if markup may hide some of the text that is shown.
pub fn is_markup_doubtful(tree: &Tree, is_hidden: &[bool]) -> bool {
    let doubtful: Vec<u32> = tree.elements().filter_map(|at| hider(tree, at)).collect();
    if doubtful.is_empty() {
        return false;
    }
    let sizes = shown_sizes(tree, is_hidden);
    let uncertain: usize = doubtful.iter().map(|at| sizes[*at as usize]).sum();
    uncertain * LITTLE > sizes[PAGE as usize]
}

/// Return the element of whose text nobody knows if it is shown, because of one.
fn hider(tree: &Tree, at: u32) -> Option<u32> {
    match tree.node(at).number {
        LINK => is_data_sheet(tree, at).then_some(PAGE),
        TEMPLATE => {
            let mut names = tree.attributes(at).into_iter().map(|one| one.name);
            let is_shadow = names.any(|name| name.starts_with("shadowroot"));
            is_shadow.then(|| tree.node(at).parent)
        }
        _ => ODD.contains(&tree.name(at)).then_some(at),
    }
}

fn is_data_sheet(tree: &Tree, at: u32) -> bool {
    let is_sheet = tree.value(at, Key::Rel).to_ascii_lowercase().contains("stylesheet");
    let address = tree.value(at, Key::Href).trim_start().to_ascii_lowercase();
    is_sheet && address.starts_with("data:")
}

/// Return how many characters are shown of each node, with all that is in it.
fn shown_sizes(tree: &Tree, is_hidden: &[bool]) -> Vec<usize> {
    let count = tree.nodes.len();
    let (mut sizes, mut is_out) = (vec![0; count], vec![false; count]);
    for at in PAGE + 1..count as u32 {
        let node = tree.node(at);
        let is_skipped = !node.is_text && element(node.number).way == Way::Skipped;
        is_out[at as usize] = is_out[node.parent as usize] || is_hidden[at as usize] || is_skipped;
        if node.is_text && !is_out[at as usize] {
            sizes[at as usize] = characters(tree.text(at).trim());
        }
    }
    for at in (PAGE + 1..count as u32).rev() {
        sizes[tree.node(at).parent as usize] += sizes[at as usize];
    }
    sizes
}

impl Styles<'_, '_> {
    /// Return true if styles may hide some of the text that is shown.
    pub fn are_doubtful(&mut self, is_hidden: &[bool]) -> bool {
        if !self.whole() || self.has_data {
            return true;
        }
        let tree = self.matcher.tree;
        let blocks: Vec<Marks> =
            (0..self.rules.effects.len()).map(|block| marks_of(block, &self.rules)).collect();
        let sizes = shown_sizes(tree, is_hidden);
        let total = sizes[PAGE as usize];
        let mut uncertain = 0;
        let paper = if self.survey.has_links { Marks::default() } else { PAPER };
        let mut colours = vec![paper; tree.nodes.len()];
        self.matcher.left = MOST_WORK;
        let own: Map<u32, u32> = self.effects.iter().copied().collect();
        for at in PAGE..tree.nodes.len() as u32 {
            let node = tree.node(at);
            if node.is_text || is_hidden[at as usize] {
                continue;
            }
            let own = own.get(&at).map_or(Marks::default(), |block| blocks[*block as usize]);
            let mut found = self.marks_of_rules(at, own, &blocks).and(marks_of_old(tree, at));
            if self.matcher.left <= 0 {
                return true;
            }
            if self.is_page(at) {
                let bits = found.set & !COLOURS;
                found.unsure |= bits; // what hides all of a page was not looked at
            }
            let around = colours.get(node.parent as usize).copied().unwrap_or(paper);
            let is_in_doubt = around.unsure & ALONE != 0;
            found = with_colours(found, around);
            colours[at as usize] = Marks { unsure: found.unsure & COLOURS, set: found.set };
            colours[at as usize].unsure |= around.unsure & ALONE;
            let size = sizes[at as usize];
            if size > 0 && found.may_hide() {
                colours[at as usize].unsure |= ALONE; // what is in it is counted with it
                uncertain += if is_in_doubt { 0 } else { size };
            }
        }
        uncertain * LITTLE > total
    }

    /// Return what its own declarations and rules may do to an element.
    fn marks_of_rules(&mut self, at: u32, own: Marks, blocks: &[Marks]) -> Marks {
        let rules = &self.rules;
        if rules.watched.is_empty() {
            return own;
        }
        // of colours that are sure the strongest hold
        let mut found = own;
        let mut colours = [TEXTS, GROUNDS].map(|kind| (kind, own.sure(kind), OWN));
        let names = std::rc::Rc::clone(&self.matcher.names);
        let mut layered: Vec<(u32, u32)> = Vec::new();
        let lists = rules.watched_index.of(at, self.matcher.tree, &names, self.survey);
        for number in lists.flatten() {
            let rule = &rules.watched[*number as usize];
            let mut marks = blocks[rule.effects as usize];
            if marks == Marks::default() && rule.layer == 0 {
                continue;
            }
            self.matcher.is_cut = false;
            let is_matched = rules.is_watched(*number, at, &mut self.matcher);
            if !is_matched && !self.matcher.is_cut {
                continue;
            }
            let is_certain = rule.is_certain && !self.matcher.is_cut;
            if is_certain && rule.layer == 0 {
                for (kind, strongest, rank) in &mut colours {
                    let sure = marks.sure(*kind);
                    marks.set &= !sure;
                    if sure != 0 && (*strongest == 0 || rule.rank > *rank) {
                        (*strongest, *rank) = (sure, rule.rank);
                    }
                }
            }
            found = found.and(if is_certain { marks } else { marks.all_unsure() });
            if rule.layer != 0 {
                layered.push((rule.layer, rule.list));
            }
        }
        if is_order_of_layers_doubtful(&layered, rules) {
            found.unsure |= ALONE;
        }
        found.set |= colours.iter().fold(0, |all, one| all | one.1);
        found
    }
}

/// Return what attributes of old do.
fn marks_of_old(tree: &Tree, at: u32) -> Marks {
    let old = [(Key::Color, "color"), (Key::Text, "color"), (Key::Bgcolor, "background")];
    let all = old.iter().filter_map(|(key, name)| Some((name, tree.get(at, *key)?)));
    all.map(|(name, value)| marks(name, &value.to_ascii_lowercase()))
        .fold(Marks::default(), Marks::and)
}

/// Return true if what one layer hides may be shown by another, or the reverse.
fn is_order_of_layers_doubtful(layered: &[(u32, u32)], rules: &Rules) -> bool {
    let declared = |list: u32| {
        let lists = &rules.lists[list as usize..list as usize + 2];
        lists.iter().flatten()
    };
    let hides = |one: &Declaration| conceal::may_hide(one.0, rules.values.text(one.1));
    layered.iter().filter(|(_, list)| *list != NONE).any(|(layer, list)| {
        declared(*list).filter(|one| hides(one)).any(|one| {
            let others = layered.iter().filter(|other| other.0 != *layer);
            others.flat_map(|other| declared(other.1)).any(|other| other.0 == one.0)
        })
    })
}

/// Put in the colours around an element for those that it does not have itself.
fn with_colours(mut found: Marks, around: Marks) -> Marks {
    for part in [TEXTS, GROUNDS] {
        if found.set & part == 0 || found.unsure & part != 0 {
            found.set |= around.set & part;
            found.unsure |= around.unsure & part;
        }
    }
    found
}

/// Return what a block does, with all that variables may make of it.
fn marks_of(block: usize, rules: &Rules) -> Marks {
    let effects = &rules.effects[block];
    let mut found = effects.marks;
    for (name, value, important) in &effects.open {
        let values = possible(value, rules);
        if values.len() > MOST_VALUES {
            found = found.and(marks(name, "?(").all_unsure());
            continue;
        }
        let is_sure = values.len() == 1 && !important;
        for value in values {
            let one = marks(name, &value);
            found = found.and(if is_sure { one } else { one.all_unsure() });
        }
    }
    found
}

/// Return the values that one with variables may become: each of them in turn may have any of its
/// values, while the others have their first.
fn possible(value: &str, rules: &Rules) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![(value.to_owned(), 0)];
    while let Some((value, depth)) = open.pop() {
        let Some(at) = value.find(VARIABLE) else {
            done.push(value);
            continue;
        };
        if depth > 8 || done.len() + open.len() > MOST_VALUES {
            return vec![String::new(); MOST_VALUES + 1];
        }
        let Some(length) = brackets_length(&value[at..]) else {
            return vec![String::new(); MOST_VALUES + 1];
        };
        let (before, after) = (&value[..at], &value[at + length..]);
        let inside = &value[at + VARIABLE.len()..at + length - 1];
        let (name, other) = inside.split_once(',').unwrap_or((inside, ""));
        let name = name.trim();
        let put = |meaning: &str| (format!("{before}{}{after}", meaning.trim()), depth + 1);
        let known = open.len();
        open.extend(rules.meanings(name).map(put));
        if open.len() == known {
            match other {
                "" if rules.has_properties => return vec![String::new(); MOST_VALUES + 1],
                "" => done.push("initial".to_owned()), // invalid
                other => open.push(put(other)),
            }
        }
    }
    done
}
