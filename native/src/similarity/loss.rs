//! What would be lost: the units of a page that another page does not keep, in their places.
//!
//! Units with equal keys are joined first; what is left is compared word by word with its best
//! partner among what is left of the other page. Work is linear in the units, but for partners,
//! which are found through their rarest words and a bounded number of steps.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use super::characters::is_word;
use super::facts::{identifiers, is_volatile, tokens, Token, CONTENT};
use super::unit_words::{aligned, common};
use crate::columns::{KIND_CELL, KIND_CODE, KIND_DEFINITION, KIND_HEADING, KIND_ITEM, KIND_TEXT};
use crate::hash::{Map, Set};
use crate::host::BY_MEMORY;
use crate::rarity::Rarity;
use crate::units::{unpacked, Place, Unit, MOSTLY_LINK, NOWHERE};
use crate::volatile::VOLATILE;

/// What text weighs that structure marks as boilerplate or comment, and how much less links weigh.
const MARKED: f64 = 0.1;
const LINKED: f64 = 0.8;
/// The least part of its words that lost prose weighs, unless so many of its host's pages show it.
const LEAST_LOST: f64 = 0.25;
const ON_ONE_IN: u32 = 20;
/// Places of one key that are looked at.
const MOST_PLACES: usize = 64;
/// Words of units that are left of a page, and steps to find their partners.
const MOST_WORDS: usize = 60_000;
const MOST_STEPS: usize = 400_000;
/// Units that share a word, from which on it says nothing about partners.
const COMMON_WORD: usize = 64;
const RUN: usize = 4;
/// Content words in common, of the unit that has more of them, that make two units partners.
const PARTNERS: f64 = 1.0 / 3.0;
/// Other units whose words are aligned as well.
const RIVALS: usize = 8;
/// How much less than the best one a partner may have in common, if it stands in the same place.
const SAME_PARTNER: f64 = 0.9;
/// The share of content words that both units have, from which on one is the other in other words.
const REWORDED: f64 = 0.7;
/// The share of words in order, of the longer, from which on two units state the same things.
const SAME_FRAME: f64 = 0.5;
/// From this share of words in order on nobody looks for runs of them elsewhere.
const IN_ORDER: f64 = 0.8;
/// The share of a page up to which so little is lost that names in it are looked for.
const MOSTLY_KEPT: f64 = 0.25;
/// Bytes of a page that are searched for names that no word of it is.
const MOST_SEARCHED: usize = 1 << 25;
/// Words of an entry of a table or list of terms; longer ones are text.
const SHORT_ENTRY: usize = 12;
const SHORT_TEXT: usize = 6;
/// What is told of single units.
const MOST_TOLD: usize = 32;

const LOST: u32 = 0;
const FACT: u32 = 1;
const MOVED: u32 = 2;
const OTHER_WORDS: u32 = 3;
/// A fact in a unit that is reworded else.
const OTHER_FACT: u32 = 4;

/// A page with the weights of its units.
struct Page<'a> {
    lines: &'a str,
    units: Vec<Unit>,
    weights: Vec<f64>,
    losses: Vec<f64>,
    /// The words of each, by rarity alone.
    plain: Vec<f64>,
    /// The places of each key, first to last, and all keys with their places.
    at: Map<u64, Vec<u32>>,
    placed: Set<(u64, Place)>,
    /// The keys of all that is a parent, or could be one.
    parents: Set<u64>,
    /// What each short text with a number follows, so that prices of cards are told apart.
    leaders: Vec<u64>,
    /// The words of those units that were needed so far.
    words: RefCell<Vec<Option<Rc<Words>>>>,
    /// All addresses and identifiers, and the bytes in which others were looked for.
    names: OnceCell<Set<&'a str>>,
    searched: Cell<usize>,
}

/// The words of a unit, and the different content words among them.
struct Words {
    tokens: Vec<Token>,
    stems: Vec<u64>,
}

