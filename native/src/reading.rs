//! One reading of a page: tree, hidden text, nodes, main text.

use crate::attributes::Key;
use crate::boilerplate::mark_boilerplate;
use crate::build::Builder;
use crate::columns::{Columns, KIND_HEADING};
use crate::hiding::{hide, Hidden};
use crate::identity::{bounded, Declared};
use crate::presentation::{presentation, Presentation};
use crate::tags::{DIV, SCRIPT, TEMPLATE};
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
    /// Nobody can be sure that visitors see all of it.
    pub uncertain: bool,
    pub presentation: Presentation,
    /// The beginning of what is hidden: texts, and the nodes before which they stand.
    pub hidden_texts: Vec<(usize, String)>,
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
        let presentation = presentation(&tree);
        let hidden = hide(&mut tree, styles);
        let mut builder = Builder::new(scripts);
        builder.walk(&tree);
        let mut nodes = builder.columns;
        let cut = nodes.cut(max_text);
        nodes.settle_labels();
        let marks = mark_boilerplate(&nodes, &declared);
        let (hidden_texts, has_noscript) = (builder.hidden, builder.has_noscript);
        // a page that scripts make up shows this in another way, and may do so with any text
        let is_alone = has_noscript && !tree.has_any(SCRIPT);
        let uncertain = hidden.uncertain || !scripts && is_alone;
        Reading {
            nodes,
            marks,
            cut,
            declared,
            hidden,
            uncertain,
            presentation,
            hidden_texts,
            has_noscript,
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
            && tree.get(at, Key::Id).is_some_and(|name| name.starts_with("B:"))
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

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "This is a paragraph of the article, long enough to count as main text. \
        It goes on with a second sentence, and with a third one, which is the last of them.";

    fn main_text(html: &str) -> String {
        Reading::of(html, 1 << 20, true, true).joined(|mark| mark == 0)
    }

    /// Return what is shown of a page, the prose left out.
    fn shown(html: &str) -> String {
        let html = format!("<p>{PROSE}</p>{html}");
        let found = Reading::of(&html, 1 << 20, true, true).joined(|_| true);
        found.replace(PROSE, "").trim().to_owned()
    }

    #[test]
    fn hidden_text_is_not_shown() {
        for style in [
            "display:none",
            "DISPLAY : NONE",
            "display: none !important; display: block",
            "display: none; display: bloc",
            "d\\69splay: n\\6f ne",
            "visibility: hidden",
            "opacity: 0",
            "font-size: 1px",
            "height: 0; overflow: hidden",
            "position: absolute; left: calc(-1 * 9999px)",
            "text-indent: -9999px",
            "clip-path: inset(50%)",
        ] {
            assert_eq!(shown(&format!("<div style='{style}'>x</div>")), "", "{style}");
            let sheet = format!("<style>.a{{{style}}}</style><div class=a>x</div>");
            assert_eq!(shown(&sheet), "", "{style} in a sheet");
        }
        for style in ["display:block", "opacity:.9", "left:-9999px", "height:0", "--a:none"] {
            assert_eq!(shown(&format!("<div style='{style}'>x</div>")), "x", "{style}");
        }
    }

    #[test]
    fn the_strongest_declaration_counts() {
        for (sheet, expected) in [
            (".a{display:none} .a{display:block}", "x"),
            (".a{display:block} .a{display:none}", ""),
            ("#i{display:block} .a{display:none}", "x"),
            ("#i{display:block} .a{display:none!important}", ""),
            ("@media print{.a{display:none}}", "x"),
            ("@media screen{.a{display:none}}", ""),
            ("p > .a, section .a{display:none}", "x"),
            ("div:not(.b){display:none}", ""),
            ("div:nth-child(2n+1){display:none}", ""),
            ("[class^=a]{display:none}", ""),
            (":root{--d:none} .a{display:var(--d)}", ""),
            (".b{&.a{display:none}}", "x"),
            ("body{.a{display:none}}", ""),
            ("/* .a{display:none} */", "x"),
        ] {
            let html = format!("<style>{sheet}</style><div class=a id=i>x</div>");
            assert_eq!(shown(&html), expected, "{sheet}");
        }
    }

    #[test]
    fn what_is_shown_again_inside_of_what_is_hidden() {
        let html = "<div style='visibility:hidden'>x<b style='visibility:visible'>y</b></div>";
        assert_eq!(shown(html), "y");
        assert_eq!(
            shown("<div hidden>x</div><details>y<summary>z</summary></details><dialog>a"),
            "y z"
        );
    }

    #[test]
    fn styles_can_be_left_out() {
        let html = format!("<style>.a{{display:none}}</style><p>{PROSE}<p class=a>x<p hidden>y");
        let found = Reading::of(&html, 1 << 20, false, true);
        assert_eq!(found.joined(|_| true), format!("{PROSE} x"));
        assert_eq!(found.hidden.work, 0);
        assert!(Reading::of(&html, 1 << 20, true, true).hidden.work > 0);
    }

    #[test]
    fn boilerplate_is_no_main_text() {
        for element in [
            "<nav>x</nav>",
            "<footer>x</footer>",
            "<div role=navigation>x</div>",
            "<div class=main-nav>x</div>",
            "<div id=sidebar>x</div>",
            "<ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul>",
        ] {
            assert_eq!(main_text(&format!("{element}<p>{PROSE}")), PROSE, "{element}");
        }
        let html = format!("<div class=entry-header>x</div><p>{PROSE}");
        assert_eq!(main_text(&html), format!("x {PROSE}"));
    }

    #[test]
    fn nodes_of_a_page() {
        let html = "<h1>Tea</h1><p>Boil <b>w</b>ater.<ul><li>one<li>two</ul><h2>Milk</h2>some";
        let found = Reading::of(html, 1 << 20, true, true);
        let texts: Vec<&str> = (0..found.nodes.len()).map(|at| found.nodes.at(at)).collect();
        assert_eq!(texts, ["Tea", "Boil water.", "", "one", "two", "Milk", "some"]);
        assert_eq!(found.nodes.parents, [-1, 0, 0, 2, 2, 0, 5]);
        assert_eq!(found.heading(), "Tea");
        assert!(!found.cut);
        let short = Reading::of(html, 7, true, true);
        assert!(short.cut);
        assert!(short.joined(|_| true).len() <= 8);
    }

    #[test]
    fn what_blocks_belong_to() {
        for (html, kinds, parents) in [
            ("<table><tr><th>a<td>b<tr><td>c", vec![12, 13, 14, 3, 13, 3], vec![-1, 0, 1, 1, 0, 4]),
            ("<dl><dt>a<dd>b<ul><li>c</ul></dl>", vec![11, 4, 5, 11, 2], vec![-1, 0, 1, 1, 3]),
            ("<p><b>a</b><p>b<p>c?<p>d", vec![15, 1, 15, 1], vec![-1, 0, -1, 2]),
            ("<div>x<p><b>a</b></div><p>b", vec![1, 1, 1], vec![-1, -1, -1]),
        ] {
            let nodes = Reading::of(html, 1 << 20, true, true).nodes;
            assert_eq!((nodes.kinds, nodes.parents), (kinds, parents), "{html}");
        }
        let nodes = Reading::of("<p><b>a</b><p>b", 1, true, true).nodes;
        assert_eq!(nodes.kinds, [1]); // what the label was of has been cut
        let nodes = Reading::of("<p>ab<a href=/>c</a>", 1 << 20, true, true).nodes;
        assert_eq!(nodes.link_shares(), [85]);
    }

    #[test]
    fn what_a_page_declares() {
        let html = "<html lang=de><title> A  b </title><link rel=canonical href=/c>\
            <meta property=og:title content=O><base href=/x/>\
            <script type=application/ld+json>{\"headline\": \"H\"}</script>";
        let found = Reading::of(html, 1 << 20, true, true).declared;
        assert_eq!((found.title.as_str(), found.language.as_str()), ("A b", "de"));
        assert_eq!((found.canonical.as_str(), found.base.as_str()), ("/c", "/x/"));
        assert_eq!(found.og_title, "O");
        assert_eq!(found.headlines, ["\"H\""]);
    }

    #[test]
    fn text_for_browsers_without_scripts() {
        let html = "<p>a<noscript>b</noscript>";
        assert_eq!(Reading::of(html, 1 << 20, true, true).joined(|_| true), "a");
        let found = Reading::of(html, 1 << 20, true, false);
        assert_eq!(found.joined(|_| true), "a b");
        assert!(found.has_noscript);
    }

    #[test]
    fn late_parts_are_shown_where_a_placeholder_waits() {
        let late = "<div id='S:0' hidden>late</div>";
        assert_eq!(shown(late), "");
        assert_eq!(shown(&format!("<template id='B:0'></template>{late}")), "late");
    }
}
