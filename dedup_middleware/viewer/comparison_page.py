"""What a report needs to know of two compared pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from .columns import State, lines_of, shorten
from .document import document, language, link, plain
from .dotplot import dotplot
from .drawing import to_svg
from .labels import clean, counted, percent
from .trees import trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dedup_middleware.similarity.values import Edge, Match, Side

    from .columns import Line, Shown
    from .drawing import Drawing


class Compared(Protocol):
    """Two pages, and which of their sentences and nodes belong together."""

    @property
    def first(self) -> Side: ...

    @property
    def second(self) -> Side: ...

    @property
    def pairs(self) -> tuple[Match, ...]: ...

    @property
    def edges(self) -> tuple[Edge, ...]: ...

    @property
    def names(self) -> tuple[str, str]:
        """URLs or file names."""

    @property
    def summary(self) -> str:
        """What was found, in a sentence."""

    @property
    def measures(self) -> Mapping[str, str]:
        """Labels and values, ready to be shown."""


_ORDINALS = ("first", "second")


def comparison_page(comparison: Compared) -> str:
    """Write a page about two compared pages that stands alone."""
    lines = lines_of(comparison)
    plot, tree = dotplot(comparison), trees(comparison)
    body = "\n".join(
        (
            heading(comparison.names),
            '<main><section class="found">',
            f'<div><p class="summary">{plain(comparison.summary)}</p>',
            measures_table(comparison.measures),
            "</div>",
            figure(plot, "Each dot is a sentence that stands in both pages."),
            "</section>",
            texts(comparison, lines),
            '<section aria-labelledby="outlines"><h2 id="outlines">Outlines</h2>',
            figure(tree, "Bars show how much of a block stands in the other page."),
            "</section></main>",
            panel(),
        )
    )
    first, second = map(clean, comparison.names)
    return document(f"{first} – {second}", body, page_data(comparison, lines, (plot, tree)))


def heading(names: tuple[str, str]) -> str:
    rows = "".join(
        f'<li><span class="which">{ordinal} page</span> {link(name)}</li>'
        for ordinal, name in zip(_ORDINALS, names, strict=True)
    )
    return f'<header><h1>Two pages compared</h1><ul class="names">{rows}</ul></header>'


def measures_table(measures: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{plain(label)}</th><td>{plain(value)}</td></tr>'
        for label, value in measures.items()
    )
    return f'<table class="measures"><tbody>{rows}</tbody></table>'


def figure(drawing: Drawing, caption: str) -> str:
    return (
        f'<figure><div class="picture" tabindex="0" role="region"'
        f' aria-label="{plain(drawing.title)}">{to_svg(drawing)}</div>'
        f"<figcaption>{plain(caption)}</figcaption></figure>"
    )


def texts(comparison: Compared, lines: Iterable[Line]) -> str:
    """Show both texts side by side, sentence by sentence."""
    languages = comparison.first.outline.language, comparison.second.outline.language
    rows = "".join(_row(line, languages) for line in lines)
    heads = "".join(f"<div><bdi>{plain(name)}</bdi></div>" for name in comparison.names)
    heads = f'<div class="heads" aria-hidden="true">{heads}</div>'
    return (
        '<section aria-labelledby="texts"><h2 id="texts">Both texts</h2>'
        '<ul class="legend"><li class="same">same, but for small words and endings</li>'
        '<li class="reworded">reworded, with <mark>the words</mark> that differ</li>'
        '<li class="only">only in this page</li></ul>'
        '<input type="checkbox" id="differing"><label for="differing">Show only what differs'
        f'</label>{heads}<ol class="lines">{rows}</ol></section>'
    )


def panel() -> str:
    """Write the place where the script shows the pair that is pointed at."""
    return (
        '<aside id="pair" aria-live="polite" aria-label="The pair pointed at" hidden>'
        '<button type="button" aria-label="Close">×</button><p class="about"></p>'
        '<p class="one" dir="auto"></p><p class="two" dir="auto"></p></aside>'
    )


def page_data(
    comparison: Compared, lines: Sequence[Line], drawings: Iterable[Drawing]
) -> dict[str, dict[int, dict[str, Any]]]:
    """Gather what the script shows of the sentences that can be pointed at."""
    found: dict[str, dict[int, dict[str, Any]]] = {"first": {}, "second": {}}
    for line in lines:
        for side, shown in (("first", line.first), ("second", line.second)):
            for one in shown:
                partner = _partner(one, side)
                found[side][one.index] = {"pieces": one.pieces, "partner": partner}
    sentences = {"first": comparison.first.sentences, "second": comparison.second.sentences}
    for shape in (shape for drawing in drawings for shape in drawing.shapes if shape.data):
        for side in _ORDINALS:
            index = int(shape.data[side])
            text = (shorten(sentences[side][index].text),)
            found[side].setdefault(index, {"pieces": text, "partner": None})
    return found


def _row(line: Line, languages: tuple[str, str]) -> str:
    if not (line.first or line.second):
        one, other = line.left_out
        return (
            f'<li class="gap">… left out here: {counted(one, "sentence")} of the first page, '
            f"{counted(other, 'sentence')} of the second</li>"
        )
    twins = [shown.pieces for shown in line.first] == [shown.pieces for shown in line.second]
    paired = bool(line.first and line.second) and line.state is not State.ONLY
    kinds = [line.state.value if paired else "apart", *(["twins"] if twins else [])]
    cells = "".join(
        f'<div class="cell"{language(code)}>'
        f"{''.join(_sentence(one, side, paired) for one in shown)}</div>"
        for side, shown, code in zip(_ORDINALS, (line.first, line.second), languages, strict=True)
    )
    return f'<li class="line {" ".join(f"line-{kind}" for kind in kinds)}">{cells}</li>'


def _sentence(shown: Shown, side: str, paired: bool) -> str:
    """Show a sentence with its number, which leads to its partner."""
    own, other = ("a", "b") if side == "first" else ("b", "a")
    number = f"{shown.index + 1:,}"
    said = f'<span class="said" dir="auto">{_marked(shown)}</span>'
    partner = _partner(shown, side)
    start = f'<p class="sentence {shown.state.value}" id="{own}{shown.index}"'
    if shown.match is None or partner is None:
        return (
            f'{start}><span class="number">{number}</span>{said} '
            '<em class="note">only here</em></p>'
        )
    where = f"sentence {partner + 1:,} of the {_ORDINALS[side == 'first']} page"
    note = _note(shown, "" if paired else f"at {partner + 1:,} there")
    return (
        f'{start} data-first="{shown.match.first}" data-second="{shown.match.second}">'
        f'<a class="number" href="#{other}{partner}"'
        f' aria-label="{number}, {shown.state.value}: go to {where}">{number}</a>{said}{note}</p>'
    )


def _note(shown: Shown, where: str) -> str:
    alike = shown.match.similarity if shown.match else 0.0
    said = "" if shown.state is State.SAME else f"reworded, {percent(alike)} alike"
    words = ", ".join(filter(None, (said, where)))
    return f' <em class="note">{words}</em>' if words else ""


def _marked(shown: Shown) -> str:
    return "".join(
        f"<mark>{escape(piece)}</mark>" if at % 2 else escape(piece)
        for at, piece in enumerate(shown.pieces)
    )


def _partner(shown: Shown, side: str) -> int | None:
    if shown.match is None:
        return None
    return shown.match.second if side == "first" else shown.match.first
