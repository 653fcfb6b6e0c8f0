"""Rows of Parquet files, as far as they are pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .warc import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLES = (".parquet",)
_COLUMNS = ("url", "html", "text")
_ROWS = 64  # at a time: pages can be large


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file; raise ValueError if it is none of Parquet."""
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra(
            "Parquet is read with pyarrow, of the extra `spark`: pip install 'scrapy-dedup[spark]'"
        ) from error
    with pq.ParquetFile(path) as file:
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        for batch in file.iter_batches(_ROWS, columns=columns):
            yield from batch.to_pylist()
