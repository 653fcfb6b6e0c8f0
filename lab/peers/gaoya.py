"""gaoya: MinHash with LSH, in Rust."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import ranged

from .peer import Peer, scored

if TYPE_CHECKING:
    from dedup_middleware.methods import Document, Match

_THRESHOLD, _HASHES = 0.75, 100


@dataclass
class Gaoya(Peer):
    """`MinHashStringIndex`, which checks what shares a band against the threshold."""

    label = "gaoya"
    package = "gaoya"
    about = (
        "the text, lower-cased and split into words by the library, as its readme has it; Jaccard "
        "threshold .75 and 20 bands of 5: the defaults of `MinHashStringIndex`. For other "
        "thresholds the library chooses the bands for as many hashes"
    )
    grid = tuple(round(0.1 + 0.025 * step, 3) for step in range(37))

    threshold: float = ranged(_THRESHOLD, "Estimated Jaccard similarity of duplicates.", 0.0, 1.0)

    def sample(self, document: Document) -> Any:
        return document.text

    def insert(self, name: str, sample: Any) -> None:
        self._index.insert_document(len(self._names), sample)
        self._names.append(name)

    def query(self, sample: Any) -> list[Match]:
        found = self._index.query(sample, return_similarity=True)
        return [scored(self._names[number], score) for number, score in found]

    @cached_property
    def _index(self) -> Any:
        from gaoya.minhash import MinHashStringIndex

        bands: dict[str, int | None] = (
            {}
            if self.threshold == _THRESHOLD
            else {"num_bands": None, "band_size": None, "num_hashes": _HASHES}
        )
        return MinHashStringIndex(jaccard_threshold=self.threshold, lowercase=True, **bands)

    @cached_property
    def _names(self) -> list[str]:
        return []