impl Words {
    fn of(text: &str, is_heading: bool) -> Self {
        let tokens = tokens(text, is_heading);
        let content = tokens.iter().filter(|one| one.flags & CONTENT > 0);
        let mut stems: Vec<u64> = content.map(|one| one.stem).collect();
        stems.sort_unstable();
        stems.dedup();
        Words { tokens, stems }
    }
}

impl<'a> Page<'a> {
    fn read(parts: &[&'a [u8]]) -> Option<Self> {
        let [units, lines, pages, rarity] = parts else { return None };
        let lines = std::str::from_utf8(lines).ok()?;
        let units = unpacked(units, lines)?;
        let pages = u32::from_le_bytes((*pages).try_into().ok()?);
        let rarity = Rarity::of(rarity)?;
        let mut weights = Vec::with_capacity(units.len());
        let mut losses = Vec::with_capacity(units.len());
        let mut plain = Vec::with_capacity(units.len());
        let mut at: Map<u64, Vec<u32>> = Map::default();
        let mut placed = Set::default();
        let mut parents = Set::default();
        for (number, unit) in (0..).zip(&units) {
            let text = &lines[unit.start as usize..unit.end as usize];
            let df = rarity.df(unit.key);
            let (weight, loss) = weigh(unit, text, df, pages);
            weights.push(weight);
            losses.push(loss);
            plain.push(if loss > 0.0 { f64::from(unit.words) / others(df) } else { 0.0 });
            let places = at.entry(unit.key).or_default();
            if places.len() < MOST_PLACES {
                places.push(number);
            }
            placed.insert((unit.key, unit.place));
            parents.extend([unit.key, unit.place.section, unit.place.row, unit.place.column]);
        }
        let leaders = leaders(&units, lines);
        let words = RefCell::new(vec![None; units.len()]);
        let (names, searched) = Default::default();
        Some(Page {
            lines,
            units,
            weights,
            losses,
            plain,
            at,
            placed,
            parents,
            leaders,
            words,
            names,
            searched,
        })
    }

    fn words(&self, unit: usize) -> Rc<Words> {
        let mut known = self.words.borrow_mut();
        Rc::clone(known[unit].get_or_insert_with(|| {
            Rc::new(Words::of(self.text(unit), self.units[unit].kind == KIND_HEADING))
        }))
    }

    fn text(&self, unit: usize) -> &'a str {
        let Unit { start, end, .. } = self.units[unit];
        &self.lines[start as usize..end as usize]
    }

    /// Whether a unit names something, by an address or an identifier, that another page never does.
    fn names_alone(&self, other: &Page, unit: usize) -> bool {
        let Unit { kind, place, words, .. } = self.units[unit];
        let heads = kind == KIND_HEADING && place.section == NOWHERE; // a name of the page
        let is_frequent = self.losses[unit] < LEAST_LOST * f64::from(words);
        let states = !heads && !is_frequent && can_state(&self.units[unit]);
        states && identifiers(self.text(unit)).any(|name| !other.mentions(name))
    }

    /// Whether a page has a name, as a word or in a longer one, but not as a part of another one.
    ///
    /// What is too much to look for is not there: the page of the name is kept.
    fn mentions(&self, name: &str) -> bool {
        let names = || self.lines.split('\n').flat_map(identifiers).collect();
        if self.names.get_or_init(names).contains(name) {
            return true;
        }
        let searched = self.searched.get() + self.lines.len();
        self.searched.set(searched);
        let mut places = self.lines.match_indices(name);
        searched <= MOST_SEARCHED.max(self.lines.len())
            && places.any(|(at, _)| {
                let (before, after) = (&self.lines[..at], &self.lines[at + name.len()..]);
                !before.ends_with(is_word) && !after.starts_with(is_word)
            })
    }

    /// Whether at most one other page of its host has a unit, and it is no link.
    fn is_rare(&self, unit: usize) -> bool {
        let Unit { words, link, .. } = self.units[unit];
        link < MOSTLY_LINK && self.plain[unit] >= f64::from(words)
    }

