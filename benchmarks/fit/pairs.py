"""Pairs with labels: each page of a set and the known page that it was found most like."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from benchmarks.accuracy.sets import labels_of
from dedup_middleware.judge.relation import AGAINST, FEWEST_DENIED, FOR, differences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.accuracy.sets import PageSet

    Values = NDArray[np.float64]

QUESTIONS = ("same", "inside")
NAMES = (*FOR, *AGAINST)


class Example(NamedTuple):
    """The answer to one question about two pages."""

    set: str
    site: str
    question: str
    measures: tuple[float, ...]
    """In the order of NAMES; what speaks against is negative."""
    yes: bool


def examples_of(page_set: PageSet, journal: Path, problems: list[str]) -> Iterator[Example]:
    """Yield what the journal of a set and its labels say about pairs that were compared."""
    labels = {label.url: label for label in labels_of(page_set, problems)}
    try:
        lines = journal.read_text("utf-8").splitlines()
    except OSError as error:
        problems.append(f"{journal}: {error.strerror}; set skipped")
        return
    for line in lines:
        entry = json.loads(line)
        label, scores = labels.get(entry["url"]), entry.get("scores") or {}
        other = entry.get("original") or entry.get("closest")
        if label is None or scores.get("covered") is None or other in label.neutral:
            continue
        if scores.get("numbers") or (scores.get("negated") or 0) >= FEWEST_DENIED:
            continue  # weights decide nothing where facts are disputed
        kinds = label.positives.get(other, ())
        if not kinds and label.gold not in ("positive", "negative"):
            continue
        site = f"{page_set.name}/{urlsplit(entry['url']).netloc}"
        alike = {"near", "exact"}.intersection(kinds)
        if alike or not kinds:
            yield Example(page_set.name, site, "same", _measures(scores, None), bool(alike))
        for way, kind in enumerate(("contained", "contains")):
            if kind in kinds or alike or not kinds:
                yield Example(page_set.name, site, "inside", _measures(scores, way), bool(kinds))


def _measures(scores: dict[str, object], way: int | None) -> tuple[float, ...]:
    """Return the measures of one page (way), or the lesser of both."""
    found = SimpleNamespace(**scores)
    both = [getattr(found, name, None) or (1.0, 1.0) for name in FOR]
    shares = [min(one) if way is None else one[way] for one in both]
    return (*shares, *(-value for value in differences(found)))  # type: ignore[arg-type]  # scores have its fields
