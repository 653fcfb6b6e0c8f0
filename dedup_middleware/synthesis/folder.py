"""The files of a made set: pages, labels, manifest, and what they are."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError

from .manifest import NAME as MANIFEST
from .manifest import row_of

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from .labels import Label
    from .series import Labelled

PAGES, LABELS, META = "pages.jsonl.gz", "labels.jsonl.gz", "meta.json"


class SetFolder:
    """A folder that is written once: sources first, then documents; all of it or nothing.

    `meta.json` comes last: without it, no folder is a set.
    """

    def __init__(self, path: Path) -> None:
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
            self._pages, self._labels, self._manifest = map(self._open, (PAGES, LABELS, MANIFEST))
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
        self.add_source(made.url, made.html)
        self.add_label(label)
        self._write(self._manifest, row_of(made.truth))

    def finish(self, meta: dict[str, Any]) -> None:
        """Say what the set is, which makes it one."""
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
        # no name and no time inside: the same set is the same file, byte for byte
        packed = self._files.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
        return self._files.enter_context(io.BufferedWriter(packed))

    def _write(self, file: io.BufferedWriter, row: dict[str, Any]) -> None:
        file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")

    def _remove(self) -> None:
        for path in self._written:
            path.unlink(missing_ok=True)
        if self._created:
            self.path.rmdir()
