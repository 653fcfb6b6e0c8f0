"""`scrapy dedup drops`: list dropped pages, with their originals and the reasons."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.text import count_list, size, warn
from dedup_middleware.verdict import Action

from . import _arguments, _stores
from ._listing import MOST_ROWS, Column, Listing
from ._screen import VERDICT_STYLES, Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.stored_decisions import Filter, StoredDecisions
    from dedup_middleware.inspect.tallies import Cluster


KEYS: dict[str, Callable[[Decision], Any]] = {
    "lost": lambda one: -one.lost.words if one.lost else 1,  # those that lose most come first
    "score": lambda one: 2.0 if one.score is None else one.score,  # those without come last
    "url": lambda one: one.url,
    "bytes": lambda one: one.size,
}
MOST_ORIGINALS = 20
_ORIGINALS: Sequence[Column[Cluster]] = (
    Column("copies", lambda one: one.copies),
    Column("size", lambda one: one.size, size, key="bytes"),
    Column("original", lambda one: one.original, is_long=True),
    Column("copy", lambda one: one.example, key="example", below=True, mark="e.g. "),
    Column("verdicts", lambda one: one.verdicts, count_list, below=True, style="dim"),
    Column("hosts", lambda one: one.hosts, count_list, below=True, style="dim"),
)


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser, Action.DROP)
    parser.add_argument(
        "--by",
        choices=["original"],
        help="list originals with the numbers of their copies, those with most copies first",
    )
    parser.add_argument(
        "--sort",
        choices=("doubt", *KEYS),
        help="sort by this: the most doubtful first, what loses most words first, else ascending "
        "(default: in the order of the crawl)",
    )
    parser.add_argument("--reverse", action="store_true", help="reverse the order")
    _arguments.add_limit(
        parser, "rows", f"{MOST_ROWS} in a table, else all; of originals {MOST_ORIGINALS}"
    )
    _arguments.add_formats(parser, "print the journal's lines, or originals as JSON lines")


def run(opts: Namespace, _settings: BaseSettings) -> int:
    if opts.by and (opts.sort or opts.reverse):
        opts.parser.error("--sort and --reverse don't go with --by")
    wanted, out = _arguments.filter_of(opts), Screen.of(opts)
    found = _stores.decisions_of(opts, out)
    if opts.by:
        from dedup_middleware.inspect.tallies import clusters, replacements_in  # imports numpy

        with _stores.reading(found):
            originals = clusters(wanted.select(found), replacements_in(found))
        if not Listing(_ORIGINALS, originals).write(out, limit=opts.limit or MOST_ORIGINALS):
            warn(f"No page has copies among the selected decisions{_others(found)}")
        return 0
    is_sorted = opts.sort or opts.reverse
    rows = _in_order(found, wanted, opts) if is_sorted else wanted.select(found)
    number = opts.sort if opts.sort in {"doubt", "lost"} else "score"
    columns = decision_columns(found.doubt, number, actions=opts.actions != [Action.DROP])
    if not Listing(columns, rows, line=lambda one: one.json).write(out, limit=opts.limit):
        warn(f"No decision matches in {_stores.name_of(found.place)}{_others(found)}")
    return 0


def _others(found: StoredDecisions) -> str:
    """Say what else there is to be listed."""
    if actions := Counter(one.action for one in found):
        return f"; in all there are {count_list(actions)} (--action all)"
    return ": nothing was judged there. `scrapy dedup runs` lists the runs of all stores"


def _in_order(found: StoredDecisions, wanted: Filter, opts: Namespace) -> Iterator[Decision]:
    """Yield sorted decisions; no more than their lines are kept: there may be millions."""
    key = (lambda one: -found.doubt(one)) if opts.sort == "doubt" else KEYS.get(opts.sort)
    with _stores.reading(found):
        # the first of equals stays the first
        ranked = (
            ((key(one) if key else number), number, one.line)
            for number, one in enumerate(wanted.select(found))
        )
        if opts.limit is None:
            chosen = sorted(ranked, key=lambda row: row[:2], reverse=opts.reverse)
        else:
            best = heapq.nlargest if opts.reverse else heapq.nsmallest
            chosen = best(opts.limit + 1, ranked, key=lambda row: row[:2])
    return (one for _, _, line in chosen if (one := Decision.parse(line)))


def decision_columns(
    doubt: Callable[[Decision], float], number: str = "score", *, actions: bool = False
) -> Sequence[Column[Decision]]:
    """Return the columns: with one number, score, doubt or lost; if asked for, with actions."""
    return (
        Column("verdict", lambda one: one.verdict, style=VERDICT_STYLES.get),
        Column("action", lambda one: one.action, is_data=not actions),
        Column("score", lambda one: one.score, _share, is_data=number != "score"),
        Column("doubt", doubt, _share, is_data=number != "doubt"),
        Column("lost", _lost("words"), key="lost_words", is_data=number != "lost"),
        Column("page", lambda one: one.url, key="url", is_long=True),
        Column("original", lambda one: one.original, below=True, mark="= "),
        Column("reason", lambda one: one.reason, text=brief, below=True, style="dim"),
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


def _lost(name: str) -> Callable[[Decision], Any]:
    return lambda one: getattr(one.lost, name) if one.lost else None


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"
