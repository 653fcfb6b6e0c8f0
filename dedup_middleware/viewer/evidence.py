"""What speaks for a decision, as a piece of HTML: both texts, and pictures of what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dedup_middleware.settings import Settings
from dedup_middleware.verdict import Kind

from .columns import lines_of, shorten
from .comparison_page import figure, measures_table, texts
from .document import language, link, plain
from .dotplot import dotplot
from .labels import counted, percent
from .rows import known_of
from .trees import trees

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.read import Outline

    from .comparison import PageComparison

MOST_SENTENCES, MOST_ROWS = 150, 60
"""Of a page; what changed is shown before what did not."""
_FEW = 8
_SHIFT = 0.02  # less than that is rounding
_SAME = {Kind.EXACT, Kind.UNCHANGED}
_HARMLESS = frozenset({"read", "digest", "lookup"})


class Source(Protocol):
    """Knows what pages said."""

    def outline(self, url: str) -> Outline | None:
        """Give the text of a URL; None if it is not known (any more)."""


def evidence(decision: Decision, source: Source | None, settings: Settings | None = None) -> str:
    """Write what speaks for a decision; all that is strangers' in it is escaped."""
    parts = [*_remarks(decision)]
    other = decision.original or decision.closest
    if source is None:
        parts.append(_said("Without the store that the journal belongs to, there are no texts."))
        return "".join(parts)
    page = source.outline(decision.url)
    if other is None:
        parts.append(_said("No known page came close enough to be laid beside it."))
        parts += [_forgotten(decision.url) if page is None else _beginning(page)]
    elif decision.verdict in _SAME:
        parts += [_forgotten(decision.url) if page is None else _beginning(page)]
    else:
        partner = source.outline(other)
        if page is None or partner is None:
            missing = [url for url, one in ((decision.url, page), (other, partner)) if one is None]
            parts += map(_forgotten, missing)
        else:
            parts += _compared(decision, (page, partner), other, settings or Settings())
    return "".join(parts)


def _remarks(decision: Decision) -> Iterator[str]:
    """Show what the journal says besides its figures."""
    notes = _texts(decision, "notes")
    if notes:
        rows = "".join(f"<li>{plain(note)}</li>" for note in notes[:_FEW])
        yield f'<ul class="notes" aria-label="What limits the verdict">{rows}</ul>'
    swallowed = _texts(decision, "swallowed")
    if len(swallowed) > 1:
        rows = "".join(f"<li>{link(url)}</li>" for url in swallowed[:_FEW])
        more = len(swallowed) - _FEW
        rows += f"<li>and {more:,} more</li>" if more > 0 else ""
        pages = counted(len(swallowed), "known page")
        yield f'<details class="swallowed"><summary>It holds {pages}</summary><ul>{rows}</ul>'
        yield "</details>"


def _texts(decision: Decision, key: str) -> list[str]:
    value = decision.entry.get(key)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _said(text: str) -> str:
    return f'<p class="quiet">{plain(text)}</p>'


def _forgotten(url: str) -> str:
    return (
        '<p class="quiet">The store does not have the text of '
        f"<bdi>{plain(url)}</bdi>: a page since forgotten, or one that was never kept.</p>"
    )


def _beginning(page: Outline) -> str:
    """Show how a text begins."""
    from dedup_middleware.similarity.sentences import sentences_of

    sentences = [shorten(text) for _, text in sentences_of(page)]
    if not sentences:
        return _said("It has no text besides what stands on every page of a site.")
    shown = "".join(f'<p dir="auto">{plain(text)}</p>' for text in sentences[:_FEW])
    more = len(sentences) - _FEW
    rest = f'<p class="quiet">… and {counted(more, "more sentence")}</p>' if more > 0 else ""
    return (
        f'<section class="beginning"{language(page.language)}><h3>What it says</h3>'
        f"{_title(page)}{shown}{rest}</section>"
    )


def _title(page: Outline) -> str:
    return f'<p class="title"><bdi>{plain(page.title)}</bdi></p>' if page.title else ""


def _compared(
    decision: Decision, pages: tuple[Outline, Outline], other: str, settings: Settings
) -> Iterator[str]:
    from .comparison import compare_outlines  # brings numpy and its kind

    comparison = compare_outlines(*pages, names=(decision.url, other), settings=settings)
    lines = lines_of(comparison, MOST_SENTENCES)
    yield _titles(pages)
    yield from _shifted(decision, comparison)
    yield texts(comparison, lines)
    yield '<section aria-labelledby="matched"><h2 id="matched">Where they match</h2>'
    yield '<div class="found">'
    yield measures_table(comparison.measures)
    yield figure(dotplot(comparison), "Each dot is a sentence that stands in both pages.")
    yield '</div></section><section aria-labelledby="outlines"><h2 id="outlines">Outlines</h2>'
    caption = "Bars show how much of a block stands in the other page."
    yield figure(trees(comparison, MOST_ROWS), caption)
    yield "</section>"


def _titles(pages: tuple[Outline, Outline]) -> str:
    rows = "".join(
        f"<div><dt>{which}</dt><dd><bdi>{plain(page.title) or 'without a title'}</bdi></dd></div>"
        for which, page in zip(("This page", "The other"), pages, strict=True)
    )
    return f'<dl class="titles">{rows}</dl>'


def _shifted(decision: Decision, comparison: PageComparison) -> Iterator[str]:
    """Say so if the judge saw other figures than those that are shown."""
    then, now = known_of(decision), comparison.known
    if then is None or decision.stage in _HARMLESS:
        return
    if max(abs(one - other) for one, other in zip(then, now, strict=True)) < _SHIFT:
        return
    figures = " / ".join(map(percent, then))
    if decision.stage == "sentences":
        yield _said(
            f"When it was judged, {figures} was known. What is shown here is what both URLs said "
            "last, compared with the settings of today."
        )
    elif decision.stage == "shingles":
        yield _said(
            f"In the crawl, words were enough to tell: {figures} was the most that could be known. "
            "Sentences and outlines were compared only now, to be shown."
        )
