"""Which text of a page counted, in colours: as evidence for a decision, or as its own page."""

from __future__ import annotations

from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from dedup_middleware.inspect.texts import MEANINGS, Counted, words_of
from dedup_middleware.text import quantity

from .document import document, escaped, lang_attribute, link
from .side_by_side import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.inspect.texts import Piece
    from dedup_middleware.read import Outline
    from dedup_middleware.read.blocks import Block

_DEEPEST = 4


def counted_html(
    pieces: Sequence[Piece], language: str = "", most: int | None = None, *, is_open: bool = True
) -> str:
    """Return the blocks of a page, each with as what it counted, and a legend; so many at most."""
    if not any(piece.words for piece in pieces):
        return '<p class="quiet">It has no text.</p>'
    return "".join(_parts(pieces, language, most, is_open=is_open))


def counted_page(url: str, outline: Outline, pieces: Sequence[Piece]) -> str:
    """Return a page that shows what counted of another one."""
    title = f"Which text of {url} counted"
    head = f"<header><h1>Text of a page</h1><p>{link(url)}</p></header>"
    return document(
        title,
        f'{head}<main class="evidence">{counted_html(pieces, outline.language)}</main>',
        None,
        styles=("base.css", "detail.css", "counted.css"),
        scripts=(),
    )


def _parts(
    pieces: Sequence[Piece], language: str, most: int | None, *, is_open: bool
) -> Iterator[str]:
    more = {piece.counted: " or more" for piece in pieces if piece.is_beginning}
    legend = "".join(
        f'<li class="{counted}"><span>{MEANINGS[counted]}</span> {quantity(words, "word")}'
        f"{more.get(counted, '')}</li>"
        for counted, words in words_of(pieces).items()
    )
    is_shown = " open" if is_open else ""
    yield f'<details class="counted"{is_shown}><summary>Which text of this page counted</summary>'
    yield f'<ul class="counts" aria-label="Legend">{legend}</ul><div{lang_attribute(language)}>'
    for counted, run in groupby(islice(pieces, most), attrgetter("counted")):
        label = "" if counted is Counted.OWN else f'<p class="why">{MEANINGS[counted]}</p>'
        shown = "".join(_block(piece.block) for piece in run)
        yield f'<div class="piece {counted}">{label}<div>{shown}</div></div>'
    left = len(pieces) - most if most is not None else 0
    rest = f'<p class="quiet">… and {quantity(left, "more block")}</p>' if left > 0 else ""
    yield f"</div>{rest}</details>"


def _block(block: Block) -> str:
    """Return a block; it looks like a heading or an item, but is none of this page."""
    kind = block.kind if block.kind in ("heading", "label", "item", "row", "code") else "text"
    depth = f" depth{min(block.depth, _DEEPEST)}" if block.depth else ""
    text = " | ".join(map(shorten, block.cells))
    return f'<p class="block {kind}{depth}" dir="auto">{escaped(text)}</p>'
