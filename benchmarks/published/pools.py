"""Pages that are no copies of each other, to make documents of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.lab.synthesis import SourceCollection, source_of_outline
from dedup_middleware.methods import Document

from .material import read_pages, read_sets

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.lab.synthesis import Source

LEAST_TERMS = 100


def read_pools(data: Path, problems: list[str]) -> dict[str, list[Source]]:
    """Give for each set its different pages that are long enough to be parted."""
    found = {one.name: one.documents for one in read_sets(data, problems, "stream")}
    found["pages"] = read_pages(data, problems)
    pools: dict[str, list[Source]] = {}
    for name, documents in found.items():
        collection = SourceCollection(min_terms=LEAST_TERMS, hold_out=False, seed=0)
        for document in documents:
            collection.add(source_of_outline(document.name, document.outline))
        pools[name] = collection.sources
    return {name: sources for name, sources in pools.items() if sources}


def document_of_lines(name: str, lines: str) -> Document:
    """Take a text with a line for each paragraph."""
    return Document.of_text(name, lines.replace("\n", "\n\n"))
