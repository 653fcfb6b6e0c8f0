"""Sections of the report: the rules, and what other benchmarks and people's labels add."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.settings import Settings
from lab.markdown import figure, table
from lab.peers import PEERS, peer_class
from lab.provenance import SHORT, code_digest, content_digest
from lab.rows import existing

from .methods import LOOSEST, PEER, VARIANTS
from .simulate import LEAST_CASCADE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .results import Results
    from .sets import PageSet

    Row = dict[str, Any]

JUDGED = "python -m lab.judge"
SET_NOTES = Path(__file__).with_name("set_notes.json")
"""What the open sets are, and what was fitted on them, by name."""
_ROOT = Path(__file__).parent.parent.parent


def rules(results: Results) -> str:
    """Return how it is measured, as a list."""
    return "\n".join(f"- {rule}" for rule in _rules(results))


def _rules(results: Results) -> Iterator[str]:
    settings = Settings()
    yield (
        "Each method goes through each set once, in a process of its own; all pages are added to "
        "its index, and all its scores are kept. The verdicts of a store are then simulated for "
        "any threshold: a page that is judged redundant is not registered and never an original, "
        f"unless it is inside a page more than {settings.contained_ratio:g} times as long; "
        "the best original wins by (score, earliest page). Pairs are judged each with an empty "
        "store."
    )
    yield (
        "A find must name a right original, or one that the labels leave open; `contains` is a "
        "find; with a wrong original a verdict is a miss and a false alarm. Dropped are negatives "
        "with the verdict `exact`, `near` or `contained`. Kinds are right if the labels list them "
        "for the original that was named."
    )
    yield (
        "Equal pages (the same digest of all visible text) are found before any method runs; and "
        f"texts of fewer than {settings.min_words} words only match if they are equal, byte for "
        "byte. This is the same for all methods."
    )
    yield (
        f"The limit of false drops is {results.limit:.2g} of the negatives of a set, rounded down. "
        "The best threshold is that of the highest F1 within the limit; it is chosen on the set on "
        "which it is shown, for all alike, and so flatters all."
    )
    yield (
        "Time is CPU time, the mean of a page: reading it from HTML (the same reader for all, "
        "timed alone below), scoring it and adding it; × lxml as a multiple of `lxml.html` "
        "parsing of the same pages. Peak memory is that of the process, with Python and libraries. "
        "The indexes of methods and peers are in memory; the cascade's row is the shipped "
        "`Deduplicator` with its store on disk and its journal."
    )
    if any(method.endswith(f"/{name}") for method in results.labels for name in LOOSEST):
        yield (
            f'The cascade\'s curve comes from `make_method("cascade")` with thresholds from '
            f"{LEAST_CASCADE:g} on, `contained` moving with `near`. The indexes of `minhash` and "
            "`simhash` depend on the threshold; at other thresholds than the default they are "
            "simulated as if an index missed nothing (`simhash`: within 16 bits), in their favour."
        )
    for name, (method, options) in VARIANTS.items():
        if f"methods/{name}" in results.labels:
            given = ", ".join(f"{key}={value}" for key, value in options.items())
            yield f"`{name}` is `{method}` with {given}."
    peers = [peer_class(name) for name in PEERS if f"{PEER}/{name}" in results.labels]
    if peers:
        yield (
            "Peers decide by their own index, so each threshold takes another index; what it finds "
            "is `near`. Pages that a peer takes for duplicates are not kept."
        )
    for peer in peers:
        tried = f"{peer.knob} {peer.grid[0]:g}…{peer.grid[-1]:g}"
        yield f"{peer.label} {peer.release()}".rstrip() + f": {peer.about}. Tried: {tried}."


class SetNote(NamedTuple):
    """What a set is, and what was fitted on it, in a line each."""

    about: str
    fitted: str = ""
    """Empty if nothing was: the set is unseen."""


def set_notes(sets: Mapping[str, PageSet], problems: list[str]) -> dict[str, SetNote]:
    """Return what is known of each set."""
    try:
        notes = json.loads(SET_NOTES.read_bytes())
    except (OSError, ValueError) as error:
        problems.append(f"{SET_NOTES}: {error}; sets are listed without a description")
        notes = {}
    return {
        name: SetNote(**notes[name]) if name in notes else SetNote(_maker(one))
        for name, one in sets.items()
    }


def what_was_fitted(notes: Mapping[str, SetNote]) -> str:
    """Say on how many sets something was fitted, for a table of all sets together.

    >>> notes = {"a": SetNote("old pages", "rules"), "b": SetNote("new pages")}
    >>> what_was_fitted(notes)
    'Rules or thresholds were chosen on 1 of these sets, not on `b`; the next table says which.'
    """
    unseen = [f"`{name}`" for name, note in notes.items() if not note.fitted]
    fitted = len(notes) - len(unseen)
    others = f", not on {', '.join(unseen)}" if unseen else ""
    return (
        f"Rules or thresholds were chosen on {fitted} of these sets{others}; the next table says "
        "which."
    )


def unseen_first(sets: Sequence[PageSet], problems: list[str]) -> list[PageSet]:
    """Sort the sets: those on which nothing was fitted come first."""
    notes = set_notes({one.name: one for one in sets}, problems)
    return sorted(sets, key=lambda one: bool(notes[one.name].fitted))


def _maker(page_set: PageSet) -> str:
    if page_set.meta.get("made_by") == JUDGED:
        return f"pairs labelled with `{JUDGED}`"
    if page_set.manifest:
        return "documents made by `python -m lab.synthesize`"
    return str(page_set.meta.get("about", ""))


def sentences(folders: Sequence[Path], work: Path, problems: list[str]) -> Iterator[str]:
    """Show the accuracy of sentence comparison, if there are pairs of sentences."""
    for folder in folders:
        path = existing(folder, "sentences")
        if path is None:
            continue
        digest = content_digest([path])
        rows = _sentence_rows(path, digest, work / "sentences.json", problems)
        yield (
            f"`{path.name}`, sha256 of its content `{digest[:SHORT]}`, by `python -m "
            "lab.sentences`: the chance that a pair that says the same is more alike than "
            "one that does not (AUC), and the figures at the shipped threshold."
        )
        shares = ("precision", "recall", "f1", "accuracy")
        yield table(
            ["set", "test", "pairs", "same", "AUC", *shares],
            [
                [row["set"], row["test"], row["pairs"], row["positives"], figure(row["auc"], 3)]
                + [figure(row[name], 3) for name in shares]
                for row in rows
            ],
        )


def judged(results: Results, sets: Mapping[str, PageSet], problems: list[str]) -> Iterator[str]:
    """Show the sets that people have labelled."""
    found = [name for name in results.sets if sets[name].meta.get("made_by") == JUDGED]
    if found:
        yield "## Judged by people"
        yield f"Sets of pairs that methods disagree on, labelled with `{JUDGED}`."
    for name in found:
        agreement = _agreement(sets[name].labels.parent, problems)
        judges = sets[name].meta.get("judges")
        answers = (
            ", ".join(f"{judge} {count}" for judge, count in judges.items())
            if isinstance(judges, dict)
            else "unknown"
        )
        yield f"**{name}**: answers by judge: {answers}. {agreement}".rstrip()


def published(data: Path, work: Path, images: Path, problems: list[str]) -> Iterator[str]:
    """Show the counterparts of published tables."""
    try:
        sections = import_module("lab.published").sections
        for title, text in sections(data, work, problems, images):
            yield f"## {title}"
            yield text
    except Exception as error:  # noqa: BLE001 - the rest of the report must not be lost
        reason = f"{type(error).__name__}: {error}"
        problems.append(f"the counterparts of published tables are missing: {reason}")
        yield "They could not be made in this run."


def _sentence_rows(path: Path, digest: str, kept: Path, problems: list[str]) -> list[Row]:
    """Run the benchmark of sentences, unless that was done before."""
    key = f"{digest} {code_digest()}"
    try:
        found = json.loads(kept.read_bytes())
        if found["key"] == key:
            return list(found["results"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    done = subprocess.run(
        [sys.executable, "-m", "lab.sentences", str(path.resolve()), "--json"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    problems += done.stderr.splitlines()
    try:
        rows: list[Row] = json.loads(done.stdout)["results"]
    except (ValueError, KeyError):
        problems.append(f"{path}: lab.sentences gave no figures")
        return []
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"key": key, "results": rows}), encoding="utf-8")
    return rows


def _agreement(folder: Path, problems: list[str]) -> str:
    """Return how well judges agree, in a sentence."""
    from dedup_middleware.errors import DedupError
    from lab.judge import LabelFolder
    from lab.judge.evaluation import compare_judges

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
