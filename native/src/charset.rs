//! Whether a page may declare another encoding than UTF-8.

use crate::scan::{self, begins_with, ends_with};

/// Bytes in which declarations are looked for.
const HEAD: usize = 4_096;
const NAMES: [&[u8]; 2] = [b"charset", b"encoding"];
const UTF8: [&[u8]; 2] = [b"utf-8", b"utf8"];

/// Return false if a page surely declares no encoding, or UTF-8 only.
///
/// A declaration is a name, an equals sign and a value: a name that something else follows is none.
pub fn may_declare_other(page: &[u8]) -> bool {
    let head = &page[..page.len().min(HEAD)];
    let mut at = 0;
    while let Some(equals) = scan::find(head, b'=', at) {
        at = equals + 1;
        let before = head[..equals].iter().rposition(|byte| !is_space(*byte));
        let before = &head[..before.map_or(0, |last| last + 1)];
        if NAMES.iter().any(|name| ends_with(before, name)) {
            let is_skipped = |byte: u8| is_space(byte) || matches!(byte, b'"' | b'\'');
            let value = without(&head[at..], is_skipped);
            if !UTF8.iter().any(|name| begins_with(value, name)) {
                return true;
            }
        }
    }
    false
}

/// Return bytes without those with which they begin.
fn without(bytes: &[u8], skipped: impl Fn(u8) -> bool) -> &[u8] {
    let first = bytes.iter().position(|byte| !skipped(*byte));
    &bytes[first.unwrap_or(bytes.len())..]
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_utf8_and_other_words_are_none() {
        for page in [
            "<meta charset=\"UTF-8\"><p>charsets, an encoding",
            "<meta charset = ' utf-8'><p>encoding &= x",
            "<?xml version='1.0' encoding='utf8'?><meta content='text/html; charset=utf-8'>",
            "",
        ] {
            assert!(!may_declare_other(page.as_bytes()), "{page}");
        }
        let far = format!("{}<meta charset=gbk>", " ".repeat(HEAD));
        assert!(!may_declare_other(far.as_bytes()));
    }

    #[test]
    fn what_may_be_another_encoding() {
        for page in [
            "<meta charset=utf-8><meta CharSet='gbk'>",
            "<meta charset\n=\t'gbk'>",
            "<?xml encoding=\"euc-jp\"?>",
            "<meta charset=ut",
        ] {
            assert!(may_declare_other(page.as_bytes()), "{page}");
        }
    }
}