    /// Whether the other page has a unit of this one, and in a place that does not contradict it.
    fn keeps(&self, other: &Page, number: usize) -> Option<bool> {
        let unit = &self.units[number];
        let places = other.at.get(&unit.key)?;
        let leader = self.leaders[number];
        if leader == NOWHERE && other.placed.contains(&(unit.key, unit.place)) {
            return Some(true);
        }
        let agrees = |&at: &u32| {
            let at = at as usize;
            self.agree(other, unit.place, other.units[at].place)
                && self.may_be_same(other, leader, other.leaders[at])
        };
        Some(places.iter().any(agrees))
    }

    /// Whether two places may be the same: a parent contradicts only where both pages have both.
    fn agree(&self, other: &Page, mine: Place, theirs: Place) -> bool {
        let axes =
            [(mine.section, theirs.section), (mine.row, theirs.row), (mine.column, theirs.column)];
        axes.iter().all(|&(mine, theirs)| self.may_be_same(other, mine, theirs))
    }

    fn may_be_same(&self, other: &Page, mine: u64, theirs: u64) -> bool {
        mine == theirs
            || mine == NOWHERE
            || theirs == NOWHERE
            || !other.parents.contains(&mine)
            || !self.parents.contains(&theirs)
    }
}

/// Return for each short text with a number the short text without one that it follows.
fn leaders(units: &[Unit], lines: &str) -> Vec<u64> {
    let has_number = |unit: &Unit| {
        lines[unit.start as usize..unit.end as usize].bytes().any(|byte| byte.is_ascii_digit())
    };
    let is_short = |unit: &Unit| {
        matches!(unit.kind, KIND_TEXT | KIND_ITEM) && unit.words as usize <= SHORT_TEXT
    };
    let mut leaders = vec![NOWHERE; units.len()];
    for at in 1..units.len() {
        let (before, unit) = (&units[at - 1], &units[at]);
        let is_led = is_short(unit) && is_short(before) && can_state(unit) && has_number(unit);
        if is_led && before.place == unit.place && !has_number(before) {
            leaders[at] = before.key;
        }
    }
    leaders
}

/// Return by how many other pages the weight of a unit is divided that so many pages have.
fn others(df: u32) -> f64 {
    f64::from(df.saturating_sub(1).max(1))
}

fn weigh(unit: &Unit, text: &str, df: u32, names: u32) -> (f64, f64) {
    let words = f64::from(unit.words);
    if unit.mark == VOLATILE || is_volatile(text) {
        return (0.0, 0.0);
    }
    let mut weight = words * (1.0 - LINKED * f64::from(unit.link) / 255.0);
    if is_marked(unit) {
        weight *= MARKED;
    }
    weight /= others(df);
    let is_frequent = df * ON_ONE_IN >= names.max(1) && df >= 4;
    let is_prose = can_state(unit);
    let loss = if is_prose && !is_frequent { weight.max(LEAST_LOST * words) } else { weight };
    (weight, loss)
}

/// What becomes of the units of one page.
#[derive(Default)]
struct Side {
    total: f64,
    lost: f64,
    moved: f64,
    reworded: f64,
    words: f64,
    lost_words: f64,
    /// The weight of all units that are not kept word for word, but for what heads the page.
    whole: f64,
    /// Words by rarity alone, however they are marked up: all of them, and those that are lost.
    plain: f64,
    plain_lost: f64,
    lost_units: u32,
    facts: u32,
    /// Of these, those that make another page of it.
    others: u32,
    /// Units of code that differ at all.
    code: u32,
    /// The weight of text that has no partner at all, and of text in another place.
    new: f64,
    cut: bool,
    told: Vec<(f64, [u32; 5])>,
}

/// The words of the units that are left of a page.
struct Left {
    units: Vec<usize>,
    words: Vec<Rc<Words>>,
    /// Whether each is an entry of a menu.
    links: Vec<bool>,
    by_stem: Map<u64, Vec<u32>>,
    /// The entries of cells and terms.
    entries: Map<Place, usize>,
    runs: [OnceCell<Set<u64>>; 2],
    cut: bool,
}

