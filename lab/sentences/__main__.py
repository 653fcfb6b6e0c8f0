"""Command: `python -m lab.sentences PAIRS.jsonl[.gz]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware import DedupError
from dedup_middleware.similarity import SentenceTest
from dedup_middleware.similarity.matching import TESTS
from dedup_middleware.similarity.model import load
from lab.progress import progress_bar
from lab.rows import read_rows, sentences_problem
from lab.table import table

from .scoring import THRESHOLDS, Figures, compare, figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = dict[str, Any]
    Results = Mapping[tuple[str, str], Figures]

HEAD = ("set", "test", "pairs", "same", "AUC", "from", "precision", "recall", "F1", "accuracy")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare all pairs by all tests and print the figures; return 1 if anything was left out."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        model = load(options.model) if options.model else None
    except DedupError as error:
        parser.error(str(error))
    problems: list[str] = []
    sets = _sets(options.pairs, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    results: dict[tuple[str, str], Figures] = {}
    total = len(TESTS) * sum(map(len, sets.values()))
    with progress_bar(total, "compare") as advance:
        for name, rows in sets.items():
            labels = [row["label"] for row in rows]
            for test in (SentenceTest(one, model) for one in TESTS):
                found = [compare(row["a"], row["b"], test) for row in rows]
                results[name, test.name] = figures(found, labels, THRESHOLDS[test.name])
                advance(len(rows))
    if options.json:
        print(_as_json(results, problems))
    elif results:
        print(_as_table(results))
    return 1 if problems else 0


def _sets(path: Path, problems: list[str]) -> dict[str, list[Row]]:
    """Return the labelled rows of each set."""
    sets: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(path, sentences_problem, problems):
        if row is not None and row["label"] is not None:
            sets[row["set"]].append(row)
    if not sets and not problems:
        problems.append(f"{path}: no pairs with a label")
    return dict(sets)


def _as_table(results: Results) -> str:
    return table(
        HEAD,
        [
            [
                name,
                test,
                one.pairs,
                one.positives,
                f"{one.auc:.4f}",
                f"{THRESHOLDS[test]:.3g}",
                *(f"{x:.4f}" for x in (one.precision, one.recall, one.f1, one.accuracy)),
            ]
            for (name, test), one in results.items()
        ],
    )


def _as_json(results: Results, problems: Sequence[str]) -> str:
    rows = [
        {
            "set": name,
            "test": test,
            "threshold": round(THRESHOLDS[test], 4),
            **{key: round(value, 4) for key, value in asdict(one).items()},
            "f1": round(one.f1, 4),
        }
        for (name, test), one in results.items()
    ]
    return json.dumps({"results": rows, "problems": list(problems)}, indent=1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m lab.sentences",
        description="Compare pairs of sentences by each test, and the results with their labels.",
    )
    parser.add_argument(
        "pairs",
        metavar="PAIRS",
        type=Path,
        help="JSON lines with set, a, b and label (1, 0, null), plain or packed with gzip",
    )
    parser.add_argument("--model", metavar="FILE", help="a word model, for all tests")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
