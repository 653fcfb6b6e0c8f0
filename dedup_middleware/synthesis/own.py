"""Text of none of the sources, as somebody adds who makes a document out of others'."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol

from dedup_middleware.read.words import is_spaceless

from .source import paragraph_of
from .terms import join_terms, split_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from .source import Paragraph, Source

_VOCABULARY = 200_000  # running words: rare ones come rarely
_SENTENCE = (6, 20)
_SENTENCES = (2, 6)


class OwnText(Protocol):
    """Where own text comes from."""

    name: str

    def take(self, terms: int, rng: Random) -> list[Paragraph]:
        """Give paragraphs with at least so many terms, each only once."""
        ...


class HeldOut:
    """Random paragraphs of pages that are no sources."""

    name = "pages"

    def __init__(self, pages: Iterable[Source]) -> None:
        texts = {one.text: one for page in pages for one in page.paragraphs}
        self._paragraphs = list(texts.values())

    def take(self, terms: int, rng: Random) -> list[Paragraph]:
        taken: list[Paragraph] = []
        left = list(range(len(self._paragraphs)))
        while terms > 0 and left:
            place = rng.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            taken.append(self._paragraphs[left.pop()])
            terms -= taken[-1].terms
        return taken


class Generated:
    """Sentences of random words, as frequent as in the sources: nothing that anybody has said."""

    name = "generated"

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary

    def take(self, terms: int, rng: Random) -> list[Paragraph]:
        taken: list[Paragraph] = []
        while terms > 0 and self._vocabulary:
            sentences = [self._sentence(rng) for _ in range(rng.randint(*_SENTENCES))]
            taken.append(paragraph_of(" ".join(sentences)))
            terms -= taken[-1].terms
        return taken

    def _sentence(self, rng: Random) -> str:
        words = [rng.choice(self._vocabulary) for _ in range(rng.randint(*_SENTENCE))]
        gaps = ["" if is_spaceless(word) else " " for word in words[1:]]
        text = join_terms(words, ["", *gaps, "."])
        return text[0].upper() + text[1:]


def vocabulary_of(sources: Iterable[Source]) -> list[str]:
    """List the words of the sources as often as they stand there, up to some number."""
    texts = (paragraph.text for source in sources for paragraph in source.paragraphs)
    words = chain.from_iterable(split_terms(text)[0] for text in texts)
    return list(islice(words, _VOCABULARY))
