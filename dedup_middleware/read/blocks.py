"""Elements as the builder sees them, and where one run of marks leads from another."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .labels import NONE, level_of
from .marks import AND, ATTRIBUTE, BARE_BLOCKS, SLASH
from .outline import KINDS

# how the builder treats an element; numbers, because it looks a thousand times a page
PLAIN: Final = 0  # ends a line, that is all
HIDDEN: Final = 1
CONTAINER: Final = 2
SPECIAL: Final = 3


class Block(NamedTuple):
    """What the builder needs to know of an element."""

    way: int
    kind: int = -1
    """Index into KINDS; -1: that of the enclosing block."""
    scope: bool = False
    """Headings inside do not reach beyond it."""
    rank: int = 0
    """1…6 for a heading."""
    level: int = NONE
    """How likely it is boilerplate."""
    word: str = ""
    """The word of its class or id that says so."""


TEXT: Final = KINDS.index("text")
ITEM: Final = KINDS.index("item")
HEADING: Final = KINDS.index("heading")
INHERITED: Final = -1

_KIND_OF_TAG = {
    tag: KINDS.index(kind)
    for kind, tags in {
        "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
        "item": ("li",),
        "cell": ("td", "th"),
        "term": ("dt",),
        "definition": ("dd",),
        "code": ("pre", "listing", "xmp", "plaintext"),
        "address": ("address",),
        "quote": ("blockquote",),
        "caption": ("caption", "figcaption"),
        "control": ("button", "label", "legend", "option", "select"),
        "list": ("ul", "ol", "dl", "dir", "menu"),
        "table": ("table",),
    }.items()
    for tag in tags
}
_CONTAINERS = {KINDS.index("list"), KINDS.index("table")}
_SCOPES = {
    *("article", "aside", "blockquote", "dd", "details", "dialog", "dir", "dl", "dt", "fieldset"),
    *("figure", "footer", "form", "header", "li", "main", "menu", "nav", "ol", "section", "table"),
    *("td", "th", "ul"),
}
_RANK = re.compile(r"[1-6]")


@lru_cache(maxsize=20_000)
def block_of(head: str) -> Block:
    """Return the block that a head describes."""
    name, *pairs = head.split(ATTRIBUTE)
    attributes = {pair[:1]: pair[1:] for pair in pairs}
    # noscript is for browsers without scripts
    if name == "noscript":
        return Block(HIDDEN)
    if name in BARE_BLOCKS:  # else the result would depend on whether they were read
        attributes = {}
    role = attributes.get("r", "").strip().lower()
    kind = _KIND_OF_TAG.get(name, INHERITED)
    rank = int(name[1]) if kind == HEADING else 0
    if role == "heading":
        found = _RANK.search(attributes.get("l", ""))
        kind, rank = HEADING, int(found[0]) if found else 2  # 2 is what ARIA says
    scope = name in _SCOPES
    level, word = level_of(name, role, attributes.get("c", ""), attributes.get("i", ""))
    if kind in _CONTAINERS:
        return Block(CONTAINER, kind, scope=True, level=level, word=word)
    if kind == INHERITED and not scope and level == NONE:
        return Block(PLAIN)
    return Block(SPECIAL, kind, scope, rank, level, word)


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
    """One for each frame to leave: a tuple is the quickest to count down."""
    again: int
    """SAME if then one ends and one of its kind begins, SAME_ITEM if it is a list item."""
    begins: tuple[Block, ...]
    """Those that need a frame."""
    hidden: int
    """How many are open from the first hidden one on, 0 if none is."""
    low: int
    """The depth between the ends and the begins."""


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
        """Return where a run of heads leads, and remember it: look in `steps` first."""
        ends, begins, hidden = _parsed(run)
        place = self
        left: list[Block] = []
        while ends and place.up:
            ends -= 1
            left.append(place.block)
            place = place.up
        low = place.depth
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
            low,
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
    """Return True if the end of such a block and the begin of another only change sections."""
    plain = block.level == NONE and block.way != CONTAINER
    return plain and block.scope and block.kind != INHERITED
