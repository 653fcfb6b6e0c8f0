"""What documents are made from: pages as lists of paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.read import KINDS, read

from .overlap import Parts, keyed
from .terms import count_terms

if TYPE_CHECKING:
    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline

_HEADING = KINDS.index("heading")
# What a page can't hold and come back from: controls, surrogates, noncharacters.
_UNFIT = re.compile("[^\t\n\r -\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of text, the smallest thing that is taken."""

    text: str
    terms: int
    heading: bool = False

    @property
    def whole(self) -> int:
        """All its terms, a bit each."""
        return (1 << self.terms) - 1


@dataclass(frozen=True)
class Source:
    """A page that paragraphs are taken from."""

    url: str
    paragraphs: tuple[Paragraph, ...]
    language: str = ""

    @cached_property
    def terms(self) -> int:
        return sum(paragraph.terms for paragraph in self.paragraphs)

    @cached_property
    def text(self) -> str:
        """Its main text, a line a paragraph."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @cached_property
    def parts(self) -> Parts:
        return keyed((paragraph.text, paragraph.whole) for paragraph in self.paragraphs)


def paragraph_of(text: str, *, heading: bool = False) -> Paragraph:
    r"""Make a paragraph of any text.

    >>> paragraph_of(" Tea,\x07 hot ")
    Paragraph(text='Tea, hot', terms=2, heading=False)
    """
    clean = " ".join(_UNFIT.sub(" ", text).split())
    return Paragraph(clean, count_terms(clean), heading)


def source_of(page: Page) -> Source:
    """Read a page into a source.

    >>> from dedup_middleware.page import Page
    >>> source = source_of(Page(url="tea", html="<h1>Tea</h1><p>Boil water.<p>Wait, then pour."))
    >>> [paragraph.text for paragraph in source.paragraphs], source.terms
    (['Tea', 'Boil water.', 'Wait, then pour.'], 6)
    """
    return source_from(page.url, read(page))


def source_from(url: str, outline: Outline) -> Source:
    """Take the blocks of a page's main text as paragraphs; those without a term are left out."""
    columns = zip(outline.kinds, outline.furniture, outline.texts, strict=True)
    paragraphs = (
        paragraph_of(text, heading=kind == _HEADING)
        for kind, furniture, text in columns
        if text and not furniture
    )
    found = tuple(paragraph for paragraph in paragraphs if paragraph.terms)
    return Source(url, found, outline.language)
