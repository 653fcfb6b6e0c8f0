//! Two pages compared sentence by sentence and node by node.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::chain::longest_chain;
use super::intern::Interner;
use super::languages::{class, NEGATED_VERB, NEGATING_END, NEGATION};
use super::pairing::{number_keys, pair, Found, Sentence, NOBODY};
use super::table::{put, strings, Table, DIGIT};

const NUMBERS: u8 = 1;
const FUZZY: u8 = 2;
const UNKNOWN: u8 = 255;

/// Compare a page with others; return for each of these, behind its length, what the sentences of
/// both amount to, and the partner of each.
///
/// The parts are options and the language of each page; then for each page its table and the stem of
/// each word.
pub fn compare(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [head, mine, my_stems, others @ ..] = parts else { return None };
    let (&options, languages) = head.split_first()?;
    if 2 * languages.len() != 2 + others.len() {
        return None;
    }
    let first = Stemmed::read(mine, my_stems, languages[0])?;
    let mut bytes = Vec::new();
    for (other, &language) in others.chunks_exact(2).zip(&languages[1..]) {
        let mut numbers = Interner::new((mine.len() + other[0].len()) / 64);
        let second = Stemmed::read(other[0], other[1], language)?;
        let page = Page::read(&first, &second, &mut numbers, options);
        let other = Page::read(&second, &first, &mut numbers, options);
        let found = measure(&page, &other, numbers.len(), options);
        put(&mut bytes, &[found.len() as u32]);
        bytes.extend_from_slice(&found);
    }
    Some(bytes)
}

fn measure(first: &Page, second: &Page, words: usize, options: u8) -> Vec<u8> {
    let (mut first, mut second) = (first.sentences(), second.sentences());
    let keys = number_keys(&mut first, &mut second);
    let fuzzy = options & FUZZY > 0;
    let mine = pair(&first, &second, keys, words, fuzzy);
    let theirs = pair(&second, &first, keys, words, fuzzy);
    let tree = in_order(&first, &second, &mine, &theirs);
    let chain = chained(&first, &second, &mine);
    let mut bytes = (mine.steps + theirs.steps).to_le_bytes().to_vec();
    for (sentences, found) in [(&first, &mine), (&second, &theirs)] {
        let content: usize = sentences.iter().map(|one| one.words.len()).sum();
        let mut matched = 0.0;
        for (sentence, partner) in sentences.iter().zip(&found.partners) {
            matched += partner.similarity * sentence.words.len() as f64;
        }
        bytes.extend_from_slice(&f64::to_le_bytes(matched));
        let same = found.partners.iter().filter(|one| one.similarity == 1.0);
        let paired = found.partners.iter().filter(|one| one.place != NOBODY);
        let counts = [sentences.len(), same.count(), paired.count(), content];
        put(&mut bytes, &counts.map(|count| count as u32));
        put(&mut bytes, &[found.cut]);
    }
    let denied = denied(&first, &second, &mine);
    put(&mut bytes, &[tree.0, tree.1, chain.0, chain.1, denied]);
    for partner in mine.partners.iter().chain(&theirs.partners) {
        bytes.extend_from_slice(&partner.place.to_le_bytes());
        bytes.extend_from_slice(&partner.similarity.to_le_bytes());
    }
    bytes
}

/// The table of a page with the stem of each word.
struct Stemmed<'a> {
    table: Table<'a>,
    stems: Vec<&'a [u8]>,
    language: u8,
}

impl<'a> Stemmed<'a> {
    fn read(table: &'a [u8], stems: &'a [u8], language: u8) -> Option<Stemmed<'a>> {
        let table = Table::read(table)?;
        let stems = strings(stems, table.vocabulary.len())?;
        Some(Stemmed { table, stems, language })
    }

    /// Return the stems and the language of a page; if that is unknown, those of the other one: a
    /// list of names shows no language, and its copy may have a sentence beside it.
    fn beside(&self, other: &Stemmed<'a>) -> (Cow<'_, [&'a [u8]]>, u8) {
        if self.language != UNKNOWN || other.language == UNKNOWN {
            return (Cow::Borrowed(&self.stems), self.language);
        }
        let theirs: HashMap<_, _> = other.table.vocabulary.iter().zip(&other.stems).collect();
        let mine = self.table.vocabulary.iter().zip(&self.stems);
        let stems = mine.map(|(word, stem)| **theirs.get(word).unwrap_or(&stem));
        (stems.collect(), other.language)
    }
}

/// The sentences of a page that have words, one after the other.
struct Page {
    words: Vec<u32>,
    numbers: Vec<u32>,
    /// For each sentence the ends of its words and numbers, its node, and whether it is negated.
    spans: Vec<(usize, usize, u32, bool)>,
}

