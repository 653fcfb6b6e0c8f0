"""Where a text stands: the elements around it, and how heads lead from one place to another.

Pages of a site repeat the same elements in the same order, so each step is worked out once and
remembered. What remains to be done for a step is what depends on the texts.
"""

from __future__ import annotations

from typing import NamedTuple

from .blocks import CONTAINER, HIDDEN, INHERITED, ITEM, PLAIN, TEXT, Block, block_of
from .levels import NONE
from .marks import AND, SLASH

_MEMO_SIZE = 20_000  # class names come from strangers
_MEMO_RUN = 1_000
_MEMO_DEPTH = 100

SAME = 1
SAME_ITEM = 2


class Step(NamedTuple):
    """From one text to the next: elements end, others begin."""

    place: Place
    kind: int
    rank: int
    ends: tuple[None, ...]
    """As many as there are frames to leave: the quickest to count off."""
    again: int
    """SAME if then one ends and its like begins, SAME_ITEM if it is a list item."""
    begins: tuple[Block, ...]
    """Those that need a frame."""
    hidden: int
    """How many are open from the first hidden one on, 0 if none is."""


class Place:
    """A block inside others."""

    __slots__ = ("block", "depth", "inner", "kind", "rank", "steps", "up")

    def __init__(self, block: Block, up: Place | None) -> None:
        self.block = block
        self.up = up
        self.depth: int = up.depth + 1 if up else 0
        self.kind: int = block.kind
        self.rank = block.rank
        if block.way == CONTAINER:
            self.kind = TEXT
        elif block.kind == INHERITED and up:
            self.kind, self.rank = up.kind, up.rank
        self.steps: dict[str, Step] = {}
        self.inner: dict[Block, Place] = {}

    def step(self, run: str) -> Step:
        """Return where heads in a row lead, and remember it: ask `steps` first."""
        ends, begins, hidden = _parsed(run)
        place = self
        left: list[Block] = []
        while ends and place.up:
            ends -= 1
            left.append(place.block)
            place = place.up
        entered = list(begins)
        for block in begins:
            place = place.enter(block)
        again = 0
        if left and entered and left[-1] == entered[0] and _repeats(entered[0]):
            again = SAME_ITEM if entered[0].kind == ITEM else SAME
            del left[-1], entered[0]
        step = Step(
            place,
            place.kind,
            place.rank,
            tuple(None for block in left if _has_frame(block)),
            again,
            tuple(filter(_has_frame, entered)),
            hidden,
        )
        if len(run) <= _MEMO_RUN and self.depth < _MEMO_DEPTH:
            _memo.size += 1
            self.steps[run] = step
        return step

    def enter(self, block: Block) -> Place:
        """Return the place inside a block."""
        inner = self.inner.get(block)
        if inner is None:
            inner = Place(block, self)
            if self.depth < _MEMO_DEPTH:
                _memo.size += 1
                self.inner[block] = inner
        return inner


class _Memo:
    """The top of all remembered places, and how much is remembered."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.size = 0
        self.top = Place(Block(PLAIN, TEXT), None)


_memo = _Memo()


def top() -> Place:
    """Return the place outside of all elements."""
    if _memo.size > _MEMO_SIZE:
        _memo.forget()
    return _memo.top


def _parsed(run: str) -> tuple[int, list[Block], int]:
    """Return how many elements end, which begin, and how deep the run ends in a hidden one."""
    ends = hidden = 0
    begins: list[Block] = []
    for head in run.split(AND):
        if hidden:
            hidden += -1 if head == SLASH else 1
        elif head == SLASH:
            if begins:  # nothing in it, so it was never there
                begins.pop()
            else:
                ends += 1
        elif head:
            block = block_of(head)
            if block.way == HIDDEN:
                hidden = 1
            else:
                begins.append(block)
    return ends, begins, hidden


def _has_frame(block: Block) -> bool:
    return block.scope or block.level != NONE


def _repeats(block: Block) -> bool:
    """Tell whether the end of a block and the begin of its like change no more than sections."""
    plain = block.level == NONE and block.way != CONTAINER
    return plain and block.scope and block.kind != INHERITED
