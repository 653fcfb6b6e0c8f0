"""What is done with labelled pages: drops, tags and `contains` apart, by site and by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dedup_middleware.urls import same_site
from lab.table import table

from .scoring import KEPT, UNIQUE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .scoring import Judgement, Label

OUTCOMES = ("dropped", "tagged", "contains", "missed", "wrong original")
HEAD = ("set", "group", "gold", "pages", *OUTCOMES)

Actions = Mapping[tuple[str, str], Counter[str]]
"""How often pages had each outcome, by group and gold; the group of all pages is empty."""


def actions(labels: Iterable[Label], verdicts: Mapping[str, Judgement]) -> Actions:
    """Count what was done with pages; of those that have a copy, by whether that is of their site.

    A copy that was found for a page that is none of it counts as `wrong original`. Of pages that
    are no copies, only what was dropped, tagged or called `contains` counts.
    """
    found: dict[tuple[str, str], Counter[str]] = {}
    for label in labels:
        gold = _gold(label)
        if not gold:
            continue
        outcome = _outcome(label, verdicts.get(label.url, UNIQUE))
        for group in {"", label.group}:
            found.setdefault((group, gold), Counter()).update((outcome, "pages"))
    return found


def action_rows(found: Actions) -> list[dict[str, Any]]:
    """Return the counts for JSON."""
    return [
        {"group": group, "gold": gold, **counts} for (group, gold), counts in sorted(found.items())
    ]


def as_table(counted: Iterable[tuple[str, Actions]], *, groups: bool) -> str:
    """Return a table of several sets; with a row for each group, if that is wanted."""
    rows = [
        [name, group or "all", gold, *(str(counts[one]) for one in ("pages", *OUTCOMES))]
        for name, found in counted
        for (group, gold), counts in sorted(found.items())
        if groups or not group
    ]
    return table(HEAD, rows)


def _gold(label: Label) -> str:
    """Return what the label says of a page; empty if it leaves that open."""
    if label.gold == "negative":
        return "no copy"
    if label.gold != "positive":
        return ""
    same = any(same_site(label.url, url) for url in label.positives)
    return "copy, same site" if same else "copy, other site"


def _outcome(label: Label, judgement: Judgement) -> str:
    if judgement.kind in KEPT:
        return "missed" if label.gold == "positive" else ""
    right = judgement.original in label.positives or judgement.original in label.neutral
    if label.gold == "positive" and not right:
        return "wrong original"
    if judgement.kind == "contains":
        return "contains"
    return "dropped" if judgement.dropped else "tagged"
