"""simhash: the index of that package."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import ranged

from .peer import Peer, scored

if TYPE_CHECKING:
    from dedup_middleware.methods import Document, Match

_BITS, _WIDTH = 64, 3
_NO_WORD = re.compile(r"\W+")


@dataclass
class SimhashIndex(Peer):
    """`SimhashIndex`: fingerprints that differ in at most k bits."""

    label = "simhash SimhashIndex"
    package = "simhash"
    about = (
        "runs of three letters of the lower-cased text without blanks and signs, as its readme has "
        "it; k = 2 bits of 64: the default of `SimhashIndex`"
    )
    knob = "k"
    grid = tuple(range(16, -1, -1))

    threshold: int = ranged(2, "Bits that may differ.", 0, 63)

    def sample(self, document: Document) -> Any:
        from simhash import Simhash

        letters = _NO_WORD.sub("", document.text.lower())
        starts = range(max(1, len(letters) - _WIDTH + 1))
        return Simhash([letters[start : start + _WIDTH] for start in starts])

    def insert(self, name: str, sample: Any) -> None:
        self._index.add(name, sample)
        self._samples[name] = sample

    def query(self, sample: Any) -> list[Match]:
        return [
            scored(name, 1 - sample.distance(self._samples[name]) / _BITS)
            for name in self._index.get_near_dups(sample)
        ]

    @cached_property
    def _index(self) -> Any:
        from simhash import SimhashIndex as Index

        quiet = logging.getLogger(__name__)
        quiet.setLevel(logging.ERROR)  # at large k it warns about every big bucket
        return Index([], f=_BITS, k=self.threshold, log=quiet)

    @cached_property
    def _samples(self) -> dict[str, Any]:
        return {}
