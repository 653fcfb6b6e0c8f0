//! One look at all elements of a page: those whose attributes or names have a say in what is seen.
//! A page without styles costs no more than this.

use crate::attributes::Key;
use crate::tags::{number, KNOWN};
use crate::tree::Tree;

/// Styles, and the colours of old.
const STYLED: u32 = Key::Style.bit() | Key::Bgcolor.bit() | Key::Color.bit() | Key::Text.bit();
const HIDING: u32 = Key::Hidden.bit() | Key::AriaHidden.bit() | Key::Popover.bit();
/// Elements that have a say by their name.
const WATCHED: [&str; 5] = ["style", "link", "dialog", "html", "body"];

/// What a page has of that which can hide text, in the order of the page.
#[derive(Default)]
pub struct Survey {
    /// Elements with styles or colours of their own.
    pub styled: Vec<u32>,
    /// Elements with attributes that hide.
    pub hiding: Vec<u32>,
    pub closed: Vec<u32>,
    pub sheets: Vec<u32>,
    /// Links to other style sheets.
    pub has_links: bool,
    /// Whether the page has no tag for html or body, so that it stands for them itself.
    pub lacks_html: bool,
    pub lacks_body: bool,
}

impl Survey {
    pub fn new(tree: &Tree) -> Self {
        let mut survey = Survey { lacks_html: true, lacks_body: true, ..Survey::default() };
        let mut is_watched = [false; KNOWN + 1];
        for name in WATCHED {
            is_watched[usize::from(number(name))] = true;
        }
        for at in tree.elements() {
            let node = tree.node(at);
            if node.keys & (STYLED | HIDING) != 0 || is_watched[usize::from(node.number)] {
                survey.add(tree, at);
            }
        }
        survey
    }

    fn add(&mut self, tree: &Tree, at: u32) {
        let keys = tree.node(at).keys;
        if keys & STYLED != 0 {
            self.styled.push(at);
        }
        if keys & HIDING != 0 {
            self.hiding.push(at);
        }
        match tree.name(at) {
            "style" => self.sheets.push(at),
            "link" => {
                let kind = tree.value(at, Key::Rel);
                self.has_links |= kind.to_ascii_lowercase().contains("stylesheet");
            }
            "dialog" if !tree.has(at, Key::Open) => self.closed.push(at),
            "html" => self.lacks_html = false,
            "body" => self.lacks_body = false,
            _ => {}
        }
    }
}
