"""Word hashes and fingerprints by the compiled core: equal to those of the other modules here."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware import core
from dedup_middleware.read.decode import utf8

from .sample import Sample
from .sketch import Sketch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .hashing import Hashes
    from .keys import Keys

_HEAD = Struct("<7I2Q")
_HASH = np.dtype("<u8")


class MainText(NamedTuple):
    """What a fingerprint holds of the main text."""

    words: int
    simhash: int
    sample: Sample
    pairs: Hashes
    sketch: Sketch
    keys: Keys
    shingles: Hashes


def text_hashes(text: str) -> Hashes:
    """Hash every word of a text, in order."""
    return np.frombuffer(_call("word_hashes", text), "<u8")


def main_text(text: str) -> MainText:
    """Fingerprint a main text."""
    return unpacked(_call("fingerprint", text))


def unpacked(data: bytes, at: int = 0) -> MainText:
    """Return what stands at a place of an answer of the core."""
    words, *counts, short_limit, simhash, limit = _HEAD.unpack_from(data, at)
    sampled, paired, shingled, keyed, dense = counts
    begin, end = at + _HEAD.size, sampled + paired + shingled + keyed
    hashes = np.frombuffer(data, _HASH, end, begin)
    short = begin + 8 * end
    return MainText(
        words,
        simhash,
        Sample(hashes[:sampled], limit),
        hashes[sampled : sampled + paired],
        Sketch(short_limit, dense, data[short : short + 4 * (dense + paired)]),
        hashes[end - keyed :],
        hashes[sampled + paired : end - keyed],
    )


def block_hashes(texts: Sequence[str]) -> list[int]:
    """Hash every text; none has a line feed in it."""
    found: list[int] = np.frombuffer(_call("block_hashes", "\n".join(texts)), "<u8").tolist()
    return found if texts else []


def _call(name: str, text: str) -> bytes:
    return core.call(name, utf8(text))
