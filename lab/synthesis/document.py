"""Synthesis of a document: paragraphs of sources, edited and shuffled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.read.words import is_spaceless

from .sources import Paragraph, paragraph_of
from .terms import Edited, Edits, edit, join_terms, sentences_with_places, split_terms
from .truth import Parts, Taken, Truth, common_terms, number_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from .plan import Plan
    from .sources import Source

URL = "https://made.example/"
_TITLE = 60  # characters
_VOCABULARY = 200_000  # running words, so that rare ones are drawn rarely
_WORDS_A_SENTENCE = (6, 20)
_SENTENCES_A_PARAGRAPH = (2, 6)
_ROUNDING = 1e-9


class OwnText(Protocol):
    """A source of text that is in none of the sources."""

    name: str

    def take(self, terms: int, rng: Random) -> list[Paragraph]:
        """Return paragraphs with at least so many terms, if there are enough, none twice."""
        ...


class HeldOut:
    """Random paragraphs of pages that are not sources."""

    name = "pages"

    def __init__(self, pages: Iterable[Source]) -> None:
        texts = {one.text: one for page in pages for one in page.paragraphs}
        self._paragraphs = list(texts.values())

    def take(self, terms: int, rng: Random) -> list[Paragraph]:
        taken: list[Paragraph] = []
        left = list(range(len(self._paragraphs)))
        while terms > 0 and left:
            place = rng.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            taken.append(self._paragraphs[left.pop()])
            terms -= taken[-1].terms
        return taken


class Generated:
    """Sentences of random words, each as frequent as in the sources."""

    name = "generated"

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary

    def take(self, terms: int, rng: Random) -> list[Paragraph]:
        taken: list[Paragraph] = []
        while terms > 0 and self._vocabulary:
            sentences = [self._sentence(rng) for _ in range(rng.randint(*_SENTENCES_A_PARAGRAPH))]
            taken.append(paragraph_of(" ".join(sentences)))
            terms -= taken[-1].terms
        return taken

    def _sentence(self, rng: Random) -> str:
        words = [rng.choice(self._vocabulary) for _ in range(rng.randint(*_WORDS_A_SENTENCE))]
        gaps = ["" if is_spaceless(word) else " " for word in words[1:]]
        text = join_terms(words, ["", *gaps, "."])
        return text[0].upper() + text[1:]


def vocabulary_of(sources: Iterable[Source]) -> list[str]:
    """Return the running words of the sources, up to some number."""
    texts = (paragraph.text for source in sources for paragraph in source.paragraphs)
    words = chain.from_iterable(split_terms(text)[0] for text in texts)
    return list(islice(words, _VOCABULARY))


class Piece(NamedTuple):
    """A paragraph of a made document."""

    origin: str
    """The text of the paragraph before edits."""
    kept: int
    """A bit for each term of the origin: whether it is still there."""
    paragraph: Paragraph
    edits: Edits = Edits()


@dataclass(frozen=True)
class MadeDocument:
    """A synthesized document, and the truth about it."""

    pieces: tuple[Piece, ...]
    language: str
    truth: Truth

    @property
    def url(self) -> str:
        return self.truth.url

    @cached_property
    def text(self) -> str:
        """Its text, a line for each paragraph."""
        return "\n".join(piece.paragraph.text for piece in self.pieces)

    @property
    def html(self) -> str:
        return to_html([piece.paragraph for piece in self.pieces], self.language)

    @cached_property
    def parts(self) -> Parts:
        return number_parts((piece.origin, piece.kept) for piece in self.pieces)


def synthesize(
    sources: Sequence[Source],
    plan: Plan,
    rng: Random,
    *,
    url: str = URL,
    own: OwnText | None = None,
    vocabulary: Sequence[str] = (),
) -> MadeDocument:
    """Make a document; without `own` and `vocabulary`, words of the sources are used for them.

    >>> from random import Random
    >>> from lab.synthesis import Plan, Source
    >>> tea = Source("tea", tuple(map(paragraph_of, ("Boil water.", "Wait.", "Pour it."))))
    >>> rum = Source("rum", tuple(map(paragraph_of, ("Open the bottle.", "Pour."))))
    >>> made = synthesize([tea, rum], Plan(shares=(0.6, 0.3)), Random(1))
    >>> [(one.url, one.taken, one.terms, one.of_source) for one in made.truth.sources]
    [('tea', 3, 5, 0.6), ('rum', 3, 4, 0.75)]
    >>> sorted(made.text.splitlines())
    ['Open the bottle.', 'Pour it.', 'Wait.']
    """
    asked = plan.draw_shares(len(sources), rng)
    chosen = [_take(source, share, rng) for source, share in zip(sources, asked, strict=True)]
    return assemble(sources, asked, chosen, plan, rng, url=url, own=own, vocabulary=vocabulary)


def _take(source: Source, share: float, rng: Random) -> list[int]:
    """Draw paragraphs of a source, none twice, until a share of it is reached."""
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
) -> MadeDocument:
    """Make a document of chosen paragraphs."""
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
    parts, total = number_parts((piece.origin, piece.kept) for piece in pieces), _terms(pieces)
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
    return MadeDocument(tuple(pieces), language, truth)


def _terms(pieces: Sequence[Piece]) -> int:
    return sum(piece.paragraph.terms for piece in pieces)


def _piece(
    paragraph: Paragraph, rate: float, plan: Plan, vocabulary: Sequence[str], rng: Random
) -> Piece:
    """Edit a paragraph and shuffle its sentences, according to the plan."""
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


def to_html(paragraphs: Sequence[Paragraph], language: str = "") -> str:
    """Return an HTML page whose main text is these paragraphs, and nothing else.

    >>> print(to_html([paragraph_of("Tea & rum", heading=True), paragraph_of("Boil it.")], "en"))
    <!DOCTYPE html>
    <html lang="en">
    <head><meta charset="utf-8"><title>Tea &amp; rum</title></head>
    <body><main>
    <h2>Tea &amp; rum</h2>
    <p>Boil it.</p>
    </main></body>
    </html>
    <BLANKLINE>
    """
    lang = f' lang="{escape(language)}"' if language else ""
    # another title would be text that is in no count
    title = escape(_shortened(paragraphs[0].text)) if paragraphs else ""
    body = "".join(
        f"<h2>{escape(one.text)}</h2>\n" if one.heading else f"<p>{escape(one.text)}</p>\n"
        for one in paragraphs
    )
    return (
        f"<!DOCTYPE html>\n<html{lang}>\n"
        f'<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body><main>\n{body}</main></body>\n</html>\n"
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE else text[:_TITLE].rpartition(" ")[0] or text[:_TITLE]
