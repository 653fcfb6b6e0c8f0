"""Columns of lists of decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._listing import ALWAYS, Column, dim
from ._screen import VERDICT_STYLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dedup_middleware.inspect.decisions import Decision

SIDE_BY_SIDE = 110
"""Columns of a terminal from which a page stands beside its original."""


def decision_columns(
    doubt: Callable[[Decision], float], number: str = "score", *, actions: bool = False
) -> Sequence[Column[Decision]]:
    """Return the columns: with one number, score, doubt or lost; if asked for, with actions."""
    return (
        Column("verdict", lambda one: one.verdict, least=9, style=VERDICT_STYLES.get),
        Column("action", lambda one: one.action, least=6, is_data=not actions),
        Column("score", lambda one: one.score, _share, is_data=number != "score"),
        Column("doubt", doubt, _share, is_data=number != "doubt"),
        Column("lost", _lost("words"), key="lost_words", is_data=number != "lost"),
        Column("page", lambda one: one.url, key="url", least=24, is_url=True),
        Column("original", _original, least=24, below=SIDE_BY_SIDE, mark="= ", is_url=True),
        Column("reason", lambda one: one.reason, text=brief, below=ALWAYS, style=dim),
        Column("stage", lambda one: one.stage, is_data=True),
        Column("time", lambda one: one.entry.get("time"), is_data=True),
        Column("run", lambda one: one.run, is_data=True),
        Column("spider", lambda one: one.spider, is_data=True),
        Column("seq", lambda one: one.sequence, is_data=True),
        Column("ms", lambda one: one.milliseconds, is_data=True),
        Column("bytes", lambda one: one.size, is_data=True),
        *(Column(f"lost_{name}", _lost(name), is_data=True) for name in ("share", "units", "of")),
    )


def brief(decision: Decision) -> str:
    """Return the reason without the URL of the original, which stands beside it."""
    reason, original = decision.reason, decision.original
    if original and "://" in original:
        reason = reason.replace(f"in {original}", "there").replace(original, "the original")
    return reason


def _original(decision: Decision) -> str | None:
    return decision.original


def _lost(name: str) -> Callable[[Decision], Any]:
    return lambda one: getattr(one.lost, name) if one.lost else None


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"
