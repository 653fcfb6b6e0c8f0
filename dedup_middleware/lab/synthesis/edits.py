"""Word edits: some terms of a text are replaced, deleted, or get another one behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import fold, is_spaceless

from .sources import join_terms, split_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

_TRIES = 8  # for a word that is not the one to be replaced


@dataclass(frozen=True, slots=True)
class Edits:
    """How many terms were edited, and how."""

    replaced: int = 0
    inserted: int = 0
    deleted: int = 0

    def __add__(self, other: Edits) -> Edits:
        return Edits(
            self.replaced + other.replaced,
            self.inserted + other.inserted,
            self.deleted + other.deleted,
        )

    @classmethod
    def sum(cls, edits: Iterable[Edits]) -> Edits:
        return sum(edits, cls())


class Edited(NamedTuple):
    """A text after its edits."""

    text: str
    kept: int
    """A bit for each term of the text before: whether it still stands."""
    edits: Edits


def edit(
    text: str, rate: float, kinds: Sequence[str], vocabulary: Sequence[str], rng: Random
) -> Edited:
    """Edit each term of a text with a probability, in one of the ways named.

    >>> from random import Random
    >>> text, kept, edits = edit("Boil it, then wait.", 0.5, ["replace"], ["tea"], Random(7))
    >>> text, f"{kept:04b}", edits.replaced
    ('tea it, tea wait.', '1010', 2)
    """
    terms, gaps = split_terms(text)
    found: list[str] = []
    between = [gaps[0]]
    kept = replaced = inserted = deleted = 0
    for place, (term, gap) in enumerate(zip(terms, gaps[1:], strict=True)):
        kind = rng.choice(kinds) if rng.random() < rate else ""
        word = _other(term, vocabulary, rng) if kind in {"replace", "insert"} else None
        if kind == "delete":
            deleted += 1
            between[-1] += gap
        elif kind == "replace" and word:
            replaced += 1
            found.append(word)
            between.append(gap)
        else:
            kept |= 1 << place
            found.append(term)
            if word:
                inserted += 1
                found.append(word)
                between.append("" if is_spaceless(term) and is_spaceless(word) else " ")
            between.append(gap)
    edits = Edits(replaced, inserted, deleted)
    return Edited(join_terms(found, between), kept, edits)


def _other(term: str, vocabulary: Sequence[str], rng: Random) -> str | None:
    """Draw a word that differs from a term, if there is one."""
    for _ in range(_TRIES if vocabulary else 0):
        word = rng.choice(vocabulary)
        if fold(word) != fold(term):
            return word
    return None
