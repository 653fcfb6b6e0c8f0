"""Files: replaced as a whole, for their owner alone, or of lines, huge and written by others."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

_PIECE = 1 << 20


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


def _skip_line(file: BinaryIO) -> None:
    while (piece := file.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass
