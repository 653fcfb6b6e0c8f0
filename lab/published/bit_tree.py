"""The Patricia tree of a text (Pereira & Ziviani, Figure 4): SiStrings told apart bit by bit."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dedup_middleware.methods.patricia import SiStrings

if TYPE_CHECKING:
    from collections.abc import Iterator

_BYTE: Final = 8
_CODES: Final = 256


@dataclass(frozen=True, slots=True)
class Leaf:
    """A SiString, by its number in the text, from 1."""

    number: int
    text: str

    @property
    def label(self) -> str:
        return f"{self.number}: {self.text}"


@dataclass(frozen=True, slots=True)
class Branch:
    """A bit, counted from 1, by which the SiStrings on both sides differ first."""

    bit: int
    zero: Branch | Leaf
    one: Branch | Leaf

    @property
    def label(self) -> str:
        return str(self.bit)


def bit_tree(text: str) -> Branch | Leaf | None:
    r"""Build the tree of a text from its sorted SiStrings; None if it has no words.

    >>> print("\n".join(drawn(bit_tree("uma rosa é uma rosa."))))
    1
    ├─ 6
    │  ├─ 37
    │  │  ├─ 2: rosa é uma rosa.
    │  │  └─ 5: rosa.
    │  └─ 69
    │     ├─ 1: uma rosa é uma rosa.
    │     └─ 4: uma rosa.
    └─ 3: é uma rosa.
    """
    sistrings = SiStrings(text)
    numbers = {start: number for number, start in enumerate(sistrings.starts.tolist(), 1)}
    order = list(sistrings.order)
    encoding = _encoding(text)
    codes = [text[start:].encode(encoding, "surrogatepass") for start in order]
    made: dict[tuple[int, int], Branch | Leaf] = {}
    todo = [(0, len(order))] if order else []
    while todo:  # without recursion: a text that repeats itself makes a deep tree
        low, high = todo[-1]
        if high - low == 1:
            made[low, high] = Leaf(numbers[order[low]], text[order[low] :])
            todo.pop()
            continue
        bit = _first_difference(codes[low], codes[high - 1])
        # sorted: all whose bit is 0 come before those whose bit is 1
        middle = bisect_left(range(low, high), 1, key=lambda at: _bit(codes[at], bit)) + low
        halves = (low, middle), (middle, high)
        missing = [half for half in halves if half not in made]
        if missing:
            todo += missing
        else:
            made[low, high] = Branch(bit, *(made.pop(half) for half in halves))
            todo.pop()
    return made.get((0, len(order)))


def drawn(tree: Branch | Leaf | None, before: str = "", rest: str = "") -> Iterator[str]:
    """Yield a tree as lines of text: 0 above, 1 below."""
    if tree is None:
        return
    yield before + tree.label
    if isinstance(tree, Branch):
        yield from drawn(tree.zero, rest + "├─ ", rest + "│  ")
        yield from drawn(tree.one, rest + "└─ ", rest + "   ")


def _encoding(text: str) -> str:
    """Return the code whose bits count: a byte a character where that is possible, as published."""
    return "latin-1" if all(ord(character) < _CODES for character in text) else "utf-8"


def _first_difference(one: bytes, other: bytes) -> int:
    """Return the first bit that differs; a text that has ended goes on with zeros."""
    size = max(len(one), len(other))
    apart = int.from_bytes(one.ljust(size, b"\0"), "big") ^ int.from_bytes(
        other.ljust(size, b"\0"), "big"
    )
    return _BYTE * size - apart.bit_length() + 1


def _bit(code: bytes, bit: int) -> int:
    place, shift = divmod(bit - 1, _BYTE)
    return code[place] >> (_BYTE - 1 - shift) & 1 if place < len(code) else 0
