"""Real text that is on every machine: the documentation strings of the standard library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .harvest import harvest

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

_SHORTEST = 8
_WORD = re.compile(r"\w+")
_RUN = 4
_MOST_KNOWN = 0.1


class NoTexts(RuntimeError):
    """The Python that runs has no documentation strings, or not enough of them."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that stands nowhere else in the corpus."""

    text: str
    code: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Section:
    """What is said about one module, class or function."""

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
    """Gather the sections of all modules; no run of text stands in two of them."""
    known: set[tuple[str, ...]] = set()
    found: list[tuple[str, tuple[Section, ...]]] = []
    for name, docs in harvest():
        sections = []
        for title, doc in docs:
            paragraphs = tuple(_new_paragraphs(doc, known))
            if paragraphs:
                sections.append(Section(title, paragraphs))
        if sections:
            found.append((name, tuple(sections)))
    if not found:
        raise NoTexts("This Python keeps no documentation strings")
    return tuple(found)


def cut(rng: random.Random, shortest: int, longest: int) -> list[Text]:
    """Make texts of the corpus; a module's sections are drawn and dealt anew for each seed."""
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
    """Split a text; what repeats others (inherited, aliased, boilerplate) is left out."""
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
