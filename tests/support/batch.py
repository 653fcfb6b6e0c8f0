"""An archive made up for tests of batch jobs, and the stages of a job without an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dedup_middleware import Deduplicator, Page
from dedup_middleware.batch import candidates, reading, spark_stages
from dedup_middleware.batch.candidates import Comparer, Stored, components
from dedup_middleware.batch.reading import SiteTable, generations
from dedup_middleware.batch.spark_stages import Resolver
from dedup_middleware.store.memory import MemoryStore

from .labelled import Author

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.settings import Settings
    from dedup_middleware.verdict import Verdict

HOSTS = 3


def archive(seed: int, count: int) -> list[Page]:
    """Make pages of a few sites with templates: versions of others, recrawls, copies with canonical
    URLs, short and empty ones."""
    author, chance = Author(seed), Author(seed).chance
    texts: list[list[str]] = []
    urls: list[str] = []
    footers = [author.article(3) for _ in range(HOSTS)]
    pages = []
    for number in range(count):
        host = chance.randrange(HOSTS)
        url = f"https://www{host}.example/{number}"
        text = author.article(chance.choice([0, 1, 12, 20, 30]))
        head = ""
        if number and chance.random() < 0.6:
            origin = chance.randrange(number)
            if texts[origin]:
                text = author.version(texts[origin]) if len(texts[origin]) > 5 else texts[origin]
            draw = chance.random()
            if draw < 0.25:
                url = urls[origin]
            elif draw < 0.4:
                url = f"{urls[origin].partition('?')[0]}?utm_source={number}"
                text = texts[origin]
            elif draw < 0.5:
                head = f"<link rel='canonical' href='{chance.choice(urls)}'>"
        texts.append(text)
        urls.append(url)
        title = text[0][:30] if text and chance.random() < 0.7 else ""
        body = "".join(f"<p>{one}</p>" for one in text)
        footer = "".join(f"<p>{one}</p>" for one in footers[host])
        html = (
            f"<html><head><title>{title}</title>{head}</head>"
            f"<body><div>{body}</div><div>{footer}</div></body></html>"
        )
        pages.append(Page(url=url, html=html))
    return pages


def in_order(pages: list[Page], settings: Settings, overrides: Path | None = None) -> list[Verdict]:
    """Judge pages one after the other: what a batch job must agree with."""
    with Deduplicator(MemoryStore(), settings=settings, overrides=overrides) as dedup:
        return [dedup.process(page) for page in pages]


def by_stages(pages: list[Page], settings: Settings, overrides: Path | None = None) -> list[dict]:
    """Judge pages by the stages of a batch job, each on all pages at once."""
    batches = reading.read_rows(enumerate(pages), settings, rows=7)
    rows = pa.Table.from_batches(batches).to_pylist()
    sites = SiteTable()
    for host in {row["host"] for row in rows}:
        arrivals = [
            (row["arrival"], row["url_key"], row["site"]) for row in rows if row["host"] == host
        ]
        for since, memory in generations(arrivals):
            sites.add(host, since, memory)
    alike = _related(rows, _alike(rows, settings), sites, settings)
    edges = [*_of_urls(rows), *((page, known) for page, known, _ in alike)]
    edges += [(row["arrival"], row["arrival"]) for row in rows]
    nodes, firsts = components(*np.array(edges, np.int64).T)
    resolver, found = Resolver(settings, overrides), {}
    for first in np.unique(firsts):
        members = [rows[number] for number in nodes[firsts == first]]
        found |= {one["arrival"]: one for one in resolver.resolve(members, sites)}
    return [found[number] for number in range(len(pages))]


def _of_urls(rows: list[dict]) -> list[tuple[int, int]]:
    members = [(row["url_key"], False, True, row["arrival"]) for row in rows]
    members += [(row["address"], False, False, row["arrival"]) for row in rows if row["address"]]
    members.sort(key=lambda one: (one[0], not one[2], one[3]))
    columns = [pa.array(column) for column in zip(*members, strict=True)]
    batch = pa.RecordBatch.from_arrays(columns, ["group", "is_copy", "is_member", "arrival"])
    pairs = pa.Table.from_batches(spark_stages.first_of([batch[:9], batch[9:]]))
    return [(row["page"], row["known"]) for row in pairs.to_pylist()]


def _are_candidates(shared: np.ndarray) -> np.ndarray:
    """Return which pairs share enough keys, as `candidates.condition` says in SQL."""
    by_others = shared % candidates._UNIT[candidates.PAIR] > 0
    pairs = shared // candidates._UNIT[candidates.PAIR] % (1 << candidates._BITS)
    by_pairs = pairs >= candidates.LEAST_PAIRS
    return by_others | by_pairs | candidates.have_digest(shared)


def _alike(rows: list[dict], settings: Settings) -> list[tuple[int, int, int]]:
    keys = np.concatenate([np.array(row["keys"], np.int64) for row in rows])
    pages = np.repeat(np.arange(len(rows)), [len(row["keys"]) for row in rows])
    parts = list(candidates.pairs_of(keys, pages, settings.max_postings))
    pairs = candidates.summed(candidates.Pairs(*map(np.concatenate, zip(*parts, strict=True))))
    enough = _are_candidates(pairs.shared)
    shared = [column[enough].tolist() for column in pairs]
    sketches = [row["sketch"] for row in rows]
    own = [(number, number, 0, sketch) for number, sketch in enumerate(sketches)]
    found = [
        (page, known, keys, sketches[known]) for page, known, keys in zip(*shared, strict=True)
    ]
    ordered = sorted(own + found, key=lambda row: (row[0], -row[1]))
    batch = pa.RecordBatch.from_pylist(
        [dict(zip(("page", "known", "shared", "sketch"), row, strict=True)) for row in ordered]
    )
    chosen = pa.Table.from_batches(spark_stages.gate([batch[:9], batch[9:]], settings))
    return [tuple(row.values()) for row in chosen.to_pylist()]


def _related(
    rows: list[dict], alike: list[tuple[int, int, int]], sites: SiteTable, settings: Settings
) -> list[tuple[int, int, int]]:
    def stored(number: int, why: int, page: int) -> Stored:
        memory = sites.at(rows[number]["host"], page).pack()
        return Stored(number, why, rows[number]["outline"], memory)

    comparer = Comparer(settings)
    found = [one for one in alike if one[2] == candidates.SAME]
    for page in {page for page, _, _ in alike}:
        known = [stored(one, why, page) for other, one, why in alike if other == page]
        found += [(page, one, 0) for one in comparer.related(stored(page, 0, page), known)]
    return found
