//! Two pages compared word by word: what they share, in which order, and which facts differ.

use super::align::{align, gaps, masks, Alignment, ANCHOR_WORDS};
use super::intern::Interner;
use super::languages::{class, STOP_WORD};
use super::shingles::{common, covered, shared, Both};
use super::table::{put, Table, DIGIT, MARKED};

const SHINGLE_WORDS: usize = 4;
const MOVED_WORDS: usize = 20;
const SHORTEST_PASSAGE: usize = 6;
const SHORTEST_RUN: usize = 3;

/// Compare a page with others, given as the language of each page, and the table of each; return
/// counts for each of the others.
pub fn compare(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [languages, mine, others @ ..] = parts else { return None };
    let first = Table::read(mine)?;
    if languages.len() != 1 + others.len() {
        return None;
    }
    let mut bytes = Vec::with_capacity(72 * others.len());
    for (other, &language) in others.iter().zip(&languages[1..]) {
        measure(&first, &Table::read(other)?, [languages[0], language], &mut bytes);
    }
    Some(bytes)
}

fn measure(first: &Table, second: &Table, languages: [u8; 2], bytes: &mut Vec<u8>) {
    let pages = Pages::new(first, second, languages);
    let width = SHINGLE_WORDS.min(first.words.len()).min(second.words.len()).max(1);
    let shingles = pages.words.shingles(width);
    let (mine, theirs) = shingles.counts();
    let alignment = align(&pages.words, &shingles, (&mine, &theirs));
    let (counts, their_counts) = pages.words.counts();
    let overlap = shared(&mine, &theirs);
    let aligned = pages.aligned(&alignment);
    let (swapped, replaced) = pages.differences(&alignment);
    let (facts, their_facts) =
        (pages.shared_facts(0, &their_counts), pages.shared_facts(1, &counts));
    let numbers = [
        overlap.first,
        overlap.second,
        overlap.both,
        covered(&shingles.first, &theirs, width),
        covered(&shingles.second, &mine, width),
        common(&counts, &their_counts),
        aligned.0,
        aligned.1,
        swapped,
        pages.missing(0, &counts, &their_counts).min(pages.missing(1, &their_counts, &counts)),
        replaced,
        facts.0,
        facts.1,
        their_facts.0,
        their_facts.1,
        swapped_numbers(&first.numbers, &second.numbers),
    ];
    bytes.extend_from_slice(&alignment.work.to_le_bytes());
    put(bytes, &numbers);
}

/// Count the identifying numbers that each page, at least, has and the other lacks.
fn swapped_numbers(first: &[&[u8]], second: &[&[u8]]) -> u32 {
    let both = first.iter().filter(|number| second.binary_search(number).is_ok()).count();
    (first.len().min(second.len())).saturating_sub(both) as u32
}

/// Two pages with joint numbers for their words.
struct Pages {
    words: Both,
    /// What each page says of each word: `DIGIT`, `MARKED`.
    flags: [Vec<u8>; 2],
    /// Whether a page has the word at all.
    has: [Vec<bool>; 2],
    stop_words: Vec<bool>,
}

impl Pages {
    fn new(first: &Table, second: &Table, languages: [u8; 2]) -> Self {
        let mut numbers = Interner::new(first.vocabulary.len() + second.vocabulary.len());
        let mut joint = |table: &Table| -> Vec<u32> {
            let words = table.vocabulary.iter();
            words.map(|word| numbers.number(word)).collect()
        };
        let (mine, theirs) = (joint(first), joint(second));
        let size = numbers.len();
        let mut pages = Pages {
            words: Both {
                first: first.words.iter().map(|&w| mine[w as usize]).collect(),
                second: second.words.iter().map(|&w| theirs[w as usize]).collect(),
                size,
            },
            flags: [vec![0; size], vec![0; size]],
            has: [vec![false; size], vec![false; size]],
            stop_words: vec![false; size],
        };
        let sides = [(&mine, first), (&theirs, second)];
        for (side, (numbers, table)) in sides.into_iter().enumerate() {
            for (place, &number) in numbers.iter().enumerate() {
                let number = number as usize;
                pages.flags[side][number] = table.flags[place];
                pages.has[side][number] = true;
                let known = table.known[place];
                let is_stop_word = |&language: &u8| class(known, language) & STOP_WORD > 0;
                pages.stop_words[number] = known > 0 && languages.iter().any(is_stop_word);
            }
        }
        pages
    }

