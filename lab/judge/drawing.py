"""The pool of pairs to judge: drawn from pages of a store or of files, loaded, or grown."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.commands._screen import progress
from dedup_middleware.commands._stores import last_used, name_of
from dedup_middleware.errors import DedupError
from dedup_middleware.methods import make_method
from dedup_middleware.store import open_reader
from dedup_middleware.text import warn
from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Kind
from lab.page_reader import PageReader

from .pool import BEYOND, Pool, PoolBuilder, PoolPages, count_alike, draw_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.store import Reader, View

    from .folder import LabelFolder

DEFAULT_METHODS = ("cascade", "shingles", "minhash", "simhash", "fingerprints")
"""Cheap, and unlike each other."""
PAIRS = 100
_SEED = 1
_AT_ONCE = 64  # pages: a long snapshot would keep the store from reusing its space
_KEPT = frozenset({Kind.NEAR, Kind.CONTAINED})  # the redundant pages whose text a store keeps


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """What the user asks for; empty options mean the default, or what the pool was made with."""

    store: Path | str | None
    paths: tuple[Path, ...]
    pages: int
    methods: tuple[str, ...]
    most: int | None
    seed: int | None


def make_pool(options: PoolOptions, settings: Settings, folder: LabelFolder) -> Pool:
    """Draw a pool from pages, and save it."""
    if not (options.store or options.paths):
        store = last_used()
        warn(f"Store: {name_of(store)}")
        options = replace(options, store=store)
    pages = _read_pages(options, settings, folder)
    methods = options.methods or DEFAULT_METHODS
    seed = _SEED if options.seed is None else options.seed
    builder = _nominate(pages, methods, seed, folder)
    pairs = draw_pairs(builder.nominated, options.most or PAIRS, seed, folder.answers.pairs)
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
        store=name_of(options.store, brief=False) if options.store else None,
        paths=tuple(map(str, options.paths)),
        pages=len(pages),
        digest=pages.digest,
        left_out=dict(pages.left_out),
        strata=dict(Counter(str(one.stratum) for one in builder.nominated if one.drawn)),
        called=count_alike(builder.nominated, methods),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    _save(pool, pages, folder)
    return pool


def grow_pool(known: Pool, options: PoolOptions, settings: Settings, folder: LabelFolder) -> Pool:
    """Return the pool of the folder, after it has grown if a larger one is wanted."""
    _warn_about_differences(known, options, folder)
    larger = options.most is not None and options.most > sum(one.drawn for one in known.pairs)
    named = options.store or options.paths
    in_pool = {way for one in known.pairs for way in (one.pair, one.pair.swapped)}
    outside = len({*folder.answers.pairs} - in_pool)
    if not (larger or named):
        if outside:
            warn(
                f"Answers to pairs outside the pool: {outside:,}; those about pages that it was "
                "drawn from come in with a larger --most"
            )
        return known
    if not named:
        store = known.store or None
        options = replace(options, store=store, paths=tuple(map(Path, known.paths)))
    pages = _read_pages(options, settings, folder)
    if pages.digest != known.digest:
        warn(
            f"These pages ({len(pages):,}) are not those that the pool in {folder.path} was drawn "
            f"from ({known.pages:,}); it stays as it is. For another one name another folder"
        )
        return known
    if not larger and not outside:
        return known
    builder = _nominate(pages, known.methods, known.seed, folder)
    most = options.most if options.most and larger else 1
    chosen = draw_pairs(builder.nominated, most, known.seed, folder.answers.pairs)
    drawn = {one.pair for one in chosen if one.drawn}
    kept = (replace(one, drawn=one.drawn or one.pair in drawn) for one in known.pairs)
    more = (one for one in chosen if one.pair not in in_pool)
    pool = replace(known, pairs=(*kept, *more))
    _save(pool, pages, folder)
    return pool


def _warn_about_differences(known: Pool, options: PoolOptions, folder: LabelFolder) -> None:
    for name, given, used in (
        ("methods", ",".join(options.methods) or None, ",".join(known.methods)),
        ("seed", options.seed, known.seed),
    ):
        if given is not None and given != used:
            warn(
                f"The pool in {folder.path} was made with --{name} {used}, and stays as it is. "
                "For another one name another folder"
            )


def _nominate(
    pages: PoolPages, methods: tuple[str, ...], seed: int, folder: LabelFolder
) -> PoolBuilder:
    builder = PoolBuilder({name: make_method(name) for name in methods}, seed, folder.answers.pairs)
    for document in progress(pages, len(pages), "Comparing"):
        builder.add(document)
    return builder


def _save(pool: Pool, pages: PoolPages, folder: LabelFolder) -> None:
    folder.save(pool, {url: pages.outline(url) for one in pool.pairs for url in one.pair})


def _read_pages(options: PoolOptions, settings: Settings, folder: LabelFolder) -> PoolPages:
    pages = PoolPages(settings, options.pages)
    if options.store:
        with open_reader(options.store, map_size=settings.map_size) as store:
            urls = _stored_urls(store)
            for url, outline in progress(_stored_pages(store, urls), len(urls), "Reading"):
                pages.add(url, outline)
    leave_out = [folder.path, *([options.store] if isinstance(options.store, Path) else [])]
    for page, outline in PageReader(options.paths, settings, leave_out).pages():
        pages.add(page.url, outline)
    if beyond := pages.left_out[BEYOND]:
        warn(f"Only the first {len(pages):,} pages are looked at, {beyond:,} are not: --pages N")
    return pages


def _stored_urls(store: Reader) -> list[str]:
    """Return the URLs whose text the store has, registered or redundant, in order of arrival."""
    with store.snapshot() as view:
        arrived = dict(_registered(view))
        for url, seconds in _redundant(view):
            arrived.setdefault(url, seconds)
    return sorted(arrived, key=arrived.__getitem__)


def _stored_pages(store: Reader, urls: list[str]) -> Iterator[tuple[str, Outline]]:
    """Yield the texts of some URLs; one that has been removed meanwhile is left out."""
    for start in range(0, len(urls), _AT_ONCE):
        with store.snapshot() as view:
            found = [(url, view.last_text(url_key(url))) for url in urls[start : start + _AT_ONCE]]
        yield from ((url, outline) for url, outline in found if outline is not None)


def _registered(view: View) -> Iterator[tuple[str, float]]:
    for record in view.records(view.numbers()):
        yield record.url, record.first_seen


def _redundant(view: View) -> Iterator[tuple[str, float]]:
    """Yield what the decisions name: the text of a redundant page is found by its URL alone."""
    for line in view.decisions():
        entry = json.loads(line)
        if entry["verdict"] in _KEPT:
            yield entry["url"], datetime.fromisoformat(entry["time"]).timestamp()
