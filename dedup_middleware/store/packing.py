"""Outlines and decisions as compressed bytes."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from dedup_middleware.read import Identity, Outline

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEAD = struct.Struct("<II")
_LEVEL = 1  # 3 takes a third longer for 2 % less
_NAMES = 7  # of an identity
_MAX_UNPACKED = 1 << 30
EMPTY = Outline(Identity(), b"", (), b"", ())
# What decisions have in common; part of the format of a store.
_LINE = (
    b'{"v":1,"seq":1,"time":"2026-01-01T00:00:00.000+00:00","run":"20260101T000000-000000",'
    b'"spider":"","url":"https://www.","verdict":"unique","action":"pass","original":null,'
    b'"swallowed":[],"stage":"lookup","model":0,"scores":{"simhash_distance":0,"resemblance":0.'
    b',"containment":0.,"contained_by":0.,"covered":[0.,0.],"aligned":[0.,0.],"swapped":0,'
    b'"subject":true,"replaced":0,"words":[1,1],"common":[0.,0.],"facts":[0.,0.],"numbers":[],'
    b'"known":[0.,0.],"rs":[0.,0.],"odds_ratio":0.,"tree":[0.,0.],"sentence_share":[0.,0.],'
    b'"chain":[0.,0.],"negated":0},"verdict":"exact","action":"drop","original":"https://www.'
    b'","stage":"digest","scores":{},"reason":"Its text is the same as that of",'
    b'"stage":"shingles","reason":"Nothing like it is known.","ms":1.23,"bytes":12345,'
    b'"closest":"https://www.","generation":1}'
)


class _PerThread(threading.local):
    """A zstd (de)compressor shared between threads crashes the interpreter."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()
        lines = zstandard.ZstdCompressionDict(_LINE, zstandard.DICT_TYPE_RAWCONTENT)
        self.line_compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=lines)
        self.line_decompressor = zstandard.ZstdDecompressor(dict_data=lines)


_zstd = _PerThread()


def pack(outline: Outline) -> bytes:
    """Compress an outline."""
    names = outline.identity
    beside = (
        *(names.title, names.heading, names.language, names.canonical or ""),
        *(names.og_url or "", names.og_title, names.headline),
        *outline.cut,
    )
    parents, texts = (
        outline.source.columns
        if outline.source
        # white space inside texts is folded, so that a line feed divides them
        else (np.array(outline.parents, "<i4").tobytes(), _encoded(outline.texts))
    )
    data = b"".join(
        (
            _HEAD.pack(len(outline.kinds), len(outline.cut)),
            outline.kinds,
            outline.boilerplate,
            parents,
            _encoded([text.replace("\n", " ") for text in beside]),
            b"\n",
            texts,
        )
    )
    return _zstd.compressor.compress(data)


def _encoded(texts: Iterable[str]) -> bytes:
    return "\n".join(texts).encode("utf-8", "surrogatepass")


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


def pack_line(line: bytes) -> bytes:
    """Compress a decision."""
    return _zstd.line_compressor.compress(line)


def unpack_line(packed: bytes) -> bytes:
    """Restore a decision; empty if it can't be read.

    >>> unpack_line(pack_line(b'{"v":1,"seq":7}'))
    b'{"v":1,"seq":7}'
    """
    try:
        return _zstd.line_decompressor.decompress(packed, max_output_size=_MAX_UNPACKED)
    except zstandard.ZstdError:
        return b""
