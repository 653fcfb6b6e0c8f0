//! The texts of a page: a mark and a line for each node.

use super::table::strings;

/// Return the texts of a page that are main text, with the numbers of their nodes.
pub fn main_texts<'a>(marks: &[u8], lines: &'a [u8]) -> Option<Vec<(u32, &'a str)>> {
    let lines = std::str::from_utf8(lines).ok()?;
    let parts = strings(lines.as_bytes(), marks.len())?;
    let mut at = 0;
    let mut texts = Vec::with_capacity(parts.len());
    for (node, (part, &mark)) in (0..).zip(parts.iter().zip(marks)) {
        if mark == 0 && !part.is_empty() {
            texts.push((node, &lines[at..at + part.len()]));
        }
        at += part.len() + 1;
    }
    Some(texts)
}

pub fn joined(texts: &[(u32, &str)]) -> String {
    let parts: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
    parts.join(" ")
}
