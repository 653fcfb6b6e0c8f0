"""A decision, told to a person."""

from __future__ import annotations

import json
import shlex
import textwrap
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.decisions import SCORES, STAGES, VERDICTS, Journals
from dedup_middleware.inspect.lookup import FEW, closest, look_up, meant
from dedup_middleware.settings import Settings
from dedup_middleware.text import CUT, safe, scrapy_command
from dedup_middleware.verdict import Action

from . import _journals
from ._screen import VERDICT_STYLES, screen
from ._screen import add_arguments as add_output_arguments

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.lookup import Known
    from dedup_middleware.inspect.texts import Difference

    from ._screen import Screen


_LABEL = 12
_SENTENCE = 600


def told(known: Known, beside: Beside | None, out: Screen, store: str | None) -> Iterator[str]:
    """Write what is known about a URL in lines: wrapped on a terminal, elsewhere one for each."""
    *earlier, newest = known.decisions
    yield out.paint(safe(known.url), "bold")
    yield from _details(newest, beside, out)
    if newest.scores:
        other = newest.original or newest.closest or "another page"
        yield ""
        yield from _wrapped(out, "", f"Compared with {safe(other)}:")
        for name, value in newest.scores.items():
            number = f"{safe(name):<17} {safe(_number(value)):>12}"
            yield from _wrapped(out, f"  {number}   ", SCORES.get(name, ""))
    if earlier:
        times = "once" if len(earlier) == 1 else f"{len(earlier):,} times"
        yield from ("", f"Decided {times} before, last:")
        for one in reversed(earlier[-FEW:]):
            yield safe(f"  {one.entry.get('time')}  {one.verdict} ({one.action})")
    yield from _next(newest, store)
    yield from ("", f"Dropped in favour of it: {known.replaced_count:,}")
    for one in known.replaced:
        yield from _wrapped(out, f"  {safe(one.verdict):<9}  ", safe(one.url))
    more = known.replaced_count - len(known.replaced)
    if more:
        yield f"  and {more:,} more: scrapy dedup drops --all-runs --original {safe(known.url)}"


def _details(decision: Decision, beside: Beside | None, out: Screen) -> Iterator[str]:
    entry = decision.entry
    style = VERDICT_STYLES.get(decision.verdict, "")
    rows = [
        ("verdict", _explained(decision.verdict, VERDICTS), style),
        ("action", decision.action, "bold" if decision.action == "drop" else ""),
        ("original", decision.original or "none", ""),
    ]
    if decision.closest:
        rows.append(("closest", decision.closest, ""))
    rows += [
        ("reason", decision.reason, ""),
        *_said(decision, beside),
        ("stage", _explained(decision.stage, STAGES), ""),
        ("time", f"{entry.get('time')}, in {entry.get('ms')} ms", ""),
        ("run", " of ".join(filter(None, (decision.run, decision.spider))), ""),
        *(("note", note, "") for note in _texts(entry, "notes")),
        *(("swallowed", url, "") for url in _texts(entry, "swallowed")),
    ]
    for name, value, painted in rows:
        yield from _wrapped(out, f"  {name:<{_LABEL - 2}} ", safe(value), style=painted)


def _next(decision: Decision, store: str | None) -> Iterator[str]:
    """Suggest how to look closer at a drop, and how to take it back."""
    url, original = decision.url, decision.original
    if decision.action != Action.DROP or not original or url == original:
        return
    if not (url + original).isprintable():  # as shown here, they would name other pages
        return
    yield ""
    scrapy, where = scrapy_command(), ["--store", store] if store else []
    if decision.scores:
        yield f"Side by side: {scrapy} dedup {shlex.join(['compare', url, original, *where])}"
    yield f"If it is wrong: {scrapy} dedup {shlex.join(['restore', url, *where])}"


