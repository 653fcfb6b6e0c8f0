"""The files of a synthesized set: pages, labels, and a manifest with the truth about documents."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from dedup_middleware.errors import DedupError
from lab.labels import LABELS, META, PAGES

from .terms import Edits
from .truth import Overlap, Taken, Truth

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from lab.labels import Label

    from .series import Labelled

MANIFEST = "manifest.jsonl.gz"
_LONGEST_LINE = 32 << 20
_DIGITS = 6

Row = dict[str, Any]


def row_of(truth: Truth) -> Row:
    """Return the line of a document; its shares are for people, only counts are parsed."""
    return {
        "url": truth.url,
        "terms": truth.terms,
        "own": {"terms": truth.own, "from": truth.own_from},
        "reorder": truth.reorder,
        "edits": _edits_row(truth.edits),
        "sources": [
            {
                **_overlap_row(source),
                "asked": source.asked,
                "taken": source.taken,
                "paragraphs": list(source.paragraphs),
                "edits": _edits_row(source.edits),
            }
            for source in truth.sources
        ],
        "others": [_overlap_row(other) for other in truth.others],
    }


def truth_of(row: Row) -> Truth:
    """Parse a line; ValueError says what is wrong with it."""
    terms = _count(row, "terms")
    own = _of(row, "own", dict)
    return Truth(
        url=_of(row, "url", str),
        terms=terms,
        own=_count(own, "terms"),
        own_from=_of(own, "from", str),
        reorder=_of(row, "reorder", str),
        sources=tuple(_taken(source, terms) for source in _rows(row, "sources")),
        others=tuple(Overlap(*_overlap(other, terms)) for other in _rows(row, "others")),
    )


def read_manifest(path: Path, problems: list[str]) -> list[Truth]:
    """Read a manifest, gzipped or not, or that of a folder; append what is wrong to `problems`."""
    if path.is_dir():
        plain = path / MANIFEST.removesuffix(".gz")
        path = plain if plain.is_file() else path / MANIFEST
    found: list[Truth] = []
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if not line.strip():
                    continue
                try:
                    found.append(truth_of(_parsed(line)))
                except ValueError as error:
                    problems.append(f"{path}:{number}: {error}; line skipped")
    except (OSError, EOFError, zlib.error) as error:
        where = f"{path}:{number + 1}" if number else str(path)
        reason = getattr(error, "strerror", None) or error
        problems.append(f"{where}: can't be read from here on: {reason}")
    return found


def _parsed(line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - bad data
    return row


def _edits_row(edits: Edits) -> Row:
    return {
        "replaced": edits.replaced,
        "inserted": edits.inserted,
        "deleted": edits.deleted,
    }


def _overlap_row(overlap: Overlap) -> Row:
    return {
        "url": overlap.url,
        "terms": overlap.terms,
        "kept": overlap.kept,
        "of_source": round(overlap.of_source, _DIGITS),
        "of_document": round(overlap.of_document, _DIGITS),
    }


def _overlap(row: Row, document_terms: int) -> tuple[str, int, int, int]:
    terms, kept = _count(row, "terms"), _count(row, "kept")
    if kept > min(terms, document_terms):
        raise ValueError(f"'kept' is {kept}, more than the terms of a document")
    return _of(row, "url", str), terms, kept, document_terms


def _taken(row: Row, document_terms: int) -> Taken:
    edits = _of(row, "edits", dict)
    asked = row.get("asked")
    if isinstance(asked, bool) or not isinstance(asked, int | float) or not 0 <= asked <= 1:
        raise ValueError(f"'asked' must be a share from 0 to 1, not {asked!r}")
    paragraphs = _of(row, "paragraphs", list)
    if not all(type(place) is int for place in paragraphs):
        raise ValueError("'paragraphs' must be whole numbers")
    return Taken(
        *_overlap(row, document_terms),
        asked=float(asked),
        paragraphs=tuple(paragraphs),
        taken=_count(row, "taken"),
        edits=Edits(*(_count(edits, name) for name in ("replaced", "inserted", "deleted"))),
    )


def _rows(row: Row, key: str) -> list[Row]:
    rows: list[Row] = _of(row, key, list)
    if not all(isinstance(one, dict) for one in rows):
        raise ValueError(f"{key!r} must be a list of objects")
    return rows


def _count(row: Row, key: str) -> int:
    value = row.get(key)
    if type(value) is not int or value < 0:
        raise ValueError(f"{key!r} must be a whole number, not {value!r}")
    return value


def _of(row: Row, key: str, kind: type[Any]) -> Any:
    value = row.get(key)
    if not isinstance(value, kind):
        name = {"str": "a string", "list": "a list", "dict": "an object"}[kind.__name__]
        raise ValueError(f"{key!r} must be {name}")  # noqa: TRY004 - bad data
    return value


class SetFolder:
    """A folder that is written once, sources before documents, and removed unless finished.

    `meta.json` is written last: without it, a folder is not a set.
    """

    def __init__(self, path: Path, details: str = MANIFEST) -> None:
        """Begin a set; details are what is known about each document that is made."""
        self.path = path
        self.gold: Counter[str] = Counter()
        self.pages = 0
        self._files = ExitStack()
        self._written: list[Path] = []
        self._finished = False
        self._created = not path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise DedupError(f"{path} is not empty; name another folder, or empty it first")
            self._pages, self._labels, self._details = map(self._open, (PAGES, LABELS, details))
        except OSError as error:
            self._files.close()
            raise DedupError(f"Can't write into {path}: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._files.close()
        finally:
            if not self._finished:
                self._remove()
        if isinstance(error, OSError):  # the disk is full, most likely
            raise DedupError(f"Can't write into {self.path}: {error.strerror}") from error

    def add_source(self, url: str, html: str) -> None:
        self._write(self._pages, {"url": url, "html": html})
        self.pages += 1

    def add_label(self, label: Label) -> None:
        self.gold[label.gold] += 1
        self._write(self._labels, label.row())

    def add_made(self, labelled: Labelled) -> None:
        made, label = labelled
        self.add_page(made.html, label, row_of(made.truth))

    def add_page(self, html: str, label: Label, details: Row) -> None:
        self.add_source(label.url, html)
        self.add_label(label)
        self._write(self._details, details)

    def finish(self, meta: dict[str, Any]) -> None:
        """Write what the set is, which completes it."""
        self._files.close()
        facts = {"mode": "stream", "pages": self.pages, "gold": dict(self.gold), **meta}
        meta_file = self.path / META
        self._written.append(meta_file)
        meta_file.write_text(f"{json.dumps(facts, indent=1)}\n", encoding="utf-8")
        self._finished = True

    def _open(self, name: str) -> io.BufferedWriter:
        path = self.path / name
        raw = self._files.enter_context(path.open("xb"))
        self._written.append(path)
        # without name and time: equal sets are equal files
        packed = self._files.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
        return self._files.enter_context(io.BufferedWriter(packed))

    def _write(self, file: io.BufferedWriter, row: dict[str, Any]) -> None:
        file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")

    def _remove(self) -> None:
        for path in self._written:
            path.unlink(missing_ok=True)
        if self._created:
            self.path.rmdir()
