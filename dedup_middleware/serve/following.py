"""A journal that may still be written: what is new in it, each line once it is whole."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from dedup_middleware.lines import blocks, lines_of
from dedup_middleware.review.decisions import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 5.0
"""Seconds after which the rest of a line is not expected any more."""


class Followed:
    r"""One journal, read on from where it was last read.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "run.jsonl"
    ...     path.write_bytes(b"one\ntwo\nthr") and None
    ...     followed = Followed(path)
    ...     first = [*followed.lines()]
    ...     with path.open("ab") as file:
    ...         file.write(b"ee\nfour\n") and None
    ...     first, [*followed.lines()]
    ([(0, b'one\n'), (4, b'two\n')], [(8, b'three\n'), (14, b'four\n')])
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """Lines that can't be read."""
        self._at = 0
        self._size = 0
        self._place: tuple[int, int] | None = None
        self._grown = time.monotonic()
        self._trouble = ""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Give the whole lines that are new, with the places where they begin."""
        try:
            with self.path.open("rb") as file:
                stat = os.fstat(file.fileno())
                size, place = stat.st_size, (stat.st_dev, stat.st_ino)
                if size < self._at or place != (self._place or place):
                    self._trouble = "was cut or replaced; start the server again to read it anew"
                    return
                self._place = place
                if size != self._size:
                    self._size, self._grown = size, time.monotonic()
                if size == self._at:
                    return
                file.seek(self._at)
                for block in blocks(file, LONGEST_LINE):
                    if block is None:
                        self.damaged += 1
                        self._at = file.tell()
                        continue
                    begin, whole = self._at, block.rfind(b"\n") + 1
                    self._at += whole
                    for start, end in lines_of(block[:whole]):
                        yield begin + start, block[start:end]
                    if whole < len(block):
                        return  # the rest may come
            self._trouble = ""
        except OSError as error:
            self._trouble = f"can't be read: {error.strerror}"

    @property
    def problems(self) -> list[str]:
        found = [self._trouble] if self._trouble else []
        if self.damaged:
            lines = "a line is" if self.damaged == 1 else f"{self.damaged:,} lines are"
            found.append(f"{lines} torn or not a decision; skipped")
        if self._size > self._at and time.monotonic() - self._grown > PATIENCE:
            found.append("its last line is torn; the rest is shown")
        return [f"{self.path}: {problem}" for problem in found]
