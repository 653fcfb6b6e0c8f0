"""Worked examples of Yerra's thesis: Example 1, the pair of 3.2.2, Table 3.1, and the seven types.

The sentences and letters are quoted from R. Yerra, "Detecting Similar HTML Documents Using a
Sentence-Based Copy Detection Approach" (Brigham Young University, 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.similarity.matching import grams, least_frequent
from dedup_middleware.similarity.model import shipped
from lab.markdown import caption, figure, joined, percent, table

from .counts import share
from .yerra_quotes import QUOTED, TESTS, Quoted, same, sims

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .yerra_sentences import MeasuredPair

    Words = tuple[str, ...]

TSUNAMI = Quoted(
    "The global aid for the tsunami is on the rise.",
    "The international community has increased help for the disaster.",
    verdict=True,
    sims=(0.973, 0.966),
)
"""Example 1; its matrix, Table 3.3, has no row for "help"."""
BUS = Quoted(
    "The boy goes to school every day on bus.",
    "The bus going to school passing by the lake stops for the boy at the corner every day.",
    verdict=False,
)
"""The pair of 3.2.2 that should be treated as different."""


class Represented(NamedTuple):
    """A row of Table 3.1: the letters of a refined sentence, as far as printed, and its 4-grams."""

    letters: str
    rarest: tuple[str, ...]
    cut: bool = False
    """Whether more 4-grams followed than are printed."""


TABLE_3_1 = {
    1: Represented("topshiiteclericlondonhearttreat", ("opsh", "pshi", "hiit")),
    2: Represented("londonenglandapiraqstopshiitemuslimcle", ("raqs", "aqst", "qsto"), cut=True),
    3: Represented("sistaniarrivyesterdayafternoo", ("anis", "smai", "ainl"), cut=True),
    4: Represented("iraqstopshiitemuslimclericgra", ("raqs", "aqst", "qsto"), cut=True),
    8: Represented("durminutestopov", ("durm", "urmi", "rmin")),
    12: Represented("sistaniaccompanithreeai", ("tani", "niac", "aicc")),
}
TYPES = {
    1: "equivalence",
    2: "anaphora",
    3: "subsumption",
    4: "structural",
    5: "context",
    6: "voice",
    7: "tense",
}
_ANAPHORA = 3  # words that two sentences begin with


def kind_of(one: Words, other: Words, texts: tuple[str, str]) -> int:
    """Return the type of two refined sentences that say the same, by a rule of thumb.

    >>> kind_of(("tray", "drop"), ("drop", "tray"), ("He dropped it", "It was dropped by him"))
    6
    """
    passive = any(" by " in text for text in texts)
    if one == other:
        return 7
    if set(one) == set(other):
        return 6 if passive else 4
    if set(one) <= set(other) or set(other) <= set(one):
        return 3
    if one[:_ANAPHORA] == other[:_ANAPHORA]:
        return 2
    return 1 if 2 * len({*one} & {*other}) >= min(len({*one}), len({*other})) else 5


def by_type(pairs: Iterable[MeasuredPair]) -> dict[str, dict[str, int]]:
    """Count the similar pairs of each type, and what each method calls the same."""
    found = {name: {"pairs": 0, "4-grams": 0, "fuzzy set": 0} for name in TYPES.values()}
    for pair in pairs:
        if pair.alike and pair.kind:
            counts = found[TYPES[pair.kind]]
            counts["pairs"] += 1
            counts["4-grams"] += pair.equal_grams
            counts["fuzzy set"] += pair.fuzzy()
    return found


_ABOUT_EXAMPLES = (
    "In print Example 1 is the same, by a matrix that has no row for “help”, a word of its second "
    "sentence. With that word, which correlates with nothing in the matrix, Sim is .973 and .773, "
    "so that the method calls the pair different; both are tested. The pair of 3.2.2 should be "
    "different, as one sentence is a part of the other: it is, since the documents of the model "
    "were made small enough for that."
)
_ABOUT_GRAMS = (
    "Rarity here is that of the model that comes with the package. Rows 2 to 4 are cut in print, "
    "so that of row 3 none of the three is among the 4-grams shown; aicc of row 12 is not in its "
    "sentence (iacc is)."
)
_ABOUT_TYPES = (
    "The thesis has 201 similar pairs (62 of active and passive voice, 77 of anaphora, 32 of news, "
    "30 others) and prints one of each type, but no figures by type. Open pairs are those of STS "
    "and PAWS that people call the same; they have no types, so a rule sorts them: the same stems "
    "in the same order (tense), in another order with “by” (voice) or without (structural), one a "
    "part of the other (subsumption), the same first three stems (anaphora), half of the stems or "
    "more in common (equivalence), else context. Shown is the share that is called the same."
)


def section(types: Mapping[str, Mapping[str, int]]) -> str:
    """Show the examples, and the figures by type."""
    parts = [
        caption("Example 1 and the pair of 3.2.2"),
        table(["pair", "in print", "Sim in print", "Sim here", "here"], _examples()),
        _ABOUT_EXAMPLES,
        caption("Table 3.1: the three least frequent 4-grams, in the order of the sentence"),
        table(["sentence", "letters", "in print", "here"], _representations()),
        _ABOUT_GRAMS,
    ]
    if types:
        head = ["type", "quoted pair", "open pairs", "4-grams", "fuzzy sets"]
        parts += [
            caption("Table 4.2: similar sentences by type"),
            table(head, _types(types)),
            _ABOUT_TYPES,
        ]
    return joined(*parts)


def _examples() -> Sequence[list[Any]]:
    rows = []
    for name, pair in (("Example 1 (tsunami)", TSUNAMI), ("3.2.2 (boy, bus)", BUS)):
        verdict = "same" if pair.verdict else "different"
        printed = ", ".join(f"{value:.3f}"[1:] for value in pair.sims) if pair.sims else "–"
        ours = ", ".join(figure(value, 3) for value in sims(pair))
        here = "same" if same(pair, TESTS["thesis"]) else "different"
        rows.append([name, verdict, printed, ours, here])
    return rows


def _representations() -> Sequence[list[Any]]:
    return [
        [
            number,
            row.letters + (" …" if row.cut else ""),
            ", ".join(row.rarest),
            ", ".join(grams_of(least_frequent([row.letters], shipped().gram_frequency))),
        ]
        for number, row in TABLE_3_1.items()
    ]


def grams_of(representation: str) -> list[str]:
    """Split a representation into its 4-grams.

    >>> grams_of("raqsaqstqsto")
    ['raqs', 'aqst', 'qsto']
    """
    return grams([representation])[::4]


def _types(types: Mapping[str, Mapping[str, int]]) -> Sequence[list[Any]]:
    quoted = {pair.kind: pair for pair in QUOTED["Tables 4.3 to 4.6"] if pair.kind}
    rows = []
    for number, name in TYPES.items():
        counts = types[name]
        shares = [percent(share(counts[how], counts["pairs"])) for how in ("4-grams", "fuzzy set")]
        found = "same" if same(quoted[number], TESTS["thesis"]) else "different"
        rows.append([f"{number}, {name}", found, f"{counts['pairs']:,}", *shares])
    return rows
