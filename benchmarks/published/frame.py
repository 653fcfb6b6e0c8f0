"""What the counterparts of all documents share: where things are, and results that are kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dedup_middleware
from benchmarks.rows import existing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Measure = Callable[[list[str]], Any]
    """Does the work; what had to be left out goes into the list. Gives what JSON can hold."""

LINK = "evaluation/"
"""Where pictures stand, as seen from the report."""


@dataclass(frozen=True)
class Run:
    """One making of the tables."""

    data: Path
    work: Path
    """Where results are kept, so that a report is soon made again."""
    images: Path
    problems: list[str]
    reuse: bool = False
    """Whether a kept result is good even if the code has changed since."""
    queries: int = 900
    """How many documents are made for the Table 1 of Pereira & Ziviani."""

    def result(self, name: str, measure: Measure, **options: object) -> Any:
        """Give what was measured with these options on this data by this code, once measured."""
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
        """Draw a picture; give the Markdown that shows it, or nothing where it can't be drawn."""
        try:
            self.images.mkdir(parents=True, exist_ok=True)
            draw(self.images / f"{name}.png")
        except (ImportError, OSError) as error:
            hint = "; `pip install scrapy-dedup[bench]` brings what draws" * isinstance(
                error, ImportError
            )
            self.problems.append(f"{name}.png: not drawn: {error}{hint}")
            return ""
        return f"![{about}]({LINK}{name}.png)"

    def _holds(self, kept: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
        parts = key.keys() - ({"code"} if self.reuse else set())
        found = kept["key"] if isinstance(kept.get("key"), dict) else {}
        return all(found.get(part) == key[part] for part in parts)

    @cached_property
    def _data_digest(self) -> str:
        digest = hashlib.sha256()
        for path in _files(self.data):
            digest.update(f"{path.relative_to(self.data)} ".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()[:16]


def _files(folder: Path) -> Iterator[Path]:
    """List the files of the sets in a folder and one level below."""
    for inner in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        found = (existing(inner, name) for name in ("pages", "labels", "sentences"))
        yield from (path for path in (inner / "meta.json", *found) if path and path.is_file())


@cache
def _code_digest() -> str:
    """Tell the code by which something is measured from any other."""
    digest = hashlib.sha256()
    for folder in (Path(dedup_middleware.__file__).parent, Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _read(path: Path) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None  # not there, or cut off: it is measured anew
    return kept if isinstance(kept, dict) and kept.keys() >= {"key", "result", "problems"} else None


def _plain(options: Mapping[str, object]) -> Any:
    return json.loads(json.dumps(options))
