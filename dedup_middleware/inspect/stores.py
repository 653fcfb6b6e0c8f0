"""Whole stores: what one holds, checks of it, and its way into another as JSON lines.

That other may be of another format, or on another machine. The first line names the version of this
form; the last one says that nothing is missing. Fingerprints are not part of it: they are made
again from the outlines. Lost decisions are found that journal files still have.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.fingerprint.scheme import fingerprint_of
from dedup_middleware.fingerprint.site import arrival_of
from dedup_middleware.judge.match import is_comparable
from dedup_middleware.read import Identity, Outline
from dedup_middleware.read.outline import HiddenText
from dedup_middleware.store import Change, Committed, Copy, Registration, Seen
from dedup_middleware.store.engine import Batch, Conflict
from dedup_middleware.store.hosts import book_key, books, pack_book, unpack_book
from dedup_middleware.store.verify import Damage
from dedup_middleware.urls import host_key, url_key

from .decisions import SKIPPED, Decision, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dedup_middleware.settings import Settings
    from dedup_middleware.store import Reader, Store, View
    from dedup_middleware.store.engine import Step, TableSize
    from dedup_middleware.store.verify import Damages

VERSION = 1
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Contents:
    """A store in figures."""

    scheme: str
    method: str
    runs: int
    alive: int
    """Runs that have not ended."""
    pages: int
    urls: int
    aliases: int
    """URLs that show what another page shows."""
    pending: int
    """Pages whose items have not left all pipelines yet."""
    decisions: int
    tables: dict[str, TableSize]
    file_size: int
    """On disk; of a store on a server, in memory there."""
    journal_size: int | None
    """None if journals are kept elsewhere, as those of a store on a server."""


def contents(store: Reader) -> Contents:
    """Sum up what a store holds."""
    with store.snapshot() as view:
        tables, aliases = view.sizes(), view.copies()
        scheme, method = view.scheme, view.method
    folder = store.path
    return Contents(
        scheme=scheme,
        method=method,
        runs=tables["runs"].entries,
        alive=len(store.live_runs()),
        pages=tables["pages"].entries,
        urls=tables["urls"].entries,
        aliases=aliases,
        pending=tables["pending"].entries,
        decisions=tables["decisions"].entries,
        tables=tables,
        file_size=_size(folder, "data.mdb") if folder else sum(one.size for one in tables.values()),
        journal_size=_size(folder, "journal/*.jsonl") if folder else None,
    )


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))


def verify(store: Reader, step: Step) -> Damages:
    """Check all of a store; `step` gets how many more entries were looked at."""
    damages = store.verify(step)
    if not (store.path and damages.found.keys() & {Damage.DECISION, Damage.GAP}):
        return damages
    with store.snapshot() as view:
        lost = {*range(view.first_sequence(), view.last_sequence() + 1)}
        lost.difference_update(key[1] for line in view.decisions() if (key := key_of(line)))
    for path in sorted(store.path.glob("journal/*.jsonl")):
        with path.open("rb") as lines:
            for line in lines:
                _, sequence = key_of(line) or ("", 0)
                if sequence in lost and (SKIPPED in line or Decision.parse(line)):
                    damages.decisions[sequence] = line.rstrip()
    return damages


@dataclass(slots=True)
class Counts:
    """How much was read or written."""

    pages: int = 0
    copies: int = 0
    sites: int = 0
    """Hosts about whose URLs something was learned."""
    known: int = 0
    """Not imported, because the store knew their URLs or hosts already."""


def export(view: View) -> Iterator[dict[str, Any]]:
    """Yield a store, line by line: pages that count, URLs that are copies of them, and hosts."""
    counts = Counts()
    yield {"dedup_export": VERSION, "scheme": view.scheme, "method": view.method}
    numbers = list(view.numbers())
    for at in range(0, len(numbers), _AT_ONCE):
        records = [one for one in view.pages(numbers[at : at + _AT_ONCE]) if one.delivered]
        outlines = view.outlines([one.number for one in records])
        for record, outline in zip(records, outlines, strict=True):
            counts.pages += 1
            yield {
                "url": record.url,
                "seen": [record.first_seen, record.last_seen],
                "superseded": record.superseded,
                "uncertain": record.uncertain,
                "presentation": record.presentation.hex(),
                "body": record.body.hex(),
                "outline": _as_json(outline),
            }
    for key, known in view.url_records():
        original = next(iter(view.pages([known.number])), None) if known.alias else None
        if original and original.delivered:
            counts.copies += 1
            kept = view.last_text(key, own=True)
            yield {
                "copy": key.hex(),
                "digest": known.digest.hex(),
                "original": original.url,
                "outline": _as_json(kept) if kept else None,
            }
    for _, book in books(view.snapshot):
        counts.sites += 1
        yield {"site": book}
    yield {"end": asdict(counts)}


def enter(lines: Iterable[bytes], store: Store, settings: Settings) -> Counts:
    """Enter an exported store into another; what that knows already stays."""
    counts = Counts()
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            if number == 1:
                _check(entry)
            elif "end" in entry:
                return counts
            elif "copy" in entry:
                _enter_copy(entry, store, counts)
            elif "site" in entry:
                _enter_site(entry["site"], store, counts)
            else:
                _enter_page(entry, store, settings, counts)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise DedupError(f"Line {number} is not of an exported store: {error!r}") from error
    raise DedupError("The export is not complete: its last line is missing")


def _check(entry: Any) -> None:
    version = entry["dedup_export"]
    if version != VERSION:
        raise DedupError(
            f"The export has version {version!r}, this package reads version {VERSION}; use the "
            "one that wrote it"
        )


def _enter_page(entry: Any, store: Store, settings: Settings, counts: Counts) -> None:
    url, outline = entry["url"], _outline(entry["outline"])
    made = fingerprint_of(outline, bytes.fromhex(entry["body"]))
    made = replace(
        made,
        uncertain=bool(entry["uncertain"]),
        presentation=bytes.fromhex(entry["presentation"]),
    )
    key, host = url_key(url), host_key(url)
    first, last = map(float, entry["seen"])
    while True:
        with store.snapshot() as view:
            known = view.url(key)
            if known and view.records([known.number]):
                counts.known += 1
                return
            found = view.candidates(
                made,
                alike=is_comparable(made.words, outline, settings),
                cap=settings.max_postings,
                most=1,
            )
            seen = Seen(view.last_page, known, site_version=view.host(host).version)
        page = Registration(
            url, made, outline, found.keys[~found.full], delivered=True, seen=(first, last)
        )
        site = (host, arrival_of(outline, made))
        result = store.commit(Change(key, page, site=site), seen)
        if isinstance(result, Committed):
            counts.pages += 1
            if entry["superseded"] and result.number:
                store.settle(superseded=[result.number])
            return


def _enter_copy(entry: Any, store: Store, counts: Counts) -> None:
    key, kept = bytes.fromhex(entry["copy"]), entry["outline"]
    with store.snapshot() as view:
        known, original = view.url(key), view.url(url_key(entry["original"]))
        seen = Seen(view.last_page, known)
    if known or original is None or original.alias:
        counts.known += 1
        return
    digest = bytes.fromhex(entry["digest"])
    copy = Copy(digest, original.number, _outline(kept) if kept else None)
    if isinstance(store.commit(Change(key, copy), seen), Committed):
        counts.copies += 1


def _enter_site(book: Any, store: Store, counts: Counts) -> None:
    key, data = book_key(book["host"]), pack_book(book)
    unpack_book(data)  # raises ValueError if it is none
    batch = Batch(expect=[("site_books", key, None)], puts=[("site_books", key, data)])
    if isinstance(store.engine.apply([batch])[0], Conflict):
        counts.known += 1
    else:
        counts.sites += 1


def _as_json(outline: Outline) -> dict[str, Any]:
    nodes = zip(outline.kinds, outline.parents, outline.boilerplate, outline.texts, strict=True)
    return {
        **asdict(outline.identity),
        "cut": list(outline.cut),
        "hidden": list(map(list, outline.hidden)),
        "links": outline.links.hex(),
        "grid": outline.grid.hex(),
        "nodes": list(map(list, nodes)),
    }


def _outline(entry: dict[str, Any]) -> Outline:
    names = {**entry}
    nodes, cut = names.pop("nodes"), names.pop("cut")
    # earlier versions did not know these
    links, grid = (bytes.fromhex(names.pop(name, "")) for name in ("links", "grid"))
    hidden = tuple([HiddenText(int(node), str(text)) for node, text in names.pop("hidden", ())])
    if not {len(links), len(grid)} <= {0, len(nodes)}:
        raise ValueError("columns of different lengths")
    kinds, parents, marks, texts = zip(*nodes, strict=True) if nodes else ((),) * 4
    return Outline.of_nodes(
        Identity(**names),
        bytes(kinds),
        tuple(parents),
        bytes(marks),
        tuple(texts),
        tuple(cut),
        links,
        grid,
        hidden,
    )
