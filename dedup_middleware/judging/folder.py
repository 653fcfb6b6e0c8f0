"""The folder that is judged in: a pool, its pages, the answers, and the labels made of them."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.page import Page
from dedup_middleware.read import UnreadablePage, read

from .answers import Answers, Pair
from .labels import names_of, rows, settled
from .pool import Nominated
from .rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dedup_middleware.read import Outline

VERSION = 1
POOL, ANSWERS = "pool.jsonl", "answers.jsonl"
PAGES, LABELS, META = "pages.jsonl.gz", "labels.jsonl.gz", "meta.json"


@dataclass(frozen=True, slots=True)
class Pool:
    """The pairs to judge, and what they were drawn from."""

    pairs: tuple[Nominated, ...]
    methods: tuple[str, ...]
    seed: int
    store: str | None
    paths: tuple[str, ...]
    pages: int
    digest: str
    """Of the pages: whether a pool was drawn from the same ones."""
    left_out: Mapping[str, int]
    strata: Mapping[str, int]
    """How many pairs were nominated."""
    called: Mapping[str, Mapping[str, int]]
    """How many of them each method calls alike, by how many methods do."""
    made: str


_HEAD = tuple(one.name for one in fields(Pool) if one.name != "pairs")


class JudgingFolder:
    """One folder, which is a set for benchmarks too.

    The pool comes last, so that where it is, its pages are. Labels follow from the answers, and are
    only as fresh as the last `export`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pool = self._pool()
        self.answers = Answers(path / ANSWERS)
        self._html: list[str] | None = None

    def save(self, pool: Pool, outlines: Mapping[str, Outline]) -> None:
        """Keep a pool and the text of its pages; one that was there must be its beginning."""
        known = self._pages() if self.pool else []
        html = [
            known[place] if place < len(known) else render(outlines[url])
            for place, url in enumerate(url for one in pool.pairs for url in one.pair)
        ]
        names = [name for at, one in enumerate(pool.pairs, 1) for name in names_of(at, one.pair)]
        if not self.answers.path.exists():  # the sign that the files of the set are ours
            self._write(ANSWERS, b"")
        pages = ({"url": name, "html": one} for name, one in zip(names, html, strict=True))
        self._write(PAGES, _packed(pages))
        head = {"v": VERSION} | {name: getattr(pool, name) for name in _HEAD}
        lines = (
            {"first": one.pair.first, "second": one.pair.second, "said": one.said}
            | ({} if one.drawn else {"drawn": False})
            for one in pool.pairs
        )
        self._write(POOL, _lines((head, *lines)))
        self.pool, self._html = pool, html

    def outlines(self, place: int) -> tuple[Outline, Outline]:
        """Read the two pages of a pair again."""
        assert self.pool  # noqa: S101 - nobody asks for a pair without one
        pages = self._pages()
        first, second = (
            self._read(url, pages[2 * place + side])
            for side, url in enumerate(self.pool.pairs[place].pair)
        )
        return first, second

    def export(self) -> Counter[str]:
        """Write the labels that follow from the answers; count them."""
        assert self.pool  # noqa: S101 - see above
        gold = [settled(one.pair, self.answers) for one in self.pool.pairs]
        labels = [
            row
            for number, (one, held) in enumerate(zip(self.pool.pairs, gold, strict=True), 1)
            for row in rows(number, one, held)
        ]
        counts = Counter(label["gold"] for label in labels)
        self._write(LABELS, _packed(labels))
        meta = {
            "mode": "pairs",
            "pages": len(labels),
            "gold": dict(counts),
            "made_by": "scrapy dedup judge",
            "store": self.pool.store,
            "paths": self.pool.paths,
            "judges": dict(sorted(self.answers.judges.items())),
        }
        self._write(META, json.dumps(meta, indent=1).encode() + b"\n")
        return counts

    def _read(self, url: str, html: str) -> Outline:
        try:
            return read(Page(url=url, html=html))
        except UnreadablePage as error:
            raise self._broken(PAGES) from error

    def _pool(self) -> Pool | None:
        path = self.path / POOL
        try:
            head, *lines = map(json.loads, path.read_bytes().splitlines())
            if head.pop("v") != VERSION:
                raise DedupError(f"{path} was made by another version; name another folder")
            head |= {name: tuple(head[name]) for name in ("methods", "paths")}
            pairs = tuple(
                Nominated(
                    Pair(line["first"], line["second"]), line["said"], line.get("drawn", True)
                )
                for line in lines
            )
            return Pool(pairs=pairs, **head)
        except FileNotFoundError:
            self._refuse_strangers()
            return None
        except OSError as error:
            raise DedupError(f"Can't read {path}: {error.strerror}") from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._broken(POOL) from error

    def _pages(self) -> list[str]:
        if self._html is None:
            path = self.path / PAGES
            try:
                with gzip.open(path) as file:
                    self._html = [json.loads(line)["html"] for line in file]
            except (OSError, EOFError, zlib.error, ValueError, TypeError, LookupError) as error:
                raise self._broken(PAGES) from error
            if len(self._html) < 2 * len(self.pool.pairs if self.pool else ()):
                raise self._broken(PAGES)
        return self._html

    def _broken(self, name: str) -> DedupError:
        return DedupError(
            f"{self.path / name} is damaged or not there; make a new pool in another folder, with "
            f"a copy of {self.path / ANSWERS} in it"
        )

    def _refuse_strangers(self) -> None:
        for name in (PAGES, LABELS, META):
            if (self.path / name).exists() and not (self.path / ANSWERS).exists():
                raise DedupError(
                    f"{self.path} holds a set that was not made by judging ({name}, but no "
                    f"{POOL}); name another folder"
                )

    def _write(self, name: str, data: bytes) -> None:
        """Put a file in place of what was there, in one step."""
        path, new = self.path / name, self.path / f".{name}.new"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            raise DedupError(f"Can't write {path}: {error.strerror}") from error


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _packed(rows: Iterable[Mapping[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 6, buffer, mtime=0) as file:  # the same labels, the same bytes
        for row in rows:
            file.write(f"{json.dumps(row)}\n".encode())
    return buffer.getvalue()
