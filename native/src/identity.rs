//! What a page declares about itself.

use std::borrow::Cow;

use crate::attributes::Key;
use crate::described::descriptions;
use crate::space::{first_characters, folded};
use crate::tags::{BASE, BODY, HEAD, HTML, LINK, META, SCRIPT, TITLE};
use crate::tree::{Tree, NONE, PAGE};

const LONGEST: usize = 1_000;
const LONGEST_VALUE: usize = 4 * LONGEST;
const MOST_JSON: usize = 1 << 16;
const MOST_BLOCKS: usize = 10;

/// What a page declares: the first of each; names are bounded, URLs and JSON as they were found.
#[derive(Default)]
pub struct Declared {
    pub title: String,
    pub language: String,
    pub canonical: String,
    pub base: String,
    pub og_url: String,
    pub og_title: String,
    /// In JSON.
    pub headlines: Vec<String>,
    /// Of products, without markup.
    pub descriptions: Vec<String>,
}

#[derive(Default)]
struct Found {
    title: Option<String>,
    lang: Option<String>,
    xml_lang: Option<String>,
    meta_language: Option<String>,
    canonical: Option<String>,
    base: Option<String>,
    og_url: Option<String>,
    og_title: Option<String>,
}

impl Declared {
    pub fn of(tree: &Tree<'_>) -> Self {
        let mut found = Found::default();
        let mut open: Vec<u32> = Vec::new();
        let mut at = tree.first(PAGE);
        loop {
            if at == NONE {
                let Some(element) = open.pop() else { break };
                at = tree.node(element).next;
                continue;
            }
            let node = tree.node(at);
            if !node.is_text {
                found.look(tree, at);
                if matches!(node.number, HTML | HEAD | BODY) {
                    open.push(at);
                    at = tree.first(at);
                    continue;
                }
            }
            at = node.next;
        }
        let full = |text: Option<String>| text.filter(|text| !text.is_empty());
        let language = full(found.lang).or(full(found.xml_lang));
        let blocks = structured_data(tree);
        Declared {
            title: bounded(&found.title.unwrap_or_default()),
            language: bounded(&language.or(found.meta_language).unwrap_or_default()),
            canonical: found.canonical.unwrap_or_default(),
            base: found.base.unwrap_or_default(),
            og_url: found.og_url.unwrap_or_default(),
            og_title: bounded(&found.og_title.unwrap_or_default()),
            headlines: blocks.iter().filter_map(|json| headline(json)).collect(),
            descriptions: blocks.iter().flat_map(|json| descriptions(json)).collect(),
        }
    }
}

impl Found {
    fn look(&mut self, tree: &Tree<'_>, at: u32) {
        let get = |key: Key| tree.value(at, key);
        match tree.node(at).number {
            TITLE => set(&mut self.title, Some(content(tree, at).into())),
            LINK if get(Key::Rel).to_ascii_lowercase().contains("canonical") => {
                set(&mut self.canonical, tree.get(at, Key::Href));
            }
            BASE => set(&mut self.base, tree.get(at, Key::Href)),
            META => match get(Key::Property).as_ref() {
                "og:url" if tree.has(at, Key::Content) => {
                    set(&mut self.og_url, tree.get(at, Key::Content));
                }
                "og:title" if tree.has(at, Key::Content) => {
                    set(&mut self.og_title, tree.get(at, Key::Content));
                }
                _ if get(Key::HttpEquiv).eq_ignore_ascii_case("content-language") => {
                    set(&mut self.meta_language, tree.get(at, Key::Content));
                }
                _ => {}
            },
            HTML if get(Key::Lang).is_empty() => set(&mut self.xml_lang, Some(get(Key::XmlLang))),
            HTML => set(&mut self.lang, Some(get(Key::Lang))),
            _ => {}
        }
    }
}

fn set(slot: &mut Option<String>, value: Option<Cow<'_, str>>) {
    if let (None, Some(value)) = (&slot, value) {
        *slot = Some(first_characters(&value, LONGEST_VALUE + 1).to_owned());
    }
}

/// Fold the white space of a name, and cut it.
pub fn bounded(text: &str) -> String {
    let folded = folded(first_characters(text, LONGEST_VALUE));
    let short = first_characters(&folded, LONGEST).trim_end_matches(' ');
    short.to_owned()
}

/// Return the text directly inside an element.
fn content(tree: &Tree<'_>, at: u32) -> String {
    tree.children(at).map(|child| tree.text(child)).collect()
}

/// Return the blocks of JSON-LD.
fn structured_data(tree: &Tree<'_>) -> Vec<String> {
    if !tree.has_any(SCRIPT) {
        return Vec::new();
    }
    tree.elements()
        .filter(|at| tree.node(*at).number == SCRIPT)
        .filter(|at| {
            let kind = tree.value(*at, Key::Type);
            kind.to_ascii_lowercase().contains("ld+json")
        })
        .take(MOST_BLOCKS)
        .map(|at| first_characters(&content(tree, at), MOST_JSON).to_owned())
        .collect()
}

/// Return the first headline in a block, as it stands there.
fn headline(json: &str) -> Option<String> {
    values(json, "\"headline\"").next().map(str::to_owned)
}

/// Find the strings that a key has in a block, as they stand there.
pub fn values<'j>(json: &'j str, key: &'j str) -> impl Iterator<Item = &'j str> {
    json.match_indices(key).filter_map(move |(place, _)| {
        let rest = json[place + key.len()..].trim_start_matches(JSON_SPACE);
        string(rest.strip_prefix(':')?.trim_start_matches(JSON_SPACE))
    })
}

const JSON_SPACE: [char; 4] = ['\t', '\n', '\r', ' '];

/// Return the string in quotes with which a text begins.
fn string(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Some(&text[..=at]),
            b'\\' => at += 2, // if it is a longer character, what follows is no quote
            _ => at += 1,
        }
    }
    None
}
