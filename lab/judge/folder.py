"""The folder of a labelled pool: its pairs, pages and answers, and the labels that follow."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.files import write_atomically
from dedup_middleware.page import Page
from dedup_middleware.read import UnreadablePage, read
from lab.answers import ANSWERS, Answers, Pair
from lab.labels import LABELS, META, PAGES, label_pages, label_pair, page_names

from .outline_html import render
from .pool import Pool, PooledPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dedup_middleware.read import Outline

POOL = "pool.jsonl"
_VERSION = 1
_HEADER = tuple(one.name for one in fields(Pool) if one.name != "pairs")


class LabelFolder:
    """A pool with the answers to it, which is a labelled set for benchmarks, too.

    The pool is written last: where it exists, its pages do. Labels are derived from the answers, as
    of the last `export`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pool = self._read_pool()
        self.answers = Answers(path / ANSWERS)
        self._html: list[str] | None = None

    def save(self, pool: Pool, outlines: Mapping[str, Outline]) -> None:
        """Write a pool and its pages; it must begin with the pairs of the pool before it."""
        known = self._read_pages() if self.pool else []
        html = [
            known[place] if place < len(known) else render(outlines[url])
            for place, url in enumerate(url for one in pool.pairs for url in one.pair)
        ]
        names = [name for at, one in enumerate(pool.pairs, 1) for name in page_names(at, one.pair)]
        if not self.answers.path.exists():  # the sign that the files of the set are ours
            self._write(ANSWERS, b"")
        pages = ({"url": name, "html": one} for name, one in zip(names, html, strict=True))
        self._write(PAGES, _gzipped(pages))
        header = {"v": _VERSION} | {name: getattr(pool, name) for name in _HEADER}
        pairs = (
            {"first": one.pair.first, "second": one.pair.second, "said": one.verdicts}
            | ({} if one.drawn else {"drawn": False})
            for one in pool.pairs
        )
        self._write(POOL, _lines((header, *pairs)))
        self.pool, self._html = pool, html

    def outlines(self, place: int) -> tuple[Outline, Outline]:
        """Return the two pages of a pair."""
        assert self.pool
        pages = self._read_pages()
        first, second = (
            self._outline(url, pages[2 * place + side])
            for side, url in enumerate(self.pool.pairs[place].pair)
        )
        return first, second

    def export(self) -> Counter[str]:
        """Write the labels that follow from the answers; return how many there are of each."""
        assert self.pool
        labels = [
            label.row()
            for number, one in enumerate(self.pool.pairs, 1)
            for label in label_pages(number, one, label_pair(one.pair, self.answers))
        ]
        counts = Counter(label["gold"] for label in labels)
        self._write(LABELS, _gzipped(labels))
        meta = {
            "mode": "pairs",
            "pages": len(labels),
            "gold": dict(counts),
            "made_by": "python -m lab.judge",
            "store": self.pool.store,
            "paths": self.pool.paths,
            "judges": dict(sorted(self.answers.judges.items())),
        }
        self._write(META, json.dumps(meta, indent=1).encode() + b"\n")
        return counts

    def _outline(self, url: str, html: str) -> Outline:
        try:
            return read(Page(url=url, html=html))
        except UnreadablePage as error:
            raise self._damaged(PAGES) from error

    def _read_pool(self) -> Pool | None:
        path = self.path / POOL
        try:
            header, *lines = map(json.loads, path.read_bytes().splitlines())
            if header.pop("v") != _VERSION:
                raise DedupError(f"{path} was made by another version; name another folder")
            header |= {name: tuple(header[name]) for name in ("methods", "paths")}
            pairs = tuple(
                PooledPair(
                    Pair(line["first"], line["second"]), line["said"], line.get("drawn", True)
                )
                for line in lines
            )
            return Pool(pairs=pairs, **header)
        except FileNotFoundError:
            self._check_ownership()
            return None
        except OSError as error:
            raise DedupError(f"Can't read {path}: {error.strerror}") from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._damaged(POOL) from error

    def _read_pages(self) -> list[str]:
        if self._html is None:
            path = self.path / PAGES
            try:
                with gzip.open(path) as file:
                    self._html = [json.loads(line)["html"] for line in file]
            except (OSError, EOFError, zlib.error, ValueError, TypeError, LookupError) as error:
                raise self._damaged(PAGES) from error
            if len(self._html) < 2 * len(self.pool.pairs if self.pool else ()):
                raise self._damaged(PAGES)
        return self._html

    def _damaged(self, name: str) -> DedupError:
        return DedupError(
            f"{self.path / name} is damaged or missing; make a new pool in another folder, with "
            f"a copy of {self.path / ANSWERS} in it"
        )

    def _check_ownership(self) -> None:
        """Raise an error if the folder holds a set of another origin."""
        for name in (PAGES, LABELS, META):
            if (self.path / name).exists() and not (self.path / ANSWERS).exists():
                raise DedupError(
                    f"{self.path} holds a set that was not made by judging ({name}, but no "
                    f"{POOL}); name another folder"
                )

    def _write(self, name: str, data: bytes) -> None:
        path = self.path / name
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
        except OSError as error:
            raise DedupError(f"Can't write {path}: {error.strerror}") from error


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _gzipped(rows: Iterable[Mapping[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 6, buffer, mtime=0) as file:  # equal rows give equal bytes
        for row in rows:
            file.write(f"{json.dumps(row)}\n".encode())
    return buffer.getvalue()
