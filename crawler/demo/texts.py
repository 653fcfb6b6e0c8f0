"""Real text that every machine has: the docstrings of the standard library, as articles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .docstrings import docstrings

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

_SHORTEST = 8
_WORD = re.compile(r"\w+")
_RUN = 4
_MOST_KNOWN = 0.1


class NotEnoughText(RuntimeError):
    """The docstrings of this Python are too few, or were stripped."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that occurs only once in the corpus."""

    text: str
    code: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Section:
    """The docstring of one module, class or function."""

    name: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def words(self) -> int:
        return sum(paragraph.words for paragraph in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Text:
    """Some sections under a title, long enough for an article."""

    title: str
    sections: tuple[Section, ...]

    @property
    def words(self) -> int:
        return sum(section.words for section in self.sections)


@cache
def corpus() -> tuple[tuple[str, tuple[Section, ...]], ...]:
    """Return the sections of all modules; they share hardly any run of words."""
    known: set[tuple[str, ...]] = set()
    found: list[tuple[str, tuple[Section, ...]]] = []
    for name, docs in docstrings():
        sections = []
        for title, doc in docs:
            paragraphs = tuple(_new_paragraphs(doc, known))
            if paragraphs:
                sections.append(Section(title, paragraphs))
        if sections:
            found.append((name, tuple(sections)))
    if not found:
        raise NotEnoughText("This Python keeps no documentation strings")
    return tuple(found)


def draw_texts(rng: random.Random, shortest: int, longest: int) -> list[Text]:
    """Draw texts from the corpus: its modules and their sections in random order."""
    texts: list[Text] = []
    pile: list[Section] = []
    wanted = rng.randint(shortest, longest)
    for _, sections in rng.sample(corpus(), len(corpus())):
        for section in rng.sample(sections, len(sections)):
            if section.words > longest:
                continue
            pile.append(section)
            if sum(one.words for one in pile) >= wanted:
                texts.append(_text(pile))
                pile, wanted = [], rng.randint(shortest, longest)
    rng.shuffle(texts)
    return texts


def _text(sections: Sequence[Section]) -> Text:
    names = [section.name for section in sections]
    title = f"{names[0]} and {names[-1]}" if len(names) > 1 else names[0]
    return Text(title, tuple(sections))


def _new_paragraphs(doc: str, known: set[tuple[str, ...]]) -> Iterator[Paragraph]:
    """Yield the paragraphs of a docstring that are new: not inherited, aliased or boilerplate."""
    for block in re.split(r"\n\s*\n", doc):
        words = _WORD.findall(block.lower())
        runs = set(zip(*(words[offset:] for offset in range(_RUN)), strict=False))
        if len(words) < _SHORTEST or len(runs & known) > _MOST_KNOWN * len(runs):
            continue
        known |= runs
        lines = block.splitlines()
        code = any(line.lstrip().startswith((">>>", "|", "+-")) for line in lines) or all(
            line.startswith(" ") for line in lines
        )
        text = "\n".join(lines) if code else " ".join(block.split())
        if all(character.isprintable() or character == "\n" for character in text):
            yield Paragraph(text, code)
