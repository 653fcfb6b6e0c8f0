"""A run over all documents: its folders, its charts, and results that are kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dedup_middleware
from lab import charts
from lab.provenance import content_digest
from lab.rows import existing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Measure = Callable[[list[str]], Any]
    """Measures something, adds problems to the list, and returns what JSON can hold."""


@dataclass(frozen=True)
class Run:
    """Makes the tables of all documents."""

    data: Path
    work: Path
    """Where results are kept for the next run."""
    images: Path
    problems: list[str]
    reuse: bool = False
    """Whether a kept result is used even if the code has changed since."""
    queries: int = 900
    """How many documents are made for the Table 1 of Pereira & Ziviani."""

    def result(self, name: str, measure: Measure, **options: object) -> Any:
        """Return a result; measure again if options, data or code have changed."""
        path = self.work / f"published-{name}.json"
        key = {"options": _plain(options), "data": self._data_digest, "code": _code_digest()}
        kept = _read(path)
        if kept is None or not self._holds(kept, key):
            problems: list[str] = []
            kept = {"key": key, "result": measure(problems), "problems": problems}
            self.work.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(kept), encoding="utf-8")
            kept = json.loads(path.read_bytes())  # as it will be when it is read again
        self.problems.extend(kept["problems"])
        return kept["result"]

    def picture(self, name: str, about: str, draw: Callable[[Path], None]) -> str:
        return charts.show(self.images, name, about, draw, self.problems)

    def _holds(self, kept: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
        parts = key.keys() - ({"code"} if self.reuse else set())
        found = kept["key"] if isinstance(kept.get("key"), dict) else {}
        return all(found.get(part) == key[part] for part in parts)

    @cached_property
    def _data_digest(self) -> str:
        paths = list(_files(self.data))
        names = " ".join(str(path.relative_to(self.data)) for path in paths)
        return f"{content_digest(paths)} {names}"


def _files(folder: Path) -> Iterator[Path]:
    """List the files of the sets in a folder and one level below."""
    for inner in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        found = (existing(inner, name) for name in ("pages", "labels", "sentences"))
        yield from (path for path in (inner / "meta.json", *found) if path and path.is_file())


@cache
def _code_digest() -> str:
    folders = (Path(dedup_middleware.__file__).parent, Path(__file__).parent)
    return content_digest(path for folder in folders for path in sorted(folder.rglob("*.py")))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None  # missing or cut off
    return kept if isinstance(kept, dict) and kept.keys() >= {"key", "result", "problems"} else None


def _plain(options: Mapping[str, object]) -> Any:
    return json.loads(json.dumps(options))
