//! One reading of a page: tree, hidden text, nodes, main text; the twin is `read/reading.py`.

use crate::attributes::Key;
use crate::boilerplate::mark_boilerplate;
use crate::build::Builder;
use crate::columns::{Columns, KIND_HEADING};
use crate::hiding::{hide, Hidden};
use crate::identity::{bounded, Declared};
use crate::tags::{DIV, TEMPLATE};
use crate::tokens::normalized;
use crate::tree::Tree;

/// What was read of a page.
pub struct Reading {
    pub nodes: Columns,
    /// What is not main text, and why.
    pub marks: Vec<u8>,
    /// Whether there is more text.
    pub cut: bool,
    pub declared: Declared,
    pub hidden: Hidden,
    /// Whether it has text for browsers without scripts.
    pub has_noscript: bool,
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
        let marks = mark_boilerplate(&nodes, &declared.title);
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
    pub fn heading(&self) -> String {
        let kinds = self.nodes.kinds.iter().enumerate();
        let headings = kinds.filter_map(|(node, kind)| (*kind == KIND_HEADING).then_some(node));
        let mut all = self.nodes.tops.iter().copied().chain(headings);
        let main = all.find(|node| self.marks[*node] == 0);
        main.map_or_else(String::new, |node| bounded(self.nodes.at(node)))
    }

    /// Return the first heading of the main text, of any rank.
    pub fn first_heading(&self) -> &str {
        let mut kinds = self.nodes.kinds.iter().zip(&self.marks);
        let first = kinds.position(|(kind, mark)| *kind == KIND_HEADING && *mark == 0);
        first.map_or("", |node| self.nodes.at(node))
    }

    /// Return the texts of the nodes with these marks, with spaces between them.
    pub fn joined(&self, wanted: impl Fn(u8) -> bool) -> String {
        let mut joined = String::with_capacity(self.nodes.text.len());
        for (node, mark) in self.marks.iter().enumerate() {
            let text = self.nodes.at(node);
            if wanted(*mark) && !text.is_empty() {
                if !joined.is_empty() {
                    joined.push(' ');
                }
                joined.push_str(text);
            }
        }
        joined
    }
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
