"""`scrapy dedup show`: explain the decision about a page: its scores, and the first difference."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from dataclasses import asdict, dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.decisions import SCORES, STAGES, VERDICTS
from dedup_middleware.inspect.lookup import FEW, UnknownPage, look_up_page, possible_urls
from dedup_middleware.inspect.uncertainty import known_shares
from dedup_middleware.settings import Settings
from dedup_middleware.text import CUT, escape, quantity, scrapy_command, warn
from dedup_middleware.urls import same_site
from dedup_middleware.verdict import REDUNDANT, Action

from . import _arguments, _journals
from ._screen import VERDICT_STYLES, screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.lookup import Known
    from dedup_middleware.inspect.texts import Difference

    from ._screen import Screen

_LABEL = 12
_KEPT = re.compile(r"(?:^|\. )([^.]*), so it is kept")
"""What the reason says of a page that is redundant and not dropped."""
_SENTENCE = 600


@dataclass(frozen=True, slots=True)
class _Texts:
    """What a store has of the texts of two pages: the one judged, and the one compared with it."""

    title: str | None
    """None if it is not kept."""
    other_title: str | None
    difference: Difference | None = None
    complete: bool = True
    """Whether both texts are there."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "url",
        metavar="URL",
        help="the page's URL, its path or another part that no other has, or a scanned file",
    )
    parser.add_argument("--measures", action="store_true", help="print all measures")
    parser.add_argument(
        "--text",
        action="store_true",
        help="print the page's text instead: what counted as its own, as repeated by its host, as "
        "boilerplate, as hidden",
    )
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="with --text: the page as it was fetched, to see what is hidden, too",
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="with --text: write it in colours as an HTML file"
    )
    _arguments.add_journals(parser)
    _arguments.add_output(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    found = _journals.find(opts)
    with _journals.reading(found) as journals:
        skipped = journals.skipped(possible_urls(opts.url))
        try:
            known = look_up_page(journals, opts.url)
        except UnknownPage:
            if not skipped:
                raise
            return _show_skipped(skipped, found, opts)
    if opts.text or opts.page or opts.html:
        return _show_text(known.url, found.store, opts, Settings.from_scrapy(settings))
    with screen(opts) as out:
        found.tell(out)
        texts = _texts(known.decisions[-1], found.store, settings)
        if opts.json:
            out.write(f"{json.dumps(_as_json(known, texts))}\n")
        else:
            newest = known.decisions[-1]
            is_dry = newest.run in found.dry_runs
            lines = _as_text(known, texts, found.doubt(newest), out, opts, is_dry=is_dry)
            out.write("".join(f"{line}\n" for line in lines))
    return 0


def _show_skipped(lines: list[dict[str, Any]], found: _journals.Chosen, opts: Namespace) -> int:
    """Print why a URL was not requested; nothing was judged there."""
    newest = lines[-1]
    rows = [
        ("action", "skip: the request was not sent"),
        ("original", newest["original"] or "none"),
        ("reason", newest["reason"]),
        ("rule", newest["rule"]),
        ("time", newest["time"]),
        ("run", " of ".join(filter(None, (newest["run"], newest["spider"])))),
    ]
    with screen(opts) as out:
        found.tell(out)
        if opts.json:
            out.write(f"{json.dumps({'url': newest['url'], 'skipped': lines[::-1]})}\n")
            return 0
        out.write(f"{out.paint(escape(newest['url']), 'bold')}\n")
        for name, text in rows:
            for line in _wrapped(out, f"  {name:<{_LABEL - 2}} ", escape(text)):
                out.write(f"{line}\n")
    return 0


def _show_text(url: str, store: Path | str | None, opts: Namespace, settings: Settings) -> int:
    """Print what counted of a page."""
    from . import _counted  # imports numpy and lmdb

    if store is None:
        raise DedupError("The store is not there, only its journal: there are no texts")
    pieces = _counted.counted_pieces(url, store, opts, settings)
    with screen(opts) as out:
        if opts.json:
            out.write(f"{json.dumps({'url': url, **_counted.as_json(pieces)})}\n")
        else:
            lines = _counted.as_text(url, pieces, out)
            out.write("".join(f"{line}\n" for line in lines))
    return 0


def _texts(decision: Decision, store: Path | str | None, settings: BaseSettings) -> _Texts | None:
    """Look the texts up in the store; print a message if that is not possible."""
    other = decision.original or decision.closest
    if store is None:
        warn("The store is not there, only its journal: titles and texts are not shown")
        return None
    from dedup_middleware.inspect.texts import Texts, first_difference  # imports numpy and lmdb

    try:
        with Texts(store, Settings.from_scrapy(settings).map_size) as texts:
            page = texts.outline(decision.url)
            titles = texts.title(decision.url), texts.title(other) if other else None
            known = texts.outline(other) if other else None
    except DedupError as error:
        warn(f"Titles and texts are not shown: {error}")
        return None
    if not (page and known):
        return _Texts(*titles, complete=bool(page and (known or not other)))
    return _Texts(*titles, first_difference(page, known))


def _as_json(known: Known, texts: _Texts | None) -> dict[str, Any]:
    return {
        "url": known.url,
        "decisions": [decision.entry for decision in reversed(known.decisions)],
        "titles": {"page": texts.title, "other": texts.other_title} if texts else None,
        "difference": asdict(texts.difference) if texts and texts.difference else None,
        "superseded_by": known.superseded_by,
        "dropped_in_favour": {
            "count": known.replaced_count,
            "first": [decision.url for decision in known.replaced],
        },
    }


def _as_text(
    known: Known, texts: _Texts | None, doubt: float, out: Screen, opts: Namespace, *, is_dry: bool
) -> Iterator[str]:
    """Yield lines: wrapped on a terminal, elsewhere one for each fact."""
    *earlier, newest = known.decisions
    yield out.paint(escape(known.url), "bold")
    if known.superseded_by:
        yield from _wrapped(out, "  superseded ", f"by {escape(known.superseded_by)}", style="bold")
    yield from _details(newest, texts, doubt, out, is_dry=is_dry)
    compared = {name: value for name, value in newest.scores.items() if name != "changed"}
    if compared and opts.measures:
        other = newest.original or newest.closest or "another page"
        yield ""
        yield from _wrapped(out, "", f"Compared with {escape(other)}:")
        for name, value in compared.items():
            number = f"{escape(name):<17} {escape(_number(value)):>12}"
            yield from _wrapped(out, f"  {number}   ", SCORES.get(name, ""))
    if earlier:
        times = "once" if len(earlier) == 1 else f"{len(earlier):,} times"
        yield from ("", f"Decided {times} before, last:")
        for one in reversed(earlier[-FEW:]):
            yield escape(f"  {one.entry.get('time')}  {one.verdict} ({one.action})")
    yield from _next(newest, opts.url, opts.store)
    yield from ("", f"Dropped in favour of it: {known.replaced_count:,}")
    for one in known.replaced:
        yield from _wrapped(out, f"  {escape(one.verdict):<9}  ", escape(one.url))
    more = known.replaced_count - len(known.replaced)
    if more:
        yield f"  and {more:,} more: scrapy dedup drops --all-runs --original {escape(known.url)}"


def _details(
    decision: Decision, texts: _Texts | None, doubt: float, out: Screen, *, is_dry: bool
) -> Iterator[str]:
    entry = decision.entry
    styles = {
        "verdict": VERDICT_STYLES.get(decision.verdict, ""),
        "action": "bold" if decision.action == Action.DROP else "",
    }
    rows = [
        ("verdict", _explained(decision.verdict, VERDICTS)),
        ("action", _action(decision, is_dry=is_dry)),
        ("original", decision.original or "none"),
        *(("supersedes", url) for url in [decision.supersedes] if url),
        *(("closest", url) for url in [decision.closest] if url),
        ("reason", decision.reason),
        *_lost_rows(decision),
        *_change_rows(decision),
        *_text_rows(decision, texts),
        *_known_rows(decision, doubt),
        ("stage", _explained(decision.stage, STAGES)),
        *(("class", str(level)) for level in [entry.get("level")] if level),
        ("time", f"{entry.get('time')}, in {entry.get('ms')} ms"),
        ("run", " of ".join(filter(None, (decision.run, decision.spider)))),
        *(("note", note) for note in _list_of(entry, "notes")),
        *(("swallowed", url) for url in _list_of(entry, "swallowed")),
    ]
    for name, value in rows:
        label = f"  {name:<{_LABEL - 2}} "
        yield from _wrapped(out, label, escape(value), style=styles.get(name, ""))


def _action(decision: Decision, *, is_dry: bool) -> str:
    """Say what was done with a page, and why a redundant one was kept."""
    action, original = decision.action, decision.original
    if is_dry and action == Action.DROP:
        return f"{action}, in a real run; this was a dry run, which drops nothing"
    if action == Action.DROP or decision.verdict not in REDUNDANT or original is None:
        return action
    if kept := _KEPT.search(decision.reason):
        setting = " (DEDUP_CONTAINED_RATIO)" if "small part" in kept[1] else ""
        return f"{action}: {kept[1][:1].lower()}{kept[1][1:]}{setting}"
    if not same_site(decision.url, original):
        return f"{action}: the original is on another site (DEDUP_CROSS_HOST)"
    return f"{action}: by DEDUP_ACTIONS, by the request, or by `scrapy dedup restore`"


def _lost_rows(decision: Decision) -> Iterator[tuple[str, str]]:
    """Yield what dropping it would lose: sentences, facts that differ, and what moved."""
    lost = decision.lost
    if lost is None:
        return
    most = "" if lost.bound is None else f", at most {lost.bound:.1%} may be"
    yield "lost", f"{lost.words:,} of {quantity(lost.of, 'word')}; by weight {lost.share:.1%}{most}"
    for sentence in lost.sentences:
        yield "", f"only here: {_sentence(sentence)}"
    for name, (here, there) in zip(chain(["facts"], repeat("")), lost.facts, strict=False):
        yield name, f"here:  {_sentence(here)}"
        yield "", f"there: {_sentence(there)}"
    for name, text in zip(chain(["moved"], repeat("")), lost.moved, strict=False):
        yield name, _sentence(text)


def _change_rows(decision: Decision) -> Iterator[tuple[str, str]]:
    """Yield how much changed since the URL was last seen, of what class, and the sentences."""
    if decision.changes:
        classes = ", ".join(decision.change_classes)
        yield "changed", f"{decision.changed:.1%} of the main text{': ' * bool(classes)}{classes}"
    for name, sentences in decision.changes.items():
        for sentence in sentences:
            yield "", f"{'gone:' if name == 'removed' else 'new: '} {_sentence(sentence)}"


def _known_rows(decision: Decision, doubt: float) -> Iterator[tuple[str, str]]:
    """Yield what decided: how much of each page is known from the other, and how doubtful it is."""
    known = known_shares(decision)
    if known:
        here, there = (f"{share:.0%}" for share in known)
        yield "known", f"{here} of this page from the other, {there} of the other from this one"
        yield "doubt", f"{doubt:.2f} of 1 (all measures: --measures)"


def _text_rows(decision: Decision, texts: _Texts | None) -> Iterator[tuple[str, str]]:
    """Yield the titles of both pages, and the first sentence that differs."""
    if texts is None:
        return
    other = decision.original or decision.closest
    if not other or other == decision.url:
        yield "title", _title(texts.title)
        return
    yield "titles", f"here:  {_title(texts.title)}"
    yield "", f"there: {_title(texts.other_title)}"
    if not texts.complete:
        yield "differs", "unknown: the store no longer has one of the texts"
    elif texts.difference is None:
        yield "differs", "in no sentence"
    else:
        yield "differs", f"here:  {_sentence(texts.difference.first)}"
        yield "", f"there: {_sentence(texts.difference.second)}"


def _next(decision: Decision, named: str, store: Path | str | None) -> Iterator[str]:
    """Suggest commands that look closer at a drop, or take it back."""
    url, original = decision.url, decision.original
    if decision.action != Action.DROP or not original or url == original:
        return
    if not (url + original + named).isprintable():  # as printed here, they would name other pages
        return
    yield ""
    scrapy = scrapy_command()
    where = ["--store", _journals.name_of(store, brief=False)] if store else []
    if decision.scores:
        yield f"Side by side: {scrapy} dedup {shlex.join(['compare', named, *where])}"
    yield f"If it is wrong: {scrapy} dedup {shlex.join(['restore', url, *where])}"


def _title(title: str | None) -> str:
    return "(not kept)" if title is None else _sentence(title or "(none)")


def _sentence(text: str | None) -> str:
    if text is None:
        return "(nothing)"
    return text if len(text) <= _SENTENCE else text[:_SENTENCE] + CUT


def _wrapped(out: Screen, label: str, text: str, style: str = "") -> Iterator[str]:
    """Yield a label and its text; on a terminal in as many rows as it takes."""
    lines = [text]
    if out.terminal and not out.wide:
        room = max(20, out.columns - len(label))
        lines = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    for at, line in enumerate(lines):
        yield ((label if at == 0 else " " * len(label)) + out.paint(line, style)).rstrip()


def _explained(word: str, meanings: dict[str, str]) -> str:
    return f"{word}: {meanings[word]}" if word in meanings else word


def _list_of(entry: dict[str, Any], key: str) -> list[str]:
    value = entry.get(key)
    return [str(one) for one in value] if isinstance(value, list) else []


def _number(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_number, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)
