"""Which fingerprint of a document to query a search engine with: open in Pereira & Ziviani.

Documents are made of parts of ten pages, as for their Table 1; the engine is an index of all pages
of the set, which ranks pages by the idf of the words, or runs of words, that they have of a query.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from dedup_middleware.read.words import words
from lab.markdown import percent, table
from lab.progress import progress
from lab.synthesis import Plan, Range, synthesize

from .material import read_pools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Terms = list[str]
    Choose = Callable[["Terms", "Engine", random.Random], Terms]

SOURCES, SHARES = 10, (0.1, 0.9)
SIZES = (5, 10, 20)
"""Terms of a query."""
TOP = 10
"""Answers that are looked at, as the paper collects the first ten."""
RUN = 4
MOST_POOL = 400
"""Pages of a set."""


class Engine:
    """Ranks pages by the rarity of the terms that they share with a query."""

    def __init__(self, pages: Sequence[Terms]) -> None:
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._pages = len(pages)
        for number, page in enumerate(pages):
            for term in dict.fromkeys((*page, *runs(page))):
                self._holders[term].append(number)

    def frequency(self, term: str) -> int:
        return len(self._holders.get(term, ()))

    def answers(self, query: Sequence[str]) -> list[int]:
        scores: dict[int, float] = defaultdict(float)
        for term in query:
            holders = self._holders.get(term, ())
            for number in holders:
                scores[number] += math.log((self._pages + 1) / len(holders))
        return sorted(scores, key=lambda number: (-scores[number], number))[:TOP]


def runs(page: Sequence[str]) -> Iterator[str]:
    """Yield the runs of four words."""
    for at in range(len(page) - RUN + 1):
        yield " ".join(page[at : at + RUN])


def _rarest(page: Terms, engine: Engine, _: random.Random) -> Terms:
    # words that no page has are misspelt, or of its own
    return sorted(
        (word for word in dict.fromkeys(page) if engine.frequency(word) > 1),
        key=lambda word: (engine.frequency(word), word),
    )


def _spread(page: Terms, engine: Engine, rng: random.Random, parts: int = max(SIZES)) -> Terms:
    """Choose the rarest word of each part of the document, parts in random order."""
    size = max(1, len(page) // parts)
    chosen = [_rarest(page[at : at + size], engine, rng)[:1] for at in range(0, len(page), size)]
    found = list(dict.fromkeys(word for some in chosen for word in some))
    rng.shuffle(found)
    return found


def _random_runs(page: Terms, _: Engine, rng: random.Random) -> Terms:
    found = list(dict.fromkeys(runs(page)))
    rng.shuffle(found)
    return found


FINGERPRINTS: dict[str, Choose] = {
    "most frequent words": lambda page, *_: [word for word, _ in Counter(page).most_common()],
    "random words": lambda page, _, rng: rng.sample(sorted({*page}), len({*page})),
    "longest words": lambda page, *_: sorted({*page}, key=lambda word: (-len(word), word)),
    "first words": lambda page, *_: list(dict.fromkeys(page)),
    "rarest words, in two pages or more": _rarest,
    "rarest word of each part": _spread,
    "random runs of four words": _random_runs,
}


def measure(data: Path, queries: int, problems: list[str]) -> dict[str, Any]:
    """Return the share of the sources among the first ten answers, by fingerprint and size."""
    pools = {
        name: sources[:MOST_POOL]
        for name, sources in read_pools(data, problems).items()
        if len(sources) >= SOURCES
    }
    found: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in FINGERPRINTS}
    engines = {
        name: Engine([words(source.text) for source in sources]) for name, sources in pools.items()
    }
    for number in progress(range(queries if pools else 0), "queries of P"):
        name = list(pools)[number % len(pools)]
        rng, engine, pool = random.Random(number), engines[name], pools[name]
        chosen = rng.sample(range(len(pool)), SOURCES)
        made = synthesize([pool[one] for one in chosen], Plan(shares=Range(*SHARES)), rng)
        page = words(made.text)
        for fingerprint, choose in FINGERPRINTS.items():
            terms = choose(page, engine, random.Random(number))
            for size in SIZES:
                answers = {*engine.answers(terms[:size])}
                found[fingerprint][str(size)].append(len(answers & {*chosen}) / SOURCES)
    return {
        name: {size: sum(shares) / len(shares) for size, shares in sizes.items()}
        for name, sizes in found.items()
    }


def shown(found: Any) -> str:
    rows = [
        [name, *(percent(sizes.get(str(size)), 1) for size in SIZES)]
        for name, sizes in found.items()
    ]
    return table(["fingerprint", *(f"{size} terms" for size in SIZES)], rows)
