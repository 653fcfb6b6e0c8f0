"""`scrapy dedup restore`: mark a drop as wrong, so that the two pages never match again."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.inspect.stored_decisions import look_up_page, possible_urls
from dedup_middleware.text import escape, short_path, warn
from dedup_middleware.verdict import Action

from . import _arguments, _stores
from ._listing import Column, Listing
from ._screen import screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.overrides import Restoration
    from dedup_middleware.inspect.stored_decisions import StoredDecisions

_COLUMNS: Sequence[Column[Restoration]] = (
    Column("page", lambda one: one.url, least=24, is_url=True),
    Column("never matches", lambda one: one.original, least=24, is_url=True),
    Column("by", lambda one: one.by, worth=2),
    Column("time", lambda one: one.time, worth=1),
    Column("note", lambda one: one.note, worth=3, least=12),
)
JSON_LINES = (".jl", ".jsonl", ".jsonlines")
MOST_LINES = 5  # that are named


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "urls",
        nargs="*",
        metavar="URL",
        help="pages that were wrongly dropped, or parts of their URLs",
    )
    parser.add_argument(
        "--original",
        metavar="URL",
        help="the page that they were dropped for (default: the one that the newest drop names)",
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="why, for others to read")
    parser.add_argument("--undo", action="store_true", help="undo: the pages may match again")
    parser.add_argument("--list", action="store_true", help="list restored pages")
    _arguments.add_store(parser)
    _arguments.add_output(parser, "print lines of JSON, as they are stored")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if not opts.urls and not opts.list:
        opts.parser.error("name a page: scrapy dedup restore URL…, or --list")
    if opts.list and opts.undo:
        opts.parser.error("--list or --undo, not both")
    if opts.list:
        return _list(opts, _store(opts))
    if opts.undo:
        store = _store(opts)
        return _each(opts.urls, lambda url: _undo(url, store, opts))
    found = _stores.decisions_of(opts)
    feed = str(settings.get("DEDUP_DROPPED_FEED") or "")
    return _each(opts.urls, lambda url: _restore(url, found, feed, opts))


def _each(urls: Sequence[str], action: Callable[[str], None]) -> int:
    """Go through all pages; an error with one does not stop the others."""
    code = 0
    for url in dict.fromkeys(urls):
        try:
            action(url)
        except DedupError as error:
            warn(*error.args)
            code = 1
    return code


def _list(opts: Namespace, store: Path | str | None) -> int:
    from dedup_middleware.inspect.overrides import restored_in

    found, urls = restored_in(store), opts.urls
    shown = [one for one in found.all if not urls or any(_means(url, one.url) for url in urls)]
    with screen(opts) as out:
        listed = Listing(_COLUMNS, shown, line=_as_json).write(out)
        for text in found.damaged:
            warn(text)
        if not listed:
            warn("No page was restored" + " of these" * bool(urls))
    return 0


def _restore(url: str, found: StoredDecisions, feed: str, opts: Namespace) -> None:
    from dedup_middleware.inspect.overrides import Restoration, lists_of, restore

    drop = _dropped(url, found, opts.original)
    original, by = drop.original or "", _arguments.login_name()
    new = restore(found.place, drop.url, original, by=by, note=opts.note)
    if new is None:
        warn(f"{drop.url} was restored before")
        new = Restoration(drop.url, original)
    if opts.json:
        sys.stdout.write(f"{_as_json(new)}\n")
        return
    score = "" if drop.score is None else f", {drop.score:.2f}"
    done = f"never matches {original} ({drop.verdict}{score}) again"
    if drop.url == original:
        done = "passes from now on, even if its text has not changed"
    place = short_path(lists_of(found.place)[0])
    stored = f"stored in {place}: running and future crawls let it pass"
    sys.stdout.write(f"{escape(drop.url)}\n")
    for line in (done, stored, *_items(drop.url, feed)):
        sys.stdout.write(f"  {escape(line)}\n")


def _items(url: str, feed: str) -> Iterator[str]:
    """Say where the items of a page are in the feed of dropped items, if that is a file."""
    path = Path(feed.removeprefix("file://"))
    if path.suffix in JSON_LINES and path.is_file():
        found = list(islice(_lines_of(path, url), MOST_LINES))
        if found:
            many = "s" * (len(found) > 1)
            yield f"its item{many}: line{many} {', '.join(map(str, found))} of {short_path(path)}"


def _undo(url: str, store: Path | str | None, opts: Namespace) -> None:
    from dedup_middleware.inspect.overrides import restored_in, undo

    original = opts.original
    found = [
        one
        for one in restored_in(store).all
        if _means(url, one.url) and (original is None or _means(original, one.original))
    ]
    pages = list(dict.fromkeys(one.url for one in found))
    if len(pages) > 1:
        raise DedupError(f"{len(pages)} restored pages have {url!r} in their URLs:", *pages)
    if not found:
        of = f" as different from {original}" if original else ""
        raise DedupError(f"{url} is not restored{of}; --list shows what is")
    for one in found:
        undo(store, one.url, one.original, by=_arguments.login_name(), note=opts.note)
        done = f"{escape(one.url)}\n  {escape(f'may match {one.original} again')}"
        sys.stdout.write(f"{json.dumps(one.as_json(undo=True)) if opts.json else done}\n")


def _dropped(url: str, found: StoredDecisions, original: str | None) -> Decision:
    """Return the newest drop of a page, or the newest for the original that is named."""
    decisions = look_up_page(found, url).decisions
    newest = decisions[-1]
    drops = [one for one in decisions if one.action == Action.DROP]
    if not drops:
        raise DedupError(
            f"{newest.url} was not dropped: its verdict was {newest.verdict}, "
            f"its action {newest.action}. There is nothing to restore"
        )
    pairs = [one for one in drops if one.original]
    if not pairs:
        raise DedupError(
            f"{newest.url} was dropped because all pages with the verdict "
            f"{drops[-1].verdict} are; change DEDUP_ACTIONS"
        )
    originals = list(dict.fromkeys(one.original or "" for one in reversed(pairs)))
    if original:
        named = [one for one in pairs if _means(original, one.original or "")]
        if not named:
            raise DedupError(
                f"{newest.url} was never dropped for {original}; it was for {', '.join(originals)}"
            )
        return named[-1]
    if len(originals) > 1:
        warn(
            f"{newest.url} was dropped {len(drops)} times; the newest drop is restored, for "
            f"{originals[0]}. Name another with --original: {', '.join(originals[1:])}"
        )
    return pairs[-1]


def _as_json(one: Restoration) -> str:
    return json.dumps(one.as_json())


def _lines_of(path: Path, url: str) -> Iterator[int]:
    """Yield the numbers of the lines whose item carries a verdict on a URL."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            with suppress(ValueError):  # the last line of a crawl that was killed
                item = json.loads(line)
                fields = item.values() if isinstance(item, dict) else ()
                if any(isinstance(one, dict) and one.get("url") == url for one in fields):
                    yield number


def _store(opts: Namespace) -> Path | str | None:
    """Return the store that is named; None if no store is left, which lists may outlive."""
    store: Path | str | None = opts.store
    if isinstance(store, Path) and not store.is_dir():
        raise NotAStore(f"There is no store {store}")
    if store:
        return store
    try:
        return _stores.last_used()
    except NotAStore:
        return None


def _means(text: str, url: str) -> bool:
    """Return True if a text names a URL: as a whole, in another spelling, or by a part of it."""
    from dedup_middleware.urls import url_key

    return text in url or url_key(url) in map(url_key, possible_urls(text))
