"""Sources → a new document: random paragraphs of each, edited, shuffled, with own text between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .document import to_html
from .edits import Edited, Edits, edit
from .overlap import Parts, common_terms, keyed
from .own import Generated, vocabulary_of
from .source import Paragraph, paragraph_of
from .terms import sentences_with_places
from .truth import Taken, Truth

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from .own import OwnText
    from .plan import Plan
    from .source import Source

_ROUNDING = 1e-9
URL = "https://made.example/"


class Piece(NamedTuple):
    """A paragraph of a new document."""

    origin: str
    """The text of the paragraph that it was."""
    kept: int
    """A bit for each term of that: whether it is still there."""
    paragraph: Paragraph
    edits: Edits = Edits()


@dataclass(frozen=True)
class Made:
    """A new document, and the truth about it."""

    pieces: tuple[Piece, ...]
    language: str
    truth: Truth

    @property
    def url(self) -> str:
        return self.truth.url

    @cached_property
    def text(self) -> str:
        """Its text, a line a paragraph."""
        return "\n".join(piece.paragraph.text for piece in self.pieces)

    @property
    def html(self) -> str:
        return to_html([piece.paragraph for piece in self.pieces], self.language)

    @cached_property
    def parts(self) -> Parts:
        return keyed((piece.origin, piece.kept) for piece in self.pieces)


def synthesize(
    sources: Sequence[Source],
    plan: Plan,
    rng: Random,
    *,
    url: str = URL,
    own: OwnText | None = None,
    vocabulary: Sequence[str] = (),
) -> Made:
    """Make a document; own text and words for edits are the sources' own words if none are given.

    >>> from random import Random
    >>> from .plan import Plan
    >>> from .source import Source
    >>> tea = Source("tea", tuple(map(paragraph_of, ("Boil water.", "Wait.", "Pour it."))))
    >>> rum = Source("rum", tuple(map(paragraph_of, ("Open the bottle.", "Pour."))))
    >>> made = synthesize([tea, rum], Plan(shares=(0.6, 0.3)), Random(1))
    >>> [(one.url, one.taken, one.terms, one.of_source) for one in made.truth.sources]
    [('tea', 3, 5, 0.6), ('rum', 3, 4, 0.75)]
    >>> sorted(made.text.splitlines())
    ['Open the bottle.', 'Pour it.', 'Wait.']
    """
    asked = plan.draw_shares(len(sources), rng)
    chosen = [take(source, share, rng) for source, share in zip(sources, asked, strict=True)]
    return assemble(sources, asked, chosen, plan, rng, url=url, own=own, vocabulary=vocabulary)


def take(source: Source, share: float, rng: Random) -> list[int]:
    """Draw paragraphs of a source, none twice, until so much of it is reached."""
    left = list(range(len(source.paragraphs)))
    rng.shuffle(left)
    taken: list[int] = []
    missing = share * source.terms - _ROUNDING
    for place in left:
        if missing <= 0:
            break
        taken.append(place)
        missing -= source.paragraphs[place].terms
    return taken


def assemble(
    sources: Sequence[Source],
    asked: Sequence[float],
    chosen: Sequence[Sequence[int]],
    plan: Plan,
    rng: Random,
    *,
    url: str = URL,
    own: OwnText | None = None,
    vocabulary: Sequence[str] = (),
) -> Made:
    """Make a document of paragraphs that were chosen."""
    rate, share = plan.edits.draw(rng), plan.own.draw(rng)
    if not vocabulary and (rate or (share and own is None)):
        vocabulary = vocabulary_of(sources)
    taken = [
        [_piece(source.paragraphs[place], rate, plan, vocabulary, rng) for place in sorted(places)]
        for source, places in zip(sources, chosen, strict=True)
    ]
    pieces = [piece for group in taken for piece in group if piece.paragraph.terms]
    added: list[Piece] = []
    own = own or Generated(vocabulary)
    if share:
        terms = math.ceil(share / (1 - share) * _terms(pieces) - _ROUNDING)
        added = [Piece(one.text, one.whole, one) for one in own.take(terms, rng)]
    for piece in added:
        pieces.insert(rng.randint(0, len(pieces)), piece)
    if plan.reorder != "nothing":
        rng.shuffle(pieces)
    parts, total = keyed((piece.origin, piece.kept) for piece in pieces), _terms(pieces)
    shares = tuple(
        Taken(
            source.url,
            source.terms,
            common_terms(parts, source.parts),
            total,
            asked=wanted,
            paragraphs=tuple(places),
            taken=sum(source.paragraphs[place].terms for place in places),
            edits=Edits.sum(piece.edits for piece in group),
        )
        for source, wanted, places, group in zip(sources, asked, chosen, taken, strict=True)
    )
    truth = Truth(url, total, _terms(added), own.name if added else "", plan.reorder, shares)
    language = next((source.language for source in sources if source.language), "")
    return Made(tuple(pieces), language, truth)


def _terms(pieces: Sequence[Piece]) -> int:
    return sum(piece.paragraph.terms for piece in pieces)


def _piece(
    paragraph: Paragraph, rate: float, plan: Plan, vocabulary: Sequence[str], rng: Random
) -> Piece:
    """Edit a paragraph and shuffle its sentences, as the plan says."""
    if plan.reorder != "sentences" and not rate:
        return Piece(paragraph.text, paragraph.whole, paragraph)
    whole = [(0, paragraph.text)]
    sentences = sentences_with_places(paragraph.text) if plan.reorder == "sentences" else whole
    edited: list[Edited] = []
    kept = 0
    for place, sentence in sentences:
        edited.append(edit(sentence, rate, plan.edit_kinds, vocabulary, rng))
        kept |= edited[-1].kept << place
    if len(edited) > 1:
        rng.shuffle(edited)
    text = " ".join(one.text for one in edited if one.text)
    edits = Edits.sum(one.edits for one in edited)
    return Piece(paragraph.text, kept, paragraph_of(text, heading=paragraph.heading), edits)
