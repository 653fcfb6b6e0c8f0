"""Pages to time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lab.rows import page_problem, read_rows

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RealPage:
    """A page in the two forms in which Scrapy has it."""

    url: str
    html: str
    body: bytes

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or "–"


def load(path: Path, most: int | None, problems: list[str]) -> list[RealPage]:
    """Read up to `most` pages, spread evenly over the file."""
    if not path.is_file():
        problems.append(f"{path}: no such file")
        return []
    rows = [row for row in read_rows(path, page_problem, problems) if row is not None]
    if most is not None and most < len(rows):
        rows = [rows[place * len(rows) // most] for place in range(most)]
    return [
        RealPage(row["url"], row["html"], row["html"].encode("utf-8", "surrogatepass"))
        for row in rows
    ]
