//! What a page tells about its host, and what the pages of a host share, marked on a page.

use crate::fingerprint::{block_hash, pack};
use crate::names::title_parts;
use crate::scan::words_of;
use crate::similarity::blocks::BY_MEMORY;
use crate::words::count_real_words;

/// Blocks of a page that count, from both its ends: there a template stands.
const MOST_BLOCKS: usize = 512;

/// Return what a page tells about its host: the hash of its title and main heading, or 0 if it has
/// neither; how many blocks it has; the hashes of its blocks, and of the parts of its names, each
/// once and ascending.
///
/// The parts are the title, the main heading, and the hash of each block, or nothing if they have to
/// be made of the last part, the lines of the page.
pub fn arrival(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [title, heading, blocks, lines] = parts else { return None };
    let title = std::str::from_utf8(title).ok()?;
    let heading = std::str::from_utf8(heading).ok()?;
    let name = match (title, heading) {
        ("", "") => 0,
        _ => block_hash(&format!("{title}\n{heading}")),
    };
    let nothing = block_hash(""); // of lists and tables: no page counts it
    let mut blocks = hashes_of(blocks, lines)?;
    blocks.retain(|hash| *hash != nothing);
    if blocks.len() > MOST_BLOCKS {
        blocks.drain(MOST_BLOCKS / 2..blocks.len() - MOST_BLOCKS / 2);
    }
    let heading = Some(heading).filter(|heading| !heading.is_empty());
    let mut names: Vec<u64> = title_parts(title).into_iter().chain(heading).map(block_hash).collect();
    for list in [&mut blocks, &mut names] {
        list.sort_unstable();
        list.dedup();
    }
    let mut bytes = name.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(blocks.len() as u32).to_le_bytes());
    pack(&blocks, &mut bytes);
    pack(&names, &mut bytes);
    Some(bytes)
}

fn hashes_of(blocks: &[u8], lines: &[u8]) -> Option<Vec<u64>> {
    if !blocks.is_empty() {
        return Some(words_of(blocks));
    }
    let lines = std::str::from_utf8(lines).ok()?;
    Some(lines.split('\n').map(block_hash).collect())
}

/// Mark the blocks of a page that its host shares: return how many words of main text they have, and
/// the marks; nothing if no block is one of them.
///
/// The parts are the hashes of what the host shares, ascending; the hash of each block, or nothing
/// if they have to be made; the marks and the lines of the page.
pub fn mark(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [shared, blocks, marks, lines] = parts else { return None };
    let shared = words_of(shared);
    let blocks = if marks.is_empty() { Vec::new() } else { hashes_of(blocks, lines)? };
    let lines = std::str::from_utf8(lines).ok()?;
    if blocks.len() != marks.len() {
        return None;
    }
    let mut marked = marks.to_vec();
    let mut any = false;
    for (mark, hash) in marked.iter_mut().zip(&blocks) {
        if shared.binary_search(hash).is_ok() {
            *mark = BY_MEMORY;
            any = true;
        }
    }
    if !any {
        return Some(Vec::new());
    }
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

    fn packed(texts: &[&str]) -> Vec<u8> {
        let mut hashes: Vec<u64> = texts.iter().map(|text| block_hash(text)).collect();
        hashes.sort_unstable();
        hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
    }

    #[test]
    fn names_and_blocks_of_a_page() {
        let found = arrival(&[b"Tides - The Sea", b"Tides", b"", b"a\n\nb\na"]).unwrap();
        assert_eq!(found[..8], block_hash("Tides - The Sea\nTides").to_le_bytes());
        assert_eq!(found[8..12], [2, 0, 0, 0]);
        assert_eq!(found[12..], [packed(&["a", "b"]), packed(&["Tides", "The Sea"])].concat());
        assert_eq!(arrival(&[b"", b"", b"", b""]).unwrap(), [0; 12]);
    }

    #[test]
    fn shared_blocks_are_marked_and_their_words_counted() {
        let lines = b"Menu of tea\nOwn text\n* * *";
        let shared = packed(&["Menu of tea", "* * *", "elsewhere"]);
        let expected = [3, 0, 0, 0, BY_MEMORY, 0, BY_MEMORY];
        assert_eq!(mark(&[&shared, b"", &[0, 0, 0], lines]).unwrap(), expected);
        let marked = mark(&[&shared, b"", &[1, 0, 0], lines]).unwrap();
        assert_eq!(marked[..4], [0; 4]);
        assert!(mark(&[&packed(&["elsewhere"]), b"", &[0, 0, 0], lines]).unwrap().is_empty());
        assert!(mark(&[&shared, b"", &[0], lines]).is_none());
    }
}
