"""TextProfile: one hash of the frequent words of a text, as in Nutch and Solr."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.settings import ranged

from .peer import Peer, scored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.methods import Document, Match

_TOO_SHORT = 2
_TOKEN = re.compile(r"[^\W_]+")


@dataclass
class TextProfile(Peer):
    """Documents with the same profile are equal; `threshold` is the rate of rounding."""

    label = "TextProfile"
    about = (
        "a signature in the manner of Nutch's and Solr's `TextProfileSignature`, written here from "
        "its description: runs of letters and digits, lower-cased, of at least 3 characters; "
        "counts rounded down to a multiple of .01 of the highest, at least 2; what is left is "
        "hashed"
    )
    knob = "rate"
    grid = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)

    threshold: float = ranged(0.01, "To which share of the highest count counts are rounded.", 0, 1)

    def sample(self, document: Document) -> Counter[str]:
        return count_tokens(document.text)

    def insert(self, name: str, sample: Counter[str]) -> None:
        self._names[self._hash(sample)].append(name)

    def query(self, sample: Counter[str]) -> list[Match]:
        return [scored(name, 1.0) for name in self._names.get(self._hash(sample), ())]

    def _hash(self, sample: Counter[str]) -> bytes:
        lines = (f"{token} {count}" for token, count in profile(sample, self.threshold))
        return hashlib.blake2b("\n".join(lines).encode()).digest()

    @cached_property
    def _names(self) -> defaultdict[bytes, list[str]]:
        return defaultdict(list)


def count_tokens(text: str) -> Counter[str]:
    """Count the words of a text that are long enough.

    >>> count_tokens("To be, or not to BE: not_so")
    Counter({'not': 2})
    """
    tokens: Iterable[str] = _TOKEN.findall(text.lower())
    return Counter(token for token in tokens if len(token) > _TOO_SHORT)


def profile(counts: Counter[str], rate: float) -> list[tuple[str, int]]:
    """Round counts down and drop rare tokens; the most frequent first.

    >>> profile(Counter(tide=5, boat=2, moon=2, rare=1), 0.01)
    [('tide', 4), ('boat', 2), ('moon', 2)]
    >>> profile(Counter(tide=1, boat=1), 0.01)
    [('boat', 1), ('tide', 1)]
    """
    highest = max(counts.values(), default=0)
    step = max(round(highest * rate), 2 if highest > 1 else 1)
    rounded = {token: count // step * step for token, count in counts.items() if count >= step}
    return sorted(rounded.items(), key=lambda one: (-one[1], one[0]))
