"""Sections of the report that other measuring rods fill."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.published.markdown import joined, table
from benchmarks.rows import existing

from .provenance import SHORT, code_digest, content_digest
from .stream import MAIN
from .tables import figure, set_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .results import Results
    from .sets import PageSet

    Row = dict[str, Any]

JUDGED = "scrapy dedup judge"
_ROOT = Path(__file__).parent.parent.parent


def sentences(folders: Sequence[Path], work: Path, problems: list[str]) -> Iterator[str]:
    """Tell how well pairs of sentences are told apart, where there are any."""
    for folder in folders:
        path = existing(folder, "sentences")
        if path is None:
            continue
        digest = content_digest([path])
        rows = _sentence_rows(path, digest, work / "sentences.json", problems)
        yield "## Pairs of sentences"
        yield (
            f"`{path.name}`, sha256 of its content `{digest[:SHORT]}`, by `python -m "
            "benchmarks.sentences`: the chance that a pair that says the same is more alike than "
            "one that does not (AUC), and the figures at the shipped threshold."
        )
        shares = ("precision", "recall", "f1", "accuracy")
        yield table(
            ["set", "test", "pairs", "same", "AUC", *shares],
            [
                [row["set"], row["test"], row["pairs"], row["positives"], figure(row["auc"])]
                + [figure(row[name]) for name in shares]
                for row in rows
            ],
        )


def judged(results: Results, sets: Mapping[str, PageSet], problems: list[str]) -> Iterator[str]:
    """Show what people have judged, where a set comes from them."""
    yield "## Judged by people"
    yield (
        f"`{JUDGED}` pools pairs that methods disagree on and makes a set of the answers; given to "
        "this command, the set stands in all tables, and here."
    )
    for name in results.sets:
        meta = sets[name].meta
        if meta.get("made_by") == JUDGED:
            agreement = _agreement(sets[name].labels.parent, problems)
            judges = meta.get("judges")
            answers = (
                ", ".join(f"{judge} {count}" for judge, count in judges.items())
                if isinstance(judges, dict)
                else "unknown"
            )
            yield joined(
                f"**{name}**: answers by judge: {answers}. {agreement}".rstrip(),
                set_table(results, name, MAIN),
            )


def published(data: Path, work: Path, images: Path, problems: list[str]) -> Iterator[str]:
    """Show the counterparts of published tables, as far as they can be made."""
    yield "## Counterparts of the published tables"
    try:
        sections = import_module("benchmarks.published").sections
        for title, text in sections(data, work, problems, images):
            yield f"### {title}"
            yield text
    except Exception as error:  # noqa: BLE001 - the rest of the report must not be lost
        reason = f"{type(error).__name__}: {error}"
        problems.append(f"the counterparts of published tables are missing: {reason}")
        yield "They could not be made in this run."


def _sentence_rows(path: Path, digest: str, kept: Path, problems: list[str]) -> list[Row]:
    """Run the measuring rod for sentences, unless that was done before."""
    key = f"{digest} {code_digest()}"
    try:
        found = json.loads(kept.read_bytes())
        if found["key"] == key:
            return list(found["results"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.sentences", str(path.resolve()), "--json"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    problems += done.stderr.splitlines()
    try:
        rows: list[Row] = json.loads(done.stdout)["results"]
    except (ValueError, KeyError):
        problems.append(f"{path}: benchmarks.sentences gave no figures")
        return []
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"key": key, "results": rows}), encoding="utf-8")
    return rows


def _agreement(folder: Path, problems: list[str]) -> str:
    """Say how well judges agree."""
    from dedup_middleware.errors import DedupError
    from dedup_middleware.lab import LabelFolder
    from dedup_middleware.lab.evaluation import compare_judges

    try:
        found = LabelFolder(folder)
    except DedupError as error:
        problems.append(str(error))
        return ""
    if found.pool is None:
        return ""
    return " ".join(
        f"{' and '.join(one.judges)}: kappa {figure(one.sides.kappa, 2)}."
        for one in compare_judges(found.pool, found.answers)
        if one.sides and one.sides.kappa is not None
    )
