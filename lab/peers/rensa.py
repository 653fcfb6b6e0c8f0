"""rensa: MinHash with LSH, in Rust."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import ranged

from .peer import Peer, scored

if TYPE_CHECKING:
    from dedup_middleware.methods import Document, Match

_PERMUTATIONS, _SEED = 128, 42  # as in its readme


@dataclass
class Rensa(Peer):
    """`RMinHashDeduplicator`, which checks what shares a band against the threshold."""

    label = "rensa"
    package = "rensa"
    about = (
        "the text split at blanks; `RMinHashDeduplicator(threshold=0.8, num_perm=128, "
        "use_lsh=True)`, as its readme shows both. What the deduplicator takes for a duplicate it "
        "does not keep, as here"
    )
    grid = tuple(round(0.1 + 0.025 * step, 3) for step in range(37))

    threshold: float = ranged(0.8, "Estimated Jaccard similarity of duplicates.", 0.0, 1.0)

    def sample(self, document: Document) -> Any:
        from rensa import RMinHash

        made = RMinHash(num_perm=_PERMUTATIONS, seed=_SEED)
        made.update(document.text.split())
        return made

    def insert(self, name: str, sample: Any) -> None:
        if self._index.add(name, sample):
            self._samples[name] = sample

    def query(self, sample: Any) -> list[Match]:
        return [
            scored(name, sample.jaccard(self._samples[name]))
            for name in self._index.get_duplicates(sample)
        ]

    @cached_property
    def _index(self) -> Any:
        from rensa import RMinHashDeduplicator

        return RMinHashDeduplicator(threshold=self.threshold, num_perm=_PERMUTATIONS, use_lsh=True)

    @cached_property
    def _samples(self) -> dict[str, Any]:
        return {}
