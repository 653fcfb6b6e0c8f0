"""What becomes of each element."""

from __future__ import annotations

import pytest

from dedup_middleware.page import Page
from dedup_middleware.read import read

URL = "https://example.org/dir/page"


def outline(html, **page):
    return read(Page(url=URL, html=html, **page))


def nodes(html):
    return [(node.kind, node.parent, node.text) for node in outline(html).nodes]


def texts(html):
    return [text for text in outline(html).texts if text]


def test_headings_open_sections():
    html = "<h1>A</h1><p>a<h2>B</h2><p>b<h3>C</h3><p>c<h2>D</h2><p>d"
    assert nodes(html) == [
        ("heading", -1, "A"),
        ("text", 0, "a"),
        ("heading", 0, "B"),
        ("text", 2, "b"),
        ("heading", 2, "C"),
        ("text", 4, "c"),
        ("heading", 0, "D"),
        ("text", 6, "d"),
    ]


def test_heading_in_a_div_reaches_beyond_it():
    assert nodes("<div class=titlepage><h2>T</h2></div><p>x") == [
        ("heading", -1, "T"),
        ("text", 0, "x"),
    ]


@pytest.mark.parametrize("tag", ["article", "section", "aside", "nav", "main", "footer"])
def test_section_ends_with_its_sectioning_element(tag):
    html = f"<h1>A</h1><{tag}><h2>B</h2><p>b</p></{tag}><p>a</p>"
    assert [node.parent for node in outline(html).nodes] == [-1, 0, 1, 0]


def test_heading_in_a_cell_stays_there():
    html = "<table><tr><td><h3>B</h3>b<td>c</table>"
    assert [(node.parent, node.text) for node in outline(html).nodes] == [
        (-1, ""),
        (0, ""),
        (1, "B"),
        (2, "b"),
        (1, "c"),
    ]


def test_role_heading():
    html = "<div role=heading aria-level=1>A</div><div role=heading>B</div><p>b"
    assert nodes(html) == [("heading", -1, "A"), ("heading", 0, "B"), ("text", 1, "b")]


def test_text_around_a_nested_block_is_split_in_reading_order():
    assert texts("<div>before<p>inside</p>after</div>") == ["before", "inside", "after"]


def test_inline_elements_merge_and_do_not_separate_words():
    html = "<p><b>H</b>ello <a href=/>wor</a><i>ld</i><code>()</code> <my-tag>x</my-tag>"
    assert texts(html) == ["Hello world() x"]


def test_br_and_images_separate_words():
    assert texts("<p>a<br>b<img alt=picture>c<wbr>d") == ["a b cd"]


def test_list_with_nested_list():
    assert nodes("<ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>") == [
        ("list", -1, ""),
        ("item", 0, "a"),
        ("list", 1, ""),
        ("item", 2, "b"),
        ("item", 0, "c"),
        ("item", 0, "d"),
    ]


def test_table_in_row_then_column_order():
    html = "<table><caption>t</caption><thead><tr><th>A<th>B<tbody><tr><td>1<td>2</table>"
    assert nodes(html) == [
        ("table", -1, ""),
        ("caption", 0, "t"),
        ("row", 0, ""),
        ("head", 2, "A"),
        ("head", 2, "B"),
        ("row", 0, ""),
        ("cell", 5, "1"),
        ("cell", 5, "2"),
    ]


def test_header_cells_by_role_and_rows_without_text():
    html = "<table><tr><td><td> <tr><td role=rowheader>A<td>1<tr></tr><td>2</table>"
    assert nodes(html) == [
        ("table", -1, ""),
        ("row", 0, ""),
        ("head", 1, "A"),
        ("cell", 1, "1"),
        ("row", 0, ""),
        ("cell", 4, "2"),
    ]


def test_nested_tables_and_lists_in_cells():
    html = "<table><tr><td><ul><li>a</ul><td><table><tr><td>b</table>c</table><td>d"
    assert nodes(html) == [
        ("table", -1, ""),
        ("row", 0, ""),
        ("list", 1, ""),
        ("item", 2, "a"),
        ("table", 1, ""),
        ("row", 4, ""),
        ("cell", 5, "b"),
        ("cell", 1, "c"),
        ("cell", -1, "d"),
    ]
    assert outline(html).grid == bytes((0, 0, 1, 0, 2, 0, 1, 2, 0))


def test_cells_stand_at_their_columns_whatever_reaches_over_them():
    found = outline(
        "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d"
        "<tr><td colspan=x>e<td rowspan=0>f<td><table><tr><td>inner</table></table>"
    )
    columns = {text: column for text, column in zip(found.texts, found.grid, strict=True) if text}
    assert columns == {"a": 1, "b": 2, "c": 2, "d": 3, "e": 1, "f": 2, "inner": 1}


def test_definition_list():
    assert nodes("<dl><dt>a<dd>b<dd>c</dl>") == [
        ("list", -1, ""),
        ("term", 0, "a"),
        ("definition", 1, "b"),
        ("definition", 1, "c"),
    ]


def test_definitions_are_under_the_last_term_before_them():
    html = "<dl><dd>0<dt>a<dt>b<dd>1<ul><li>2</ul><dl><dt>c<dd>3</dl><dd>4<dt><dd>5</dl>"
    assert [(node.parent, node.text) for node in outline(html).nodes if node.text] == [
        (0, "0"),
        (0, "a"),
        (0, "b"),
        (3, "1"),
        (5, "2"),
        (7, "c"),
        (8, "3"),
        (3, "4"),
        (0, "5"),
    ]


