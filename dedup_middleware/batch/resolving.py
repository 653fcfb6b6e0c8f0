"""Stage *resolve*: the pages of a component are judged in order of arrival, by a `Deduplicator`.

A component holds all pages that can have a say in each other's verdicts, so that these are what
they would be with all other pages in the store.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.store.hosts import Hosts
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.urls import url_key

from .reading import SiteTable, encodable, page_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.settings import Settings
    from dedup_middleware.store.engine import Snapshot
    from dedup_middleware.verdict import Verdict

VERDICT = [
    ("kind", pa.string()),
    ("action", pa.string()),
    ("original", pa.string()),
    ("score", pa.float64()),
    ("scores", pa.string()),  # JSON
    ("lost_share", pa.float64()),
    ("lost_words", pa.int64()),
    ("lost", pa.string()),  # JSON
    ("suspect", pa.string()),
    ("supersedes", pa.string()),  # the page whose place it takes: that is to be deleted
    ("reason", pa.string()),
    ("cluster", pa.string()),  # the URL of the page that all pages of a cluster repeat
]
SCHEMA = pa.schema([("arrival", pa.int64()), ("url", pa.string()), *VERDICT])


class Clusters:
    """The first page of what repeats itself, by URL."""

    def __init__(self) -> None:
        self._firsts: dict[bytes, str] = {}

    def of(self, url: str, verdict: Verdict) -> str:
        """Return the page that a page repeats, directly or by way of others; or the page itself."""
        original = verdict.original if verdict.redundant else None
        first = url if original is None else self._firsts.get(url_key(original), original)
        self._firsts[url_key(url)] = first
        return first


def columns_of(url: str, verdict: Verdict, clusters: Clusters) -> dict[str, Any]:
    """Return a verdict as columns."""
    evidence, lost = verdict.evidence, verdict.lost
    texts = {
        "original": verdict.original,
        "suspect": evidence.suspect,
        "supersedes": evidence.supersedes,
        "reason": verdict.reason,
        "cluster": clusters.of(url, verdict),
    }
    return {
        "kind": str(verdict.kind),
        "action": str(verdict.action),
        "score": verdict.score,
        "scores": json.dumps(evidence.scores.measured(), separators=(",", ":")),
        "lost_share": lost.share if lost else None,
        "lost_words": lost.words if lost else None,
        "lost": json.dumps(lost.as_json(), separators=(",", ":")) if lost else None,
        **{name: encodable(text) for name, text in texts.items()},
    }


class Resolver:
    """Judges components one after the other."""

    def __init__(self, settings: Settings, overrides: Path | None = None) -> None:
        self._store = _Store()
        self._dedup = Deduplicator(self._store, settings=settings, overrides=overrides)

    def resolve(self, rows: Iterable[dict[str, Any]], sites: SiteTable) -> Iterator[dict[str, Any]]:
        """Yield the verdicts of a component; its rows come in order of arrival."""
        self._store.begin(sites)
        clusters = Clusters()
        for row in rows:
            page = page_of(row)
            verdict = self._judge(row["arrival"], page)
            yield {
                "arrival": row["arrival"],
                "url": encodable(page.url),
                **columns_of(page.url, verdict, clusters),
            }

    def _judge(self, arrival: int, page: Subject) -> Verdict:
        self._store.sites.arrival = arrival
        return self._dedup.process(page)


class _Sites(Hosts):
    """The memory of sites as that of all pages: nothing is learned from those of a component."""

    def __init__(self) -> None:
        super().__init__()
        self.table = SiteTable()
        self.arrival = 0

    def memory(self, snapshot: Snapshot, host: bytes) -> SiteMemory:  # noqa: ARG002  # it is elsewhere
        return self.table.at(host, self.arrival)

    def add(self, *_: object) -> bool:
        """All that can be learned is in the table."""
        return True


class _Store(MemoryStore):
    """Holds the pages of a component."""

    def __init__(self) -> None:
        super().__init__(run="batch")
        self.sites = self._hosts = _Sites()

    def begin(self, sites: SiteTable) -> None:
        """Forget all pages; numbers are not given again, as what is cached goes by them."""
        self.memory.clear()
        self.sites.table = sites
