"""`scrapy dedup restore`: mark a drop as wrong, so that the two pages never match again."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.inspect.journals import Journals
from dedup_middleware.inspect.lookup import look_up_similar, possible_urls
from dedup_middleware.text import complain, safe, short_path
from dedup_middleware.verdict import Action

from . import _arguments, _journals
from ._screen import screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.journals import Source
    from dedup_middleware.inspect.overrides import Restoration

JSON_LINES = (".jl", ".jsonl", ".jsonlines")
MOST_LINES = 5  # that are named


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("urls", nargs="*", metavar="URL", help="pages that were wrongly dropped")
    parser.add_argument(
        "--original",
        metavar="URL",
        help="the page that they were dropped for (default: the one that the newest drop names)",
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="why, for others to read")
    parser.add_argument("--undo", action="store_true", help="undo: the pages may match again")
    parser.add_argument("--list", action="store_true", help="list restored pages")
    _arguments.add_journals(parser)
    _arguments.add_output(parser, "print lines of JSON, as they are stored")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if not opts.urls and not opts.list:
        opts.parser.error("name a page: scrapy dedup restore URL…, or --list")
    if opts.list and opts.undo:
        opts.parser.error("--list or --undo, not both")
    if not (opts.list or opts.undo):
        found = _journals.find(opts)
        feed = str(settings.get("DEDUP_DROPPED_FEED") or "")
        return _Command(opts, found.sources, found.store, feed).restore_or_undo()
    command = _Command(opts, [], _store(opts))
    return command.print_list() if opts.list else command.restore_or_undo()


@dataclass
class _Command:
    opts: Namespace
    sources: Sequence[Source]
    store: Path | str | None
    feed: str = ""
    """Where the dropped items of crawls are kept."""

    def restore_or_undo(self) -> int:
        """Go through all pages; an error with one does not keep back the others."""
        from dedup_middleware.inspect.overrides import lists_of

        done = 0
        journals = Journals(self.sources, complain)
        urls = list(dict.fromkeys(self.opts.urls))
        for url in urls:
            try:
                if self.opts.undo:
                    self._undo(url)
                else:
                    self._restore(url, journals)
                done += 1
            except DedupError as error:
                complain(str(error))
        if done and not (self.opts.undo or self.opts.json):
            place = safe(short_path(lists_of(self.store)[0]))
            _write(f"Stored in {place}: running and future crawls let them pass\n")
        return 0 if done == len(urls) else 1

    def print_list(self) -> int:
        from dedup_middleware.inspect.overrides import restored_in

        found = restored_in(self.store)
        wanted = {key for url in self.opts.urls for key in _keys(url)}
        shown = [one for one in found.all if not wanted or one.pair[0] in wanted]
        with screen(self.opts) as out:
            for one in shown:
                self._print(one, f"never matches {one.original}{_by(one)}", out.write)
            for text in found.damaged:
                out.complain(text)
            if not shown:
                out.complain("No page was restored" + " of these" * bool(wanted))
        return 0

    def _restore(self, url: str, journals: Journals) -> None:
        from dedup_middleware.inspect.overrides import Restoration, restore

        drop = self._dropped(url, journals)
        original = drop.original or ""
        new = restore(
            self.store, drop.url, original, by=_arguments.login_name(), note=self.opts.note
        )
        if new is None:
            complain(f"{drop.url} was restored before")
            new = Restoration(drop.url, original)
        if drop.url == original:
            self._print(new, "passes from now on, even if its text has not changed", _write)
            return
        score = "" if drop.score is None else f", {drop.score:.2f}"
        self._print(new, f"never matches {original} ({drop.verdict}{score}) again", _write)
        if not self.opts.json:
            self._name_lines(drop.url)

    def _name_lines(self, url: str) -> None:
        """Say where the items of a page stand in the feed of dropped items, if that is a file."""
        path = Path(self.feed.removeprefix("file://"))
        if path.suffix not in JSON_LINES or not path.is_file():
            return
        found = list(islice(_lines_of(path, url), MOST_LINES))
        if found:
            lines = "line" if len(found) == 1 else "lines"
            where = f"{lines} {', '.join(map(str, found))} of {short_path(path)}"
            _write(f"  its item{'s' * (len(found) > 1)}: {safe(where)}\n")

    def _undo(self, url: str) -> None:
        from dedup_middleware.inspect.overrides import undo

        original = self.opts.original
        for page in possible_urls(url):
            for other in possible_urls(original) if original else [None]:
                by = _arguments.login_name()
                undone = undo(self.store, page, other, by=by, note=self.opts.note)
                for one in {one.pair: one for one in undone}.values():
                    self._print(one, f"may match {one.original} again", _write, undo=True)
                if undone:
                    return
        of = f" as different from {original}" if original else ""
        raise DedupError(f"{url} is not restored{of}; --list shows what is")

    def _dropped(self, url: str, journals: Journals) -> Decision:
        """Return the newest drop of a page, or the newest for the original that is named."""
        decisions = _decisions(url, journals)
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
        if self.opts.original:
            keys = _keys(self.opts.original)
            named = [one for one in pairs if set(_keys(one.original or "")) & set(keys)]
            if not named:
                raise DedupError(
                    f"{newest.url} was never dropped for {self.opts.original}; "
                    f"it was for {', '.join(originals)}"
                )
            return named[-1]
        if len(originals) > 1:
            complain(
                f"{newest.url} was dropped {len(drops)} times; the newest drop is restored, for "
                f"{originals[0]}. Name another with --original: {', '.join(originals[1:])}"
            )
        return pairs[-1]

    def _print(
        self, one: Restoration, text: str, write: Callable[[str], object], *, undo: bool = False
    ) -> None:
        if self.opts.json:
            write(f"{json.dumps(one.as_json(undo=undo))}\n")
        else:
            write(f"{safe(one.url)}\n  {safe(text)}\n")


def _lines_of(path: Path, url: str) -> Iterator[int]:
    """Yield the numbers of the lines whose item carries a verdict on a URL."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            with suppress(ValueError):  # the last line of a crawl that was killed
                item = json.loads(line)
                fields = item.values() if isinstance(item, dict) else ()
                if any(isinstance(one, dict) and one.get("url") == url for one in fields):
                    yield number


def _write(text: str) -> None:
    sys.stdout.write(text)


def _store(opts: Namespace) -> Path | str | None:
    """Return the store that is named; None if no store is left, which lists may outlive."""
    store: Path | str | None = opts.store
    if isinstance(store, Path) and not store.is_dir():
        raise NotAStore(f"There is no store {store}")
    if store:
        return store
    try:
        return _journals.find(opts).store
    except NotAStore:
        if opts.journal:
            raise
        return None


def _decisions(url: str, journals: Journals) -> list[Decision]:
    known, similar = look_up_similar(journals, url)
    if known is None:
        more = f". The most similar URLs are: {', '.join(similar.near)}" if similar.near else ""
        raise DedupError(f"There is no decision about {url}{more}")
    return known.decisions


def _keys(url: str) -> list[bytes]:
    from dedup_middleware.urls import url_key

    return [url_key(one) for one in possible_urls(url)]


def _by(one: Restoration) -> str:
    details = ", ".join(filter(None, (one.by and f"by {one.by}", one.time, one.note)))
    return f" ({details})" if details else ""