    /// Count the words of either page in runs of three or more, and in long passages that moved.
    fn aligned(&self, alignment: &Alignment) -> (u32, u32) {
        let (first, second) = (self.words.first.len(), self.words.second.len());
        let shortest = SHORTEST_RUN.min(first).min(second);
        let kept = alignment.runs.iter().filter(|run| run.length >= shortest);
        let moved = alignment.passages.iter();
        let moved = moved.filter(|run| run.length >= MOVED_WORDS);
        let (mine, theirs) = masks(kept.chain(moved), first, second);
        let count = |mask: Vec<bool>| mask.into_iter().filter(|&marked| marked).count() as u32;
        (count(mine), count(theirs))
    }

    /// Count the places where the pages have different facts, and the words of passages that the
    /// other page replaces with a passage on something else.
    fn differences(&self, alignment: &Alignment) -> (u32, u32) {
        let words = &self.words;
        let (first, second) = (words.first.len(), words.second.len());
        let moved = masks(alignment.passages.iter(), first, second);
        let mut marks = Marks::new(words.size);
        let mut swapped = 0;
        for gap in gaps(&alignment.runs, first, second) {
            let ((a, b), (c, d)) = (gap.first, gap.second);
            let mine = kept(&words.first[a..b], &moved.0[a..b]).filter(|&w| self.is_fact(0, w));
            let theirs = kept(&words.second[c..d], &moved.1[c..d]).filter(|&w| self.is_fact(1, w));
            let (here, there, both) = marks.distinct(mine, theirs);
            swapped += u32::from(here > both && there > both);
        }
        // shorter runs are figures of speech: "you will have to" occurs in passages on anything
        let long = alignment.runs.iter().filter(|r| r.length >= ANCHOR_WORDS);
        let mut replaced = 0;
        for gap in gaps(&long.copied().collect::<Vec<_>>(), first, second) {
            let ((a, b), (c, d)) = (gap.first, gap.second);
            if (b - a).min(d - c) < SHORTEST_PASSAGE {
                continue;
            }
            let mine = || kept(&words.first[a..b], &moved.0[a..b]);
            let theirs = || kept(&words.second[c..d], &moved.1[c..d]);
            let length = mine().count().min(theirs().count());
            let (here, there, both) = marks.distinct(
                mine().filter(|&word| !self.stop_words[word as usize]),
                theirs().filter(|&word| !self.stop_words[word as usize]),
            );
            if length >= SHORTEST_PASSAGE && 3 * both < here.min(there) {
                replaced += length as u32;
            }
        }
        (swapped, replaced)
    }

    /// Whether a word of a page is a fact: not if the other page writes it in lower case.
    fn is_fact(&self, side: usize, word: u32) -> bool {
        let (word, other) = (word as usize, 1 - side);
        let plain = self.has[other][word] && self.flags[other][word] & MARKED == 0;
        self.flags[side][word] & MARKED > 0 && !plain && !self.stop_words[word]
    }

    /// Count the most frequent word of a page among those that the other lacks.
    fn missing(&self, side: usize, mine: &[u32], theirs: &[u32]) -> u32 {
        let lacking = (0..self.words.size).filter(|&word| {
            self.has[side][word]
                && theirs[word] == 0
                && self.flags[side][word] & DIGIT == 0
                && !self.stop_words[word]
        });
        lacking.map(|word| mine[word]).max().unwrap_or(0)
    }

    /// Count the numbers and names of a page that the other page has too, and all of them.
    fn shared_facts(&self, side: usize, theirs: &[u32]) -> (u32, u32) {
        let (mut both, mut all) = (0, 0);
        for (word, &count) in theirs.iter().enumerate() {
            if self.flags[side][word] & MARKED > 0 && !self.stop_words[word] {
                all += 1;
                both += u32::from(count > 0);
            }
        }
        (both, all)
    }
}

fn kept<'a>(words: &'a [u32], moved: &'a [bool]) -> impl Iterator<Item = u32> + 'a {
    words.iter().zip(moved).filter(|(_, &moved)| !moved).map(|(&word, _)| word)
}

/// Counts distinct words without clearing a table for each count.
struct Marks {
    seen: Vec<(u32, u32)>,
    round: u32,
}

impl Marks {
    fn new(size: usize) -> Self {
        Marks { seen: vec![(0, 0); size], round: 0 }
    }

    /// Count the distinct words of one list, of the other, and of both.
    fn distinct(
        &mut self,
        first: impl Iterator<Item = u32>,
        second: impl Iterator<Item = u32>,
    ) -> (usize, usize, usize) {
        self.round += 1;
        let (mut here, mut there, mut both) = (0, 0, 0);
        for word in first {
            let seen = &mut self.seen[word as usize];
            if seen.0 != self.round {
                seen.0 = self.round;
                here += 1;
            }
        }
        for word in second {
            let seen = &mut self.seen[word as usize];
            if seen.1 != self.round {
                seen.1 = self.round;
                there += 1;
                both += usize::from(seen.0 == self.round);
            }
        }
        (here, there, both)
    }
}
