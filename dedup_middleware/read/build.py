"""Mark stream → outline: one pass over the marks fills the columns."""

from __future__ import annotations

from .blocks import INHERITED, TEXT, block_of
from .facts import Facts
from .furniture import Columns, Span, mark_furniture
from .marks import CLOSE, END, LINK, LINK_END, OPEN
from .outline import KINDS, Outline

_ITEM = KINDS.index("item")
_NO_ITEM = -2  # not directly inside a list item
_NO_TEXT_YET = -1
_INLINE = None  # the frame of an element that ends no line

_Frame = tuple[int, int, int, int, int, int]


def build(stream: str, facts: Facts, url: str, max_text: int, *, fallback: bool = False) -> Outline:
    """Return the outline of a mark stream, whatever its marks; fallback: with noscript's content."""
    kinds = bytearray()
    parents: list[int] = []
    texts: list[str] = []
    links: dict[int, tuple[int, int]] = {}
    tops: list[int] = []
    spans: list[Span] = []

    # One loop and local names only: it runs a thousand times a page.
    kind, rank, item = TEXT, 0, _NO_ITEM
    sections = [(0, -1)]  # rank and node of all that is open; the last is the parent of what comes
    frames: list[_Frame | None] = [_INLINE]  # this one for the first segment, which follows no end
    line = ""  # what the current block holds so far
    in_link = hidden = 0
    for segment in stream.split(CLOSE):
        head = None
        for piece in segment.split(OPEN):
            if head is None:  # an element has ended
                head, text, block = "", piece, None
                if hidden:
                    hidden -= 1
                    if not hidden:
                        line += text
                    continue
                frame = frames.pop() if frames else _INLINE
                if frame is None:
                    line += text
                    continue
            else:
                if hidden:
                    hidden += 1
                    continue
                head, _, text = piece.partition(END)
                block = memo.get(head) or block_of(head)
                if block.inline:
                    if block.shown:
                        frames.append(_INLINE)
                        line += text
                    else:
                        hidden = 1
                    continue
            if line and not line.isspace():
                node = len(texts)
                if LINK in line or in_link:
                    line, characters, anchors, in_link = _without_links(line, in_link)
                    links[node] = characters, anchors
                line = " ".join(line.split())
                if line:
                    if rank:
                        while sections[-1][0] >= rank:
                            sections.pop()
                        parents.append(sections[-1][1])
                        sections.append((rank, node))
                        if rank == 1:
                            tops.append(node)
                    else:
                        parents.append(sections[-1][1])
                    kinds.append(kind)
                    texts.append(line)
                    if item == _NO_TEXT_YET and kind == _ITEM:
                        item = node
            line = text
            if block is None:
                depth, start, level, kind, rank, item = frame
                if depth:
                    del sections[depth:]
                if len(texts) > start:
                    if not texts[-1] and len(texts) == start + 1:  # a list or table, and empty
                        kinds.pop(), parents.pop(), texts.pop()
                    elif level:
                        spans.append((start, len(texts), level))
            elif not block.shown or (block.fallback and not fallback):
                hidden = 1
                line = ""
            else:
                node = len(texts)
                depth = len(sections) if block.scope else 0
                frames.append((depth, node, block.level, kind, rank, item))
                if block.container:
                    parents.append(sections[-1][1] if item < 0 else item)
                    kinds.append(block.kind)
                    texts.append("")
                    sections.append((0, node))
                    kind, rank, item = TEXT, 0, _NO_ITEM
                else:
                    if depth:
                        sections.append((0, sections[-1][1]))
                    if block.kind != INHERITED:
                        kind, rank = block.kind, block.rank
                        if kind == _ITEM:
                            item = _NO_TEXT_YET


def _without_links(line: str, inside: int) -> tuple[str, int, int, int]:
    """Return a line without its link marks, its characters in links, its links, those left open."""
    before, *pieces = line.split(LINK)
    characters = len(before.partition(LINK_END)[0]) if inside else 0
    anchors = len(pieces) + (1 if inside else 0)
    for piece in pieces:
        characters += len(piece.partition(LINK_END)[0])
    still = max(0, inside + len(pieces) - line.count(LINK_END))
    return line.replace(LINK, "").replace(LINK_END, ""), characters, anchors, still
