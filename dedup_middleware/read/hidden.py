"""The text of a page that visitors can't see, found by a second reading that hides nothing."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from .core_reading import reading
from .decode import to_utf8
from .identity import Identity
from .outline import Outline

if TYPE_CHECKING:
    from dedup_middleware.page import Page

_TAG = re.compile(rb"<[a-z][^<>]*>", re.IGNORECASE)
_HIDING = re.compile(
    rb"""\s(?:aria-hidden|hidden|popover)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?(?=[\s/>])""",
    re.IGNORECASE,
)
_CLOSED = re.compile(rb"<dialog(?=[\s/>])", re.IGNORECASE)


def with_hidden(page: Page, outline: Outline, max_text: int) -> tuple[Outline, list[int | None]]:
    """Return the outline of a page as if nothing was hidden.

    With it come, for each of its nodes, the node that shows it in the outline of what is visible,
    or None: it is hidden, at least in part.
    """
    html = page.html or b""
    source, _ = to_utf8(html, page.encoding, len(html))
    found = reading(_TAG.sub(_uncovered, source), max_text, styles=False)
    everything = Outline.of(found, Identity(), ())
    shown: list[int | None] = [None] * len(everything.kinds)
    matcher = SequenceMatcher(None, everything.texts, outline.texts)
    for at, visible, size in matcher.get_matching_blocks():
        shown[at : at + size] = range(visible, visible + size)
    return everything, shown


def _uncovered(tag: re.Match[bytes]) -> bytes:
    """Return a tag that hides nothing."""
    return _CLOSED.sub(rb"\g<0> open", _HIDING.sub(b"", tag[0]))
