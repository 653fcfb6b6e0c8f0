"""Labels: what is right to say about pages, by the answers of people or by how they were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.verdict import Kind
from lab.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Collection

    from lab.answers import Answers, Pair

    from .judge.pool import Pool, PooledPair

# the files of a labelled set, as benchmarks read it
PAGES, LABELS, META = "pages.jsonl.gz", "labels.jsonl.gz", "meta.json"

_KINDS = {
    Answer.SAME: (Kind.EXACT, Kind.NEAR),
    Answer.FIRST_IN_SECOND: (Kind.CONTAINS,),
    Answer.SECOND_IN_FIRST: (Kind.CONTAINED,),
}
"""The verdicts on the second page that are right if the first is known, for each answer."""


@dataclass(frozen=True, slots=True)
class Label:
    """What is right to say about a page, given the pages before it."""

    url: str
    gold: str
    """positive, negative, ignore (undecided) or skip (not judged)."""
    positives: dict[str, list[str]]
    """Earlier pages that it repeats, each with the verdicts that are right."""
    neutral: list[str]
    """Earlier pages for which any verdict is accepted."""
    group: str = ""

    def row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "url": self.url,
            "gold": self.gold,
            "positives": self.positives,
            "neutral": self.neutral,
        }
        return {**row, "group": self.group} if self.group else row


class PairLabel(NamedTuple):
    """What is right to say about a pair."""

    gold: str
    """positive, negative or ignore."""
    kinds: tuple[str, ...] = ()


def combine(answers: Collection[Answer]) -> PairLabel:
    """Return the label that follows from the answers to a pair.

    Open answers don't count; answers that contradict each other leave the pair undecided.

    >>> combine([Answer.SAME, Answer.SECOND_IN_FIRST, Answer.OPEN])
    PairLabel(gold='positive', kinds=('exact', 'near', 'contained'))
    >>> combine([Answer.SAME, Answer.DIFFERENT]).gold
    'ignore'
    """
    sides = {answer.alike for answer in answers} - {None}
    if len(sides) != 1:
        return PairLabel("ignore")
    if not sides.pop():
        return PairLabel("negative")
    kinds = [str(kind) for answer in Answer if answer in answers for kind in _KINDS.get(answer, ())]
    return PairLabel("positive", tuple(dict.fromkeys(kinds)))


def label_pair(pair: Pair, answers: Answers) -> PairLabel:
    """Return the label of a pair, by the resolution of a conflict or else by all judges."""
    resolution = answers.resolution(pair)
    return combine([resolution] if resolution else [*answers.of(pair).values()])


def label_pages(number: int, pooled: PooledPair, label: PairLabel) -> tuple[Label, Label]:
    """Label the pages of a pair; only the second, which comes later, can repeat the other."""
    first, second = page_names(number, pooled.pair)
    group = str(pooled.stratum)
    positives = {first: list(label.kinds)} if label.gold == "positive" else {}
    neutral = [first] if label.gold == "ignore" else []
    return (
        Label(first, "skip", {}, [], group),
        Label(second, label.gold, positives, neutral, group),
    )


def page_names(number: int, pair: Pair) -> tuple[str, str]:
    """Return names of the pages of a pair that are unique in the set: pages may be in many pairs.

    >>> from lab.answers import Pair
    >>> page_names(3, Pair("https://a.example/", "https://b.example/"))
    ('https://a.example/#pair-3', 'https://b.example/#pair-3')
    """
    return f"{pair.first}#pair-{number}", f"{pair.second}#pair-{number}"


def in_conflict(pair: Pair, answers: Answers) -> bool:
    """Return True if two judges gave different answers, even if both mean alike."""
    return len({*answers.of(pair).values()} - {Answer.OPEN}) > 1


def unresolved(pool: Pool, answers: Answers) -> list[int]:
    """Return the places of pairs in the pool with a conflict that nobody has resolved."""
    return [
        place
        for place, one in enumerate(pool.pairs)
        if in_conflict(one.pair, answers) and answers.resolution(one.pair) is None
    ]
