"""`scrapy dedup restore`: say that a drop was wrong; the two pages never match again."""

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.inspect.decisions import Journals
from dedup_middleware.inspect.lookup import closest, look_up, meant
from dedup_middleware.text import complain, safe, short_path
from dedup_middleware.verdict import Action

from . import _journals
from ._screen import add_arguments as add_output_arguments
from ._screen import screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.overrides import Restoration


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "urls", nargs="*", metavar="URL", help="pages that were dropped and should not have been"
    )
    parser.add_argument(
        "--original",
        metavar="URL",
        help="the page that they were dropped for, if not the one that the newest drop names",
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="why, for those who come later")
    parser.add_argument("--undo", action="store_true", help="take it back: they may match again")
    parser.add_argument("--list", action="store_true", help="list what was restored")
    _journals.add_arguments(parser)
    add_output_arguments(parser, "print lines of JSON, as they are kept")


def run(opts: Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    if not opts.urls and not opts.list:
        opts.parser.error("say which page: scrapy dedup restore URL…, or --list")
    if opts.list and opts.undo:
        opts.parser.error("--list lists, --undo takes back: not both")
    if not (opts.list or opts.undo):
        paths = _journals.find(opts)
        return _Restoring(opts, paths, _journals.store_of(paths[-1])).each()
    restoring = _Restoring(opts, [], _store(opts))
    return restoring.listed() if opts.list else restoring.each()


@dataclass
class _Restoring:
    opts: Namespace
    paths: Sequence[Path]
    store: Path | None

    def each(self) -> int:
        """Restore pages, or undo that; what fails for one does not keep back the others."""
        done = 0
        journal = Journals(self.paths, complain)
        for url in dict.fromkeys(self.opts.urls):
            try:
                if self.opts.undo:
                    self._undo(url)
                else:
                    self._restore(url, journal)
                done += 1
            except DedupError as error:
                complain(str(error))
        if done and not (self.opts.undo or self.opts.json):
            from dedup_middleware.inspect.overrides import lists_of

            place = safe(short_path(lists_of(self.store)[0]))
            _write(f"Kept in {place}: the next crawl lets them pass, one that runs does now\n")
        return 0 if done == len(dict.fromkeys(self.opts.urls)) else 1

    def listed(self) -> int:
        from dedup_middleware.inspect.overrides import restored_in

        found = restored_in(self.store)
        wanted = {key for url in self.opts.urls for key in _keys(url)}
        shown = [one for one in found.all if not wanted or one.pair[0] in wanted]
        with screen(self.opts) as out:
            for one in shown:
                self._print(one, f"told apart from {one.original}{_by(one)}", out.write)
            for text in found.damaged:
                out.complain(text)
            if not shown:
                out.complain("Nothing was restored" + " of these" * bool(wanted))
        return 0

    def _restore(self, url: str, journal: Journals) -> None:
        from dedup_middleware.inspect.overrides import Restoration, restore

        drop = self._dropped(url, journal)
        original = drop.original or ""
        told = restore(self.store, drop.url, original, by=_login(), note=self.opts.note)
        if told is None:
            complain(f"{drop.url} was restored before")
            told = Restoration(drop.url, original)
        if drop.url == original:
            self._print(told, "passes from now on, although its text stays as it is", _write)
            return
        score = "" if drop.score is None else f", {drop.score:.2f}"
        self._print(told, f"told apart from {original} ({drop.verdict}{score})", _write)

    def _undo(self, url: str) -> None:
        from dedup_middleware.inspect.overrides import undo

        original = self.opts.original
        others = meant(original) if original else [None]
        for page in meant(url):
            for other in others:
                undone = undo(self.store, page, other, by=_login(), note=self.opts.note)
                for one in {one.pair: one for one in undone}.values():
                    self._print(one, f"may match {one.original} again", _write, undo=True)
                if undone:
                    return
        apart = f" and told apart from {original}" if original else ""
        raise DedupError(f"{url} is not restored{apart}; --list shows what is")

    def _dropped(self, url: str, journal: Journals) -> Decision:
        """Find the drop that is meant: the newest, or the newest in favour of the one named."""
        decisions = _decided(url, journal)
        newest = decisions[-1]
        drops = [one for one in decisions if one.action == Action.DROP]
        if not drops:
            raise DedupError(
                f"{newest.url} was not dropped: it was {newest.verdict}, "
                f"and its action {newest.action}. There is nothing to restore"
            )
        pairs = [one for one in drops if one.original]
        if not pairs:
            raise DedupError(
                f"{newest.url} was dropped because pages that are {drops[-1].verdict} are; "
                "change DEDUP_ACTIONS"
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
                f"{newest.url} was dropped {len(drops)} times; the newest counts, for "
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


def _write(text: str) -> None:
    sys.stdout.write(text)


def _store(opts: Namespace) -> Path | None:
    """Find the store that is meant; what was restored may have outlived all of them."""
    if opts.store and not Path(opts.store).is_dir():
        raise NotAStore(f"There is no store {opts.store}")
    if opts.store:
        return Path(opts.store)
    try:
        return _journals.store_of(_journals.find(opts)[-1])
    except NotAStore:
        if opts.journal:
            raise
        return None


def _decided(url: str, journal: Journals) -> list[Decision]:
    urls = meant(url)
    known = look_up(journal, urls)
    if not known.decisions:
        same, alike = closest(journal, urls)
        if same is None:
            near = f". The closest URLs are: {', '.join(alike)}" if alike else ""
            raise DedupError(f"Nothing was decided about {url}{near}")
        known = look_up(journal, [same])
    return known.decisions


def _keys(url: str) -> list[bytes]:
    from dedup_middleware.urls import url_key

    return [url_key(one) for one in meant(url)]


def _by(one: Restoration) -> str:
    said = ", ".join(filter(None, (one.by and f"by {one.by}", one.time, one.note)))
    return f" ({said})" if said else ""


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no login name, as in some containers
        return ""
