"""Tables that fit a terminal: which columns are shown, how wide they are, and the lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.text import fit, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = 2
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    right: bool = False
    worth: int = 0
    """Columns of the highest worth get room first; one of 0 is always shown."""
    least: int = 0
    """The cells that it may be cut down to; 0 if it is whole wherever that is possible."""


def widths(columns: Sequence[Column], cells: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return how wide each column is; 0 if it falls away.

    >>> columns = Column("url", least=8), Column("ms", right=True, worth=1)
    >>> widths(columns, [["https://example.org/a", "12"]], 40)
    [21, 2]
    >>> widths(columns, [["https://example.org/a", "12"]], 15)
    [11, 2]
    >>> widths(columns, [["https://example.org/a", "12"]], 10)
    [10, 0]
    """
    natural = [
        max(width(column.name), *(width(row[at]) for row in cells), 1)
        if cells
        else width(column.name)
        for at, column in enumerate(columns)
    ]
    narrow = [
        min(full, column.least) if column.least else full
        for full, column in zip(natural, columns, strict=True)
    ]
    shown = [at for at, column in enumerate(columns) if not column.worth]
    for at in sorted(range(len(columns)), key=lambda at: -columns[at].worth):
        if at not in shown and _total([narrow[one] for one in (*shown, at)]) <= room:
            shown.append(at)
    found = [narrow[at] if at in shown else 0 for at in range(len(columns))]
    while _total([found[at] for at in shown]) > room and max(found) > _NARROWEST:
        found[found.index(max(found))] -= 1  # a line that is too long is worse than a cut cell
    spare = room - _total([found[at] for at in shown])
    while spare > 0:  # the narrowest of those that were cut grows first
        cut = [at for at in shown if found[at] < natural[at]]
        if not cut:
            break
        found[min(cut, key=lambda at: found[at])] += 1
        spare -= 1
    return found


def lines(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], sizes: Sequence[int]
) -> Iterator[str]:
    """Yield the header and the rows; cells that are too wide lose their middle."""
    for row in ([column.name.upper() for column in columns], *cells):
        shown = []
        for column, cell, room in zip(columns, row, sizes, strict=True):
            if room:
                text = fit(cell, room)
                padding = " " * (room - width(text))
                shown.append(padding + text if column.right else text + padding)
        yield (" " * GAP).join(shown).rstrip()


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + GAP * (len(sizes) - 1)