def _said(decision: Decision, beside: Beside | None) -> Iterator[tuple[str, str, str]]:
    """Tell the titles of both pages, and where they first differ."""
    if beside is None:
        return
    other = decision.original or decision.closest
    if not other or other == decision.url:
        yield "title", _title(beside.page), ""
        return
    yield "titles", f"here:  {_title(beside.page)}", ""
    yield "", f"there: {_title(beside.other)}", ""
    if not beside.complete:
        yield "differs", "can't be told: the store has forgotten one of the texts since", ""
    elif beside.difference is None:
        yield "differs", "in no sentence", ""
    else:
        here, there = beside.difference.first, beside.difference.second
        yield "differs", f"here:  {_cut(here)}", ""
        yield "", f"there: {_cut(there)}", ""


def _title(title: str | None) -> str:
    return "(not kept)" if title is None else _cut(title or "(none)")


def _cut(sentence: str | None) -> str:
    if sentence is None:
        return "(nothing)"
    return sentence if len(sentence) <= _SENTENCE else sentence[:_SENTENCE] + CUT


def _wrapped(out: Screen, label: str, text: str, style: str = "") -> Iterator[str]:
    """Put a text beside its label; on a terminal in as many rows as it needs."""
    lines = [text]
    if out.terminal:
        room = max(20, out.columns - len(label))
        lines = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    for at, line in enumerate(lines):
        yield ((label if at == 0 else " " * len(label)) + out.paint(line, style)).rstrip()


def _explained(word: str, meanings: dict[str, str]) -> str:
    return f"{word}: {meanings[word]}" if word in meanings else word


def _texts(entry: dict[str, Any], key: str) -> list[str]:
    value = entry.get(key)
    return [str(one) for one in value] if isinstance(value, list) else []


def _number(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_number, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Beside:
    """What two pages say: the one that was judged, and the one that it was compared with."""

    page: str | None
    """Its title; None if the store has it no more."""
    other: str | None
    difference: Difference | None = None
    complete: bool = True
    """Whether both texts are there."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "url", metavar="URL", help="the page's address, also without https://, or a scanned file"
    )
    _journals.add_arguments(parser)
    add_output_arguments(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    paths = _journals.find(opts)
    with screen(opts) as out:
        found = Journals(paths, out.complain)
        known = _find(found, opts.url, out)
        if known is None:
            return 1
        beside = _beside(known.decisions[-1], _journals.store_of(paths[-1]), settings, out)
        if opts.json:
            out.write(f"{json.dumps(_as_json(known, beside))}\n")
        else:
            out.write("".join(f"{line}\n" for line in told(known, beside, out, opts.store)))
    return 0


def _find(found: Journals, url: str, out: Screen) -> Known | None:
    """Look a URL up as it is, as it may be meant, and as it is canonicalised."""
    urls = meant(url)
    known = look_up(found, urls)
    if not known.decisions:
        same, alike = closest(found, urls)
        if same is None:
            out.complain(f"Nothing was decided about {url}")
            if alike:
                out.complain("The closest URLs are:")
            for other in alike:
                out.complain(f"  {other}")
            return None
        known = look_up(found, [same])
    if known.url != url:
        out.complain(f"As {known.url}:")
    return known


def _beside(
    decision: Decision, store: Path | None, settings: BaseSettings, out: Screen
) -> Beside | None:
    """Look into the store for what the pages said; say so if that can't be done."""
    other = decision.original or decision.closest
    if store is None:
        out.complain("The store is not there, only its journal: titles and texts are not shown")
        return None
    from dedup_middleware.inspect.texts import Texts, first_difference  # brings numpy and its kind

    try:
        with Texts(store, Settings.from_scrapy(settings).map_size) as texts:
            page = texts.outline(decision.url)
            titles = texts.title(decision.url), texts.title(other) if other else None
            known = texts.outline(other) if other else None
    except DedupError as error:
        out.complain(f"Titles and texts are not shown: {error}")
        return None
    if not (page and known):
        return Beside(*titles, complete=bool(page and (known or not other)))
    return Beside(*titles, first_difference(page, known))


def _as_json(known: Known, beside: Beside | None) -> dict[str, Any]:
    return {
        "url": known.url,
        "decisions": [decision.entry for decision in reversed(known.decisions)],
        "titles": {"page": beside.page, "other": beside.other} if beside else None,
        "difference": asdict(beside.difference) if beside and beside.difference else None,
        "dropped_in_favour": {
            "count": known.replaced_count,
            "first": [decision.url for decision in known.replaced],
        },
    }