impl Left {
    fn of(page: &Page, parted: &Parted) -> Self {
        let mut total = 0;
        let mut units = parted.left.clone();
        let all = units.len();
        let fits = |&unit: &usize| {
            total += page.units[unit].words as usize;
            total <= MOST_WORDS
        };
        let count = units.iter().copied().take_while(fits).count();
        let mut by_stem: Map<u64, Vec<u32>> = Map::default();
        let mut entries = Map::default();
        let mut words = Vec::with_capacity(count);
        for (place, &unit) in (0..).zip(&units[..count]) {
            let found = page.words(unit);
            if is_entry(page, unit) {
                entries.entry(page.units[unit].place).or_insert(unit);
            }
            for stem in &found.stems {
                let places = by_stem.entry(*stem).or_default();
                if places.len() <= COMMON_WORD {
                    places.push(place);
                }
            }
            words.push(found);
        }
        for &unit in &parted.moved {
            if is_entry(page, unit) {
                entries.entry(page.units[unit].place).or_insert(unit);
            }
        }
        units.truncate(count);
        let links = units.iter().map(|&unit| is_link(&page.units[unit])).collect();
        let runs = Default::default();
        Left { units, words, links, by_stem, entries, runs, cut: count < all }
    }

    /// Return the runs of words of all units, one after the other; links keep no text, but links.
    fn runs(&self, links: bool) -> &Set<u64> {
        self.runs[usize::from(links)].get_or_init(|| {
            let units = self.links.iter().zip(&self.words);
            let texts = units.filter(|(&is_link, _)| links || !is_link);
            let words = texts.flat_map(|(_, words)| &words.tokens);
            let words: Vec<u64> = words.map(|one| one.word).collect();
            words.windows(RUN).map(run_hash).collect()
        })
    }
}

/// Whether a unit is the short entry of a cell or of a term, or a text of next to no words that is not
/// on many pages: where its value is another one, another takes its place (a price, an answer).
fn is_entry(page: &Page, unit: usize) -> bool {
    let Unit { kind, key, place, words, .. } = page.units[unit];
    let most = match kind {
        KIND_CELL if place.row != NOWHERE && place.row != key => SHORT_ENTRY,
        KIND_DEFINITION if place.section != NOWHERE => SHORT_ENTRY,
        KIND_TEXT | KIND_ITEM if page.losses[unit] >= LEAST_LOST * f64::from(words) => SHORT_TEXT,
        _ => 0,
    };
    can_state(&page.units[unit]) && page.words(unit).tokens.len() <= most
}

fn is_fact(why: u32) -> bool {
    matches!(why, FACT | OTHER_FACT)
}

