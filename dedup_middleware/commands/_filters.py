"""Which decisions a user means: options, and the filter that comes out of them."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta, timezone

from dedup_middleware.inspect.filters import Filter
from dedup_middleware.urls import named_host
from dedup_middleware.verdict import Action, Kind

from . import _journals

_AGO = re.compile(r"(\d+(?:\.\d+)?) ?([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_RANGE = re.compile(r"(\d*\.?\d*) ?(?:(-|–|\.\.) ?(\d*\.?\d*))?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _journals.add_arguments(parser)
    runs = parser.add_mutually_exclusive_group()
    runs.add_argument("--run", metavar="RUN", help="a run of the store, instead of the newest")
    runs.add_argument("--all-runs", action="store_true", help="all runs of the store")
    parser.add_argument("--verdict", type=_kinds, metavar="KIND,…", help=f"some of {_listed(Kind)}")
    parser.add_argument(
        "--action", type=_actions, metavar="ACTION,…", help=f"some of {_listed(Action)}"
    )
    parser.add_argument("--host", type=_host, help="pages of this host and its sub-domains")
    parser.add_argument("--original", metavar="PREFIX", help="originals whose URL begins so")
    parser.add_argument(
        "--score", type=_scores, metavar="LOW-HIGH", help="scores between, as .7-.8 or .95-"
    )
    parser.add_argument(
        "--since",
        type=_since,
        metavar="TIME",
        help="decisions from then on: 2h (s, m, h, d, w) ago, or as 2026-11-16T08:30; UTC",
    )
    parser.add_argument("--until", type=_until, metavar="TIME", help="decisions until then")


def chosen(opts: argparse.Namespace, default: Filter | None = None) -> Filter:
    """Make the filter; what is default goes unless verdicts or actions are named."""
    named = Filter(
        verdicts=frozenset(opts.verdict or ()),
        actions=frozenset(opts.action or ()),
        runs=frozenset([opts.run] if opts.run else ()),
        host=opts.host or "",
        original=opts.original or "",
        scores=opts.score,
        since=opts.since,
        until=opts.until,
    )
    if default is None or named.verdicts or named.actions:
        return named
    return replace(named, verdicts=default.verdicts, actions=default.actions)


def _kinds(text: str) -> list[str]:
    return _some(text, [str(kind) for kind in Kind])


def _actions(text: str) -> list[str]:
    return _some(text, [str(action) for action in Action])


def _some(text: str, known: list[str]) -> list[str]:
    words = [word.strip() for word in text.lower().split(",") if word.strip()]
    unknown = [word for word in words if word not in known]
    if unknown or not words:
        raise argparse.ArgumentTypeError(
            f"{', '.join(unknown) or 'nothing'}: name some of {', '.join(known)}"
        )
    return words


def _listed(words: type[Kind | Action]) -> str:
    return ", ".join(str(word) for word in words)


def _host(text: str) -> str:
    host = named_host(text)
    if not host:
        raise argparse.ArgumentTypeError(f"{text!r} names no host; write it as example.org")
    return host


def _scores(text: str) -> tuple[float, float]:
    """Read a range of scores.

    >>> _scores(".7-.8"), _scores(".95-"), _scores("-.5"), _scores("1")
    ((0.7, 0.8), (0.95, 1.0), (0.0, 0.5), (1.0, 1.0))
    """
    match = _RANGE.fullmatch(text.strip())
    try:
        if not match:
            raise ValueError(text)  # noqa: TRY301  # said below, with what can't be read
        low, dash, high = match.groups()
        lowest = float(low or "0" if dash else low)
        highest = float(high or "1") if dash else lowest
    except ValueError:
        highest, lowest = 0.0, 1.0
    if lowest > highest:
        raise argparse.ArgumentTypeError(f"{text!r} is no range of scores; write it as .7-.8")
    return lowest, highest


def _since(text: str) -> datetime:
    return _moment(text, time.min)


def _until(text: str) -> datetime:
    return _moment(text, time.max)


def _moment(text: str, of_a_day: time) -> datetime:
    """Read a time: so long ago, or as ISO 8601 has it; a day begins or ends as is wanted."""
    try:
        if ago := _AGO.fullmatch(text.strip().lower()):
            span = timedelta(**{_UNITS[ago[2]]: float(ago[1])})
            return datetime.now(timezone.utc) - span
        if len(text.strip()) == len("2026-11-16"):
            moment = datetime.combine(date.fromisoformat(text.strip()), of_a_day)
        else:
            moment = datetime.fromisoformat(text.strip().upper().replace("Z", "+00:00"))
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time; write 2h (s, m, h, d, w) for so long ago, or 2026-11-16T08:30"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
