"""Outlines as rows, collapsed until a picture can hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, repeat
from typing import TYPE_CHECKING

from dedup_middleware.read.outline import CONTAINERS
from dedup_middleware.text import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.similarity.values import Side

_HALVINGS = 8  # of the siblings at one depth, before all are collapsed into their parent
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
Strategy = Callable[[Rows], list[int]]
"""Returns for each row the index of the earlier row to merge it into, or its own index."""


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
    """Collapse until there are at most so many rows: uniform branches first, then ever coarser."""
    for targets_of in _strategies(max((row.depth for row in rows), default=0)):
        if len(rows) <= most:
            break
        rows = merge(rows, _chosen(rows, targets_of(rows), len(rows) - most))
    return rows


def merge(rows: Rows, targets: list[int]) -> Rows:
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


def _strategies(deepest: int) -> Iterator[Strategy]:
    yield lambda rows: _under(rows, {i for i in _uniform(rows) if rows[i].kind in CONTAINERS})
    yield _runs
    for depth in range(deepest - 1, -1, -1):
        yield partial(_uniform_at, depth=depth)
        yield _runs
    yield lambda rows: _under(rows, {i for i, row in enumerate(rows) if row.kind in CONTAINERS})
    yield _runs
    for depth in range(deepest, -1, -1):
        yield from repeat(_neighbours, _HALVINGS)
        yield partial(_all_at, depth=depth - 1)
    yield from repeat(_neighbours, 2 * _HALVINGS)


def _chosen(rows: Rows, targets: list[int], surplus: int) -> list[int]:
    """Keep all merges that hide no difference, and more until enough rows are gone."""
    groups: dict[int, list[int]] = {}
    for index, target in enumerate(targets):
        groups.setdefault(target, []).append(index)

    def loss(group: list[int]) -> tuple[float, int]:
        shares = [share for index in group if (share := rows[index].share) is not None]
        return round(max(shares, default=0.0) - min(shares, default=0.0), 1), -len(group)

    chosen = list(range(len(rows)))
    for group in sorted((group for group in groups.values() if len(group) > 1), key=loss):
        if surplus <= 0 and loss(group)[0]:
            break
        surplus -= len(group) - 1
        for index in group:
            chosen[index] = group[0]
    return chosen


def _under(rows: Rows, heads: set[int]) -> list[int]:
    """Collapse all descendants of some rows into them."""
    targets: list[int] = []
    for index, row in enumerate(rows):
        taken = row.parent >= 0 and (row.parent in heads or targets[row.parent] != row.parent)
        targets.append(targets[row.parent] if taken else index)
    return targets


def _runs(rows: Rows) -> list[int]:
    """Collapse neighbouring leaves that are all matched, or all unmatched."""
    parents = {row.parent for row in rows}

    def key(index: int) -> tuple[int, float | None, int]:
        row = rows[index]
        collapsible = index not in parents and row.share in {0.0, 1.0}
        return (row.parent, row.share, -1 if collapsible else index)

    return _heads(rows, key)


def _neighbours(rows: Rows) -> list[int]:
    """Collapse neighbouring leaves in pairs."""
    parents = {row.parent for row in rows}
    heads = _heads(rows, lambda i: (rows[i].parent, -1 if i not in parents else i))
    return [index - (index - head) % 2 for index, head in enumerate(heads)]


def _heads(rows: Rows, key: Callable[[int], object]) -> list[int]:
    """Return for each row the first one of the run that has the same key."""
    runs = (list(run) for _, run in groupby(range(len(rows)), key))
    return [run[0] for run in runs for _ in run]


def _uniform_at(rows: Rows, depth: int) -> list[int]:
    return _under(rows, {index for index in _uniform(rows) if rows[index].depth == depth})


def _all_at(rows: Rows, depth: int) -> list[int]:
    return _under(rows, {index for index, row in enumerate(rows) if row.depth == depth})


def _uniform(rows: Rows) -> set[int]:
    """Return the rows whose branch is matched wholly, or not at all."""
    sentences = [row.sentences for row in rows]
    matched = [row.matched for row in rows]
    for index in range(len(rows) - 1, -1, -1):
        parent = rows[index].parent
        if parent >= 0:
            sentences[parent] += sentences[index]
            matched[parent] += matched[index]
    return {index for index in range(len(rows)) if matched[index] in {0.0, float(sentences[index])}}
