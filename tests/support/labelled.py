"""Labelled sets made up for tests of benchmarks and of the laboratory."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

from . import forking
from .patience import PATIENCE

ROOT = Path(__file__).parents[2]
A, B, C, D, E, F, G = (f"https://{name}.example/" for name in "abcdefg")
ANIMALS = "otter heron badger falcon weasel magpie beaver osprey marten plover"
TOOLS = "hammer chisel pliers mallet spanner gimlet trowel sickle scythe bellows"
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def text(words: str, start: int, count: int = 40) -> str:
    """Make sentences that no other start shares."""
    names = words.split()
    return " ".join(
        f"The {names[i % 10]} number {start + i} met the {names[(i * 3 + 1) % 10]} "
        f"at bridge {start * 7 + i * 13}."
        for i in range(count)
    )


ANIMAL_PAGE, TOOL_PAGE = text(ANIMALS, 0), text(TOOLS, 5000)


def page(url: str, *paragraphs: str) -> dict[str, str]:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return {"url": url, "html": f"<html><body><main>{body}</main></body></html>"}


def label(url: str, gold: str, positives=None, neutral=()) -> dict[str, object]:
    return {"url": url, "gold": gold, "positives": positives or {}, "neutral": list(neutral)}


def write_set(folder: Path, mode: str, pages: list, labels: list) -> Path:
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps({"mode": mode, "pages": len(pages)}))
    for name, rows in (("pages", pages), ("labels", labels)):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


def small_set(folder: Path) -> Path:
    """Make a stream of one page, a near copy, an equal one, a part, another page and a shell."""
    pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE, "One more line about the otter."),
        page(C, ANIMAL_PAGE),
        page(D, TOOL_PAGE),
        page(E, ANIMAL_PAGE[: len(ANIMAL_PAGE) // 2]),
        page(F, TOOL_PAGE, ANIMAL_PAGE),
        page(G, "Too short."),
    ]
    labels = [
        label(A, "negative"),
        label(B, "positive", {A: ["near", "contains"]}),
        label(C, "positive", {A: ["exact", "near"]}),
        label(D, "negative"),
        label(E, "positive", {A: ["contained"], B: ["contained"]}),
        label(F, "positive", {A: ["contains"], B: ["contains"], D: ["contains"]}),
        label(G, "negative"),
    ]
    return write_set(folder / "small", "stream", pages, labels)


def run(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a module as a command."""
    return forking.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


class Author:
    """Writes pages, and copies that are hard to judge."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def word(self) -> str:
        return "".join(self.chance.choices(SYLLABLES, k=3))

    def sentence(self) -> str:
        words = [self.word() for _ in range(self.chance.randrange(6, 14))]
        if self.chance.random() < 0.3:
            words.insert(3, str(self.chance.randrange(1000)))
        return " ".join(words).capitalize() + "."

    def article(self, size: int) -> list[str]:
        return [self.sentence() for _ in range(size)]

    def reworded(self, sentences: list[str], share: float) -> list[str]:
        return [
            " ".join(
                self.word() if self.chance.random() < share else word for word in one[:-1].split()
            )
            + "."
            for one in sentences
        ]

    def version(self, old: list[str]) -> list[str]:
        """Change a page in one of many ways."""
        size = len(old)
        cut = self.chance.randrange(size // 5, size)
        return self.chance.choice(
            [
                lambda: list(old),
                lambda: self.reworded(old, self.chance.choice([0.02, 0.05, 0.1])),
                lambda: old[:cut],
                lambda: old + self.article(self.chance.randrange(2, 2 * size)),
                lambda: old[cut:] + old[:cut],
                lambda: old[: size // 2] + self.article(size // 2),
            ]
        )()


def stream(seed: int, count: int) -> tuple[list, list]:
    """Make pages, two in three of them versions of earlier ones, and random labels."""
    author = Author(seed)
    texts: list[list[str]] = []
    pages, labels = [], []
    kinds = ["exact", "near", "contained", "contains"]
    for number in range(count):
        earlier = author.chance.randrange(3) and number
        origin = author.chance.randrange(number) if earlier else None
        text = author.article(20) if origin is None else author.version(texts[origin])
        texts.append(text)
        url = f"https://{number}.example/"
        pages.append(page(url, *text))
        others = [f"https://{other}.example/" for other in range(number)]
        chosen = author.chance.sample(others, len(others) // 2)
        positives = {other: author.chance.sample(kinds, 2) for other in chosen}
        gold = author.chance.choice(["positive", "negative", "ignore"])
        labels.append(label(url, gold, positives, others[::3]))
    return pages, labels
