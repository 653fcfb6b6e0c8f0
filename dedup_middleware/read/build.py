"""Mark stream → outline: one pass over the marks fills the columns."""

from __future__ import annotations

import sys
from itertools import accumulate
from typing import TYPE_CHECKING

from .blocks import (
    CONTAINER,
    FALLBACK,
    HIDDEN,
    HIDDEN_IN_LINE,
    IN_LINE,
    INHERITED,
    ITEM,
    PLAIN,
    TEXT,
    block_of,
    memo,
)
from .furniture import Columns, Span, mark_furniture
from .marks import CLOSE, END, LINK, LINK_END, OPEN
from .outline import Outline

if TYPE_CHECKING:
    from .facts import Facts

_NO_ITEM = -2  # not directly inside a list item
_NO_TEXT_YET = -1

# What is to be restored at an element's end: how many sections were open before it (0: it keeps
# none in), its first node, its level; kind, rank and item around it.
_Frame = tuple[int, int, int, int, int, int]
_ENDS_LINE: _Frame = (0, sys.maxsize, 0, 0, 0, 0)  # nothing
_IN_LINE: _Frame = (-1, sys.maxsize, 0, 0, 0, 0)  # nothing, and the line goes on


def build(  # noqa: PLR0912, PLR0915 - calls would cost more than what they do
    stream: str, facts: Facts, url: str, max_text: int, *, fallback: bool = False
) -> Outline:
    """Return the outline of any mark stream; fallback: with what noscript holds."""
    kinds = bytearray()
    parents: list[int] = []
    texts: list[str] = []
    links: dict[int, tuple[int, int]] = {}
    tops: list[int] = []
    spans: list[Span] = []

    # One loop and local names only: it runs a thousand times a page.
    kind, rank, item = TEXT, 0, _NO_ITEM
    sections = [(0, -1)]  # rank and node of all that is open; the last is the parent of what comes
    frames = [_IN_LINE]  # for the first segment, which follows no end
    line = ""  # what the current block holds so far
    in_link = hidden = 0
    for segment in (stream + CLOSE).split(CLOSE):  # one more end writes down what is left
        ended = True
        for piece in segment.split(OPEN):
            if ended:  # the first piece of a segment follows the end of an element
                ended = False
                text = piece
                if hidden:
                    hidden -= 1
                    if not hidden:
                        line += text
                    continue
                frame = frames.pop() if frames else _ENDS_LINE
                if frame is _IN_LINE:
                    line += text
                    continue
                block = None
            else:
                if hidden:
                    hidden += 1
                    continue
                head, _, text = piece.partition(END)
                block = memo.get(head) or block_of(head)
                way = block[0]
                if way == IN_LINE:
                    frames.append(_IN_LINE)
                    line += text
                    continue
                if way == HIDDEN_IN_LINE:
                    hidden = 1
                    continue

            if line and not line.isspace():
                line = " ".join(line.split())
                found = None
                if in_link or LINK in line:
                    line, found, in_link = _without_links(line, in_link)
                if line:
                    node = len(texts)
                    if rank:
                        while sections[-1][0] >= rank:
                            sections.pop()
                        parents.append(sections[-1][1])
                        sections.append((rank, node))
                        if rank == 1:
                            tops.append(node)
                    else:
                        parents.append(sections[-1][1])
                        if item == _NO_TEXT_YET and kind == ITEM:
                            item = node
                    kinds.append(kind)
                    texts.append(line)
                    if found:
                        links[node] = found
            line = text

            if block is None:
                if frame is not _ENDS_LINE:
                    depth, start, level, kind, rank, item = frame
                    if depth:
                        del sections[depth:]
                    node = len(texts)
                    if node > start:
                        if node == start + 1 and not texts[start]:  # a list or table, and empty
                            del kinds[start], parents[start], texts[start]
                        elif level:
                            spans.append((start, node, level))
            elif way == PLAIN:
                frames.append(_ENDS_LINE)
            elif way == HIDDEN or (way == FALLBACK and not fallback):
                hidden = 1
                line = ""
            else:
                _, own_kind, scope, own_rank, level = block
                node = len(texts)
                depth = len(sections) if scope else 0
                frames.append((depth, node, level, kind, rank, item))
                if way == CONTAINER:
                    parents.append(sections[-1][1] if item < 0 else item)
                    kinds.append(own_kind)
                    texts.append("")
                    sections.append((0, node))
                    kind, rank, item = TEXT, 0, _NO_ITEM
                else:
                    if scope:
                        sections.append((0, sections[-1][1]))
                    if own_kind != INHERITED:
                        kind, rank = own_kind, own_rank
                        if kind == ITEM:
                            item = _NO_TEXT_YET

    cut: tuple[str, ...] = ()
    if len(stream) > max_text and sum(map(len, texts)) > max_text:
        cut = (f"visible text cut after {max_text:,} characters",)
        _shorten(texts, max_text)
    while texts and not texts[-1]:  # lists and tables still open at the end, and empty
        texts.pop()
    last = len(texts)
    del kinds[last:], parents[last:]
    spans.extend((frame[1], last, frame[2]) for frame in frames if frame[2] and frame[1] < last)
    title = " ".join(facts.title.split())
    return Outline(
        title=title,
        language=facts.language.strip(),
        canonical=facts.absolute_canonical(url),
        kinds=bytes(kinds),
        parents=tuple(parents),
        furniture=mark_furniture(Columns(kinds, parents, texts, links, tops), spans, title),
        texts=tuple(texts),
        cut=cut,
    )


def _shorten(texts: list[str], max_text: int) -> None:
    for node, end in enumerate(accumulate(map(len, texts))):
        if end > max_text:
            texts[node] = texts[node][: len(texts[node]) - (end - max_text)].rstrip()
            del texts[node + 1 :]
            return


def _without_links(line: str, inside: int) -> tuple[str, tuple[int, int], int]:
    """Return a line without link marks, its characters in links and links, and those left open."""
    if not inside and line[0] == LINK and line.find(LINK_END) == len(line) - 1:
        text = line[1:-1].strip()  # most often a line is one link
        if LINK not in text:
            return text, (len(text), 1), 0
    before, *pieces = line.split(LINK)
    characters = len(before.partition(LINK_END)[0]) if inside else 0
    for piece in pieces:
        characters += len(piece.partition(LINK_END)[0])
    anchors = len(pieces) + (1 if inside else 0)
    still = max(0, inside + len(pieces) - line.count(LINK_END))
    text = line.replace(LINK, "").replace(LINK_END, "")
    return " ".join(text.split()), (characters, anchors), still
