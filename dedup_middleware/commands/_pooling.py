"""The pages of a store with their text, in the order in which they arrived."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dedup_middleware.errors import DedupError
from dedup_middleware.lab.folder import Pool
from dedup_middleware.lab.pool import BEYOND, Gathering, Pooling, called_alike, choose
from dedup_middleware.methods import make_method
from dedup_middleware.read import UnreadablePage, read
from dedup_middleware.store import open_reader
from dedup_middleware.text import complain, safe
from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Kind

from . import _journals
from ._sources import Sources
from .judge import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.lab.folder import JudgingFolder
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.store import Reader, View


_AT_ONCE = 64  # a long snapshot would keep the store from reusing its space
_KEPT = frozenset({Kind.NEAR, Kind.CONTAINED})  # the redundant pages whose text a store keeps


def stored_urls(store: Reader) -> list[str]:
    """List the URLs whose text the store has, registered or redundant, in order of arrival."""
    with store.snapshot() as view:
        arrived = dict(_registered(view))
        for url, seconds in _redundant(view):
            arrived.setdefault(url, seconds)
    return sorted(arrived, key=arrived.__getitem__)


def stored_pages(store: Reader, urls: list[str]) -> Iterator[tuple[str, Outline]]:
    """Take the text of some URLs out of a store; one that is gone meanwhile is left out."""
    for start in range(0, len(urls), _AT_ONCE):
        with store.snapshot() as view:
            found = [(url, view.kept(url_key(url))) for url in urls[start : start + _AT_ONCE]]
        yield from ((url, outline) for url, outline in found if outline is not None)


def _registered(view: View) -> Iterator[tuple[str, float]]:
    for record in view.records(view.numbers()):
        yield record.url, record.first_seen


def _redundant(view: View) -> Iterator[tuple[str, float]]:
    """Go through decisions: what is kept of a redundant page is found by its URL alone."""
    for line in view.decisions():
        entry = json.loads(line)
        if entry["verdict"] in _KEPT:
            yield entry["url"], datetime.fromisoformat(entry["time"]).timestamp()


One = TypeVar("One")
SEED = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for; None is whatever is usual, or was so when the pool was made."""

    store: Path | None
    paths: tuple[Path, ...]
    pages: int
    methods: tuple[str, ...] | None
    most: int | None
    seed: int | None


