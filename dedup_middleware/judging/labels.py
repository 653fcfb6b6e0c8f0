"""What the judges' answers to a pair add up to, and the labels of a set that follow from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.verdict import Kind

from .answers import Answer

if TYPE_CHECKING:
    from collections.abc import Collection

    from .answers import Answers, Pair
    from .pool import Nominated

KINDS = {
    Answer.SAME: (Kind.EXACT, Kind.NEAR),
    Answer.FIRST_IN_SECOND: (Kind.CONTAINS,),
    Answer.SECOND_IN_FIRST: (Kind.CONTAINED,),
}
"""What the second page may be called if the first is known, by what people say."""


class Gold(NamedTuple):
    """What holds for a pair."""

    name: str
    """positive, negative or ignore."""
    kinds: tuple[str, ...] = ()


def gold_of(answers: Collection[Answer]) -> Gold:
    """Put answers together: who left a pair open has no say, who is contradicted settles nothing.

    >>> gold_of([Answer.SAME, Answer.SECOND_IN_FIRST, Answer.OPEN])
    Gold(name='positive', kinds=('exact', 'near', 'contained'))
    >>> gold_of([Answer.SAME, Answer.DIFFERENT]).name
    'ignore'
    """
    sides = {answer.alike for answer in answers} - {None}
    if len(sides) != 1:
        return Gold("ignore")
    if not sides.pop():
        return Gold("negative")
    kinds = [str(kind) for answer in Answer if answer in answers for kind in KINDS.get(answer, ())]
    return Gold("positive", tuple(dict.fromkeys(kinds)))


def settled(pair: Pair, answers: Answers) -> Gold:
    """Tell what holds for a pair: what a conflict was resolved to, else what all judges say."""
    resolution = answers.resolution(pair)
    return gold_of([resolution] if resolution else [*answers.of(pair).values()])


def in_conflict(pair: Pair, answers: Answers) -> bool:
    """Tell whether two judges have said different things, kinds of likeness among them."""
    return len({*answers.of(pair).values()} - {Answer.OPEN}) > 1


def rows(number: int, pooled: Nominated, gold: Gold) -> tuple[dict[str, Any], dict[str, Any]]:
    """Label the two pages of a pair; only the second, which comes later, has anything to find."""
    first, second = names_of(number, pooled.pair)
    group = {"group": str(pooled.stratum)}
    positives = {first: list(gold.kinds)} if gold.name == "positive" else {}
    neutral = [first] if gold.name == "ignore" else []
    return (
        {"url": first, "gold": "skip", "positives": {}, "neutral": [], **group},
        {"url": second, "gold": gold.name, "positives": positives, "neutral": neutral, **group},
    )


def names_of(number: int, pair: Pair) -> tuple[str, str]:
    """Name the pages of a pair in the set: in other pairs the same pages have other labels.

    >>> from dedup_middleware.judging.answers import Pair
    >>> names_of(3, Pair("https://a.example/", "https://b.example/"))
    ('https://a.example/#pair-3', 'https://b.example/#pair-3')
    """
    return f"{pair.first}#pair-{number}", f"{pair.second}#pair-{number}"
