//! What the pages of a host share, marked on a page.

use crate::fingerprint::block_hash;
use crate::scan::words_of;
use crate::similarity::blocks::BY_MEMORY;
use crate::words::count_real_words;

/// Mark the blocks of a page that its host shares: return how many words of main text they have, and
/// the marks; nothing if no block is one of them.
///
/// The parts are the hashes of what the host shares, ascending; the hash of each block, or nothing
/// if they have to be made; the marks and the lines of the page.
pub fn mark(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let [shared, blocks, marks, lines] = parts else { return None };
    let lines = std::str::from_utf8(lines).ok()?;
    let shared = words_of(shared);
    let mut blocks = words_of(blocks);
    if blocks.is_empty() && !marks.is_empty() {
        blocks = lines.split('\n').map(block_hash).collect();
    }
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
