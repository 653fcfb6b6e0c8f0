"""An outline as blocks of text, in plain text and in Markdown: the one way to print a page.

A block is a node with its text, a row of a table with all its cells, or all lines of a listing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .outline import BY_MEMORY, KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .outline import Outline

DEEPEST, _LOWEST = 8, 6  # lists inside of lists, and levels of headings, that Markdown shows
_HEADING, _LIST, _TABLE, _ROW = map(KINDS.index, ("heading", "list", "table", "row"))
_HEAD, _LABEL, _CODE = map(KINDS.index, ("head", "label", "code"))
_IN_CELLS = frozenset(map(KINDS.index, ("cell", "head", "text", "item", "list")))
"""Kinds of nodes that a row can have in its cells, to be printed in one line."""
_MARKS = {"item": "- ", "quote": "> ", "definition": ": "}
_LINES = frozenset({"item", "term", "definition"})
"""Kinds of blocks without an empty line between them."""
# text that would be read as a mark at the beginning of a block
_LIKE_A_MARK = re.compile(r"(\d{0,9})(?:(?:#{1,6}|[-+*:]|(?<=\d)[.)])(?=\s|$)|[>|]|```|~~~)")
# text that would be read as a tag or a character reference
_LIKE_HTML = re.compile(r"\\*(?:<(?=[A-Za-z/!?])|&(?=#?\w+;))")
_PERMALINK = "\N{PILCROW SIGN}"  # that manuals put behind their headings
_NUMBER = re.compile("[0-9]{1,6}")  # of a line
_FENCES = re.compile("`{3,}")


class Block(NamedTuple):
    """A piece of a page that is printed in one go."""

    kind: str
    """Of its node; `row` for a row of a table."""
    nodes: tuple[int, ...]
    """The nodes whose text it has, in order."""
    cells: tuple[str, ...]
    """Its text; of a row the text of each column, which may be empty."""
    headings: tuple[int, ...] = ()
    """The nodes of the headings above it, the highest first; without those that are left out."""
    depth: int = 0
    """In how many lists it stands."""
    is_header: bool = False
    """Whether it is the first row of its table, and consists of header cells."""

    def plain(self) -> str:
        return "\t".join(self.cells)

    def markdown(
        self, text: str | None = None, mark: str | None = None, indent: int | None = None
    ) -> str:
        """Return the block in Markdown.

        Another text, in Markdown or as lines of code, may take the place of its own, and another
        mark that of its kind; it is indented by two for each list that it is in.
        """
        begin = " " * (2 * min(self.depth, DEEPEST) if indent is None else indent)
        if self.kind == "row":
            cells = " | ".join([escaped(cell).replace("|", "\\|") for cell in self.cells])
            line = f"\n{begin}|{' --- |' * len(self.cells)}"
            return f"{begin}| {cells} |{line if self.is_header else ''}"
        if self.kind == "code":
            own = self.cells[0] if text is None else text
            fence = max(["``", *_FENCES.findall(own)], key=len) + "`"
            return "\n".join([begin + line for line in (fence, *own.split("\n"), fence)])
        own = escaped(self.cells[0]) if text is None else text
        if self.kind == "heading":
            return f"{'#' * min(len(self.headings) + 1, _LOWEST)} {own}"
        if self.kind == "label":
            return f"{begin}**{own}**"
        if like := _LIKE_A_MARK.match(own):
            own = f"{like[1]}\\{own[like.end(1) :]}"
        return f"{begin}{_MARKS.get(self.kind, '') if mark is None else mark}{own}"


def escaped(text: str) -> str:
    r"""Return a text in which Markdown finds no tags and no character references.

    >>> print(escaped("<b> &amp; a < b"))
    \<b> \&amp; a < b
    """
    return _LIKE_HTML.sub(lambda found: f"{found[0][:-1] * 2}\\{found[0][-1]}", text)


def marks_of(outline: Outline, own: Outline) -> bytes:
    """Return why each node of a page is not its own, given its outline as it was read, and marked.

    What structure tells to be boilerplate stays that where its host repeats it, too.
    """
    pairs = zip(outline.boilerplate, own.boilerplate, strict=True)
    return bytes([by_structure or by_host for by_structure, by_host in pairs])


def own_nodes(outline: Outline, marks: bytes) -> bytes:
    """Return 1 for each node that belongs to the text of a page's own, by the marks of its nodes.

    What its host repeats stays where text of the page's own belongs to it, or that would seem to
    belong to something else: a heading below one of the page's own, a term, the cells of a row, the
    header of a table. Numbers of lines beside a listing are not of it.
    """
    kinds, parents, texts = outline.kinds, outline.parents, outline.texts
    needed = bytearray(not mark and bool(text) for mark, text in zip(marks, texts, strict=True))
    for node in range(len(kinds) - 1, -1, -1):  # children come after their parents
        if needed[node] and parents[node] >= 0:
            needed[parents[node]] = 1
    headers = set(_header_rows(outline))
    below_own = bytearray(len(kinds))
    for node, parent in enumerate(parents):
        if parent < 0:
            continue
        below_own[node] = below_own[parent] or (kinds[parent] == _HEADING and not marks[parent])
        if kinds[parent] == _ROW and marks[node] == BY_MEMORY:
            needed[node] = needed[parents[parent] if parent in headers else parent]
    found = bytearray(len(kinds))
    for node, (kind, mark) in enumerate(zip(kinds, marks, strict=True)):
        stays = mark == BY_MEMORY and (below_own[node] or kind not in (_HEADING, _LABEL))
        found[node] = needed[node] and bool(texts[node]) and (not mark or stays)
    for node in _line_numbers(outline):
        found[node] = 0
    return bytes(found)


def blocks(
    outline: Outline, chosen: Sequence[int] | None = None, heading: int | None = None
) -> Iterator[Block]:
    """Yield the blocks of a page in order: of all nodes with text, or of those that are chosen.

    Another node may be the heading of all that follows it.
    """
    kinds, parents, texts = outline.kinds, outline.parents, outline.texts
    if chosen is None:
        chosen = [bool(text) for text in texts]
    columns_of, headers = _columns(outline), set(_header_rows(outline))
    if heading is not None:
        chosen = bytes([node == heading or bool(one) for node, one in enumerate(chosen)])
        columns_of.pop(heading, None)
    rows: dict[int, dict[int, list[int]]] = {}
    for node, (row, column) in columns_of.items():
        if chosen[node]:
            rows.setdefault(row, {}).setdefault(column, []).append(node)
    places = _places(outline, chosen, heading)
    node = 0
    while node < len(kinds):
        kind, (headings, depth) = KINDS[kinds[node]], places[node]
        if node == heading:
            kind = "heading"
        nodes = [node]
        if node in rows:
            columns = rows[node]
            nodes = sorted(one for some in columns.values() for one in some)
            cells = [
                " ".join([texts[one] for one in columns.get(column, ())])
                for column in range(1, max(columns) + 1)
            ]
            yield Block("row", tuple(nodes), tuple(cells), headings, depth, node in headers)
        elif chosen[node] and node not in columns_of:
            while kind == "code" and (line := nodes[-1] + 1) < len(kinds) and chosen[line]:
                if any(column[line] != column[node] for column in (kinds, parents, outline.grid)):
                    break
                nodes.append(line)  # a line of code may be an element of its own
            text = "\n".join([texts[one] for one in nodes])
            if kind == "heading":
                text = text.removesuffix(_PERMALINK).rstrip() or text
            own_list = kind in ("item", "term", "definition") and depth > 0
            yield Block(kind, tuple(nodes), (text,), headings, depth - own_list)
            node = nodes[-1]
        node += 1


def _places(
    outline: Outline, chosen: Sequence[int], heading: int | None
) -> list[tuple[tuple[int, ...], int]]:
    """Return for each node the chosen headings above it, and in how many lists it stands."""
    kinds = outline.kinds
    found: list[tuple[tuple[int, ...], int]] = []
    for kind, parent in zip(kinds, outline.parents, strict=True):
        headings, depth = found[parent] if parent >= 0 else ((), 0)
        if parent >= 0 and kinds[parent] == _HEADING and chosen[parent]:
            headings = (*headings, parent)
        found.append((headings, depth + (kind == _LIST)))
    if heading is not None:
        found[heading] = (), 0
        for node in range(heading + 1, len(kinds)):
            headings, depth = found[node]
            if heading not in headings:
                found[node] = (heading, *headings), depth
    return found


def joined(shown: Iterable[Block], form: Callable[[Block], str]) -> str:
    """Return blocks as one text: paragraphs between empty lines, items and rows a line each."""
    parts: list[str] = []
    before: Block | None = None
    for block in shown:
        if before:
            parts.append("\n" if is_next_line(block, before) else "\n\n")
        parts.append(form(block))
        before = block
    return "".join(parts)


def is_next_line(block: Block, before: Block) -> bool:
    """Return True if no empty line stands between a block and the one before."""
    rows = block.kind == "row", before.kind == "row"
    return all(rows) or ({block.kind, before.kind} <= _LINES and not any(rows))


def _columns(outline: Outline) -> dict[int, tuple[int, int]]:
    """Return the row and the column of each node that is printed in a row."""
    kinds, parents, grid = outline.kinds, outline.parents, outline.grid
    found: dict[int, tuple[int, int]] = {}
    broken: set[int] = set()
    for node, parent in enumerate(parents):
        if parent >= 0 and kinds[parent] == _ROW:
            found[node] = parent, grid[node]
        elif parent in found:
            found[node] = found[parent]
        if node in found:
            row = found[node][0]
            follows = node - 1 == row or found.get(node - 1, (-1, 0))[0] == row
            if kinds[node] not in _IN_CELLS or not follows:
                broken.add(row)  # with code, a table or misplaced text in it, a row is no line
    return {node: place for node, place in found.items() if place[0] not in broken}


def _line_numbers(outline: Outline) -> Iterator[int]:
    """Yield the nodes of cells that number the lines of the listing in the cell behind them."""
    kinds, parents, texts = outline.kinds, outline.parents, outline.texts
    if _CODE not in kinds or _ROW not in kinds:
        return
    rows: dict[int, dict[int, list[int]]] = {}
    for node, parent in enumerate(parents):
        if parent >= 0 and kinds[parent] == _ROW:
            rows.setdefault(parent, {}).setdefault(outline.grid[node], []).append(node)
    for columns in rows.values():
        numbers, *listing = [columns[column] for column in sorted(columns)]
        if len(listing) != 1 or any(kinds[node] != _CODE for node in (*numbers, *listing[0])):
            continue
        found = " ".join([texts[node] for node in numbers]).split()
        first = int(found[0]) if _NUMBER.fullmatch(found[0]) else -1
        if found == [str(number) for number in range(first, first + len(found))]:
            yield from numbers


def _header_rows(outline: Outline) -> Iterator[int]:
    """Yield the first row of each table, if all its cells are header cells."""
    kinds, parents = outline.kinds, outline.parents
    cells: dict[int, list[int]] = {}
    seen: set[int] = set()
    for node, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        if kind == _ROW and parent >= 0 and kinds[parent] == _TABLE and parent not in seen:
            seen.add(parent)
            cells[node] = []
        elif parent in cells:
            cells[parent].append(kind)
    yield from (row for row, found in cells.items() if set(found) == {_HEAD})
