"""Verdicts on pages, with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .text import beginning

MOST_LOST, MOST_FACTS, MOST_MOVED, LONGEST = 10, 5, 5, 300
"""What is kept in words of what is lost, and the characters of each: journals keep them."""


class Kind(StrEnum):
    """The seven things a page can be.

    >>> str(Kind.NEAR), Kind.NEAR == "near"
    ('near', True)
    """

    UNIQUE = "unique"
    EXACT = "exact"
    NEAR = "near"
    CONTAINED = "contained"
    CONTAINS = "contains"
    UNCHANGED = "unchanged"
    UPDATED = "updated"


REDUNDANT = frozenset({Kind.EXACT, Kind.NEAR, Kind.CONTAINED, Kind.UNCHANGED})
"""A page of such a kind adds nothing to what is known."""


class Action(StrEnum):
    """What is done with the item of a page."""

    DROP = "drop"
    TAG = "tag"
    PASS = "pass"  # noqa: S105 - no password


def milder(one: Action, other: Action) -> Action:
    """Return which of two actions takes less away.

    >>> str(milder(Action.DROP, Action.TAG))
    'tag'
    """
    return max(one, other, key=list(Action).index)


@dataclass(frozen=True, slots=True)
class Scores:
    """How a page (first) and a known page (second) compare; None where it was not measured."""

    simhash_distance: int | None = None
    resemblance: float | None = None
    containment: float | None = None
    contained_by: float | None = None
    rs: tuple[float, float] | None = None
    odds_ratio: float | None = None
    tree: tuple[float, float] | None = None
    covered: tuple[float, float] | None = None
    aligned: tuple[float, float] | None = None
    sentence_share: tuple[float, float] | None = None
    swapped: int | None = None
    subject: int | None = None
    replaced: int | None = None
    words: tuple[int, int] | None = None
    common: tuple[float, float] | None = None
    facts: tuple[float, float] | None = None
    numbers: int | None = None
    chain: tuple[float, float] | None = None
    negated: int | None = None
    known: tuple[float, float] | None = None
    changed: float | None = None
    """How much of the main text changed since the URL was last seen."""

    def measured(self) -> dict[str, object]:
        """Return what was measured, by name."""
        if self is NO_SCORES:  # the common case
            return {}
        return {
            name: value for name in self.__slots__ if (value := getattr(self, name)) is not None
        }


NO_SCORES = Scores()

CHANGE_CLASSES = {
    "wording": "sentences say it in other words",
    "numbers": "sentences have other numbers",
    "dates": "sentences have other dates or times",
    "sections added": "there are new headings, with new text below them",
    "sections removed": "headings are gone, with the text below them",
    "text added": "there are new sentences, list items or cells",
    "text removed": "sentences, list items or cells are gone",
    "order": "the sentences are the same, in another order",
}
"""Of what class a change is; one may be of several."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is new and what is gone since a URL was last seen."""

    share: float
    """Of the words of both versions, those in sentences that only one of them has."""
    added: tuple[str, ...]
    removed: tuple[str, ...]
    """The first of them, cut to a bounded length."""
    counts: tuple[int, int]
    """All that were added and removed."""
    classes: tuple[str, ...]
    """Those of CHANGE_CLASSES that apply, in that order."""


@dataclass(frozen=True, slots=True)
class Lost:
    """What the page that is kept does not have of a page, in plain words.

    >>> Lost(words=6, units=1, of=412, sentences=("word " * 99,)).sentences[0][-6:]
    'word …'
    """

    share: float = 0.0
    """Of the page's own weight: text that is rare on its host weighs most."""
    words: int = 0
    """In the units that are lost."""
    units: int = 0
    """Sentences, list items, cells and headings that are lost."""
    of: int = 0
    """Words of the page."""
    sentences: tuple[str, ...] = ()
    """The heaviest of the lost units, as on the page."""
    facts: tuple[tuple[str, str], ...] = ()
    """Units of the page and of its original that differ in a fact."""
    moved: tuple[str, ...] = ()
    """Units that the original has in another place."""
    bound: float | None = None
    """The share that may have been lost; None if the page was not like another."""

    def __post_init__(self) -> None:
        facts = [(_brief(here), _brief(there)) for here, there in self.facts[:MOST_FACTS]]
        object.__setattr__(self, "sentences", tuple(map(_brief, self.sentences[:MOST_LOST])))
        object.__setattr__(self, "facts", tuple(facts))
        object.__setattr__(self, "moved", tuple(map(_brief, self.moved[:MOST_MOVED])))

    def as_json(self) -> dict[str, object]:
        """Return it in the form of the journal.

        >>> Lost(share=0.0123, words=6, units=1, of=412, moved=("a",)).as_json()
        {'share': 0.0123, 'words': 6, 'units': 1, 'of': 412, 'moved': ['a']}
        """
        more = {
            "bound": self.bound,
            "sentences": [*self.sentences],
            "facts": [*map(list, self.facts)],
            "moved": [*self.moved],
        }
        return {
            "share": round(self.share, 4),
            "words": self.words,
            "units": self.units,
            "of": self.of,
            **{name: found for name, found in more.items() if found not in (None, [])},
        }


def _brief(text: str) -> str:
    return beginning(text, LONGEST)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a verdict is what it is."""

    stage: str
    """The last stage that was needed: read, digest, main, lookup, estimate, shingles, units or
    sentences; method, if that is not the cascade."""
    scores: Scores = NO_SCORES
    closest: str | None = None
    """The most similar known page where none was similar enough."""
    suspect: str | None = None
    """The known page that it may repeat, where the evidence is not strong enough to say so."""
    swallowed: tuple[str, ...] = ()
    supersedes: str | None = None
    """The known page whose place it takes, because its own URL is the better one for the text."""
    changes: Changes | None = None
    """Of an updated page."""
    notes: tuple[str, ...] = ()
    """What limits the verdict: text that was cut, capped look-ups."""
    model: int = 0
    """The learned model that took part; 0 while nothing is learned."""
    generation: int = 0
    """Of the site memory that took part; 0 while the template of the site is unknown."""
    level: str = ""
    """The class of the match, if the method has classes: exact, high or some of OS-CDS."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided about a page, and why."""

    kind: Kind
    original: str | None
    score: float
    """How much of the page is already known from `original`, 0…1."""
    reason: str
    evidence: Evidence
    action: Action = Action.PASS
    lost: Lost | None = None
    """What dropping it would lose; None if it was compared with no page."""

    @property
    def redundant(self) -> bool:
        """Whether the page adds nothing to what is known."""
        return self.kind in REDUNDANT
