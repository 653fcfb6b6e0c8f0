"""The name of a page where it stands outside of the main text, as in the header of many manuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .identity import title_parts
from .outline import BY_STRUCTURE, KINDS
from .words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .outline import Outline

_HEADING = KINDS.index("heading")
_LONGEST = 300  # characters of a name
_MOST_LINKED = 127  # of 255: what is a link names another page, unless it is a heading
_ABOVE = 0.2
"""The share of the main text that may stand above the name of the page."""


def outer_heading(outline: Outline, own: Outline, chosen: Sequence[int]) -> int | None:
    """Return the node that names a page outside of the chosen ones; None if one of these does.

    A page is named by what its title says as well, and not by what its host repeats.
    """
    mine = [node for node, is_own in enumerate(chosen) if is_own]
    if not outline.title or not mine:
        return None
    title = _Title(outline.title)
    kinds, texts = outline.kinds, outline.texts
    headings = [node for node in mine if kinds[node] == _HEADING]
    if title.is_named_by(texts[node] for node in (*mine[:1], *headings)):
        return None
    room = _ABOVE * sum(len(texts[node]) for node in mine)
    best, found = 1, None
    for node in range(headings[0] if headings else len(kinds)):
        if chosen[node]:
            room -= len(texts[node])
        elif room >= 0 and own.boilerplate[node] == BY_STRUCTURE:
            is_heading, linked = kinds[node] == _HEADING, outline.links[node]
            is_link = linked > _MOST_LINKED and not is_heading
            rank = 0 if is_link else title.rank(texts[node], linked, is_heading=is_heading)
            if rank >= best:  # the last one is the nearest to the main text
                best, found = rank, node
    return found


class _Title:
    """The title of a page, and the names in it."""

    def __init__(self, title: str) -> None:
        parts = title_parts(title)
        # "Page - Site" and "Site: Page", as most titles are
        name = title.partition(": ")[2] or (parts[0] if parts else title)
        self._whole, self._name, *self._parts = map(_phrase, (title, name, *parts))

    def is_named_by(self, texts: Iterable[str]) -> bool:
        """Return True if one of some texts says the title or a part of it, and little else."""
        said = [_phrase(text) for text in texts if len(text) <= _LONGEST]
        return any(_says(one, name) for one in said for name in (self._whole, *self._parts))

    def rank(self, text: str, linked: int, *, is_heading: bool) -> int:
        """Return 3 for the title, 2 for the name of the page in it, 1 for what says it, else 0."""
        if not 0 < len(text) <= _LONGEST:
            return 0
        said, name = _phrase(text), self._name
        if said in (name, self._whole):
            return 2 + (said == self._whole)
        if is_heading:  # the last part of a title is mostly the name of the site
            return any(_says(said, one) for one in (self._whole, name, *self._parts[:-1]))
        # the way to a page has links, and says its name as well; one word says little
        return not linked and len(name.split()) > 1 and _says(said, name)


def _phrase(text: str) -> str:
    """Return the words of a text with a space on both sides of each."""
    return f" {' '.join(words(text))} "


def _says(said: str, name: str) -> bool:
    """Return True if a phrase has another one in it, and is at most twice as long."""
    return name.strip() != "" and name in said and said.count(" ") <= 2 * name.count(" ")
