"""What the builder gathers of a page, for the second look that finds its main text."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple


class Span(NamedTuple):
    """The nodes of an element, its level, and the word of its class or id that says so."""

    start: int
    end: int
    level: int
    word: str


class Columns(NamedTuple):
    """What the builder has gathered."""

    kinds: bytearray
    parents: list[int]
    texts: list[str]
    links: dict[int, tuple[int, int]]
    """Node: its characters inside links, its links."""
    tops: list[int]
    """The nodes that are headings of rank 1."""
    lows: list[int]
    """The depth of the innermost element that holds the node and the one before it."""
    spans: list[Span]
    """The elements that have a level, inner ones first."""

    def add(self, kind: int, parent: int, text: str) -> None:
        """Append a node."""
        self.kinds.append(kind)
        self.parents.append(parent)
        self.texts.append(text)

    def pop(self) -> None:
        """Remove the last node, which is an empty container."""
        for column in (self.kinds, self.parents, self.texts, self.lows):
            column.pop()

    def cut(self, most: int) -> Columns:
        """Return no more than so many characters of text, and no empty containers behind."""
        texts = self.texts
        for node, end in enumerate(accumulate(map(len, texts))):
            if end > most:
                texts = [*texts[:node], texts[node][: most - (end - len(texts[node]))].rstrip()]
                break
        last = len(texts)
        while last and not texts[last - 1]:
            last -= 1
        return Columns(
            self.kinds[:last],
            self.parents[:last],
            texts[:last],
            {node: link for node, link in self.links.items() if node < last},
            [node for node in self.tops if node < last],
            self.lows[:last],
            [span._replace(end=min(span.end, last)) for span in self.spans if span.start < last],
        )
