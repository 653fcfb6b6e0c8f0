"""Data that waits in a page, packed, until a script unpacks it."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    T = TypeVar("T")

BLOCK = 8
"""Things that are packed and unpacked together: more are smaller, fewer are sooner there."""


def packed(data: object) -> str:
    """Write data as JSON, gzipped, in base64: nothing in it can be taken for markup."""
    # ASCII: half a surrogate pair has no other encoding
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")
    return base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii")


def unpacked(text: str) -> object:
    """Read back what `packed` has written.

    >>> unpacked(packed({"a": [1, None]}))
    {'a': [1, None]}
    """
    return json.loads(gzip.decompress(base64.b64decode(text, validate=True)))


def blocks(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), BLOCK):
        yield things[start : start + BLOCK]
