"""Files: replaced as a whole, for their owner alone, or of lines, huge and written by others."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

_PIECE = 1 << 20
BLOCK = 1 << 18  # bytes; stays in the processor's cache while it is searched


def open_private(path: Path, mode: str, *, buffering: int = -1) -> BinaryIO:
    """Open a file; if it is made now, for its owner alone. A symbolic link is refused."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    file = open(path, mode, buffering=buffering, opener=opener)  # noqa: SIM115 - the caller closes it
    return cast("BinaryIO", file)


def make_private_folder(path: Path) -> None:
    """Make a folder for its owner alone, unless it is there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Replace a file in one step; readers see the old one or the new one, also after a crash."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")  # several may write at once
    try:
        with open_private(new, "xb") if private else new.open("xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def bounded_lines(file: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    r"""Yield numbered lines of a file; None for a line longer than the limit.

    >>> import io
    >>> list(bounded_lines(io.BytesIO(b"ab\nabcdef\nc"), 4))
    [(1, b'ab\n'), (2, None), (3, b'c')]
    """
    number = 0
    while line := file.readline(limit + 1):
        number += 1
        if len(line) <= limit or line.endswith(b"\n"):
            yield number, line
            continue
        _skip_line(file)
        yield number, None


def blocks(file: BinaryIO, limit: int, size: int = BLOCK) -> Iterator[bytes | None]:
    r"""Yield a file in blocks of whole lines; None for a line that is too long.

    Too long is longer than the limit and a block together.

    >>> import io
    >>> list(blocks(io.BytesIO(b"ab\nabcdefgh\nc"), 4, size=2))
    [b'ab\n', None, b'c']
    """
    while block := file.read(size):
        if not block.endswith(b"\n"):
            block += file.readline(limit + 1)
        start = block.rfind(b"\n", 0, len(block) - 1) + 1
        if len(block) - start <= limit or block.endswith(b"\n"):
            yield block
            continue
        _skip_line(file)
        if start:
            yield block[:start]
        yield None


def lines_of(block: bytes) -> Iterator[tuple[int, int]]:
    r"""Yield where each line of a block begins and ends.

    >>> list(lines_of(b"one\ntwo"))
    [(0, 4), (4, 7)]
    """
    start, length = 0, len(block)
    while start < length:
        end = block.find(b"\n", start) + 1 or length
        yield start, end
        start = end


def lines_with(block: bytes, needles: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    r"""Yield where the lines begin and end that hold one of the needles, in order.

    >>> block = b"one\ntwo\nthree\n"
    >>> [block[start:end] for start, end in lines_with(block, [b"ee", b"on"])]
    [b'one\n', b'three\n']
    """
    if len(needles) == 1:
        yield from _lines_with_one(block, needles[0])
        return
    places = [block.find(needle) for needle in needles]
    while found := [place for place in places if place >= 0]:
        at = min(found)
        start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at) + 1 or len(block)
        yield start, end
        places = [
            block.find(needle, end) if 0 <= place < end else place
            for needle, place in zip(needles, places, strict=True)
        ]


def append(path: Path, line: bytes) -> None:
    """Append a line and sync it to disk; an incomplete last line is ended first."""
    with path.open("a+b", buffering=0) as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = b"\n" + line
        line += b"\n"
        # one call: others may be appending to the same file
        if file.write(line) != len(line):
            raise OSError(0, "the disk is full")
        os.fsync(file.fileno())


def _lines_with_one(block: bytes, needle: bytes) -> Iterator[tuple[int, int]]:
    at = block.find(needle)
    while at >= 0:
        start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at) + 1 or len(block)
        yield start, end
        at = block.find(needle, end)


def _skip_line(file: BinaryIO) -> None:
    while (piece := file.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass
