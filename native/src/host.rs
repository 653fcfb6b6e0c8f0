//! What a page tells about its host, and what the pages of a host share, marked on a page.

use crate::fingerprint::{block_hash, pack};
use crate::names::title_parts;
use crate::rarity::Rarity;
use crate::scan::{numbers_of, words_of};
use crate::units::each_key;
use crate::volatile::{self, VOLATILE};
use crate::words::count_real_words;

/// The mark of blocks that the pages of a host repeat.
pub const BY_MEMORY: u8 = 2;
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
    let mut names: Vec<u64> =
        title_parts(title).into_iter().chain(heading).map(block_hash).collect();
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

/// Mark the blocks of a page that its host repeats, with all their units, and those whose shapes are
/// volatile there: return how many words of main text they have, and the marks; nothing if no block
/// is one of them.
///
/// The parts are the document frequencies of the host's units (`Rarity`); how many pages must show
/// one that is repeated, in four bytes; the shapes that are volatile, ascending; the marks of the
/// page; the keys and the nodes of its units, or nothing if they have to be made; its kinds, links and
/// lines.
pub fn mark(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [rarity, least, shapes, marks, keys, nodes, columns @ ..] = parts else { return None };
    let [kinds, _, lines] = columns else { return None };
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
    let new = |(&mark, all)| if all == &Some(true) { BY_MEMORY } else { mark };
    let mut marked: Vec<u8> = marks.iter().zip(&is_repeated).map(new).collect();
    for node in volatile::nodes(&words_of(shapes), kinds, marks, lines)? {
        if marked[node] == 0 {
            marked[node] = VOLATILE;
        }
    }
    if marked == *marks {
        return Some(Vec::new());
    }
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
    use crate::columns::KIND_TEXT;
    use crate::rarity;

    fn packed(texts: &[&str]) -> Vec<u8> {
        let mut hashes: Vec<u64> = texts.iter().map(|text| block_hash(text)).collect();
        hashes.sort_unstable();
        hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
    }

    /// Return the kinds and links of so many nodes of text.
    fn texts(count: usize) -> (Vec<u8>, Vec<u8>) {
        (vec![KIND_TEXT; count], vec![0; count])
    }

    #[test]
    fn names_and_units_of_a_page() {
        let (kinds, links) = texts(4);
        let columns: [&[u8]; 3] = [&kinds, &links, b"a\n\nb. a\na"];
        let told = |keys: &[u8], nodes: &[u8]| {
            let page: [&[u8]; 4] = [b"Tides - The Sea", b"Tides", keys, nodes];
            arrival(&[&page[..], &columns].concat()).unwrap()
        };
        let found = told(b"", b"");
        assert_eq!(found[..8], block_hash("Tides - The Sea\nTides").to_le_bytes());
        assert_eq!(found[8..12], [2, 0, 0, 0]);
        assert_eq!(found[12..], [packed(&["a", "b. a"]), packed(&["Tides", "The Sea"])].concat());
        assert_eq!(
            told(&packed(&["c"]), &[0; 4])[8..20],
            [&[1, 0, 0, 0], &packed(&["c"])[..]].concat()
        );
        assert_eq!(arrival(&[&[][..]; 7]).unwrap(), [0; 12]);
        assert!(arrival(&[&[][..]; 6]).is_none());
    }

    #[test]
    fn of_very_many_units_those_with_the_lowest_keys_count() {
        let keys: Vec<u8> = (1..=5_000_u64).rev().flat_map(u64::to_le_bytes).collect();
        let found = arrival(&[b"", b"", &keys, &[0; 20_000], b"", b"", b""]).unwrap();
        assert_eq!(words_of(&found[12..]), (1..=4_096).collect::<Vec<u64>>());
    }

    #[test]
    fn repeated_blocks_are_marked_and_their_words_counted() {
        let (kinds, links) = texts(3);
        let counts =
            [("Menu of tea.", 4), ("More tea.", 5), ("Own text", 3), ("* * *", 9), ("x", 9)];
        let host = rarity::packed(&counts.map(|(text, count)| (block_hash(text), count)));
        let marks_of = |host: &[u8], least: &[u8], marks: &[u8]| {
            let lines = b"Menu of tea. More tea.\nOwn text\n* * *";
            mark(&[host, least, b"", marks, b"", b"", &kinds, &links, lines])
        };
        let least = [4, 0, 0, 0];
        let expected = [5, 0, 0, 0, BY_MEMORY, 0, BY_MEMORY];
        assert_eq!(marks_of(&host, &least, &[0, 0, 0]).unwrap(), expected);
        assert_eq!(marks_of(&host, &least, &[1, 0, 0]).unwrap()[..4], [0; 4]);
        // a block of which one unit is rare is not repeated
        assert_eq!(marks_of(&host, &[5, 0, 0, 0], &[0; 3]).unwrap()[4..], [0, 0, BY_MEMORY]);
        assert!(marks_of(&host, &[10, 0, 0, 0], &[0, 0, 0]).unwrap().is_empty());
        assert!(marks_of(b"", &[0; 4], &[0, 0, 0]).unwrap().is_empty());
        assert!(marks_of(&host, &least, &[0]).is_none());
        assert!(marks_of(&host[1..], &least, &[0, 0, 0]).is_none());
        assert!(marks_of(&host, &[4], &[0, 0, 0]).is_none());
    }
}
