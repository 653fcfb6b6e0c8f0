"""Lines of files that may be huge, torn or somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_PIECE = 1 << 20


def bounded_lines(file: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    r"""Number the lines of a file; one that is longer than the limit is passed over, as None.

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
        while (piece := file.readline(_PIECE)) and not piece.endswith(b"\n"):
            pass
        yield number, None
