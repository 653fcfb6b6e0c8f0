"""Outlines as compressed bytes."""

from __future__ import annotations

import struct
import threading

import numpy as np
import zstandard

from dedup_middleware.read import Identity, Outline

_HEAD = struct.Struct("<II")
_LEVEL = 1
_NAMES = 7  # of an identity
_MAX_UNPACKED = 1 << 30


class _PerThread(threading.local):
    """A zstd (de)compressor shared between threads crashes the interpreter."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_zstd = _PerThread()


def pack(outline: Outline) -> bytes:
    """Compress an outline."""
    names = outline.identity
    beside = (
        *(names.title, names.heading, names.language, names.canonical or ""),
        *(names.og_url or "", names.og_title, names.headline),
        *outline.cut,
    )
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
    title, heading, language, canonical, og_url, og_title, headline = lines[:_NAMES]
    return Outline(
        Identity(title, heading, language, canonical or None, og_url or None, og_title, headline),
        kinds=data[at : at + nodes],
        boilerplate=data[at + nodes : at + 2 * nodes],
        parents=tuple(np.frombuffer(data, "<i4", nodes, at + 2 * nodes).tolist()),
        texts=tuple(lines[_NAMES + cuts :]) if nodes else (),
        cut=tuple(lines[_NAMES : _NAMES + cuts]),
    )
