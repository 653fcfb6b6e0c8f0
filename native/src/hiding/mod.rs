//! Text that visitors can't see is marked as hidden.
//!
//! Many pages are hidden as a whole until a script shows them, so the root and the body always
//! count as shown. What other files do (style sheets, scripts, pictures on top) can't be known.

mod cascade;
mod colours;
mod conceal;
mod declarations;
mod doubt;
mod effects;
mod heads;
mod lengths;
mod matching;
mod media;
mod names;
mod properties;
mod rules;
mod selectors;
mod sheets;
mod sources;
mod styles;
mod survey;
mod text;
mod values;

use crate::attributes::Key;
use crate::elements::MAX_DEPTH;
use crate::labels::{level_of, Words, LEVEL_ARTICLE, LEVEL_MAIN, LEVEL_NONE};
use crate::space::characters;
use crate::tags::{element, Way};
use crate::tree::{Tree, PAGE};
use conceal::Hiding;
use declarations::{declarations, without_comments, Values};
use doubt::is_markup_doubtful;
use properties::Property;
pub use sources::text_of;
use styles::Styles;
use survey::Survey;
use text::SPACE;

/// How much was hidden of a page.
#[derive(Clone, Copy)]
pub struct Hidden {
    pub characters: usize,
    /// All styles were read, and what they hide could be found.
    pub whole: bool,
    /// Elements that were looked at.
    pub work: i64,
    /// Nobody can be sure that all of the text that is not hidden is shown.
    pub uncertain: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Shown,
    Counted,
    Aside,
}

/// Hide what a page does not show, unless asked to leave what only styles hide.
///
/// Elements that are hidden as a whole are marked; where an element in them may be shown again, as
/// with `visibility`, texts are.
pub fn hide(tree: &mut Tree, styles: bool) -> Hidden {
    let survey = Survey::new(tree);
    let mut hidden = Hidden { characters: 0, whole: true, work: 0, uncertain: !styles };
    let attributed = survey.hiding.iter().copied().filter(|at| is_hidden_by_attribute(tree, *at));
    let mut elements: Vec<u32> = attributed.collect();
    let mut hiding = elements.clone();
    hiding.extend_from_slice(&survey.closed);
    let mut texts = Vec::new();
    close(tree, &survey, &mut elements, &mut texts);
    if styles && !(survey.styled.is_empty() && survey.sheets.is_empty()) {
        let mut styles = Styles::new(tree, &survey);
        let mut styled = Vec::new();
        for at in styles.suspects() {
            if let Some(hiding) = styles.hides(at) {
                styled.push((at, hiding));
            }
        }
        let mut removed = vec![false; if styled.is_empty() { 0 } else { tree.nodes.len() }];
        for at in &texts {
            if let Some(removed) = removed.get_mut(*at as usize) {
                *removed = true;
            }
        }
        for (at, how) in styled {
            hiding.push(at);
            match how {
                Hiding::All => elements.push(at),
                some => hidden.characters += remove(tree, at, some, &mut styles, &mut removed),
            }
        }
        hidden.whole = styles.whole();
        hidden.work = styles.work();
        let places = removed.iter().enumerate().filter(|(_, removed)| **removed);
        texts.extend(places.map(|(at, _)| at as u32));
        hidden.uncertain = styles.are_doubtful(&is_hidden(tree, &elements, &texts));
    }
    let is_odd = || is_markup_doubtful(tree, &is_hidden(tree, &elements, &texts));
    hidden.uncertain = hidden.uncertain || is_odd();
    for at in elements.iter().chain(&texts) {
        tree.nodes[*at as usize].hidden = true;
    }
    if !hiding.is_empty() {
        hidden.characters += hidden_size(tree);
        hidden.whole = hidden.whole && !is_any_cut_short(tree, &hiding);
    }
    hidden.uncertain |= !hidden.whole;
    hidden
}

/// Return which nodes are hidden.
fn is_hidden(tree: &Tree, elements: &[u32], texts: &[u32]) -> Vec<bool> {
    let mut found = vec![false; tree.nodes.len()];
    for at in elements.iter().chain(texts) {
        found[*at as usize] = true;
    }
    found
}

fn is_hidden_by_attribute(tree: &Tree, at: u32) -> bool {
    if tree.has(at, Key::Hidden) {
        let style = tree.value(at, Key::Style);
        let own = declarations(&without_comments(&style), &mut Values::default());
        // that is stronger
        return !own.lists.iter().flatten().any(|one| one.0 == Property::Display);
    }
    let is_silent = tree.get(at, Key::AriaHidden).is_some_and(|value| value == "true");
    (is_silent && element(tree.node(at).number).way == Way::Block) || tree.has(at, Key::Popover)
}

/// Hide what closed dialogs hold; what a `<details>` holds is a click away, and read.
fn close(tree: &Tree, survey: &Survey, elements: &mut Vec<u32>, texts: &mut Vec<u32>) {
    for at in &survey.closed {
        for child in tree.children(*at) {
            match tree.node(child).is_text {
                true => texts.push(child),
                false => elements.push(child),
            }
        }
    }
}

/// Remove the text in an element, but not in those inside that have a value of their own; return
/// how many characters it has.
fn remove(
    tree: &Tree,
    at: u32,
    hiding: Hiding,
    styles: &mut Styles,
    removed: &mut [bool],
) -> usize {
    let mut stack = vec![at];
    let mut size = 0;
    while let Some(one) = stack.pop() {
        for child in tree.children(one) {
            if !tree.node(child).is_text {
                if !styles.sets_anew(child, hiding) {
                    stack.push(child);
                }
            } else if !removed[child as usize] {
                removed[child as usize] = true;
                size += length(tree.text(child));
            }
        }
    }
    size
}

/// Return how many characters are hidden that could be main text.
fn hidden_size(tree: &Tree) -> usize {
    let mut words = Words::default();
    let mut states = vec![State::Shown; tree.nodes.len()];
    let mut size = 0;
    for at in PAGE + 1..tree.nodes.len() as u32 {
        let node = tree.node(at);
        let mut state = states[node.parent as usize];
        if node.is_text {
            if state == State::Counted && !node.hidden {
                size += length(tree.text(at));
            }
            continue;
        }
        if node.hidden && state == State::Shown {
            state = State::Counted;
        }
        if state == State::Counted && is_aside(tree, at, &mut words) {
            state = State::Aside;
        }
        states[at as usize] = state;
    }
    size
}

/// Return true if one is too deep, so that what it holds stands beside it in the tree.
fn is_any_cut_short(tree: &Tree, hiding: &[u32]) -> bool {
    hiding.iter().any(|at| usize::from(tree.node(*at).depth) > MAX_DEPTH)
}

/// Return true if an element is no main text, hidden or not.
fn is_aside(tree: &Tree, at: u32, words: &mut Words) -> bool {
    if matches!(tree.name(at), "a" | "script" | "style" | "template") {
        return true;
    }
    let get = |key: Key| tree.value(at, key);
    let number = tree.node(at).number;
    let (role, classes, identifier) = (get(Key::Role), get(Key::Class), get(Key::Id));
    let (level, _) = level_of(words, number, &role, &classes, &identifier);
    !matches!(level, LEVEL_NONE | LEVEL_MAIN | LEVEL_ARTICLE)
}

fn length(text: &str) -> usize {
    characters(text.trim_matches(SPACE))
}
