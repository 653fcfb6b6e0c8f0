"""What the core must answer, each in a few lines over lists and sets: slow, and obviously right."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, TypeVar

import mmh3

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.read import Node, Outline

T = TypeVar("T")
BITS = 64
FULL = (1 << BITS) - 1
SEED = 0x5CA7
MULTIPLIER = 0x9E3779B97F4A7C15


def word_hashes(words: Sequence[str]) -> list[int]:
    """Hash each word."""
    return [mmh3.hash64(word.encode(), SEED, signed=False)[0] for word in words]


def mixed(*hashes: int) -> int:
    """Combine hashes in their order, and finish as MurmurHash3 does."""
    value = 0
    for one in hashes:
        value = (value * MULTIPLIER + one) & FULL
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = ((value ^ value >> 33) * factor) & FULL
    return value ^ value >> 33


def simhash(hashes: Sequence[int]) -> int:
    """Set each bit that more than half of the hashes have."""
    counts = (sum(one >> bit & 1 for one in hashes) for bit in range(BITS))
    return sum(1 << bit for bit, count in enumerate(counts) if 2 * count > len(hashes))


def shingles(items: Sequence[T], width: int) -> list[tuple[T, ...]]:
    """Return each run of so many neighbours; a shorter text is one, an empty one has none."""
    width = min(width, len(items))
    return [tuple(items[at : at + width]) for at in range(len(items) - width + 1)] if width else []


def shingle_hashes(hashes: Sequence[int], width: int = 4) -> list[int]:
    """Hash each shingle of four words."""
    return [mixed(*one) for one in shingles(hashes, width)]


def sample(shingles: Sequence[int]) -> tuple[list[int], int]:
    """Return the smallest hashes (one in 12, 8 to 640 of them), and up to where they are all."""
    every = sorted(set(shingles))
    few, limit = [one for one in every if one <= FULL // 12], FULL // 12
    if len(few) > 640:
        return few[:640], few[639]
    if len(few) < 8:
        return every[:8], every[7] if len(every) >= 8 else FULL
    return few, limit


def pairs(hashes: Sequence[int]) -> list[int]:
    """Return the 32 smallest hashes of two words at most six apart, the frequent ones left out."""
    counts = Counter(hashes)
    content = [one for one in hashes if counts[one] <= max(3, 0.01 * len(hashes))]
    near = (
        (content[at], content[at + distance])
        for distance in range(1, 7)
        for at in range(len(content) - distance)
    )
    return sorted({mixed(min(two), max(two)) for two in near})[:32]


def word_sample(hashes: Sequence[int]) -> bytes:
    """Return a byte of the smallest hash in each of 64 parts of their range, 0 if there is none."""
    parts = ([one for one in hashes if one >> 58 == part] for part in range(64))
    return bytes(min(part) % 255 + 1 if part else 0 for part in parts)


def sketch(shingles: Sequence[int], pairs: Sequence[int]) -> tuple[int, int, list[int]]:
    """Return the limit, the number of shingles, and all hashes of a sketch, by their upper half."""
    few, limit = sorted({one for one in shingles if one <= FULL // 4}), FULL // 4
    if len(few) > 256:
        few, limit = few[:256], few[255]
    return limit >> 32, len(few), [one >> 32 for one in (*few, *pairs)]


def keys(simhash: int, sample: Sequence[int], pairs: Sequence[int]) -> list[int]:
    """Return the look-up keys: ten of pairs of blocks of the SimHash, then those of samples."""
    blocks = [simhash >> 13 * number & (1 << (13 if number < 4 else 12)) - 1 for number in range(5)]
    found = [
        2 << 56 | number << 32 | one << 13 | other
        for number, (one, other) in enumerate(combinations(blocks, 2))
    ]
    for tag, hashes in ((3, sample), (4, pairs)):
        found += sorted({tag << 56 | one & (1 << 56) - 1 for one in hashes})
    return found


def covered(first: Sequence[str], second: Sequence[str], width: int) -> int:
    """Count the words of a text that lie in a shingle which the other has, too."""
    there = set(shingles(second, width))
    starts = [at for at, one in enumerate(shingles(first, width)) if one in there]
    return len({place for at in starts for place in range(at, at + width)})


def common(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the words that both texts have, each as often as both have it."""
    return (Counter(first) & Counter(second)).total()


def kept(is_kept: Sequence[bool], shortest: int = 3) -> int:
    """Count the words of a text that another keeps, those of shorter runs left out."""
    runs = "".join("x" if one else " " for one in is_kept).split()
    return sum(len(run) for run in runs if len(run) >= shortest)


def chain(places: Sequence[int], weights: Sequence[int]) -> int:
    """Return the weight of the heaviest of all subsets whose places ascend."""
    return max(
        sum(weights[at] for at in chosen)
        for size in range(len(places) + 1)
        for chosen in combinations(range(len(places)), size)
        if all(places[one] < places[other] for one, other in pairwise(chosen))
    )


def digested(outline: Outline) -> str:
    """Return what the digest of a page covers: its text, and the rows of tables that hold data."""
    nodes = outline.nodes
    cells: dict[int, set[int]] = {}  # of each row
    rows: dict[int, list[int]] = {}  # of each table
    places = []
    for number, node in enumerate(nodes):
        inner, place = number, (-1, 0)
        for outer in _around(nodes, number):
            if nodes[outer].kind == "row" and place[0] < 0:
                place = outer, outline.grid[inner]
                cells.setdefault(outer, set()).add(outline.grid[inner])
            inner = outer
            if nodes[outer].kind == "table":
                rows.setdefault(outer, [])
                rows[outer] += [number] if node.kind == "row" else []
                rows[outer] += [-1] if node.kind in {"table", "heading"} else []
                break
        else:
            place = -1, 0
        places.append(place)
    data = {
        row
        for found in rows.values()
        for row in found
        if -1 not in found and sum(len(cells[one]) > 1 for one in found) > 1
    }
    text, last = "", (-1, 0)
    for node, (row, column) in zip(nodes, places, strict=True):
        place = (row, column) if row in data else (-1, 0)
        if node.text:
            between = " " if text else ""
            if place[0] != last[0]:
                between, last = "\n", (place[0], 0)
            text += between + "\t" * (place[1] - last[1] - 1) + node.text
            last = place
    return text


def _around(nodes: Sequence[Node], number: int) -> Iterator[int]:
    while (number := nodes[number].parent) >= 0:
        yield number
