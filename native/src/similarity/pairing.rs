//! Pairs of sentences of two pages that say the same, found through the words that they share.

use super::chain::longest_chain;
use super::intern::Interner;

pub const NOBODY: i32 = -1;
const SAME: f64 = 0.6;
const LEAST_ALIKE: f64 = 0.3;
/// The product of two shares of words is less than 1 to this: then their mean is below .25.
const FAR_FROM_ALIKE: u64 = 16;
const FEWEST_WORDS: usize = 3;
const MOST_TRIES: usize = 16;
const DISORDER: f64 = 0.5;
const OTHER_FACTS: f64 = 0.8;
/// Words that are looked up for sentences of one page in the index of the other.
pub const MOST_STEPS: u64 = 4_000_000;

/// A sentence as numbers that are joint for both pages.
pub struct Sentence<'a> {
    /// Its refined words.
    pub words: &'a [u32],
    /// Those of its words that have digits, ascending and distinct.
    pub numbers: &'a [u32],
    pub negated: bool,
    pub node: u32,
    /// Equal sentences have the same.
    pub key: u32,
}

/// The most similar sentence of the other page.
#[derive(Clone, Copy)]
pub struct Partner {
    pub place: i32,
    pub similarity: f64,
}

const NO_PARTNER: Partner = Partner { place: NOBODY, similarity: 0.0 };

/// For each sentence of a page, what was found in the other page.
pub struct Found {
    pub partners: Vec<Partner>,
    /// For sentences without a partner, the sentence most like it.
    pub alike: Vec<i32>,
    /// How many sentences were left out to bound the work.
    pub cut: u32,
    pub steps: u64,
}

/// Give equal sentences of both pages the same key; return how many keys there are.
pub fn number_keys<'a>(first: &mut [Sentence<'a>], second: &mut [Sentence<'a>]) -> usize {
    let mut keys = Interner::new(first.len() + second.len());
    let mut bytes = Vec::new();
    for sentence in first.iter_mut().chain(second) {
        bytes.clear();
        bytes.push(u8::from(sentence.negated));
        for word in sentence.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        sentence.key = keys.number(&bytes);
    }
    keys.len()
}

/// Find for each sentence of one page the one of the other page that says the same.
pub fn pair(
    mine: &[Sentence],
    theirs: &[Sentence],
    keys: usize,
    words: usize,
    fuzzy: bool,
) -> Found {
    let mut partners = equal(mine, theirs, keys);
    let mut alike = vec![NOBODY; mine.len()];
    let (mut steps, mut cut) = (0, 0);
    if partners.iter().any(|partner| partner.place == NOBODY) && !theirs.is_empty() {
        let mut wanted = vec![false; words];
        let left = mine.iter().zip(&partners);
        for (sentence, _) in left.filter(|(_, partner)| partner.place == NOBODY) {
            for &word in sentence.words {
                wanted[word as usize] = true;
            }
        }
        let mut index = Index::new(theirs, keys, &wanted);
        let mut found: Vec<Option<(Partner, i32)>> = vec![None; keys];
        let mut over = false;
        for (place, sentence) in mine.iter().enumerate() {
            if partners[place].place != NOBODY {
                continue;
            }
            let key = sentence.key as usize;
            if found[key].is_none() && !over {
                let cost = index.cost(sentence);
                over = steps + cost > MOST_STEPS;
                if !over {
                    steps += cost;
                    found[key] = Some(index.best(sentence, fuzzy));
                }
            }
            match found[key] {
                Some((partner, like)) => {
                    partners[place] = partner;
                    if partner.place == NOBODY {
                        alike[place] = like;
                    }
                }
                None => cut += 1,
            }
        }
    }
    Found { partners, alike, cut, steps }
}

/// Pair equal sentences, the first with the first, the second with the second.
fn equal(mine: &[Sentence], theirs: &[Sentence], keys: usize) -> Vec<Partner> {
    let mut next = vec![NOBODY; theirs.len()];
    let mut first = vec![NOBODY; keys];
    for (place, sentence) in theirs.iter().enumerate().rev() {
        next[place] = first[sentence.key as usize];
        first[sentence.key as usize] = place as i32;
    }
    let mut partners = Vec::with_capacity(mine.len());
    for sentence in mine {
        let place = first[sentence.key as usize];
        if place == NOBODY {
            partners.push(NO_PARTNER);
            continue;
        }
        partners.push(Partner { place, similarity: 1.0 });
        let after = next[place as usize];
        if after != NOBODY {
            first[sentence.key as usize] = after;
        }
    }
    partners
}

