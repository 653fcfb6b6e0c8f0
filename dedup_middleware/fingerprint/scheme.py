"""The fingerprint of a page, and the name of the scheme by which it is made.

Part of it is the sketch: what the store keeps of a page to estimate how much another one shares
with it. It holds a dense sample of the page's shingles (a quarter of them, at most 256) and its
sample of word pairs, each hash with half of its bits, which is enough to tell members apart.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware import core
from dedup_middleware.read.decode import utf8
from dedup_middleware.read.outline import PLAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from simhash import Simhash

    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline

    from .hashing import Hashes

    Keys = NDArray[np.uint64]
    from collections.abc import Sequence

    Short = NDArray[np.uint32]

MISSED = 0.001
"""How seldom a sample may hide that pages share as much as is looked for."""
HEAD = Struct("<3I")
_COUNTS = Struct("<4I")
VERSION = 5
BITS = 64  # of a SimHash
SHINGLE_WORDS = 4

# A store made by another scheme is refused. Change the version with any value that a fingerprint
# has; tests/unit/test_fingerprint_golden.py fails when that is due.
SCHEME = f"dedup-{VERSION}/blake2b-256/mmh3-x64/simhash-64/shingles-{SHINGLE_WORDS}"

WORD_SAMPLE = 64
"""Bytes of a sample of words."""
_HEAD = Struct(f"<7I2Q{WORD_SAMPLE}s")

# A look-up key, by which a page is found again, is eight bytes: a tag that says what it is made of,
# and 56 bits of that. Ten keys are made of a SimHash, so that two within distance 3 share at least
# one: three bits that differ touch at most three of five blocks, so that two blocks are equal, and
# each pair of blocks is a key.
DIGEST, SIMHASH, SHINGLE, PAIR = 1, 2, 3, 4


class Estimate(NamedTuple):
    """How much two pages share, estimated from their samples."""

    shared: int
    """How many members of the samples both have."""
    sampled: tuple[int, int]
    """How many members of each sample were compared."""
    pairs: int
    """How many word pairs both have."""

    @property
    def containment(self) -> float:
        """The share of the page found in the other."""
        return self.shared / self.sampled[0] if self.sampled[0] else 0.0

    @property
    def contained_by(self) -> float:
        return self.shared / self.sampled[1] if self.sampled[1] else 0.0

    @property
    def resemblance(self) -> float:
        union = sum(self.sampled) - self.shared
        return self.shared / union if union else 0.0


class Sketch(NamedTuple):
    """The smallest hashes of a page's shingles, up to a limit, and of its word pairs."""

    packed: bytes
    """As the core takes it, which is all that is done with most of them: limit, how many hashes are
    of shingles, how many there are; these, four bytes each, ascending, and after them the pairs."""

    @property
    def limit(self) -> int:
        return int(HEAD.unpack_from(self.packed)[0])

    @property
    def sampled(self) -> int:
        """How many hashes are of shingles."""
        return int(HEAD.unpack_from(self.packed)[1])

    @property
    def sample(self) -> Short:
        return np.frombuffer(self.packed, "<u4", self.sampled, HEAD.size)

    @property
    def pairs(self) -> Short:
        return np.frombuffer(self.packed, "<u4", offset=HEAD.size + 4 * self.sampled)


def estimates(page: Sketch, others: Sequence[Sketch]) -> list[Estimate]:
    """Estimate what a page shares with each of some others."""
    packed = [other.packed for other in others]
    data = core.call("estimates", b"".join((page.packed, *packed)))
    return [
        Estimate(shared, (mine, theirs), pairs)
        for shared, mine, theirs, pairs in _COUNTS.iter_unpack(data)
    ]


@lru_cache(maxsize=4096)
def least_shared(size: int, share: float) -> int:
    """Return how many of a sample are shared at least, but for one page in a thousand.

    The members are drawn by chance from a page that has such a share in common with another: their
    number follows the binomial distribution.

    >>> least_shared(100, 0.5), least_shared(24, 0.5), least_shared(8, 0.5)
    (35, 5, 0)
    """
    if share >= 1:
        return size
    probability = (1 - share) ** size
    total, count = probability, 0
    while total < MISSED and count < size:
        probability *= (size - count) / (count + 1) * share / (1 - share)
        total += probability
        count += 1
    return count


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """All distinct shingle hashes of a page up to `limit`, ascending.

    The limit is 1/12 of the hash range, lower on pages where that gives more than 640, higher on
    those where it gives fewer than 8. A page of 100 words shares about eight members with any page
    that holds it, up to 75 times longer.
    """

    hashes: Hashes
    limit: int


