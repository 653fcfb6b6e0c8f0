"""The semantic hierarchy of an HTML page, and two of them matched node by node (Yerra's thesis)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.markup import END, TEXT, elements
from dedup_middleware.read.words import words
from dedup_middleware.similarity.languages import language_of
from dedup_middleware.similarity.matching import SentenceTest, every_pair, match
from dedup_middleware.similarity.prepared import sentence_of
from dedup_middleware.similarity.sentences import split_sentences
from dedup_middleware.similarity.tree import match_trees

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dedup_middleware.similarity.values import Edge, Match, Sentence

_HEADINGS = {f"h{rank}": rank for rank in range(1, 7)}
_KIND_OF_TAG = {
    tag: kind
    for kind, tags in {
        "heading": _HEADINGS,
        "item": ("li",),
        "term": ("dt",),
        "definition": ("dd",),
        "code": ("pre", "listing", "xmp", "plaintext"),
        "address": ("address",),
        "quote": ("blockquote",),
        "caption": ("caption", "figcaption"),
        "control": ("button", "label", "legend", "option", "select"),
        "list": ("ul", "ol", "dl", "dir", "menu"),
    }.items()
    for tag in tags
}
# Headings inside of these do not reach beyond them.
_SCOPES = frozenset(
    {
        *("article", "aside", "blockquote", "dd", "details", "dialog", "dir", "dl", "dt"),
        *("fieldset", "figure", "footer", "form", "header", "li", "main", "menu", "nav", "ol"),
        *("section", "table", "td", "th", "tr", "ul"),
    }
)
_BLOCKS = (
    _SCOPES
    | _KIND_OF_TAG.keys()
    | {"center", "div", "hgroup", "noscript", "p", "search", "summary"}
)
_SKIPPED = frozenset(
    {
        *("annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "iframe"),
        *("meter", "noembed", "noframes", "object", "progress", "rp", "script", "style", "svg"),
        *("template", "textarea", "title", "video"),
    }
)
_TABLE = {"table": "table", "tr": "row", "td": "cell", "th": "cell"}
_KEPT = frozenset({"page", "table", "row", "cell", "list", "item"})
"""Kinds of nodes that stay without text of their own; others give way to what is inside."""
_MERGED = frozenset({"cell", "item"})
_GAPS = frozenset({"br", "img", "input"})
_MOST_SPANNED = 1_000  # as browsers have it


class Cell(NamedTuple):
    """Where a cell stands in its table, and over how many rows and columns it reaches."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


class HierarchyNode(NamedTuple):
    """A part of a page: a section, a block of text, a table, a row, a cell."""

    kind: str
    parent: int
    text: str
    cell: Cell | None = None