@pytest.mark.parametrize(
    "label",
    [
        "<p><b>Why tea</b></p>",
        "<p><b>Why</b> <strong>tea</strong>:</p>",
        "<div><div><u>Why tea</u></div></div>",
        "<p>Why is it tea?</p>",
        "<p>为什么是茶？</p>",
        "<dfn>Why tea</dfn>",
        "<p><b>The reason why.</b></p>",
    ],
)
def test_labels_are_parents_of_what_follows(label):
    html = f"<h2>Tea</h2>{label}<p>a<ul><li>b</ul><p><b>Next</b><p>c<h3>End</h3><p>d"
    assert [(node.kind, node.parent) for node in outline(html).nodes] == [
        ("heading", -1),
        ("label", 0),
        ("text", 1),
        ("list", 1),
        ("item", 3),
        ("label", 0),
        ("text", 5),
        ("heading", 0),
        ("text", 7),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<p>a<p><b>last</b>",
        "<p><b>one</b><p><b>last</b>",
        "<div>a<p><b>last</b></div><p>b",
        "<section><p><b>last</b></section><p>b",
        "<p><b>last</b><ul></ul>",
        "<p><b>last</b><h2>b</h2>",
        "<p><b>some</b> of it<p>b",
        "<p><b>* * *</b><p>b",
        f"<p><b>{'long ' * 17}</b><p>b",
        "<p><b>This is a whole sentence.</b><p>b",
        "<p><b>这是一个关于茶的完整句子。</b><p>b",
        "<ul><li><p><b>item</b><p>b</ul>",
        "<ul><b>in a list</b><li>b</ul>",
        "<table><tr><td><p><b>cell</b><p>b</table>",
        "<blockquote><p>Why?<p>b</blockquote>",
    ],
)
def test_no_labels(html):
    assert "label" not in [node.kind for node in outline(html).nodes]


def test_a_label_ends_with_what_it_stands_in():
    html = "<div><p>Why?<p>a</div><p>b"
    assert [node.parent for node in outline(html).nodes] == [-1, 0, -1]


def test_share_of_links():
    html = "<nav>x</nav><p>no<p><a href=/>all of it</a><p>half<a href=/>half</a><ul><li><a>no</a>"
    assert outline(html).links == bytes((0, 0, 255, 128, 0, 0))
    assert read(Page(url=URL, text="a\n\nb")).links == bytes(2)


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<pre>x</pre>", "code"),
        ("<address>x</address>", "address"),
        ("<blockquote><p>x</p></blockquote>", "quote"),
        ("<figure><figcaption>x</figcaption></figure>", "caption"),
        ("<button>x</button>", "control"),
        ("<section>x</section>", "text"),
        ("x", "text"),
    ],
)
def test_kinds(html, kind):
    assert nodes(html) == [(kind, -1, "x")]


def test_empty_blocks_and_containers_are_not_kept():
    assert nodes("<p> </p><ul><li> </li></ul><table><tr><td>&nbsp;</table><h1></h1><p>x") == [
        ("text", -1, "x")
    ]


def test_white_space_is_folded():
    assert texts("<p>\n a\t b\u00a0&nbsp;c\u2003d\u3000 \r\n e ") == ["a b c d e"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>no</script>",
        "<style>no</style>",
        "<template><p>no</template>",
        "<noscript>no</noscript>",
        "<!-- no -->",
        "<?php no ?>",
        "<svg><title>no</title><text>no</text></svg>",
        "<iframe>no</iframe>",
        "<textarea>no</textarea>",
        "<input value=no>",
        "<input type=hidden value=no>",
        "<img alt=no>",
        "<div hidden>no<p>no</p></div>",
        "<span hidden>no</span>",
        "<li hidden>no</li>",
        "<p style='display:none'>no</p>",
        "<span style='color: red; Display : None'>no<p>no</p></span>",
        "<div style='visibility: hidden'><ul><li>no</ul></div>",
        "<a href=/ style='display:none'>no</a>",
        "<dialog>no</dialog>",
        "<math><semantics><annotation>no</annotation></semantics></math>",
    ],
)
def test_left_out(hidden):
    assert "".join(texts(f"<p>a</p>{hidden}<p>b</p>")) == "ab"


def test_hidden_inline_text_leaves_no_gap():
    assert texts("<p>foo<span style='display: none'>no</span>bar") == ["foobar"]


@pytest.mark.parametrize(
    "shown",
    [
        "<p><b aria-hidden=true>yes</b></p>",
        "<dialog open>yes</dialog>",
        "<math><mi>yes</mi></math>",
        "<p style='color: red'>yes</p>",
        "<span style='color: red'>yes</span>",
    ],
)
def test_kept(shown):
    assert texts(shown) == ["yes"]


def test_noscript_is_better_than_nothing():
    assert texts("<noscript>Please enable JavaScript</noscript>") == ["Please enable JavaScript"]


def test_what_follows_the_end_of_html_is_read():
    assert texts("<html><body><p>a</p></body></html><p>b</p>") == ["a", "b"]


def test_plain_text():
    found = read(Page(url=URL, text="one\ntwo\n\n \nthree\r\n\r\nfour"))
    assert [(node.kind, node.parent, node.text) for node in found.nodes] == [
        ("text", -1, "one two"),
        ("text", -1, "three"),
        ("text", -1, "four"),
    ]
    assert not any(found.boilerplate)


def test_text_and_main():
    found = outline("<nav>menu</nav><p>" + "prose " * 30)
    assert found.text == "menu " + ("prose " * 30).strip()
    assert found.main == ("prose " * 30).strip()
