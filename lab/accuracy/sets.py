"""Labelled sets: their files, pages and labels."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lab.rows import existing, page_problem, read_rows

from .scoring import Label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MODES = ("stream", "pairs")
GOLD = ("positive", "negative", "ignore", "skip")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageSet:
    """A folder with pages, labels, and how the pages are to be judged."""

    name: str
    mode: str
    size: int | None
    """How many pages there should be; only for the progress bar."""
    pages: Path
    labels: Path
    manifest: Path | None = None
    """How its documents were synthesized, if they were."""
    meta: Row = field(default_factory=dict, compare=False)
    """The content of `meta.json`."""


def find_sets(folders: Sequence[Path], problems: list[str]) -> list[PageSet]:
    """Find the sets in folders that are one or hold some; give each a unique name."""
    found: list[PageSet] = []
    names: set[str] = set()
    for folder in dict.fromkeys(path for given in folders for path in _expand(given, problems)):
        name, more = folder.resolve().name, 2
        while name in names:
            name, more = f"{folder.resolve().name}-{more}", more + 1
        page_set = _open(folder, name, problems)
        if page_set:
            found.append(page_set)
            names.add(name)
    return found


def labels_of(page_set: PageSet, problems: list[str]) -> list[Label]:
    """Read all labels of a set."""
    return [
        Label(row["url"], row["gold"], row["positives"], row["neutral"], str(row.get("group", "")))
        for row in read_rows(page_set.labels, _label_problem, problems)
        if row is not None
    ]


def batches_of(page_set: PageSet, problems: list[str]) -> Iterator[Iterator[Row]]:
    """Yield the pages that share a store: all of a stream, each two of pairs."""
    rows = read_rows(page_set.pages, page_problem, problems)
    if page_set.mode == "stream":
        yield (row for row in rows if row is not None)
        return
    for first in rows:
        try:
            second = next(rows)
        except StopIteration:
            problems.append(f"{page_set.pages}: the last page has no partner; skipped")
            return
        if first is not None and second is not None:
            yield iter((first, second))


def _expand(folder: Path, problems: list[str]) -> list[Path]:
    if not folder.is_dir():
        problems.append(f"{folder}: no such folder; skipped")
        return []
    if (folder / "meta.json").exists() or existing(folder, "labels"):
        return [folder]
    # pages without labels are no set: they may be there for another purpose
    inner = [
        path
        for path in sorted(folder.iterdir())
        if path.is_dir() and ((path / "meta.json").exists() or existing(path, "labels"))
    ]
    if not inner and not _looks_like_set(folder):
        problems.append(f"{folder}: no set here or one level below; skipped")
        return []
    return inner or [folder]


def _looks_like_set(folder: Path) -> bool:
    return (folder / "meta.json").exists() or any(
        existing(folder, name) for name in ("labels", "pages")
    )


def _open(folder: Path, name: str, problems: list[str]) -> PageSet | None:
    meta = _meta(folder / "meta.json", problems)
    pages, labels = existing(folder, "pages"), existing(folder, "labels")
    for file, path in (("pages", pages), ("labels", labels)):
        if path is None:
            problems.append(f"{folder / file}.jsonl.gz: not found; set skipped")
    if meta is None or pages is None or labels is None:
        return None
    size = meta.get("pages")
    return PageSet(
        name,
        meta["mode"],
        size if isinstance(size, int) else None,
        pages,
        labels,
        existing(folder, "manifest"),
        meta,
    )


def _meta(path: Path, problems: list[str]) -> Row | None:
    try:
        meta = json.loads(path.read_bytes())
    except OSError as error:
        problems.append(f"{path}: {error.strerror}; set skipped")
        return None
    except ValueError as error:
        problems.append(f"{path}: no JSON: {error}; set skipped")
        return None
    mode = meta.get("mode") if isinstance(meta, dict) else None
    if mode not in MODES:
        problems.append(f"{path}: mode must be {' or '.join(MODES)}, not {mode!r}; set skipped")
        return None
    return dict(meta)


def _label_problem(row: Row) -> str | None:
    if not isinstance(row.get("url"), str):
        return "'url' must be a string"
    if row.get("gold") not in GOLD:
        return f"'gold' must be one of {', '.join(GOLD)}, not {row.get('gold')!r}"
    positives, neutral = row.get("positives"), row.get("neutral")
    if not isinstance(positives, dict) or not all(
        isinstance(kinds, list) for kinds in positives.values()
    ):
        return "'positives' must map urls to lists of kinds"
    if not isinstance(neutral, list):
        return "'neutral' must be a list of urls"
    return None
