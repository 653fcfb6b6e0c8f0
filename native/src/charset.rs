//! Whether a page may declare another encoding than UTF-8.

/// Bytes in which declarations are looked for.
const HEAD: usize = 4_096;
const NAMES: [&[u8]; 2] = [b"charset", b"encoding"];
const UTF8: [&[u8]; 2] = [b"utf-8", b"utf8"];

/// Return false if a page surely declares no encoding, or UTF-8 only.
///
/// A declaration is a name, an equals sign and a value: a name that something else follows is none.
pub fn may_declare_other(page: &[u8]) -> bool {
    let head = &page[..page.len().min(HEAD)];
    (0..head.len()).any(|at| {
        let found = NAMES.iter().find_map(|name| after(&head[at..], name));
        let value = found.and_then(|rest| without(rest, is_space).strip_prefix(b"="));
        value.is_some_and(|rest| {
            let value = without(rest, |byte| is_space(byte) || matches!(byte, b'"' | b'\''));
            UTF8.iter().all(|name| after(value, name).is_none())
        })
    })
}

/// Return bytes without those with which they begin.
fn without(bytes: &[u8], skipped: impl Fn(u8) -> bool) -> &[u8] {
    let first = bytes.iter().position(|byte| !skipped(*byte));
    &bytes[first.unwrap_or(bytes.len())..]
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ')
}

/// Return what follows a name with which some bytes begin, in whatever case.
fn after<'a>(bytes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let first = *bytes.first()?;
    if first | 0x20 != name[0] || bytes.len() < name.len() {
        return None;
    }
    let (begin, rest) = bytes.split_at(name.len());
    begin.eq_ignore_ascii_case(name).then_some(rest)
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
