"""What the thesis asks of a hierarchy: sections, blocks, tables, and matched nodes."""

from __future__ import annotations

import pytest

from dedup_middleware import Page, compare
from dedup_middleware.fingerprint.scheme import fingerprint
from dedup_middleware.read import read
from lab.published.yerra_figures import shading
from tests.support.methods import nonsense


def page(html: str) -> Page:
    return Page(url="https://example.org/", html=html)


def table(rows: int, columns: int) -> str:
    """Make a table of numbered cells."""
    cells = [f"<td>cell {number}" for number in range(rows * columns)]
    lines = [cells[row * columns : (row + 1) * columns] for row in range(rows)]
    return "<table>" + "".join(f"<tr>{''.join(line)}" for line in lines) + "</table>"


def drawn(html: str) -> list[str]:
    depths: list[int] = []
    lines = []
    for node in read(page(html)).nodes:
        depths.append(depths[node.parent] + 1 if node.parent >= 0 else 0)
        lines.append(f"{'  ' * depths[-1]}{node.kind} {node.text}".rstrip())
    return lines


def test_headings_open_sections_and_text_is_merged_into_its_block():
    html = """<title>No node</title><h1>Tides</h1>
    <div><div><p>High <b>and</b> <i>low</i>.</div></div>
    <h2>Spring</h2><ul><li>Moon<li><p>Sun<p>Both</ul><h1>Boats</h1><address>Harbour 3</address>
    <script>nothing</script><table><tr><td>6<td>12</table>"""
    assert drawn(html) == [
        "heading Tides",
        "  text High and low.",
        "  heading Spring",
        "    list",
        "      item Moon",
        "      item Sun",
        "      item Both",
        "heading Boats",
        "  address Harbour 3",
        "  table",
        "    row",
        "      cell 6",
        "      cell 12",
    ]


def test_tables_of_the_same_cells_in_other_rows_are_different_trees_and_pages():
    pages = page(table(2, 3)), page(table(3, 2))
    wide, high = map(read, pages)
    assert wide.text == high.text
    assert [node.kind for node in wide.nodes].count("row") == 2
    assert [node.kind for node in high.nodes].count("row") == 3
    digests = [fingerprint(one, read(one)).digest for one in pages]
    assert digests[0] != digests[1]


@pytest.mark.parametrize("rows", [1, 6])
def test_tables_of_one_row_or_column_are_the_same_pages_as_blocks(rows):
    blocks = "".join(f"<div>cell {number}</div>" for number in range(6))
    first, second = page(table(rows, 6 // rows)), page(blocks)
    assert fingerprint(first, read(first)).digest == fingerprint(second, read(second)).digest


def test_nodes_are_shaded_by_the_share_of_their_sentences_that_match():
    """One of three sentences, as in node 45 of Example 5, and three of four, as in node 49."""
    one, *rest = nonsense("Tide", 4)
    first = page(f"<p>{one} {' '.join(nonsense('Moon', 2))}<p>{' '.join(rest)} Alone here.")
    second = page(f"<p>{one}" + "".join(f"<p>{text}" for text in rest))
    found = compare(first, second, method_options={"sentences": "thesis"})
    assert shading(found)[0] == {0: pytest.approx(1 / 3), 1: pytest.approx(3 / 4)}
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 0), (3, 1), (4, 2), (5, 3)]


def test_every_pair_that_is_the_same_is_a_dot_and_counts_for_the_overlap():
    """A sentence that two pages have twice makes four dots."""
    tide, *others = nonsense("Tide", 6)
    first = Page(url="a", html=f"<p>{tide}<p>{others[0]}<p>{tide}<p>{others[1]}")
    second = Page(url="b", html="".join(f"<p>{text}" for text in (tide, tide, *others[2:5])))
    found = compare(first, second, method_options={"sentences": "thesis"})
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 0), (0, 1), (2, 0), (2, 1)]
    assert found.overlap == (4 / 4, 4 / 5)
    assert found.rs == (2 / 4, 2 / 5)
