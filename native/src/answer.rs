//! A page in one answer: what was read of it, its fingerprint, the keys of its units.
//!
//! Numbers come first, then the fingerprint, then columns, then texts, and last the page itself, in
//! the two parts of `presentation`; `read/core_reading.py` unpacks it.

use crate::blake::blake2b_256;
use crate::fingerprint::{fingerprint, pack};
use crate::normal::nfc;
use crate::parents::packed as packed_parents;
use crate::reading::Reading;
use crate::tables::with_rows;
use crate::units::each_key;

/// Words of main text that a page has before its scripts make it up.
const FEW_WORDS: usize = 20;
const HEAD: usize = 80;

/// Return a page as bytes.
pub fn packed(page: &Reading) -> Vec<u8> {
    let nodes = &page.nodes;
    let text = page.joined(|_| true);
    let part = page.marks.iter().any(|mark| *mark != 0);
    let part = part.then(|| page.joined(|mark| mark == 0));
    let main = part.as_ref().unwrap_or(&text);
    let waits = page.has_noscript && main.split(' ').nth(FEW_WORDS - 1).is_none();
    let flags = u32::from(page.cut)
        | u32::from(page.hidden.whole) << 1
        | u32::from(waits) << 2
        | u32::from(page.uncertain) << 3
        | u32::from(page.presentation.is_plain) << 4;

    let mut bytes = Vec::with_capacity(
        4 * text.len() + 16 * nodes.len() + 8_192 + page.presentation.bytes.len(),
    );
    bytes.resize(HEAD, 0);
    fingerprint(main).pack(&mut bytes);
    let columns = bytes.len() as u64;
    let links = nodes.link_shares();
    let (mut keys, mut places): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
    each_key(&nodes.kinds, &links, (0..nodes.len()).map(|at| nodes.at(at)), |node, key| {
        keys.push(key);
        places.push(node);
    });
    bytes.extend((keys.len() as u32).to_le_bytes());
    pack(&keys, &mut bytes);
    bytes.extend(places.iter().flat_map(|node| node.to_le_bytes()));
    bytes.extend_from_slice(&nodes.kinds);
    bytes.extend_from_slice(&page.marks);
    bytes.extend_from_slice(&links);
    bytes.extend_from_slice(&nodes.grid);
    put_texts(page, &mut bytes);
    let presented = bytes.len() as u64;
    bytes.extend((page.presentation.size as u64).to_le_bytes());
    bytes.extend_from_slice(&page.presentation.bytes);

    let size: usize = nodes.lengths.iter().sum();
    let mut head = Vec::with_capacity(HEAD);
    head.extend((nodes.len() as u32).to_le_bytes());
    head.extend(flags.to_le_bytes());
    let (characters, work) = (page.hidden.characters as u64, page.hidden.work as u64);
    for number in [characters, work, size as u64, columns, presented] {
        head.extend(number.to_le_bytes());
    }
    let rows = with_rows(&nodes.kinds, &nodes.parents, &nodes.grid, |node| nodes.at(node));
    head.extend(blake2b_256(nfc(rows.as_ref().unwrap_or(&text)).as_bytes()));
    bytes[..HEAD].copy_from_slice(&head);
    bytes
}

/// Append the lengths of the parents and of all texts that every page has, and these, then the
/// headlines.
fn put_texts(page: &Reading, bytes: &mut Vec<u8>) {
    let declared = &page.declared;
    let lines = page.nodes.text.as_str();
    let parents = packed_parents(&page.nodes.parents);
    let heading = page.heading();
    let hidden: Vec<String> =
        page.hidden_texts.iter().map(|(node, text)| format!("{node} {text}")).collect();
    let hidden = hidden.join("\n");
    let texts = [
        lines.strip_suffix('\n').unwrap_or(lines),
        &heading,
        page.first_heading(),
        &declared.title,
        &declared.language,
        &declared.canonical,
        &declared.base,
        &declared.og_url,
        &declared.og_title,
        &hidden,
    ];
    let fixed = || std::iter::once(&parents[..]).chain(texts.iter().map(|text| text.as_bytes()));
    for part in fixed() {
        bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
    }
    for part in fixed() {
        bytes.extend_from_slice(part);
    }
    for text in &declared.headlines {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
}
