"""Command: `python -m lab.html5 FOLDER`."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.read.core_reading import tokens
from lab.table import table

from . import encodings
from .cases import LEFT_OUT, Case, read_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

XML = "xmlViolation.test"
XML_REASON = "for parsers that build XML; the HTML standard keeps these characters"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many tests pass, and why the rest don't matter; return 1 if some of it does."""
    parser = argparse.ArgumentParser(prog="python -m lab.html5", description=__doc__)
    parser.add_argument("folder", type=Path, help="the tests of html5lib, or one folder of them")
    folder = parser.parse_args(arguments).folder
    inner, other = folder / "tokenizer", folder / "encoding"
    cases = list(read_cases(inner if inner.is_dir() else folder))
    encoded = list(encodings.read_cases(other if other.is_dir() else folder))
    if not (cases or encoded):
        parser.error(f"{folder} holds no *.test or *.dat files")
    status = encodings.report(encoded) if encoded else 0
    return max(status, _tokenizer(cases)) if cases else status


def _tokenizer(cases: Sequence[Case]) -> int:
    failed = [case for case in cases if tokens(case.html).events != case.expected]
    print()
    print(table(("passed", "of"), [[len(cases) - len(failed), len(cases)]]))
    _print_left_out(cases)
    return _print_failed(failed)


def _print_left_out(cases: Sequence[Case]) -> None:
    counts = Counter(kind for case in cases for kind in case.left_out)
    print("\nNot compared, in how many tests, and why:")
    for kind, reason in LEFT_OUT.items():
        print(f"  {kind}, {counts[kind]}: {reason}")


def _print_failed(failed: Sequence[Case]) -> int:
    print("\nFailed:")
    for case in failed:
        reason = XML_REASON if case.file == XML else f"NOT EXPLAINED: {case.html!r}"
        print(f"  {case.file}, {case.description}, {case.state}: {reason}")
    return int(any(case.file != XML for case in failed))


if __name__ == "__main__":
    raise SystemExit(main())
