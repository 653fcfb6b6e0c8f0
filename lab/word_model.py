"""Training of the word model that comes with the package, on text that may be redistributed.

    apt-get download wordnet-base dict-jargon dict-devil
    python -m lab.word_model . dedup_middleware/similarity/english.model

WordNet 3.0 (its own licence, like MIT), the Jargon File and the Devil's Dictionary (public domain),
as Debian packs them. As in Yerra's thesis, the documents are large: a branch of WordNet with some
hundred glosses, forty entries of a dictionary. In small ones hardly any two words stand together;
in whole books, nearly all do, so that sentences that have nothing in common are called the same.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware import Page
from dedup_middleware.read import read
from dedup_middleware.similarity.matching import SentenceTest
from dedup_middleware.similarity.model import save
from lab.progress import progress
from lab.training import Limits, train

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LIMITS = Limits(words=1_000_000)
BRANCH = 175
"""Glosses of WordNet that make a document, at least."""
ENTRIES = 40
_URL = "https://corpus.example/"
_PARTS = ("noun", "verb", "adj", "adv")
_ABOVE = ("@", "@i")
"""The marks of a pointer to a more general concept."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m lab.word_model", description=__doc__)
    parser.add_argument("packages", type=Path, help="a folder with the Debian packages")
    parser.add_argument("output", type=Path, help="the file of the model")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for package in sorted(options.packages.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        shared = Path(folder) / "usr/share"
        texts = chain(_branches(shared / "wordnet"), _entries(shared / "dictd"))
        test = SentenceTest("thesis")
        documents = (
            [one.words for one in test.prepare(read(Page(url=_URL, text=text))).sentences]
            for text in texts
        )
        model = train(progress(documents, "documents"), limits=LIMITS)
    save(model, options.output)
    size = options.output.stat().st_size
    print(f"{model.documents:,} documents, {len(model.words):,} words, {size:,} bytes")
    return 0


def _branches(folder: Path) -> list[str]:
    """Return the branches of WordNet: concepts with all that are less general, large enough."""
    glosses: dict[str, str] = {}
    inside: dict[str, list[str]] = defaultdict(list)
    roots: list[str] = []
    for part in _PARTS:
        for line in (folder / f"data.{part}").read_text("latin-1").splitlines():
            if line.startswith(" "):  # the licence
                continue
            data, _, gloss = line.partition("|")
            offset, _, _, count, *rest = data.split()
            size = 2 * int(count, 16)
            names = " ".join(rest[:size:2]).replace("_", " ")
            key = part[0] + offset
            glosses[key] = f"{names}. {gloss.strip()}."
            fields = rest[size + 1 :]
            pointers = zip(fields[::4], fields[1::4], fields[2::4], strict=False)
            parents = [kind + target for mark, target, kind in pointers if mark in _ABOVE]
            for parent in parents:
                inside[parent].append(key)
            if not parents:
                roots.append(key)
    branches: list[str] = []
    seen: set[str] = set()

    def cut(keys: Iterable[str]) -> list[str]:
        """Return the glosses of some branches, less those that were large enough."""
        left: list[str] = []
        for key in keys:
            if key not in seen:
                seen.add(key)
                left += [glosses[key], *cut(inside[key])]
            if len(left) >= BRANCH:
                branches.append("\n\n".join(left))
                left = []
        return left

    cut(roots)
    return branches


def _entries(folder: Path) -> Iterator[str]:
    """Yield the entries of dictionaries, which begin at the margin, some at a time."""
    for path in sorted(folder.glob("*.dict.dz")):
        entries = re.split(r"\n(?=\S)", gzip.decompress(path.read_bytes()).decode())
        for start in range(0, len(entries), ENTRIES):
            yield "\n\n".join(entries[start : start + ENTRIES])


if __name__ == "__main__":
    sys.exit(main())