def make_pool(
    wanted: Wanted, usual: tuple[str, ...], settings: Settings, folder: JudgingFolder
) -> Pool:
    """Draw a pool from pages, and keep it."""
    if not (wanted.store or wanted.paths):
        wanted = replace(wanted, store=_journals.newest_store())
    pages = _gathered(wanted, settings, folder)
    methods = wanted.methods or usual
    seed = SEED if wanted.seed is None else wanted.seed
    pooling = _pooling(pages, methods, seed, folder)
    pairs = choose(pooling.nominated, wanted.most or PAIRS, seed, folder.answers.pairs)
    if not pairs:
        left_out = ", ".join(f"{count:,} {why}" for why, count in pages.left_out.items())
        raise DedupError(
            f"There is no pair to judge among {len(pages):,} pages"
            f"{f' (left out: {left_out})' if left_out else ''}; name more pages"
        )
    pool = Pool(
        pairs=tuple(pairs),
        methods=methods,
        seed=seed,
        store=str(wanted.store) if wanted.store else None,
        paths=tuple(map(str, wanted.paths)),
        pages=len(pages),
        digest=pages.digest,
        left_out=dict(pages.left_out),
        strata=dict(Counter(str(one.stratum) for one in pooling.nominated if one.drawn)),
        called=called_alike(pooling.nominated, methods),
        made=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    _save(pool, pages, folder)
    return pool


def known_pool(known: Pool, wanted: Wanted, settings: Settings, folder: JudgingFolder) -> Pool:
    """Give the pool that is there; let it grow if more is wanted, say where it can't be changed."""
    _tell_differences(known, wanted, folder)
    larger = wanted.most is not None and wanted.most > sum(one.drawn for one in known.pairs)
    named = wanted.store or wanted.paths
    there = {way for one in known.pairs for way in (one.pair, one.pair.turned)}
    outside = len({*folder.answers.pairs} - there)
    if not (larger or named):
        if outside:
            complain(
                f"Answers to pairs outside the pool: {outside:,}; those about pages that it was "
                "drawn from come in with a larger --most"
            )
        return known
    if not named:
        store = Path(known.store) if known.store else None
        wanted = replace(wanted, store=store, paths=tuple(map(Path, known.paths)))
    pages = _gathered(wanted, settings, folder)
    if pages.digest != known.digest:
        complain(
            f"These pages ({len(pages):,}) are not those that the pool in {folder.path} was drawn "
            f"from ({known.pages:,}); it stays as it is. For another one name another folder"
        )
        return known
    if not larger and not outside:
        return known
    pooling = _pooling(pages, known.methods, known.seed, folder)
    most = wanted.most if wanted.most and larger else 1
    chosen = choose(pooling.nominated, most, known.seed, folder.answers.pairs)
    drawn = {one.pair for one in chosen if one.drawn}
    kept = (replace(one, drawn=one.drawn or one.pair in drawn) for one in known.pairs)
    more = (one for one in chosen if one.pair not in there)
    pool = replace(known, pairs=(*kept, *more))
    _save(pool, pages, folder)
    return pool


def _tell_differences(known: Pool, wanted: Wanted, folder: JudgingFolder) -> None:
    for name, given, used in (
        ("methods", wanted.methods and ",".join(wanted.methods), ",".join(known.methods)),
        ("seed", wanted.seed, known.seed),
    ):
        if given is not None and given != used:
            complain(
                f"The pool in {folder.path} was made with --{name} {used}, and stays as it is. "
                "For another one name another folder"
            )


def _pooling(
    pages: Gathering, methods: tuple[str, ...], seed: int, folder: JudgingFolder
) -> Pooling:
    pooling = Pooling({name: make_method(name) for name in methods}, seed, folder.answers.pairs)
    for document in _with_bar(pages, len(pages), "Comparing"):
        pooling.add(document)
    return pooling


def _save(pool: Pool, pages: Gathering, folder: JudgingFolder) -> None:
    folder.save(pool, {url: pages.outline(url) for one in pool.pairs for url in one.pair})


def _gathered(wanted: Wanted, settings: Settings, folder: JudgingFolder) -> Gathering:
    pages = Gathering(settings, wanted.pages)
    if wanted.store:
        with open_reader(wanted.store, map_size=settings.map_size) as store:
            urls = stored_urls(store)
            for url, outline in _with_bar(stored_pages(store, urls), len(urls), "Reading"):
                pages.add(url, outline)
    sources = Sources(
        wanted.paths,
        _complain,
        max_html=settings.max_html,
        leave_out=[folder.path, *([wanted.store] if wanted.store else [])],
    )
    for page in _with_bar(sources, None, "Reading"):
        try:
            outline = read(page, max_html=settings.max_html, max_text=settings.max_text)
        except UnreadablePage:
            _complain(f"{page.url}: can't be read as HTML; skipped")
        else:
            pages.add(page.url, outline)
    if beyond := pages.left_out[BEYOND]:
        complain(
            f"Only the first {len(pages):,} pages are looked at, {beyond:,} are not: --pages N"
        )
    return pages


def _with_bar(things: Iterable[One], total: int | None, what: str) -> Iterable[One]:
    if not sys.stderr.isatty():
        return things
    from tqdm import tqdm  # only where somebody watches

    return tqdm(things, what, total, leave=False, unit=" pages")


def _complain(text: str) -> None:
    """Say something without tearing the bar."""
    if sys.stderr.isatty():
        from tqdm import tqdm

        tqdm.write(safe(text), file=sys.stderr)
    else:
        complain(text)
