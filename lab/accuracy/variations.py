"""Runs of the deduplicator that only the report needs: in other orders, and without each part.

Results are kept as JSON, so that an interrupted run continues where it was.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING, Any

from dedup_middleware import DedupError
from lab.markdown import table
from lab.measure import fresh_processes
from lab.progress import progress
from lab.provenance import code_digest

from . import ablation
from .cascade import run
from .sets import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from .cascade import Result
    from .scoring import Judgement, Label
    from .sets import PageSet

    Row = dict[str, Any]

ORDERS = {"as they come": 0, "shuffled, seed 1": 1, "shuffled, seed 2": 2}
OUTCOMES = ("right drops", "wrong drops", "open drops", "right tags", "wrong tags", "contains")
_DROPPING = {"near", "exact", "unchanged"}


def outcomes(labels: Iterable[Label], verdicts: Mapping[str, Judgement]) -> dict[str, int]:
    """Count what was done with pages, in whatever order they came.

    Labels are about earlier pages, but what is near to a page is so in any order, and what lies in
    it is contained by it. A drop for a page that no label names beside this one is wrong; if labels
    leave that pair open, or the pages are related by others only, the drop is open.
    """
    allowed: dict[tuple[str, str], bool] = {}
    group: dict[str, str] = {}

    def first(url: str) -> str:
        while group.setdefault(url, url) != url:
            url = group[url]
        return url

    undecided = set()
    for label in labels:
        if label.gold not in {"positive", "negative"}:
            undecided.add(label.url)
        for other, kinds in label.positives.items():
            allowed[label.url, other] = bool({*kinds} & {*_DROPPING, "contained"})
            allowed[other, label.url] = bool({*kinds} & {*_DROPPING, "contains"})
            group[first(label.url)] = first(other)
        for other in label.neutral:
            group[first(label.url)] = first(other)
    counts = dict.fromkeys(OUTCOMES, 0)
    for url, said in verdicts.items():
        if not said.alarm or said.original is None:
            continue
        if said.kind == "contains":
            counts["contains"] += 1
            continue
        what = "drops" if said.dropped else "tags"
        known = allowed.get((url, said.original))
        related = first(url) == first(said.original) or url in undecided
        if known or (said.kind == "unchanged" and said.original == url):
            counts[f"right {what}"] += 1
        elif known is False or not related:
            counts[f"wrong {what}"] += 1
        elif what == "drops":
            counts["open drops"] += 1
    return counts


def measure(
    sets: Sequence[PageSet], digests: Mapping[str, str], work: Path, problems: list[str]
) -> dict[str, dict[str, Row]]:
    """Run all variations on all sets; return their counts by variation and set."""
    made: dict[str, Callable[[PageSet], Result]] = {
        name: partial(_in_order, order) for name, order in ORDERS.items()
    }
    made |= {part: partial(_without, part) for part in ablation.PARTS if part != "nothing"}
    found: dict[str, dict[str, Row]] = {name: {} for name in made}
    todo = [(name, one) for name in made for one in sets]
    for name, one in progress(todo, "orders and parts"):
        path = work / "variations" / f"{one.name}.{name}.json"
        key = f"{digests[one.name]} {code_digest()}"
        row = _kept(path, key) or _measured(one, made[name], path, key, problems)
        if row:
            found[name][one.name] = row
    return found


def _in_order(order: int, page_set: PageSet) -> Result:
    return run(page_set, {}, quiet=True, order=order)


def _without(part: str, page_set: PageSet) -> Result:
    return ablation.run_without(part, page_set, {}, None)


def _kept(path: Path, key: str) -> Row | None:
    try:
        row = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return row["counts"] if isinstance(row, dict) and row.get("key") == key else None


def _measured(
    page_set: PageSet,
    judge: Callable[[PageSet], Result],
    path: Path,
    key: str,
    problems: list[str],
) -> Row | None:
    """Judge a set in a process of its own, as parts of the program are replaced there."""
    try:
        with ProcessPoolExecutor(1, mp_context=fresh_processes()) as pool:
            result = pool.submit(judge, page_set).result()
    except (DedupError, OSError, BrokenProcessPool) as error:
        problems.append(f"{page_set.name}: not finished: {error}")
        return None
    counts = outcomes(labels_of(page_set, []), result.verdicts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": key, "counts": counts}), encoding="utf-8")
    return counts


def as_table(found: Mapping[str, Mapping[str, Row]], names: Iterable[str], head: str) -> str:
    """Return right drops, wrong drops and tags of some variations, set by set."""
    sets = list(dict.fromkeys(name for rows in found.values() for name in rows))
    rows = [
        [name, *(_cell(found[name].get(one)) for one in sets)] for name in names if name in found
    ]
    return table([head, *sets], rows)


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    return f"{row['right drops']} / {row['wrong drops']}, {row['right tags']} / {row['wrong tags']}"
