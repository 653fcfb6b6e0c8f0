"""Command: `python -m benchmarks.fit DATA… --journal FOLDER`."""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.accuracy.sets import find_sets
from benchmarks.table import table
from dedup_middleware.lab.evaluation import wilson
from dedup_middleware.settings import STRICTNESS

from .model import fit, left_out, shipped
from .pairs import NAMES, examples_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .pairs import Example, Values

BINS = (0.0, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit the weights, print them and their figures; return 1 if something was left out."""
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    examples = [
        example
        for page_set in find_sets(options.folders, problems)
        for example in examples_of(page_set, options.journal / f"{page_set.name}.jsonl", problems)
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    if len({one.yes for one in examples}) < 2:
        print("There is nothing to fit: both answers are needed.", file=sys.stderr)
        return 1
    print("\n\n".join(_report(examples, options.people)))
    return 1 if problems else 0


def _report(examples: list[Example], people: Sequence[str]) -> Iterator[str]:
    model = fit(examples)
    yield table(
        ["weight", *NAMES],
        [
            ["fitted", *(f"{weight:.3f}" for weight in model.weights)],
            ["shipped", *(f"{weight:.3f}" for weight in shipped())],
        ],
    )
    yield (
        "Yes is as likely as no at "
        + " and at ".join(f"{share:.3f} ({question})" for question, share in model.even.items())
        + f"; the odds grow by e^{model.slope / 10:.1f} with each tenth."
    )
    measures = np.array([one.measures for one in examples])
    by_weights = {
        "shipped": measures @ shipped(),
        "fitted": model.shares(measures),
        "left out": left_out(examples),
    }
    for level, thresholds in STRICTNESS.items():
        yield f"{level}: near {thresholds.near}, contained {thresholds.contained}\n" + table(
            ["set", "question", *(f"{name}: found, false" for name in by_weights)],
            list(_figures(examples, by_weights, thresholds._asdict())),
        )
    for name in people:
        yield f"{name}, labels of people, left out\n" + table(
            ["known of both", "same", "of", "share", "95 % interval"],
            list(_calibration(name, examples, by_weights["left out"])),
        )


def _figures(
    examples: list[Example], by_weights: dict[str, Values], thresholds: dict[str, float]
) -> Iterator[list[str]]:
    lowest = {"same": thresholds["near"], "inside": thresholds["contained"]}
    for key in sorted({(one.set, one.question) for one in examples}):
        places = [at for at, one in enumerate(examples) if (one.set, one.question) == key]
        yes = np.array([examples[at].yes for at in places])
        cells = []
        for shares in by_weights.values():
            if np.isnan(shares[places]).any():
                cells.append("–")
                continue
            over = shares[places] >= lowest[key[1]]
            found, false = int((over & yes).sum()), int((over & ~yes).sum())
            cells.append(f"{found} of {yes.sum()}, {false} of {(~yes).sum()}")
        yield [*key, *cells]


def _calibration(name: str, examples: list[Example], shares: Values) -> Iterator[list[str]]:
    places = [at for at, one in enumerate(examples) if one.set == name and one.question == "same"]
    for low, high in itertools.pairwise(BINS):
        last = high == BINS[-1]
        inside = [at for at in places if low <= shares[at] and (last or shares[at] < high)]
        if inside:
            yes = sum(examples[at].yes for at in inside)
            least, most = wilson(yes / len(inside), len(inside))
            yield [
                f"{low:.2f}–{high:.2f}",
                str(yes),
                str(len(inside)),
                f"{yes / len(inside):.2f}",
                f"{least:.2f}–{most:.2f}",
            ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.fit", description="Fit the weights of the judge to labelled sets."
    )
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="+", type=Path, help="a set, or a folder of sets"
    )
    parser.add_argument(
        "--journal",
        metavar="FOLDER",
        type=Path,
        required=True,
        help="where `python -m benchmarks.accuracy … --journal FOLDER` wrote the journals",
    )
    parser.add_argument(
        "--people",
        metavar="SET",
        nargs="*",
        default=[],
        help="sets with labels of people, for which a table of probabilities is printed",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