/// The distinct sentences of a page by their words.
struct Index<'a> {
    sentences: &'a [Sentence<'a>],
    /// The place of the first sentence of each kind.
    places: Vec<u32>,
    /// For each word the distinct sentences that have it, and how often.
    postings: Vec<Vec<(u32, u32)>>,
    /// Words of the sentence in question that a distinct sentence has, and the reverse.
    shared: Vec<(u32, u32)>,
    touched: Vec<u32>,
    /// For each word the last question that had it.
    asked: Vec<u32>,
    question: u32,
}

impl<'a> Index<'a> {
    /// Index the wanted words.
    fn new(sentences: &'a [Sentence<'a>], keys: usize, wanted: &[bool]) -> Self {
        let words = wanted.len();
        let mut seen = vec![false; keys];
        let mut places = Vec::new();
        for (place, sentence) in sentences.iter().enumerate() {
            if !std::mem::replace(&mut seen[sentence.key as usize], true) {
                places.push(place as u32);
            }
        }
        let mut postings: Vec<Vec<(u32, u32)>> = vec![Vec::new(); words];
        for (number, &place) in (0..).zip(&places) {
            let words = sentences[place as usize].words.iter();
            for &word in words.filter(|&&word| wanted[word as usize]) {
                let postings = &mut postings[word as usize];
                match postings.last_mut() {
                    Some((last, times)) if *last == number => *times += 1,
                    _ => postings.push((number, 1)),
                }
            }
        }
        Index {
            sentences,
            shared: vec![(0, 0); places.len()],
            places,
            postings,
            touched: Vec::new(),
            asked: vec![0; words],
            question: 0,
        }
    }

    /// Count the postings of a sentence's words.
    fn cost(&self, sentence: &Sentence) -> u64 {
        let words = sentence.words.iter();
        words.map(|&word| self.postings[word as usize].len() as u64).sum()
    }

    /// Return the sentence that says the same, and the one most like it.
    fn best(&mut self, sentence: &Sentence, fuzzy: bool) -> (Partner, i32) {
        self.count(sentence);
        let mut same: Vec<(f64, u32)> = Vec::new();
        let mut alike = (0.0, u32::MAX);
        let length = sentence.words.len();
        for &number in &self.touched {
            let shared = std::mem::take(&mut self.shared[number as usize]);
            let other = &self.sentences[self.places[number as usize] as usize];
            // most of those that share a word are far from being alike: no need to be exact
            let product = u64::from(shared.0) * u64::from(shared.1);
            if product * FAR_FROM_ALIKE < (length * other.words.len()) as u64 {
                continue;
            }
            let of_first = f64::from(shared.0) / length as f64;
            let of_second = f64::from(shared.1) / other.words.len() as f64;
            let overlap = (of_first * of_second).sqrt();
            if overlap >= SAME {
                same.push((overlap, number));
            }
            let long = length.min(other.words.len()) >= FEWEST_WORDS;
            let better = overlap > alike.0 || (overlap == alike.0 && number < alike.1);
            if long && overlap >= LEAST_ALIKE && better {
                alike = (overlap, number);
            }
        }
        self.touched.clear();
        let like = self.places.get(alike.1 as usize);
        let like = like.map_or(NOBODY, |&place| place as i32);
        same.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut best = NO_PARTNER;
        for &(overlap, number) in same.iter().take(MOST_TRIES) {
            if overlap <= best.similarity {
                break;
            }
            let place = self.places[number as usize];
            let value = if fuzzy {
                penalised(overlap, sentence, &self.sentences[place as usize])
            } else {
                overlap
            };
            if value >= SAME && value > best.similarity {
                best = Partner { place: place as i32, similarity: value };
            }
        }
        (best, like)
    }

    fn count(&mut self, sentence: &Sentence) {
        self.question += 1;
        for &word in sentence.words {
            let asked = &mut self.asked[word as usize];
            let again = std::mem::replace(asked, self.question) == self.question;
            for &(number, times) in &self.postings[word as usize] {
                let shared = &mut self.shared[number as usize];
                if *shared == (0, 0) {
                    self.touched.push(number);
                }
                shared.0 += 1;
                shared.1 += if again { 0 } else { times };
            }
        }
    }
}