impl Page {
    fn read(page: &Stemmed, other: &Stemmed, strings_of_both: &mut Interner, options: u8) -> Page {
        let (stems, language) = page.beside(other);
        let table = &page.table;
        let known = table.known.iter();
        let classes: Vec<u8> = known.map(|&known| class(known, language)).collect();
        let stems: Vec<Option<u32>> = stems
            .iter()
            .map(|stem| (!stem.is_empty()).then(|| strings_of_both.number(stem)))
            .collect();
        let mut page = Page {
            words: Vec::with_capacity(table.words.len()),
            numbers: Vec::new(),
            spans: Vec::with_capacity(table.ends.len()),
        };
        let mut start = 0;
        for (&end, &node) in table.ends.iter().zip(&table.nodes) {
            let range = &table.words[start..end as usize];
            start = end as usize;
            let before = page.words.len();
            let known = range.iter().filter_map(|&word| stems[word as usize]);
            page.words.extend(known);
            let mut number = |&word: &u32| strings_of_both.number(table.vocabulary[word as usize]);
            if page.words.len() == before && options & NUMBERS > 0 {
                // a sentence of nothing but stop words keeps them
                page.words.extend(range.iter().map(&mut number));
            }
            if page.words.len() == before {
                continue;
            }
            let digits = range.iter();
            let digits = digits.filter(|&&word| table.flags[word as usize] & DIGIT > 0);
            let first = page.numbers.len();
            page.numbers.extend(digits.map(&mut number));
            if page.numbers.len() > first + 1 {
                let mut distinct = page.numbers.split_off(first);
                distinct.sort_unstable();
                distinct.dedup();
                page.numbers.append(&mut distinct);
            }
            page.spans.push((
                page.words.len(),
                page.numbers.len(),
                node,
                is_negated(range, &classes),
            ));
        }
        page
    }

    fn sentences(&self) -> Vec<Sentence<'_>> {
        let (mut words, mut numbers) = (0, 0);
        let spans = self.spans.iter();
        spans
            .map(|&(word_end, number_end, node, negated)| {
                let sentence = Sentence {
                    words: &self.words[words..word_end],
                    numbers: &self.numbers[numbers..number_end],
                    negated,
                    node,
                    key: 0,
                };
                (words, numbers) = (word_end, number_end);
                sentence
            })
            .collect()
    }
}

fn is_negated(words: &[u32], classes: &[u8]) -> bool {
    let class = |&word: &u32| classes[word as usize];
    words.iter().any(|word| class(word) & NEGATION > 0)
        || words
            .windows(2)
            .any(|pair| class(&pair[0]) & NEGATED_VERB > 0 && class(&pair[1]) & NEGATING_END > 0)
}

/// Count the words of either page in matched sentences of nodes that keep their order.
fn in_order(first: &[Sentence], second: &[Sentence], mine: &Found, theirs: &Found) -> (u32, u32) {
    let mut words: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
    for (sentence, partner) in first.iter().zip(&mine.partners) {
        if let Some(other) = second.get(partner.place as usize) {
            words.entry((sentence.node, other.node)).or_default().0 += sentence.words.len() as u32;
        }
    }
    for (sentence, partner) in second.iter().zip(&theirs.partners) {
        if let Some(other) = first.get(partner.place as usize) {
            words.entry((other.node, sentence.node)).or_default().1 += sentence.words.len() as u32;
        }
    }
    let edges: Vec<(u32, u32)> = words.keys().copied().collect();
    let counts: Vec<(u32, u32)> = words.values().copied().collect();
    let weights = counts.iter().map(|count| u64::from(count.0) + u64::from(count.1));
    let chain = longest_chain(&edges, &weights.collect::<Vec<_>>(), false);
    chain.iter().fold((0, 0), |sum, &link| (sum.0 + counts[link].0, sum.1 + counts[link].1))
}

/// Count the words of the sentences of two pages that are alike, one after the other in both.
fn chained(first: &[Sentence], second: &[Sentence], mine: &Found) -> (u32, u32) {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (place, (partner, &alike)) in mine.partners.iter().zip(&mine.alike).enumerate() {
        let other = partner.place.max(alike);
        if other != NOBODY {
            pairs.push((place as u32, other as u32));
        }
    }
    let length = |sentences: &[Sentence], place: u32| sentences[place as usize].words.len() as u32;
    let weights: Vec<u64> = pairs.iter().map(|pair| u64::from(length(first, pair.0))).collect();
    let chain = longest_chain(&pairs, &weights, true);
    chain.iter().fold((0, 0), |sum, &link| {
        let (one, other) = pairs[link];
        (sum.0 + length(first, one), sum.1 + length(second, other))
    })
}

/// Count the matched sentences of which one is negated and the other is not.
fn denied(first: &[Sentence], second: &[Sentence], mine: &Found) -> u32 {
    let pairs = first.iter().zip(&mine.partners).filter(|(sentence, partner)| {
        let other = second.get(partner.place as usize);
        other.is_some_and(|other| other.negated != sentence.negated)
    });
    pairs.count() as u32
}
