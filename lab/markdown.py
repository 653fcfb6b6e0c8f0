"""Tables and figures in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[object]], texts: int = 1) -> str:
    """Format a table: so many first columns to the left, numbers to the right.

    >>> print(table(["w", "ours"], [[2, "8.97"]]))
    | w | ours |
    |---|---:|
    | 2 | 8.97 |
    """
    lines = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *rows]
    return "\n".join(_line(cells, tight=place == 1) for place, cells in enumerate(lines))


def caption(text: str) -> str:
    return f"**{text}**"


def joined(*parts: str) -> str:
    """Put paragraphs, tables and pictures below each other; skip empty ones."""
    return "\n\n".join(part for part in parts if part)


def percent(share: float | None, digits: int = 1) -> str:
    """Format a share as a percentage.

    >>> percent(0.035), percent(None)
    ('3.5 %', '–')
    """
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def figure(value: float | None, digits: int = 2) -> str:
    """Format a figure without the zero before the point.

    >>> figure(0.923), figure(1.0), figure(None)
    ('.92', '1.00', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def _line(cells: Sequence[object], *, tight: bool) -> str:
    if tight:
        return f"|{'|'.join(map(str, cells))}|"
    return f"| {' | '.join(map(str, cells))} |"
