"""Word hashes (MurmurHash3) and the shingle hashes that are combined from them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import mmh3
import numpy as np

from dedup_middleware.read.words import fold, pieces, words

from .characters import ABOVE, SPACELESS, UNSETTLED, WORD, tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

SEED = 0x5CA7
CACHED_WORDS = 1 << 17
_PART = 100_000  # characters
_SHORT = 15  # bytes; MurmurHash3 takes longer words in blocks, shorter ones in one go
_TWO_BYTES = 0x80
_MORE_BYTES = (_TWO_BYTES, 0x800, 0x10000)  # from these code points on, UTF-8 takes one more
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_FMIX_1, _FMIX_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_TAIL_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)


def word_hash(word: bytes) -> int:
    """Hash one word; fits `simhash.Simhash(…, hashfunc=word_hash)`."""
    return mmh3.hash64(word, SEED, signed=False)[0]


class _Cache(dict[str, bytes]):
    """Remember word hashes; a stream of invented words must not fill the memory."""

    def __missing__(self, word: str) -> bytes:
        if len(self) >= CACHED_WORDS:
            self.clear()
        value = word_hash(word.encode("utf-8", "surrogatepass")).to_bytes(8, "little")
        self[word] = value
        return value


_cache = _Cache()


def word_hashes(words: Iterable[str]) -> Hashes:
    """Hash every word of a list, in order."""
    return np.frombuffer(b"".join(map(_cache.__getitem__, words)), "<u8").astype(np.uint64)


def text_hashes(text: str) -> Hashes:
    """Hash every word of a text, in order: `word_hashes(words(text))`, several times as fast."""
    if len(text) <= _PART:
        return _part_hashes(text)
    # one long call would hold up the event loop
    parts, start = [], 0
    while start < len(text):
        end = text.find(" ", start + _PART) + 1 or len(text)
        parts.append(_part_hashes(text[start:end]))
        start = end
    return np.concatenate(parts)


def _part_hashes(text: str) -> Hashes:
    settled = text
    codes, classes, data = _characters(text)
    if (classes & (UNSETTLED | SPACELESS)).any():
        settled = fold(text)
        codes, classes, data = _characters(settled)
    inside = np.zeros(len(codes) + 2, np.bool_)
    np.not_equal(classes & WORD, 0, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    if not len(edges) or classes.max() >= ABOVE:
        return word_hashes(words(text))
    places = edges if len(data) == len(codes) else _byte_offsets(codes, edges)
    starts, lengths = places[::2], places[1::2] - places[::2]
    hashes = _murmur_short(data, starts, lengths)
    long = np.flatnonzero(lengths > _SHORT)
    if len(long):
        spans = zip(starts[long].tolist(), lengths[long].tolist(), strict=True)
        hashes[long] = [word_hash(data[start : start + length]) for start, length in spans]
    spaceless = np.flatnonzero(classes & (SPACELESS | WORD) == SPACELESS | WORD)
    if len(spaceless):
        return _with_pieces(hashes, settled, edges, spaceless)
    return hashes


def _characters(text: str) -> tuple[NDArray[np.integer], NDArray[np.uint8], bytes]:
    """Return the code points of a text, their classes, and the text folded in UTF-8."""
    if text.isascii():
        data = text.lower().encode("ascii")
        codes = np.frombuffer(data, np.uint8)
        return codes, tables().classes[codes], data
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    folded = tables().folded.take(codes, mode="clip")
    data = folded.tobytes().decode("utf-32-le", "surrogatepass").encode("utf-8", "surrogatepass")
    return folded, tables().classes.take(codes, mode="clip"), data


def _with_pieces(
    hashes: Hashes, text: str, edges: NDArray[np.int64], spaceless: NDArray[np.int64]
) -> Hashes:
    """Replace the hash of each word in a script without spaces by the hashes of its pieces."""
    indices = np.unique(np.searchsorted(edges[::2], spaceless, "right") - 1)
    spans = zip(edges[::2][indices].tolist(), edges[1::2][indices].tolist(), strict=True)
    found = [pieces(text[start:end]) for start, end in spans]
    sizes = np.ones(len(hashes), np.int64)
    sizes[indices] = list(map(len, found))
    whole = np.repeat(hashes, sizes)
    in_pieces = np.zeros(len(hashes), np.bool_)
    in_pieces[indices] = True
    whole[np.repeat(in_pieces, sizes)] = word_hashes(chain.from_iterable(found))
    return whole


def _byte_offsets(codes: NDArray[np.integer], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Turn positions in a text into positions in its UTF-8 form."""
    wide = np.flatnonzero(codes >= _TWO_BYTES)
    extra = np.searchsorted(_MORE_BYTES, codes[wide], "right")
    shifts = np.concatenate((np.zeros(1, np.int64), np.cumsum(extra)))
    return edges + shifts[np.searchsorted(wide, edges)]


def _murmur_short(data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Hashes:
    """Compute the first half of MurmurHash3 x64-128 for words of up to 15 bytes."""
    padded = data + bytes(16)
    at_every_byte = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    low = at_every_byte[starts] & _TAIL_MASKS[np.minimum(lengths, 8)]
    high = at_every_byte[starts + 8] & _TAIL_MASKS[np.clip(lengths - 8, 0, 8)]
    one = np.uint64(SEED) ^ _rotate(low * _C1, 31) * _C2 ^ lengths.astype(np.uint64)
    two = np.uint64(SEED) ^ _rotate(high * _C2, 33) * _C1 ^ lengths.astype(np.uint64)
    one += two
    two += one
    return _finish(one) + _finish(two)


def _rotate(values: Hashes, bits: int) -> Hashes:
    return values << np.uint64(bits) | values >> np.uint64(64 - bits)


def _finish(values: Hashes) -> Hashes:
    """Spread every input bit over all output bits, in place (MurmurHash3's finaliser)."""
    values ^= values >> np.uint64(33)
    values *= _FMIX_1
    values ^= values >> np.uint64(33)
    values *= _FMIX_2
    values ^= values >> np.uint64(33)
    return values


def shingle_hashes(hashes: Hashes, width: int) -> Hashes:
    """Combine each `width` neighbouring word hashes into one; a shorter text is one shingle.

    >>> len(shingle_hashes(word_hashes("to be or not to be".split()), 4))
    3
    """
    width = min(width, len(hashes))
    count = len(hashes) - width + 1 if width else 0
    combined = hashes[:count].copy()
    for offset in range(1, width):
        combined *= _MULTIPLIER
        combined += hashes[offset : offset + count]
    return _finish(combined)


def mixed(first: Hashes, second: Hashes) -> Hashes:
    """Combine hashes, each of the first with the one at its place in the second."""
    return _finish(first * _MULTIPLIER + second)