/// Reduce the overlap of two sentences that differ in order, numbers or negation.
fn penalised(overlap: f64, first: &Sentence, second: &Sentence) -> f64 {
    let mut similarity = overlap;
    if first.words != second.words {
        // the more two sentences share, the more its order matters
        let disorder = 1.0 - order_share(first.words, second.words);
        similarity *= 1.0 - DISORDER * (overlap * overlap) * disorder;
    }
    let lacks = |one: &[u32], other: &[u32]| one.iter().any(|n| other.binary_search(n).is_err());
    if lacks(first.numbers, second.numbers) && lacks(second.numbers, first.numbers) {
        similarity *= OTHER_FACTS;
    }
    if first.negated != second.negated {
        similarity *= OTHER_FACTS;
    }
    similarity
}

/// Return the share of the common words that are in the same order in both.
fn order_share(first: &[u32], second: &[u32]) -> f64 {
    let mut sorted = first.to_vec();
    sorted.sort_unstable();
    let mut places: Vec<(u32, u32)> = second.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let here =
        first.iter().filter(|&word| places.binary_search_by_key(word, |pair| pair.0).is_ok());
    let there = second.iter().filter(|word| sorted.binary_search(word).is_ok());
    if here.eq(there) {
        return 1.0; // the quick answer for most reworded sentences
    }
    let mut taken = vec![0; places.len()];
    let mut pairs = Vec::with_capacity(first.len());
    for (here, &word) in (0..).zip(first) {
        let start = places.partition_point(|pair| pair.0 < word);
        let Some(used) = taken.get_mut(start) else {
            continue;
        };
        if let Some((_, place)) = places.get(start + *used).filter(|found| found.0 == word) {
            *used += 1;
            pairs.push((here, *place));
        }
    }
    match pairs.len() {
        0 => 1.0,
        common => longest_chain(&pairs, &vec![1; common], true).len() as f64 / common as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(mine: &[&[u32]], theirs: &[&[u32]], fuzzy: bool) -> Vec<(i32, f64)> {
        let sentences = |texts: &[&'static [u32]]| -> Vec<Sentence<'static>> {
            let texts = texts.iter().zip(0..);
            texts
                .map(|(&words, node)| Sentence {
                    words,
                    numbers: &[],
                    negated: false,
                    node,
                    key: 0,
                })
                .collect()
        };
        // the tests give literals only
        let still = |texts: &[&[u32]]| -> Vec<&'static [u32]> {
            texts.iter().map(|one| &*Box::leak(one.to_vec().into_boxed_slice())).collect()
        };
        let (mut first, mut second) = (sentences(&still(mine)), sentences(&still(theirs)));
        let keys = number_keys(&mut first, &mut second);
        let found = pair(&first, &second, keys, 100, fuzzy);
        found.partners.iter().map(|one| (one.place, one.similarity)).collect()
    }

    #[test]
    fn equal_sentences_are_partners_in_their_order() {
        let found = paired(&[&[1, 2], &[3], &[1, 2]], &[&[3], &[1, 2], &[1, 2]], true);
        assert_eq!(found, [(1, 1.0), (0, 1.0), (2, 1.0)]);
        let more = paired(&[&[1], &[1], &[1]], &[&[1], &[1]], true);
        assert_eq!(more, [(0, 1.0), (1, 1.0), (1, 1.0)]);
    }

    #[test]
    fn the_most_similar_sentence_is_the_partner() {
        let others: [&[u32]; 3] = [&[1, 2, 9, 8], &[1, 2, 3, 9], &[7, 7]];
        let found = paired(&[&[1, 2, 3, 4]], &others, false);
        assert_eq!(found, [(1, 0.75)]);
        assert_eq!(paired(&[&[5, 6]], &others, false), [(NOBODY, 0.0)]);
        assert_eq!(paired(&[&[5, 6]], &[], true), [(NOBODY, 0.0)]);
    }

    #[test]
    fn another_order_makes_sentences_less_similar() {
        let one: [&[u32]; 1] = [&[1, 2, 3, 4, 5]];
        let other: [&[u32]; 1] = [&[5, 4, 3, 2, 1]];
        let plain = paired(&one, &other, false);
        assert_eq!(plain, [(0, 1.0)]);
        let (_, similarity) = paired(&one, &other, true)[0];
        assert!(similarity < 0.61);
    }
}
