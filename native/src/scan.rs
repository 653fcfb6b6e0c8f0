//! Search for a byte, several at a time: the standard library's search for a character is slower.

/// Bytes that are looked at together.
pub const WORD: usize = 8;
const CHUNK: usize = 32;
/// The lowest bit of each of them, and the highest.
pub const ONES: u64 = 0x0101_0101_0101_0101;
pub const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Return where a byte first stands, from a position on.
#[inline]
pub fn find(bytes: &[u8], what: u8, at: usize) -> Option<usize> {
    let found = find_any(bytes, [what], at);
    (found < bytes.len()).then_some(found)
}

/// Return where one of some bytes first stands, from a position on; the end if none does.
#[inline]
pub fn find_any<const N: usize>(bytes: &[u8], wanted: [u8; N], at: usize) -> usize {
    let at = without(bytes, wanted, at);
    let end = bytes.len().min(at + CHUNK);
    by_words(bytes, wanted, at, end).unwrap_or(end)
}

/// Return a position up to which none of some bytes stands, and soon behind it one does or all ends.
#[inline]
fn without<const N: usize>(bytes: &[u8], wanted: [u8; N], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..at + CHUNK) {
        // in this order the compiler turns it into vector instructions
        let has = |one: &u8| chunk.iter().fold(false, |hit, byte| hit | (byte == one));
        if wanted.iter().fold(false, |hit, one| hit | has(one)) {
            break;
        }
        at += CHUNK;
    }
    at
}

#[inline]
fn by_words<const N: usize>(
    bytes: &[u8],
    wanted: [u8; N],
    begin: usize,
    end: usize,
) -> Option<usize> {
    let in_word = |at: usize| {
        let word = word_of(&bytes[at..at + WORD]);
        let hits = wanted.iter().fold(0, |hits, one| hits | first(word, *one));
        (hits != 0).then(|| at + hits.trailing_zeros() as usize / 8)
    };
    let mut at = begin;
    while at + WORD <= end {
        if let Some(found) = in_word(at) {
            return Some(found);
        }
        at += WORD;
    }
    if begin + WORD <= end {
        return in_word(end - WORD); // what was looked at already has none
    }
    (at..end).find(|place| wanted.contains(&bytes[*place]))
}

/// Return true if a byte stands anywhere.
pub fn contains(bytes: &[u8], what: u8) -> bool {
    find(bytes, what, 0).is_some()
}

/// Return true if bytes begin with a name, whatever the case of its ASCII letters.
pub fn begins_with(bytes: &[u8], name: &[u8]) -> bool {
    let begin = bytes.get(..name.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name))
}

/// Return true if bytes end with a name, whatever the case of its ASCII letters.
pub fn ends_with(bytes: &[u8], name: &[u8]) -> bool {
    let end = bytes.len().checked_sub(name.len()).map(|at| &bytes[at..]);
    end.is_some_and(|end| end.eq_ignore_ascii_case(name))
}

/// Return where the ASCII ends with which some bytes begin.
#[inline]
pub fn ascii_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..at + WORD) {
        let beyond = word_of(eight) & HIGHS;
        if beyond != 0 {
            return at + beyond.trailing_zeros() as usize / 8;
        }
        at += WORD;
    }
    let rest = bytes[at..].iter().position(|byte| !byte.is_ascii());
    rest.map_or(bytes.len(), |place| at + place)
}

/// Return where a part of a text begins; nothing if it stands elsewhere in memory.
pub fn place_in(whole: &str, part: &str) -> Option<usize> {
    let place = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    let end = place.checked_add(part.len())?;
    (end <= whole.len() && !part.is_empty()).then_some(place)
}

/// Return the highest bit of the first byte of a word that equals one, and perhaps others above it.
#[inline]
fn first(word: u64, byte: u8) -> u64 {
    // a byte becomes zero where it stands; the lowest zero borrows, so its high bit is set
    let zeros = word ^ (ONES * u64::from(byte));
    zeros.wrapping_sub(ONES) & !zeros & HIGHS
}

/// Return eight bytes as a number, the first of them lowest.
#[inline]
pub fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; WORD];
    word.copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Read numbers of eight bytes each.
pub fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(WORD).map(word_of).collect()
}

/// Read numbers of four bytes each.
pub fn numbers_of(bytes: &[u8]) -> Vec<u32> {
    let fours = bytes.chunks_exact(4);
    let fours = fours.map(|four| [four[0], four[1], four[2], four[3]]);
    fours.map(u32::from_le_bytes).collect()
}

/// Return the highest bit of each byte of a word that equals one.
#[inline]
pub fn equal(word: u64, byte: u8) -> u64 {
    let zeros = word ^ (ONES * u64::from(byte));
    !(((zeros & !HIGHS) + !HIGHS) | zeros) & HIGHS
}
