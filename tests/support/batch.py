"""An archive made up for tests of batch jobs, and the stages of a job without an engine."""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator, Page
from dedup_middleware.batch import spark_stages
from dedup_middleware.fingerprint.scheme import PAIR
from dedup_middleware.store.engine import LEAST_PAIRS
from dedup_middleware.store.memory import MemoryStore

from .labelled import Author

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
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
    names = spark_stages.PAGES.names[1:]
    rows = [dict(zip(names, spark_stages.row_of(page, settings), strict=True)) for page in pages]
    told = [(row["host"], number, row["url_key"], row["site"]) for number, row in enumerate(rows)]
    sites = list(spark_stages.learn(iter(sorted(told))))
    shared = _pairs(rows, settings.max_postings)
    pairs = spark_stages.choose(_beside(shared, rows, "sketch"), settings)
    related = spark_stages.compare(_beside(pairs, rows, "outline"), settings)
    edges = [*related, *_same(rows), *((number, number) for number in range(len(rows)))]
    component = dict(spark_stages.join(iter(edges)))
    members = [
        (component[number], number, row["outline"], row["about"], row["host"], None)
        for number, row in enumerate(rows)
    ]
    members += [
        (first, since, None, None, host, memory)
        for first in {*component.values()}
        for host, since, memory in sites
    ]
    members.sort(key=lambda row: (*row[:2], row[-1] is not None))
    found = spark_stages.resolve(iter(members), settings, overrides)
    verdicts = [dict(zip(spark_stages.VERDICTS.names, row, strict=True)) for row in found]
    return sorted(verdicts, key=itemgetter("arrival"))


def _pairs(rows: list[dict], cap: int) -> list[tuple[int, int]]:
    """Return the pages that share keys, as the job finds them in SQL."""
    having = defaultdict(list)
    first: dict[bytes, int] = {}
    for number, row in enumerate(rows):
        if first.setdefault(row["alike"], number) == number:
            for key in row["keys"].tolist():
                having[key].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for key, numbers in having.items():
        for page in numbers:
            for known in numbers[:cap]:
                shared[page, known] += 1 if key >> 56 == PAIR else LEAST_PAIRS
    return [pair for pair, n in shared.items() if n >= LEAST_PAIRS and pair[1] < pair[0]]


def _beside(pairs: Iterable[tuple], rows: list[dict], column: str) -> Iterator[tuple]:
    """Bring to each page what it is paired with, behind itself."""
    own = [(page, page, *([None] * (column == "outline"))) for page in range(len(rows))]
    ordered = sorted([*own, *pairs], key=lambda pair: (pair[0], -pair[1]))
    return ((*pair, rows[pair[1]][column]) for pair in ordered)


def _same(rows: list[dict]) -> Iterator[tuple[int, int]]:
    """Yield the pages that have the same text or URL, or declare the URL of another."""
    for own, of in (("digest", "digest"), ("url_key", "url_key"), ("address", "url_key")):
        first: dict[object, int] = {}
        for number, row in enumerate(rows):
            first.setdefault(row[of], number)
        for number, row in enumerate(rows):
            if row[own] in first:
                yield number, first[row[own]]
