"""Outlines and decisions as compressed bytes."""

from __future__ import annotations

import struct
import threading
from operator import attrgetter

import zstandard

from dedup_middleware.read import Identity, Outline
from dedup_middleware.read.outline import HiddenText

_line = attrgetter("line")
_HEAD = struct.Struct("<2I2H")  # nodes, bytes of parents, notes on what was cut, hidden texts
_LEVEL = 1  # 3 takes a third longer for 2 % less
_NAMES = 7  # of an identity
_ENCODING = ("utf-8", "surrogatepass")
_MAX_UNPACKED = 1 << 30
_NO_NUMBER = b'"seq":null'
EMPTY = Outline()
# What decisions have in common; part of the format of a store.
_LINE = (
    b'{"v":1,"seq":1,"time":"2026-01-01T00:00:00.000+00:00","run":"20260101T000000-000000",'
    b'"spider":"","url":"https://www.","verdict":"unique","action":"pass","original":null,'
    b'"swallowed":[],"stage":"lookup","lost":{"share":0.0,"words":0,"units":0,"of":1},"model":0,'
    b'"scores":{"simhash_distance":0,"resemblance":0.'
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
        *map(_line, outline.hidden),
    )
    parents = outline.packed_parents
    data = b"".join(
        (
            _HEAD.pack(len(outline.kinds), len(parents), len(outline.cut), len(outline.hidden)),
            outline.kinds,
            outline.boilerplate,
            outline.links,
            outline.grid,
            parents,
            "\n".join([text.replace("\n", " ") for text in beside]).encode(*_ENCODING),
            b"\n",
            outline.lines,
        )
    )
    return _zstd.compressor.compress(data)


def unpack(packed: bytes) -> Outline:
    """Restore an outline."""
    data = _zstd.decompressor.decompress(packed, max_output_size=_MAX_UNPACKED)
    nodes, size, cuts, hidden = _HEAD.unpack_from(data)
    starts = [_HEAD.size + column * nodes for column in range(5)]
    kinds, boilerplate, links, grid = (data[at : at + nodes] for at in starts[:-1])
    end = starts[-1] + size
    *beside, lines = data[end:].split(b"\n", _NAMES + cuts + hidden)
    names = b"\n".join(beside).decode(*_ENCODING).split("\n")
    title, heading, language, canonical, og_url, og_title, headline = names[:_NAMES]
    return Outline(
        Identity(title, heading, language, canonical or None, og_url or None, og_title, headline),
        kinds,
        data[starts[-1] : end],
        boilerplate,
        lines,
        links=links,
        grid=grid,
        cut=tuple(names[_NAMES : _NAMES + cuts]),
        hidden=tuple([HiddenText.of(line) for line in names[_NAMES + cuts :]]),
    )


def numbered(line: bytes, sequence: int) -> bytes:
    """Write the number of a decision into its line, which was made before it had one.

    >>> numbered(b'{"v":1,"seq":null}', 7)
    b'{"v":1,"seq":7}'
    """
    return line.replace(_NO_NUMBER, b'"seq":%d' % sequence, 1)


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
