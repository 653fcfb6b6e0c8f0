//! A page as a table: its words as numbers, its vocabulary, its sentences; and bytes for it.

use crate::scan::{equal, numbers_of, word_of, WORD};

/// A word that has a digit.
pub const DIGIT: u8 = 1;
/// A number, a word that may be a name, or an identifier.
pub const MARKED: u8 = 2;

/// Words are in vocabularies and stems in lists with this between them.
pub const BETWEEN: u8 = b'\n';

/// What comparison needs of a page, as it was packed.
pub struct Table<'a> {
    /// For each word of the page, its place in the vocabulary.
    pub words: Vec<u32>,
    pub vocabulary: Vec<&'a [u8]>,
    /// For each word of the vocabulary.
    pub flags: &'a [u8],
    /// The number of each word of the vocabulary among known words.
    pub known: Vec<u16>,
    /// Where each sentence ends, in words.
    pub ends: Vec<u32>,
    /// The node of each sentence.
    pub nodes: Vec<u32>,
    /// Its identifying numbers, in the order of bytes.
    pub numbers: Vec<&'a [u8]>,
}

/// Reads what a caller packed; nothing is found where bytes are missing.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        if count > self.0.len() {
            return None;
        }
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(taken)
    }

    pub fn number(&mut self) -> Option<usize> {
        let bytes = self.bytes(4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    }

    pub fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        Some(numbers_of(self.bytes(count.checked_mul(4)?)?))
    }

    fn short_numbers(&mut self, count: usize) -> Option<Vec<u16>> {
        let pairs = self.bytes(count.checked_mul(2)?)?.chunks_exact(2);
        Some(pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
    }
}

impl<'a> Table<'a> {
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (count, size) = (reader.number()?, reader.number()?);
        let (sentences, length) = (reader.number()?, reader.number()?);
        let (numbers, bytes) = (reader.number()?, reader.number()?);
        let table = Table {
            words: reader.numbers(count)?,
            ends: reader.numbers(sentences)?,
            nodes: reader.numbers(sentences)?,
            flags: reader.bytes(size)?,
            known: reader.short_numbers(size)?,
            vocabulary: strings(reader.bytes(length)?, size)?,
            numbers: strings(reader.bytes(bytes)?, numbers)?,
        };
        let known = table.words.iter().all(|&word| (word as usize) < size);
        let ascending = table.ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let inside = table.ends.last().map_or(true, |&end| end as usize <= count);
        (known && ascending && inside).then_some(table)
    }
}

/// Split strings apart; there must be so many.
pub fn strings(bytes: &[u8], count: usize) -> Option<Vec<&[u8]>> {
    if count == 0 {
        return bytes.is_empty().then(Vec::new);
    }
    let mut strings = Vec::with_capacity(count.min(bytes.len() + 1));
    let mut start = 0;
    let mut words = bytes.chunks_exact(WORD);
    for (at, word) in (0..).step_by(WORD).zip(&mut words) {
        let mut hits = equal(word_of(word), BETWEEN);
        while hits != 0 {
            let end = at + hits.trailing_zeros() as usize / 8;
            strings.push(&bytes[start..end]);
            start = end + 1;
            hits &= hits - 1;
        }
    }
    for end in bytes.len() - words.remainder().len()..bytes.len() {
        if bytes[end] == BETWEEN {
            strings.push(&bytes[start..end]);
            start = end + 1;
        }
    }
    strings.push(&bytes[start..]);
    (strings.len() == count).then_some(strings)
}

pub fn put(bytes: &mut Vec<u8>, numbers: &[u32]) {
    bytes.reserve(numbers.len() * 4);
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}
