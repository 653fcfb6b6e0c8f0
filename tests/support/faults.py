"""How much is tried by tests of faults, from which seed, and where their figures go.

All other tests run them with a few faults. `python -m benchmarks.torture` gives them many, another
seed each time, and a file for their figures.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

SEED = int(os.environ.get("FAULTS_SEED", "7"))


def number_of_faults(usual: int) -> int:
    """Return how many faults a test tries; `usual` is what it does among all other tests."""
    return int(os.environ.get("FAULTS", usual))


def report(**figures: int) -> None:
    """Tell what was done: to whoever runs the test, and to the ledger of a long run."""
    line = json.dumps(figures)
    sys.stderr.write(f"{line}\n")
    if path := os.environ.get("FAULTS_FIGURES"):
        with Path(path).open("a") as file:
            file.write(f"{line}\n")
