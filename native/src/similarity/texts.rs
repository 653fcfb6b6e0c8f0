//! The texts of a page as the caller packs them: number of nodes, marks, and a line for each.

use super::table::{strings, Reader};

/// Read the nodes of a page; return the texts that are main text, or nothing if they can't be told.
pub fn main_texts<'a>(reader: &mut Reader<'a>) -> Option<Option<Vec<(u32, &'a str)>>> {
    let count = reader.number()?;
    let marks = reader.bytes(count)?;
    let Ok(lines) = std::str::from_utf8(reader.part()?) else {
        return Some(None);
    };
    let Some(parts) = strings(lines.as_bytes(), count) else {
        return Some(None);
    };
    let mut at = 0;
    let mut texts = Vec::with_capacity(count);
    for (node, (part, &mark)) in (0..).zip(parts.iter().zip(marks)) {
        if mark == 0 && !part.is_empty() {
            texts.push((node, &lines[at..at + part.len()]));
        }
        at += part.len() + 1;
    }
    Some(Some(texts))
}

pub fn joined(texts: &[(u32, &str)]) -> String {
    let parts: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
    parts.join(" ")
}
