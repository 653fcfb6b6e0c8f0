"""What broken HTML means: tags → properly nested elements, by the tables of `tags`.

It is the tree construction of the HTML standard in short: nothing is moved or opened again, an end
tag that a block keeps from its element takes effect when the block ends, and everything ends with
the page. Of elements that are too deep, an empty one stands where they begin and where they end.
The twin of `native/src/elements.rs`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from .tags import (
    END_SCOPES,
    FOREIGN,
    FRAME,
    HEAD_CONTENT,
    HEADINGS,
    IMPLIED_ENDS,
    NOT_NESTED,
    SCOPES,
    SCOPES_OF,
    VOID,
)
from .tokens import EMPTY, END, START, TEXT, Event, Events, tokens

MAX_DEPTH: Final = 512

_NOT_SPACE = re.compile(r"[^\t\n\f\r ]")


def elements(html: str) -> Events:
    """Return the elements and the text of a page, each start with its end."""
    events, work = tokens(html)
    builder = _Builder()
    for event in events:
        builder.add(event)
    builder.close(0)
    builder.flush()
    return Events(builder.events, work + builder.work)


class _Builder:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.parts: list[str] = []
        self.work = 0
        self.stack: list[str] = []
        self.places: defaultdict[str, list[int]] = defaultdict(list)  # of open elements, by name
        self.limits: dict[str, list[int]] = {scope: [] for scope in SCOPES}
        self.ended: set[int] = set()  # places whose end tag was seen, but a block is still open
        self.flat = 0  # how many are too deep to be opened
        self.seen: set[str] = set()

    def add(self, event: Event) -> None:
        self.work += 1
        if event.kind == TEXT:
            self._text(event.text.replace("\0", ""))
        elif event.kind == END:
            self._end(event.text)
        elif event.text not in FRAME or self._fits(event.text):
            self._start(event)

    def _text(self, text: str) -> None:
        if self.stack and self.stack[-1] == "head":
            found = _NOT_SPACE.search(text)
            start = found.start() if found else len(text)
            self.parts.append(text[:start])
            text = text[start:]
            if text:
                self.close(len(self.stack) - 1)
        self.parts.append(text)

    def flush(self) -> None:
        """Emit the text since the last tag that meant something."""
        text = "".join(self.parts)
        if text:
            self.events.append(Event(TEXT, text))
        self.parts.clear()

    def _emit(self, *events: Event) -> None:
        self.flush()
        self.events += events

    def _fits(self, name: str) -> bool:
        fits = name not in self.seen and all(around in FRAME[name] for around in self.stack)
        if fits:
            self.seen.add(name)
        return fits

    def _start(self, event: Event) -> None:
        name = event.text
        if self.stack and self.stack[-1] == "head" and name not in HEAD_CONTENT:
            self.close(len(self.stack) - 1)
        for target, scope in IMPLIED_ENDS.get(name, ()):
            self.work += 1
            place = self._last(target)
            if place >= max(0, self._limit(scope)):
                self.close(place)
        if name in NOT_NESTED and not self.flat:
            self._end(name)
        if name in VOID or (event.kind == EMPTY and self._foreign(name)):
            self._empty(name, event.attributes)
        elif len(self.stack) >= MAX_DEPTH:
            self.flat += 1
            self._empty(name, event.attributes)
        else:
            place = len(self.stack)
            self.stack.append(name)
            self.places[name].append(place)
            for scope in SCOPES_OF.get(name, ()):
                self.limits[scope].append(place)
            self._emit(Event(START, name, event.attributes))

    def _end(self, name: str) -> None:
        if name in ("html", "body"):
            return  # what follows is still part of the page
        if self.flat:
            self.flat -= 1
            self._empty(name)  # keeps apart the words on both sides
            return
        scope = END_SCOPES.get(name)
        place = max(map(self._last, HEADINGS)) if name in HEADINGS else self._last(name)
        if place >= max(0, self._limit(scope or "block")):
            self.close(place)
        elif name in ("br", "p"):
            self._empty(name)
        elif scope is None and place >= max(0, self._limit("closed")):
            self.ended.add(self.places[name].pop())

    def close(self, depth: int) -> None:
        """End elements until so many are open, and those whose end tag came too early."""
        while len(self.stack) > depth or len(self.stack) - 1 in self.ended:
            self.work += 1
            name = self.stack.pop()
            place = len(self.stack)
            if place in self.ended:
                self.ended.remove(place)
            else:
                self.places[name].pop()
            for scope in SCOPES_OF.get(name, ()):
                self.limits[scope].pop()
            self.flat = 0
            self._emit(Event(END, name))

    def _empty(self, name: str, attributes: tuple[tuple[str, str], ...] = ()) -> None:
        self._emit(Event(START, name, attributes), Event(END, name))

    def _foreign(self, name: str) -> bool:
        return name in FOREIGN or any(self._last(foreign) >= 0 for foreign in FOREIGN)

    def _last(self, name: str) -> int:
        places = self.places.get(name)
        return places[-1] if places else -1

    def _limit(self, scope: str) -> int:
        places = self.limits[scope]
        return places[-1] if places else -1
