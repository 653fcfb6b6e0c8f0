"""Evidence for decisions as HTML: both texts, figures, and pictures of what they share."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.inspect.decisions import known_shares
from dedup_middleware.inspect.texts import MEANINGS, Counted, Texts, pieces_of, words_of
from dedup_middleware.settings import Settings
from dedup_middleware.text import percent, quantity
from dedup_middleware.verdict import Action, Kind

from .comparison_page import changes, figures, identities, texts
from .document import escaped, lang_attribute, link
from .side_by_side import lines_of
from .word_diff import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.texts import Piece
    from dedup_middleware.read import Outline
    from dedup_middleware.read.blocks import Block

    from .comparison import PageComparison

MOST_SENTENCES, MOST_BLOCKS = 150, 150
"""Of a page; changed ones are shown before unchanged ones."""
SHOWN = 200
"""Decisions of a report whose texts are in it, unless a user says otherwise: to compare two pages
takes as long as to read some hundred decisions."""
_FEW, _DEEPEST = 8, 4
_ROUNDING = 0.02
_TRIES = 4
"""Pairs that are tried for each that is wanted, as texts may be gone."""
_SAME = {Kind.EXACT, Kind.UNCHANGED}
_COMPARED = frozenset({"shingles", "units", "sentences"})


class Pages(NamedTuple):
    """The pages that the evidence for a decision shows."""

    texts: dict[str, Outline | None]
    """The texts by URL; None for one that the store no longer has."""
    own: Outline | None
    """The page that was judged, with what its host repeats marked."""


class Source(Protocol):
    def outline(self, url: str) -> Outline | None:
        """Return the text of a URL; None if it is not known (any more)."""

    def own(self, url: str) -> Outline | None:
        """Return the same with what its host repeats marked."""


def pages_of(decision: Decision, source: Source) -> Pages:
    """Fetch the texts that the evidence for a decision shows."""
    urls = [decision.url]
    other = decision.original or decision.closest
    if other is not None and decision.verdict not in _SAME:
        urls.append(other)
    return Pages({url: source.outline(url) for url in urls}, source.own(decision.url))


def evidence(
    decision: Decision,
    pages: Pages,
    settings: Settings | None = None,
    *,
    pictures: bool = True,
) -> str:
    """Return the evidence for a decision, given its pages.

    Pictures take most of the time and of the size: a file of many decisions does without.
    """
    parts = [*_remarks(decision)]
    other = decision.original or decision.closest
    if other is None:
        parts.append(_note("No known page was similar enough to be compared with it."))
    parts += (_missing(url) for url, page in pages.texts.items() if page is None)
    found = [page for page in pages.texts.values() if page is not None]
    alone = other is None or decision.verdict in _SAME
    if other is not None and not alone and len(found) == len(pages.texts):
        parts += _compared(decision, (found[0], found[-1]), other, settings or Settings(), pictures)
    page = pages.texts[decision.url]
    if page and pages.own:
        parts.append(_counted(page, pages.own, alone=alone))
    return "".join(parts)


def _remarks(decision: Decision) -> Iterator[str]:
    """Yield what the journal says besides its figures."""
    notes = _texts(decision, "notes")
    if notes:
        rows = "".join(f"<li>{escaped(note)}</li>" for note in notes[:_FEW])
        yield f'<ul class="notes" aria-label="What limits the verdict">{rows}</ul>'
    yield from _lost(decision)
    swallowed = _texts(decision, "swallowed")
    if len(swallowed) > 1:
        rows = "".join(f"<li>{link(url)}</li>" for url in swallowed[:_FEW])
        more = len(swallowed) - _FEW
        rows += f"<li>and {more:,} more</li>" if more > 0 else ""
        pages = quantity(len(swallowed), "known page")
        yield f'<details class="swallowed"><summary>It contains {pages}</summary><ul>{rows}</ul>'
        yield "</details>"


def _lost(decision: Decision) -> Iterator[str]:
    """Yield what dropping the page would lose: sentences, facts that differ, what moved."""
    lost = decision.lost
    if lost is None or not (lost.sentences or lost.facts or lost.moved):
        return
    yield '<section class="lost" aria-labelledby="lost"><h2 id="lost">What would be lost</h2>'
    if lost.sentences:
        more = lost.units - len(lost.sentences)
        rest = f'<li class="quiet">and {more:,} more</li>' if more > 0 else ""
        yield f'<ul class="lost-sentences">{_items(lost.sentences)}{rest}</ul>'
    if lost.facts:
        rows = "".join(
            f'<tr><td dir="auto">{escaped(here)}</td><td dir="auto">{escaped(there)}</td></tr>'
            for here, there in lost.facts
        )
        heads = "".join(f'<th scope="col">{name}</th>' for name in ("This page", "The other"))
        yield '<h3>Facts that differ</h3><table class="lost-facts">'
        yield f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    if lost.moved:
        yield "<h3>At another place in the other page</h3>"
        yield f'<ul class="lost-moved">{_items(lost.moved)}</ul>'
    yield "</section>"


def _items(texts: Sequence[str]) -> str:
    return "".join(f'<li dir="auto">{escaped(text)}</li>' for text in texts)


def _texts(decision: Decision, key: str) -> list[str]:
    value = decision.entry.get(key)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _note(text: str) -> str:
    return f'<p class="quiet">{escaped(text)}</p>'


def _missing(url: str) -> str:
    return (
        '<p class="quiet">The store does not have the text of '
        f"<bdi>{escaped(url)}</bdi>: it was removed since, or never stored.</p>"
    )


def _counted(page: Outline, own: Outline, *, alone: bool) -> str:
    """Return what counted of a page; open if there is no other to compare it with."""
    pieces = pieces_of(page, own)
    title = f'<p class="title"><bdi>{escaped(page.title)}</bdi></p>' if alone and page.title else ""
    return title + counted_html(pieces, page.language, MOST_BLOCKS, is_open=alone)


def _compared(
    decision: Decision,
    pages: tuple[Outline, Outline],
    other: str,
    settings: Settings,
    pictures: bool,
) -> Iterator[str]:
    from .comparison import compare_outlines  # imports numpy and more

    comparison = compare_outlines(*pages, names=(decision.url, other), settings=settings)
    lines = lines_of(comparison, MOST_SENTENCES)
    yield identities(pages, ("This page", "The other"))
    yield from _other_figures(decision, comparison)
    yield changes(lines)
    yield texts(comparison, lines)
    if pictures:
        yield figures(comparison)


def _other_figures(decision: Decision, comparison: PageComparison) -> Iterator[str]:
    """Yield a note if the judge had other figures than those that are shown."""
    then, now = known_shares(decision), comparison.known
    if then is None or decision.stage not in _COMPARED:
        return
    if max(abs(one - other) for one, other in zip(then, now, strict=True)) >= _ROUNDING:
        shares = " / ".join(map(percent, then))
        most = "at most " * (decision.stage == "shingles")  # words were enough
        yield _note(
            f"When it was judged, each page had {most}{shares} of the other. Shown here are the "
            "latest texts of both URLs, compared in full with the current settings."
        )


class Shortlist:
    """The rows of a report that most need a second look, found while they are read."""

    def __init__(self, most: int) -> None:
        self._room = _TRIES * most
        self._heaps: dict[bool, list[tuple[float, int, Decision]]] = {True: [], False: []}
        self._pairs: set[int] = set()

    def consider(self, row: int, decision: Decision, doubt: float) -> None:
        """Keep a row if it is more doubtful than others; each pair of pages once."""
        other = decision.original or decision.closest
        heap, room = self._heaps[decision.action == Action.DROP], self._room
        if other is None or not room or (len(heap) == room and (doubt, -row) <= heap[0][:2]):
            return
        pair = hash((decision.url, other))  # of very many pairs, hashes are enough
        if pair in self._pairs:
            return
        self._pairs.add(pair)
        keep = heapq.heappush if len(heap) < room else heapq.heapreplace
        keep(heap, (doubt, -row, decision))

    def ranked(self) -> list[tuple[int, Decision]]:
        """Return rows with their decisions: drops and others in turn, the most doubtful first."""
        dropped, kept = (sorted(self._heaps[drop], reverse=True) for drop in (True, False))
        both = chain(*zip_longest(dropped, kept))
        return [(-one[1], one[2]) for one in both if one is not None]


@dataclass(slots=True)
class Gathered:
    """Evidence for some of the decisions of a report."""

    html: dict[int, str] = field(default_factory=dict)
    """The HTML of the evidence, by the number of its row."""
    shown: int = 0
    """How many pieces show the texts of the pages."""
    forgotten: int = 0
    """How many pieces lack them, because the store has forgotten a page."""


def gather(
    shortlist: Shortlist,
    source: Source,
    settings: Settings,
    *,
    most: int,
    progress: Callable[[], object] = lambda: None,
) -> Gathered:
    """Return the evidence for so many rows of a shortlist, as far as there are texts."""
    gathered = Gathered()
    for row, decision in shortlist.ranked():
        if gathered.shown >= most:
            break
        pages = pages_of(decision, source)
        gathered.html[row] = evidence(decision, pages, settings, pictures=False)
        if None in pages.texts.values():
            gathered.forgotten += 1
        else:
            gathered.shown += 1
            progress()
    return gathered


def evidence_in(store: Path | str, decision: Decision, settings: Settings) -> str:
    """Return the evidence for a decision from a store, which may be in use meanwhile."""
    with Texts(store, settings.map_size) as texts:
        pages = pages_of(decision, texts)
    return evidence(decision, pages, settings)


def counted_html(
    pieces: Sequence[Piece], language: str = "", most: int | None = None, *, is_open: bool = True
) -> str:
    """Return the blocks of a page, each with as what it counted, and a legend; so many at most."""
    if not any(piece.words for piece in pieces):
        return '<p class="quiet">It has no text.</p>'
    return "".join(_parts(pieces, language, most, is_open=is_open))


def _parts(
    pieces: Sequence[Piece], language: str, most: int | None, *, is_open: bool
) -> Iterator[str]:
    more = {piece.counted: " or more" for piece in pieces if piece.is_beginning}
    legend = "".join(
        f'<li class="{counted}"><span>{MEANINGS[counted]}</span> {quantity(words, "word")}'
        f"{more.get(counted, '')}</li>"
        for counted, words in words_of(pieces).items()
    )
    is_shown = " open" if is_open else ""
    yield f'<details class="counted"{is_shown}><summary>Which text of this page counted</summary>'
    yield f'<ul class="counts" aria-label="Legend">{legend}</ul><div{lang_attribute(language)}>'
    for counted, run in groupby(islice(pieces, most), attrgetter("counted")):
        label = "" if counted is Counted.OWN else f'<p class="why">{MEANINGS[counted]}</p>'
        shown = "".join(_block(piece.block) for piece in run)
        yield f'<div class="piece {counted}">{label}<div>{shown}</div></div>'
    left = len(pieces) - most if most is not None else 0
    rest = f'<p class="quiet">… and {quantity(left, "more block")}</p>' if left > 0 else ""
    yield f"</div>{rest}</details>"


def _block(block: Block) -> str:
    """Return a block; it looks like a heading or an item, but is none of this page."""
    kind = block.kind if block.kind in ("heading", "label", "item", "row", "code") else "text"
    depth = f" depth{min(block.depth, _DEEPEST)}" if block.depth else ""
    text = " | ".join(map(shorten, block.cells))
    return f'<p class="block {kind}{depth}" dir="auto">{escaped(text)}</p>'
