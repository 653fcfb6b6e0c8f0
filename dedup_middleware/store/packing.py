"""What the store keeps for a page and for a URL; how that, outlines and decisions are packed."""

from __future__ import annotations

import struct
import threading
import time
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import zstandard

from dedup_middleware.fingerprint.scheme import Sketch
from dedup_middleware.read import Identity, Outline
from dedup_middleware.read.outline import HiddenText

if TYPE_CHECKING:
    from dedup_middleware.fingerprint import Fingerprint

_PAGE = struct.Struct("<BIdd16s32s8sQIHH")
_URL = struct.Struct(">BI32s")
_SUPERSEDED, _UNCERTAIN = 1, 2
PAGE_IN_URL = 1
"""Where the number of a page is in the packed record of a URL."""
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


@dataclass(frozen=True)
class PageRecord:
    """A registered page without its text.

    Whether it is delivered is not part of what is packed: pending pages are in a table of theirs.
    """

    number: int
    url: str
    key: bytes
    digest: bytes
    body: bytes
    simhash: int
    words: int
    sketch: Sketch
    run: int
    delivered: bool
    superseded: bool
    uncertain: bool
    """Whether nobody can be sure that visitors see all of its text."""
    presentation: bytes
    """A hash of all in the page that can have a say in whether its text is seen."""
    first_seen: float
    last_seen: float

    def pack(self) -> bytes:
        seen = self.first_seen, self.last_seen
        return packed_page(self.url, self.key, self, self.run, seen, superseded=self.superseded)

    @classmethod
    def unpack(cls, number: int, data: bytes, *, delivered: bool = True) -> PageRecord:
        flags, run, first, last, key, digest, presentation, *rest = _PAGE.unpack_from(data)
        simhash, words, sketch, body = rest
        end = _PAGE.size + sketch
        record = cls.__new__(cls)
        record.__dict__.update(  # quicker: a page has dozens of candidates
            number=number,
            url=data[end + body :].decode("utf-8", "surrogatepass"),
            key=key,
            digest=digest,
            body=data[end : end + body],
            simhash=simhash,
            words=words,
            sketch=Sketch(data[_PAGE.size : end]),
            run=run,
            delivered=delivered,
            superseded=bool(flags & _SUPERSEDED),
            uncertain=bool(flags & _UNCERTAIN),
            presentation=presentation,
            first_seen=first,
            last_seen=last,
        )
        return record


def packed_page(
    url: str,
    key: bytes,
    page: Fingerprint | PageRecord,
    run: int,
    seen: tuple[float, float] | None = None,
    *,
    superseded: bool = False,
) -> bytes:
    """Pack the record of a page; it is seen for the first time now unless `seen` says when."""
    sketch, body = page.sketch.packed, page.body
    head = _PAGE.pack(
        superseded * _SUPERSEDED | page.uncertain * _UNCERTAIN,
        run,
        *(seen or (time.time(),) * 2),
        key,
        page.digest,
        page.presentation,
        page.simhash,
        page.words,
        len(sketch),
        len(body),
    )
    return head + sketch + body + url.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """What was last seen at a URL: a registered page, or the copy of another one (alias)."""

    alias: bool
    number: int
    """The page that stands for the URL's text: its own, or the original."""
    digest: bytes

    def pack(self) -> bytes:
        return _URL.pack(self.alias, self.number, self.digest)

    @classmethod
    def unpack(cls, data: bytes) -> UrlRecord:
        alias, number, digest = _URL.unpack(data)
        return cls(bool(alias), number, digest)


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
