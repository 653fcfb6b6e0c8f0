"""Outlines as compressed bytes."""

from __future__ import annotations

import struct
import threading

import numpy as np
import zstandard

from dedup_middleware.read import Outline

_HEAD = struct.Struct("<II")
_LEVEL = 1
_MAX_UNPACKED = 1 << 30


class _PerThread(threading.local):
    """A zstd (de)compressor shared between threads crashes the interpreter."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_zstd = _PerThread()


def pack(outline: Outline) -> bytes:
    """Compress an outline."""
    beside = (outline.title, outline.language, outline.canonical or "", *outline.cut)
    lines = (*(text.replace("\n", " ") for text in beside), *outline.texts)
    data = b"".join(
        (
            _HEAD.pack(len(outline.texts), len(outline.cut)),
            outline.kinds,
            outline.boilerplate,
            np.array(outline.parents, "<i4").tobytes(),
            # white space inside texts is folded, so that a line feed divides them
            "\n".join(lines).encode("utf-8", "surrogatepass"),
        )
    )
    return _zstd.compressor.compress(data)


def unpack(packed: bytes) -> Outline:
    """Restore an outline."""
    data = _zstd.decompressor.decompress(packed, max_output_size=_MAX_UNPACKED)
    nodes, cuts = _HEAD.unpack_from(data)
    at = _HEAD.size
    lines = data[at + 6 * nodes :].decode("utf-8", "surrogatepass").split("\n")
    return Outline(
        title=lines[0],
        language=lines[1],
        canonical=lines[2] or None,
        kinds=data[at : at + nodes],
        boilerplate=data[at + nodes : at + 2 * nodes],
        parents=tuple(np.frombuffer(data, "<i4", nodes, at + 2 * nodes).tolist()),
        texts=tuple(lines[3 + cuts :]) if nodes else (),
        cut=tuple(lines[3 : 3 + cuts]),
    )
