//! What a page tells about its host, and what the pages of a host share, marked on a page.

use crate::fingerprint::{block_hash, pack};
use crate::names::title_parts;
use crate::rarity::Rarity;
use crate::scan::{numbers_of, words_of};
use crate::units::each_key;
use crate::similarity::blocks::BY_MEMORY;
use crate::words::count_real_words;

/// Units of a page that count: those with the lowest keys, so that they are the same on every page.
const MOST_UNITS: usize = 4096;

/// Return what a page tells about its host: the hash of its title and main heading, or 0 if it has
/// neither; how many units it has; the keys of its units, and the hashes of the parts of its names,
/// each once and ascending.
///
/// The parts are the title and the main heading; the keys and the nodes of its units, or nothing if
/// they have to be made of the last parts, the kinds, links and lines of the page.
pub fn arrival(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [title, heading, keys, nodes, columns @ ..] = parts else { return None };
    let title = std::str::from_utf8(title).ok()?;
    let heading = std::str::from_utf8(heading).ok()?;
    let name = match (title, heading) {
        ("", "") => 0,
        _ => block_hash(&format!("{title}\n{heading}")),
    };
    let units = units_of(keys, nodes, columns)?;
    let mut units: Vec<u64> = units.into_iter().map(|(_, key)| key).collect();
    let heading = Some(heading).filter(|heading| !heading.is_empty());
    let mut names: Vec<u64> = title_parts(title).into_iter().chain(heading).map(block_hash).collect();
    for list in [&mut units, &mut names] {
        list.sort_unstable();
        list.dedup();
    }
    units.truncate(MOST_UNITS);
    let mut bytes = name.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(units.len() as u32).to_le_bytes());
    pack(&units, &mut bytes);
    pack(&names, &mut bytes);
    Some(bytes)
}

/// Return the node and the key of each unit of a page, in order; from kinds, links and lines if its
/// keys are not given.
fn units_of(keys: &[u8], nodes: &[u8], columns: &[&[u8]]) -> Option<Vec<(u32, u64)>> {
    if !keys.is_empty() {
        return Some(numbers_of(nodes).into_iter().zip(words_of(keys)).collect());
    }
    let [kinds, links, lines] = columns else { return None };
    let mut found = Vec::new();
    let lines = std::str::from_utf8(lines).ok()?.split('\n');
    each_key(kinds, links, lines, |node, key| found.push((node, key)));
    Some(found)
}

/// Mark the blocks of a page that its host repeats, with all their units: return how many words of
/// main text they have, and the marks; nothing if no block is one of them.
///
/// The parts are the document frequencies of the host's units (`Rarity`); how many pages must show
/// one that is repeated, in four bytes; the marks of the page; the keys and the nodes of its units, or
/// nothing if they have to be made; its kinds, links and lines.
pub fn mark(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [rarity, least, marks, keys, nodes, columns @ ..] = parts else { return None };
    let lines = columns.last()?;
    let rarity = Rarity::of(rarity)?;
    let least = u32::from_le_bytes((*least).try_into().ok()?).max(1);
    if marks.is_empty() {
        return Some(Vec::new());
    }
    let mut is_repeated: Vec<Option<bool>> = vec![None; marks.len()];
    for (node, key) in units_of(keys, nodes, columns)? {
        let all = is_repeated.get_mut(node as usize)?;
        *all = Some(all.unwrap_or(true) && rarity.df(key) >= least);
    }
    if !is_repeated.contains(&Some(true)) {
        return Some(Vec::new());
    }
    let new = |(&mark, all)| if all == &Some(true) { BY_MEMORY } else { mark };
    let marked: Vec<u8> = marks.iter().zip(&is_repeated).map(new).collect();
    let lines = std::str::from_utf8(lines).ok()?;
    let columns = lines.split('\n').zip(marks.iter().zip(&marked));
    let gone = columns.filter(|(_, (&before, &now))| before == 0 && now != 0);
    let words: usize = gone.map(|(text, _)| count_real_words(text)).sum();
    let mut bytes = (words as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&marked);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rarity;

    fn packed(texts: &[&str]) -> Vec<u8> {
        let mut hashes: Vec<u64> = texts.iter().map(|text| block_hash(text)).collect();
        hashes.sort_unstable();
        hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
    }

    #[test]
    fn names_and_units_of_a_page() {
        let found = arrival(&[b"Tides - The Sea", b"Tides", b"", b"a\n\nb\na"]).unwrap();
        assert_eq!(found[..8], block_hash("Tides - The Sea\nTides").to_le_bytes());
        assert_eq!(found[8..12], [2, 0, 0, 0]);
        assert_eq!(found[12..], [packed(&["a", "b"]), packed(&["Tides", "The Sea"])].concat());
        assert_eq!(arrival(&[b"", b"", b"", b""]).unwrap(), [0; 12]);
    }

    #[test]
    fn of_very_many_units_those_with_the_lowest_keys_count() {
        let keys: Vec<u64> = (1..=5_000).rev().collect();
        let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        let found = arrival(&[b"", b"", &bytes, b""]).unwrap();
        assert_eq!(words_of(&found[12..]), (1..=4_096).collect::<Vec<u64>>());
    }

    #[test]
    fn repeated_blocks_are_marked_and_their_words_counted() {
        let lines = b"Menu of tea\nOwn text\n* * *";
        let counts = [("Menu of tea", 4), ("Own text", 3), ("* * *", 9), ("elsewhere", 9)];
        let host = rarity::packed(&counts.map(|(text, count)| (block_hash(text), count)));
        let least = [4, 0, 0, 0];
        let expected = [3, 0, 0, 0, BY_MEMORY, 0, BY_MEMORY];
        assert_eq!(mark(&[&host, &least, b"", &[0, 0, 0], lines]).unwrap(), expected);
        let marked = mark(&[&host, &least, b"", &[1, 0, 0], lines]).unwrap();
        assert_eq!(marked[..4], [0; 4]);
        assert!(mark(&[&host, &[10, 0, 0, 0], b"", &[0, 0, 0], lines]).unwrap().is_empty());
        assert!(mark(&[b"", &[0; 4], b"", &[0, 0, 0], lines]).unwrap().is_empty());
        assert!(mark(&[&host, &least, b"", &[0], lines]).is_none());
        assert!(mark(&[&host[1..], &least, b"", &[0, 0, 0], lines]).is_none());
        assert!(mark(&[&host, &[4], b"", &[0, 0, 0], lines]).is_none());
    }
}
