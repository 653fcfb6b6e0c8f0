"""Ablation: what each part of the judge is worth, by leaving it out.

Parts are replaced in the process that judges a set, and nowhere else: the product has no switches
for them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.data import sections
from dedup_middleware.fingerprint.scheme import SIMHASH, lookup_keys
from dedup_middleware.judge import cascade, match, names
from dedup_middleware.similarity import comparison
from dedup_middleware.similarity.loss import Units, compare_units
from dedup_middleware.store import view
from lab.table import table

from .cascade import Result, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from dedup_middleware.fingerprint.scheme import Fingerprint, Keys
    from dedup_middleware.similarity.loss import Loss

    from .sets import PageSet

HEAD = ("set", "without", "right drops", "wrong drops", "right tags", "wrong tags", "contains")
NEVER = -1
_UNIT, _PLACES = 52, slice(8, 32)
"""Bytes of a unit, and those of them that are its place (`native/src/units.rs`)."""
_SPAN = slice(36, 44)
"""Where the text of a unit begins and ends."""
_LONGEST = 384  # bytes of a unit that is nothing but a date of edit or a counter
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


def without_simhash() -> None:
    """Look up no page by its SimHash, and let no distance open a comparison."""

    def keys(page: Fingerprint, *, alike: bool) -> Keys:
        found = lookup_keys(page, alike=alike)
        kept: Keys = found[found >> np.uint64(56) != SIMHASH]
        return kept

    _replace(view, lookup_keys=keys)
    _replace(cascade, SIMHASH_DISTANCE=NEVER)
    _replace(match, SIMHASH_DISTANCE=NEVER)


def without_words() -> None:
    """Compare unit by unit whatever runs of words say."""
    _replace(cascade, is_near_match=lambda *_: True)


def without_sentences() -> None:
    """Let a unit keep nothing but one that is equal to it."""
    _change_units(_without_text)


def without_tree() -> None:
    """Let no unit be out of place."""
    _change_units(_without_places)


def without_rarity() -> None:
    """Let a unit weigh the same however many pages of its host have it."""
    _change_units(lambda units: units._replace(names=bytes(4), rarity=b""))


def without_names() -> None:
    """Compare pages of all names alike."""
    _replace(names.Names, differ=lambda *_: False)


PARTS: dict[str, Callable[[], None]] = {
    "nothing": lambda: None,
    "SimHash": without_simhash,
    "words": without_words,
    "sentences": without_sentences,
    "tree": without_tree,
    "rarity": without_rarity,
    "names": without_names,
}


def run_without(
    part: str, page_set: PageSet, settings: Mapping[str, Any], journal: Path | None
) -> Result:
    """Judge a set without a part; only in a process of its own."""
    PARTS[part]()
    result = run(page_set, settings, journal, quiet=True)
    result.variant = part
    return result


def as_table(results: Iterable[Result]) -> str:
    """Return what was dropped and tagged without each part, right and wrong."""
    rows = []
    for result in results:
        done = result.actions
        right = [done[key] for key in done if not key[0] and key[1].startswith("copy")]
        wrong = [done[key] for key in done if key == ("", "no copy")]
        rows.append(
            [
                result.name,
                result.variant,
                sum(one["dropped"] for one in right),
                sum(one["dropped"] for one in wrong),
                sum(one["tagged"] for one in right),
                sum(one["tagged"] for one in wrong),
                sum(one["contains"] for one in (*right, *wrong)),
            ]
        )
    return table(HEAD, rows)


def simhash_counts(results: Iterable[Result]) -> str:
    """Say how many near copies SimHash alone would have led to."""
    lines = []
    for result in results:
        dropped = [one for one in result.verdicts.values() if one.action == "drop"]
        near = [one.scores["simhash_distance"] for one in dropped if one.kind == "near"]
        within = sum(distance <= match.SIMHASH_DISTANCE for distance in near)
        lines.append(
            f"{result.name}: {within} of {len(near)} near copies that are dropped have a SimHash "
            f"within {match.SIMHASH_DISTANCE} of that of the page they are dropped for."
        )
    return "\n".join(lines)


def _replace(owner: object, **parts: object) -> None:
    for name, part in parts.items():
        setattr(owner, name, part)


def _change_units(change: Callable[[Units], Units]) -> None:
    def changed(page: Units, others: Sequence[Units]) -> list[Loss]:
        return compare_units(change(page), [change(other) for other in others])

    _replace(comparison, compare_units=changed)


def _without_places(units: Units) -> Units:
    rows = np.frombuffer(units.packed, np.uint8).reshape(-1, _UNIT).copy()
    rows[:, _PLACES] = 0
    return units._replace(packed=rows.tobytes())


def _without_text(units: Units) -> Units:
    """Blank all text but that of dates of edit and counters, which weigh nothing."""
    rows = np.frombuffer(units.packed, np.uint8).reshape(-1, _UNIT)
    blank = bytearray(b" " * len(units.lines))
    for start, end in rows[:, _SPAN].copy().view("<u4"):
        text = units.lines[start:end]
        if len(text) <= _LONGEST and _is_volatile(text.decode()):
            blank[start:end] = text
    return units._replace(lines=bytes(blank))


def _is_volatile(text: str) -> bool:
    """Return about what the core does (`native/src/similarity/facts.rs`)."""
    listed, changed = _volatile_words()
    words = {*_WORD.findall(text.lower())}
    return bool(_DIGIT.search(text)) and words <= listed and not words.isdisjoint(changed)


@cache
def _volatile_words() -> tuple[set[str], set[str]]:
    found = sections("volatile.txt")
    changed = {*found["edited"], *found["counted"]}
    return changed.union(found["labels"], found["dates"]), changed
