"""Command: `python -m lab.published.codet_options DATA`: what options of CoDet's methods do.

One option at a time on the first pages of each stream: bits of a SimHash, samples of DSC, idf and
stems of CoDet, and its future work: titles, positions, advertising. Then the
time that each method takes as documents get more (Figure 5.4), in units of the quickest.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.methods import make_method
from lab.markdown import figure, joined, table

from .codet import METHODS, scored
from .codet_material import collection_of
from .counts import score
from .material import read_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .material import Labelled

PAGES = 150
COUNTS = (50, 100, 200, 400)
_CODET = METHODS["CoDet"]
CHANGES: dict[str, dict[str, Any]] = {
    "1 added to idf": {"plus_one": True},
    "repeated words removed": {"repeats": False},
    "tf instead of idf": {"weights": "tf"},
    "tf-idf instead of idf": {"weights": "tf-idf"},
    "no stemming": {"stemming": "none"},
    "Porter's stems": {"stemming": "stems"},
    "title as a sentence": {"title": 1},
    "title three times": {"title": 3},
    "first sentences three times": {"lead": 3},
    "two common sentences at least": {"least_sentences": 2},
    "three common sentences at least": {"least_sentences": 3},
}
OPTIONS: dict[str, tuple[str, dict[str, Any], float]] = {
    "FFP": METHODS["FFP"],
    "I-Match": METHODS["I-Match"],
    "SimHash, 64 bits": ("simhash", {"skip": 2, "reach": 16}, 1 - 2 / 64),
    "SimHash, 160 bits": METHODS["SimHash"],
    "DSC, one shingle in 25": ("dsc", {"containment": True}, 0.6),
    "DSC, the first three shingles": ("dsc", {"containment": True, "first": 3}, 0.6),
    "CoDet": _CODET,
    **{
        f"CoDet, {label}": (_CODET[0], {**_CODET[1], **changed}, _CODET[2])
        for label, changed in CHANGES.items()
    },
}


def options(sets: Sequence[Labelled], pages: int) -> str:
    """Return precision, recall and F1 of each option at the thesis' threshold, and the best F1.

    Pages are prepared as in 5.1 of the thesis; the last columns are without that.
    """
    rows = []
    collections = [collection_of(one, pages) for one in sets]
    for label, (name, chosen, threshold) in OPTIONS.items():
        total = reduce(add, (scored(one, name, chosen) for one in collections))
        counts, best = total.at(threshold), total.at(total.best())
        shares = (counts.precision, counts.recall, counts.f1)
        plain = reduce(add, (score(one.plain.pages, name, chosen) for one in collections))
        others = plain.at(threshold).f1, plain.at(plain.best()).f1
        rows.append([label, *map(figure, shares), *(figure(one, 3) for one in (best.f1, *others))])
    return table(["", "P", "R", "F1", "best F1", "F1, pages as they are", "best F1"], rows)


def times(sets: Sequence[Labelled]) -> str:
    """Return the CPU time of each method by the number of documents."""
    documents = [one for labelled in sets for one in labelled.documents][: COUNTS[-1]]
    for one in documents:  # read and split once, so that only the methods are timed
        _ = one.sentences, one.hashes
    spent: dict[str, list[float]] = {}
    for label, (name, chosen, _) in METHODS.items():
        spent[label] = []
        for count in COUNTS:
            method = make_method(name, **chosen)
            begun = time.process_time()
            for one in documents[:count]:
                method.candidates(one)
                method.add(one)
            spent[label].append(time.process_time() - begun)
    unit = min(one[0] for one in spent.values())
    rows = [[label, *(f"{one / unit:.1f}" for one in found)] for label, found in spent.items()]
    return table(["", *(f"{count} documents" for count in COUNTS)], rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m lab.published.codet_options")
    parser.add_argument("data", metavar="DATA", type=Path, help="a folder of sets")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of a set ({PAGES})")
    given = parser.parse_args(arguments)
    problems: list[str] = []
    sets = read_sets(given.data, problems, "stream")
    print(joined(options(sets, given.pages), times(sets)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
