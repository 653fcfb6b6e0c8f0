"""`scrapy dedup forget`: let pages pass again: by URL or host, or those not seen for long."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from dedup_middleware.inspect.stored_decisions import StoredDecisions, look_up_page
from dedup_middleware.settings import Settings

from . import _arguments, _stores
from ._screen import Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.store import View
    from dedup_middleware.store.forgetting import Selection

_NAMES = {
    "pages": ("page", "pages"),
    "copies": ("copy", "copies"),
    "decisions": ("decision", "decisions"),
    "journals": ("journal", "journals"),
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "urls",
        nargs="*",
        metavar="URL",
        help="forget what was seen there, a page or a copy; a part that no other URL has is enough",
    )
    parser.add_argument(
        "--host", type=_arguments.host, help="all pages of this host and its sub-domains"
    )
    parser.add_argument(
        "--older-than",
        type=_arguments.age,
        metavar="TIME",
        help="pages that no run has seen for this time, and the journals of runs that ended before "
        "it: 90d, 12h, 2w",
    )
    _arguments.add_store(parser)
    parser.add_argument("--dry-run", action="store_true", help="print how much it would be")
    _arguments.add_json(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    ways = [bool(opts.urls), *(one is not None for one in (opts.host, opts.older_than))]
    if sum(ways) != 1:
        opts.parser.error("name the pages in one way: by URLs, --host or --older-than")
    from dedup_middleware.store import open_reader  # brings numpy and lmdb

    map_size = Settings.from_scrapy(settings).map_size
    out = Screen.of(opts)
    store = _stores.store_of_options(opts, out)
    urls = _whole_urls(opts.urls, store)
    with open_reader(store, map_size=map_size, write=not opts.dry_run) as reader:
        with reader.snapshot() as view:
            chosen = _chosen(opts, urls, view)
        forgotten = reader.forget(chosen, dry_run=opts.dry_run)
    counts = asdict(forgotten)
    parts = [f"{count:,} {_NAMES[name][count > 1]}" for name, count in counts.items() if count]
    verb = "Would forget" if opts.dry_run else "Forgot"
    facts = {"store": str(store), "dry_run": opts.dry_run, **counts, "urls": urls}
    done = f"{verb} {', '.join(parts) or 'nothing'}{' at' * bool(urls)}"
    out.answer(facts, done, *(f"  {url}" for url in urls))
    return 0 if parts else 1


def _whole_urls(named: list[str], store: Path | str) -> list[str]:
    """Return the URLs that are meant; only parts are looked up, as decisions may be gone."""
    if all("://" in url for url in named):
        return named
    found = StoredDecisions(store)
    return [url if "://" in url else look_up_page(found, url).url for url in named]


def _chosen(opts: Namespace, urls: list[str], view: View) -> Selection:
    from dedup_middleware.store.forgetting import at_urls, of_host, older_than

    if urls:
        return at_urls(urls)
    if opts.host is not None:
        return of_host(view, opts.host)
    return older_than(view, time.time() - opts.older_than.total_seconds())
