"""`scrapy dedup show --text`: the text of a page, and what each block of it counted as."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.counted import MEANINGS, Counted, Piece, pieces_of, words_of
from dedup_middleware.inspect.texts import Texts
from dedup_middleware.read.blocks import is_next_line
from dedup_middleware.text import escape, quantity, truncate, warn, width

from ._files import outline_of, page_in_file, write_output

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dedup_middleware.settings import Settings

    from ._screen import Screen

_MARKS = {
    Counted.OWN: " ",
    Counted.REPEATED: "R",
    Counted.BOILERPLATE: "B",
    Counted.COMMENT: "C",
    Counted.VOLATILE: "V",
    Counted.HIDDEN: "H",
}
_STYLES = {
    Counted.REPEATED: "yellow",
    Counted.BOILERPLATE: "dim",
    Counted.COMMENT: "cyan",
    Counted.VOLATILE: "green",
    Counted.HIDDEN: "magenta",
}
_MARGIN = 3


def counted_pieces(
    url: str, store: Path | str, opts: Namespace, settings: Settings
) -> Sequence[Piece]:
    """Return what counted of a page, as it was kept or as it is in a file; write it if asked to."""
    page = page_in_file(opts.page, settings, url) if opts.page else None
    with Texts(store, settings.map_size) as texts:
        outline = outline_of(page, settings) if page else texts.outline(url)
        own = texts.on_host(outline, url) if outline else None
    if outline is None or own is None:
        raise DedupError(
            f"The store {store} does not have the text of {url}: name a file that has the page "
            "with --page FILE"
        )
    pieces = pieces_of(outline, own, page, settings.max_text)
    if opts.html:
        from dedup_middleware.viewer.evidence import counted_page  # imports more than this

        write_output(opts.html, counted_page(url, outline, pieces))
        warn(f"Written: {opts.html}")
    return pieces


def as_json(pieces: Sequence[Piece]) -> dict[str, Any]:
    return {
        "words": {str(counted): words for counted, words in words_of(pieces).items()},
        "blocks": [
            {"counted": str(piece.counted), "kind": piece.block.kind, "text": piece.block.plain()}
            for piece in pieces
        ],
    }


def as_text(url: str, pieces: Sequence[Piece], out: Screen) -> Iterator[str]:
    """Yield the blocks of a page with a mark for those that are not its own, below a legend."""
    room = out.columns if out.terminal and not out.wide else 0
    yield out.paint(truncate(escape(url), room) if room else escape(url), "bold")
    for counted, words in words_of(pieces).items():
        mark, meaning = _MARKS[counted], MEANINGS[counted]
        yield out.paint(f"{mark:<{_MARGIN}}{quantity(words, 'word')} {meaning}", _style(counted))
    if any(piece.is_beginning for piece in pieces):
        yield f"{'':<{_MARGIN}}hidden text is kept in part: --page FILE names a file with the page"
    before: Piece | None = None
    for piece in pieces:
        if not (before and is_next_line(piece.block, before.block)):
            yield ""
        before = piece
        mark, style = f"{_MARKS[piece.counted]:<{_MARGIN}}", _style(piece.counted)
        for line in piece.block.markdown().split("\n"):
            for row in _wrapped(escape(line), room - _MARGIN) if room else [escape(line)]:
                yield (mark + out.paint(row, style)).rstrip()


def _style(counted: Counted) -> str:
    return _STYLES.get(counted, "")


def _wrapped(line: str, room: int) -> list[str]:
    """Wrap a line of text below its own indentation; characters of some scripts are two wide."""
    indent = " " * min(len(line) - len(line.lstrip()), room // 2)
    narrow = room if width(line) == len(line) else room // 2
    return textwrap.wrap(line, narrow, subsequent_indent=indent, break_on_hyphens=False) or [""]