fn run_hash(run: &[u64]) -> u64 {
    run.iter().fold(0, |hash: u64, word| {
        (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
    })
}

/// A unit compared with its best partner.
struct Pairing {
    partner: usize,
    /// The share of its words that the other page has in order or in runs.
    kept: f64,
    /// Whether its partner says no more than it does.
    is_equal: bool,
    has_partner: bool,
    fact: bool,
    is_other: bool,
    reworded: bool,
}

/// Compare a page with others; for each the sums of both sides and what is told of single units.
///
/// The parts are the units and lines of each page, how many different pages its host has, and on
/// how many of them units stand.
pub fn compare(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let (page, others) = (parts.get(..4)?, parts.get(4..)?);
    let page = Page::read(page)?;
    let mut bytes = Vec::new();
    for other in others.chunks(4) {
        let other = Page::read(other)?;
        let (mut mine, mut theirs) = compare_two(&page, &other);
        for side in [&mut mine, &mut theirs] {
            side.told.sort_by(|one, two| two.0.total_cmp(&one.0));
        }
        for side in [&mine, &theirs] {
            for number in [
                side.total,
                side.lost,
                side.moved,
                side.reworded,
                side.words,
                side.lost_words,
                side.whole,
                side.plain,
                side.plain_lost,
                side.new,
            ] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            for number in [
                side.lost_units,
                side.facts,
                side.others,
                side.code,
                u32::from(side.cut),
                side.told.len() as u32,
            ] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        for side in [&mine, &theirs] {
            for (_, told) in &side.told {
                bytes.extend(told.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
    }
    Some(bytes)
}

fn compare_two(page: &Page, other: &Page) -> (Side, Side) {
    let (mut mine, mut theirs) = (Side::default(), Side::default());
    let left = Left::of(page, &joined(page, other, &mut mine));
    let there = Left::of(other, &joined(other, page, &mut theirs));
    settle(page, &left, other, &there, &mut mine);
    settle(other, &there, page, &left, &mut theirs);
    (mine, theirs)
}

/// Units that the other page does not have as they are: not at all, or in another place.
#[derive(Default)]
struct Parted {
    left: Vec<usize>,
    moved: Vec<usize>,
}

/// Join units with equal keys; return those that are not joined.
fn joined(page: &Page, other: &Page, side: &mut Side) -> Parted {
    let mut parted = Parted::default();
    for (number, unit) in page.units.iter().enumerate() {
        side.total += page.weights[number];
        side.plain += page.plain[number];
        side.words += if is_marked(unit) { 0.0 } else { f64::from(unit.words) };
        match page.keeps(other, number) {
            Some(true) => {}
            Some(false) => {
                side.cut |= other.at[&unit.key].len() == MOST_PLACES;
                side.lose(page, number, 1.0, MOVED, None);
                parted.moved.push(number);
            }
            None if page.losses[number] > 0.0 => parted.left.push(number),
            None => {}
        }
    }
    parted
}

impl Side {
    /// Note a unit that the other page does not have as it is.
    fn note_whole(&mut self, page: &Page, unit: usize) {
        let Unit { kind, place, .. } = page.units[unit];
        if kind != KIND_HEADING || place.section != NOWHERE {
            self.whole += page.losses[unit];
        }
    }

    /// Note that what is lost of a unit names something: that is a fact.
    fn note_name(&mut self, unit: &Unit) {
        self.facts += 1;
        let told = self.told.iter_mut().map(|(_, told)| told);
        for told in told.filter(|told| told[1] == unit.start) {
            told[0] = if told[0] == OTHER_WORDS { OTHER_FACT } else { FACT };
        }
    }

    fn lose(&mut self, page: &Page, unit: usize, share: f64, why: u32, partner: Option<&Unit>) {
        let weight = share * page.losses[unit];
        let Unit { start, end, words, .. } = page.units[unit];
        self.note_whole(page, unit);
        self.plain_lost += share * page.plain[unit];
        let (from, to) = partner.map_or((0, 0), |partner| (partner.start, partner.end));
        match why {
            OTHER_WORDS | OTHER_FACT => self.reworded += weight,
            _ => {
                // what is lost weighs in the whole as well
                self.total += page.losses[unit] - page.weights[unit];
                self.lost += weight;
                if !is_marked(&page.units[unit]) {
                    self.lost_words += share * f64::from(words);
                    self.lost_units += 1;
                }
                if can_state(&page.units[unit]) {
                    self.moved += if why == MOVED { weight } else { 0.0 };
                    self.new += if why == MOVED || partner.is_none() { weight } else { 0.0 };
                }
            }
        }
        let told = (weight, [why, start, end, from, to]);
        if self.told.len() < MOST_TOLD {
            self.told.push(told);
        } else if let Some(least) = self.told.iter_mut().min_by(|one, two| one.0.total_cmp(&two.0))
        {
            if least.0 < weight || is_fact(why) && !is_fact(least.1[0]) {
                *least = told;
            }
        }
    }
}

/// Find out what becomes of the units that are left of a page.
fn settle(page: &Page, left: &Left, other: &Page, there: &Left, side: &mut Side) {
    side.cut |= left.cut || there.cut;
    let (mut steps, mut is_cut) = (0, false);
    // how many content words each unit there has in common, and those that have any
    let mut counts = vec![0u32; there.units.len()];
    let mut shared: Vec<u32> = Vec::new();
    let mut known: Map<(u64, Place), Pairing> = Map::default();
    let mut parted: Vec<usize> = Vec::new(); // units that have lost words
    for (place, &unit) in left.units.iter().enumerate() {
        let Unit { key, place: home, .. } = page.units[unit];
        let pairing = known.entry((key, home)).or_insert_with(|| {
            let words = &left.words[place];
            let mine = &words.tokens;
            shared.drain(..).for_each(|at| counts[at as usize] = 0);
            let is_in_menu = is_link(&page.units[unit]);
            let mut is_limited = false;
            let places = words.stems.iter().filter_map(|stem| there.by_stem.get(stem));
            for places in places {
                is_limited |= places.len() > COMMON_WORD || steps >= MOST_STEPS;
                if places.len() > COMMON_WORD || steps >= MOST_STEPS {
                    continue;
                }
                steps += places.len();
                for &at in places {
                    if there.links[at as usize] == is_in_menu {
                        let count = &mut counts[at as usize];
                        if *count == 0 {
                            shared.push(at);
                        }
                        *count += 1;
                    }
                }
            }
            let content = |stems: &[u64]| stems.len().max(1) as f64;
            let own = content(&words.stems);
            let found = shared.iter().map(|&at| {
                let theirs = content(&there.words[at as usize].stems);
                let count = f64::from(counts[at as usize]);
                (count / own.max(theirs), at, count, theirs)
            });
            let better = |one: &(f64, u32, f64, f64), two: &(f64, u32, f64, f64)| {
                one.0.total_cmp(&two.0).then(two.1.cmp(&one.1))
            };
            let best = found.clone().max_by(better).map(|best| {
                // of several that are much alike, the one in the same place
                let is_there = |at: u32| {
                    let theirs = other.units[there.units[at as usize]].place;
                    page.agree(other, home, theirs)
                };
                let alike = found.filter(|one| one.0 >= SAME_PARTNER * best.0 && is_there(one.1));
                alike.max_by(better).unwrap_or(best)
            });
            is_cut |= is_limited && best.map_or(true, |best| best.0 < PARTNERS);
            let Some((share, at, count, theirs)) = best else {
                let kept = in_runs(mine, there.runs(is_in_menu));
                return Pairing {
                    partner: usize::MAX,
                    kept,
                    is_equal: false,
                    has_partner: false,
                    fact: false,
                    is_other: false,
                    reworded: false,
                };
            };
            let partner = &there.words[at as usize].tokens;
            let aligned = aligned(mine, partner);
            let length = mine.len().max(1) as f64;
            // another unit with as many of its words may have more of them in order
            let rivals = shared.iter().copied().filter(|&rival| {
                let found = f64::from(counts[rival as usize]);
                aligned.common < mine.len() && rival != at && found >= count
            });
            let mut rivals: Vec<u32> = rivals.collect();
            rivals.sort_unstable();
            let rivals = rivals.iter().take(RIVALS);
            let rivals = rivals.map(|&rival| &there.words[rival as usize].tokens);
            let most = rivals.fold(aligned.common, |most, rival| {
                let may_have_more = mine.len().min(rival.len()) > most;
                most.max(if may_have_more { common(mine, rival) } else { 0 })
            });
            let in_order = most as f64 / length;
            let longer = mine.len().max(partner.len()).max(1) as f64;
            let is_same_frame = aligned.common as f64 >= SAME_FRAME * longer && share >= PARTNERS;
            let likeness = (count / own * count / theirs).sqrt();
            let partner_unit = there.units[at as usize];
            let states = can_state(&page.units[unit]);
            let is_other = aligned.is_other && can_number(&page.units[unit]);
            // what no other page shows is no boilerplate: it may name what the page is about
            let names = aligned.is_named && page.is_rare(unit) && other.is_rare(partner_unit);
            Pairing {
                partner: partner_unit,
                kept: if in_order < IN_ORDER {
                    in_order.max(in_runs(mine, there.runs(is_in_menu)))
                } else {
                    in_order
                },
                is_equal: aligned.common == partner.len(),
                // a text with other numbers in other words is another text
                has_partner: share >= PARTNERS && (is_same_frame || !aligned.is_other),
                fact: is_same_frame && (aligned.is_disputed && states || names || is_other),
                is_other: is_same_frame && is_other,
                reworded: likeness >= REWORDED && count / own >= PARTNERS && !aligned.is_other,
            }
        });
        let in_place = (!pairing.has_partner && is_entry(page, unit))
            .then(|| there.entries.get(&page.units[unit].place).copied())
            .flatten();
        if let Some(partner) = in_place {
            side.facts += 1;
            side.others += u32::from(!matches!(page.units[unit].kind, KIND_TEXT | KIND_ITEM));
            side.lose(page, unit, 1.0, FACT, Some(&other.units[partner]));
            continue;
        }
        let partner = other.units.get(pairing.partner);
        let contradicts = partner.is_some_and(|partner| {
            pairing.has_partner && !page.agree(other, page.units[unit].place, partner.place)
        });
        let is_code = page.units[unit].kind == KIND_CODE && can_state(&page.units[unit]);
        let is_kept = pairing.kept >= 1.0 && pairing.is_equal;
        if is_code && !is_kept {
            side.code += 1; // every word of code states something
            side.lose(page, unit, 1.0 - pairing.kept, FACT, partner);
        } else if pairing.fact {
            side.facts += 1;
            side.others += u32::from(pairing.is_other);
            let why = if pairing.is_other || !pairing.reworded { FACT } else { OTHER_FACT };
            side.lose(page, unit, (1.0 - pairing.kept).max(0.05), why, partner);
        } else if contradicts {
            side.lose(page, unit, 1.0, MOVED, partner);
        } else if pairing.kept < 1.0 {
            let why = if pairing.reworded { OTHER_WORDS } else { LOST };
            let partner = if pairing.has_partner { partner } else { None };
            side.lose(page, unit, 1.0 - pairing.kept, why, partner);
            parted.push(unit);
        } else if !pairing.is_equal {
            side.note_whole(page, unit); // the partner says more, or it is in parts of several
        }
    }
    side.cut |= is_cut;
    if side.lost <= MOSTLY_KEPT * side.total {
        parted.retain(|&unit| page.names_alone(other, unit));
        parted.iter().for_each(|&unit| side.note_name(&page.units[unit]));
    }
}

/// Whether a unit is an entry of a menu; a heading is one, even if it is a link.
fn is_link(unit: &Unit) -> bool {
    unit.link >= MOSTLY_LINK && unit.kind != KIND_HEADING
}

/// Whether a unit states facts: menus and boilerplate do not.
fn can_state(unit: &Unit) -> bool {
    !is_marked(unit) && unit.link < MOSTLY_LINK
}

/// Whether a unit states numbers and addresses, though it may be a link: a version, a member.
fn can_number(unit: &Unit) -> bool {
    !is_marked(unit) && (unit.link < MOSTLY_LINK || matches!(unit.kind, KIND_HEADING | KIND_CELL))
}

/// Whether structure marks a unit as boilerplate or comment; what its host repeats weighs less by
/// its rarity already.
fn is_marked(unit: &Unit) -> bool {
    unit.mark != 0 && unit.mark != BY_MEMORY
}

/// Return the share of words in runs of four that the other page has.
fn in_runs(tokens: &[Token], runs: &Set<u64>) -> f64 {
    let words: Vec<u64> = tokens.iter().map(|one| one.word).collect();
    let mut covered = vec![false; words.len()];
    for (at, run) in words.windows(RUN).enumerate() {
        if runs.contains(&run_hash(run)) {
            covered[at..at + RUN].fill(true);
        }
    }
    covered.iter().filter(|one| **one).count() as f64 / words.len().max(1) as f64
}