class MainText(NamedTuple):
    """What a fingerprint holds of the main text."""

    words: int
    simhash: int
    sample: Sample
    pairs: Hashes
    sketch: Sketch
    keys: Keys
    shingles: Hashes
    word_sample: bytes


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """A page in a few hundred bytes.

    `digest` covers all visible text, and of tables that hold data where rows end and which cells
    are empty: the same words in two rows of three cells and in three of two are not the same page.
    A table holds data if at least two of its rows have at least two cells with text, and it has no
    heading and no other table in it; what only arranges a page does not count. SimHash and sample
    cover the main text only, so that boilerplate does not make pages alike. `body` covers the page
    as it came; it decides where text alone says too little: for short pages and for those that
    were cut.
    """

    digest: bytes
    body: bytes
    words: int
    """Number of words of the main text."""
    simhash: int
    sample: Sample
    pairs: Hashes
    """The sample of its word pairs."""
    sketch: Sketch
    """What is compared with other pages' to estimate how much they share."""
    keys: Keys
    """The keys by which pages that are alike are looked up."""
    shingles: Hashes | None = None
    """The hashes of all its shingles, in order; not stored, used while the page is judged."""
    word_sample: bytes = bytes(WORD_SAMPLE)
    """A byte of the smallest word hash in each of 64 parts of their range; 0: there is none."""
    presentation: bytes = PLAIN
    """A hash of all in the page that can have a say in whether its text is seen."""
    uncertain: bool = False
    """Whether nobody can be sure that visitors see all of the text."""

    def to_simhash(self) -> Simhash:
        """Return the SimHash as a `simhash.Simhash`; `from_simhash` is the way back."""
        return to_simhash(self.simhash)


def fingerprint(page: Page, outline: Outline) -> Fingerprint:
    """Fingerprint a page that has been read."""
    # twice as fast as BLAKE2 where processors help
    return fingerprint_of(outline, hashlib.sha256(page.body).digest())


def fingerprint_of(outline: Outline, body: bytes) -> Fingerprint:
    """Fingerprint a page of which only the outline is left, and a hash of its bytes."""
    packed = outline.packed
    if packed:  # it is made already
        main = _unpacked(packed.data, packed.fingerprint)
    else:
        main = _unpacked(core.call("fingerprint", utf8(outline.main)))
    digest = packed.digest if packed and not outline.cut else text_digest(outline, body)
    return Fingerprint(digest, body, *main, outline.presentation, outline.uncertain)


def _unpacked(data: bytes, at: int = 0) -> MainText:
    """Return what stands at a place of an answer of the core."""
    words, *counts, short_limit, simhash, limit, word_sample = _HEAD.unpack_from(data, at)
    sampled, paired, shingled, keyed, dense = counts
    begin, end = at + _HEAD.size, sampled + paired + shingled + keyed
    hashes = np.frombuffer(data, "<u8", end, begin)
    short, few = begin + 8 * end, dense + paired
    return MainText(
        words,
        simhash,
        Sample(hashes[:sampled], limit),
        hashes[sampled : sampled + paired],
        Sketch(HEAD.pack(short_limit, dense, few) + data[short : short + 4 * few]),
        hashes[end - keyed :],
        hashes[sampled + paired : end - keyed],
        word_sample,
    )


def text_digest(outline: Outline, body: bytes) -> bytes:
    """Hash all visible text of a page; `body` is the hash of its bytes, if it was cut."""
    parts = outline.kinds, outline.packed_parents, outline.grid, outline.lines
    text = core.call_parts("digested", parts)
    # what was cut is unknown, so pages that were cut are equal only if their bytes are
    return hashlib.blake2b(text, digest_size=32, key=body if outline.cut else b"").digest()


def distance(one: int, other: int) -> int:
    """Count the bits in which two SimHashes differ.

    >>> distance(0b1100, 0b1010)
    2
    """
    return (one ^ other).bit_count()


def to_simhash(value: int) -> Simhash:
    """Return a SimHash as one of the package `simhash`, whose indexes and functions take it.

    >>> to_simhash(0b1100).distance(to_simhash(0b1010))
    2
    """
    from simhash import Simhash  # only where somebody asks for it

    return Simhash(value, f=BITS)


def from_simhash(made: Simhash) -> int:
    """Return the value of a `simhash.Simhash`, as fingerprints hold it.

    >>> from_simhash(to_simhash(0b1100))
    12
    """
    if made.f != BITS:
        raise ValueError(f"A fingerprint has a SimHash of {BITS} bits, not of {made.f}")
    # the package takes numbers of any size, and looks at the last bits only
    value: int = made.value & ((1 << BITS) - 1)
    return value


def lookup_keys(page: Fingerprint, *, alike: bool) -> Keys:
    """Return the keys of a page, ascending; without `alike` only the one for equal text."""
    keys = np.empty(1 + (len(page.keys) if alike else 0), np.uint64)
    keys[0] = digest_key(page.digest)
    if alike:
        keys[1:] = page.keys
    return keys


def digest_key(digest: bytes) -> int:
    """Return the key for equal text."""
    return DIGEST << 56 | int.from_bytes(digest[:7], "big")
