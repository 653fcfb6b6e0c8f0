"""The builder: mark stream → outline, in one pass over the marks."""

from __future__ import annotations

import sys
from itertools import accumulate
from typing import TYPE_CHECKING

from .blocks import CONTAINER, HEADING, ITEM, SAME_ITEM, Block, top
from .boilerplate import mark_boilerplate
from .columns import Columns, Span
from .identity import bounded
from .marks import AND, END, LINK, OPEN, SLASH
from .outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .identity import Declared

_PART = 100_000  # characters
_NO_ITEM = -2  # not directly inside a list item
_NO_TEXT_YET = -1
_NEVER = sys.maxsize
_ONE_LINK = 3  # what is before, in and after it

# What is restored at the end of an element: how many sections were open before it, how many of them
# headings inside may not end, its first node (if it matters), its level, the enclosing item.
_Frame = tuple[int, int, int, Block, int]


def build(  # noqa: PLR0912, PLR0915 - calls would cost more than what they do
    stream: str, declared: Declared, url: str, max_text: int
) -> Outline:
    """Return the outline of any mark stream."""
    kinds = bytearray()
    parents: list[int] = []
    texts: list[str] = []
    links: dict[int, tuple[int, int]] = {}
    tops: list[int] = []
    spans: list[Span] = []
    lows: list[int] = []

    # One loop and local names only: its body runs hundreds of times a page.
    place, item = top(), _NO_ITEM
    # ranks and nodes of all open sections; the last is the parent of what follows
    ranks, sections, parent, floor = [0], [-1], -1, 1
    frames: list[_Frame] = []
    in_link = False
    reach = 0  # the least depth since the last node
    inside = 0  # of hidden elements
    for heads, text in _pieces(stream):
        run = heads
        if inside:
            run, inside = _after_hidden(heads, inside)
            if inside:
                continue
        step = place.steps.get(run) or place.step(run)
        place, kind, rank, ends, again, begins, hidden, low = step
        if low < reach:  # noqa: PLR1730 - a call costs more
            reach = low
        for _ in ends:
            depth, floor, start, block, item = frames.pop()
            if len(sections) > depth:
                del sections[depth:], ranks[depth:]
                parent = sections[-1]
            node = len(texts)
            if node > start:
                if node == start + 1 and not texts[start]:  # a list or table, and empty
                    del kinds[start], parents[start], texts[start], lows[start]
                elif block.level:
                    spans.append(Span(start, node, block.level, block.word))
        if again:
            if len(sections) > floor:
                del sections[floor:], ranks[floor:]
                parent = sections[-1]
            if again == SAME_ITEM:
                item = _NO_TEXT_YET
        for block in begins:
            way, own_kind, scope, _, level, _ = block
            depth = len(sections) if scope else _NEVER
            if way == CONTAINER:
                node = len(texts)
                frames.append((depth, floor, node, block, item))
                parents.append(parent if item < 0 else item)
                kinds.append(own_kind)
                texts.append("")
                lows.append(reach)
                parent = node
                sections.append(node)
                ranks.append(0)
                floor = depth + 1
                item = _NO_ITEM
                continue
            frames.append((depth, floor, len(texts) if level else _NEVER, block, item))
            if scope:
                floor = depth
            if own_kind == ITEM:
                item = _NO_TEXT_YET
        if hidden:
            inside = hidden
            continue

        line = text.strip()
        if in_link or LINK in line:
            parts = line.split(LINK)
            if len(parts) == _ONE_LINK and not (in_link or parts[0] or parts[2]):
                line = parts[1].strip()  # most often a line is one link
                links[len(texts)] = len(line), 1
            else:
                linked = parts[0 if in_link else 1 :: 2]
                line = "".join(parts).strip()
                if "  " in line:
                    line = " ".join(line.split())
                links[len(texts)] = sum(map(len, linked)), len(linked)
                if not len(parts) % 2:
                    in_link = not in_link
            if not line:
                del links[len(texts)]
        if line:
            if rank:
                while len(sections) > floor and ranks[-1] >= rank:
                    sections.pop()
                    ranks.pop()
                parents.append(sections[-1])
                parent = len(texts)
                sections.append(parent)
                ranks.append(rank)
                if rank == 1:
                    tops.append(parent)
            else:
                parents.append(parent)
                if item == _NO_TEXT_YET and kind == ITEM:
                    item = len(texts)
            kinds.append(kind)
            texts.append(line)
            lows.append(reach)
            reach = place.depth

    cut: tuple[str, ...] = ()
    if len(stream) > max_text and sum(map(len, texts)) > max_text:
        cut = (f"visible text cut after {max_text:,} characters",)
        _shorten(texts, max_text)
    while texts and not texts[-1]:  # lists and tables still open at the end, and empty
        texts.pop()
    last = len(texts)
    del kinds[last:], parents[last:]
    del lows[last:]
    tops = [node for node in tops if node < last]
    spans = [span._replace(end=min(span.end, last)) for span in spans if span.start < last]
    spans.extend(
        Span(f[2], last, f[3].level, f[3].word) for f in frames if f[2] < last and f[3].level
    )
    page = Columns(bounded(declared.title), kinds, parents, texts, links, tops, lows, spans)
    boilerplate = mark_boilerplate(page)
    return Outline(
        identity=declared.identity(url, _main_heading(page, boilerplate)),
        kinds=bytes(kinds),
        parents=tuple(parents),
        boilerplate=boilerplate,
        texts=tuple(texts),
        cut=cut,
    )


def _main_heading(page: Columns, boilerplate: bytes) -> str:
    """Return the first heading of rank 1 in the main text, else the first of any rank."""
    for node in page.tops:
        if not boilerplate[node]:
            return page.texts[node]
    node = page.kinds.find(HEADING)
    while node >= 0:
        if not boilerplate[node]:
            return page.texts[node]
        node = page.kinds.find(HEADING, node + 1)
    return ""


def _pieces(stream: str) -> Iterable[tuple[str, str]]:
    """Return runs of heads, each with the text that follows."""
    folded = _fold(f"{OPEN}{END}{stream}").replace(f"{END} {OPEN}", AND)
    if folded.count(OPEN) == folded.count(END):
        pieces = folded.replace(OPEN, END).split(END)
        return zip(pieces[1::2], pieces[2::2], strict=True)
    # the page contains mark characters itself
    pairs = (piece.partition(END) for piece in folded.split(OPEN)[1:])
    return ((run, line) for run, _, line in pairs)


def _fold(text: str) -> str:
    """Fold white space, a part at a time: one long call would hold up the event loop."""
    if len(text) <= _PART:
        return " ".join(text.split())
    parts, start = [], 0
    while start < len(text):
        end = text.find(" ", start + _PART)
        end = len(text) if end < 0 else end
        parts.append(" ".join(text[start:end].split()))
        start = end
    return " ".join(filter(None, parts))


def _after_hidden(run: str, depth: int) -> tuple[str, int]:
    """Return what of a run follows the end of a hidden element, and the depth inside it."""
    heads = run.split(AND)
    for at, head in enumerate(heads, 1):
        depth += -1 if head == SLASH else 1
        if not depth:
            return AND.join(heads[at:]), 0
    return "", depth


def _shorten(texts: list[str], max_text: int) -> None:
    for node, end in enumerate(accumulate(map(len, texts))):
        if end > max_text:
            texts[node] = texts[node][: len(texts[node]) - (end - max_text)].rstrip()
            del texts[node + 1 :]
            return
