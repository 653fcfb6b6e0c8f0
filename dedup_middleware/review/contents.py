"""What a store holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.store.records import UrlRecord

if TYPE_CHECKING:
    from dedup_middleware.store import Reader
    from dedup_middleware.store.view import TableSize


@dataclass(frozen=True, slots=True)
class Contents:
    """A store in figures."""

    scheme: str
    detector: str
    runs: int
    alive: int
    """Runs that are still at it."""
    pages: int
    urls: int
    aliases: int
    """URLs that show what another page shows."""
    pending: int
    """Pages whose items have not left all pipelines yet."""
    decisions: int
    tables: dict[str, TableSize]
    file_size: int
    journal_size: int


def contents(store: Reader) -> Contents:
    """Sum up what a store holds."""
    with store.snapshot() as view:
        tables = view.sizes()
        aliases = sum(UrlRecord.unpack(value).alias for _, value in view.entries("urls"))
        scheme, detector = view.header, view.detector
    return Contents(
        scheme=scheme,
        detector=detector,
        runs=tables["runs"].entries,
        alive=len(store.live_runs()),
        pages=tables["pages"].entries,
        urls=tables["urls"].entries,
        aliases=aliases,
        pending=tables["pending"].entries,
        decisions=tables["decisions"].entries,
        tables=tables,
        file_size=(store.path / "data.mdb").stat().st_size,
        journal_size=sum(path.stat().st_size for path in store.path.glob("journal/*.jsonl")),
    )
