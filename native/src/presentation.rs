//! The presentation of a page: all that is in it and can have a say in whether its text is seen.
//!
//! What hides text can't be listed: CSS has more ways than anybody knows. So the page itself is
//! compared, without that of which it is known that it hides nothing: where links and files are, what
//! places are called, and the texts of comments, scripts and the title. Two pages of one presentation that have the same
//! text show the same of it, whatever that is. A page that has only ordinary text markup is plain,
//! and shows all of its text.

use std::sync::OnceLock;

use crate::attributes::{mute, Key, Mute, Named};
use crate::data::File;
use crate::hash::Set;
use crate::hiding::text_of;
use crate::scan;
use crate::tags::{element, A, AREA, H1, H6, LINK, META, STYLE};
use crate::tokens::LeftOut;
use crate::tree::Tree;

/// Stands for what is left out, and before it at the end: no text has these bytes.
const HOLE: u8 = 0xFF;
const LEFT_OUT: u8 = 0xFE;

/// A page in two parts, from which it could be put together again.
pub struct Presentation {
    pub bytes: Vec<u8>,
    /// So many have a say in how its text looks.
    pub size: usize,
    /// It has only ordinary text markup.
    pub is_plain: bool,
}

/// Part what can have a say in how the text of a page looks from the rest.
pub fn presentation(tree: &Tree) -> Presentation {
    let html = tree.html().as_bytes();
    let mut holes = tree.left_out.clone();
    holes.sort_by_key(|part| part.from);
    let selected = Selected::of(tree);
    holes.retain(|part| {
        part.from < part.to && !selected.has(part, &tree.html()[part.from..part.to])
    });
    let mut bytes = Vec::with_capacity(html.len() + 2 * holes.len());
    let mut at = 0;
    for hole in &holes {
        bytes.extend_from_slice(&html[at..hole.from]);
        bytes.push(HOLE);
        at = hole.to;
    }
    bytes.extend_from_slice(&html[at..]);
    let size = bytes.len();
    for hole in &holes {
        bytes.push(LEFT_OUT);
        bytes.extend_from_slice(&html[hole.from..hole.to]);
    }
    Presentation { bytes, size, is_plain: is_plain(tree) }
}

/// Return true for the address of something that is not in the page itself.
pub fn is_elsewhere(address: &str) -> bool {
    let pieces = address.split([' ', ',', '\t', '\n', '\u{c}']);
    pieces.filter(|piece| !piece.is_empty()).all(|piece| {
        let head = piece.split(['/', '?', '#']).next().unwrap_or("");
        let is_scheme = ["http:", "https:"].iter().any(|one| head.eq_ignore_ascii_case(one));
        is_scheme || !head.bytes().any(|byte| byte < b' ' || matches!(byte, b':' | b'&' | b'\\'))
    })
}

/// By what that is otherwise mute the styles in a page may select.
#[derive(Default)]
struct Selected {
    /// They may name attributes, or what these have.
    attributes: bool,
    /// They may name any element by its id.
    all_ids: bool,
    /// What follows `#`, in lower case: ids, and colours.
    ids: Set<String>,
}

impl Selected {
    fn of(tree: &Tree) -> Self {
        let mut selected = Selected::default();
        for at in tree.elements() {
            match tree.node(at).number {
                STYLE => selected.read(&text_of(tree, at)),
                // a policy may switch styles off by their nonces
                META if tree
                    .value(at, Key::HttpEquiv)
                    .to_ascii_lowercase()
                    .contains("security") =>
                {
                    selected.attributes = true;
                }
                LINK => {
                    let is_sheet =
                        tree.value(at, Key::Rel).to_ascii_lowercase().contains("stylesheet");
                    if is_sheet && is_own_sheet(&tree.value(at, Key::Href)) {
                        selected.attributes = true;
                        selected.all_ids = true;
                    }
                }
                _ if tree.has(at, Key::Style) => selected.read(&tree.value(at, Key::Style)),
                _ => {}
            }
        }
        selected
    }

    fn has(&self, part: &LeftOut, value: &str) -> bool {
        match part.what {
            Mute::Text => false,
            Mute::Address | Mute::Name => self.attributes,
            Mute::Id => {
                let is_strange = |byte: u8| matches!(byte, b'&' | 0);
                self.attributes
                    || self.all_ids
                    || value.bytes().any(is_strange)
                    || !self.ids.is_empty() && self.ids.contains(value.to_lowercase().as_str())
            }
        }
    }

