"""Compressed files, read as if they were not."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, cast

import zstandard

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path
    from typing import BinaryIO

COMPRESSED = (".gz", ".zst")
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError)
_LARGEST_WINDOW = 128 << 20
# a web archive may begin with the dictionary of its frames, in a frame that others skip
_DICTIONARY, _FRAME = (0x184D2A5D).to_bytes(4, "little"), (0xFD2FB528).to_bytes(4, "little")
_LARGEST_DICTIONARY = 128 << 20


def without_suffix(name: str) -> str:
    """Return the name of a file without that of its compression.

    >>> without_suffix("pages.WARC.GZ"), without_suffix("pages.html")
    ('pages.WARC', 'pages.html')
    """
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def open_decompressed(path: Path, stack: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Open a file; return it as it is on the disk, and decompressed."""
    raw = stack.enter_context(path.open("rb"))
    name = path.name.lower()
    if name.endswith(".gz"):
        return raw, cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=raw)))
    if name.endswith(".zst"):
        return raw, stack.enter_context(_Zstd(raw))
    return raw, raw


class _Zstd(io.BufferedReader):
    """The frames of a zstd file, one after another."""

    def __init__(self, raw: BinaryIO) -> None:
        decompressor = zstandard.ZstdDecompressor(
            dict_data=_dictionary(raw), max_window_size=_LARGEST_WINDOW
        )
        super().__init__(decompressor.stream_reader(raw, read_across_frames=True, closefd=False))


def _dictionary(raw: BinaryIO) -> zstandard.ZstdCompressionDict | None:
    """Read the dictionary that a file begins with, if it does."""
    if raw.read(4) != _DICTIONARY:
        raw.seek(0)
        return None
    data = raw.read(min(int.from_bytes(raw.read(4), "little"), _LARGEST_DICTIONARY))
    if data.startswith(_FRAME):
        data = zstandard.ZstdDecompressor().decompress(data, _LARGEST_DICTIONARY)
    return zstandard.ZstdCompressionDict(data)
