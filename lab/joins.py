"""Command: `python -m lab.joins PAIRS.jsonl[.gz] --output FOLDER`.

Documents joined from sentence pairs that people labelled. Two documents are the same if each
sentence of one is a paraphrase of one of the other, and different if none is.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from dedup_middleware import DedupError
from lab.copies.template import page_html
from lab.labels import Label
from lab.rows import read_rows, sentences_problem
from lab.synthesis import SetFolder
from lab.synthesis.sources import paragraph_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Row = dict[str, Any]

SENTENCES = 12
_A_PARAGRAPH = 4
_SAME_SCORE, _OTHER_SCORE = 4, 2
_URL = "https://{side}.example/{number}"  # without the label: addresses are judged
_DATE = "1 May 2020"  # on all pages: it must not say which are the same


def gold_of(row: Row) -> str | None:
    """Return what a pair of sentences is an example of, if anything.

    >>> [gold_of({"label": None, "score": score}) for score in (4.2, 3.0, 1.5)]
    ['positive', None, 'negative']
    >>> gold_of({"label": 1, "score": None}), gold_of({"label": 0, "score": None})
    ('positive', 'negative')
    """
    score = row.get("score")
    if score is None:
        return {1: "positive", 0: "negative", None: None}[row["label"]]
    if score >= _SAME_SCORE:
        return "positive"
    return "negative" if score <= _OTHER_SCORE else None


def join(rows: Sequence[Row], count: int, rng: Random) -> Iterator[list[Row]]:
    """Yield up to so many documents' worth of pairs; no sentence is in two of them."""
    seen: set[str] = set()
    fresh: list[Row] = []
    for row in rng.sample(rows, len(rows)):
        if not seen & {row["a"], row["b"]}:
            fresh.append(row)
            seen |= {row["a"], row["b"]}
    for start in range(0, min(count, len(fresh) // SENTENCES) * SENTENCES, SENTENCES):
        yield fresh[start : start + SENTENCES]


def document(sentences: Sequence[str]) -> str:
    """Return sentences as a page, a few in each paragraph."""
    ended = [
        one if one.rstrip().endswith((".", "!", "?")) else f"{one.rstrip()}." for one in sentences
    ]
    parts = (ended[start : start + _A_PARAGRAPH] for start in range(0, len(ended), _A_PARAGRAPH))
    return page_html([paragraph_of(" ".join(part)) for part in parts], _DATE, "en")


def write_set(
    path: Path, family: str, pairs: dict[str, list[Row]], count: int, seed: int
) -> dict[str, int]:
    """Write the set of one family of pairs; return how many pairs of pages it has, by gold."""
    with SetFolder(path, details="joins.jsonl.gz") as folder:
        numbers = itertools.count(1)
        for gold in ("positive", "negative"):
            rng = Random(f"{seed} {family} {gold}")
            for rows, number in zip(join(pairs.get(gold, []), count, rng), numbers, strict=False):
                first, second = (_URL.format(side=side, number=number) for side in "ab")
                folder.add_source(first, document([row["a"] for row in rows]))
                folder.add_label(Label(first, "skip", {}, []))
                positives = {first: ["near"]} if gold == "positive" else {}
                details = {"url": second, "pairs": [row.get("id") for row in rows]}
                html = document([row["b"] for row in rows])
                folder.add_page(html, Label(second, gold, positives, []), details)
        folder.finish({"mode": "pairs", "made_by": {"count": count, "seed": seed}})
        return {gold: folder.gold[gold] for gold in ("positive", "negative")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a set for each family of pairs; return 1 if anything was left out."""
    parser = _parser()
    options = parser.parse_args(arguments)
    problems: list[str] = []
    families: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in read_rows(options.pairs, _problem, problems):
        if row is not None and (gold := gold_of(row)):
            families[row["set"].partition("-")[0]][gold].append(row)
    for problem in problems:
        print(problem, file=sys.stderr)
    try:
        for family, pairs in families.items():
            path = options.output / f"joins-{family}"
            counts = write_set(path, family, pairs, options.count, options.seed)
            print(f"{path}: {counts['positive']} same, {counts['negative']} different")
    except DedupError as error:
        parser.error(str(error))
    return 1 if problems else 0


def _problem(row: Row) -> str | None:
    if not isinstance(row.get("score"), int | float | None):
        return "'score' must be a number or null"
    return sentences_problem(row)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m lab.joins",
        description="Join labelled pairs of sentences into pairs of pages, a set for each family.",
    )
    parser.add_argument(
        "pairs",
        metavar="PAIRS",
        type=Path,
        help="JSON lines with set, a, b, label (1, 0, null) and score, plain or packed with gzip",
    )
    parser.add_argument("--output", metavar="FOLDER", type=Path, required=True)
    parser.add_argument("--count", metavar="N", type=int, default=100, help="pairs of each label")
    parser.add_argument("--seed", metavar="N", type=int, default=1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
