"""Limits on the headers of web archives, so that none costs more than its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_LINE = 1 << 16  # browsers take URLs of 2 MB, but servers hardly any above 16 kB
MOST_LINES = 1000
_SHORT = 64  # bytes of a line that says a length


class HeaderLines:
    """The lines of one header; it ends where a line is too long, or where there are too many."""

    def __init__(self, stream: Any) -> None:
        self.is_too_long = False
        self._stream = stream
        self._count = 0

    def readline(self) -> bytes:
        if self.is_too_long:
            return b""
        line = self._line()
        self._count += 1
        self.is_too_long = self._count > MOST_LINES or _is_part(line)
        return b"" if self.is_too_long else line

    def skip_rest(self) -> list[tuple[str, str]]:
        """Read on to the blank line behind a header that is too long; return where its record ends.

        That is its Content-Length, without which all later records would be lost.
        """
        found = []
        is_part = True  # of a line, the beginning of which was read already
        while self.is_too_long and (line := self._line()):
            if not is_part and not line.strip():
                break
            name, _, value = line[:_SHORT].partition(b":")
            if not is_part and name.strip().lower() == b"content-length":
                found.append(("Content-Length", value.decode("latin-1").strip()))
            is_part = _is_part(line)
        return found[:1]

    def _line(self) -> bytes:
        """Read a line up to the limit; warcio may return less of it than was asked for."""
        line = b""
        while len(line) < LONGEST_LINE and not line.endswith(b"\n"):
            piece: bytes = self._stream.readline(LONGEST_LINE - len(line))
            if not piece:
                break
            line += piece
        return line


def _is_part(line: bytes) -> bool:
    return len(line) >= LONGEST_LINE and not line.endswith(b"\n")


def limit_headers(found: Any) -> None:
    """Have an iterator of warcio read no more of a header than the limits allow.

    It appends piece by piece to a line that does not end, which takes time by the square of its
    length, and keeps every line of a header. Headers that are cut have `is_too_long`.
    """
    reader, loader = found.reader, found.loader
    readline = reader.readline
    # between records, too, it reads lines
    reader.readline = lambda length=None: readline(min(length or LONGEST_LINE, LONGEST_LINE))
    for parser in (loader.warc_parser, loader.arc_parser, loader.http_parser):
        parser.parse = _limited(parser.parse)


def _limited(parse: Callable[..., Any]) -> Callable[..., Any]:
    def limited(stream: Any, first: Any = None) -> Any:
        lines = HeaderLines(stream)
        try:
            headers = parse(lines, first)
        except EOFError as error:  # which would be taken for the end of the archive
            if lines.is_too_long:
                raise ValueError(f"a line has more than {LONGEST_LINE:,} bytes") from error
            raise
        headers.headers += lines.skip_rest()
        headers.is_too_long = lines.is_too_long
        return headers

    return limited
