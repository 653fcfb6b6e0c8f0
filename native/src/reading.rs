//! One reading of a page: tree, hidden text, nodes, main text; the twin is `read/reading.py`.

use crate::attributes::Key;
use crate::boilerplate::mark_boilerplate;
use crate::build::Builder;
use crate::columns::Columns;
use crate::hiding::{hide, Hidden};
use crate::identity::Declared;
use crate::space::{first_characters, folded};
use crate::tables::{DIV, KIND_HEADING, TEMPLATE};
use crate::tokens::normalized;
use crate::tree::Tree;

const LONGEST: usize = 1_000;

/// What was read of a page.
pub struct Reading {
    nodes: Columns,
    marks: Vec<u8>,
    cut: bool,
    declared: Declared,
    hidden: Hidden,
    has_noscript: bool,
}

impl Reading {
    /// Read a page; without its styles if asked, or as a browser without scripts.
    pub fn of(html: &str, max_text: usize, styles: bool, scripts: bool) -> Self {
        let html = normalized(html);
        let mut tree = Tree::of(&html);
        show_late_parts(&mut tree);
        let declared = Declared::of(&tree);
        let hidden = hide(&mut tree, styles);
        let mut builder = Builder::new(scripts);
        builder.walk(&tree);
        let mut nodes = builder.columns;
        let cut = nodes.cut(max_text);
        let marks = mark_boilerplate(&nodes, &bounded(&declared.title));
        Reading {
            nodes,
            marks,
            cut,
            declared,
            hidden,
            has_noscript: builder.has_noscript,
        }
    }

    /// Return the main heading: the first of rank 1 in the main text, else the first of any rank.
    fn heading(&self) -> &str {
        let kinds = self.nodes.kinds.iter().enumerate();
        let headings = kinds.filter_map(|(node, kind)| (*kind == KIND_HEADING).then_some(node));
        let mut all = self.nodes.tops.iter().copied().chain(headings);
        let main = all.find(|node| self.marks[*node] == 0);
        main.map_or("", |node| self.nodes.at(node))
    }

    /// Return all of it as bytes: numbers, columns, then texts with their lengths.
    pub fn packed(&self) -> Vec<u8> {
        let nodes = &self.nodes;
        let declared = &self.declared;
        let mut bytes = Vec::with_capacity(nodes.text.len() + 8 * nodes.len() + 4_096);
        let flags = u32::from(self.cut)
            | u32::from(self.hidden.whole) << 1
            | u32::from(self.has_noscript) << 2;
        for number in [nodes.len() as u32, flags] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.hidden.characters as u64, self.hidden.work as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for parent in &nodes.parents {
            bytes.extend_from_slice(&parent.to_le_bytes());
        }
        bytes.extend_from_slice(&nodes.kinds);
        bytes.extend_from_slice(&self.marks);
        let fixed = [
            nodes.text.as_str(),
            self.heading(),
            &declared.title,
            &declared.language,
            &declared.canonical,
            &declared.base,
            &declared.og_url,
            &declared.og_title,
        ];
        for text in fixed
            .into_iter()
            .chain(declared.headlines.iter().map(String::as_str))
        {
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes
    }
}

/// Fold the white space of a name, and cut it.
fn bounded(text: &str) -> String {
    let folded = folded(first_characters(text, 4 * LONGEST));
    let short = first_characters(&folded, LONGEST).trim_end_matches(' ');
    short.to_owned()
}

/// React sends late parts in hidden elements, which a script puts where their placeholders are.
fn show_late_parts(tree: &mut Tree<'_>) {
    if !tree.has_any(TEMPLATE) {
        return;
    }
    let waits = tree.elements().any(|at| {
        tree.node(at).number == TEMPLATE
            && tree
                .get(at, Key::Id)
                .is_some_and(|name| name.starts_with("B:"))
    });
    if !waits {
        return;
    }
    let late: Vec<u32> = tree
        .elements()
        .filter(|at| {
            let is_late = |name: &str| {
                name.strip_prefix("S:").is_some_and(|rest| {
                    let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                    !rest.is_empty() && rest.bytes().all(hexadecimal)
                })
            };
            tree.node(*at).number == DIV
                && tree.has(*at, Key::Hidden)
                && tree.get(*at, Key::Id).is_some_and(|name| is_late(&name))
        })
        .collect();
    for at in late {
        tree.remove(at, Key::Hidden);
    }
}
