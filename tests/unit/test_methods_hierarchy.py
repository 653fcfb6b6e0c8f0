"""The semantic hierarchy of the thesis: sections, blocks, tables, and matched nodes."""

from __future__ import annotations

import pytest

from dedup_middleware import Page, compare
from dedup_middleware.methods.hierarchy import Cell, hierarchy, match_hierarchies
from tests.support.methods import nonsense


def grid(rows: int, columns: int) -> str:
    """Make a table of numbered cells."""
    cells = [f"<td>cell {number}" for number in range(rows * columns)]
    lines = [cells[row * columns : (row + 1) * columns] for row in range(rows)]
    return "<table>" + "".join(f"<tr>{''.join(line)}" for line in lines) + "</table>"


def test_headings_open_sections_and_text_is_merged_into_its_block():
    page = """<title>No node</title><h1>Tides</h1>
    <div><div><p>High <b>and</b> <i>low</i>.</div></div>
    <h2>Spring</h2><ul><li>Moon<li><p>Sun<p>Both</ul><h1>Boats</h1><address>Harbour 3</address>
    <script>nothing</script>"""
    assert str(hierarchy(page)).splitlines() == [
        "page",
        "  heading: Tides",
        "    text: High and low.",
        "    heading: Spring",
        "      list",
        "        item: Moon",
        "        item",
        "          text: Sun",
        "          text: Both",
        "  heading: Boats",
        "    address: Harbour 3",
    ]


def test_tables_of_the_same_cells_in_other_rows_are_different_trees():
    wide, high = hierarchy(grid(2, 3)), hierarchy(grid(3, 2))
    texts = [[node.text for node in one.nodes if node.text] for one in (wide, high)]
    assert texts[0] == texts[1]
    assert [node.kind for node in wide.nodes].count("row") == 2
    assert [node.kind for node in high.nodes].count("row") == 3
    assert wide != high


def test_cells_stand_at_their_columns_whatever_reaches_over_them():
    page = hierarchy(
        "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d"
        "<tr><td colspan=x>e<td rowspan=0>f<td><table><tr><td>inner</table></table>"
    )
    assert {node.text: node.cell for node in page.nodes if node.text} == {
        "a": Cell(1, 1, 2, 1),
        "b": Cell(1, 2, 1, 2),
        "c": Cell(2, 2),
        "d": Cell(2, 3),
        "e": Cell(3, 1),
        "f": Cell(3, 2),
        "inner": Cell(1, 1),
    }


def test_nodes_are_shaded_by_the_share_of_their_sentences_that_match():
    """One of three sentences, as in node 45 of Example 5, and three of four, as in node 49."""
    one, *rest = nonsense("Tide", 4)
    first = hierarchy(f"<p>{one} {' '.join(nonsense('Moon', 2))}<p>{' '.join(rest)} Alone here.")
    second = hierarchy(f"<p>{one}" + "".join(f"<p>{text}" for text in rest))
    found = match_hierarchies(first, second)
    assert found.shading[0] == {1: pytest.approx(1 / 3), 2: pytest.approx(3 / 4)}
    assert [(edge.first, edge.second) for edge in found.edges] == [(1, 1), (2, 2), (2, 3), (2, 4)]
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 0), (3, 1), (4, 2), (5, 3)]


def test_every_pair_that_is_the_same_is_a_dot_and_counts_for_the_overlap():
    """A sentence that two pages have twice makes four dots."""
    tide, *others = nonsense("Tide", 6)
    first = Page(url="a", html=f"<p>{tide}<p>{others[0]}<p>{tide}<p>{others[1]}")
    second = Page(url="b", html="".join(f"<p>{text}" for text in (tide, tide, *others[2:5])))
    found = compare(first, second, sentences="thesis")
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 0), (0, 1), (2, 0), (2, 1)]
    assert len(found.edges) == 4
    assert found.found.overlap == (4 / 4, 4 / 5)
    assert found.rs == (2 / 4, 2 / 5)
