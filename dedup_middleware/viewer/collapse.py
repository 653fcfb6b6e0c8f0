"""Outlines as rows, collapsed until a picture can hold them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from dedup_middleware.read.outline import CONTAINERS
from dedup_middleware.text import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.similarity.values import Side

_NOUNS = {
    "text": ("paragraph", "paragraphs"),
    "address": ("address", "addresses"),
    "code": ("code block", "code blocks"),
    "head": ("header cell", "header cells"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A node, or several collapsed into one."""

    kind: str
    text: str
    parent: int
    """The index of the parent row, -1 at the top."""
    depth: int
    nodes: tuple[int, ...]
    kinds: tuple[str, ...]
    sentences: int
    matched: float
    led: bool = True
    """Whether the first node represents the others, as a heading does its section."""

    @property
    def share(self) -> float | None:
        """The share of the sentences that also appear in the other page."""
        return self.matched / self.sentences if self.sentences else None

    @property
    def collapsed(self) -> str:
        """What was collapsed into the row, in words; empty if nothing was."""
        kinds = self.kinds[1:] if self.led else self.kinds
        inner = [kind for kind in kinds if kind not in CONTAINERS] or list(kinds)
        if not inner:
            return ""
        kind = inner[0] if len(set(inner)) == 1 else "block"
        return quantity(len(inner), *_NOUNS.get(kind, (kind,)))


Rows = tuple[Row, ...]
Key = tuple[float, ...]
"""By which merges are ranked; the lowest comes first."""


def outline_rows(side: Side) -> Rows:
    """Return a row for each node with sentences, and for its ancestors."""
    outline = side.outline
    counts = Counter(sentence.node for sentence in side.sentences)
    needed = set(counts)
    for index in range(len(outline.parents) - 1, -1, -1):
        if index in needed:
            needed.add(outline.parents[index])
    rows: list[Row] = []
    places = [-1]  # the last is for the parent -1
    for index, node in enumerate(outline.nodes):
        parent = places[node.parent]
        place = parent
        if index in needed and not node.boilerplate:
            place = len(rows)
            depth = rows[parent].depth + 1 if parent >= 0 else 0
            matched = side.shading.get(index, 0.0) * counts[index]
            rows.append(
                Row(
                    node.kind,
                    node.text,
                    parent,
                    depth,
                    (index,),
                    (node.kind,),
                    counts[index],
                    matched,
                )
            )
        places.insert(index, place)
    return tuple(rows)


def collapse(rows: Rows, most: int) -> Rows:
    """Merge rows until there are at most so many: first where that hides no difference."""
    while len(rows) > most:
        targets, surplus = list(range(len(rows))), len(rows) - most
        used: set[int] = set()
        for _, group in sorted(_groups(rows)):
            if surplus > 0 and used.isdisjoint(group):
                used |= {*group}
                surplus -= len(group) - 1
                for index in group:
                    targets[index] = group[0]
        rows = _merged(rows, targets)
    return rows


def _groups(rows: Rows) -> Iterator[tuple[Key, list[int]]]:
    """Yield rows that may be merged into the first of them, and how early that should be done.

    These are a row with all its children, if they have none; neighbours among these that are
    matched alike; and any two neighbours.
    """
    children: dict[int, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        children[row.parent].append(index)
    for parent, family in children.items():
        if parent >= 0 and not any(child in children for child in family):
            branch = [parent, *family]
            is_text = rows[parent].kind not in CONTAINERS
            hidden = _hidden(rows, branch)
            rank = 2 * is_text if not hidden else 3 + 2 * is_text
            yield (rank, -rows[parent].depth, hidden, -len(branch)), branch
        leaves = [(index not in children, rows[index].share) for index in family]
        for (is_leaf, _), run in groupby(range(len(family)), leaves.__getitem__):
            alike = [family[at] for at in run]
            if is_leaf and len(alike) > 1:
                yield (1, 0, 0, -len(alike)), alike
        for at in range(0, len(family) - 1, 2):
            pair = family[at : at + 2]
            if leaves[at][0] and leaves[at + 1][0]:
                yield (4, 0, _hidden(rows, pair), 0), pair


def _hidden(rows: Rows, group: list[int]) -> float:
    """Return how much the shares differ that would become one."""
    shares = [share for index in group if (share := rows[index].share) is not None]
    return round(max(shares, default=0.0) - min(shares, default=0.0), 1)


def _merged(rows: Rows, targets: list[int]) -> Rows:
    """Merge each row into its target."""
    groups: dict[int, list[Row]] = {}
    for row, target in zip(rows, targets, strict=True):
        groups.setdefault(target, []).append(row)
    place = {target: index for index, target in enumerate(groups)}
    return tuple(
        replace(
            head,
            parent=place[targets[head.parent]] if head.parent >= 0 else -1,
            nodes=tuple(node for row in group for node in row.nodes),
            kinds=tuple(kind for row in group for kind in row.kinds),
            sentences=sum(row.sentences for row in group),
            matched=sum(row.matched for row in group),
            led=head.led and all(row.parent != head.parent for row in others),
        )
        for group in groups.values()
        for head, others in [(group[0], group[1:])]
    )