@dataclass(frozen=True)
class Hierarchy:
    """A page as a tree without tags, nodes in the order of the page.

    Headings open sections, blocks are nodes in them, and what only marks up text is merged into its
    block. Cells are in rows, rows in tables, each cell at its column.

    >>> print(hierarchy("<h1>Tides</h1><p>Two <b>high</b> ones.<table><tr><td>6<td>12</table>"))
    page
      heading: Tides
        text: Two high ones.
        table
          row
            cell 1, 1: 6
            cell 1, 2: 12
    """

    nodes: tuple[HierarchyNode, ...]

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The refined sentences of all nodes; positions count over the whole page."""
        language = language_of("", words(" ".join(node.text for node in self.nodes)))
        found = (
            sentence_of(text, language, numbers=False, joined=True)._replace(node=number)
            for number, node in enumerate(self.nodes)
            for text in split_sentences(node.text)
        )
        return tuple(sentence for sentence in found if sentence.words)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        depths: list[int] = []
        for node in self.nodes:
            depths.append(depths[node.parent] + 1 if node.parent >= 0 else 0)
            where = ""
            if node.cell:
                row, column, rows, columns = node.cell
                where = f" {row}, {column}"
                where += f" over {rows} × {columns}" if (rows, columns) != (1, 1) else ""
            text = f": {node.text}" if node.text else ""
            yield f"{'  ' * depths[-1]}{node.kind}{where}{text}"


@dataclass(frozen=True, slots=True)
class MatchedHierarchies:
    """Two hierarchies: sentences that are the same, and the nodes that they connect."""

    pairs: tuple[Match, ...]
    """Of the places of sentences: a dot each."""
    edges: tuple[Edge, ...]
    shading: tuple[Mapping[int, float], Mapping[int, float]]
    """The share of the sentences of each node that the other page has."""


def match_hierarchies(
    first: Hierarchy, second: Hierarchy, test: SentenceTest | None = None
) -> MatchedHierarchies:
    """Match each node of a page with all nodes of the other that share a sentence."""
    test = test or SentenceTest.of("thesis", "")
    sides = first.sentences, second.sentences
    pairs = every_pair(*sides, test)
    found = match_trees(*sides, match(*sides, test), pairs)
    return MatchedHierarchies(pairs, found.edges, found.shading)


def hierarchy(html: str) -> Hierarchy:
    """Build the semantic hierarchy of a page."""
    builder = _Builder()
    skipped = 0
    for kind, text, attributes in elements(html).events:
        if kind == TEXT:
            if not skipped:
                builder.add(text)
        elif kind == END:
            skipped -= bool(skipped)
            builder.end()
        else:
            skipped += bool(skipped) or text in _SKIPPED  # and all that is inside
            builder.start(text, dict(attributes))
    return Hierarchy(_promoted(builder.nodes))


@dataclass
class _Scope:
    """An open element that nodes are in; headings open sections in it."""

    node: int
    sections: list[tuple[int, int]] = field(default_factory=list)
    """Rank and node of the headings that are open."""
    grid: _Grid | None = None
    """Of a table."""

    @property
    def inner(self) -> int:
        return self.sections[-1][1] if self.sections else self.node


@dataclass
class _Grid:
    """The places of a table that cells reach over."""

    row: int = 0
    column: int = 1
    taken: dict[int, int] = field(default_factory=dict)
    """For each column, the last row that is taken."""

    def begin_row(self) -> None:
        self.row, self.column = self.row + 1, 1

    def place(self, rows: int, columns: int) -> Cell:
        """Put a cell at the next place of the row that is free."""
        while self.taken.get(self.column, 0) >= self.row:
            self.column += 1
        cell = Cell(self.row, self.column, rows, columns)
        for _ in range(columns):
            self.taken[self.column] = self.row + rows - 1
            self.column += 1
        return cell


class _Builder:
    """Makes nodes of what is met in a page."""

    def __init__(self) -> None:
        self.nodes = [HierarchyNode("page", -1, "")]
        self._scopes = [_Scope(0)]
        self._open: list[str] = []
        self._text: list[str] = []
        self._kind, self._rank = "text", 0

    def add(self, text: str) -> None:
        self._text.append(text)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._open.append(tag)
        if tag in _GAPS:
            self._text.append(" ")
        if tag not in _BLOCKS:
            return
        self._flush()
        self._kind = _TABLE.get(tag) or _KIND_OF_TAG.get(tag, "text")
        self._rank = _HEADINGS.get(tag, 0)
        if tag in _SCOPES:
            cell = self._cell(tag, attributes)
            self._scopes.append(_Scope(self._append(self._kind, "", cell)))
            self._kind = "text"
            if tag == "table":
                self._scopes[-1].grid = _Grid()

    def end(self) -> None:
        tag = self._open.pop()
        if tag in _BLOCKS:
            self._flush()
        if tag in _SCOPES:
            self._scopes.pop()

    def _cell(self, tag: str, attributes: Mapping[str, str]) -> Cell | None:
        """Return where an element stands if it is a cell."""
        grid = next((one.grid for one in reversed(self._scopes) if one.grid), None)
        if grid and tag == "tr":
            grid.begin_row()
        if grid is None or _TABLE.get(tag) != "cell":
            return None
        return grid.place(*(_span(attributes.get(name)) for name in ("rowspan", "colspan")))

    def _flush(self) -> None:
        """Make a node of the text so far."""
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            sections = self._scopes[-1].sections
            while self._rank and sections and sections[-1][0] >= self._rank:
                sections.pop()
            number = self._append(self._kind, text)
            if self._rank:
                sections.append((self._rank, number))
        self._kind, self._rank = "text", 0

    def _append(self, kind: str, text: str, cell: Cell | None = None) -> int:
        self.nodes.append(HierarchyNode(kind, self._scopes[-1].inner, text, cell))
        return len(self.nodes) - 1


def _span(value: str | None) -> int:
    return min(int(value), _MOST_SPANNED) if value and value.isdecimal() and int(value) else 1


def _promoted(nodes: Sequence[HierarchyNode]) -> tuple[HierarchyNode, ...]:
    """Merge a text that is alone in its node into it; put what is in an empty node in its place."""
    inside = Counter(node.parent for node in nodes)
    kept: list[HierarchyNode] = []
    places: list[int] = []  # of each node, its own or that of the node it went into
    for node in nodes:
        parent = places[node.parent] if node.parent >= 0 else -1
        alone = inside[node.parent] == 1 and parent >= 0 and not kept[parent].text
        if node.kind == "text" and node.text and alone and kept[parent].kind in _MERGED:
            kept[parent] = kept[parent]._replace(text=node.text)
            places.append(parent)
        elif node.text or node.kind in _KEPT:
            places.append(len(kept))
            kept.append(node._replace(parent=parent))
        else:
            places.append(parent)
    return tuple(kept)
