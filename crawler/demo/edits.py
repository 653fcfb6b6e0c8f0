"""What people do to a text: change a few words, quote a part, set it in other characters."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .texts import Paragraph, Section, Text

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_FILLERS = "also usually however today mostly often simply currently always rather".split()
_OTHERS = "value thing place part kind case piece step result entry".split()
_EDITED = 0.6  # of the paragraphs
_PER_WORDS = 45
_LEAST, _MOST = 0.30, 0.60
_LEAST_WORDS = 80


def edited(text: Text, rng: random.Random) -> Text:
    """Change, add or remove a few words per paragraph."""

    def edit(paragraph: Paragraph) -> Paragraph:
        if paragraph.code or rng.random() > _EDITED:
            return paragraph
        words = paragraph.text.split()
        for _ in range(1 + len(words) // _PER_WORDS):
            at = rng.randrange(len(words))
            words[at : at + 1] = rng.choice(
                ([rng.choice(_OTHERS)], [words[at], rng.choice(_FILLERS)], [])
            )
        return Paragraph(" ".join(words))

    return _each(text, edit)


def excerpt(text: Text, rng: random.Random) -> tuple[Section, ...]:
    """Take 30 to 60 % of a text, paragraphs in a row; nothing if there is no such part."""
    pieces = [
        (section.name, paragraph) for section in text.sections for paragraph in section.paragraphs
    ]
    wanted = max(rng.uniform(_LEAST, _MOST) * text.words, _LEAST_WORDS)
    for start in rng.sample(range(len(pieces)), len(pieces)):
        taken: list[tuple[str, Paragraph]] = []
        size = 0
        for name, paragraph in pieces[start:]:
            if (size + paragraph.words) > _MOST * text.words:
                break
            size += paragraph.words
            taken.append((name, paragraph))
            if size >= wanted:
                break
        if size >= max(_LEAST * text.words, _LEAST_WORDS):
            names = dict.fromkeys(name for name, _ in taken)
            return tuple(
                Section(name, tuple(one for owner, one in taken if owner == name)) for name in names
            )
    return ()


def typeset(text: Text, quotes: str) -> Text:
    """Set a text with the given opening and closing marks in place of straight quotes."""
    opening, closing = quotes[0], quotes[1]

    def marked(paragraph: Paragraph) -> Paragraph:
        if paragraph.code:
            return paragraph
        words = re.sub(
            r"""["'`]{1,2}(\w[^"'`]*)["'`]{1,2}""", rf"{opening}\1{closing}", paragraph.text
        )
        return replace(paragraph, text=words)

    return _each(text, marked)


def _each(text: Text, change: Callable[[Paragraph], Paragraph]) -> Text:
    return replace(
        text,
        sections=tuple(
            replace(section, paragraphs=tuple(map(change, section.paragraphs)))
            for section in text.sections
        ),
    )
