"""Cost of comparing a page with a near copy, sentence by sentence.

The new page is a real one. The stored one is made from it: paragraphs are left out, or added from
other pages, until it has the wanted size, and some words are replaced.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import Page
from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS
from dedup_middleware.read import KINDS, Outline, read
from dedup_middleware.similarity import (
    Prepared,
    SentenceTest,
    compare_deeply,
    compare_hashes,
)
from dedup_middleware.similarity.sentences import split_sentences
from lab.measure import cpu_timed, parse, spread
from lab.progress import progress
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.similarity import Comparison

    from .pages import RealPage

SHORT, LONG = 60, 130
"""Sentences of the two pages."""
NEAR_ENOUGH = 0.16  # a page has a size if it is off by at most this share
REPEATS = 5
SEED = 1
REWORDED = 0.03  # of the words
_TEXT = KINDS.index("text")


@dataclass(frozen=True, slots=True)
class Task:
    """A page as it arrives, and the known one that it is compared with."""

    body: bytes
    outline: Outline
    hashes: Hashes
    """Of its shingles, as in the fingerprint."""
    known: Prepared


class Times(NamedTuple):
    """Milliseconds of CPU for a pair, the least of some repeats."""

    parse: float
    compare: float
    sentences: tuple[int, int]


def measure(pages: Sequence[RealPage]) -> dict[str, list[Times]]:
    """Time new pages of one size against stored ones of the other, both ways."""
    outlines = [
        read(Page(url=page.url, html=page.body, encoding="utf-8"))
        for page in progress(pages, "read")
    ]
    return {
        f"{new} new × {stored} stored": _time(list(_tasks(pages, outlines, new, stored)))
        for new, stored in ((SHORT, LONG), (LONG, SHORT))
    }


def report(times: dict[str, list[Times]]) -> str:
    """Return a table of the ratios to the baseline."""
    rows = [
        [
            name,
            len(of_pairs),
            " × ".join(
                f"{spread([one.sentences[side] for one in of_pairs]).median:.0f}" for side in (0, 1)
            ),
            f"{spread([one.parse for one in of_pairs]).median:.2f}",
            f"{spread([one.compare for one in of_pairs]).median:.2f}",
            str(spread([one.compare / one.parse for one in of_pairs])),
        ]
        for name, of_pairs in times.items()
        if of_pairs
    ]
    return table(["sentences", "pairs", "median", "lxml ms", "deep ms", "deep"], rows)


def near_copy(outline: Outline, sentences: int, more: Iterable[str], seed: int = SEED) -> Outline:
    """Make a near copy of about so many sentences, with paragraphs left out or added."""
    chance = random.Random(seed)
    texts = [_reworded(text, chance) for text in outline.texts]
    counts = Counter(
        one.node
        for one in Prepared(
            replace(outline, lines="\n".join(texts).encode(), source=None)
        ).sentences
    )
    size, here = counts.total(), sorted(counts)
    chance.shuffle(here)
    while here and size - counts[here[-1]] >= sentences:
        size -= counts[here[-1]]
        texts[here.pop()] = ""
    added: list[str] = []
    for text in more:
        if size >= sentences:
            break
        added.append(text)
        size += len(split_sentences(text))
    return Outline.of_nodes(
        outline.identity,
        kinds=outline.kinds + bytes((_TEXT,)) * len(added),
        parents=(*outline.parents, *(-1,) * len(added)),
        boilerplate=outline.boilerplate + bytes(len(added)),
        texts=(*texts, *added),
        links=outline.links + bytes(len(added)),
        grid=outline.grid + bytes(len(added)),
    )


def _tasks(
    pages: Sequence[RealPage], outlines: Sequence[Outline], new: int, stored: int
) -> Iterator[Task]:
    for place, (page, outline) in enumerate(zip(pages, outlines, strict=True)):
        if abs(_size(outline) - new) <= NEAR_ENOUGH * new:
            others = (outlines[(place + step) % len(outlines)] for step in range(1, len(outlines)))
            more = (text for other in others for text in _paragraphs(other))
            known = Prepared(near_copy(outline, stored, more, SEED + place))
            hashes = shingle_hashes(text_hashes(outline.main), SHINGLE_WORDS)
            yield Task(page.body, outline, hashes, known)


def _time(tasks: Sequence[Task]) -> list[Times]:
    for task in tasks:  # to prepare stored pages and load what is loaded once
        _compare(task)
    return [_pair(task) for task in progress(tasks, "compare")]


def _pair(task: Task) -> Times:
    parsing, comparing = [], []
    for _ in range(REPEATS):
        parsing.append(cpu_timed(lambda: parse(task.body))[0])
        needed, comparison = cpu_timed(lambda: _compare(task))
        comparing.append(needed)
    assert comparison.deep
    first, second = comparison.deep.counts
    return Times(min(parsing), min(comparing), (first.total, second.total))


def _compare(task: Task) -> Comparison:
    """Do all the work of a near match after reading; the stored page is prepared."""
    page = Prepared(replace(task.outline), hashes=task.hashes)
    compare_hashes(page, [task.known])
    return compare_deeply(page, task.known, SentenceTest())


def _size(outline: Outline) -> int:
    return len(Prepared(outline).sentences)


def _paragraphs(outline: Outline) -> list[str]:
    nodes = zip(outline.kinds, outline.boilerplate, outline.texts, strict=True)
    return [text for kind, boilerplate, text in nodes if kind == _TEXT and text and not boilerplate]


def _reworded(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    return " ".join(word[::-1] if chance.random() < REWORDED else word for word in words)
