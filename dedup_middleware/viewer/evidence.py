"""Evidence for decisions as HTML: both texts, figures, and pictures of what they share."""

from __future__ import annotations

from itertools import chain, groupby, islice, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from dedup_middleware.inspect.decisions import known_shares
from dedup_middleware.inspect.texts import MEANINGS, Counted, Texts, pieces_of, words_of
from dedup_middleware.text import percent, quantity
from dedup_middleware.verdict import Action, Kind

from .comparison_page import changes, figures, identities, table_of_pairs, texts
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
    from dedup_middleware.settings import Settings

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


class Source(Protocol):
    def outline(self, url: str) -> Outline | None:
        """Return the text of a URL; None if it is not known (any more)."""

    def own(self, url: str) -> Outline | None:
        """Return the same with what its host repeats marked."""


def evidence(
    decision: Decision, source: Source, settings: Settings, *, picture: bool = True
) -> tuple[str, bool]:
    """Return the evidence for a decision, and whether all texts were there.

    A picture takes time and space: a file of many decisions does without.
    """
    parts = [*_remarks(decision)]
    other = decision.original or decision.closest
    if other is None:
        parts.append(_note("No known page was similar enough to be compared with it."))
    alone = other is None or decision.verdict in _SAME
    urls = [decision.url] if other is None or alone else [decision.url, other]
    found = {url: source.outline(url) for url in urls}
    pages = [page for page in found.values() if page is not None]
    parts += (_missing(url) for url, page in found.items() if page is None)
    if other is not None and not alone and len(pages) == len(found):
        parts += _compared(decision, (pages[0], pages[-1]), other, settings, picture)
    page, own = found[decision.url], source.own(decision.url)
    if page and own:
        parts.append(_counted(page, own, alone=alone))
    return "".join(parts), len(pages) == len(found)


def _remarks(decision: Decision) -> Iterator[str]:
    """Yield what the journal says besides its figures."""
    if notes := decision.entry.get("notes"):
        rows = "".join(f"<li>{escaped(note)}</li>" for note in notes[:_FEW])
        yield f'<ul class="notes" aria-label="What limits the verdict">{rows}</ul>'
    yield from _lost(decision)
    swallowed = decision.entry.get("swallowed", ())
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
        yield "<h3>Facts that differ</h3>"
        yield table_of_pairs("lost-facts", ("This page", "The other"), lost.facts)
    if lost.moved:
        yield "<h3>At another place in the other page</h3>"
        yield f'<ul class="lost-moved">{_items(lost.moved)}</ul>'
    yield "</section>"


def _items(texts: Sequence[str]) -> str:
    return "".join(f'<li dir="auto">{escaped(text)}</li>' for text in texts)


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
    if not any(piece.words for piece in pieces):
        return title + _note("It has no text.")
    return title + "".join(_parts(pieces, page.language, is_open=alone))


def _compared(
    decision: Decision,
    pages: tuple[Outline, Outline],
    other: str,
    settings: Settings,
    picture: bool,
) -> Iterator[str]:
    from .comparison import compare_outlines  # imports numpy and more

    comparison = compare_outlines(*pages, names=(decision.url, other), settings=settings)
    lines = lines_of(comparison, MOST_SENTENCES)
    yield identities(pages, ("This page", "The other"))
    yield from _other_figures(decision, comparison)
    yield changes(lines)
    yield texts(comparison, lines)
    if picture:
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


def most_doubtful(rows: dict[str, Any]) -> Iterator[int]:
    """Return the numbers of the rows that most need a second look, each pair of pages once.

    Drops and others come in turn, the most doubtful first.
    """
    columns, drop = rows["columns"], str(Action.DROP)
    found: dict[bool, list[int]] = {True: [], False: []}
    seen = set()
    for row in sorted(range(len(columns["url"])), key=lambda row: -columns["doubt"][row]):
        pair = tuple(columns[name][row] for name in ("url", "original", "closest"))
        if pair[1:] != (None, None) and pair not in seen:
            seen.add(pair)
            found[rows["actions"][columns["action"][row]] == drop].append(row)
    both = chain.from_iterable(zip_longest(found[True], found[False]))
    return (row for row in both if row is not None)


def gather(
    rows: dict[str, Any],
    decision_of: Callable[[str, int], Decision | None],
    source: Source,
    settings: Settings,
    *,
    most: int,
    progress: Callable[[], object] = lambda: None,
) -> tuple[dict[int, str], int]:
    """Return the evidence for the most doubtful rows by their numbers, and how many have no texts.

    Those come on top of `most`: the store has forgotten a page of them.
    """
    found: dict[int, str] = {}
    forgotten = 0
    columns = rows["columns"]
    for row in islice(most_doubtful(rows), _TRIES * most):
        if len(found) - forgotten >= most:
            break
        run, number = rows["runs"][columns["run"][row]], columns["seq"][row]
        if decision := decision_of(run, number):
            found[row], complete = evidence(decision, source, settings, picture=False)
            forgotten += not complete
            if complete:
                progress()
    return found, forgotten


def evidence_in(store: Path | str, decision: Decision, settings: Settings) -> str:
    """Return the evidence for a decision from a store, which may be in use meanwhile."""
    with Texts(store, settings.map_size) as texts:
        return evidence(decision, texts, settings)[0]


def _parts(pieces: Sequence[Piece], language: str, *, is_open: bool) -> Iterator[str]:
    """Yield the blocks of a page, each with as what it counted, and a legend."""
    more = {piece.counted: " or more" for piece in pieces if piece.is_beginning}
    legend = "".join(
        f'<li class="{counted}"><span>{MEANINGS[counted]}</span> {quantity(words, "word")}'
        f"{more.get(counted, '')}</li>"
        for counted, words in words_of(pieces).items()
    )
    is_shown = " open" if is_open else ""
    yield f'<details class="counted"{is_shown}><summary>Which text of this page counted</summary>'
    yield f'<ul class="counts" aria-label="Legend">{legend}</ul><div{lang_attribute(language)}>'
    for counted, run in groupby(islice(pieces, MOST_BLOCKS), attrgetter("counted")):
        label = "" if counted is Counted.OWN else f'<p class="why">{MEANINGS[counted]}</p>'
        shown = "".join(_block(piece.block) for piece in run)
        yield f'<div class="piece {counted}">{label}<div>{shown}</div></div>'
    left = len(pieces) - MOST_BLOCKS
    rest = f'<p class="quiet">… and {quantity(left, "more block")}</p>' if left > 0 else ""
    yield f"</div>{rest}</details>"


def _block(block: Block) -> str:
    """Return a block; it looks like a heading or an item, but is none of this page."""
    kind = block.kind if block.kind in ("heading", "label", "item", "row", "code") else "text"
    depth = f" depth{min(block.depth, _DEEPEST)}" if block.depth else ""
    text = " | ".join(map(shorten, block.cells))
    return f'<p class="block {kind}{depth}" dir="auto">{escaped(text)}</p>'
