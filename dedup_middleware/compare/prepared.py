"""A page in the form that comparison needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS
from dedup_middleware.read.words import words

from .facts import Facts, facts_of
from .languages import language_of
from .refine import is_negated, numbers_of, refine
from .sentences import sentences_of
from .values import Sentence

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline


@dataclass(frozen=True)
class Prepared:
    """What comparison needs of a page, made when it is needed and once only."""

    outline: Outline
    numbers: bool = True
    """Whether numbers count as words of sentences."""

    @cached_property
    def shingles(self) -> Hashes:
        """The distinct shingle hashes of the main text, ascending."""
        return np.unique(shingle_hashes(text_hashes(self.outline.main), SHINGLE_WORDS))

    @cached_property
    def words(self) -> list[str]:
        """The words of the main text, in order."""
        return words(self.outline.main)

    @cached_property
    def facts(self) -> Facts:
        return facts_of(self.words, self.outline.main)

    @cached_property
    def language(self) -> str:
        return language_of(self.outline.language, self.words)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the main text, in order; those without words are left out."""
        found = (
            sentence(text, self.language, node, numbers=self.numbers)
            for node, text in sentences_of(self.outline)
        )
        return tuple(one for one in found if one.words)


def sentence(text: str, language: str, node: int = 0, *, numbers: bool = True) -> Sentence:
    """Prepare one sentence for comparison."""
    found = words(text)
    return Sentence(
        text,
        node,
        refine(found, language, numbers=numbers),
        numbers_of(found),
        is_negated(found, language),
    )
