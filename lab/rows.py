"""Rows of JSON lines; malformed ones are reported by file and line, and skipped."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Row = dict[str, Any]
    Check = Callable[[Row], str | None]


def existing(folder: Path, name: str) -> Path | None:
    """Return the path of a file of JSON lines in a folder, compressed or plain."""
    for path in (folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl"):
        if path.is_file():
            return path
    return None


def read_rows(path: Path, check: Check, problems: list[str]) -> Iterator[Row | None]:
    """Yield the rows of a file; a malformed one is None, so that the others keep their places."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    row, problem = _parse(line, check)
                    if problem:
                        problems.append(f"{path}:{number}: {problem}; line skipped")
                    yield row
    except (OSError, EOFError, zlib.error) as error:
        problems.append(f"{path}:{number + 1}: can't be read from here on: {error}")


def page_problem(row: Row) -> str | None:
    """Return what a page lacks, if anything."""
    for key in ("url", "html"):
        if not isinstance(row.get(key), str):
            return f"{key!r} must be a string"
    return None


def _parse(line: bytes, check: Check) -> tuple[Row | None, str | None]:
    try:
        row = json.loads(line)
    except ValueError as error:
        return None, f"no JSON: {error}"
    problem = check(row) if isinstance(row, dict) else "not a JSON object"
    return (None, problem) if problem else (row, None)


def sentences_problem(row: Row) -> str | None:
    """Return what is wrong with a row of two sentences, their set and their label."""
    for key in ("set", "a", "b"):
        if not isinstance(row.get(key), str):
            return f"{key!r} must be a string"
    if "label" not in row or row["label"] not in {0, 1, None}:
        return "'label' must be 1, 0 or null"
    return None
