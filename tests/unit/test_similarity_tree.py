"""Hierarchies matched node by node, on pages that were really read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Page, PageComparison, compare
from dedup_middleware.read import Outline, read
from dedup_middleware.similarity.prepared import Prepared
from tests.support.texts import article, html

# no two share a word that counts, and each has four of them
TIDE = "The tide lifted seven boats."
BREAD = "Bread crossed frozen harbours."
LAMP = "Her lamp burned past midnight."
KETTLE = "Copper kettles like vinegar."
GULL = "Hungry gulls follow trawlers."
CLOCK = "Church clocks strike hours."
ROAD = "Muddy roads delay postmen."
HAT = "Children lost straw hats."
ALL = (TIDE, BREAD, LAMP, KETTLE, GULL, CLOCK, ROAD, HAT)


def outline(body: str) -> Outline:
    return read(Page(url="https://a.example/", html=f"<html lang=en><body>{body}</body></html>"))


def compared(first: str, second: str) -> PageComparison:
    pages = (
        Page(url=url, html=f"<html lang=en><body>{body}</body></html>")
        for url, body in (("https://a.example/", first), ("https://b.example/", second))
    )
    return compare(*pages)


def p(*sentences: str) -> str:
    return f"<p>{' '.join(sentences)}</p>"


def test_the_sentences_of_this_file_have_four_words_of_their_own():
    sentences = Prepared(outline(p(*ALL))).sentences
    assert [sentence.text for sentence in sentences] == list(ALL)
    assert [len(sentence.words) for sentence in sentences] == [4] * len(ALL)
    assert len({word for sentence in sentences for word in sentence.words}) == 4 * len(ALL)


def test_all_in_order_counts():
    found = compared(p(TIDE, BREAD) + p(LAMP) + p(HAT), p(TIDE, BREAD) + p(LAMP) + p(KETTLE))
    assert found.tree == (3 / 4, 3 / 4)
    assert found.rs == (3 / 4, 3 / 4)


def test_of_moved_sections_only_the_longer_chain_counts():
    def section(name: str, *texts: str) -> str:
        return f"<section><h2>{name}</h2>{p(*texts)}</section>"

    long = section("Harbour almanac", TIDE, BREAD, LAMP)
    short = section("Kitchen advice", KETTLE, GULL)
    found = compared(long + short, short + long)
    words = 2 + 3 * 4, 2 + 2 * 4  # of either section with its heading
    assert found.rs == (1, 1)
    assert found.tree == pytest.approx((words[0] / sum(words),) * 2)


def test_both_halves_of_a_paragraph_that_was_split_count():
    for one, other in (
        (p(TIDE, BREAD, LAMP, KETTLE), p(TIDE, BREAD) + p(LAMP, KETTLE)),
        (p(TIDE, BREAD) + p(LAMP, KETTLE), p(TIDE, BREAD, LAMP, KETTLE)),
    ):
        found = compared(one, other)
        assert found.tree == (1, 1)


def test_sentences_may_change_places_within_a_node():
    """Nodes keep their order; sentences inside a node may be in any."""
    assert compared(p(TIDE, BREAD), p(BREAD, TIDE)).tree == (1, 1)
    assert compared(p(TIDE) + p(BREAD), p(BREAD) + p(TIDE)).tree == (1 / 2, 1 / 2)


def test_cells_and_items_are_nodes_of_their_own():
    row = "<tr>" + "".join(f"<td>{text}</td>" for text in (TIDE, BREAD, LAMP)) + "</tr>"
    items = "<ul>" + "".join(f"<li>{text}</li>" for text in (TIDE, BREAD, LAMP)) + "</ul>"
    found = compared(f"<table>{row}</table>", items)
    assert found.tree == found.rs == (1, 1)
    moved = items.replace(f"<li>{TIDE}</li>", "").replace("</ul>", f"<li>{TIDE}</li></ul>")
    assert compared(items, moved).tree == pytest.approx((2 / 3, 2 / 3))


def test_rows_keep_the_order_of_a_table():
    def table(*rows: tuple[str, str]) -> str:
        cells = ("".join(f"<td>{text}</td>" for text in row) for row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"

    one = table((TIDE, BREAD), (LAMP, KETTLE), (GULL, CLOCK))
    other = table((GULL, CLOCK), (TIDE, BREAD), (LAMP, KETTLE))
    assert compared(one, other).tree == pytest.approx((4 / 6, 4 / 6))


def test_a_reworded_sentence_counts_with_all_its_words():
    found = compared(p(TIDE) + p(BREAD), p(TIDE) + p("Bread crossed frozen rivers."))
    assert [round(pair.similarity, 2) for pair in found.pairs] == [1.0, 0.75]
    assert found.tree == (1, 1)
    assert found.deep.sentence_share == pytest.approx((7 / 8, 7 / 8))


def test_pages_with_nothing_in_common():
    found = compared(p(TIDE), p(BREAD))
    assert (found.tree, found.pairs) == ((0, 0), ())
    assert compared("", p(BREAD)).tree == (0, 0)


BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["p", "h2", "li", "td", "blockquote"]),
        st.lists(st.sampled_from(ALL), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=6,
)


def body(blocks) -> str:
    return "".join(f"<{tag}>{' '.join(texts)}</{tag}>" for tag, texts in blocks)


@given(BLOCKS, BLOCKS)
@settings(max_examples=60)
def test_the_tree_share_is_at_most_the_sentence_share(first, second):
    found = compared(body(first), body(second))
    for share, matched_share, rs in zip(
        found.tree, found.deep.sentence_share, found.rs, strict=True
    ):
        assert 0 <= share <= matched_share + 1e-9 <= 1 + 2e-9
        assert (share > 0) is (rs > 0)


@given(BLOCKS)
@settings(max_examples=40)
def test_a_page_matches_itself_as_a_whole(blocks):
    found = compared(body(blocks), body(blocks))
    assert found.tree == found.rs == (1, 1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_real_text_matches_itself_as_a_whole(seed):
    page = Page(url="https://a.example/", html=html(article(seed, 600)))
    assert compare(page, page).tree == (1, 1)
