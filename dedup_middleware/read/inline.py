"""What an outline does not keep of a page's markup: lines of code, numbers of items, links.

An outline has the text of blocks with white space folded. Each is looked up in the text of the page
as it is written, white space aside, from where the last one was found. What can't be found is left
as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from .blocks import escaped
from .core_reading import END, TEXT, elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .core_reading import Event

_NO_TEXT = frozenset({"script", "style", "template", "title", "textarea", "select"})
_LINES = frozenset({"br", "div", "li", "p", "tr"})
"""Elements that end a line of code, if there are any in it."""
_LISTS = frozenset({"ol", "ul", "menu", "dir"})
_NUMBER = re.compile(r"\s*[0-9]{1,8}\s*", re.ASCII)
_UNLINKED = str.maketrans({"[": r"\[", "]": r"\]"})
_AGREE = 0.1
"""By how much the share of links in a block may differ from what the reader has found."""
_MOST_TIMES = 32
"""How often all of a page may be searched: one in which nothing is found must not take long."""


class Item(NamedTuple):
    """An item of a list: the how manieth of the page, and its number if its list is ordered."""

    place: int
    number: int | None


class _Run(NamedTuple):
    """Text without tags in it, and the link and the item that it is in."""

    text: str
    href: str
    item: Item | None


class InlineMarkup:
    r"""The text of a page as it is written.

    >>> html = "<p>Boil <a href='/water'>fresh water</a>.<pre>a\n  b</pre>"
    >>> page = InlineMarkup(html, "https://a.example/")
    >>> page.linked("Boil fresh water.", 0.7)
    'Boil [fresh water](https://a.example/water).'
    >>> page.as_written("a b")
    'a\n  b'
    """

    def __init__(self, html: str, url: str) -> None:
        self._runs = list(_runs(elements(html).events, url))
        solid = ["".join(run.text.split()) for run in self._runs]
        self._solid = "".join(solid)
        self._starts = [0, *accumulate(map(len, solid))]
        """Where each run begins in the text without white space."""
        self._at = 0
        self._work = _MOST_TIMES * len(self._solid)

    def as_written(self, text: str) -> str:
        """Return a text with its white space as it is in the page, but for empty lines around."""
        found = self._find(text)
        if found is None:
            return text
        parts: list[str] = []
        for run, first, last in self._covered(*found):
            places = [at for at, one in enumerate(run.text) if not one.isspace()]
            begin = 0 if parts else run.text.rfind("\n", 0, places[first]) + 1
            end = places[last] if last < len(places) else len(run.text)
            parts.append(run.text[begin:end])
        written = "".join(parts).replace("\r\n", "\n").rstrip()
        return written if written.split() == text.split() else text

    def item(self, text: str) -> Item | None:
        """Return the item that a text is in; the text can be looked up once more."""
        found = self._find(text)
        if found is None:
            return None
        self._at = found[0]
        return next(self._covered(*found))[0].item

    def linked(self, text: str, share: float) -> str:
        """Return a text in Markdown, with its links if about such a share of it is in links."""
        found = self._find(text)
        if found is None:
            return escaped(text)
        places = [at for at, one in enumerate(text) if not one.isspace()]
        links: list[tuple[int, int, str]] = []
        at = 0
        for run, first, last in self._covered(*found):
            end = at + last - first
            if run.href:
                if links and links[-1][1:] == (at, run.href):
                    links[-1] = (links[-1][0], end, run.href)
                else:
                    links.append((at, end, run.href))
            at = end
        if abs(sum(end - begin for begin, end, _ in links) / max(at, 1) - share) > _AGREE:
            return escaped(text)
        parts: list[str] = []
        done = 0
        for begin, end, href in links:
            first, last = places[begin], places[end - 1] + 1
            label = escaped(text[first:last]).translate(_UNLINKED)
            parts += (escaped(text[done:first]), f"[{label}]({href})")
            done = last
        return "".join((*parts, escaped(text[done:])))

    def _find(self, text: str) -> tuple[int, int] | None:
        """Return where a text begins and ends in the text without white space."""
        solid = "".join(text.split())
        for start in (self._at, 0):
            begin = self._solid.find(solid, start) if solid and self._work >= 0 else -1
            self._work -= (begin if begin >= 0 else len(self._solid)) - start
            if begin >= 0:
                self._at = begin + len(solid)
                return begin, self._at
        return None

    def _covered(self, begin: int, end: int) -> Iterator[tuple[_Run, int, int]]:
        """Yield the runs between two places, each with what is covered of its characters."""
        number = bisect_right(self._starts, begin) - 1
        while number < len(self._runs) and self._starts[number] < end:
            start, after = self._starts[number], self._starts[number + 1]
            yield self._runs[number], max(begin - start, 0), min(end, after) - start
            number += 1


def _runs(events: list[Event], url: str) -> Iterator[_Run]:
    base, href, skipped = url, "", ""
    lists = _Lists()
    for kind, text, attributes in events:
        if kind == TEXT:
            if not skipped and text:
                yield _Run(text, href, lists.item)
        elif kind == END:
            if text in _LINES:
                yield _Run("\n", href, lists.item)
            lists.end(text)
            href = "" if text == "a" else href
            skipped = "" if text == skipped else skipped
        elif text == "a":
            href = _target(base, dict(attributes).get("href", ""))
        elif text == "base":
            base = _joined(url, dict(attributes).get("href", ""))
        elif text in _NO_TEXT:
            skipped = skipped or text
        else:
            lists.start(text, dict(attributes))


class _Lists:
    """The lists and the items that are open."""

    def __init__(self) -> None:
        self._count = 0
        self._numbers: list[int | None] = []
        """Of the next item of each list; None if it is not ordered."""
        self._items: list[Item | None] = [None]

    @property
    def item(self) -> Item | None:
        return self._items[-1]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in _LISTS:
            # the first number of one that counts down depends on how many items there are
            is_ordered = name == "ol" and "reversed" not in attributes
            self._numbers.append(_number(attributes.get("start"), 1) if is_ordered else None)
            self._items.append(None)
        elif name == "li" and self._numbers:
            self._count += 1
            number = self._numbers[-1]
            if number is not None:
                number = _number(attributes.get("value"), number)
                self._numbers[-1] = number + 1
            self._items[-1] = Item(self._count, number)

    def end(self, name: str) -> None:
        if name in _LISTS and self._numbers:
            self._numbers.pop()
            self._items.pop()


def _number(text: str | None, default: int) -> int:
    """Return the number of an item, if it is one that Markdown has."""
    return int(text) if text is not None and _NUMBER.fullmatch(text) else default


def _target(base: str, href: str) -> str:
    """Return where a link leads; empty if that is no page of the web."""
    href = href.strip()
    target = _joined(base, href) if href and not href.startswith("#") else ""
    return target if target.startswith(("http://", "https://")) else ""


def _joined(base: str, href: str) -> str:
    try:
        target = urljoin(base, href.strip())
        urlsplit(target)
    except ValueError:
        return base
    return "".join(["%20" if one.isspace() else one for one in target]).replace(")", "%29")
