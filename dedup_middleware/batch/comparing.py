"""Stage *compare*: which pages of large components have anything to do with each other.

What shares keys and looks alike to samples joins so many pages that the largest components hold
most of a site. Compared in full, few pairs are left, and components are small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory
from dedup_middleware.judge.cascade import CACHED_WORDS, FEW_NEAR, MOST_WORDS, Cascade
from dedup_middleware.judge.relation import is_near_match, relation
from dedup_middleware.similarity import compare_hashes
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store.packing import unpack

from .candidates import REWORDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Prepared


class Stored(NamedTuple):
    """A page as a comparison gets it."""

    arrival: int
    why: int
    """Why it is worth comparing."""
    outline: bytes
    memory: bytes | None
    """Of its site, as of the arrival of the page in question."""


class Comparer:
    """Compares pages as the judge will; keeps those that were compared last."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cascade = Cascade(settings)
        self._cache = PreparedCache(CACHED_WORDS)

    def related(self, page: Stored, known: Iterable[Stored]) -> tuple[list[int], bool]:
        """Return the known pages that a page may turn out to repeat, to hold or to be suspect of.

        Context can only speak against a relation, so that it may be left out here. Also return
        whether there are so many near matches that the judge may not compare one of these.
        """
        own, found = self._prepared(page), list[int]()
        near = words = 0
        is_far = False
        for one in known:
            other, is_reworded = self._prepared(one), one.why == REWORDED
            (by_hashes,) = compare_hashes(own, [other])
            if not (is_reworded or is_near_match(by_hashes, self._settings)):
                continue
            near += 1
            words += own.word_count + other.word_count
            (compared,) = self._cascade.compare([by_hashes], own, [other])
            if relation(compared, self._settings):
                found.append(one.arrival)
                lowest = min(self._settings.near, self._settings.contained)
                is_far |= max(by_hashes.overlap[1:]) < lowest
        return found, bool(found) and ((is_far and near > FEW_NEAR) or words > MOST_WORDS)

    def _prepared(self, page: Stored) -> Prepared:
        memory = SiteMemory.unpack(page.memory) if page.memory else UNKNOWN_SITE
        key = page.arrival, memory.generation
        found = self._cache.get(key)
        if found is None:
            found = self._cascade.prepare(unpack(page.outline), memory)
            words = len(page.outline) // 3  # compressed, about
            found = self._cache.put(key, words, found)
        return found


def related_pairs(
    pages: Iterable[tuple[Stored, Iterable[Stored]]], settings: Settings, cut: int
) -> Iterator[tuple[int, int]]:
    """Yield related pairs; `cut` in place of a known page if one may be left out."""
    comparer = Comparer(settings)
    for page, known in pages:
        found, is_cut = comparer.related(page, known)
        yield from ((page.arrival, one) for one in found)
        if is_cut:
            yield page.arrival, cut
