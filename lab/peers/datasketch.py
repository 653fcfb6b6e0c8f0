"""datasketch: MinHash with LSH."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import ranged

from .peer import Peer, scored

if TYPE_CHECKING:
    from dedup_middleware.methods import Document, Match

_PERMUTATIONS = 128  # the library's default


@dataclass
class Datasketch(Peer):
    """`MinHashLSH` finds what shares a band; the estimate only ranks the finds."""

    label = "datasketch MinHashLSH"
    package = "datasketch"
    about = (
        "the set of words, as in its documentation; 128 permutations, threshold .9: the "
        "defaults of `MinHashLSH`. What shares a band is a find, as `query` gives it; the "
        "estimated Jaccard similarity ranks finds"
    )
    # beyond .97 the library finds no bands for so few permutations
    grid = (*(round(0.1 + 0.05 * step, 2) for step in range(18)), 0.97)

    threshold: float = ranged(0.9, "Jaccard similarity that the bands are made for.", 0.0, 1.0)

    def sample(self, document: Document) -> Any:
        from datasketch import MinHash

        made = MinHash(num_perm=_PERMUTATIONS)
        made.update_batch([word.encode() for word in set(document.words)])
        return made

    def insert(self, name: str, sample: Any) -> None:
        self._index.insert(name, sample)
        self._samples[name] = sample

    def query(self, sample: Any) -> list[Match]:
        return [
            scored(name, sample.jaccard(self._samples[name])) for name in self._index.query(sample)
        ]

    @cached_property
    def _index(self) -> Any:
        from datasketch import MinHashLSH

        return MinHashLSH(num_perm=_PERMUTATIONS, params=_bands(self.threshold))

    @cached_property
    def _samples(self) -> dict[str, Any]:
        return {}


@cache
def _bands(threshold: float) -> tuple[int, int]:
    """Let the library choose the bands, once: that takes longer than a page."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=threshold, num_perm=_PERMUTATIONS)
    return index.b, index.r
