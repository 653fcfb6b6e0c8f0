"""All ways to an outline agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from dedup_middleware.page import Page
from dedup_middleware.read import read
from dedup_middleware.read.build import build
from dedup_middleware.read.hidden import hide
from dedup_middleware.read.identity import Declared, declared
from dedup_middleware.read.lenient import lenient_tree
from dedup_middleware.read.marks import BLOCKS, SKIPPED, SPACED, VOID
from dedup_middleware.read.walkers import transform, walk

URL = "https://example.org/"
PAGE = """<!doctype html><html lang=en><head><title>T</title><link rel=canonical href=/c></head>
<body class=has-nav><nav><ul><li><a href=/>Home</a></li><li class=menu>News</li></ul></nav>
<main><h1>Title</h1><p>Some <b>bold</b> text<br>here.<p>More <span style="display:none">no</span>
<table class=data><caption>C</caption><tr style="color:red"><th>a</th><td>b</td></tr></table>
<div role=heading aria-level=3>Part</div><pre>  code </pre><a name=x>anchor</a> tail</main>
<form><label>Name</label><button>Go</button></form><footer id=foot>end</footer></body></html>"""

NAMES = st.sampled_from(
    sorted(BLOCKS | SKIPPED | SPACED | VOID | {"a", "b", "span", "my-tag", "tr"})
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["class", "id", "role", "style", "hidden", "href", "open", "aria-level", "x"]),
    st.sampled_from(
        ["", "menu", "main-nav", "display:none", "visibility: HIDDEN", "heading", "navigation", "3"]
    ),
    max_size=3,
)
WORDS = st.none() | st.text(st.sampled_from("ab .\n\u00a0\u4e2d\u00e4"), max_size=6)


def make(shape):
    name, attributes, text, tail, children = shape
    element = etree.Element(name, attributes)
    element.text, element.tail = text, tail
    element.extend([make(child) for child in children])
    return element


TREES = st.recursive(
    st.tuples(NAMES, ATTRIBUTES, WORDS, WORDS, st.just([])),
    lambda trees: st.tuples(NAMES, ATTRIBUTES, WORDS, WORDS, st.lists(trees, max_size=4)),
    max_leaves=20,
).map(make)


NOTHING = Declared()


def outline(stream, found=NOTHING):
    return build(stream, found, URL, 10**6)


@given(TREES)
def test_xslt_and_walk_agree(tree):
    root = etree.Element("html")
    root.append(tree)
    root.append(etree.Comment("x"))
    root[-1].tail = "after"
    assert outline(transform(root)) == outline(walk(root)[0])


def test_both_readers_agree_on_a_valid_page():
    tree, lenient = etree.fromstring(PAGE, etree.HTMLParser()), lenient_tree(PAGE)
    both = [outline(transform(root), declared(root, PAGE.encode())) for root in (tree, lenient)]
    assert both[0] == both[1]
    hide(tree, PAGE.encode())
    shown = outline(transform(tree), declared(tree, PAGE.encode()))
    assert shown == read(Page(url=URL, html=PAGE))


def test_bytes_and_text_give_the_same():
    found = read(Page(url=URL, html=PAGE.encode()))
    assert read(Page(url=URL, html=PAGE)) == found
    assert found.canonical == "https://example.org/c"


def test_namespaces():
    html = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>T</title></head>'
        "<body><h1>A</h1><p>b</p><script>no</script></body></html>"
    )
    found = read(Page(url=URL, html=html))
    assert (found.title, found.language, found.texts) == ("T", "en", ("A", "b"))
