"""Pages compared sentence by sentence, as in Yerra's thesis."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from dataclasses import asdict
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.similarity.matching import SentenceTest, match
from lab.progress import progress

from .counts import THRESHOLDS, Counts
from .material import Pair, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dedup_middleware.methods import Document
    from dedup_middleware.similarity.model import Model
    from dedup_middleware.similarity.sentences import Sentence

    from .material import Labelled

    Sentences = tuple[Sentence, ...]

METHODS = {"4-grams": "fourgrams", "fuzzy set": "thesis"}
ODDS = "fuzzy set by odds"
"""From an odds ratio of 1 on, that is, a product of both shares of 0.5."""
ALIKE = 0.5
"""Share of the sentences of either page with a partner from which pages are called alike: the
thesis has no figure for it."""
MOST_PAIRS = 60
"""Of each set, alike and different ones."""
MOST_CASES = 20
LONG = 4
"""How many times as long a page of the fifth case must be as the other, in sentences."""
VERSIONS = 6
FEWEST = 5
"""Sentences of a page that is worth comparing."""


class Overlap(NamedTuple):
    """Shares of the sentences of two pages that have a partner in the other."""

    first: float
    second: float


class Comparer:
    """Compares pages by both methods of the thesis, with a model of words."""

    def __init__(self, model: Model) -> None:
        self.tests = {name: SentenceTest(test, model) for name, test in METHODS.items()}

    def compare(self, one: Sentences, other: Sentences) -> dict[str, Overlap]:
        if not one or not other:
            return dict.fromkeys(self.tests, Overlap(0.0, 0.0))
        return {name: _overlap(one, other, test) for name, test in self.tests.items()}


def _overlap(one: Sentences, other: Sentences, test: SentenceTest) -> Overlap:
    found = match(one, other, test)
    return Overlap(
        fmean(partner.place >= 0 for partner in found.first),
        fmean(partner.place >= 0 for partner in found.second),
    )


def decided(sets: Sequence[Labelled], comparer: Comparer) -> dict[str, Any]:
    """Count right and wrong decisions about pairs of pages, set by set."""
    found: dict[str, Any] = {}
    every: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for labelled in sets:
        pairs = pairs_of(labelled)
        rng = random.Random(labelled.name)
        drawn = [
            pair
            for alike in (True, False)
            for pair in _drawn([one for one in pairs if one.alike == alike], MOST_PAIRS, rng)
        ]
        if not any(pair.alike for pair in drawn):
            continue
        rows: dict[str, list[tuple[float, bool]]] = defaultdict(list)
        for pair in progress(drawn, f"pages of {labelled.name}"):
            sides = pair.new.lettered_sentences, pair.earlier.lettered_sentences
            overlaps = comparer.compare(*sides)
            for name, overlap in overlaps.items():
                rows[name].append((max(overlap), pair.alike))
            rows[ODDS].append((math.prod(overlaps["fuzzy set"]), pair.alike))
        for name, scores in rows.items():
            every[name] += scores
        found[labelled.name] = {name: asdict(_counts(one, ALIKE)) for name, one in rows.items()}
    best = {name: _best(scores) for name, scores in every.items()}
    return {"sets": found, "best": best}


def _drawn(pairs: Sequence[Pair], most: int, rng: random.Random) -> list[Pair]:
    return rng.sample(pairs, min(most, len(pairs)))


def _counts(scores: Sequence[tuple[float, bool]], threshold: float) -> Counts:
    return Counts.of((score >= threshold, alike) for score, alike in scores)


def _best(scores: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    best = max(THRESHOLDS, key=lambda one: round(_counts(scores, one).f1, 9))
    return {"threshold": best, **asdict(_counts(scores, best))}


def cases(sets: Sequence[Labelled], comparer: Comparer) -> dict[str, Any]:
    """Average the overlap of pages that are related as in Tables 3.6 and 3.7."""
    overlaps: dict[str, list[dict[str, Overlap]]] = defaultdict(list)
    sizes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, one, other in progress(list(_cases(sets)), "Table 3.6 of Y"):
        overlaps[name].append(comparer.compare(one, other))
        sizes[name].append((len(one), len(other)))
    return {
        name: {
            "pairs": len(rows),
            "sentences": [fmean(side) for side in zip(*sizes[name], strict=True)],
            "overlap": _means(rows),
        }
        for name, rows in overlaps.items()
    }


def _cases(sets: Sequence[Labelled]) -> Iterator[tuple[str, Sentences, Sentences]]:
    """Yield pairs of pages with the name of their case, the longer page first."""
    pairs: dict[str, list[tuple[Sentences, Sentences]]] = defaultdict(list)
    for pair in (pair for labelled in sets for pair in (*pairs_of(labelled), *_open(labelled))):
        sides = pair.new.lettered_sentences, pair.earlier.lettered_sentences
        longer, shorter = sorted(sides, key=len, reverse=True)
        if len(shorter) >= FEWEST:
            pairs[_case(pair)].append((longer, shorter))
            if pair.kinds and len(longer) >= LONG * len(shorter):
                pairs["size"].append((longer, shorter))
    rng = random.Random("cases")
    unrelated = [longer for longer, _ in pairs["different"]]
    for name in ("inside", "different", "related", "size"):
        for longer, shorter in rng.sample(pairs[name], min(MOST_CASES, len(pairs[name]))):
            yield name, longer, shorter
            if name == "inside" and unrelated:
                # the thesis adds 10 unrelated sentences to 21
                added = rng.choice(unrelated)[: len(shorter) // 2]
                yield "inside and more", longer, shorter + added


def _open(labelled: Labelled) -> Iterator[Pair]:
    """Yield the pairs that the labels leave open: related, but not the same."""
    known = {document.name: document for document in labelled.documents}
    for name, label in labelled.labels.items():
        for earlier in label.neutral:
            if name in known and earlier in known:
                yield Pair(known[name], known[earlier], ("open",))


def _case(pair: Pair) -> str:
    if pair.kinds == ("open",):
        return "related"
    if not pair.kinds:
        return "different"
    return "near" if {"near", "exact"} & set(pair.kinds) else "inside"


def examples(sets: Sequence[Labelled]) -> dict[str, tuple[Sentences, Sentences]]:
    """Return one pair of pages a case, and the first and the last of some versions."""
    found: dict[str, tuple[Sentences, Sentences]] = {}
    for name, one, other in _cases(sets):
        found.setdefault(name, (one, other))
    for group in _groups(sets):
        found["versions"] = group[0].lettered_sentences, group[-1].lettered_sentences
        break
    return found


def versions(sets: Sequence[Labelled], comparer: Comparer) -> dict[str, Any]:
    """Average the overlap of versions of a page, each with the next, and first with last."""
    rows: dict[str, list[dict[str, Overlap]]] = defaultdict(list)
    for group in progress(list(_groups(sets)), "Table 3.8 of Y"):
        places = [*pairwise(range(VERSIONS)), (0, VERSIONS - 1)]
        for one, other in places:
            sides = group[one].lettered_sentences, group[other].lettered_sentences
            rows[f"{one + 1}–{other + 1}"].append(comparer.compare(*sides))
    return {name: {"pages": len(found), "overlap": _means(found)} for name, found in rows.items()}


def _groups(sets: Sequence[Labelled]) -> Iterator[list[Document]]:
    """Yield groups of versions of one page, in order of arrival, no page twice."""
    seen: set[str] = set()
    count = 0
    for labelled in sets:
        known = {document.name: document for document in labelled.documents}
        sizes = {name: len(_earlier(labelled.labels, name)) for name in known}
        for name in sorted(known, key=lambda one: -sizes[one]):
            group = [one for one in (*_earlier(labelled.labels, name), name) if one in known]
            if len(group) >= VERSIONS and seen.isdisjoint(group) and count < MOST_CASES:
                seen.update(group)
                count += 1
                order = {one: place for place, one in enumerate(known)}
                yield [known[one] for one in sorted(group, key=order.__getitem__)[:VERSIONS]]


def _earlier(labels: Mapping[str, Any], name: str) -> list[str]:
    label = labels.get(name)
    return [*label.positives, *label.neutral] if label else []


def _means(rows: Sequence[Mapping[str, Overlap]]) -> dict[str, list[float]]:
    return {name: [fmean(row[name][side] for row in rows) for side in (0, 1)] for name in METHODS}