    fn read(&mut self, css: &str) {
        let bytes = css.as_bytes();
        let mut at = 0;
        loop {
            at = scan::find_any(bytes, *b"[\\(@#", at);
            let Some(byte) = bytes.get(at) else {
                return;
            };
            let rest = &css[at + 1..];
            match byte {
                b'#' => self.note_id(rest),
                b'[' => self.attributes |= selects_mute(rest),
                b'\\' => self.attributes |= is_letter_escaped(rest),
                b'(' => self.attributes |= scan::ends_with(&bytes[..at], b"attr"),
                _ if scan::begins_with(rest.as_bytes(), b"import") => {
                    self.attributes = true; // what it names may be in the address
                    self.all_ids = true;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn note_id(&mut self, rest: &str) {
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 128..);
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        self.all_ids |= rest[end..].starts_with('\\');
        self.ids.insert(rest[..end].to_lowercase());
    }
}

/// Return true for the address of a style sheet that is in the page: the page itself may be one.
fn is_own_sheet(address: &str) -> bool {
    address.trim_start().starts_with('#') || !is_elsewhere(address)
}

/// Return true if a selector by an attribute, from behind its bracket on, may name one that is mute.
fn selects_mute(rest: &str) -> bool {
    let rest = rest.trim_start();
    let is_letter = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
    let (name, rest) = rest.split_at(rest.find(|one| !is_letter(one)).unwrap_or(0));
    let is_strange = name.is_empty() || rest.starts_with('|') && !rest.starts_with("|=");
    let name = name.to_ascii_lowercase();
    is_strange || mute(&name, A).is_some() || name == "content"
}

/// Return true if an escape, the backslash left out, stands for a letter of ASCII: none needs one.
fn is_letter_escaped(rest: &str) -> bool {
    let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    let code = match digits {
        0 => rest.chars().next().map(u32::from),
        _ => u32::from_str_radix(&rest[..digits], 16).ok(),
    };
    code.and_then(char::from_u32).is_some_and(|one| one.is_ascii_alphabetic())
}

/// Return true if all of a page is ordinary text markup, which shows all of its text.
fn is_plain(tree: &Tree) -> bool {
    let mut in_heading: Vec<bool> = Vec::new();
    !tree.is_lossy
        && tree.elements().all(|at| {
            let node = tree.node(at);
            let is_inside = in_heading.get(node.parent as usize) == Some(&true);
            let is_heading = (H1..=H6).contains(&node.number);
            in_heading.resize(at as usize, false);
            in_heading.push(is_inside || is_heading);
            element(node.number).is_plain
                && !(is_inside && is_heading) // each may make letters smaller
                && tree.attributes(at).iter().all(|one| is_plain_attribute(node.number, one))
        })
}

fn is_plain_attribute(element: u16, one: &Named) -> bool {
    static SETS: OnceLock<[Set<&str>; 2]> = OnceLock::new();
    let [attributes, equivalents] = SETS.get_or_init(|| {
        let file = File::new(include_str!("../data/presentation.txt"));
        ["plain attributes", "plain equivalents"].map(|name| file.words(name).collect())
    });
    match one.key {
        Key::Style | Key::Hidden => false,
        Key::HttpEquiv => equivalents.contains(&*one.value().trim().to_ascii_lowercase()),
        Key::Href if matches!(element, A | AREA) => true,
        Key::Href if element == LINK => !is_own_sheet(one.raw()),
        _ if matches!(&*one.name, "href" | "src" | "srcset") => is_elsewhere(one.raw()),
        _ => attributes.contains(&*one.name) || one.name.starts_with("data-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(html: &str) -> (String, bool) {
        let tree = Tree::of(html);
        let found = presentation(&tree);
        let bytes: Vec<u8> = found.bytes[..found.size]
            .iter()
            .map(|byte| if *byte == HOLE { b'%' } else { *byte })
            .collect();
        assert_eq!(
            found.bytes.len(),
            html.len() + 2 * bytes.iter().filter(|one| **one == b'%').count()
        );
        (String::from_utf8(bytes).unwrap(), found.is_plain)
    }

    #[test]
    fn what_has_no_say_is_left_out() {
        for (html, expected) in [
            ("a<!-- b --><a href='/c' class=d>e</a>", "a<!--%<a href='%' class=d>e</a>"),
            (
                "<title>a</title><script src=b>c</script>",
                "<title>%</title><script src=%>%</script>",
            ),
            (
                "<meta property=a content=b><meta name=a content=b>",
                "<meta property=a content=%><meta name=a content=b>",
            ),
            ("<svg><a href=b></a></svg><a href=b>", "<svg><a href=b></a></svg><a href=%>"),
            ("<img src=data:a><img srcset='a 1x, b 2x'>", "<img src=data:a><img srcset='%'>"),
            ("<style>[href]{}</style><a href=b><!--c-->", "<style>[href]{}</style><a href=b><!--%"),
            ("<style>[hidden]{}</style><a href=b>", "<style>[hidden]{}</style><a href=%>"),
            ("<!-- never", "<!-- never"),
            ("<p id=a title=b name=c>", "<p id=% title=% name=c>"),
            ("<a name=b></a><style title=c></style>", "<a name=%></a><style title=c></style>"),
            (
                "<style>p#A,#b\\62{color:#fff}</style><p id=a>",
                "<style>p#A,#b\\62{color:#fff}</style><p id=a>",
            ),
            ("<style>#A{}</style><p id=a><p id=b>", "<style>#A{}</style><p id=a><p id=%>"),
            ("<p style='clip-path:url(#a)' id=a>", "<p style='clip-path:url(#a)' id=a>"),
            ("<style>[title]{}</style><p id=a>", "<style>[title]{}</style><p id=a>"),
            (
                "<style>i:after{content:'\\201c'}</style><p id=a>",
                "<style>i:after{content:'\\201c'}</style><p id=%>",
            ),
            ("<svg id=a></svg><p id='a&b'>", "<svg id=%></svg><p id='a&b'>"),
        ] {
            assert_eq!(presented(html).0, expected, "{html}");
        }
    }

    #[test]
    fn plain_pages() {
        for html in ["<p class=a>b<h1>c</h1><h2>d</h2>", "<meta http-equiv=Content-Type content=a>"]
        {
            assert!(presented(html).1, "{html}");
        }
        for html in [
            "<p style=a>",
            "<style></style>",
            "<h1><div><h2>",
            "<body><body class=a>",
            "<!-- a",
            "<a href='",
            "<meta http-equiv=refresh content=a>",
            "<link rel=stylesheet href=data:a>",
            "<x-y>",
        ] {
            assert!(!presented(html).1, "{html}");
        }
    }
}
